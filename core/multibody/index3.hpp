#pragma once

#include <array>
#include <string>
#include <vector>

#include "linear/team.hpp"
#include "linear/unroll.hpp"
#include "multibody/repeated_rows.hpp"
#include "multibody/shares.hpp"
#include "multibody/step_profile.hpp"
#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

/// A step to 30 bits: what times on a grid differ by is rounding, and would otherwise ask for new coefficients, and
/// make the processor guess wrongly, at every other step. Nothing but corrections is multiplied by what is left out.
inline double without_rounding(double h) {
  const double split = h * 8388609.0;  // 2^23 + 1
  return split - (split - h);
}

/// The index-3 step: positions by Newton's method, then projections. One step, in this order:
///
///     predict        accelerations on a straight line, positions and velocities by the rule
///     iterate        factorise the tangent, correct, evaluate, until the expected next correction is small
///     project        velocities and accelerations onto the constraints, with the last factorisation
///     finish         elements remember, the step is accepted
///
/// A step that does not converge, or whose projections change the motion, is made again in halves.
///
/// Shared, for large mechanisms: where the solver has domains, what is done for all coordinates, equations and elements
/// is done for several domains at once. Small ones are compiled apart: their step must stay in one piece of code.
/// So are steps with a profile (Clock is PhaseClock instead of NoClock), of which nothing is left in the others.
template <bool shared, class Clock>
class Index3Stepper final : public Stepper {
 public:
  Index3Stepper(ModelPointer model, const StepperOptions& options);
  void start(State& state, InputSource& inputs) override;
  void step(State& state, double t_end, InputSource& inputs) override;
  const linear::Solver* solver() const override { return &system_->solver(); }
  const StepProfile* profile() const override { return clock_.profile(); }

 private:
  // Inline is what every step calls: of functions that others could call, the compiler keeps the calls.
  void start_accelerations(State& state, const Instant& now);
  void refine_accelerations(State& state);
  void renew_start(State& state, InputSource& inputs);
  inline void set_coefficients(double exact);
  COUNTERPOINT_INLINE void predict(const State& state);
  void predict_by_acceleration(const State& state, double ratio);
  COUNTERPOINT_INLINE void predict_by_jerk(const State& state, double ratio);
  /// The acceleration-like variable at the end of the step.
  std::vector<double>& leading() { return plain_ ? next_.a : next_.auxiliary; }
  /// a from the acceleration-like variable.
  void lean(const State& state);
  COUNTERPOINT_INLINE void evaluate(const Instant& now);
  double expected_correction();
  double bound_of_next() const;
  bool is_stuck_at_singularity(int iteration, double expected);
  /// Further iterations; false when they fail in a step that can be halved.
  bool converges(const Instant& now);
  /// Whether the projections change the motion by more than the rule's error does.
  bool jumps(const State& before);
  void step_in_halves(State& state, double t_end, InputSource& inputs);
  bool can_be_halved() const;
  /// d^T M d of a vector with one value for each free coordinate.
  template <typename Value>
  double squared(Value value);
  void shorten_correction(const Instant& now, double last);
  void apply_compliance(double stiffening);
  /// The first iteration; true when it is enough, which the curvature tells without another evaluation.
  COUNTERPOINT_INLINE bool iterate_once(const Instant& now);
  void iterate_on(const Instant& now);
  /// Whether this was the last of a fixed number of iterations, and nothing is left to look at.
  bool was_last(int iteration);
  inline void form_tangent(const Instant& now);
  void invert_diagonal();
  COUNTERPOINT_INLINE void solve(int iteration);
  COUNTERPOINT_INLINE void correct();
  COUNTERPOINT_INLINE double move(double part, const double* change);
  COUNTERPOINT_INLINE void add_multipliers();
  void update_as_printed();
  void keep_correction();
  bool contracts_slowly(double before);
  bool may_stiffen();
  void stiffen_if_slow(double before);
  COUNTERPOINT_INLINE void project(const Instant& now);
  /// `improved`, unless null: multipliers less what the projection of accelerations finds them to be too large.
  inline void solve_three(const Instant& now, const double* a, const double* multipliers, double* improved);
  COUNTERPOINT_INLINE void finish(State& state, Instant& now);
  COUNTERPOINT_INLINE void accept(State& state) noexcept;
  COUNTERPOINT_INLINE void accept_by_jerk(State& state) const noexcept;
  [[noreturn]] void fail(int iteration, const std::string& why) const;
  static constexpr const char* not_finite = "the iteration diverged: its values are not finite";

