// The integrator, with reset, external initial value and limits.

#include "diagram/blocks/reset.hpp"
#include "diagram/blocks/values.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

struct IntegratorOptions {
  std::vector<double> initial;
  Reset reset;
  bool initial_is_input;
  Limits limits;
  bool shows_saturation;
};

std::vector<std::string> integrator_inputs(const IntegratorOptions& options) {
  std::vector<std::string> ports{"u"};
  if (options.reset.exists()) ports.push_back("reset");
  if (options.initial_is_input) ports.push_back("initial");
  return ports;
}

std::vector<std::string> integrator_outputs(const IntegratorOptions& options) {
  return options.shows_saturation ? std::vector<std::string>{"y", "saturated"} : std::vector<std::string>{"y"};
}

/// dx/dt = u, y = x.
///
/// Reset: the state becomes the initial value when the reset signal fires. The signals of that very instant
/// still show the state before, so that others can read it; then it is evaluated again.
///
/// An initial value that is a signal is taken at the start as well, and is there in the first evaluation. Where the
/// signal itself depends on the state (a ball that leaves the floor with a share of its speed) it has no value before
/// the state has one: the state begins with the parameter.
///
/// Limits: a component that reaches one stays there as long as its input points outwards; both ends of that stretch
/// are located. Mode of a component, in z: 0 free, 1 at the upper, -1 at the lower limit.
///
/// z: the reset's places, whether the initial value was taken (if it is an input), a mode a component (with limits).
class Integrator final : public Block {
 public:
  explicit Integrator(const IntegratorOptions& o)
      : Block(integrator_inputs(o), integrator_outputs(o)),
        o_(o),
        initial_port_(o.initial_is_input ? inputs() - 1 : -1),
        is_limited_(o.limits.exist()),
        is_plain_(!is_limited_ && !o.initial_is_input && !o.reset.is_level()) {}

  void shape(Shape& shape) const override {
    shape_with_initial(shape, o_.initial.size(), 0, "initial");
    if (initial_port_ >= 0 && shape.inputs[initial_port_] > 1) {
      shape_with_initial(shape, shape.inputs[initial_port_], 0, "initial");
    }
    if (outputs() > 1) shape.outputs[1] = shape.outputs[0];
    if (o_.reset.exists() && shape.inputs[1] > 1) throw ShapeError("the reset signal must be a scalar", 1);
  }
  bool feedthrough(int input, int output) const override {
    return output == 0 && input == initial_port_ && o_.reset.is_level();
  }
  bool prefers_after(int input, int output) const override { return output == 0 && input == initial_port_; }
  void order_given_up() override { begins_with_parameter_ = true; }
  int states() const override { return out_width(0); }
  int memory() const override {
    return o_.reset.memory() + (o_.initial_is_input ? 1 : 0) + (is_limited_ ? states() : 0);
  }
  int crossings() const override { return (o_.reset.exists() ? 1 : 0) + (is_limited_ ? 2 * states() : 0); }
  bool updates() const override { return o_.reset.exists() || o_.initial_is_input || is_limited_; }
  bool output_is_state(int port) const override { return is_plain_ && port == 0; }
  bool derivative_is_input() const override { return is_plain_ && in_width(0) == states(); }

  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    next_.resize(states());
    if (!z()) return;
    begun_ = z() + o_.reset.memory();
    mode_ = begun_ + (o_.initial_is_input ? 1 : 0);
  }

  void start(const Context&) override {
    expand(o_.initial, 1, states(), x());
    std::fill_n(z(), memory(), 0.0);
    if (begins_with_parameter_) *begun_ = 1.0;
  }

  void output(const Context&, int port) override {
    if (outputs() > 1) std::copy_n(mode_, states(), out(1));
    if (port == 1) return;
    const bool takes_initial = initial_port_ >= 0 && (*begun_ == 0.0 || o_.reset.holds(z()));
    for (int i = 0; i < states(); ++i) out(0)[i] = o_.limits.clamp(takes_initial ? initial(i) : x()[i]);
  }

  void derivative(const Context& context) override {
    const bool rests = o_.reset.holds(z());
    for (int i = 0; i < states(); ++i) dx()[i] = rests || is_stuck(context, i) ? 0.0 : u(i);
  }

  bool update(const Context&) override {
    bool begins = false;
    if (o_.initial_is_input) {
      begins = *begun_ == 0.0;
      *begun_ = 1.0;
    }
    if (o_.reset.exists()) {
      begins = begins || o_.reset.acts(z(), *in(1)) || o_.reset.holds(z());
      Reset::note(z(), *in(1));
    }
    bool changes = false;
    for (int i = 0; i < states(); ++i) {
      next_[i] = o_.limits.clamp(begins ? initial(i) : x()[i]);
      changes = changes || next_[i] != x()[i];
      if (is_limited_) changes = decide(i) || changes;
    }
    return changes;
  }
  void commit(const Context&) override { std::copy(next_.begin(), next_.end(), x()); }

  void crossing(const Context&, double* g) override {
    if (o_.reset.exists()) *g++ = *in(1);
    if (!is_limited_) return;
    for (int i = 0; i < states(); ++i) {
      *g++ = mode_[i] > 0.0 ? u(i) : o_.limits.upper - x()[i];
      *g++ = mode_[i] < 0.0 ? -u(i) : x()[i] - o_.limits.lower;
    }
  }

 private:
  double u(int i) const { return in(0)[in_width(0) == 1 ? 0 : i]; }
  double initial(int i) const {
    if (initial_port_ < 0) return o_.initial[o_.initial.size() == 1 ? 0 : i];
    return in(initial_port_)[in_width(initial_port_) == 1 ? 0 : i];
  }
  int limit_pushed(int i, double value) const {
    return value >= o_.limits.upper && u(i) > 0.0 ? 1 : value <= o_.limits.lower && u(i) < 0.0 ? -1 : 0;
  }
  bool is_stuck(const Context& context, int i) const {
    if (!is_limited_) return false;
    return context.locates ? mode_[i] != 0.0 : limit_pushed(i, x()[i]) != 0;
  }
  bool decide(int i) {
    const double before = mode_[i];
    mode_[i] = limit_pushed(i, next_[i]);
    return mode_[i] != before;
  }

  IntegratorOptions o_;
  int initial_port_;
  bool is_limited_;
  bool is_plain_;
  bool begins_with_parameter_ = false;
  double* begun_ = nullptr;
  double* mode_ = nullptr;
  std::vector<double> next_;
};

BlockPointer make_integrator(ParameterReader& p) {
  IntegratorOptions options{initial_from(p), Reset::from(p), p.flag("initial_is_input", false), Limits::from(p),
                            p.flag("show_saturation", false)};
  for (double value : options.initial) {
    if (options.initial_is_input || options.limits.clamp(value) == value) continue;
    Text text;
    text << "\"initial\": " << value << " is outside of the limits (" << options.limits.lower << ", "
         << options.limits.upper << ")";
    throw std::invalid_argument(text.str());
  }
  if (options.shows_saturation && !options.limits.exist()) {
    throw std::invalid_argument("\"show_saturation\": needs limits");
  }
  return std::make_shared<Integrator>(options);
}

}  // namespace

void add_continuous(Registry& registry) { registry.add("integrator", make_integrator); }

}  // namespace counterpoint::diagram
