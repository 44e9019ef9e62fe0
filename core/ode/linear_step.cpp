#include "ode/linear_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <new>

#include "coupling/inputs.hpp"
#include "ode/nominal_step.hpp"
#include "signal/unrolled.hpp"

namespace counterpoint {
namespace {

constexpr int most_sampled_states = 32;
constexpr std::size_t most_sampled_bytes = 4096;  ///< the work of larger models is more than what is saved

/// sums += M factors, column by column; the columns that follow are returned. N as below.
template <int N>
[[gnu::always_inline]] inline const double* add_columns(const double* column, int states, const double* factors,
                                                        int count, double* sums) {
  const int n = N > 0 ? N : states;
  for (int j = 0; j < count; ++j, column += n) {
    for (int i = 0; i < n; ++i) sums[i] += column[i] * factors[j];
  }
  return column;
}

/// N is the number of states and F that of the input times where the compiler may know them, else 0.
template <int N, int F>
class LinearStep final : public Solver, private BatchSolver, private SampledSolver {
 public:
  LinearStep(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions, GatherLinearMap gather)
      : f_(std::move(f)), fractions_(std::move(fractions)), gather_(gather), sums_(N > 0 ? 0 : f_->states()) {
    ends_with_step_ = fractions_.back() == 1.0;
  }

  /// Steps of the last run are forgotten: they may differ from those of this one in the last digits.
  void start(double, const std::vector<double>&) override { step_.set(0.0); }
  void step(double t, double t_end, double* x, Inputs& inputs) override { advance(t, t_end, x, inputs); }

  BatchSolver* batches() override { return N > 0 && F > 0 ? this : nullptr; }
  SampledSolver* sampled() override { return this; }

  void keep_memory(std::vector<double>& into) const override {
    if (into.size() != 1) into.resize(1);
    into[0] = step_.value();
  }
  void set_memory(const std::vector<double>& memory) override {
    if (memory[0] == step_.value()) return;  // repeats restore often, and the matrices are there
    step_.set(memory[0]);
    if (memory[0] != 0.0) prepare();
  }

 private:
  using State = std::array<double, N>;

  const std::vector<double>& input_fractions() const override { return fractions_; }

  /// Its memory: this, the state, and the columns.
  struct Sampled {
    BatchStepper::EqualSteps steps;
    LinearStep* solver;
    int states, inputs, times;
    double* state() { return reinterpret_cast<double*>(this + 1); }
    double* columns() { return state() + states; }
  };

  std::size_t sampled_bytes() const override {
    const auto n = static_cast<std::size_t>(f_->states());
    const std::size_t columns = fractions_.size() * static_cast<std::size_t>(f_->inputs()) + n;
    const std::size_t bytes = sizeof(Sampled) + (n + n * columns) * sizeof(double);
    return n <= most_sampled_states && bytes <= most_sampled_bytes ? bytes : 0;
  }

  double* load(std::byte* memory) override {
    Sampled& sampled = *reinterpret_cast<Sampled*>(memory);
    if (sampled.solver != this || sampled.steps.length != step_.value()) {
      new (memory) Sampled{step_.equal_steps(), this, f_->states(), f_->inputs(), static_cast<int>(fractions_.size())};
      std::copy(columns_.begin(), columns_.end(), sampled.columns());
    }
    return sampled.state();
  }

  Step sampled_step() const override { return advance_sampled; }

  static void advance_sampled(std::byte* memory, double t, double t_end, const double* u) {
    Sampled& sampled = *reinterpret_cast<Sampled*>(memory);
    if (!sampled.steps.serves(t_end - t)) {
      sampled.solver->step_.set(t_end - t);
      sampled.solver->prepare();
      sampled.solver->load(memory);
    }
    std::array<double, N == 0 ? most_sampled_states : N> sums{};
    double* const x = sampled.state();
    const int n = sampled.states, times = F > 0 ? F : sampled.times;
    const double* column = sampled.columns();
    for (int k = 0; k < times; ++k, u += sampled.inputs)
      column = add_columns<N>(column, n, u, sampled.inputs, sums.data());
    add_columns<N>(column, n, x, n, sums.data());
    std::copy_n(sums.data(), N > 0 ? N : n, x);
  }

  const BatchStepper::EqualSteps& batch_step() const override { return step_.equal_steps(); }

  int step_batch(const Polynomial& input, double t, const double* ends, int count, double* x, double* states) override {
    if constexpr (N > 0 && F > 0) {
      const Map map(*this);
      const State end = input.as_function([&](const auto& u) {
        State state;
        std::copy_n(x, N, state.begin());
        for (int k = 0; k < count; ++k) {
          state = map.next(state, u, t, ends[k]);
          t = ends[k];
          std::copy_n(state.begin(), N, states + k * N);
        }
        return state;
      });
      const int finite = all_finite(end) ? count : first_not_finite(states);
      if (finite > 0) std::copy_n(states + (finite - 1) * N, N, x);
      return finite;
    }
    return 0;
  }

