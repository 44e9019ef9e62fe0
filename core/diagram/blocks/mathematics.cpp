// Smooth mathematics without memory: sums, products, gains, functions of one and two numbers, reductions of vectors.

#include <algorithm>
#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

/// y = K u, element by element.
class Gain final : public Elementwise {
 public:
  explicit Gain(double gain) : Elementwise({"u"}), gain_(gain) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const double* u = u_[0].values;
    for (int i = 0; i < width_; ++i) y_[i] = gain_ * u[i];
  }
  bool instructions(std::vector<Instruction>& code) const override {
    if (width_ > 1) return false;
    code.push_back({Operation::multiply, y_, &gain_, u_[0].values, nullptr});
    return true;
  }

 private:
  double gain_;
};

/// y_i = K_i u_i; a scalar input serves every component.
class VectorGain final : public Elementwise {
 public:
  explicit VectorGain(std::vector<double> gain) : Elementwise({"u"}), gain_(std::move(gain)) {}
  void shape(Shape& shape) const override {
    const int width = static_cast<int>(gain_.size());
    if (shape.inputs[0] > 1 && shape.inputs[0] != width) {
      throw ShapeError("the gain has " + std::to_string(width) + " elements", 0);
    }
    shape.outputs[0] = width;
  }
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    for (int i = 0; i < width_; ++i) y_[i] = gain_[i] * u_[0][i];
  }

 private:
  std::vector<double> gain_;
};

/// y = K u, matrix times vector.
class MatrixGain final : public Elementwise {
 public:
  explicit MatrixGain(Array gain) : Elementwise({"u"}), gain_(std::move(gain)) {}
  void shape(Shape& shape) const override {
    if (shape.inputs[0] > 0 && shape.inputs[0] != gain_.columns) {
      throw ShapeError("the gain is a matrix of " + std::to_string(gain_.rows) + " x " + std::to_string(gain_.columns) +
                           " and needs an input of width " + std::to_string(gain_.columns),
                       0);
    }
    shape.outputs[0] = gain_.rows;
  }
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const double* element = gain_.values.data();
    for (int i = 0; i < gain_.rows; ++i) {
      double total = 0.0;
      for (int j = 0; j < gain_.columns; ++j) total += *element++ * u_[0][j];
      y_[i] = total;
    }
  }

 private:
  Array gain_;
};

/// y = s1 u1 + s2 u2 + ...; scalars serve every component.
class Sum final : public Elementwise {
 public:
  explicit Sum(std::vector<double> signs) : Elementwise(numbered("u", signs.size())), signs_(std::move(signs)) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const double* signs = signs_.data();
    const Operand* u = u_.data();
    const std::size_t count = signs_.size();
    for (int i = 0; i < width_; ++i) {
      double total = signs[0] * u[0][i];
      for (std::size_t k = 1; k < count; ++k) total += signs[k] * u[k][i];
      y_[i] = total;
    }
  }
  bool instructions(std::vector<Instruction>& code) const override {
    if (width_ > 1) return false;
    const bool is_negative = signs_[0] < 0.0;
    const double* total = u_[0].values;
    if (is_negative || u_.size() == 1) {
      code.push_back({is_negative ? Operation::negate : Operation::copy, y_, total, nullptr, nullptr});
      total = y_;
    }
    for (std::size_t k = 1; k < u_.size(); ++k, total = y_) {
      code.push_back({signs_[k] < 0.0 ? Operation::subtract : Operation::add, y_, total, u_[k].values, nullptr});
    }
    return true;
  }

 private:
  std::vector<double> signs_;
};

/// y = u1 * u2 / u3 ..., element by element; which are divisors is said by "*/".
class Product final : public Elementwise {
 public:
  explicit Product(const std::string& operations) : Elementwise(numbered("u", operations.size())) {
    for (char operation : operations) divides_.push_back(operation == '/');
  }
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const Operand* u = u_.data();
    const std::size_t count = divides_.size();
    for (int i = 0; i < width_; ++i) {
      double total = divides_[0] ? 1.0 / u[0][i] : u[0][i];
      for (std::size_t k = 1; k < count; ++k) total = divides_[k] ? total / u[k][i] : total * u[k][i];
      y_[i] = total;
    }
  }
  bool instructions(std::vector<Instruction>& code) const override {
    if (width_ > 1 || u_.size() < 2 || divides_[0]) return false;
    const double* total = u_[0].values;
    for (std::size_t k = 1; k < u_.size(); ++k, total = y_) {
      code.push_back({divides_[k] ? Operation::divide : Operation::multiply, y_, total, u_[k].values, nullptr});
    }
    return true;
  }

 private:
  std::vector<char> divides_;
};

/// y = f(u), element by element.
template <class F>
class Function final : public Elementwise {
 public:
  explicit Function(F f) : Elementwise({"u"}), f_(std::move(f)) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const double* u = u_[0].values;
    for (int k = 0; k < width_; ++k) y_[k] = f_(u[k]);
  }

 private:
  F f_;
};

/// y = f(u, v), element by element.
template <class F>
class Function2 final : public Elementwise {
 public:
  Function2(std::vector<std::string> ports, F f) : Elementwise(std::move(ports)), f_(std::move(f)) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    for (int k = 0; k < width_; ++k) y_[k] = f_(u_[0][k], u_[1][k]);
  }

 private:
  F f_;
};

