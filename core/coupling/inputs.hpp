#pragma once

#include <memory>
#include <vector>

#include "signal/approximation.hpp"

namespace counterpoint {

/// A function of several signals that makes one input, e.g. a nonlinear coupling spring.
class CouplingLaw {
 public:
  virtual ~CouplingLaw() = default;
  /// `signals`: the values of the connected outputs one after another; `out`: the input.
  virtual void evaluate(double t, const double* signals, double* out) const = 0;
};

/// One output entering one input.
struct Term {
  int source = 0;  ///< subsystem that publishes
  int target_offset = 0;
  ApproximationPointer approximation;
  double gain = 1.0;
  double offset = 0.0;
  bool waits = false;  ///< the consumer waits for the source: it interpolates
  bool adds = false;   ///< not the first term of its input
  double source_next = 0.0;  ///< when the source will publish next, as known when the step was allowed
  int law = -1;        ///< coupling law that takes this signal, or -1
  int law_offset = 0;  ///< place among the law's signals

  Samples samples;
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

  explicit Inputs(std::vector<double> constants) : values_(std::move(constants)) {}
  virtual ~Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// All inputs at time t. The pointer stays good, its contents change with the next call.
  const double* at(double t) {
    for (Term& term : terms_) {
      polynomial(term, t);
      put(term, t);
    }
    if (!laws_.empty()) apply_laws(t);
    return values_.data();
  }

  int width() const { return static_cast<int>(values_.size()); }
  const ConsumerStep& step() const { return step_; }

  /// Constant value of an input that nothing drives.
  void set_constant(int offset, double value) { values_[offset] = value; }

  void add_term(Term term);
  int add_law(std::shared_ptr<const CouplingLaw> law, int target_offset, int signal_count);
  std::vector<Term>& terms() { return terms_; }
  const std::vector<Term>& terms() const { return terms_; }

  /// Freeze the samples for a step from start to end by the precedence rule: a term that waits uses
  /// samples up to the first one that reaches `end`, a term that does not uses those up to `start`.
  void freeze(double start, double end) {
    step_.previous_start = started_ ? step_.start : start;
    started_ = true;
    step_.start = start;
    step_.end = end;
    for (Term& term : terms_) freeze(term);
  }

  /// Use every sample there is (the embedded interface, and the start of a run).
  void freeze_all(double start, double end);

  /// The polynomial behind a term, right at time t.
  const Polynomial& polynomial(Term& term, double t) {
    if (!term.polynomial.covers(t)) rebuild(term, t);
    return term.polynomial;
  }

  /// Keep the input values reached at the end of the step for those approximations that need them.
  void remember_end(double t);

 protected:
  virtual void rebuild(Term& term, double t);

  ConsumerStep step_;

 private:
  void put(Term& term, double t) {
    const Polynomial& p = term.polynomial;
    if (term.law >= 0) {
      p.evaluate(t, laws_[term.law].signals.data() + term.law_offset);
    } else if (p.width == 1) {
      double& target = values_[term.target_offset];
      target = term.adds ? target + p.scalar(t) : p.scalar(t);
    } else {
      put_vector(term, t);
    }
  }

  void freeze(Term& term) {
    Samples& s = term.samples;
    const History& h = *s.history;
    std::size_t k = s.end - 1 < h.begin() ? h.begin() : s.end - 1;
    const std::size_t last = h.end() - 1;
    if (term.waits) {
      while (k < last && h.time(k) < step_.end - s.tolerance) ++k;
    } else {
      while (k < last && h.time(k + 1) <= step_.start + s.tolerance) ++k;
    }
    update(term, k + 1);
  }

  void update(Term& term, std::size_t end) {
    Samples& s = term.samples;
    if (s.end != end) {
      // What lay beyond the last sample is known better now; a piece between samples stays right.
      if (term.polynomial.to == Polynomial::infinity) term.polynomial.invalidate();
      s.end = end;
      s.begin = s.history->begin();
    }
    if (per_step_ && term.approximation->depends_on_step()) term.polynomial.invalidate();
  }

  void put_vector(Term& term, double t);
  void apply_laws(double t);

  bool started_ = false;
  bool per_step_ = false;
  std::vector<double> values_;
  std::vector<Term> terms_;
  std::vector<LawPort> laws_;
};

}  // namespace counterpoint
