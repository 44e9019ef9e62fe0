#include "ode/linear_step.hpp"

#include "ode/nominal_step.hpp"

namespace counterpoint {
namespace {

/// N is the number of states where the compiler may know it, 0 otherwise.
template <int N>
class LinearStep final : public Solver {
 public:
  LinearStep(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions, GatherLinearMap gather)
      : f_(std::move(f)), fractions_(std::move(fractions)), gather_(std::move(gather)), sums_(f_->states()) {}

  void step(double t, double t_end, double* x, Inputs& inputs) override {
    const double h = t_end - t;
    if (step_.changed(h)) prepare();
    const int n = N > 0 ? N : f_->states();
    double fixed[N > 0 ? N : 1] = {};
    double* sums = N > 0 ? fixed : sums_.data();
    if constexpr (N == 0) std::fill(sums_.begin(), sums_.end(), 0.0);
    const double* column = columns_.data();
    // Inputs first: they do not depend on the state, so the chain from state to state stays short.
    if (const Polynomial* p = inputs.single_over(t, t_end)) {
      for (const double c : fractions_) {
        const double u = p->scalar(c == 1.0 ? t_end : t + c * h);
        for (int i = 0; i < n; ++i) sums[i] += column[i] * u;
        column += n;
      }
    } else {
      column = add_inputs(t, t_end, inputs, sums);
    }
    for (int j = 0; j < n; ++j, column += n) {
      for (int i = 0; i < n; ++i) sums[i] += column[i] * x[j];
    }
    for (int i = 0; i < n; ++i) x[i] = sums[i];
  }

  std::vector<double> memory() const override { return {step_.value()}; }
  void set_memory(const std::vector<double>& memory) override {
    step_.set(memory[0]);
    if (memory[0] != 0.0) prepare();
  }

 private:
  /// Any number of inputs; returns where P begins.
  const double* add_inputs(double t, double t_end, Inputs& inputs, double* sums) {
    const int n = f_->states();
    const int m = f_->inputs();
    const double* column = columns_.data();
    for (const double c : fractions_) {
      const double* u = inputs.at(c == 1.0 ? t_end : t + c * (t_end - t));
      for (int j = 0; j < m; ++j, column += n) {
        for (int i = 0; i < n; ++i) sums[i] += column[i] * u[j];
      }
    }
    return column;
  }

  void prepare() {
    const LinearMap map = gather_(*f_, step_.value());
    columns_.clear();
    for (const Matrix& q : map.q) append(q);
    append(map.p);
  }

  void append(const Matrix& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      for (Eigen::Index i = 0; i < matrix.rows(); ++i) columns_.push_back(matrix(i, j));
    }
  }

  std::shared_ptr<const LinearRightHandSide> f_;
  std::vector<double> fractions_;
  GatherLinearMap gather_;
  NominalStep step_;
  std::vector<double> columns_;  ///< Q_0, Q_1, ..., P, column by column
  std::vector<double> sums_;
};

}  // namespace

SolverPointer make_linear_step(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions,
                               GatherLinearMap gather) {
  switch (f->states()) {
    case 1: return std::make_unique<LinearStep<1>>(std::move(f), std::move(fractions), std::move(gather));
    case 2: return std::make_unique<LinearStep<2>>(std::move(f), std::move(fractions), std::move(gather));
    case 3: return std::make_unique<LinearStep<3>>(std::move(f), std::move(fractions), std::move(gather));
    case 4: return std::make_unique<LinearStep<4>>(std::move(f), std::move(fractions), std::move(gather));
    default: return std::make_unique<LinearStep<0>>(std::move(f), std::move(fractions), std::move(gather));
  }
}

}  // namespace counterpoint
