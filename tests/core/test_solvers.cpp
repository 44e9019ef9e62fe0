#include <random>

#include "../../core/check.hpp"

#include "check.hpp"
#include "models.hpp"
#include "ode/method.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

struct Case {
  const char* name;
  int order;
};

// Explicit and implicit, fixed and variable step; the last one with numerical damping has order 1.
const std::vector<Case> solvers{{"ode1", 1}, {"ode2", 2},    {"ode3", 3},       {"ode4", 4},
                                {"ode5", 5}, {"ode23", 3},   {"ode45", 5},      {"ode23s", 2},
                                {"bdf2", 2}, {"newmark", 2}, {"trapezoidal", 2}};

/// Error control that never speaks: the pair then is a fixed-step method of its order.
SolverOptions wide_open() {
  SolverOptions options;
  options.relative_tolerance = 1e9;
  options.absolute_tolerance = 1e9;
  options.first_step = 1e6;
  return options;
}

// q'' = -q^3 + u(t) - cos t with u = cos^3 t has the solution q = cos t.
void cubic_spring(double t, const double* x, const double* u, double* dx) {
  dx[0] = x[1];
  dx[1] = -x[0] * x[0] * x[0] + u[0] - std::cos(t);
}
double cubed_cosine(double t) { return std::pow(std::cos(t), 3); }

// q'' = -4 q - 0.2 q' + u with u = 3 cos t - 0.2 sin t has the solution q = cos t.
double linear_load(double t) { return 3.0 * std::cos(t) - 0.2 * std::sin(t); }
std::shared_ptr<LinearRightHandSide> linear_spring() {
  Matrix a(2, 2);
  Matrix b(2, 1);
  a << 0, 1, -4, -0.2;
  b << 0, 1;
  return std::make_shared<LinearRightHandSide>(a, b);
}

/// Largest error of (q, v) at t = 2 after `steps` steps; uneven ones alternate 0.7 h and 1.3 h.
double error_at_two(const std::string& name, const RightHandSidePointer& f, double (*load)(double), int steps,
                    bool uneven, const SolverOptions& options = wide_open()) {
  SolverPointer solver = make_solver(ode_solver(name), f, options);
  LoneInputs inputs(1, std::make_shared<ExactSignal>(load));
  std::vector<double> x{1.0, 0.0};
  solver->start(0.0, x);
  const double h = 2.0 / steps;
  double t = 0.0;
  for (int k = 1; k <= steps; ++k) {
    const double end = uneven && k % 2 == 1 ? (k - 0.3) * h : k * h;
    solver->step(t, end, x.data(), inputs.get());
    t = end;
  }
  return std::max(std::abs(x[0] - std::cos(2.0)), std::abs(x[1] + std::sin(2.0)));
}

void check_order(const std::string& name, int order, const RightHandSidePointer& f, double (*load)(double)) {
  for (bool uneven : {false, true}) {
    const int steps = order >= 4 ? 32 : 128;
    const double coarse = error_at_two(name, f, load, steps, uneven);
    const double fine = error_at_two(name, f, load, 2 * steps, uneven);
    const double slope = std::log2(coarse / fine);
    if (std::abs(slope - order) > 0.25) {
      check::fail(__FILE__, __LINE__, name + (uneven ? " (uneven)" : "") + ": order " + check::number(slope));
    }
  }
}

// Random linear systems as matrices and as a compiled function.
Matrix shared_a;
Matrix shared_b;
void shared_linear(double, const double* x, const double* u, double* dx) {
  for (int i = 0; i < shared_a.rows(); ++i) {
    dx[i] = 0.0;
    for (int j = 0; j < shared_a.cols(); ++j) dx[i] += shared_a(i, j) * x[j];
    for (int j = 0; j < shared_b.cols(); ++j) dx[i] += shared_b(i, j) * u[j];
  }
}

