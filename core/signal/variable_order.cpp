// Lagrange polynomial whose order is chosen anew: the one that would have predicted the newest samples best, as far
// ahead as is extrapolated now. A signal that jumps or carries noise gets a low order, a smooth one a high order.
// References: Günther et al. (2012), Fig. 14, for orders that are lowered where extrapolation misbehaves; Ben Khaled et
// al. (2014) and Eguillon et al. (2021) for choosing by what would have been predicted. Error as Lagrange's of the
// order chosen.

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

constexpr int tests = 3;                ///< newest samples that are predicted
constexpr std::size_t furthest = 12;    ///< samples that a prediction reaches ahead, at most
constexpr double worth_an_order = 0.8;  ///< a higher order has to make the prediction so much better

class VariableOrder final : public Approximation {
 public:
  VariableOrder(int lowest, int highest) : lowest_(lowest), highest_(highest) {
    check_order(lowest, "variable order");
    check_order(highest, "variable order");
    if (lowest <= highest) return;
    throw std::invalid_argument("variable order: lowest order " + std::to_string(lowest) +
                                " lies above the highest one, " + std::to_string(highest));
  }
  int points_behind() const override { return highest_ + 1 + tests + static_cast<int>(furthest); }
  bool depends_on_step() const override { return true; }  // on how far is extrapolated
  bool piece_by_piece() const override { return true; }
  bool uses_both_sides() const override { return highest_ > 1; }
  std::string name() const override {
    return "variable order " + std::to_string(lowest_) + " to " + std::to_string(highest_);
  }

  void build(const Samples& samples, const ConsumerStep& step, double t, Polynomial& out) const override {
    const std::size_t k = samples.ahead_of(t);
    // An order that changes from one repeat to the next would keep them from agreeing; nothing is extrapolated there.
    const int order = samples.both_sides ? highest_ : chosen(samples, k, step.end, out);
    const std::size_t newest = newest_around(samples, k, order + 1);
    newton_through(samples, newest, available(samples, newest, order + 1), out);
    cover_while_ahead(samples, k, out);
  }

 private:
  /// `scratch`: a polynomial of the right width.
  int chosen(const Samples& s, std::size_t newest, double until, Polynomial& scratch) const {
    const int at_first = std::max(lowest_, std::min(highest_, 1));
    const std::size_t distance = reach(s, newest, until);
    const int before = static_cast<int>(newest - s.begin) - static_cast<int>(distance);
    const int testable = std::min(highest_, before);  // higher orders become so as samples come
    if (testable < std::max(lowest_, 1)) return at_first;
    const int count = std::min(tests, before - testable + 1);
    int best = lowest_;
    double smallest = Polynomial::infinity;
    for (int order = lowest_; order <= testable; ++order) {
      const double found = prediction_error(s, newest, distance, order, count, scratch);
      if (!(found < worth_an_order * smallest)) continue;
      smallest = found;
      best = order;
    }
    return best;
  }

  /// How many samples ahead has to be predicted to come as far as the end of the step lies beyond the newest one; as
  /// far as samples for the highest order are left.
  std::size_t reach(const Samples& s, std::size_t newest, double until) const {
    const double length = until - s.time(newest) - s.tolerance;
    const std::size_t before = newest - s.begin, needed = static_cast<std::size_t>(highest_);
    const std::size_t most = before > needed ? std::min(before - needed, furthest) : 1;
    std::size_t count = 1;
    while (count < most && s.time(newest) - s.time(newest - count) < length) ++count;
    return count;
  }

  /// Sum of squares over the newest samples, `count` of them.
  static double prediction_error(const Samples& s, std::size_t newest, std::size_t distance, int order, int count,
                                 Polynomial& scratch) {
    std::vector<double> predicted(static_cast<std::size_t>(scratch.width));
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
      const std::size_t sample = newest - static_cast<std::size_t>(k);
      newton_through(s, sample - distance, order + 1, scratch);
      scratch.evaluate(s.time(sample), predicted.data());
      for (int j = 0; j < scratch.width; ++j) {
        const double error = predicted[static_cast<std::size_t>(j)] - s.value(sample)[j];
        sum += error * error;
      }
    }
    return sum;
  }

  int lowest_;
  int highest_;
};

}  // namespace

ApproximationPointer make_variable_order(int lowest, int highest) {
  return std::make_shared<VariableOrder>(lowest, highest);
}

}  // namespace counterpoint