/// y = f(vector), a scalar.
template <class F>
class Reduction final : public Elementwise {
 public:
  Reduction(std::vector<std::string> ports, F f) : Elementwise(std::move(ports)), f_(std::move(f)) {}
  void shape(Shape& shape) const override {
    if (inputs() == 2 && shape.inputs[0] > 0 && shape.inputs[1] > 0 && shape.inputs[0] != shape.inputs[1]) {
      throw ShapeError("vectors of widths " + std::to_string(shape.inputs[0]) + " and " +
                           std::to_string(shape.inputs[1]) + " do not match",
                       1);
    }
    shape.outputs[0] = 1;
  }
  bool is_pure() const override { return true; }
  void output(const Context&, int) override { *y_ = f_(in(0), inputs() == 2 ? in(1) : in(0), in_width(0)); }

 private:
  F f_;
};

template <class F>
void add_function(Registry& registry, const std::string& kind, F f) {
  registry.add(kind, [f](ParameterReader&) { return std::make_shared<Function<F>>(f); });
}

template <class F>
BlockPointer make_function(F f) {
  return std::make_shared<Function<F>>(std::move(f));
}

template <class F>
void add_reduction(Registry& registry, const std::string& kind, std::vector<std::string> ports, F f) {
  registry.add(kind, [ports, f](ParameterReader&) { return std::make_shared<Reduction<F>>(ports, f); });
}

double dot(const double* a, const double* b, int width) {
  double total = 0.0;
  for (int k = 0; k < width; ++k) total += a[k] * b[k];
  return total;
}

BlockPointer make_gain(ParameterReader& p) {
  std::vector<double> gain = p.vector("gain");
  if (gain.empty()) throw std::invalid_argument("\"gain\": expected at least one number");
  if (gain.size() == 1) return std::make_shared<Gain>(gain.front());
  return std::make_shared<VectorGain>(std::move(gain));
}

BlockPointer make_sum(ParameterReader& p) {
  std::vector<double> signs;
  for (char sign : p.text("signs")) {
    if (sign != '+' && sign != '-') throw std::invalid_argument("\"signs\": only + and - are allowed");
    signs.push_back(sign == '+' ? 1.0 : -1.0);
  }
  if (signs.empty()) throw std::invalid_argument("\"signs\": expected at least one");
  return std::make_shared<Sum>(std::move(signs));
}

BlockPointer make_product(ParameterReader& p) {
  const std::string operations = p.text("operations");
  if (operations.empty() || operations.find_first_not_of("*/") != std::string::npos) {
    throw std::invalid_argument("\"operations\": expected one * or / for each input");
  }
  return std::make_shared<Product>(operations);
}

BlockPointer make_power(ParameterReader& p) {
  if (!p.has("exponent")) {
    const auto power = [](double u, double v) { return std::pow(u, v); };
    return std::make_shared<Function2<decltype(power)>>(std::vector<std::string>{"u", "exponent"}, power);
  }
  const double exponent = p.number("exponent");
  if (exponent == 2.0) return make_function([](double u) { return u * u; });
  return make_function([exponent](double u) { return std::pow(u, exponent); });
}

BlockPointer make_polynomial(ParameterReader& p) {
  const std::vector<double> coefficients = p.vector("coefficients");
  if (coefficients.empty()) throw std::invalid_argument("\"coefficients\": expected at least one");
  return make_function([coefficients](double u) {
    double total = 0.0;
    for (double c : coefficients) total = total * u + c;
    return total;
  });
}

BlockPointer make_atan2(ParameterReader&) {
  const auto angle = [](double y, double x) { return std::atan2(y, x); };
  return std::make_shared<Function2<decltype(angle)>>(std::vector<std::string>{"y", "x"}, angle);
}

void add_functions(Registry& registry) {
  add_function(registry, "sqrt", [](double u) { return std::sqrt(u); });
  add_function(registry, "exp", [](double u) { return std::exp(u); });
  add_function(registry, "log", [](double u) { return std::log(u); });
  add_function(registry, "log10", [](double u) { return std::log10(u); });
  add_function(registry, "sin", [](double u) { return std::sin(u); });
  add_function(registry, "cos", [](double u) { return std::cos(u); });
  add_function(registry, "tan", [](double u) { return std::tan(u); });
  add_function(registry, "asin", [](double u) { return std::asin(u); });
  add_function(registry, "acos", [](double u) { return std::acos(u); });
  add_function(registry, "atan", [](double u) { return std::atan(u); });
  add_function(registry, "sinh", [](double u) { return std::sinh(u); });
  add_function(registry, "cosh", [](double u) { return std::cosh(u); });
  add_function(registry, "tanh", [](double u) { return std::tanh(u); });
}

}  // namespace

void add_mathematics(Registry& registry) {
  registry.add("gain", make_gain);
  registry.add("matrix_gain", [](ParameterReader& p) { return std::make_shared<MatrixGain>(p.matrix("gain")); });
  registry.add("sum", make_sum);
  registry.add("product", make_product);
  registry.add("power", make_power);
  registry.add("polynomial", make_polynomial);
  registry.add("atan2", make_atan2);
  add_functions(registry);
  add_reduction(registry, "dot", {"u", "v"}, dot);
  add_reduction(registry, "norm", {"u"},
                [](const double* u, const double*, int width) { return std::sqrt(dot(u, u, width)); });
  add_reduction(registry, "sum_of_components", {"u"}, [](const double* u, const double*, int width) {
    double total = u[0];
    for (int k = 1; k < width; ++k) total += u[k];
    return total;
  });
}

}  // namespace counterpoint::diagram
