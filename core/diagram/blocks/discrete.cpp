// Blocks that run at samples, or at each trigger of the superblock they are in. Before the first sample an output has
// the value that `start` gave it.

#include "diagram/blocks/reset.hpp"
#include "diagram/blocks/sampling.hpp"
#include "diagram/blocks/values.hpp"

namespace counterpoint::diagram {
namespace {

/// y(k) = u(k - n); z: n values per component, and the place of the oldest.
class SampleDelay final : public SampledBlock {
 public:
  SampleDelay(int samples, std::vector<double> initial, const SampleTime& rate)
      : SampledBlock({"u"}, {"y"}, rate), samples_(samples), initial_(std::move(initial)) {}
  void shape(Shape& shape) const override { shape_with_initial(shape, initial_.size(), 0, "initial"); }
  bool feedthrough(int, int) const override { return false; }
  int memory() const override { return samples_ * out_width(0) + 1; }
  void start(const Context& context) override {
    z()[0] = 0.0;
    for (int k = 0; k < samples_; ++k) expand(initial_, 1, out_width(0), z() + 1 + k * out_width(0));
    output(context, 0);
  }
  void output(const Context&, int) override { std::copy_n(oldest(), out_width(0), out(0)); }
  bool update(const Context&) override {
    for (int i = 0; i < out_width(0); ++i) oldest()[i] = in(0)[in_width(0) == 1 ? 0 : i];
    z()[0] = z()[0] + 1.0 < samples_ ? z()[0] + 1.0 : 0.0;
    return false;
  }

 private:
  double* oldest() const { return z() + 1 + static_cast<int>(z()[0]) * out_width(0); }
  int samples_;
  std::vector<double> initial_;
};

/// y = u of the last sample; the memory of the output keeps it.
class ZeroOrderHold final : public SampledBlock {
 public:
  ZeroOrderHold(std::vector<double> initial, const SampleTime& rate)
      : SampledBlock({"u"}, {"y"}, rate), initial_(std::move(initial)) {}
  void shape(Shape& shape) const override { shape_with_initial(shape, initial_.size(), 0, "initial"); }
  bool updates() const override { return false; }
  void start(const Context&) override { expand(initial_, 1, out_width(0), out(0)); }
  void output(const Context&, int) override {
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = in(0)[in_width(0) == 1 ? 0 : i];
  }

 private:
  std::vector<double> initial_;
};

/// The line through the last two samples, continued. It runs between samples as well, so it counts them itself:
/// z: time of the start, number of the next sample, time of the last; value and slope per component.
class FirstOrderHold final : public Block {
 public:
  FirstOrderHold(std::vector<double> initial, SampleTime rate)
      : Block({"u"}, {"y"}), initial_(std::move(initial)), rate_(rate) {
    rate_.runs_between = true;
    if (rate_.period == 0.0) throw std::invalid_argument("\"sample_time\": is missing");
  }
  void shape(Shape& shape) const override { shape_with_initial(shape, initial_.size(), 0, "initial"); }
  SampleTime sample_time() const override { return rate_; }
  int memory() const override { return 3 + 2 * out_width(0); }
  void start(const Context& context) override {
    std::fill_n(z(), memory(), 0.0);
    z()[0] = z()[2] = context.time;
    expand(initial_, 1, out_width(0), value());
  }
  void output(const Context& context, int) override {
    if (context.is_major) sample(context.time);
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = value()[i] + slope()[i] * (context.time - z()[2]);
  }

 private:
  double* value() const { return z() + 3; }
  double* slope() const { return z() + 3 + out_width(0); }
  /// Samples may have been missed while the superblock around was not enabled.
  void sample(double t) {
    const double periods = (t - z()[0] - rate_.offset) / rate_.period;
    const double number = std::round(periods);
    if (number < z()[1] || std::abs(periods - number) > 2e-9 * std::max(1.0, std::abs(number))) return;
    const bool is_first = z()[1] == 0.0;
    for (int i = 0; i < out_width(0); ++i) {
      const double now = in(0)[in_width(0) == 1 ? 0 : i];
      slope()[i] = is_first ? 0.0 : (now - value()[i]) / (t - z()[2]);
      value()[i] = now;
    }
    z()[1] = number + 1.0;
    z()[2] = t;
  }
  std::vector<double> initial_;
  SampleTime rate_;
};

/// y(k) = y(k-1) + K h (w u(k) + (1 - w) u(k-1)), y(0) the initial value; h: the period, or the time since the last
/// trigger. z: the reset's places; time of the last sample, whether there was one; y and u of the last sample, a
/// component.
class DiscreteIntegrator final : public SampledBlock {
 public:
  DiscreteIntegrator(std::vector<double> initial, double gain, double weight, const Limits& limits, const Reset& reset,
                     const SampleTime& rate)
      : SampledBlock(reset.exists() ? std::vector<std::string>{"u", "reset"} : std::vector<std::string>{"u"}, {"y"},
                     rate),
        initial_(std::move(initial)),
        gain_(gain),
        weight_(weight),
        limits_(limits),
        reset_(reset) {}
  void shape(Shape& shape) const override {
    shape_with_initial(shape, initial_.size(), 0, "initial");
    if (reset_.exists() && shape.inputs[1] > 1) throw ShapeError("the reset signal must be a scalar", 1);
  }
  bool feedthrough(int input, int) const override { return input == 1 || weight_ > 0.0; }
  int memory() const override { return reset_.memory() + 2 + 2 * out_width(0); }
  void start(const Context&) override {
    std::fill_n(z(), memory(), 0.0);
    expand(initial_, 1, out_width(0), y());
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = y()[i] = limits_.clamp(y()[i]);
  }
  void output(const Context& context, int) override {
    if (!has_begun() || (reset_.exists() && reset_.acts(z(), *in(1)))) {
      expand(initial_, 1, out_width(0), out(0));
    } else {
      const double h = gain_ * elapsed(context, last());
      for (int i = 0; i < out_width(0); ++i) {
        // The present input may not be there yet when it does not count.
        const double present = weight_ > 0.0 ? weight_ * now(i) : 0.0;
        out(0)[i] = y()[i] + h * (present + (1.0 - weight_) * u()[i]);
      }
    }
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = limits_.clamp(out(0)[i]);
  }
  bool update(const Context& context) override {
    for (int i = 0; i < out_width(0); ++i) {
      y()[i] = out(0)[i];
      u()[i] = now(i);
    }
    if (reset_.exists()) Reset::note(z(), *in(1));
    last() = context.time;
    z()[reset_.memory() + 1] = 1.0;
    return false;
  }

