// Sources: signals that depend on time alone. Jumps are known in advance, so that a step ends at each of them.

#include <cmath>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {
namespace {

/// Output `y`, width from the parameters.
class SourceBlock : public Block {
 public:
  explicit SourceBlock(int width) : Block({}, {"y"}), width_(width) {}
  void shape(Shape& shape) const override { shape.outputs[0] = width_; }

 protected:
  int width_;
};

class Constant final : public SourceBlock {
 public:
  explicit Constant(std::vector<double> value) : SourceBlock(static_cast<int>(value.size())), value_(std::move(value)) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override { std::copy(value_.begin(), value_.end(), out(0)); }

 private:
  std::vector<double> value_;
};

/// `before` until `time`, `after` from then on.
class StepSource final : public SourceBlock {
 public:
  StepSource(double time, double before, double after)
      : SourceBlock(1), time_(time), before_(before), after_(after) {}
  int memory() const override { return 1; }
  double next_event(double t) const override { return t < time_ ? time_ : infinity; }
  void output(const Context& context, int) override {
    if (context.decides()) *z() = context.time >= time_ ? 1.0 : 0.0;
    *out(0) = *z() != 0.0 ? after_ : before_;
  }

 private:
  double time_, before_, after_;
};

class Sine final : public SourceBlock {
 public:
  Sine(double amplitude, double frequency, double phase, double bias)
      : SourceBlock(1), amplitude_(amplitude), frequency_(frequency), phase_(phase), bias_(bias) {}
  void output(const Context& context, int) override {
    *out(0) = bias_ + amplitude_ * std::sin(frequency_ * context.time + phase_);
  }

 private:
  double amplitude_, frequency_, phase_, bias_;
};

}  // namespace

void add_sources(Registry& registry) {
  registry.add("constant", [](Reader& p) { return std::make_shared<Constant>(p.vector("value")); });
  registry.add("step", [](Reader& p) {
    return std::make_shared<StepSource>(p.number("time"), p.number("before", 0.0), p.number("after", 1.0));
  });
  registry.add("sine", [](Reader& p) {
    return std::make_shared<Sine>(p.number("amplitude", 1.0), p.number("frequency"), p.number("phase", 0.0),
                                  p.number("bias", 0.0));
  });
}

}  // namespace counterpoint::diagram
