// Linear systems at samples: filters (transfer functions in z) and state space.

#include "diagram/blocks/linear_system.hpp"
#include "diagram/blocks/sampling.hpp"
#include "diagram/blocks/values.hpp"

namespace counterpoint::diagram {
namespace {

/// b and a in powers of 1/z, divided by a0, of equal length.
struct Filter {
  std::vector<double> b, a;
};

/// y = b0 u + w1, w_k <- b_k u - a_k y + w_(k+1): direct form II transposed, for each component by itself. z: w.
class FilterBlock final : public SampledBlock {
 public:
  FilterBlock(Filter filter, std::vector<double> initial, const SampleTime& rate)
      : SampledBlock({"u"}, {"y"}, rate),
        f_(std::move(filter)),
        initial_(std::move(initial)),
        order_(static_cast<int>(f_.a.size()) - 1) {
    const int given = static_cast<int>(initial_.size());
    if (given != 1 && (order_ == 0 || given % order_ != 0)) {
      throw std::invalid_argument("\"initial\": " + std::to_string(given) + " values for " + std::to_string(order_) +
                                  " states");
    }
  }
  void shape(Shape& shape) const override {
    shape_with_initial(shape, order_ > 0 ? initial_.size() / order_ : 1, 0, "initial");
  }
  bool feedthrough(int, int) const override { return f_.b[0] != 0.0; }
  int memory() const override { return order_ * out_width(0); }
  void start(const Context&) override { expand(initial_, order_, out_width(0), z()); }
  void output(const Context&, int) override {
    for (int e = 0; e < out_width(0); ++e) {
      out(0)[e] = (f_.b[0] != 0.0 ? f_.b[0] * u(e) : 0.0) + (order_ > 0 ? z()[e * order_] : 0.0);
    }
  }
  bool update(const Context&) override {
    for (int e = 0; e < out_width(0); ++e) {
      double* w = z() + e * order_;
      for (int k = 0; k < order_; ++k) {
        w[k] = f_.b[k + 1] * u(e) - f_.a[k + 1] * out(0)[e] + (k + 1 < order_ ? w[k + 1] : 0.0);
      }
    }
    return false;
  }

 private:
  double u(int e) const { return in(0)[in_width(0) == 1 ? 0 : e]; }
  Filter f_;
  std::vector<double> initial_;
  int order_;
};

/// x(k+1) = A x(k) + B u(k), y = C x + D u. z: x.
class DiscreteStateSpace final : public SampledBlock {
 public:
  DiscreteStateSpace(const LinearSystem& system, const SampleTime& rate)
      : SampledBlock(system.input_ports, system.output_ports, rate),
        system_(system),
        ports_(system_),
        next_(system.states) {}
  void shape(Shape& shape) const override { system_.shape(shape); }
  bool feedthrough(int input, int output) const override { return system_.feedthrough(input, output); }
  int memory() const override { return system_.states; }
  void start(const Context&) override { std::copy(system_.initial.begin(), system_.initial.end(), z()); }
  void output(const Context&, int port) override { ports_.output(bound(), z(), port); }
  bool update(const Context&) override {
    std::fill(next_.begin(), next_.end(), 0.0);
    system_.a.add_product(z(), next_.data());
    system_.b.add_product(ports_.gather(bound()), next_.data());
    std::copy(next_.begin(), next_.end(), z());
    return false;
  }

 private:
  LinearSystem system_;
  LinearPorts ports_;
  std::vector<double> next_;
};

Filter normalised(std::vector<double> b, std::vector<double> a) {
  if (a.empty() || a[0] == 0.0) throw std::invalid_argument("\"denominator\": the first coefficient must not be zero");
  const std::size_t length = std::max({a.size(), b.size(), std::size_t{1}});
  b.resize(length);
  a.resize(length);
  for (double& value : b) value /= a[0];
  for (std::size_t k = length; k-- > 0;) a[k] /= a[0];
  return {std::move(b), std::move(a)};
}

/// Powers of z, the highest first.
Filter from_powers_of_z(std::vector<double> numerator, const std::vector<double>& denominator) {
  while (numerator.size() > denominator.size() && numerator.front() == 0.0) numerator.erase(numerator.begin());
  if (numerator.size() > denominator.size()) {
    throw std::invalid_argument("\"numerator\": degree " + std::to_string(numerator.size() - 1) +
                                " is higher than that of the denominator; it would need future inputs");
  }
  numerator.insert(numerator.begin(), denominator.size() - numerator.size(), 0.0);
  return normalised(std::move(numerator), denominator);
}

BlockPointer filter_block(ParameterReader& p, Filter filter) {
  return std::make_shared<FilterBlock>(std::move(filter), initial_from(p), sample_time_from(p));
}

}  // namespace

void add_discrete_systems(Registry& registry) {
  registry.add("discrete_filter", [](ParameterReader& p) {
    return filter_block(p, normalised(p.vector("numerator"), p.vector("denominator", {1.0})));
  });
  registry.add("discrete_transfer_function", [](ParameterReader& p) {
    return filter_block(p, from_powers_of_z(p.vector("numerator"), p.vector("denominator")));
  });
  registry.add("discrete_state_space", [](ParameterReader& p) {
    return std::make_shared<DiscreteStateSpace>(LinearSystem::from(p), sample_time_from(p));
  });
}

}  // namespace counterpoint::diagram
