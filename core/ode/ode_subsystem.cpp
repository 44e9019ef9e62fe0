#include "ode/ode_subsystem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "coupling/few_numbers.hpp"
#include "ode/product.hpp"
#include "recipe/factory.hpp"

namespace counterpoint {
namespace {

class StateOutput final : public OutputMap {
 public:
  explicit StateOutput(int states) : states_(states) {}
  int width() const override { return states_; }
  void evaluate(double, const double* x, const double*, double* y) const override { std::copy_n(x, states_, y); }
  bool offers_derivative() const override { return true; }
  void derivative(const double* dx, const double*, double* dy) const override { std::copy_n(dx, states_, dy); }
  bool is_state() const override { return true; }
  Sampled sampled() const override {
    return {[](const double*, int states, int, int, const double* x, const double*, double* y) {
              std::copy_n(x, states, y);
            },
            {}};
  }
  bool fits(int states, int) const override { return states == states_; }

 private:
  int states_;
};

class LinearOutput final : public OutputMap {
 public:
  LinearOutput(Matrix c, Matrix d) : c_(std::move(c)), d_(std::move(d)), feedthrough_(!d_.isZero(0.0)) {}
  int width() const override { return static_cast<int>(c_.rows()); }
  void evaluate(double, const double* x, const double* u, double* y) const override {
    multiply(c_, x, y);
    if (feedthrough_) multiply(d_, u, y, true);
  }
  bool uses_inputs() const override { return feedthrough_; }
  bool offers_derivative() const override { return true; }
  void derivative(const double* dx, const double* du, double* dy) const override {
    multiply(c_, dx, dy);
    if (feedthrough_) multiply(d_, du, dy, true);
  }
  /// The same sums as `multiply` makes of small matrices; larger ones are left to it.
  Sampled sampled() const override {
    if (c_.size() > most_by_rows || d_.size() > most_by_rows) return {};
    Sampled made{evaluate_rows, {c_.data(), c_.data() + c_.size()}};
    if (feedthrough_) made.numbers.insert(made.numbers.end(), d_.data(), d_.data() + d_.size());
    if (feedthrough_) made.evaluate = evaluate_rows_of_both;
    return made;
  }
  bool fits(int states, int inputs) const override {
    return c_.cols() == states && d_.cols() == inputs && d_.rows() == c_.rows();
  }

 private:
  static void evaluate_rows(const double* c, int states, int, int outputs, const double* x, const double*, double* y) {
    multiply_rows(c, outputs, states, x, y);
  }
  static void evaluate_rows_of_both(const double* c, int states, int inputs, int outputs, const double* x,
                                    const double* u, double* y) {
    multiply_rows(c, outputs, states, x, y);
    multiply_rows(c + outputs * states, outputs, inputs, u, y, true);
  }

  Matrix c_;
  Matrix d_;
  bool feedthrough_;
};

class CompiledOutput final : public OutputMap {
 public:
  CompiledOutput(int width, CompiledRightHandSide::Function function, bool uses_inputs)
      : width_(width), function_(function), uses_inputs_(uses_inputs) {}
  bool uses_inputs() const override { return uses_inputs_; }
  int width() const override { return width_; }
  void evaluate(double t, const double* x, const double* u, double* y) const override { function_(t, x, u, y); }

 private:
  int width_;
  CompiledRightHandSide::Function function_;
  bool uses_inputs_;
};

}  // namespace

OutputMapPointer make_state_output(int states) { return std::make_shared<StateOutput>(states); }
OutputMapPointer make_linear_output(Matrix c, Matrix d) {
  return std::make_shared<LinearOutput>(std::move(c), std::move(d));
}
OutputMapPointer make_compiled_output(int width, CompiledRightHandSide::Function function, bool uses_inputs) {
  return std::make_shared<CompiledOutput>(width, function, uses_inputs);
}

struct OdeSubsystem::Saved final : SavedState {
  bool write(recipe::Writer& writer) const override {
    writer(x, memory, last_step);
    return true;
  }
  std::vector<double> x;
  std::vector<double> memory;
  double last_step = 0.0;
};

OdeSubsystem::OdeSubsystem(RightHandSidePointer f, OutputMapPointer g, std::vector<double> x0, OdeSolver solver,
                           const SolverOptions& options)
    : f_(std::move(f)),
      g_(std::move(g)),
      x0_(std::move(x0)),
      x_(x0_),
      slope_(x0_.size()),
      no_inputs_(f_->inputs(), std::numeric_limits<double>::quiet_NaN()),
      y_(g_->width()),
      dy_(g_->width()),
      output_is_state_(g_->is_state()),
      output_uses_inputs_(g_->uses_inputs()),
      solver_(make_solver(solver, f_, options)),
      batches_(output_is_state_ ? solver_->batches() : nullptr) {}

void OdeSubsystem::start(double t) {
  x_ = x0_;
  last_step_ = 0.0;
  solver_->start(t, x_);
}

const double* OdeSubsystem::mapped_output(double t, Inputs& u) {
  // An output that reads inputs without declaring it gets NaN, which stops the run.
  g_->evaluate(t, x_.data(), output_uses_inputs_ ? u.at(t) : no_inputs_.data(), y_.data());
  return y_.data();
}

const double* OdeSubsystem::output_derivative(double t, Inputs& u) {
  f_->evaluate(t, x_.data(), u.at(t), slope_.data());
  const double* input_slopes = output_uses_inputs_ ? u.slopes_at(t) : nullptr;
  if (g_->offers_derivative()) {
    g_->derivative(slope_.data(), input_slopes, dy_.data());
  } else {
    slopes_along_motion(t, output_uses_inputs_ ? u.at(t) : nullptr, input_slopes);
  }
  return dy_.data();
}

/// For an output that is any function: its derivative along (1, dx/dt, du/dt), by a central difference. Its length is a
/// ten-thousandth of the last step, so that its error is far below that of a step.
void OdeSubsystem::slopes_along_motion(double t, const double* u, const double* du) {
  const auto size = [](const std::vector<double>& of) {
    double largest = 0.0;
    for (double one : of) largest = std::max(largest, std::abs(one));
    return largest;
  };
  const double rate = size(slope_), extent = size(x_);
  const double own = rate > 0.0 && extent > 0.0 ? 1e-6 * std::min(extent / rate, 1.0) : 1e-6;
  const double h = std::max(last_step_ > 0.0 ? 1e-4 * last_step_ : own, 1e-8 * std::abs(t));
  std::vector<double> x(x_.size()), inputs(no_inputs_), ahead(dy_.size());  // the outputs stay as they are
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = x_[j] + sign * h * slope_[j];
    for (std::size_t j = 0; u != nullptr && j < inputs.size(); ++j) inputs[j] = u[j] + sign * h * du[j];
    g_->evaluate(t + sign * h, x.data(), inputs.data(), sign < 0.0 ? dy_.data() : ahead.data());
  }
  for (std::size_t j = 0; j < dy_.size(); ++j) dy_[j] = (ahead[j] - dy_[j]) / (2.0 * h);
}

