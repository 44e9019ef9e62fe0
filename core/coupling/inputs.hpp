#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "coupling/connection.hpp"
#include "coupling/failure.hpp"
#include "coupling/fast/input_paths.hpp"
#include "coupling/input_events.hpp"

namespace counterpoint {

/// u(t) of one participant: what a model sees of the others during a step.
///
///     freeze(start, end):  for each connection: which samples of its source are behind the input
///                            waits for the source:  up to the first one that reaches `end`
///                            does not wait:         up to `start`
///     at(t):               for each connection: history -> approximation -> gain and offset -> sum or law -> input
///                            where events are in force (input_events.hpp): what they make of it
///
/// Within a step the samples behind u(t) are frozen; a model may ask at any time and as often as it likes (Runge-Kutta
/// stages, Newton iterations, events). This is the definition of an input. What is faster for some connections is in
/// `fast::InputPaths` and gives the same bits.
class Inputs {
 public:
  struct LawPort {
    std::shared_ptr<const CouplingLaw> law;
    int target_offset = 0;
    std::vector<double> signals;
  };

  explicit Inputs(std::vector<double> constants, fast::Choice fast_paths = {})
      : Inputs(std::move(constants), fast_paths, false) {}
  virtual ~Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// The run starts here: there is no step before it.
  void start(double t) {
    step_.start = step_.end = step_.previous_start = t;
    if (events_) events_->start(t);
  }

  /// A step begins; the caller freezes its samples.
  void begin_step(double start, double end) {
    step_.previous_start = step_.start;
    step_.start = start;
    step_.end = end;
    if (events_) events_->begin_step(start);
  }
  /// The step that has begun is rejected: it begins again, and the one before it stays the one before.
  void reject_step() { step_.start = step_.previous_start; }
  /// A step begins here, its end is not told: where a source jumps at this time, what comes after is seen.
  void begin_at(double t) { begin_step(t, t); }

  /// Freeze the samples for a step from start to end by the precedence rule.
  void freeze(double start, double end) {
    begin_step(start, end);
    fast_.leave_lines(connections_);
    if (end > window_until_ || end <= window_from_) freeze_connections();
  }
  /// The same, but of `source` every sample there is may be used (the host of an embedded interface).
  void freeze_with_all_of(int source, double start, double end);

  /// All inputs at time t. The pointer stays good, its contents change with the next call.
  const double* at(double t) {
    if (!fast_.make(t, step_.start, connections_, values_)) made_from_connections(t);
    return values_.data();
  }

  /// du/dt of all inputs at time t, from the polynomials that make u(t); the slope of a single sample is the one its
  /// source offers, else 0. The pointer stays good, its contents change with the next call.
  const double* slopes_at(double t);

  /// The polynomial behind a connection, right at time t.
  const Polynomial& polynomial(Connection& c, double t) {
    fast_.leave_lines(connections_);
    if (!c.polynomial.covers(t) && !fast::build_through_newest(c, t)) rebuild(c, t);
    return c.polynomial;
  }

  /// The polynomial behind the only input, a scalar, where one is valid from t to t_end: a solver may evaluate it in
  /// its own loop instead of calling `at` (fast/input_paths.hpp). Null: call `at`.
  const Polynomial* single_polynomial(double t, double t_end) {
    if (!fast_.is_single()) return nullptr;
    fast_.leave_lines(connections_);
    Connection& c = connections_.front();
    if (!c.polynomial.covers(t, t_end)) polynomial(c, t);
    return c.polynomial.covers(t, t_end) ? &c.polynomial : nullptr;
  }

  /// Whether values may have to be asked for in another process, and waited for.
  virtual bool come_from_elsewhere() const { return false; }
  /// Whether an approximation depends on the step and not on samples alone.
  bool depends_on_step() const { return per_step_; }
  int width() const { return static_cast<int>(values_.size()); }
  const ConsumerStep& step() const { return step_; }
  /// Steps that end up to here use the samples that are frozen now.
  double frozen_until() const { return window_until_; }

  /// Call `choose_fast_paths` after the last one.
  void add_connection(Connection connection);
  /// Note that a connection without a law enters at `offset`; whether one did before, to which it is added.
  bool adds_to_another(int offset);
  void choose_fast_paths();
  int add_law(std::shared_ptr<const CouplingLaw> law, int target_offset, int signal_count);
  std::vector<Connection>& connections() { return connections_; }
  const std::vector<Connection>& connections() const { return connections_; }

  /// Constant value of an input that nothing drives.
  void set_constant(int offset, double value) {
    values_[offset] = value;
    if (events_) events_->set_constant(offset, value);
  }
  /// The constant of a scalar input, as long as nothing that drives it was asked.
  double own_value(int offset) const { return values_[offset]; }

