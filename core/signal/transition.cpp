// Transition: the input stays continuous. It runs in a straight line from the value it had at the
// end of the consumer's last step to the value that a polynomial of the given order predicts (or
// interpolates) for the end of this one. Reference: Günther et al. (2012), first-order transition.

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

class Transition final : public Approximation {
 public:
  explicit Transition(int order) : order_(order) { check_order(order, "transition"); }
  int points_behind() const override { return order_ + 1; }
  bool depends_on_step() const override { return true; }
  std::string name() const override { return "transition " + std::to_string(order_); }

  void build(const Samples& samples, const ConsumerStep& step, double, Polynomial& out) const override {
    const std::size_t k = samples.ahead_of(step.end);
    newton_through(samples, k, available(samples, k, order_ + 1), out);
    out.from = -Polynomial::infinity;
    out.to = Polynomial::infinity;
    if (step.last_input == nullptr || step.end <= step.start) return;
    for (int j = 0; j < out.width; ++j) {
      double target = out.coefficient(out.degree)[j];
      for (int d = out.degree - 1; d >= 0; --d) {
        target = target * (step.end - out.nodes[d]) + out.coefficient(d)[j];
      }
      out.coefficient(0)[j] = step.last_input[j];
      out.coefficient(1)[j] = (target - step.last_input[j]) / (step.end - step.start);
    }
    out.degree = 1;
    out.nodes[0] = step.start;
  }

 private:
  int order_;
};

}  // namespace

ApproximationPointer make_transition(int order) { return std::make_shared<Transition>(order); }

}  // namespace counterpoint
