// PID controllers in continuous and discrete time.

#include "diagram/blocks/pid.hpp"
#include "numbers.hpp"

#include "diagram/blocks/sampling.hpp"

namespace counterpoint::diagram {

PidOptions PidOptions::from(ParameterReader& p) {
  PidOptions o{p.number("proportional", 1.0),
               p.number("integral", 0.0),
               p.number("derivative", 0.0),
               p.number("filter", 100.0),
               p.number("setpoint_weight", 1.0),
               p.number("derivative_weight", 1.0),
               Limits::from(p),
               AntiWindup::none,
               p.number("back_calculation_gain", 1.0),
               p.number("tracking_gain", 1.0),
               p.number("initial", 0.0),
               p.number("initial_filter", 0.0),
               p.flag("has_setpoint", false),
               p.flag("tracks", false),
               Reset::from(p)};
  const std::string word = p.word("anti_windup", {"none", "clamping", "back_calculation"}, "none");
  if (word == "clamping") o.anti_windup = AntiWindup::clamping;
  if (word == "back_calculation") o.anti_windup = AntiWindup::back_calculation;
  if (word != "none" && !o.limits.exist()) throw std::invalid_argument("\"anti_windup\": needs limits");
  for (double gain : {o.proportional, o.integral, o.derivative, o.back_gain, o.tracking_gain, o.initial}) {
    if (!std::isfinite(gain))
      throw std::invalid_argument("\"proportional\", \"integral\", \"derivative\" ...: must be finite");
  }
  if (!(o.filter > 0.0))
    throw std::invalid_argument("\"filter\": " + number_text(o.filter) + " 1/s; expected more than 0");
  return o;
}

std::vector<std::string> PidOptions::ports() const {
  std::vector<std::string> names =
      has_setpoint ? std::vector<std::string>{"setpoint", "measurement"} : std::vector<std::string>{"error"};
  if (reset.exists()) names.push_back("reset");
  if (tracks) names.push_back("tracking");
  return names;
}

bool PidOptions::passes(int input) const {
  if (input >= reset_port()) return false;
  if (has_setpoint && input == 0) return proportional * setpoint_weight != 0.0 || derivative * derivative_weight != 0.0;
  return proportional != 0.0 || derivative != 0.0;
}

void PidOptions::shape(const Block& block, Shape& shape) const {
  if (reset.exists() && shape.inputs[reset_port()] > 1)
    throw ShapeError("the reset signal must be a scalar", reset_port());
  block.Block::shape(shape);
}

PidInputs pid_inputs(const PidOptions& o, const Block::Memory& memory, int component) {
  const auto at = [&](int port) { return memory.in[port][memory.in_width[port] == 1 ? 0 : component]; };
  const double tracking = o.tracks ? at(o.tracking_port()) : 0.0;
  if (!o.has_setpoint) return {at(0), at(0), at(0), tracking};
  const double r = at(0), m = at(1);
  return {o.setpoint_weight * r - m, r - m, o.derivative_weight * r - m, tracking};
}

namespace {

/// States: the integral parts, then the filters of the derivative parts (if there is one).
///
/// Limits are located. Clamping: z has a mode per component: 0 within the limits, else the side on which v is outside
/// (its sign), 1 when the integral rests there, 2 when it moves back. v counts as outside from a little beyond the
/// limit on and as inside from the limit on: where integrating drives v out and resting lets it in, both would
/// alternate endlessly.
class Pid final : public Block {
 public:
  explicit Pid(const PidOptions& options)
      : Block(options.ports(), {"y"}),
        o_(options),
        clamps_(o_.anti_windup == AntiWindup::clamping),
        differentiates_(o_.derivative != 0.0),
        is_limited_(o_.limits.exist()) {
    const double range = o_.limits.upper - o_.limits.lower;
    const double finite = std::isfinite(o_.limits.upper) ? o_.limits.upper : o_.limits.lower;
    margin_ = 1e-4 * (std::isfinite(range) ? range : std::max(1.0, std::abs(finite)));
    if (differentiates_ && !std::isfinite(o_.filter)) {
      throw std::invalid_argument("\"filter\": must be finite; the derivative of continuous time needs one");
    }
  }