void random_linear(std::mt19937& random, int states, int inputs) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  shared_a = Matrix::NullaryExpr(states, states, [&] { return entry(random); });
  shared_b = Matrix::NullaryExpr(states, inputs, [&] { return entry(random); });
  // The second half are velocities of the first where Newmark is to work.
  if (states % 2 == 0) {
    shared_a.topRows(states / 2).setZero();
    shared_a.topRightCorner(states / 2, states / 2).setIdentity();
    shared_b.topRows(states / 2).setZero();
  }
}

std::vector<double> walk(Solver& solver, std::vector<double> x, Inputs& u, const std::vector<double>& times) {
  for (std::size_t k = 1; k < times.size(); ++k) solver.step(times[k - 1], times[k], x.data(), u);
  return x;
}

}  // namespace

TEST(every_solver_has_its_order_on_a_nonlinear_model_with_an_input) {
  const auto f = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  for (const Case& c : solvers) check_order(c.name, c.order, f, cubed_cosine);
}

TEST(every_solver_has_its_order_on_a_linear_model_with_an_input) {
  for (const Case& c : solvers) check_order(c.name, c.order, linear_spring(), linear_load);
}

TEST(newmark_with_numerical_damping_has_order_one) {
  SolverOptions options;
  options.gamma = 0.6;
  options.beta = 0.3025;
  const auto f = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  const double coarse = error_at_two("newmark", f, cubed_cosine, 200, false, options);
  const double fine = error_at_two("newmark", f, cubed_cosine, 400, false, options);
  CHECK_CLOSE(1.0, std::log2(coarse / fine), 0.1);
}

TEST(newmark_with_a_quarter_and_a_half_is_the_trapezoidal_rule) {
  // Both solve the same equations; Newton stops at 1e-11 of the state, steps add up.
  const auto nonlinear = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  LoneInputs u(1, std::make_shared<ExactSignal>(cubed_cosine));
  for (const RightHandSidePointer& f : {RightHandSidePointer(linear_spring()), RightHandSidePointer(nonlinear)}) {
    std::vector<double> x{1.0, 0.5};
    std::vector<double> z = x;
    SolverPointer newmark = make_newmark(f, 0.25, 0.5);
    SolverPointer trapezoidal = make_trapezoidal(f);
    for (int k = 0; k < 100; ++k) {
      newmark->step(0.05 * k, 0.05 * (k + 1), x.data(), u.get());
      trapezoidal->step(0.05 * k, 0.05 * (k + 1), z.data(), u.get());
      for (int i = 0; i < 2; ++i) CHECK_CLOSE(z[i], x[i], 1e-9);
    }
  }
}

TEST(the_linear_fast_path_gives_what_the_general_path_gives) {
  std::mt19937 random(7);
  for (int states = 1; states <= 6; ++states) {
    for (int inputs = 0; inputs <= 3; ++inputs) {
      random_linear(random, states, inputs);
      const auto linear = std::make_shared<LinearRightHandSide>(shared_a, shared_b);
      const auto general = std::make_shared<CompiledRightHandSide>(states, inputs, shared_linear);
      LoneInputs u(inputs, std::make_shared<ExactSignal>([](double t) { return std::sin(3.0 * t); }));
      for (const Case& c : solvers) {
        if (std::string(c.name) == "newmark" && states % 2 != 0) continue;
        SolverPointer fast = make_solver(ode_solver(c.name), linear, wide_open());
        SolverPointer slow = make_solver(ode_solver(c.name), general, wide_open());
        std::vector<double> x(states);
        for (int i = 0; i < states; ++i) x[i] = 1.0 - 0.3 * i;
        std::vector<double> z = x;
        fast->start(0.0, x);
        slow->start(0.0, z);
        std::vector<double> times{0.0, 0.1, 0.2, 0.3, 0.35, 0.5, 0.6, 0.7};
        x = walk(*fast, x, u.get(), times);
        z = walk(*slow, z, u.get(), times);
        // Explicit: rounding of a few hundred operations. Implicit: a difference Jacobian.
        const bool implicit = c.name[0] != 'o' || std::string(c.name) == "ode23s";
        for (int i = 0; i < states; ++i) CHECK_CLOSE(z[i], x[i], implicit ? 1e-10 : 1e-14 * (1.0 + std::abs(z[i])));
      }
    }
  }
}

