// Blocks with continuous states.

#include <algorithm>

#include "diagram/blocks/edge.hpp"

namespace counterpoint::diagram {
namespace {

/// dx/dt = u, y = x.
///
/// With a reset port the state becomes the initial value when the reset signal fires. The signals of that very instant
/// still show the state before, so that others can read it; then it is evaluated again.
class Integrator final : public Block {
 public:
  Integrator(std::vector<double> initial, std::vector<std::string> ports, Edge edge)
      : Block(std::move(ports), {"y"}), initial_(std::move(initial)), edge_(edge), resets_(inputs() > 1) {}

  void shape(Shape& shape) const override {
    shape.outputs[0] = static_cast<int>(initial_.size());
    if (shape.inputs[0] > 1 && shape.inputs[0] != shape.outputs[0]) {
      throw ShapeError("the initial value has width " + std::to_string(initial_.size()), 0);
    }
    if (resets_ && shape.inputs[1] > 1) throw ShapeError("the reset signal must be a scalar", 1);
  }
  bool feedthrough(int, int) const override { return false; }
  int states() const override { return static_cast<int>(initial_.size()); }
  /// With reset: the reset signal at the last instant, and whether there was one.
  int memory() const override { return resets_ ? 2 : 0; }
  int crossings() const override { return resets_ ? 1 : 0; }
  bool updates() const override { return resets_; }
  bool output_is_state(int) const override { return true; }
  bool derivative_is_input() const override { return in_width(0) == states(); }

  void start(const Context&) override {
    std::copy(initial_.begin(), initial_.end(), x());
  }
  void output(const Context&, int) override {}
  void derivative(const Context&) override { std::fill_n(dx(), states(), *in(0)); }
  bool update(const Context&) override {
    const double now = *in(1);
    const bool resets = z()[1] != 0.0 && fires(edge_, z()[0], now);
    z()[0] = now;
    z()[1] = 1.0;
    return resets;
  }
  void commit(const Context&) override { std::copy(initial_.begin(), initial_.end(), x()); }
  void crossing(const Context&, double* g) override { *g = *in(1); }

 private:
  std::vector<double> initial_;
  Edge edge_;
  bool resets_;
};

BlockPointer make_integrator(Reader& p) {
  std::vector<std::string> ports{"u"};
  const std::string reset = p.word("reset", {"none", "rising", "falling", "either"}, "none");
  if (reset != "none") ports.push_back("reset");
  std::vector<double> initial = p.vector("initial", {0.0});
  if (initial.empty()) throw std::invalid_argument("\"initial\": at least one number is needed");
  return std::make_shared<Integrator>(std::move(initial), std::move(ports), edge_from(reset));
}

}  // namespace

void add_continuous(Registry& registry) { registry.add("integrator", make_integrator); }

}  // namespace counterpoint::diagram
