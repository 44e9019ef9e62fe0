#pragma once

#include <memory>
#include <string>

#include "recipe/origin.hpp"
#include "signal/history.hpp"
#include "signal/polynomial.hpp"

namespace counterpoint {

/// The samples behind one input, frozen for the length of a step: a stretch of a history and the
/// columns that belong to the connected output.
struct Samples {
  const History* history = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< one past the last sample that may be used
  int column = 0;
  int width = 1;
  double tolerance = 0.0;  ///< times closer than this are the same time
  std::size_t ends_before =
      History::nowhere;     ///< the last sample is read as it was right before it jumped (smooth_stretch)
  bool both_sides = false;  ///< samples further ahead are known for good: stencils may be centred (repeats)

  std::size_t count() const { return end - begin; }
  std::size_t last() const { return end - 1; }
  double time(std::size_t k) const { return history->time(k); }
  const double* value(std::size_t k) const {
    return (k == ends_before ? history->before_jump(k) : history->value(k)) + column;
  }
  const double* derivative(std::size_t k) const { return history->derivative(k) + column; }
  /// Those right before a jump are not known.
  bool has_derivative(std::size_t k) const { return history->has_derivatives() && k != ends_before; }
  bool has_derivatives() const { return history->has_derivatives() && ends_before == History::nowhere; }

  /// What the signal was right before it jumped at sample k, or null where it did not.
  const double* before_jump(std::size_t k) const;

  /// The closest sample strictly later than t, or the last one when there is none.
  std::size_t ahead_of(double t) const {
    if (both_sides) return ahead_among_many(t);
    std::size_t k = last();
    while (k > begin && time(k - 1) > t + tolerance) --k;
    return k;
  }
  /// The last sample not later than t, or the first one when all are later.
  std::size_t behind(double t) const {
    std::size_t k = last();
    while (k > begin && time(k) > t + tolerance) --k;
    return k;
  }

 private:
  /// The same by halving: the end of a whole window may be far ahead.
  std::size_t ahead_among_many(double t) const;
};

/// The consumer's step for which an input is being made.
struct ConsumerStep {
  double start = 0.0;                  ///< s
  double end = 0.0;                    ///< s
  double previous_start = 0.0;         ///< start of the consumer's step before this one; equals start at first
  const double* last_input = nullptr;  ///< input at the end of the step before, or null at first
};

/// How an input is made from samples at any time asked.
///
/// Contract for implementers:
///  1. `build` writes a polynomial that is right at time t and says for which stretch of time it
///     stays right (`from` <= t < `to`); it looks at nothing but its arguments, so that equal
///     arguments give equal bits.
///  2. It works on any grid, inside the samples (interpolation) and beyond them (extrapolation).
///  3. With fewer samples than it wants it lowers its order to what the samples allow; one sample
///     is always there. This start-up rule is the same for all approximations.
///  4. `points_behind` is the number of samples at or before the start of the consumer's step that
///     it may look at; older ones are forgotten.
///  5. `newest_points` n > 0 says that from the last sample on it is the polynomial through the newest n samples,
///     which a caller may build without this call (`newton_through`); where it `covers_intervals`, also between
///     samples, the one ahead of t being the newest, unless it takes samples from both sides.
///  6. `depends_on_step` is true when the polynomial depends on the consumer's step and not on the
///     samples alone; it is then built again for every step, once for the whole of it unless it is built
///     `piece_by_piece`.
///  7. It gets samples between which the signal does not jump, unless it `reaches_across_jumps`.
///  8. Where it `uses_both_sides`, a repeat gives it samples on both sides of t (`Samples::both_sides`), and it takes
///     as many ahead of t as behind, as far as there are. Else the first sample ahead is the last one it is given.
class Approximation : public recipe::Describable {
 public:
  virtual ~Approximation() = default;
  virtual void build(const Samples& samples, const ConsumerStep& step, double t, Polynomial& out) const = 0;
  virtual int points_behind() const = 0;
  virtual int newest_points() const { return 0; }
  virtual bool covers_intervals() const { return false; }
  virtual bool depends_on_step() const { return false; }
  virtual bool piece_by_piece() const { return !depends_on_step(); }
  virtual bool wants_derivatives() const { return false; }
  virtual bool looks_back_one_step() const { return false; }
  virtual bool reaches_across_jumps() const { return false; }
  virtual bool uses_both_sides() const { return false; }
  virtual std::string name() const = 0;
};

using ApproximationPointer = std::shared_ptr<const Approximation>;

enum class HoldSide { behind, ahead };
enum class MeanKind { arithmetic, time_weighted };

/// Zero order: the value behind t, or the value ahead of it where there is one.
ApproximationPointer make_hold(HoldSide side);
/// Polynomial of the given order (0 to 4) through the sample ahead of t and those before it.
ApproximationPointer make_lagrange(int order);
/// Cubic through two samples and their slopes; missing slopes come from divided differences.
ApproximationPointer make_hermite();
/// Cubic spline in repeats, which know samples on both sides; else the cubic through the newest four.
ApproximationPointer make_spline();
/// Expansion of the given order (0 to 4) about the nearest sample; derivatives as offered, else divided differences.
ApproximationPointer make_taylor(int order);
/// Polynomial of the given order (0 to 4) fitted to `points` samples.
ApproximationPointer make_least_squares(int order, int points);
/// The mean of the samples over the consumer's step (where they reach its middle at least) or its last one, held.
ApproximationPointer make_mean(MeanKind kind);
/// Lagrange polynomial of the order, `lowest` to `highest` (0 to 4), that would have predicted the newest samples best.
ApproximationPointer make_variable_order(int lowest, int highest);
/// Straight line from the input at the end of the last step to the value predicted for the end of this one.
ApproximationPointer make_transition(int order);

}  // namespace counterpoint