TEST(a_solver_that_starts_again_forgets_the_steps_of_the_last_run) {
  const std::vector<double> first{0.0, 0.1, 0.2, 0.3};
  const std::vector<double> second{0.0, 0.1 + 3e-10, 0.2 + 6e-10, 0.3 + 9e-10};  // the same up to rounding
  for (const Case& c : solvers) {
    LoneInputs u(1, std::make_shared<ExactSignal>(linear_load));
    SolverPointer fresh = make_solver(ode_solver(c.name), linear_spring(), wide_open());
    SolverPointer used = make_solver(ode_solver(c.name), linear_spring(), wide_open());
    const std::vector<double> x{1.0, 0.0};
    used->start(0.0, x);
    walk(*used, x, u.get(), first);
    used->start(0.0, x);
    fresh->start(0.0, x);
    CHECK(walk(*used, x, u.get(), second) == walk(*fresh, x, u.get(), second));
  }
}

TEST(the_fast_path_sees_every_piece_of_the_input) {
  // A held table changes in the middle of a step: stages before and after must see both sides.
  Matrix a = Matrix::Zero(1, 1);
  Matrix b = Matrix::Ones(1, 1);
  SolverPointer solver = make_solver(OdeSolver::ode4, std::make_shared<LinearRightHandSide>(a, b), {});
  LoneInputs u(1, std::make_shared<ExactSignal>([](double t) { return t < 0.25 ? 0.0 : 6.0; }));
  std::vector<double> x{0.0};
  solver->step(0.0, 0.4, x.data(), u.get());  // weights 1/6 (u=0), 2/3 at 0.2 (u=0), 1/6 at 0.4 (u=6)
  CHECK_CLOSE(0.4, x[0], 1e-15);
}

TEST(steps_equal_up_to_rounding_are_the_same_step) {
  // 0.1, 0.2, 0.3 ... differ by rounding: the map is gathered once, and the solution stays right to 1e-8 of a step.
  SolverPointer solver = make_solver(OdeSolver::ode4, linear_spring(), {});
  LoneInputs u(1, std::make_shared<ExactSignal>(linear_load));
  std::vector<double> x{1.0, 0.0};
  for (int k = 0; k < 1000; ++k) solver->step(0.002 * k, 0.002 * (k + 1), x.data(), u.get());
  CHECK_CLOSE(std::cos(2.0), x[0], 1e-11);
}

TEST(a_step_that_drifts_slowly_is_followed) {
  // Each step differs from the last by less than the rounding allowance; together they double.
  SolverPointer fast = make_solver(OdeSolver::ode2, linear_spring(), {});
  SolverPointer slow = make_solver(OdeSolver::ode2, std::make_shared<CompiledRightHandSide>(2, 1, shared_linear), {});
  shared_a = linear_spring()->a();
  shared_b = linear_spring()->b();
  LoneInputs u(1, std::make_shared<ExactSignal>(linear_load));
  std::vector<double> x{1.0, 0.0};
  std::vector<double> z = x;
  double t = 0.0;
  for (double h = 1e-4; h < 1.0001e-4; h *= 1.0 + 5e-9) {
    fast->step(t, t + h, x.data(), u.get());
    slow->step(t, t + h, z.data(), u.get());
    t += h;
  }
  // 20 000 steps, each wrong by at most 1e-8 of its increment of about 1e-4.
  CHECK_CLOSE(z[0], x[0], 2e-8);
}

