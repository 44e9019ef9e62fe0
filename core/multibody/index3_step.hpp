#pragma once

// Index-3 augmented Lagrangian step with projections of velocities and accelerations: González Varela (2010), eqs. 3.1
// to 3.6, after Bayo and Ledesma (1996) and Cuadrado et al. (2000); as a quasi-definite KKT system or condensed. Second
// order with the trapezoidal rule; with generalised-alpha (Arnold and Bruels 2007) second order with damping of high
// frequencies.
//
// Unknowns are the positions q at the end of the step. With scale S = beta h^2 (1 - alpha_f) / (1 - alpha_m) the rule
// says S da = dq, and Newton's method solves, with W = M + S K + S (dv/dq) C,
//
//     [ W  J^T ] [ dq        ]      [ S (M a + J^T lambda - Q) ]
//     [ J  -D  ] [ S dlambda ] =  - [ Phi                      ] .
//
// D -> 0 is the exact constraint. Two things make one iteration enough for most steps: accelerations are extrapolated
// linearly to begin with, and the iteration stops on what is left of the equations, not on how far the last one moved.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "coupling/cancellation.hpp"
#include "coupling/subsystem.hpp"
#include "multibody/index3.hpp"
#include "multibody/neighbours.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

// D / (J M^-1 J^T). Measured on the L-loop four-bar, 1 to 4000 loops, 20 s with passages through the singular position:
// 1e-6 to 1e-8 pass and lose nothing to rounding; 1e-10 lets the stiff directions throw the mechanism off there, 1e-5
// and more leave constraints soft between iterations.
constexpr double default_compliance = 1e-7;
constexpr double worst_growth = 10.0;  ///< how much larger the residual may become before a correction is shortened
constexpr int max_halvings = 4;
constexpr int sure_iterations = 3;
/// Coordinates from which threads may share a step: below, they would wait for each other longer than they work
/// (measured on the chain of four-bars).
constexpr int smallest_shared = 2000;

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::start(State& state, InputSource& inputs) {
  Instant now = state.instant();
  inputs.fill(state.t, now);
  model_->constraints(now, phi_.data(), J_.data());
  model_->mass(now, mass_.data());
  if (shared && model_->constant_mass())
    constant_mass_ = std::make_unique<RepeatedRows>(model_->mass_pattern(), mass_.data());
  compliance_ = compliance_from_mass(*model_, mass_.data(), J_.data(), default_compliance);
  state.stiffening = 1.0;
  apply_compliance(1.0);
  start_accelerations(state, now);
  refine_accelerations(state);
  state.previous = state.auxiliary = state.a;
  state.previous_step = 0.0;
  if (hermite_) {
    state.jerk.assign(state.a.size(), 0.0);
    solve_three(now, state.a.data(), state.multipliers.data(), nullptr);
    for (int i = 0; i < n_; ++i) state.jerk[i] = -three_[3 * i + 2];
    state.previous_jerk = state.jerk;
  }
  next_ = state;
  coefficients_for_ = 0.0;
  clock_.start_over();
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::step(State& state, double t_end, InputSource& inputs) {
  clock_.begin();
  set_coefficients(t_end - state.t);
  if (state.stiffening != applied_stiffening_) apply_compliance(state.stiffening);
  const bool has_inputs = model_->inputs() > 0;
  if (has_inputs) renew_start(state, inputs);
  next_.t = t_end;
  next_.stiffening = state.stiffening;
  Instant now{
      .t = t_end, .q = next_.q.data(), .v = next_.v.data(), .memory = state.memory.data(), .step_start = state.t};
  if (has_inputs) inputs.fill(t_end, now);
  predict(state);
  clock_.end(Phase::prediction);
  evaluate(now);
  const bool sure = iterate_once(now);
  if (!sure && !converges(now)) return step_in_halves(state, t_end, inputs);
  project(now);
  if (!sure && jumps(state)) return step_in_halves(state, t_end, inputs);
  finish(state, now);
  clock_.end(Phase::acceptance);
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::set_coefficients(double exact) {
  h_ = exact;
  const double h = without_rounding(exact);
  if (h == coefficients_for_) return;
  const NewmarkRule& r = options_.rule;
  coefficients_for_ = h;
  scale_ = r.beta * h * h * (1.0 - r.alpha_f) / (1.0 - r.alpha_m);
  velocity_factor_ = r.gamma / (r.beta * h);
  auxiliary_factor_ = 1.0 / (r.beta * h * h);
  multiplier_factor_ = 1.0 / scale_;
  leading_per_acceleration_ = (1.0 - r.alpha_f) / (1.0 - r.alpha_m);
  if (options_.penalty > 0.0) {
    compliance_.assign(m_, 1.0 / (options_.penalty * scale_ * std::ldexp(1.0, 2 * halvings_)));  // halves are as stiff
    apply_compliance(1.0);
  }
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::predict(const State& state) {
  double ratio = 1.0;  // mostly; a division would be waited for
  if (state.previous_step != coefficients_for_)
    ratio = state.previous_step > 0.0 ? coefficients_for_ / state.previous_step : 0.0;
  if (hermite_) {
    predict_by_jerk(state, ratio);
  } else {
    predict_by_acceleration(state, ratio);
  }
  multipliers_are_zero_ = options_.reset_multipliers;
  if (!multipliers_are_zero_) std::copy(state.multipliers.begin(), state.multipliers.end(), next_.multipliers.begin());
}

// The acceleration-like variable continues on the straight line through its last two values.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::predict_by_acceleration(const State& state, double ratio) {
  const NewmarkRule& r = options_.rule;
  const double* now = (plain_ ? state.a : state.auxiliary).data();
  double* next = leading().data();
  in_ranges(n_, [&](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    for (int i = begin; i < end; ++i) {
      const double x = now[i];
      const double guess = x + ratio * (x - state.previous[i]);
      const double free_flight = state.q[i] + h_ * (state.v[i] + h_ * (0.5 - r.beta) * x);
      next_.q[i] = free_flight + h_ * h_ * r.beta * guess;
      next_.v[i] = state.v[i] + h_ * ((1.0 - r.gamma) * x + r.gamma * guess);
      next[i] = guess;
    }
  });
  if (!plain_) lean(state);
}

// Trapezoidal rule with Hermite's end corrections, order 4: x1 = x0 + h/2 (x0' + x1') - h^2/12 (x1'' - x0''), for v and
// q. With the jerk on the straight line through its last two values that is Taylor's series.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::predict_by_jerk(const State& state, double ratio) {
  ratio_ = ratio;
  const double h = h_, half = 0.5 * h, h2_2 = half * h, h2_6 = h2_2 * (1.0 / 3.0), h3_6 = h2_6 * h, h3_24 = 0.25 * h3_6;
  const double *q0 = state.q.data(), *v0 = state.v.data(), *a0 = state.a.data();
  const double *j0 = state.jerk.data(), *before = state.previous_jerk.data();
  double *q1 = next_.q.data(), *v1 = next_.v.data(), *a1 = next_.a.data();
  in_ranges(n_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    in_pairs(begin, end, [&](int i, auto pair) {
      const auto q = pair.at(q0 + i), v = pair.at(v0 + i), a = pair.at(a0 + i), jerk = pair.at(j0 + i);
      const auto change = ratio * (jerk - pair.at(before + i));
      (a + (h * jerk + half * change)).write(a1 + i);
      (v + ((h * a + h2_2 * jerk) + h2_6 * change)).write(v1 + i);
      (q + ((h * v + (h2_2 * a + h3_6 * jerk)) + h3_24 * change)).write(q1 + i);
    });
  });
}