  void shape(Shape& shape) const override { o_.shape(*this, shape); }
  bool feedthrough(int input, int) const override { return o_.passes(input); }
  int states() const override { return width() * (differentiates_ ? 2 : 1); }
  int memory() const override { return o_.reset.memory() + (clamps_ ? width() : 0); }
  int crossings() const override {
    return (o_.reset.exists() ? 1 : 0) + (is_limited_ ? width() * (clamps_ ? 3 : 2) : 0);
  }
  bool updates() const override { return o_.reset.exists() || clamps_; }

  void start(const Context& context) override {
    std::fill_n(z(), memory(), 0.0);
    commit(context);
  }
  void commit(const Context&) override {
    std::fill_n(x(), width(), o_.initial);
    if (differentiates_) std::fill_n(x() + width(), width(), o_.initial_filter);
  }

  void output(const Context&, int) override {
    for (int i = 0; i < width(); ++i) out(0)[i] = o_.limits.clamp(unlimited(i, pid_inputs(o_, bound(), i)));
  }

  void derivative(const Context&) override {
    const bool rests = o_.reset.holds(z());
    for (int i = 0; i < width(); ++i) {
      const PidInputs u = pid_inputs(o_, bound(), i);
      const bool is_stopped = rests || (clamps_ && std::abs(mode(i)) == 1.0);
      double rate = integrand(i, u);
      if (o_.anti_windup == AntiWindup::back_calculation) {
        const double v = unlimited(i, u);
        rate += o_.back_gain * (o_.limits.clamp(v) - v);
      }
      dx()[i] = is_stopped ? 0.0 : rate;
      if (differentiates_) dx()[width() + i] = rests ? 0.0 : slope(i, u);
    }
  }

  bool update(const Context&) override {
    bool resets = false;
    if (o_.reset.exists()) {
      const double now = *in(o_.reset_port());
      resets = o_.reset.acts(z(), now) && !o_.reset.holds(z());
      Reset::note(z(), now);
    }
    for (int i = 0; clamps_ && i < width(); ++i) decide(i);
    return resets;
  }

  void crossing(const Context&, double* g) override {
    if (o_.reset.exists()) *g++ = *in(o_.reset_port());
    if (!is_limited_) return;
    for (int i = 0; i < width(); ++i) {
      const PidInputs u = pid_inputs(o_, bound(), i);
      const double v = unlimited(i, u);
      const double side = clamps_ ? mode(i) : 0.0;
      const double margin = clamps_ ? margin_ : 0.0;
      *g++ = side > 0.0 ? v - o_.limits.upper : o_.limits.upper + margin - v;
      *g++ = side < 0.0 ? o_.limits.lower - v : v - o_.limits.lower + margin;
      if (clamps_) *g++ = side != 0.0 ? integrand(i, u) : 1.0;
    }
  }

 private:
  int width() const { return out_width(0); }
  double& mode(int i) const { return z()[o_.reset.memory() + i]; }
  double slope(int i, const PidInputs& u) const {
    return o_.filter * (o_.derivative * u.derivative - x()[width() + i]);
  }
  double unlimited(int i, const PidInputs& u) const {
    return o_.proportional * u.proportional + x()[i] + (differentiates_ ? slope(i, u) : 0.0);
  }
  double integrand(int i, const PidInputs& u) const {
    const double rate = o_.integral * u.integral;
    return o_.tracks ? rate + o_.tracking_gain * (u.tracking - o_.limits.clamp(unlimited(i, u))) : rate;
  }
  void decide(int i) {
    const PidInputs u = pid_inputs(o_, bound(), i);
    const double v = unlimited(i, u), rate = integrand(i, u);
    double side = mode(i) > 0.0 ? 1.0 : mode(i) < 0.0 ? -1.0 : 0.0;
    if ((side > 0.0 && v <= o_.limits.upper) || (side < 0.0 && v >= o_.limits.lower)) side = 0.0;
    if (v >= o_.limits.upper + margin_) side = 1.0;
    if (v <= o_.limits.lower - margin_) side = -1.0;
    mode(i) = side * (side * rate > 0.0 ? 1.0 : 2.0);
  }

  PidOptions o_;
  bool clamps_, differentiates_, is_limited_;
  double margin_;
};

/// The derivative is filtered by backward Euler, which no filter makes unstable.
/// z: the reset's places; time of the last sample, whether there was one; four places a component (Kept).
class DiscretePid final : public SampledBlock {
 public:
  DiscretePid(const PidOptions& options, double weight, const SampleTime& rate)
      : SampledBlock(options.ports(), {"y"}, rate), o_(options), weight_(weight) {}

