// Mathematics without memory: sums, products, gains.

#include <algorithm>
#include <cmath>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {
namespace {

std::vector<std::string> numbered(const std::string& stem, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

/// y = K u, element by element.
class Gain final : public Block {
 public:
  explicit Gain(double gain) : Block({"u"}, {"y"}), gain_(gain) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    const double* u = in(0);
    double* y = out(0);
    if (width_ == 1) {
      *y = gain_ * *u;
      return;
    }
    for (int i = 0; i < width_; ++i) y[i] = gain_ * u[i];
  }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    width_ = out_width(0);
  }

 private:
  double gain_;
  int width_ = 1;
};

/// y = s1 u1 + s2 u2 + ...; scalars serve every component.
class Sum final : public Block {
 public:
  explicit Sum(std::vector<double> signs) : Block(numbered("u", signs.size()), {"y"}), signs_(std::move(signs)) {}
  bool is_pure() const override { return true; }
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    is_scalar_ = out_width(0) == 1;
  }
  void output(const Context&, int) override {
    double* y = out(0);
    const double* const* u = bound().in.data();
    const std::size_t count = signs_.size();
    if (is_scalar_) {
      double total = signs_[0] * *u[0];
      for (std::size_t k = 1; k < count; ++k) total += signs_[k] * *u[k];
      *y = total;
      return;
    }
    for (int i = 0; i < out_width(0); ++i) {
      double total = 0.0;
      for (std::size_t k = 0; k < count; ++k) total += signs_[k] * u[k][in_width(static_cast<int>(k)) == 1 ? 0 : i];
      y[i] = total;
    }
  }

 private:
  std::vector<double> signs_;
  bool is_scalar_ = true;
};

/// y = u1 * u2 / u3 ..., element by element; which are divisors is said by "*/".
class Product final : public Block {
 public:
  explicit Product(const std::string& operations)
      : Block(numbered("u", operations.size()), {"y"}), divides_(operations.size()) {
    for (std::size_t k = 0; k < operations.size(); ++k) divides_[k] = operations[k] == '/';
  }
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    double* y = out(0);
    for (int i = 0; i < out_width(0); ++i) {
      double total = 1.0;
      for (std::size_t k = 0; k < divides_.size(); ++k) {
        const double u = in(static_cast<int>(k))[in_width(static_cast<int>(k)) == 1 ? 0 : i];
        total = divides_[k] ? total / u : total * u;
      }
      y[i] = total;
    }
  }

 private:
  std::vector<char> divides_;
};

BlockPointer make_sum(Reader& p) {
  std::vector<double> signs;
  for (char sign : p.text("signs")) {
    if (sign != '+' && sign != '-') throw std::invalid_argument("\"signs\": only + and - are allowed");
    signs.push_back(sign == '+' ? 1.0 : -1.0);
  }
  if (signs.empty()) throw std::invalid_argument("\"signs\": at least one is needed");
  return std::make_shared<Sum>(std::move(signs));
}

BlockPointer make_product(Reader& p) {
  const std::string operations = p.text("operations");
  if (operations.empty() || operations.find_first_not_of("*/") != std::string::npos) {
    throw std::invalid_argument("\"operations\": one * or / for each input is needed");
  }
  return std::make_shared<Product>(operations);
}

}  // namespace

void add_mathematics(Registry& registry) {
  registry.add("gain", [](Reader& p) { return std::make_shared<Gain>(p.number("gain")); });
  registry.add("sum", make_sum);
  registry.add("product", make_product);
}

}  // namespace counterpoint::diagram