  void find_shares();
  /// work(begin, end) for ranges that make up 0 to count; pairs stay together.
  template <typename Work>
  COUNTERPOINT_INLINE void in_ranges(int count, Work work) const;
  /// The same, for work that returns an array of what is largest in each range.
  template <typename Work>
  COUNTERPOINT_INLINE auto largest_in_ranges(int count, Work work) const;
  /// work(share) for all shares of the model: domains at once, then the rest.
  template <typename Work>
  void for_shares(Work work) const;
  void evaluate_shares(const Instant& now);

  ModelPointer model_;
  StepperOptions options_;
  linear::TeamPointer team_;
  SaddleSystemPointer system_;
  int domains_ = 1;
  std::unique_ptr<Shares> shares_;  ///< null where there is one domain, or the model is not made of elements
  int n_, m_;
  int room_ = 0;  ///< places of what is solved for
  MassOnTangent mass_on_tangent_;
  std::unique_ptr<RepeatedRows> constant_mass_;  ///< of a large mechanism
  double tolerance_ = 0.0;                       ///< m
  double h_ = 0.0, scale_ = 0.0, velocity_factor_ = 0.0;
  double auxiliary_factor_ = 0.0, multiplier_factor_ = 0.0;
  double leading_per_acceleration_ = 1.0;  ///< change of the acceleration-like variable for one of the acceleration
  double ratio_ = 0.0;                     ///< of this step to the last one
  double coefficients_for_ = 0.0;          ///< step that the coefficients above belong to, without rounding
  bool same_W_ = false;                    ///< W is M and has been given to the system
  std::vector<double> compliance_;         ///< as chosen at the start, or from the penalty given
  std::vector<double> applied_compliance_;
  double applied_stiffening_ = 0.0;
  double violation_ = 0.0;  ///< largest |Phi| where the terms were evaluated last, or what the linear part leaves of it
  double expected_ = 0.0;   ///< correction to expect of the iteration under way
  double correction_ = 0.0;          ///< largest change of a coordinate in the last iteration
  double largest_multiplier_ = 0.0;  ///< times the scale
  double lightest_ = 0.0;            ///< largest 1 / W on the diagonal
  double curvature_ = 0.0;
  bool bounded_ = false;  ///< the curvature says enough of the next correction
  bool hermite_ = false;
  bool plain_ = true;        ///< the acceleration-like variable is the acceleration
  bool constant_W_ = false;  ///< W is M and M is constant
  bool constant_forces_ = false;
  bool multipliers_are_zero_ = false;
  int iterations_ = 0;  ///< after the first one
  int halvings_ = 0;    ///< of the step under way

  // Scratch; nothing here survives a step.
  State next_;
  std::vector<double> mass_, W_, J_, kept_J_, phi_, rest_, mu_, Q_, residual_, change_, inverse_diagonal_, three_;
  std::vector<int> diagonal_;

  [[no_unique_address]] Clock clock_;

  static constexpr int most_domains = 8;
};

template <bool shared, class Clock>
template <typename Work>
void Index3Stepper<shared, Clock>::in_ranges(int count, Work work) const {
  if constexpr (!shared) return work(0, count);
  const int range = 2 * (count / (2 * domains_));
  team_->run(domains_, [&](int k) {
    const Work own =
        work;  // or what it holds could be one of the values that it writes, for all that the compiler knows
    own(k * range, k + 1 == domains_ ? count : (k + 1) * range);
  });
}

template <bool shared, class Clock>
template <typename Work>
auto Index3Stepper<shared, Clock>::largest_in_ranges(int count, Work work) const {
  auto largest = work(0, shared ? 0 : count);
  if constexpr (shared) {
    std::array<decltype(largest), most_domains> found;
    const int range = 2 * (count / (2 * domains_));
    team_->run(domains_, [&](int k) {
      const Work own = work;
      found[k] = own(k * range, k + 1 == domains_ ? count : (k + 1) * range);
    });
    for (int k = 0; k < domains_; ++k) {
      for (std::size_t i = 0; i < largest.size(); ++i) largest[i].take(found[k][i].value());
    }
  }
  return largest;
}

template <bool shared, class Clock>
template <typename Work>
void Index3Stepper<shared, Clock>::for_shares(Work work) const {
  team_->run(domains_, work);
  work(domains_);
}

StepperPointer make_index3_stepper(ModelPointer model, const StepperOptions& options);
StepperPointer make_profiled_index3_stepper(ModelPointer model, const StepperOptions& options);

}  // namespace counterpoint::multibody
