#pragma once

#include <memory>
#include <vector>

#include "coupling/failure.hpp"
#include "recipe/origin.hpp"
#include "signal/approximation.hpp"
#include "signal/newton.hpp"

namespace counterpoint {

/// A function of several signals that makes one input, e.g. a nonlinear coupling spring.
class CouplingLaw : public recipe::Describable {
 public:
  virtual ~CouplingLaw() = default;
  /// `signals`: the values of the connected outputs one after another; `out`: the input.
  virtual void evaluate(double t, const double* signals, double* out) const = 0;
};

/// A scalar that is held, or goes on in a straight line: the polynomials of degree 0 and 1 without their generality.
struct Line {
  bool sloped = false;
  double value = 0.0;
  double slope = 0.0;
  double node = 0.0;  ///< where it has the value, s
  double at(double t) const { return sloped ? slope * (t - node) + value : value; }
};

/// What of a simple term is looked at in every step, close together.
struct Wire {
  const History* history = nullptr;
  double gain = 1.0;
  double offset = 0.0;
  int column = 0;
  int target = 0;
  bool scales = false;
  bool sloped = false;  ///< a line, not held
  Line line;

  double scaled(double value) const { return scales ? value * gain + offset : value; }

  /// What it is from the sample numbered `last` on, as long as that is the newest.
  Line drawn(std::size_t last) const {
    Line made;
    made.value = history->value(last)[column];
    made.sloped = sloped && last > history->begin();
    if (made.sloped) {
      const double before = history->value(last - 1)[column];
      made.node = history->time(last);
      made.slope = (before - made.value) / (history->time(last - 1) - made.node);
    }
    made.value = scaled(made.value);
    if (scales) made.slope *= gain;
    return made;
  }
};

/// One output entering one input.
struct Term {
  int source = 0;  ///< subsystem that publishes
  int target_offset = 0;
  ApproximationPointer approximation;
  double gain = 1.0;
  double offset = 0.0;
  bool scales = false;  ///< gain and offset change something
  bool source_stops_early = false;
  bool waits = false;  ///< the consumer waits for the source: it interpolates
  bool adds = false;   ///< not the first term of its input
  bool known = false;  ///< it does not wait by itself, but reads what its source published in the pass before
  /// A waiting term's samples serve steps that end after `window_from` and not after `window_until`.
  double window_from = Polynomial::infinity;
  double window_until = -Polynomial::infinity;
  double source_next = 0.0;  ///< when the source will publish next, as known when the step was allowed
  int law = -1;              ///< coupling law that takes this signal, or -1
  int law_offset = 0;        ///< place among the law's signals
  int newest_points = 0;  ///< samples behind the polynomial from the last one on, where that is known (Approximation)
  bool simple = false;    ///< a scalar for itself, held or a line from the last sample on

  const History* present = nullptr;  ///< what the source publishes now
  Samples samples;                   ///< of `present`, or of the pass before when `known`
  Polynomial polynomial;
  std::vector<double> last_input;  ///< before gain and offset; empty until the first step ended
  std::vector<double> scratch;
};

/// u(t) of one subsystem: what a model sees of the others during a step.
///
/// Within a step the samples behind u(t) are frozen; a model may ask at any time and as often as it
/// likes (Runge-Kutta stages, Newton iterations, events).
class Inputs {
 public:
  struct LawPort {
    std::shared_ptr<const CouplingLaw> law;
    int target_offset = 0;
    std::vector<double> signals;
  };

  explicit Inputs(std::vector<double> constants) : Inputs(std::move(constants), false) {}

  /// The run starts here: there is no step before it.
  void start(double t) { step_.start = step_.end = step_.previous_start = t; }
  virtual ~Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// A step begins here, its end is not told: where a source jumps at this time, what comes after is seen.
  void begin_at(double t) {
    step_.previous_start = step_.start;
    step_.start = step_.end = t;
  }

  /// Whether values may have to be asked for in another process, and waited for.
  virtual bool come_from_elsewhere() const { return false; }

  /// All inputs at time t. The pointer stays good, its contents change with the next call.
  const double* at(double t) {
    if (lines_ && t >= step_.start) {
      if (sloped_) {
        for (const Wire& wire : wires_) values_[wire.target] = wire.line.at(t);
      }
      return values_.data();
    }
    if (single_scalar_) {
      Term& term = terms_.front();
      if (term.polynomial.covers(t)) {
        values_[term.target_offset] = term.polynomial.scalar(t);
        return values_.data();
      }
    }
    return at_any(t);
  }

  /// The polynomial behind a single scalar input when it is right from t to t_end, else null.
  const Polynomial* single_over(double t, double t_end) {
    if (!single_scalar_) return nullptr;
    if (lines_) leave_lines();
    Term& term = terms_.front();
    if (!term.polynomial.covers(t, t_end)) polynomial(term, t);
    return term.polynomial.covers(t, t_end) ? &term.polynomial : nullptr;
  }

  bool depends_on_step() const { return per_step_; }
  int width() const { return static_cast<int>(values_.size()); }
  const ConsumerStep& step() const { return step_; }

  /// Constant value of an input that nothing drives.
  void set_constant(int offset, double value) { values_[offset] = value; }

  /// The constant of a scalar input, as long as nothing that drives it was asked.
  double own_value(int offset) const { return values_[offset]; }

  /// Give an input these values whatever drives it, until `release_all` (while initial outputs are found).
  void hold(int offset, std::vector<double> values);
  void release_all();
  /// What drives the input that begins at `offset` at time t, whether it is held or not.
  const double* driven(int offset, double t);

  void add_term(Term term);
  int add_law(std::shared_ptr<const CouplingLaw> law, int target_offset, int signal_count);
  std::vector<Term>& terms() { return terms_; }
  const std::vector<Term>& terms() const { return terms_; }

