// Least-squares polynomial of order P through N > P + 1 samples ending with the one ahead of t.
// Reference: González et al. (2010), section 3.4: it filters the stiff changes of the slow signal
// when the steps differ by much. Error O(H^(P+1)), a larger constant than Lagrange's.

#include <algorithm>
#include <stdexcept>

#include "linear/decompositions.hpp"
#include "signal/newton.hpp"

namespace counterpoint {
namespace {

class LeastSquares final : public Approximation {
 public:
  LeastSquares(int order, int points) : order_(order), points_(points) {
    check_order(order, "least squares");
    if (points < order + 1 || points > 64) {
      throw std::invalid_argument("least squares: " + std::to_string(points) + " points; order " +
                                  std::to_string(order) + " needs " + std::to_string(order + 1) + " to 64");
    }
  }
  int points_behind() const override { return points_; }
  bool uses_both_sides() const override { return points_ > 2; }
  std::string name() const override {
    return "least squares " + std::to_string(order_) + " on " + std::to_string(points_);
  }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    const std::size_t ahead = samples.ahead_of(t);
    const std::size_t k = newest_around(samples, ahead, points_);
    cover_while_ahead(samples, ahead, out);
    const int points = available(samples, k, points_);
    const int degree = std::min(order_, points - 1);
    if (degree == points - 1) return newton_through(samples, k, points, out);
    fit(samples, k, points, degree, out);
  }

 private:
  static void fit(const Samples& s, std::size_t newest, int points, int degree, Polynomial& out) {
    const double centre = 0.5 * (s.time(newest) + s.time(newest - points + 1));
    const double scale = 0.5 * (s.time(newest) - s.time(newest - points + 1));
    Eigen::MatrixXd basis(points, degree + 1);
    Eigen::MatrixXd values(points, out.width);
    for (int i = 0; i < points; ++i) {
      const double x = (s.time(newest - i) - centre) / scale;
      basis(i, 0) = 1.0;
      for (int d = 1; d <= degree; ++d) basis(i, d) = basis(i, d - 1) * x;
      for (int j = 0; j < out.width; ++j) values(i, j) = s.value(newest - i)[j];
    }
    const Eigen::MatrixXd solution = linear::least_squares(basis, values);
    out.degree = degree;
    std::fill_n(out.nodes.begin(), degree, centre);
    double power = 1.0;
    for (int d = 0; d <= degree; ++d, power *= scale) {
      for (int j = 0; j < out.width; ++j) out.coefficient(d)[j] = solution(d, j) / power;
    }
  }

  int order_;
  int points_;
};

}  // namespace

ApproximationPointer make_least_squares(int order, int points) { return std::make_shared<LeastSquares>(order, points); }

}  // namespace counterpoint