// Phi, J, Q and the residual at the present guess. The largest entry, each divided by its row's mass, is the correction
// to expect next: a length.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::evaluate(const Instant& now) {
  if constexpr (shared) {
    if (shares_) return evaluate_shares(now);
  }
  model_->constraints(now, phi_.data(), J_.data());
  if (!constant_forces_) model_->forces(now, Q_.data());
  if (!constant_W_ && !model_->constant_mass()) model_->mass(now, mass_.data());
  clock_.end(Phase::dynamic_terms);
  multiply_less(model_->mass_pattern(), mass_.data(), next_.a.data(), Q_.data(), scale_, residual_.data());
  if (!multipliers_are_zero_) {
    for (int r = 0; r < m_; ++r) rest_[r] = scale_ * next_.multipliers[r];
    add_transposed(model_->jacobian_pattern(), J_.data(), rest_.data(), residual_.data());
  }
  clock_.end(Phase::residual);
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::evaluate_shares(const Instant& now) {
  if (!constant_forces_) {
    const std::vector<double>& constant = model_->assembled()->parts().constant_force;
    std::copy(constant.begin(), constant.end(), Q_.begin());
  }
  for_shares([&](int share) {
    shares_->constraints(share, now, phi_.data(), J_.data());
    if (!constant_forces_) shares_->add_forces(share, now, Q_.data());
  });
  clock_.end(Phase::dynamic_terms);
  in_ranges(n_, [&](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    if (constant_mass_) {
      constant_mass_->multiply_less(next_.a.data(), Q_.data(), scale_, residual_.data(), begin, end);
    } else {
      multiply_less(model_->mass_pattern(), mass_.data(), next_.a.data(), Q_.data(), scale_, residual_.data(), begin,
                    end);
    }
  });
  if (!multipliers_are_zero_) {
    for (int r = 0; r < m_; ++r) rest_[r] = scale_ * next_.multipliers[r];
    add_transposed(model_->jacobian_pattern(), J_.data(), rest_.data(), residual_.data());
  }
  clock_.end(Phase::residual);
}

