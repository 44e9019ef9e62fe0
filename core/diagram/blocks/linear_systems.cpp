// Linear systems in continuous time: rational transfer functions (chains of sections) and state space.

#include "diagram/blocks/linear_system.hpp"
#include "diagram/blocks/sections.hpp"
#include "diagram/blocks/values.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

/// Transfer functions one after another, for each component of the input by itself.
class SectionChain final : public Block {
 public:
  SectionChain(std::vector<Section> sections, std::vector<double> initial)
      : Block({"u"}, {"y"}), sections_(std::move(sections)), initial_(std::move(initial)) {
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      order_ += sections_[k].order();
      if (sections_[k].d == 0.0) {
        first_of_output_ = k;
        offset_of_output_ = order_ - sections_[k].order();
        passes_ = false;
      }
    }
    const int given = static_cast<int>(initial_.size());
    if (given != 1 && (order_ == 0 || given % order_ != 0)) {
      throw std::invalid_argument("\"initial\": " + std::to_string(given) + " values for " + std::to_string(order_) +
                                  " states");
    }
  }
  void shape(Shape& shape) const override {
    shape_with_initial(shape, order_ > 0 ? initial_.size() / order_ : 1, 0, "initial");
  }
  bool feedthrough(int, int) const override { return passes_; }
  bool is_pure() const override { return order_ == 0; }
  int states() const override { return order_ * out_width(0); }
  void start(const Context&) override { expand(initial_, order_, out_width(0), x()); }

  void output(const Context&, int) override {
    for (int e = 0; e < out_width(0); ++e) {
      const double* x = this->x() + e * order_ + offset_of_output_;
      double signal = passes_ ? u(e) : 0.0;
      for (std::size_t k = first_of_output_; k < sections_.size(); ++k) {
        signal = through(sections_[k], x, signal);
        x += sections_[k].order();
      }
      out(0)[e] = signal;
    }
  }

  void derivative(const Context&) override {
    for (int e = 0; e < out_width(0); ++e) {
      const double* x = this->x() + e * order_;
      double* dx = this->dx() + e * order_;
      double signal = u(e);
      for (const Section& section : sections_) {
        const int n = section.order();
        double last = section.g * signal;
        for (int k = 0; k < n; ++k) last -= section.a[k] * x[k];
        for (int k = 0; k + 1 < n; ++k) dx[k] = x[k + 1];
        if (n > 0) dx[n - 1] = last;
        signal = through(section, x, signal);
        x += n;
        dx += n;
      }
    }
  }

 private:
  double u(int e) const { return in(0)[in_width(0) == 1 ? 0 : e]; }
  static double through(const Section& section, const double* x, double signal) {
    double y = section.d * signal;
    for (int k = 0; k < section.order(); ++k) y += section.c[k] * x[k];
    return y;
  }

  std::vector<Section> sections_;
  std::vector<double> initial_;
  int order_ = 0;
  bool passes_ = true;               ///< the input reaches the output in the same instant
  std::size_t first_of_output_ = 0;  ///< first section that the output needs: the last one that does not pass its input
  int offset_of_output_ = 0;         ///< its states
};

/// dx/dt = A x + B u, y = C x + D u.
class StateSpace final : public Block {
 public:
  explicit StateSpace(const LinearSystem& system)
      : Block(system.input_ports, system.output_ports), system_(system), ports_(system_) {}
  void shape(Shape& shape) const override { system_.shape(shape); }
  bool feedthrough(int input, int output) const override { return system_.feedthrough(input, output); }
  int states() const override { return system_.states; }
  void start(const Context&) override { std::copy(system_.initial.begin(), system_.initial.end(), x()); }
  void output(const Context&, int port) override { ports_.output(bound(), x(), port); }
  void derivative(const Context&) override {
    std::fill_n(dx(), system_.states, 0.0);
    system_.a.add_product(x(), dx());
    system_.b.add_product(ports_.gather(bound()), dx());
  }

 private:
  LinearSystem system_;
  LinearPorts ports_;
};

BlockPointer chain(ParameterReader& p, std::vector<Section> sections) {
  return std::make_shared<SectionChain>(std::move(sections), initial_from(p));
}

double positive(ParameterReader& p, const std::string& name) {
  const double value = p.number(name);
  if (value > 0.0) return value;
  Text text;
  text << "\"" << name << "\": " << value << "; expected a number greater than 0";
  throw std::invalid_argument(text.str());
}

std::vector<std::complex<double>> roots_from(ParameterReader& p, const std::string& name) {
  std::vector<std::complex<double>> roots;
  const std::vector<double> values = p.vector(name, {});
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) roots.emplace_back(values[i], values[i + 1]);
  return roots;
}

/// States are the output and its rate, so that initial values have a meaning.
BlockPointer make_second_order(ParameterReader& p) {
  const double frequency = positive(p, "frequency");
  const double square = frequency * frequency;
  return chain(p, {{{square, 2.0 * p.number("damping") * frequency}, {1.0, 0.0}, p.number("gain", 1.0) * square, 0.0}});
}

/// gain / (T s + 1); the state is the output.
BlockPointer make_lag(ParameterReader& p) {
  const double rate = 1.0 / positive(p, "time_constant");
  return chain(p, {{{rate}, {1.0}, p.number("gain", 1.0) * rate, 0.0}});
}

/// gain (T1 s + 1) / (T2 s + 1); the state is the lagged input.
BlockPointer make_lead_lag(ParameterReader& p) {
  const double lead = p.number("lead"), rate = 1.0 / positive(p, "lag"), gain = p.number("gain", 1.0);
  return chain(p, {{{rate}, {gain * (1.0 - lead * rate)}, rate, gain * lead * rate}});
}

/// s / (T s + 1); the state is the lagged input.
BlockPointer make_derivative(ParameterReader& p) {
  const double rate = 1.0 / positive(p, "time_constant");
  return chain(p, {{{rate}, {-rate}, rate, rate}});
}

}  // namespace

void add_linear_systems(Registry& registry) {
  registry.add("transfer_function", [](ParameterReader& p) {
    return chain(p, {section_from(p.vector("numerator"), p.vector("denominator"))});
  });
  registry.add("zero_pole", [](ParameterReader& p) {
    return chain(p, sections_from(roots_from(p, "zeros"), roots_from(p, "poles"), p.number("gain", 1.0)));
  });
  registry.add("second_order", make_second_order);
  registry.add("lag", make_lag);
  registry.add("lead_lag", make_lead_lag);
  registry.add("derivative", make_derivative);
  registry.add("state_space", [](ParameterReader& p) { return std::make_shared<StateSpace>(LinearSystem::from(p)); });
}

}  // namespace counterpoint::diagram