TEST(restore_gives_the_same_bits_for_every_solver) {
  const auto nonlinear = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  LoneInputs u(1, std::make_shared<ExactSignal>(cubed_cosine));
  for (const RightHandSidePointer& f : {RightHandSidePointer(linear_spring()), RightHandSidePointer(nonlinear)}) {
    for (const Case& c : solvers) {
      const auto make = [&] {
        auto s = std::make_unique<OdeSubsystem>(f, make_state_output(2), std::vector<double>{1.0, 0.0},
                                                ode_solver(c.name), SolverOptions{});
        s->start(0.0);
        return s;
      };
      for (int steps_before : {0, 1, 2, 5}) {
        auto subsystem = make();
        double t = 0.0;
        for (int k = 0; k < steps_before; ++k, t += 0.1) subsystem->step(t, t + 0.1, u.get());
        const std::unique_ptr<SavedState> saved = subsystem->save();
        const double back = t;
        std::vector<double> first;
        std::vector<double> second;
        std::vector<double> elsewhere;
        const auto go_on = [&](OdeSubsystem& s, std::vector<double>& log) {
          double time = back;
          for (double h : {0.1, 0.1, 0.05, 0.05, 0.2, 0.1}) {
            s.step(time, time + h, u.get());
            time += h;
            log.insert(log.end(), s.state().begin(), s.state().end());
            log.push_back(s.preferred_step());
          }
        };
        go_on(*subsystem, first);
        subsystem->restore(*saved);
        go_on(*subsystem, second);
        if (first != second) check::fail(__FILE__, __LINE__, std::string(c.name) + ": other bits after restore");
        auto other = make();
        other->restore(*saved);
        go_on(*other, elsewhere);
        if (first != elsewhere)
          check::fail(__FILE__, __LINE__, std::string(c.name) + ": other bits in a second object");
      }
    }
  }
}

TEST(start_begins_another_run_with_the_same_bits) {
  const auto nonlinear = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  LoneInputs u(1, std::make_shared<ExactSignal>(cubed_cosine));
  for (const RightHandSidePointer& f : {RightHandSidePointer(linear_spring()), RightHandSidePointer(nonlinear)}) {
    for (const Case& c : solvers) {
      OdeSubsystem subsystem(f, make_state_output(2), {1.0, 0.0}, ode_solver(c.name), {});
      std::vector<double> runs[2];
      for (std::vector<double>& log : runs) {
        subsystem.start(0.0);
        for (int k = 0; k < 7; ++k) {
          subsystem.step(0.13 * k, 0.13 * (k + 1), u.get());
          log.insert(log.end(), subsystem.state().begin(), subsystem.state().end());
        }
      }
      if (runs[0] != runs[1]) check::fail(__FILE__, __LINE__, std::string(c.name) + ": the second run differs");
    }
  }
}

TEST(variable_step_solvers_keep_the_error_near_the_tolerance) {
  const auto f = std::make_shared<CompiledRightHandSide>(2, 1, cubic_spring);
  for (const char* name : {"ode23", "ode45", "ode23s"}) {
    double before = 1.0;
    for (double tolerance : {1e-4, 1e-6, 1e-8}) {
      SolverOptions options;
      options.relative_tolerance = tolerance;
      options.absolute_tolerance = 1e-3 * tolerance;
      const double error = error_at_two(name, f, cubed_cosine, 4, false, options);
      // Global error over two time units: a small multiple; a method of order 2 adds up more steps.
      CHECK(error < (std::string(name) == "ode23s" ? 500.0 : 20.0) * tolerance);
      CHECK(error < before);
      before = error;
    }
  }
}

TEST(max_step_limits_the_wish_and_first_step_sets_it) {
  SolverOptions options;
  options.max_step = 0.01;
  options.first_step = 0.005;
  SolverPointer solver = make_solver(OdeSolver::ode45, linear_spring(), options);
  LoneInputs u(1, std::make_shared<ExactSignal>(linear_load));
  std::vector<double> x{1.0, 0.0};
  solver->start(0.0, x);
  CHECK_CLOSE(0.005, solver->preferred_step(), 0.0);
  solver->step(0.0, 1.0, x.data(), u.get());
  CHECK_CLOSE(0.01, solver->preferred_step(), 0.0);
}