  /// Give an input these values whatever drives it, until `release_fixed` (while initial outputs are found).
  void fix(int offset, std::vector<double> values);
  void release_fixed();
  /// What drives the input that begins at `offset` at time t, whether its value is fixed or not.
  const double* driven(int offset, double t);

  /// What events do to these inputs, or null. To be given after the last connection.
  void set_events(std::unique_ptr<InputEvents> events);
  InputEvents* events() { return events_.get(); }
  const InputEvents* events() const { return events_.get(); }

  /// Keep the input values reached at the end of the step for those approximations that need them.
  void remember_end(double t);

  /// A stretch of time is repeated: a connection that does not wait for its source reads what that published in the
  /// pass before (`earlier`, by participant), and so interpolates; until `read_present`. Where stencils are `centred`,
  /// one that waits for its source does so until that has come to the end of the stretch.
  void read_earlier(const std::vector<History>& earlier, bool centred);
  void read_present();

  /// Forget polynomials that were made from `source`: one of its samples is not what it was.
  void forget_polynomials_of(int source);

  /// What is known of the sources now: samples in use and the polynomials through them.
  struct Saved {
    struct ConnectionState {
      std::size_t begin, end;
      double window_from, window_until, source_next;
      Polynomial polynomial;
      std::vector<double> last_input;
    };
    std::vector<ConnectionState> connections;
    std::vector<double> values;
    ConsumerStep step;
    double window_from, window_until;
    InputEvents::State events;
  };
  /// `into` is written again: its memory serves the next save as well.
  void save(Saved& into) const;
  void restore(const Saved& saved);

  /// The same for a stretch of time that may be repeated, at less cost: what the histories say is looked up again, and
  /// the values are made again. The connections remember the samples in use themselves.
  struct Mark {
    std::vector<std::vector<double>> last_inputs;  ///< where approximations depend on the step
    ConsumerStep step;
    InputEvents::State events;
  };
  void mark(Mark& into) {
    fast_.leave_lines(connections_);
    for (Connection& c : connections_) c.marked_end = c.samples.end;
    into.step = step_;
    if (per_step_ || events_) mark_more(into);
  }
  void return_to(const Mark& mark) {
    fast_.forget_lines();
    for (Connection& c : connections_) {
      c.samples.end = c.marked_end;
      c.look_up_again();
    }
    step_ = mark.step;
    window_until_ = -Polynomial::infinity;
    if (per_step_ || events_) return_more(mark);
  }

  /// For fast paths outside (rounds): what they work on.
  fast::InputPaths& fast_paths() { return fast_; }
  const fast::InputPaths& fast_paths() const { return fast_; }
  std::vector<double>& values() { return values_; }

 protected:
  /// `asked_always`: nothing but `rebuild` makes a polynomial.
  Inputs(std::vector<double> constants, fast::Choice fast_paths, bool asked_always)
      : asked_always_(asked_always), values_(std::move(constants)), fast_(fast_paths) {}
  virtual void rebuild(Connection& c, double t);

  ConsumerStep step_;

 private:
  void made_from_connections(double t);
  void make(double t);
  /// From the samples between which the signal does not jump.
  void build_smooth(Connection& c, double t);
  void put(Connection& c, double t);
  void apply_laws(double t);
  void apply(LawPort& port, double t);
  void evaluate(const LawPort& port, double t, const double* signals, double* out) const;
  double difference_length(double t) const;
  const double* slopes_by_differences(double t);
  /// The slope of what enters by a connection, after gain and offset, into its scratch.
  void find_slope(Connection& c, double t);
  void find_law_slope(const LawPort& port, const std::vector<double>& signal_slopes, double t);
  void freeze_connections();
  void freeze(Connection& c);
  static void freeze_whole(Connection& c);
  void mark_more(Mark& into) const;
  void return_more(const Mark& mark);

  /// Steps that end after `window_from` and not after `window_until` use the same samples.
  double window_from_ = Polynomial::infinity;
  double window_until_ = -Polynomial::infinity;
  bool per_step_ = false;
  bool asked_always_;
  std::vector<double> values_;
  std::vector<double> slopes_;
  std::vector<Connection> connections_;
  fast::InputPaths fast_;
  std::unique_ptr<InputEvents> events_;
  std::vector<LawPort> laws_;
  std::map<int, std::vector<double>> fixed_;  ///< by the offset of the input
  std::set<int> summed_;                      ///< offsets at which connections without a law enter
};

}  // namespace counterpoint