template <bool shared, class Clock>
double Index3Stepper<shared, Clock>::expected_correction() {
  const auto violations = largest_in_ranges(m_, [&](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    std::array<Largest, 1> found;
    for (int r = begin; r < end; ++r) found[0].take(phi_[r]);
    return found;
  });
  const auto differences = largest_in_ranges(n_, [&](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    std::array<Largest, 1> found;
    for (int i = begin; i < end; ++i) found[0].take(residual_[i] * inverse_diagonal_[i]);
    return found;
  });
  violation_ = violations[0].value();
  const double expected = std::max(differences[0].value(), violation_);
  return std::isfinite(violation_) ? expected : violation_;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::form_tangent(const Instant& now) {
  if (same_W_) return;
  mass_on_tangent_.write(mass_.data(), W_.data());
  const double damping = scale_ * velocity_factor_;
  if (shared && shares_ && model_->has_tangent()) {
    for_shares([&](int share) { shares_->add_tangent(share, now, scale_, damping, W_.data()); });
  } else if (model_->has_tangent()) {
    model_->add_tangent(now, scale_, damping, W_.data());
  }
  invert_diagonal();
}

template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::iterate_once(const Instant& now) {
  expected_ = bounded_ ? INFINITY : expected_correction();
  if (!bounded_) clock_.end(Phase::checks);
  form_tangent(now);
  solve(1);
  correct();
  if (options_.fixed_iterations > 0) return was_last(1);
  return bounded_ && bound_of_next() <= tolerance_;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::iterate_on(const Instant& now) {
  const bool counted = options_.fixed_iterations > 0;
  const int most = counted ? options_.fixed_iterations : options_.max_iterations;
  for (int iteration = 1;; ++iteration) {
    Cancellation::check();
    iterations_ = iteration;
    const double before = largest_absolute(phi_.data(), m_), last_correction = correction_;
    keep_correction();
    evaluate(now);
    if (options_.printed) update_as_printed();
    if (!counted) shorten_correction(now, expected_);
    const double expected = expected_ = expected_correction();
    stiffen_if_slow(before);
    clock_.end(Phase::checks);
    if (!std::isfinite(expected)) fail(iteration, not_finite);
    // Near a singular position a small residual may still ask for a large correction: one more iteration tells.
    const bool small = expected <= tolerance_ && (!bounded_ || iteration > sure_iterations);
    if (counted ? iteration == most : small) return;
    if (!counted && is_stuck_at_singularity(iteration, expected)) return;
    if (iteration >= most) fail(iteration, "the iteration does not converge");
    form_tangent(now);
    solve(iteration + 1);
    correct();
    if (counted ? was_last(iteration + 1) : bounded_ && correction_ * correction_ / last_correction <= tolerance_)
      return;
  }
}

// A correction that made things much worse (across an impact, say) is taken back by halves.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::shorten_correction(const Instant& now, double last) {
  const double to_multiplier = options_.printed ? 0.0 : multiplier_factor_;
  double part = 0.5;
  for (int halving = 0; halving < max_halvings && !(expected_correction() <= worst_growth * last);
       ++halving, part *= 0.5) {
    move(-part, change_.data());
    for (int r = 0; r < m_; ++r) next_.multipliers[r] += to_multiplier * part * mu_[r];
    evaluate(now);
  }
}

// What the next correction can be at most, without evaluating anything: what the constraints leave, of their linear
// part and beyond it, and what their turning does to the multipliers' forces. Infinite where the model gives no bound.
template <bool shared, class Clock>
double Index3Stepper<shared, Clock>::bound_of_next() const {
  const double beyond = curvature_ * correction_;
  return violation_ + beyond * correction_ + 2.0 * beyond * largest_multiplier_ * lightest_;
}

// The solution for the residual in place is the excess.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::solve(int iteration) {
  try {
    system_->solve_anew(W_.data(), same_W_, J_.data(), residual_.data(), phi_.data(), mu_.data());
  } catch (const linear::SingularMatrix& singular) {
    fail(iteration, "the tangent matrix is singular" + place_of(*model_, singular.equation));
  }
  ++statistics_.factorisations;
  same_W_ = constant_W_;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::correct() {
  correction_ = move(1.0, residual_.data());
  if (!options_.printed) add_multipliers();
  multipliers_are_zero_ = false;
  ++statistics_.iterations;
  clock_.end(Phase::correction);
}

// Takes a part of what is too much away; returns the largest of it.
template <bool shared, class Clock>
double Index3Stepper<shared, Clock>::move(double part, const double* change) {
  const double to_auxiliary = auxiliary_factor_, to_velocity = velocity_factor_;
  double *q = next_.q.data(), *v = next_.v.data(), *auxiliary = leading().data();
  const auto largest = largest_in_ranges(n_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    std::array<Largest, 1> found;
    in_pairs(begin, end, [&](int i, auto pair) {
      const auto dq = part * pair.one_by_one(change + i, 1);
      (pair.at(q + i) - dq).write(q + i);
      (pair.at(v + i) - to_velocity * dq).write(v + i);
      (pair.at(auxiliary + i) - to_auxiliary * dq).write(auxiliary + i);
      for (int k = 0; k < pair.size; ++k) found[0].take(dq.value[k]);
    });
    return found;
  });
  if (!plain_) {
    for (int i = 0; i < n_; ++i) next_.a[i] -= part * multiplier_factor_ * change[i];
  }
  return largest[0].value();
}