TEST(a_solution_that_grows_without_bound_is_a_solver_failure_that_says_where) {
  const auto f = std::make_shared<CompiledRightHandSide>(
      1, 0, [](double, const double* x, const double*, double* dx) { dx[0] = x[0] * x[0]; });
  LoneInputs u(0, nullptr);
  for (const char* name : {"ode23", "ode45", "ode23s"}) {
    SolverPointer solver = make_solver(ode_solver(name), f, {});
    std::vector<double> x{1.0};  // 1 / (1 - t)
    solver->start(0.0, x);
    // The error made on the way moves the pole: by 4e-5 for the method of order 2.
    CHECK_THROWS(SolverFailure, std::string(name) == "ode23s" ? "at t = 0.9999" : "at t = 1",
                 solver->step(0.0, 2.0, x.data(), u.get()));
  }
}

TEST(a_right_hand_side_that_is_nan_is_a_solver_failure_not_a_hang) {
  const auto f = std::make_shared<CompiledRightHandSide>(
      1, 0, [](double t, const double*, const double*, double* dx) { dx[0] = t > 0.5 ? NAN : 1.0; });
  LoneInputs u(0, nullptr);
  for (const char* name : {"ode23", "ode45", "ode23s"}) {
    SolverPointer solver = make_solver(ode_solver(name), f, {});
    std::vector<double> x{1.0};
    solver->start(0.0, x);
    // ode23s looks a little ahead for the slope in time.
    CHECK_THROWS(SolverFailure, std::string(name) == "ode23s" ? "at t = 0.49999999" : "at t = 0.5",
                 solver->step(0.0, 2.0, x.data(), u.get()));
  }
}

TEST(newton_that_does_not_converge_is_a_solver_failure_that_says_what_to_do) {
  const auto f =
      std::make_shared<CompiledRightHandSide>(2, 0, [](double t, const double* x, const double*, double* dx) {
        dx[0] = x[1];
        dx[1] = t > 0.0 ? 1e9 * (x[0] > 0.3 ? -1.0 : 1.0) : 0.0;  // no solution of the implicit equation
      });
  LoneInputs u(0, nullptr);
  for (const char* name : {"trapezoidal", "newmark"}) {
    SolverPointer solver = make_solver(ode_solver(name), f, {});
    std::vector<double> x{0.29, 0.0};
    solver->start(0.0, x);
    CHECK_THROWS(SolverFailure, "try a smaller step", solver->step(0.0, 0.1, x.data(), u.get()));
  }
}

TEST(unknown_solvers_and_impossible_options_are_refused) {
  CHECK_THROWS(std::invalid_argument, "no solver \"ode9\"", ode_solver("ode9"));
  CHECK_THROWS(UserError, "no solver \"ode0\"; expected ode1, ode2", ode_solver("ode0"));
  CHECK_THROWS(UserError, "no solver \"bdf2\" for models with events", make_method(OdeSolver::bdf2, 2, {}));
  const auto odd = std::make_shared<LinearRightHandSide>(Matrix::Zero(3, 3), Matrix::Zero(3, 1));
  CHECK_THROWS(std::invalid_argument, "3 states", make_solver(OdeSolver::newmark, odd, {}));
  CHECK_THROWS(std::invalid_argument, "gamma = 0.4", make_newmark(linear_spring(), 0.25, 0.4));
  CHECK_THROWS(std::invalid_argument, "beta = 0.9", make_newmark(linear_spring(), 0.9, 0.5));
}

TEST(stiff_models_are_stable_with_the_implicit_solvers) {
  const auto f = std::make_shared<CompiledRightHandSide>(2, 0, [](double, const double* x, const double*, double* dx) {
    dx[0] = x[1];
    dx[1] = -1e6 * x[0] - 1e4 * x[1];
  });
  LoneInputs u(0, nullptr);
  for (const char* name : {"trapezoidal", "bdf2", "newmark", "ode23s"}) {
    SolverPointer solver = make_solver(ode_solver(name), f, {});
    std::vector<double> x{1.0, 0.0};
    solver->start(0.0, x);
    for (int k = 0; k < 200; ++k) solver->step(0.1 * k, 0.1 * (k + 1), x.data(), u.get());
    CHECK(std::abs(x[0]) < 1.0 + 1e-9);
  }
}