  void shape(Shape& shape) const override { o_.shape(*this, shape); }
  bool feedthrough(int input, int) const override {
    if (o_.reset.exists() && input == o_.reset_port()) return true;
    return o_.passes(input) || (weight_ > 0.0 && o_.integral != 0.0 && input < o_.reset_port());
  }
  int memory() const override { return o_.reset.memory() + 2 + 4 * out_width(0); }

  void start(const Context&) override {
    std::fill_n(z(), memory(), 0.0);
    for (int i = 0; i < out_width(0); ++i) {
      kept(i).integral = o_.initial;
      kept(i).derivative = o_.initial_filter;
      out(0)[i] = o_.limits.clamp(o_.initial);
    }
  }
  void output(const Context& context, int) override {
    for (int i = 0; i < out_width(0); ++i) out(0)[i] = o_.limits.clamp(sample(context, i).unlimited);
  }
  bool update(const Context& context) override {
    const double h = has_begun() ? elapsed(context, last()) : 0.0;
    for (int i = 0; i < out_width(0); ++i) {
      const PidInputs u = pid_inputs(o_, bound(), i);
      const Sample now = sample(context, i);
      const double y = o_.limits.clamp(now.unlimited);
      Kept& k = kept(i);
      k.integral = now.integral;
      if (o_.anti_windup == AntiWindup::back_calculation) k.integral += h * o_.back_gain * (y - now.unlimited);
      if (o_.tracks) k.integral += h * o_.tracking_gain * (u.tracking - y);
      k.integrand = o_.integral * u.integral;
      k.difference = u.derivative;
      k.derivative = now.derivative;
    }
    if (o_.reset.exists()) Reset::note(z(), *in(o_.reset_port()));
    last() = context.time;
    z()[o_.reset.memory() + 1] = 1.0;
    return false;
  }

 private:
  struct Kept {
    double integral, integrand, difference, derivative;
  };
  struct Sample {
    double integral, derivative, unlimited;
  };
  Kept& kept(int i) const { return reinterpret_cast<Kept*>(z() + o_.reset.memory() + 2)[i]; }
  double& last() const { return z()[o_.reset.memory()]; }
  bool has_begun() const { return z()[o_.reset.memory() + 1] != 0.0; }
  bool begins() const { return !has_begun() || (o_.reset.exists() && o_.reset.acts(z(), *in(o_.reset_port()))); }

  Sample sample(const Context& context, int i) const {
    const PidInputs u = pid_inputs(o_, bound(), i);
    Kept k = kept(i);
    const bool anew = begins();
    if (anew) k = {o_.initial, 0.0, 0.0, o_.initial_filter};
    const double h = elapsed(context, has_begun() ? last() : context.time);
    const double step = anew ? 0.0 : h * (weight_ * o_.integral * u.integral + (1.0 - weight_) * k.integrand);
    Sample now;
    now.derivative = derivative(k, u.derivative, h);
    const double rest = o_.proportional * u.proportional + now.derivative;
    now.integral = k.integral + step;
    const bool is_outside = o_.limits.clamp(rest + now.integral) != rest + now.integral;
    if (o_.anti_windup == AntiWindup::clamping && is_outside &&
        (rest + now.integral > o_.limits.upper) == (step > 0.0)) {
      now.integral = k.integral;
    }
    now.unlimited = rest + now.integral;
    return now;
  }
  double derivative(const Kept& k, double difference, double h) const {
    if (o_.derivative == 0.0) return 0.0;
    const double change = o_.derivative * (difference - k.difference);
    if (std::isfinite(o_.filter)) return (k.derivative + o_.filter * change) / (1.0 + o_.filter * h);
    return h > 0.0 ? change / h : 0.0;
  }

  PidOptions o_;
  double weight_;
};

}  // namespace

void add_pid(Registry& registry) {
  registry.add("pid", [](ParameterReader& p) { return std::make_shared<Pid>(PidOptions::from(p)); });
  registry.add("discrete_pid", [](ParameterReader& p) {
    const PidOptions options = PidOptions::from(p);
    const double weight = weight_of_present(p);
    return std::make_shared<DiscretePid>(options, weight, sample_time_from(p));
  });
}

}  // namespace counterpoint::diagram
