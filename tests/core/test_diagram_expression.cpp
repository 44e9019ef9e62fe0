#include "check.hpp"
#include "diagram/expression.hpp"

using namespace counterpoint::diagram;

namespace {

/// A program of x and y with one or more results.
struct Bound {
  explicit Bound(const char* text, ExpressionNames names = {{"x", "y"}, {}, false, {}, false})
      : expression(text, std::move(names)),
        registers(Program::registers(expression)),
        results(expression.results().size()) {
    std::vector<double*> to;
    for (double& value : results) to.push_back(&value);
    program.bind(expression, [&](int slot) { return slot < 0 ? &time : variables + slot; }, registers.data(), to);
  }
  double operator()(double x, double y, bool decides = true) {
    variables[0] = x;
    variables[1] = y;
    program.run(decides);
    return results.front();
  }
  std::size_t length() const { return program.code().size(); }

  Expression expression;
  std::vector<double> registers, results;
  double variables[2] = {0.0, 0.0}, time = 0.0;
  Program program;
};

}  // namespace

TEST(constants_are_folded) {
  Bound one("2 * 3 + sin(0) + 4 ** 2 - x * 0 ** 2");
  CHECK_CLOSE(22.0, one(5.0, 0.0), 0.0);
  CHECK(Bound("2 * 3 + sqrt(16)").length() == 1);  // a copy
}

TEST(the_same_part_is_computed_once) {
  // sin(x), its square, the sum of both
  CHECK(Bound("sin(x) + sin(x) * sin(x)").length() <= 3);
  CHECK(Bound("a = exp(x); b = exp(x) + y; c = exp(x)").length() == 3);
}

TEST(a_polynomial_becomes_one_instruction_a_power) {
  Bound cubic("1 - 2*x + 3*x**2 - 4*x**3");
  CHECK_CLOSE(1.0 - 4.0 + 12.0 - 32.0, cubic(2.0, 0.0), 0.0);
  CHECK(cubic.length() == 3);
}

TEST(common_factors_of_several_variables_are_put_outside) {
  Bound sum("0.25*x*y + 0.5*x*y**2 - 2*x**2*y");
  CHECK_CLOSE(0.25 * 6.0 + 0.5 * 2.0 * 9.0 - 2.0 * 4.0 * 3.0, sum(2.0, 3.0), 0.0);
  CHECK(sum.length() <= 4);
}

TEST(whole_powers_are_multiplications) {
  Bound power("x ** 10");
  CHECK_CLOSE(1024.0, power(2.0, 0.0), 0.0);
  CHECK(power.length() == 4);  // x^2, x^4, x^5, x^10
  CHECK_CLOSE(0.125, Bound("x ** -3")(2.0, 0.0), 0.0);
}

TEST(a_jump_is_held_until_it_may_be_decided) {
  Bound step("1 if x > y else 2");
  CHECK(Program::crossings(step.expression) == 1);
  CHECK_CLOSE(1.0, step(3.0, 2.0), 0.0);
  CHECK_CLOSE(1.0, step(1.0, 2.0, false), 0.0);
  CHECK_CLOSE(2.0, step(1.0, 2.0), 0.0);
  double g = 0.0;
  step(5.0, 2.0, false);
  step.program.crossing(&g);
  CHECK_CLOSE(-3.0, g, 0.0);
}

TEST(rounding_down_crosses_at_both_ends_of_its_stretch) {
  Bound whole("floor(x)");
  CHECK_CLOSE(2.0, whole(2.5, 0.0), 0.0);
  double g = 0.0;
  for (double x : {1.9, 3.1}) {
    whole(x, 0.0, false);
    whole.program.crossing(&g);
    CHECK(g < 0.0);
  }
  whole(2.9, 0.0, false);
  whole.program.crossing(&g);
  CHECK(g > 0.0);
}

TEST(time_in_a_state_is_compared_as_it_is_announced) {
  ExpressionNames names{{"x", "y"}, {}, false, {}, true};
  Bound due("after(0.1)", names);
  CHECK(due.expression.delays().size() == 1);
}