namespace {

/// dx/dt of the cubic spring with its input, as a method asks for it.
class CubicSlopes final : public Slopes {
 public:
  void evaluate(double t, int, const double* x, double* dx) override {
    const double u = cubed_cosine(t);
    cubic_spring(t, x, &u, dx);
    ++count;
  }
  int count = 0;
};

/// Largest error of the interpolant inside one step of size h from the exact solution at t = 0.3.
double interpolation_error(const char* name, double h) {
  const auto method = make_method(ode_solver(name), 2, wide_open());
  CubicSlopes f;
  const double t = 0.3;
  const double x[2] = {std::cos(t), -std::sin(t)};
  double first[2], end[2], inside[2];
  f.evaluate(t, 0, x, first);
  method->begin();
  method->attempt(t, t + h, x, first, end, f);
  double worst = 0.0;
  for (double s : {0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9}) {
    method->interpolate(t + s * h, inside);
    worst = std::max({worst, std::abs(inside[0] - std::cos(t + s * h)), std::abs(inside[1] + std::sin(t + s * h))});
  }
  return worst;
}

}  // namespace

TEST(dense_output_has_its_order) {
  // Local error of one step: a power above the order. Cubic for ode23, quartic for ode45, quadratic for ode23s.
  for (const Case& c : {Case{"ode23", 3}, Case{"ode45", 4}, Case{"ode23s", 2}}) {
    const double slope = std::log2(interpolation_error(c.name, 0.05) / interpolation_error(c.name, 0.025));
    if (std::abs(slope - (c.order + 1)) > 0.3)
      check::fail(__FILE__, __LINE__, std::string(c.name) + ": " + check::number(slope));
  }
}

TEST(dense_output_meets_both_ends_of_the_step) {
  for (const char* name : {"ode23", "ode45", "ode23s"}) {
    const auto method = make_method(ode_solver(name), 2, {});
    CubicSlopes f;
    const double x[2] = {1.0, 0.5};
    double first[2], end[2], at[2];
    f.evaluate(0.0, 0, x, first);
    method->begin();
    method->attempt(0.0, 0.5, x, first, end, f);
    method->interpolate(0.0, at);
    for (int i = 0; i < 2; ++i) CHECK_CLOSE(x[i], at[i], 1e-15);
    method->interpolate(0.5, at);
    for (int i = 0; i < 2; ++i) CHECK_CLOSE(end[i], at[i], 1e-15);
  }
}

TEST(the_stiff_solver_keeps_its_jacobian_while_a_step_is_tried_again) {
  const auto method = make_method(OdeSolver::ode23s, 2, {});
  CubicSlopes f;
  const double x[2] = {1.0, 0.5};
  double first[2], once[2], again[2];
  f.evaluate(0.0, 0, x, first);
  method->begin();
  method->attempt(0.0, 0.5, x, first, again, f);
  f.count = 0;
  method->attempt(0.0, 0.1, x, first, again, f);
  CHECK(f.count == 2);  // two stages, no Jacobian
  method->begin();
  method->attempt(0.0, 0.1, x, first, once, f);
  // The slope in time is taken over a shift that depends on the first attempt's step: rounding apart, the same.
  for (int i = 0; i < 2; ++i) CHECK_CLOSE(once[i], again[i], 1e-9);
}

TEST(the_stiff_solver_takes_few_steps_where_explicit_ones_take_many) {
  // Van der Pol's oscillator, mu = 1000: explicit methods need about 1e6 evaluations up to t = 700.
  static long count;
  const auto f = std::make_shared<CompiledRightHandSide>(2, 0, [](double, const double* x, const double*, double* dx) {
    ++count;
    dx[0] = x[1];
    dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
  });
  LoneInputs u(0, nullptr);
  SolverPointer solver = make_solver(OdeSolver::ode23s, f, {});
  std::vector<double> x{2.0, 0.0};
  count = 0;
  solver->start(0.0, x);
  solver->step(0.0, 700.0, x.data(), u.get());
  CHECK(count < 5000);
  CHECK_CLOSE(1.3428917, x[0], 2e-4);  // Radau with rtol 1e-11
}