 private:
  double now(int i) const { return in(0)[in_width(0) == 1 ? 0 : i]; }
  double& last() const { return z()[reset_.memory()]; }
  bool has_begun() const { return z()[reset_.memory() + 1] != 0.0; }
  double* y() const { return z() + reset_.memory() + 2; }
  double* u() const { return y() + out_width(0); }

  std::vector<double> initial_;
  double gain_, weight_;
  Limits limits_;
  Reset reset_;
};

/// y = (u(k) - u(k-1)) / h. z: time of the last sample, whether there was one; u of the last sample, a component.
class DiscreteDerivative final : public SampledBlock {
 public:
  DiscreteDerivative(double gain, const SampleTime& rate) : SampledBlock({"u"}, {"y"}, rate), gain_(gain) {}
  int memory() const override { return 2 + out_width(0); }
  void start(const Context&) override { std::fill_n(z(), memory(), 0.0); }
  void output(const Context& context, int) override {
    const double h = elapsed(context, z()[0]);
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = z()[1] != 0.0 ? gain_ * (in(0)[i] - z()[2 + i]) / h : 0.0;
  }
  bool update(const Context& context) override {
    z()[0] = context.time;
    z()[1] = 1.0;
    std::copy_n(in(0), out_width(0), z() + 2);
    return false;
  }

 private:
  double gain_;
};

/// Counts samples or triggers: initial, initial + increment, ...; after `maximum` from the beginning. z: count, reset's
/// places.
class Counter final : public SampledBlock {
 public:
  Counter(double initial, double increment, double maximum, const Reset& reset, const SampleTime& rate)
      : SampledBlock(reset.exists() ? std::vector<std::string>{"reset"} : std::vector<std::string>{}, {"y"}, rate),
        initial_(initial),
        increment_(increment),
        maximum_(maximum),
        reset_(reset) {}
  void shape(Shape& shape) const override {
    shape.outputs[0] = 1;
    if (reset_.exists() && shape.inputs[0] > 1) throw ShapeError("the reset signal must be a scalar", 0);
  }
  int memory() const override { return 1 + reset_.memory(); }
  void start(const Context&) override {
    std::fill_n(z(), memory(), 0.0);
    z()[0] = *out(0) = initial_;
  }
  void output(const Context&, int) override {
    *out(0) = reset_.exists() && reset_.acts(z() + 1, *in(0)) ? initial_ : z()[0];
  }
  bool update(const Context&) override {
    z()[0] = *out(0) + increment_;
    const bool is_past = increment_ > 0.0 ? z()[0] > maximum_ : z()[0] < maximum_;
    if (is_past) z()[0] = initial_;
    if (reset_.exists()) Reset::note(z() + 1, *in(0));
    return false;
  }

 private:
  double initial_, increment_, maximum_;
  Reset reset_;
};

BlockPointer make_integer_delay(ParameterReader& p) {
  const int samples = p.integer("samples", 1);
  if (samples < 1) throw std::invalid_argument("\"samples\": " + std::to_string(samples) + "; expected 1 or more");
  return std::make_shared<SampleDelay>(samples, initial_from(p), sample_time_from(p));
}

BlockPointer make_discrete_integrator(ParameterReader& p) {
  return std::make_shared<DiscreteIntegrator>(initial_from(p), p.number("gain", 1.0), weight_of_present(p),
                                              Limits::from(p), Reset::from(p), sample_time_from(p));
}

BlockPointer make_counter(ParameterReader& p) {
  const double increment = p.number("increment", 1.0);
  if (increment == 0.0 || !std::isfinite(increment))
    throw std::invalid_argument("\"increment\": must be finite and not 0");
  return std::make_shared<Counter>(p.number("initial", 0.0), increment,
                                   p.number("maximum", increment > 0.0 ? infinity : -infinity), Reset::from(p),
                                   sample_time_from(p));
}

}  // namespace

void add_discrete(Registry& registry) {
  registry.add("unit_delay", [](ParameterReader& p) {
    return std::make_shared<SampleDelay>(1, initial_from(p), sample_time_from(p));
  });
  registry.add("integer_delay", make_integer_delay);
  registry.add("zero_order_hold", [](ParameterReader& p) {
    return std::make_shared<ZeroOrderHold>(initial_from(p), sample_time_from(p));
  });
  registry.add("first_order_hold", [](ParameterReader& p) {
    return std::make_shared<FirstOrderHold>(initial_from(p), sample_time_from(p));
  });
  registry.add("discrete_integrator", make_discrete_integrator);
  registry.add("discrete_derivative", [](ParameterReader& p) {
    return std::make_shared<DiscreteDerivative>(p.number("gain", 1.0), sample_time_from(p));
  });
  registry.add("counter", make_counter);
}

}  // namespace counterpoint::diagram