// Also finds how large the increments are, and what the linear part of Phi leaves of it.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::add_multipliers() {
  const double to_multiplier = multiplier_factor_, *mu = mu_.data(), *compliance = applied_compliance_.data();
  double* multipliers = next_.multipliers.data();
  const bool fresh = multipliers_are_zero_;
  const auto found = largest_in_ranges(m_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    std::array<Largest, 2> of;
    for (int r = begin; r < end; ++r) {
      const double increment = mu[r];
      multipliers[r] = (fresh ? 0.0 : multipliers[r]) - to_multiplier * increment;
      of[0].take(compliance[r] * increment);
      of[1].take(increment);
    }
    return of;
  });
  violation_ = found[0].value();
  largest_multiplier_ = found[1].value();
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::project(const Instant& now) {
  if (!options_.project_velocities && !hermite_) return;
  // The next step looks at them if it does not begin with zeros.
  const bool looked_at = options_.shows_multipliers || !options_.reset_multipliers;
  const bool improves_multipliers = looked_at && options_.project_accelerations && !options_.printed;
  double* const multipliers = next_.multipliers.data();
  solve_three(now, next_.a.data(), multipliers, improves_multipliers ? multipliers : nullptr);
  if (hermite_) return;  // `accept_by_jerk` takes them
  const double *const sides = three_.data(), part = options_.project_accelerations ? leading_per_acceleration_ : 0.0;
  double *v = next_.v.data(), *a = leading().data();
  in_ranges(n_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    in_pairs(begin, end, [&](int i, auto pair) {
      const double* const side = sides + 3 * static_cast<std::ptrdiff_t>(i);
      (pair.at(v + i) - pair.one_by_one(side, 3)).write(v + i);
      (pair.at(a + i) - part * pair.one_by_one(side + 1, 3)).write(a + i);
    });
  });
}

