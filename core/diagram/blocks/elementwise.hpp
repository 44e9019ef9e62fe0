#pragma once

#include <string>
#include <vector>

#include "diagram/parameters.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {

/// u1, u2, ...
inline std::vector<std::string> numbered(const std::string& stem, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

/// A number as messages show it.
inline std::string shown(double value) { return number_text(value, 9); }

/// An input seen by component: a scalar serves them all.
struct Operand {
  const double* values;
  int stride;
  double operator[](int k) const { return values[k * stride]; }
};

/// A parameter by component: one number alone serves them all.
class Spread {
 public:
  Spread(std::vector<double> values) : values_(std::move(values)), stride_(values_.size() == 1 ? 0 : 1) {}
  double operator[](int k) const { return values_[k * stride_]; }
  int width() const { return static_cast<int>(values_.size()); }

 private:
  std::vector<double> values_;
  int stride_;
};

/// One output y, computed component by component; pointers are kept at hand.
class Elementwise : public Block {
 public:
  explicit Elementwise(std::vector<std::string> inputs) : Block(std::move(inputs), {"y"}) {}
  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    width_ = out_width(0);
    u_.clear();
    for (std::size_t i = 0; i < bound().in.size(); ++i) {  // none yet when only widths are known
      u_.push_back({bound().in[i], bound().in_width[i] == 1 ? 0 : 1});
    }
    y_ = bound().out.empty() ? nullptr : bound().out[0];
  }

 protected:
  int width_ = 1;
  std::vector<Operand> u_;
  double* y_ = nullptr;
};

/// A function of smooth pieces. Between accepted times the piece stays the same, so that a solver sees a smooth
/// function; where the next one begins is located by crossings. z: the piece, by component.
///
/// A Rule has, for component k of the inputs u,
///     int crossings() const
///     double mode(const Operand* u, int k) const                          the piece where u is
///     double value(double mode, const Operand* u, int k) const            the function on this piece, beyond its ends
///     too void crossing(double mode, const Operand* u, int k, double* g) const  ends of the piece
/// and may have
///     static constexpr bool is_constant = true                            each piece is a constant
///     bool instructions(const Operand* u, double* mode, double* y, std::vector<Instruction>& code) const
template <class Rule>
class Piecewise final : public Elementwise {
 public:
  Piecewise(std::vector<std::string> inputs, Rule rule) : Elementwise(std::move(inputs)), rule_(std::move(rule)) {}
  bool is_pure() const override { return true; }  // the piece follows from the inputs
  int memory() const override { return width_; }
  int crossings() const override { return width_ * rule_.crossings(); }
  bool holds_between_events() const override {
    return requires { Rule::is_constant; };
  }
  bool instructions(std::vector<Instruction>& code) const override {
    if constexpr (requires { rule_.instructions(u_.data(), z(), y_, code); }) {
      return width_ == 1 && rule_.instructions(u_.data(), z(), y_, code);
    }
    return false;
  }
  void output(const Context& context, int) override {
    double* mode = z();
    const Operand* u = u_.data();
    const bool decides = context.decides();
    for (int k = 0; k < width_; ++k) {
      if (decides) mode[k] = rule_.mode(u, k);
      y_[k] = rule_.value(mode[k], u, k);
    }
  }
  void crossing(const Context&, double* g) override {
    for (int k = 0; k < width_; ++k, g += rule_.crossings()) rule_.crossing(z()[k], u_.data(), k, g);
  }

 private:
  Rule rule_;
};

template <class Rule>
BlockPointer make_piecewise(std::vector<std::string> inputs, Rule rule) {
  return std::make_shared<Piecewise<Rule>>(std::move(inputs), std::move(rule));
}

}  // namespace counterpoint::diagram
