#pragma once

#include <memory>
#include <string>

#include "recipe/origin.hpp"
#include "signal/history.hpp"
#include "signal/polynomial.hpp"

namespace counterpoint {

/// The samples behind one input, frozen for one step: a range of a history and the columns of the connected output.
struct Samples {
  const History* history = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< one past the last sample that may be used
  int column = 0;
  int width = 1;
  double tolerance = 0.0;                      ///< times closer than this are the same time
  std::size_t ends_before = History::nowhere;  ///< this sample is read as it was just before it jumped (smooth_stretch)
  bool both_sides = false;                     ///< samples further ahead are final: stencils may be centred (repeats)

  std::size_t count() const { return end - begin; }
  std::size_t last() const { return end - 1; }
  double time(std::size_t k) const { return history->time(k); }
  const double* value(std::size_t k) const {
    return (k == ends_before ? history->before_jump(k) : history->value(k)) + column;
  }
  const double* derivative(std::size_t k) const { return history->derivative(k) + column; }
  /// Derivatives just before a jump are not known.
  bool has_derivative(std::size_t k) const { return history->has_derivatives() && k != ends_before; }
  bool has_derivatives() const { return history->has_derivatives() && ends_before == History::nowhere; }

  /// The signal just before it jumped at sample k; null if it did not jump.
  const double* before_jump(std::size_t k) const;

  /// The closest sample strictly later than t, or the last sample if there is none.
  std::size_t ahead_of(double t) const {
    if (both_sides) return ahead_among_many(t);
    std::size_t k = last();
    while (k > begin && time(k - 1) > t + tolerance) --k;
    return k;
  }
  /// The last sample not later than t, or the first sample if all are later.
  std::size_t behind(double t) const {
    std::size_t k = last();
    while (k > begin && time(k) > t + tolerance) --k;
    return k;
  }

 private:
  /// The same by bisection: the end of a window may be far ahead.
  std::size_t ahead_among_many(double t) const;
};

/// The consumer's step for which an input is computed.
struct ConsumerStep {
  double start = 0.0;                  ///< s
  double end = 0.0;                    ///< s
  double previous_start = 0.0;         ///< start of the consumer's previous step; at first equal to start
  const double* last_input = nullptr;  ///< input at the end of the previous step; null at first
};

/// How an input is computed from samples at any given time.
///
/// Contract for implementers:
///  1. `build` writes a polynomial that is valid at time t, and the time span in which it stays valid (`from` <= t <
///     `to`). It uses nothing but its arguments, so that equal arguments give equal bits.
///  2. It works on any grid, between samples (interpolation) and beyond them (extrapolation).
///  3. If there are fewer samples than it needs, it lowers its order; there is always at least one sample. This
///  start-up
///     rule is the same for all approximations.
///  4. `points_behind` is the largest number of samples that it uses at or before the start of the consumer's step;
///     older ones are deleted.
///  5. `newest_points` n > 0: beyond the last sample it is the polynomial through the newest n samples, which a caller
///     may build without this call (`newton_through`). If it also `covers_intervals`, the same holds between samples,
///     where the newest one is the sample ahead of t, unless it takes samples from both sides.
///  6. `depends_on_step`: the polynomial depends on the consumer's step and not on the samples alone. It is then built
///     again for every step: once for the whole step, unless it is built `piece_by_piece`.
///  7. The signal does not jump between the samples that it gets, unless it `reaches_across_jumps`.
///  8. `uses_both_sides`: in a repeat it gets samples on both sides of t (`Samples::both_sides`) and uses as many ahead
///     of t as behind, if they exist. Otherwise the first sample ahead of t is the last one that it gets.
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

/// Order 0: the value of the sample behind t, or of the sample ahead of it if there is one.
ApproximationPointer make_hold(HoldSide side);
/// Polynomial of the given order (0 to 4) through the sample ahead of t and those before it.
ApproximationPointer make_lagrange(int order);
/// Cubic through two samples and their slopes; missing slopes are computed from divided differences.
ApproximationPointer make_hermite();
/// Cubic spline in repeats, where samples on both sides are known; otherwise the cubic through the newest four.
ApproximationPointer make_spline();
/// Expansion of the given order (0 to 4) about the nearest sample; derivatives of the source, or divided differences.
ApproximationPointer make_taylor(int order);
/// Polynomial of the given order (0 to 4) fitted to `points` samples.
ApproximationPointer make_least_squares(int order, int points);
/// The mean of the samples over the consumer's step if they reach at least its middle; otherwise over its last step.
ApproximationPointer make_mean(MeanKind kind);
/// Lagrange polynomial of the order, `lowest` to `highest` (0 to 4), that would have predicted the newest samples best.
ApproximationPointer make_variable_order(int lowest, int highest);
/// Straight line from the input at the end of the last step to the value predicted for the end of this one.
ApproximationPointer make_transition(int order);

}  // namespace counterpoint