// Velocities, accelerations and, for Hermite's rule, the jerk, with one factorisation and at once:
//
//     [W J^T; J -D] [-dv -da -j] = [ 0, 0, (J')^T lambda;  J v + Phi_t, J a + rest, terms ].
//
// As increments, so that what is right already is not rounded again. J is the one that was factorised: a newer one
// would differ by little, but that little would be multiplied by the penalty. The rate of the applied forces is left
// out of the jerk: springs then see the plain trapezoidal rule, which is stable for all of them, and what constraints
// do is of order 4.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::solve_three(const Instant& now, const double* a, const double* multipliers,
                                               double* improved) {
  in_ranges(static_cast<int>(residual_.size()),
            [places = residual_.data()](int begin, int end)
                COUNTERPOINT_INLINE_LAMBDA { std::fill(places + begin, places + end, 0.0); });
  double *const top = three_.data(), *const bottom = top + 3 * static_cast<std::size_t>(room_),
                *const carried = residual_.data();
  if (shared && shares_) {
    for_shares([&](int share) { shares_->projection_terms(share, now, a, multipliers, bottom, carried); });
  } else {
    model_->projection_terms(now, a, multipliers, bottom, carried);
  }
  in_ranges(n_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    double* place = top + 3 * static_cast<std::ptrdiff_t>(begin);
    for (int i = begin; i < end; ++i, place += 3) {
      place[0] = place[1] = 0.0;
      place[2] = carried[i];
    }
  });
  system_->project(now.v, a, top, improved);
}

// Nothing fails here.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::finish(State& state, Instant& now) {
  if (!plain_) lean(state);
  accept(state);
  if (model_->inputs() > 0) keep_inputs(state, now, model_->inputs());
  if (model_->memory() > 0) {
    now.q = state.q.data();
    now.v = state.v.data();
    next_.memory = state.memory;
    model_->accept(now, next_.memory.data());
    state.memory.swap(next_.memory);
  }
  ++statistics_.steps;
  statistics_.worst_violation = std::max(statistics_.worst_violation, violation_);
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::accept(State& state) noexcept {
  state.t = next_.t;
  state.previous_step = coefficients_for_;
  // Where constraints are singular for a moment, a penalty that stays high would throw the mechanism off the next time.
  state.stiffening = std::max(1.0, 0.5 * next_.stiffening);
  state.multipliers.swap(next_.multipliers);
  if (hermite_) return accept_by_jerk(state);
  state.q.swap(next_.q);
  state.v.swap(next_.v);
  state.previous.swap(plain_ ? state.a : state.auxiliary);
  if (!plain_) state.auxiliary.swap(next_.auxiliary);
  state.a.swap(next_.a);
}

// With the projections, on the way: of vectors that are exchanged, the next step would wait for the pointers.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::accept_by_jerk(State& state) const noexcept {
  const double *const sides = three_.data(), *q1 = next_.q.data(), *v1 = next_.v.data(), *a1 = next_.a.data();
  double *q = state.q.data(), *v = state.v.data(), *a = state.a.data(), *jerk = state.jerk.data(),
         *before = state.previous_jerk.data();
  const double ratio = ratio_, twelfth = h_ * h_ * (1.0 / 12.0), part = options_.project_accelerations ? 1.0 : 0.0;
  in_ranges(n_, [=](int begin, int end) COUNTERPOINT_INLINE_LAMBDA {
    in_pairs(begin, end, [&](int i, auto pair) {
      const double* const side = sides + 3 * static_cast<std::ptrdiff_t>(i);
      const auto last = pair.at(jerk + i), predicted = last + ratio * (last - pair.at(before + i)),
                 third = pair.one_by_one(side + 2, 3);
      last.write(before + i);
      (-third).write(jerk + i);
      pair.at(q1 + i).write(q + i);
      (((pair.at(v1 + i) + twelfth * predicted) - pair.one_by_one(side, 3)) + twelfth * third).write(v + i);
      (pair.at(a1 + i) - part * pair.one_by_one(side + 1, 3)).write(a + i);
    });
  });
}

template <class Clock>
StepperPointer make_index3_stepper_with(ModelPointer model, const StepperOptions& options) {
  const bool large = model->coordinates() >= smallest_shared && options.system == SystemForm::condensed;
  if (large) return std::make_unique<Index3Stepper<true, Clock>>(std::move(model), options);
  return std::make_unique<Index3Stepper<false, Clock>>(std::move(model), options);
}

}  // namespace counterpoint::multibody