  static bool all_finite(const State& state) {
    return std::all_of(state.begin(), state.end(), [](double value) { return std::isfinite(value); });
  }

  /// Once a state is not finite, all those after it are not.
  static int first_not_finite(const double* states) {
    int k = 0;
    while (std::isfinite(states[k])) ++k;
    return k / std::max(N, 1);
  }

  /// The numbers of a step, copied: nothing written in a loop over steps can change them.
  class Map {
   public:
    [[gnu::always_inline]] explicit Map(const LinearStep& solver) : ends_with_step_(solver.ends_with_step_) {
      std::copy_n(solver.columns_.data(), columns_.size(), columns_.begin());
      std::copy_n(solver.fractions_.data(), F, fractions_.begin());
    }

    /// The state after a step; `u` gives the input at a time.
    template <class Input>
    [[gnu::always_inline]] State next(const State& x, const Input& u, double t, double t_end) const {
      State sums{};
      // Inputs first: they do not depend on the state, so the chain from state to state stays short.
      unrolled<F>(
          [&](auto k) { add(k, u(k == F - 1 && ends_with_step_ ? t_end : t + fractions_[k] * (t_end - t)), sums); });
      unrolled<N>([&](auto j) { add(F + j, x[j], sums); });
      return sums;
    }

   private:
    [[gnu::always_inline]] void add(int column, double factor, State& sums) const {
      for (int i = 0; i < N; ++i) sums[i] += columns_[column * N + i] * factor;
    }

    bool ends_with_step_;
    std::array<double, (F + N) * N> columns_;
    std::array<double, F> fractions_;
  };

  void advance(double t, double t_end, double* x, Inputs& inputs) {
    if (step_.changed(t_end - t)) prepare();
    if constexpr (N > 0 && F > 0) {
      if (const Polynomial* input = inputs.single_polynomial(t, t_end)) {
        State state;
        std::copy_n(x, N, state.begin());
        state = input->as_function([&](const auto& u) { return Map(*this).next(state, u, t, t_end); });
        std::copy_n(state.begin(), N, x);
        return;
      }
      if (f_->inputs() == 1) {
        State state;
        std::copy_n(x, N, state.begin());
        state = Map(*this).next(state, [&](double time) { return *inputs.at(time); }, t, t_end);
        std::copy_n(state.begin(), N, x);
        return;
      }
    }
    advance_on_any(t, t_end, x, inputs);
  }

  /// Any number of inputs.
  void advance_on_any(double t, double t_end, double* x, Inputs& inputs) {
    const int n = f_->states(), entering = f_->inputs();
    State few{};
    double* const sums = N > 0 ? few.data() : sums_.data();
    if constexpr (N == 0) std::fill(sums_.begin(), sums_.end(), 0.0);
    const double* column = columns_.data();
    const int times = F > 0 ? F : static_cast<int>(fractions_.size());
    for (int k = 0; k < times; ++k)
      column = add_columns<N>(column, n, inputs.at(input_time(k, t, t_end)), entering, sums);
    add_columns<N>(column, n, x, n, sums);
    std::copy_n(sums, N > 0 ? N : n, x);
  }

  double input_time(int k, double t, double t_end) const {
    const int last = (F > 0 ? F : static_cast<int>(fractions_.size())) - 1;
    return k == last && ends_with_step_ ? t_end : t + fractions_[k] * (t_end - t);
  }

  void prepare() { gather_(*f_, step_.value(), columns_); }

  std::shared_ptr<const LinearRightHandSide> f_;
  std::vector<double> fractions_;
  bool ends_with_step_;  ///< the last fraction is 1: that time is t_end to the last bit
  GatherLinearMap gather_;
  NominalStep step_;
  std::vector<double> columns_;  ///< Q_0, Q_1, ..., P, column by column
  std::vector<double> sums_;     ///< where N is 0
};

}  // namespace

SolverPointer make_linear_step(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions,
                               GatherLinearMap gather) {
  const auto make = [&]<int N, int F>() -> SolverPointer {
    return std::make_unique<LinearStep<N, F>>(std::move(f), std::move(fractions), gather);
  };
  const auto for_states = [&]<int N>() -> SolverPointer {
    switch (fractions.size()) {
      case 2:
        return make.template operator()<N, 2>();
      case 3:
        return make.template operator()<N, 3>();
      default:
        return make.template operator()<N, 0>();
    }
  };
  switch (f->states()) {
    case 1:
      return for_states.template operator()<1>();
    case 2:
      return for_states.template operator()<2>();
    case 3:
      return for_states.template operator()<3>();
    case 4:
      return for_states.template operator()<4>();
    default:
      return make.template operator()<0, 0>();
  }
}

}  // namespace counterpoint
