#pragma once

// Small models and signals that the native tests share.

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "coupling/scheduler.hpp"
#include "ode/ode_subsystem.hpp"

namespace counterpoint::testing {

/// An input that is exactly f(t): leaves a solver alone with its own error.
class ExactSignal final : public Approximation {
 public:
  explicit ExactSignal(std::function<double(double)> f) : f_(std::move(f)) {}
  void build(const Samples&, const ConsumerStep&, double t, Polynomial& out) const override {
    out.degree = 0;
    for (int j = 0; j < out.width; ++j) out.coefficient(0)[j] = f_(t);
    out.from = t;
    out.to = std::nextafter(t, Polynomial::infinity);
  }
  int points_behind() const override { return 1; }
  std::string name() const override { return "exact"; }

 private:
  std::function<double(double)> f_;
};

/// Inputs that stand alone: one connection for each input on a history of its own.
class LoneInputs {
 public:
  LoneInputs(int width, ApproximationPointer approximation) : history_(1, false), inputs_(std::vector<double>(width)) {
    const double zero = 0.0;
    history_.append(0.0, &zero, nullptr);
    history_.commit();
    for (int j = 0; j < width; ++j) {
      Connection c;
      c.target_offset = j;
      c.approximation = approximation;
      c.samples = {&history_, 0, 1, 0, 1, 1e-12};
      inputs_.add_connection(std::move(c));
    }
    inputs_.choose_fast_paths();
  }
  Inputs& get() { return inputs_; }

 private:
  History history_;
  Inputs inputs_;
};

/// dx/dt = -x + sum of inputs, as a model that steps itself with Euler; its step may change from one to the next.
class Walker final : public Subsystem {
 public:
  Walker(int inputs, double x0, std::vector<double> preferred_steps = {})
      : inputs_(inputs), x0_(x0), preferred_steps_(std::move(preferred_steps)) {}
  int input_width() const override { return inputs_; }
  int output_width() const override { return 1; }
  void start(double) override {
    x_ = x0_;
    count_ = 0;
  }
  double step(double t, double t_end, Inputs& u) override {
    double sum = -x_;
    for (double time : {t, 0.5 * (t + t_end), t_end}) {
      const double* values = u.at(time);
      for (int j = 0; j < inputs_; ++j) sum += values[j] / 3.0;
    }
    x_ += (t_end - t) * sum;
    ++count_;
    return t_end;
  }
  const double* output(double, Inputs&) override { return &x_; }
  double preferred_step() const override {
    return preferred_steps_.empty() ? 0.0 : preferred_steps_[count_ % preferred_steps_.size()];
  }

 private:
  int inputs_;
  double x0_;
  double x_ = 0.0;
  std::vector<double> preferred_steps_;
  std::size_t count_ = 0;
};

/// A source y = f(t), one output.
class Wave final : public Subsystem {
 public:
  explicit Wave(std::function<double(double)> f) : f_(std::move(f)) {}
  int input_width() const override { return 0; }
  int output_width() const override { return 1; }
  void start(double) override {}
  double step(double, double t_end, Inputs&) override { return t_end; }
  const double* output(double t, Inputs&) override {
    y_ = f_(t);
    return &y_;
  }

 private:
  std::function<double(double)> f_;
  double y_ = 0.0;
};

/// Steps of a consumer with one input; writes down what it saw at the end of each.
class Watcher final : public Subsystem {
 public:
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { seen.clear(); }
  double step(double, double t_end, Inputs& u) override {
    seen.push_back(u.at(t_end)[0]);
    y_ = seen.back();
    return t_end;
  }
  const double* output(double, Inputs&) override { return &y_; }
  std::vector<double> seen;

 private:
  double y_ = 0.0;
};

inline std::vector<double> flatten(std::vector<Rows> blocks) {
  std::vector<double> all;
  for (const Rows& rows : blocks) all.insert(all.end(), rows.data.get(), rows.data.get() + rows.size);
  return all;
}

}  // namespace counterpoint::testing
