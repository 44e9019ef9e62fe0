#include "check.hpp"
#include "models.hpp"
#include "ode/table.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {
Inputs& nothing() {
  static Inputs inputs{std::vector<double>{}};
  return inputs;
}
}  // namespace

TEST(a_table_draws_straight_lines_and_keeps_its_last_value) {
  Table table({0.0, 1.0, 3.0}, {0.0, 5.0, 10.0, 7.0, 20.0, 9.0}, 2, Table::Kind::linear);
  table.start(0.0);
  CHECK_CLOSE(0.0, table.output(0.0, nothing())[0], 0.0);
  CHECK_CLOSE(5.0, table.output(0.5, nothing())[0], 1e-15);
  CHECK_CLOSE(6.0, table.output(0.5, nothing())[1], 1e-15);
  CHECK_CLOSE(15.0, table.output(2.0, nothing())[0], 1e-15);
  CHECK_CLOSE(20.0, table.output(3.0, nothing())[0], 0.0);
  CHECK_CLOSE(20.0, table.output(99.0, nothing())[0], 0.0);
  CHECK_CLOSE(0.0, table.output(-5.0, nothing())[0], 0.0);  // before the first row: its value
}

TEST(a_held_table_changes_exactly_at_its_rows) {
  Table table({0.0, 0.1, 0.3}, {1.0, 2.0, 3.0}, 1, Table::Kind::hold);
  table.start(0.0);
  CHECK_CLOSE(1.0, table.output(0.0999, nothing())[0], 0.0);
  CHECK_CLOSE(2.0, table.output(0.1, nothing())[0], 0.0);
  CHECK_CLOSE(3.0, table.output(0.1 + 0.2, nothing())[0], 0.0);        // 0.30000000000000004
  CHECK_CLOSE(3.0, table.output(0.1 * 3 - 1e-16, nothing())[0], 0.0);  // a clock that rounded
}

TEST(a_table_at_its_own_pace_steps_from_row_to_row) {
  Table table({0.5, 1.0, 3.0}, {1.0, 2.0, 3.0}, 1, Table::Kind::linear);
  table.start(0.0);
  CHECK_CLOSE(0.5, table.preferred_step(), 0.0);
  table.step(0.0, 0.5, nothing());
  CHECK_CLOSE(0.5, table.preferred_step(), 0.0);
  table.step(0.5, 1.0, nothing());
  CHECK_CLOSE(2.0, table.preferred_step(), 0.0);
  table.step(1.0, 3.0, nothing());
  CHECK(table.preferred_step() > 0.0);
}

TEST(a_table_saves_and_restores_where_it_stands) {
  Table table({0.0, 1.0, 3.0}, {1.0, 2.0, 3.0}, 1, Table::Kind::linear);
  table.start(0.0);
  table.step(0.0, 1.0, nothing());
  const std::unique_ptr<SavedState> saved = table.save();
  table.step(1.0, 3.0, nothing());
  table.restore(*saved);
  CHECK_CLOSE(2.0, table.preferred_step(), 0.0);
}

TEST(outputs_are_c_x_plus_d_u) {
  Matrix a = Matrix::Zero(2, 2);
  Matrix b = Matrix::Zero(2, 1);
  Matrix c(3, 2);
  Matrix d(3, 1);
  c << 1, 2, 3, 4, 5, 6;
  d << 0, 10, 0;
  OdeSubsystem model(std::make_shared<LinearRightHandSide>(a, b), make_linear_output(c, d), {1.0, 1.0}, OdeSolver::ode1,
                     {});
  LoneInputs u(1, std::make_shared<ExactSignal>([](double t) { return t; }));
  model.start(0.0);
  const double* y = model.output(2.0, u.get());
  CHECK_CLOSE(3.0, y[0], 0.0);
  CHECK_CLOSE(27.0, y[1], 0.0);
  CHECK_CLOSE(11.0, y[2], 0.0);
  CHECK(model.offers_derivatives());
  CHECK(model.uses_input_slopes());  // D du/dt
}

TEST(output_derivatives_follow_from_the_right_hand_side) {
  Matrix a(2, 2);
  Matrix b(2, 1);
  Matrix c(1, 2);
  a << 0, 1, -4, 0;
  b << 0, 1;
  c << 2, 1;
  OdeSubsystem model(std::make_shared<LinearRightHandSide>(a, b), make_linear_output(c, Matrix::Zero(1, 1)), {1.0, 3.0},
                     OdeSolver::ode1, {});
  LoneInputs u(1, std::make_shared<ExactSignal>([](double t) { return 5.0 * t; }));
  model.start(0.0);
  CHECK(model.offers_derivatives());
  CHECK_CLOSE(2.0 * 3.0 + (-4.0 + 10.0), model.output_derivative(2.0, u.get())[0], 1e-14);
}

TEST(products_of_any_size_agree) {
  // Above 64 entries Eigen takes over from the plain loop.
  for (int n : {1, 3, 8, 9, 20}) {
    Matrix a = Matrix::Identity(n, n) * 2.0;
    LinearRightHandSide f(a, Matrix::Ones(n, 2));
    std::vector<double> x(n, 1.5);
    std::vector<double> dx(n);
    const double u[2] = {1.0, -0.25};
    f.evaluate(0.0, x.data(), u, dx.data());
    for (double value : dx) CHECK_CLOSE(3.75, value, 1e-15);
  }
}