/// The memory of a sampled step: this, that of the solver, and the numbers of the output.
struct OdeSubsystem::Sampled {
  SampledSolver::Step step;
  decltype(OutputMap::Sampled::evaluate) evaluate;
  double* state;
  double* numbers;
  const OdeSubsystem* loaded;
  int states, inputs, outputs, end_inputs;  ///< the last one: where the inputs at the end begin

  std::byte* of_solver() { return reinterpret_cast<std::byte*>(this + 1); }
  static void make_step(void* memory, double t, double t_end, const double* u, double* y) {
    Sampled& s = *static_cast<Sampled*>(memory);
    s.step(s.of_solver(), t, t_end, u);
    s.evaluate(s.numbers, s.states, s.inputs, s.outputs, s.state, u + s.end_inputs, y);
  }
};

SampledStepper::SampledStep OdeSubsystem::sampled_step() {
  SampledSolver* const solver = solver_->sampled();
  const std::size_t of_solver = solver != nullptr ? solver->sampled_bytes() : 0;
  const OutputMap::Sampled output = g_->sampled();
  if (of_solver == 0 || output.evaluate == nullptr) return {};
  std::vector<double> fractions = solver->input_fractions();
  if (output_uses_inputs_ && fractions.back() != 1.0) fractions.push_back(1.0);
  const std::size_t bytes = sizeof(Sampled) + of_solver + output.numbers.size() * sizeof(double);
  return {Sampled::make_step, std::move(fractions), bytes};
}

void OdeSubsystem::load(void* memory) {
  Sampled& sampled = *static_cast<Sampled*>(memory);
  SampledSolver& solver = *solver_->sampled();
  double* const state = solver.load(sampled.of_solver());
  if (sampled.loaded != this) {
    const OutputMap::Sampled output = g_->sampled();
    double* const numbers = reinterpret_cast<double*>(sampled.of_solver() + solver.sampled_bytes());
    std::copy(output.numbers.begin(), output.numbers.end(), numbers);
    const int times = static_cast<int>(sampled_step().fractions.size());
    new (memory) Sampled{solver.sampled_step(),
                         output.evaluate,
                         state,
                         numbers,
                         this,
                         static_cast<int>(x_.size()),
                         f_->inputs(),
                         g_->width(),
                         (times - 1) * f_->inputs()};
  }
  std::copy(x_.begin(), x_.end(), state);
}

void OdeSubsystem::store(const void* memory, double t, double t_end) {
  std::copy_n(static_cast<const Sampled*>(memory)->state, x_.size(), x_.begin());
  last_step_ = t_end - t;
}

void OdeSubsystem::put(const std::vector<double>& x, const std::vector<double>& earlier, double step) {
  x_ = x;
  if (!earlier.empty()) solver_->set_earlier_states(earlier, step);
}

std::unique_ptr<SavedState> OdeSubsystem::save() const {
  auto saved = std::make_unique<Saved>();
  keep(*saved);
  return saved;
}

bool OdeSubsystem::save_again(SavedState& state) const {
  keep(static_cast<Saved&>(state));
  return true;
}

void OdeSubsystem::keep(Saved& into) const {
  copy_few(x_, into.x);
  solver_->keep_memory(into.memory);
  into.last_step = last_step_;
}

void OdeSubsystem::restore(const SavedState& state) {
  const Saved& saved = static_cast<const Saved&>(state);
  copy_few(saved.x, x_);
  solver_->set_memory(saved.memory);
  last_step_ = saved.last_step;
}

std::unique_ptr<SavedState> OdeSubsystem::read_state(recipe::Reader& reader) const {
  auto made = std::make_unique<Saved>();
  keep(*made);
  reader.same_sizes(made->x, made->memory);
  reader(made->last_step);
  return made;
}

}  // namespace counterpoint
