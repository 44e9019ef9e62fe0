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

/// u(t) of one participant: how a model sees the others during a step.
///
///     freeze(start, end):  for each connection: select the samples of its source that the input uses
///                            waits for the source:  up to the first one at or after `end`
///                            does not wait:         up to `start`
///     at(t):               for each connection: history -> approximation -> gain and offset -> sum or law -> input
///                            then apply the events in force (input_events.hpp)
///
/// Within a step the samples behind u(t) are frozen; a model may ask for any time of the step, as often as it likes
/// (Runge-Kutta stages, Newton iterations, events). This is the definition of an input. Faster ways for some
/// connections are in `fast::InputPaths` and give the same bits.
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
  /// The present step is rejected and begins again; the previous step stays the previous one.
  void reject_step() { step_.start = step_.previous_start; }
  /// A step begins here; its end is unknown. If a source jumps at this time, the value after the jump is used.
  void begin_at(double t) { begin_step(t, t); }

  /// Freeze the samples for a step from start to end by the precedence rule.
  void freeze(double start, double end) {
    begin_step(start, end);
    fast_.leave_lines(connections_);
    if (end > window_until_ || end <= window_from_) freeze_connections();
  }
  /// The same, but all samples of `source` may be used (the host of an embedded interface).
  void freeze_with_all_of(int source, double start, double end);

  /// All inputs at time t. The pointer stays valid; the next call changes the contents.
  const double* at(double t) {
    if (!fast_.make(t, step_.start, connections_, values_)) made_from_connections(t);
    return values_.data();
  }

  /// du/dt of all inputs at time t, from the polynomials of u(t). With a single sample it is the derivative provided by
  /// the source, or 0. The pointer stays valid; the next call changes the contents.
  const double* slopes_at(double t);

  /// The polynomial of a connection, valid at time t.
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

  /// Whether values may have to be requested from another process.
  virtual bool come_from_elsewhere() const { return false; }
  /// Whether an approximation depends on the step, not on samples alone.
  bool depends_on_step() const { return per_step_; }
  int width() const { return static_cast<int>(values_.size()); }
  const ConsumerStep& step() const { return step_; }
  /// Steps that do not end after this time use the samples that are frozen now.
  double frozen_until() const { return window_until_; }

  /// After the last connection, call `choose_fast_paths`.
  void add_connection(Connection connection);
  /// Note that a connection without a law enters at `offset`. True: another one does as well, to which it is added.
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
  /// The constant of a scalar input; valid until the input is evaluated.
  double own_value(int offset) const { return values_[offset]; }

  /// Fix an input to these values, even if it is driven, until `release_fixed` (while initial outputs are found).
  void fix(int offset, std::vector<double> values);
  void release_fixed();
  /// The driven value at time t of the input that begins at `offset`, even if the input is fixed.
  const double* driven(int offset, double t);

  /// The events that change these inputs, or null. Set them after the last connection.
  void set_events(std::unique_ptr<InputEvents> events);
  InputEvents* events() { return events_.get(); }
  const InputEvents* events() const { return events_.get(); }

  /// Store the input values at the end of the step for the approximations that need them.
  void remember_end(double t);

  /// A time span is repeated, until `read_present`: a connection that does not wait for its source reads what the
  /// source published in the previous pass (`earlier`, by participant), and so interpolates. With `centred` stencils, a
  /// connection that waits does so until its source has reached the end of the span.
  void read_earlier(const std::vector<History>& earlier, bool centred);
  void read_present();

  /// Invalidate polynomials built from `source`: one of its samples has changed.
  void forget_polynomials_of(int source);

  /// The complete state: the samples in use and the polynomials through them.
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
  /// Overwrites `into`, whose memory is reused.
  void save(Saved& into) const;
  void restore(const Saved& saved);

  /// The same for a time span that may be repeated, at less cost: samples are looked up again and values are computed
  /// again. The connections themselves store the samples in use.
  struct Mark {
    std::vector<std::vector<double>> last_inputs;  ///< only if approximations depend on the step
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

  /// For fast paths of rounds.
  fast::InputPaths& fast_paths() { return fast_; }
  const fast::InputPaths& fast_paths() const { return fast_; }
  std::vector<double>& values() { return values_; }

 protected:
  /// `asked_always`: all polynomials are built by `rebuild`.
  Inputs(std::vector<double> constants, fast::Choice fast_paths, bool asked_always)
      : asked_always_(asked_always), values_(std::move(constants)), fast_(fast_paths) {}
  virtual void rebuild(Connection& c, double t);

  ConsumerStep step_;

 private:
  void made_from_connections(double t);
  void make(double t);
  /// Build from the samples between two jumps.
  void build_smooth(Connection& c, double t);
  void put(Connection& c, double t);
  void apply_laws(double t);
  void apply(LawPort& port, double t);
  void evaluate(const LawPort& port, double t, const double* signals, double* out) const;
  double difference_length(double t) const;
  const double* slopes_by_differences(double t);
  /// Write the slope of a connection's value (after gain and offset) into its scratch memory.
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