  /// Freeze the samples for a step from start to end by the precedence rule: a term that waits uses
  /// samples up to the first one that reaches `end`, a term that does not uses those up to `start`.
  void freeze(double start, double end) {
    step_.previous_start = step_.start;
    step_.start = start;
    step_.end = end;
    if (lines_) leave_lines();
    if (end > window_until_ || end <= window_from_) freeze_terms();
  }

  /// The same when all sources step together with this one: it stands at its sample number `last`, and so do they;
  /// those it waits for are one step ahead.
  void freeze_in_step(double start, double end, std::size_t last) {
    step_.previous_start = step_.start;
    step_.start = start;
    step_.end = end;
    if (wires_.empty()) return update_in_step(last);
    lines_ = true;
    last_ = last;
    for (Wire& wire : wires_) {
      if (sloped_) {
        wire.line = wire.drawn(last);
      } else {  // the same, short
        values_[wire.target] = wire.scaled(wire.history->value(last)[wire.column]);
      }
    }
  }
  /// The wire of a simple term, to see what it was.
  static Wire wire(const Term& term) {
    return {term.samples.history,   term.gain, term.offset, term.samples.column, term.target_offset, term.scales,
            term.newest_points > 1, {}};
  }
  /// Whether all inputs are held from the newest samples, or constant.
  bool are_held() const { return (terms_.empty() || !wires_.empty()) && !sloped_; }
  const std::vector<Wire>& wires() const { return wires_; }
  /// Where held inputs are written.
  double* held_values() { return values_.data(); }

  /// Whether all inputs are lines in the step that is frozen.
  bool are_lines() const { return lines_; }

  /// Steps that end up to here use the samples that are frozen now.
  double frozen_until() const { return window_until_; }

  /// The same, but of `source` every sample there is may be used (the host of an embedded interface).
  void freeze_with_all_of(int source, double start, double end);

  /// The polynomial behind a term, right at time t.
  const Polynomial& polynomial(Term& term, double t) {
    if (lines_) leave_lines();
    if (!term.polynomial.covers(t)) build(term, t);
    return term.polynomial;
  }

  /// What is known of the sources now: samples in use and the polynomials through them.
  struct Saved {
    struct TermState {
      std::size_t begin, end;
      double window_from, window_until, source_next;
      Polynomial polynomial;
      std::vector<double> last_input;
    };
    std::vector<TermState> terms;
    std::vector<double> values;
    ConsumerStep step;
    double window_from, window_until;
  };
  /// `into` is written again: its memory serves the next save as well.
  void save(Saved& into) const;
  void restore(const Saved& saved);

  /// A stretch of time is repeated: who does not wait for a source reads what it published in the pass before
  /// (`earlier`, by subsystem), and so interpolates; until `read_present`.
  void read_earlier(const std::vector<History>& earlier);
  void read_present();

  /// Forget polynomials that were made from `source`: one of its samples is not what it was.
  void forget_polynomials_of(int source);

  /// Keep the input values reached at the end of the step for those approximations that need them.
  void remember_end(double t);

 protected:
  /// `asked_always`: nothing but `rebuild` makes a polynomial.
  Inputs(std::vector<double> constants, bool asked_always)
      : asked_always_(asked_always), values_(std::move(constants)) {}
  virtual void rebuild(Term& term, double t);

  ConsumerStep step_;

 private:
  const double* at_any(double t);
  void build(Term& term, double t) {
    const Samples& samples = term.samples;
    if (term.newest_points == 0 || t < samples.time(samples.last()) - samples.tolerance) return rebuild(term, t);
    build_through_newest(term);
  }
  static void build_through_newest(Term& term) {
    term.samples.begin = term.samples.history->begin();  // older ones may have been forgotten
    newton_through_newest(term.samples, term.newest_points, term.polynomial);
    if (term.scales) term.polynomial.scale_and_shift(term.gain, term.offset);
  }
  /// From the samples between which the signal does not jump.
  void build_smooth(Term& term, double t);
  void put(Term& term, double t);
  void freeze_terms();
  void freeze(Term& term);
  void update_in_step(std::size_t last);
  void leave_lines();
  void update(Term& term, std::size_t end) {
    Samples& s = term.samples;
    if (s.end != end) {
      // What lay beyond the last sample is known better now; a piece between samples stays right.
      if (term.polynomial.to == Polynomial::infinity || end < s.end) term.polynomial.invalidate();
      s.end = end;
      s.begin = s.history->begin();
    }
    if (per_step_ && term.approximation->depends_on_step()) term.polynomial.invalidate();
  }
  void apply_laws(double t);
  void apply(LawPort& port, double t);
  void choose_short_way();

  struct Held {
    int offset;
    std::vector<double> values;
  };
  bool is_held(int offset) const;

  std::vector<Held> held_;
  /// Steps that end after `window_from` and not after `window_until` use the same samples.
  double window_from_ = Polynomial::infinity;
  double window_until_ = -Polynomial::infinity;
  bool per_step_ = false;
  bool asked_always_;
  bool single_scalar_ = false;  ///< one scalar term and no law: the common case, worth a short way
  bool lines_ = false;          ///< the wires say it all, for the step that is frozen; the terms have not heard of it
  bool sloped_ = false;         ///< some wire is not held
  std::size_t last_ = 0;        ///< sample from which the lines go on
  std::vector<Wire> wires_;     ///< of all terms, where all are simple and nothing is waited for; else none
  bool scalars_ = false;        ///< scalar terms, each with an input of its own, and no law: the next common one
  std::vector<double> values_;
  std::vector<Term> terms_;
  std::vector<LawPort> laws_;
};

}  // namespace counterpoint
