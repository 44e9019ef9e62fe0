#pragma once

#include "coupling/abilities.hpp"
#include "coupling/subsystem.hpp"
#include "ode/solver.hpp"
#include "recipe/origin.hpp"

namespace counterpoint {

/// g in y = g(t, x, u).
class OutputMap : public recipe::Describable {
 public:
  virtual ~OutputMap() = default;
  virtual int width() const = 0;
  virtual void evaluate(double t, const double* x, const double* u, double* y) const = 0;
  virtual bool uses_inputs() const { return false; }
  /// dy/dt from dx/dt, and from du/dt where it `uses_inputs` (else that is null).
  virtual bool offers_derivative() const { return false; }
  virtual void derivative(const double* /*dx*/, const double* /*du*/, double* /*dy*/) const {}
  /// Whether y is x itself.
  virtual bool is_state() const { return false; }
  /// A function that computes y from numbers alone, which may be copied anywhere; null: there is none.
  struct Sampled {
    /// `u`: as for `evaluate`, at the end of the step.
    void (*evaluate)(const double* numbers, int states, int inputs, int outputs, const double* x, const double* u,
                     double* y) = nullptr;
    std::vector<double> numbers = {};
  };
  virtual Sampled sampled() const { return {}; }
  /// Whether it fits these numbers of states and inputs.
  virtual bool fits(int /*states*/, int /*inputs*/) const { return true; }
};

using OutputMapPointer = std::shared_ptr<const OutputMap>;

/// y = x.
OutputMapPointer make_state_output(int states);
/// y = C x + D u.
OutputMapPointer make_linear_output(Matrix c, Matrix d);
/// y = g(t, x, u) by a compiled function.
OutputMapPointer make_compiled_output(int width, CompiledRightHandSide::Function function, bool uses_inputs);

/// dx/dt = f(t, x, u), y = g(t, x, u), with one of the solvers.
class OdeSubsystem final : public Subsystem, public BatchStepper, public SampledStepper, public StateRewriter {
 public:
  OdeSubsystem(RightHandSidePointer f, OutputMapPointer g, std::vector<double> x0, OdeSolver solver,
               const SolverOptions& options);

  int input_width() const override { return f_->inputs(); }
  int output_width() const override { return g_->width(); }
  void start(double t) override;
  double step(double t, double t_end, Inputs& u) override {
    solver_->step(t, t_end, x_.data(), u);
    last_step_ = t_end - t;
    return t_end;
  }
  const double* output(double t, Inputs& u) override { return output_is_state_ ? x_.data() : mapped_output(t, u); }
  bool offers_derivatives() const override { return true; }
  bool uses_input_slopes() const override { return output_uses_inputs_; }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override { return solver_->preferred_step(); }
  long evaluations() const override { return solver_->evaluations(); }
  std::unique_ptr<SavedState> save() const override;
  bool save_again(SavedState& state) const override;
  void restore(const SavedState& state) override;
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override;

  bool makes_batches() const override { return batches_ != nullptr; }
  const EqualSteps& batch_step() const override { return batches_->batch_step(); }
  int step_batch(const Polynomial& input, double t, const double* ends, int count, double* outputs) override {
    return batches_->step_batch(input, t, ends, count, x_.data(), outputs);
  }

  SampledStep sampled_step() override;
  void load(void* memory) override;
  void store(const void* memory, double t, double t_end) override;

  const std::vector<double>& state() const { return x_; }
  /// What a multistep solver keeps besides, see `Solver::earlier_states`.
  std::vector<double> earlier_states() const { return solver_->earlier_states(); }
  /// Continue from this state, as if steps of this length had led to it.
  void put(const std::vector<double>& x, const std::vector<double>& earlier, double step);

 private:
  struct Saved;
  struct Sampled;
  void keep(Saved& into) const;
  const double* mapped_output(double t, Inputs& u);
  void slopes_along_motion(double t, const double* u, const double* du);

  RightHandSidePointer f_;
  OutputMapPointer g_;
  std::vector<double> x0_;
  std::vector<double> x_;
  std::vector<double> slope_;
  std::vector<double> no_inputs_;
  std::vector<double> y_;
  std::vector<double> dy_;
  double last_step_ = 0.0;  ///< s; 0: none was made
  bool output_is_state_;
  bool output_uses_inputs_;
  SolverPointer solver_;
  BatchSolver* batches_;  ///< null: one step after the other
};

}  // namespace counterpoint
