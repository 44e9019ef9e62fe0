#include <random>

#include "check.hpp"
#include "signal/approximation.hpp"

using namespace counterpoint;

namespace {

constexpr double tolerance = 1e-9;

/// Samples of a polynomial in t on a grid, all of them visible.
struct Grid {
  Grid(std::vector<double> at, std::vector<double> powers, bool slopes, int width = 1)
      : coefficients(std::move(powers)), times(std::move(at)), history(width, slopes) {
    history.make_room(0, times.size());
    for (double t : times) {
      std::vector<double> y(width);
      std::vector<double> dy(width);
      for (int j = 0; j < width; ++j) {
        y[j] = value(t, j);
        dy[j] = slope(t, j);
      }
      history.append(t, y.data(), dy.data());
    }
    history.commit();
  }
  double value(double t, int j = 0) const {
    double sum = 0.0;
    for (std::size_t d = coefficients.size(); d-- > 0;) sum = sum * t + coefficients[d];
    return (1.0 + j) * sum + j;
  }
  double slope(double t, int j = 0) const {
    double sum = 0.0;
    for (std::size_t d = coefficients.size(); d-- > 1;) sum = sum * t + static_cast<double>(d) * coefficients[d];
    return (1.0 + j) * sum;
  }
  Samples samples() const { return {&history, 0, history.end(), 0, history.width(), tolerance}; }

  std::vector<double> coefficients;
  std::vector<double> times;
  History history;
};

std::vector<double> random_grid(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> gap(0.05, 0.4);
  std::vector<double> times{-0.5};
  while (static_cast<int>(times.size()) < count) times.push_back(times.back() + gap(random));
  return times;
}

std::vector<double> random_powers(std::mt19937& random, int degree) {
  std::uniform_real_distribution<double> coefficient(-1.0, 1.0);
  std::vector<double> powers(degree + 1);
  for (double& c : powers) c = coefficient(random);
  return powers;
}

double at(const Approximation& approximation, const Samples& samples, double t, const ConsumerStep& step = {}) {
  Polynomial polynomial(samples.width);
  approximation.build(samples, step, t, polynomial);
  std::vector<double> out(samples.width);
  polynomial.evaluate(t, out.data());
  return out[0];
}

/// Exact on polynomials of `degree` everywhere: before, between, on and beyond the samples.
void check_exact(const ApproximationPointer& approximation, int degree, bool slopes) {
  std::mt19937 random(17);
  for (int trial = 0; trial < 20; ++trial) {
    const Grid grid(random_grid(random, 12), random_powers(random, degree), slopes);
    std::uniform_real_distribution<double> inside(grid.times[5], grid.times.back() + 0.4);
    for (int k = 0; k < 20; ++k) {
      const double t = inside(random);
      CHECK_CLOSE(grid.value(t), at(*approximation, grid.samples(), t), 1e-9 * (1.0 + std::abs(grid.value(t))));
    }
    for (std::size_t k = 6; k < 12; ++k) {
      CHECK_CLOSE(grid.value(grid.times[k]), at(*approximation, grid.samples(), grid.times[k]), 1e-9);
    }
  }
}

std::vector<ApproximationPointer> all() {
  std::vector<ApproximationPointer> list{make_hold(HoldSide::behind), make_hold(HoldSide::ahead), make_hermite(),
                                         make_mean(MeanKind::arithmetic), make_mean(MeanKind::time_weighted)};
  for (int order = 0; order <= 4; ++order) {
    list.push_back(make_lagrange(order));
    list.push_back(make_taylor(order));
    list.push_back(make_transition(order));
    list.push_back(make_least_squares(order, order + 3));
  }
  return list;
}

}  // namespace

TEST(in_a_repeat_samples_on_both_sides_make_the_first_interval_as_good_as_the_others) {
  std::mt19937 random(29);
  const auto check = [&](const ApproximationPointer& approximation, int degree, bool slopes) {
    CHECK(approximation->uses_both_sides());
    const Grid grid(random_grid(random, 9), random_powers(random, degree), slopes);
    Samples samples = grid.samples();
    samples.both_sides = true;
    std::uniform_real_distribution<double> anywhere(grid.times.front(), grid.times.back());
    for (int k = 0; k < 60; ++k) {
      const double t = anywhere(random);
      CHECK_CLOSE(grid.value(t), at(*approximation, samples, t), 1e-9 * (1.0 + std::abs(grid.value(t))));
    }
    CHECK_CLOSE(grid.value(grid.times[0]), at(*approximation, samples, grid.times[0]), 1e-9);
    CHECK_CLOSE(grid.value(grid.times[8]), at(*approximation, samples, grid.times[8]), 1e-9);
  };
  for (int trial = 0; trial < 10; ++trial) {
    for (int order = 2; order <= 4; ++order) {
      check(make_lagrange(order), order, false);
      check(make_taylor(order), order, false);
      check(make_taylor(order), order, true);
      check(make_least_squares(order, order + 2), order, false);
    }
    check(make_hermite(), 3, false);
    check(make_hermite(), 3, true);
  }
}

TEST(a_centred_stencil_has_as_many_samples_ahead_as_behind) {
  const Grid grid({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {0.0, 0.0, 0.0, 0.0, 1.0}, false);
  Samples samples = grid.samples();
  samples.both_sides = true;
  // The error of the cubic through a, b, c, d on t^4 is (t - a)(t - b)(t - c)(t - d).
  const auto error = [&](double t) { return grid.value(t) - at(*make_lagrange(3), samples, t); };
  CHECK_CLOSE(1.5 * 0.5 * -0.5 * -1.5, error(2.5), 1e-9);   // 1, 2, 3, 4
  CHECK_CLOSE(0.5 * -0.5 * -1.5 * -2.5, error(0.5), 1e-9);  // 0, 1, 2, 3
  CHECK_CLOSE(2.5 * 1.5 * 0.5 * -0.5, error(5.5), 1e-9);    // 3, 4, 5, 6
}

TEST(lagrange_is_exact_on_polynomials_of_its_order) {
  for (int order = 0; order <= 4; ++order) check_exact(make_lagrange(order), order, false);
}

TEST(least_squares_is_exact_on_polynomials_of_its_order) {
  for (int order = 0; order <= 4; ++order) {
    for (int points : {order + 1, order + 2, order + 5}) check_exact(make_least_squares(order, points), order, false);
  }
}

TEST(taylor_is_exact_on_polynomials_of_its_order_with_and_without_slopes) {
  for (int order = 0; order <= 4; ++order) {
    check_exact(make_taylor(order), order, false);
    check_exact(make_taylor(order), order, true);
  }
}

TEST(hermite_is_exact_on_cubics_with_slopes_and_on_parabolas_without) {
  check_exact(make_hermite(), 3, true);
  check_exact(make_hermite(), 2, false);
}

TEST(holds_and_means_are_exact_on_constants) {
  for (const ApproximationPointer& a : {make_hold(HoldSide::behind), make_hold(HoldSide::ahead),
                                        make_mean(MeanKind::arithmetic), make_mean(MeanKind::time_weighted)}) {
    check_exact(a, 0, false);
  }
}

TEST(hold_takes_the_side_it_says_also_on_a_sample) {
  const Grid grid({0.0, 1.0, 3.0}, {0.0, 1.0}, false);
  const Samples s = grid.samples();
  const ApproximationPointer behind = make_hold(HoldSide::behind);
  const ApproximationPointer ahead = make_hold(HoldSide::ahead);
  CHECK_CLOSE(0.0, at(*behind, s, 0.5), 0.0);
  CHECK_CLOSE(1.0, at(*behind, s, 1.0), 0.0);
  CHECK_CLOSE(1.0, at(*behind, s, 1.0 - 0.1 * tolerance), 0.0);  // the same time
  CHECK_CLOSE(0.0, at(*behind, s, -1.0), 0.0);
  CHECK_CLOSE(3.0, at(*behind, s, 9.0), 0.0);
  CHECK_CLOSE(1.0, at(*ahead, s, 0.5), 0.0);
  CHECK_CLOSE(3.0, at(*ahead, s, 1.0), 0.0);  // strictly ahead
  CHECK_CLOSE(3.0, at(*ahead, s, 9.0), 0.0);
}

TEST(the_point_ahead_is_the_closest_one_strictly_later) {
  const Grid grid({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0}, false);
  const Samples s = grid.samples();
  CHECK(s.ahead_of(1.0) == 2);
  CHECK(s.ahead_of(1.0 - 0.1 * tolerance) == 2);
  CHECK(s.ahead_of(1.0 - 10.0 * tolerance) == 1);
  CHECK(s.ahead_of(-5.0) == 0);
  CHECK(s.ahead_of(3.0) == 3);
  CHECK(s.behind(3.0) == 3);
  CHECK(s.behind(1.0 - 0.1 * tolerance) == 1);
  CHECK(s.behind(-5.0) == 0);
}

TEST(a_short_history_lowers_the_order_to_what_the_samples_allow) {
  // With n samples an approximation is exact on polynomials of degree n - 1 at most of its own order.
  std::mt19937 random(5);
  for (int order = 0; order <= 4; ++order) {
    for (const ApproximationPointer& a :
         {make_lagrange(order), make_taylor(order), make_least_squares(order, order + 3)}) {
      for (int count = 1; count <= order + 1; ++count) {
        const int degree = std::min(order, count - 1);
        const Grid grid(random_grid(random, count), random_powers(random, degree), false);
        const double t = grid.times.back() + 0.3;
        CHECK_CLOSE(grid.value(t), at(*a, grid.samples(), t), 1e-9 * (1.0 + std::abs(grid.value(t))));
      }
    }
  }
}

TEST(every_approximation_works_with_one_sample) {
  for (const ApproximationPointer& a : all()) {
    const Grid grid({0.7}, {4.0}, false);
    for (double t : {-1.0, 0.7, 5.0}) CHECK_CLOSE(4.0, at(*a, grid.samples(), t, {0.7, 0.9, 0.7, nullptr}), 0.0);
  }
}

TEST(one_sample_with_a_slope_gives_a_line_to_hermite_and_taylor) {
  const Grid grid({1.0}, {1.0, 2.0}, true);
  for (const ApproximationPointer& a : {make_hermite(), make_taylor(1), make_taylor(4)}) {
    CHECK_CLOSE(7.0, at(*a, grid.samples(), 3.0), 1e-12);
  }
}

TEST(an_order_that_is_not_offered_is_refused_with_the_value_and_the_range) {
  CHECK_THROWS(std::invalid_argument, "lagrange: order 5", make_lagrange(5));
  CHECK_THROWS(std::invalid_argument, "expected an order from 0 to 4", make_lagrange(-1));
  CHECK_THROWS(std::invalid_argument, "taylor: order 5", make_taylor(5));
  CHECK_THROWS(std::invalid_argument, "transition: order 7", make_transition(7));
  CHECK_THROWS(std::invalid_argument, "least squares: order 9", make_least_squares(9, 12));
  CHECK_THROWS(std::invalid_argument, "2 points; order 2 needs 3 to 64", make_least_squares(2, 2));
  CHECK_THROWS(std::invalid_argument, "65 points", make_least_squares(2, 65));
}

TEST(variable_order_takes_the_order_that_would_have_predicted_best) {
  const ApproximationPointer variable = make_variable_order(0, 3);
  std::mt19937 random(53);
  for (int degree = 0; degree <= 3; ++degree) check_exact(variable, degree, false);
  const auto last = [&](std::vector<double> values) {
    History history(1, false);
    for (std::size_t k = 0; k < values.size(); ++k) history.append(0.1 * static_cast<double>(k), &values[k], nullptr);
    history.commit();
    const double t = 0.1 * static_cast<double>(values.size());
    const Samples samples{&history, 0, history.end(), 0, 1, tolerance};
    return at(*variable, samples, t, {t - 0.1, t, t - 0.2, nullptr});
  };
  CHECK_CLOSE(1.0, last({0.0, 0.0, 0.0, 0.0, 0.0, 1.0}), 1e-12);  // after a jump: hold
  CHECK_CLOSE(6.0, last({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}), 1e-12);
  CHECK_CLOSE(36.0, last({0.0, 1.0, 4.0, 9.0, 16.0, 25.0}), 1e-12);
  const double noisy = last({0.9, 1.1, 0.95, 1.05, 0.9, 1.1, 0.9, 1.1});
  CHECK(noisy > 0.8 && noisy < 1.2);          // a cubic would go to 2.7
  CHECK_CLOSE(2.0, last({0.0, 1.0}), 1e-12);  // too few samples to tell: a line
}

TEST(variable_order_looks_as_far_ahead_as_the_step_goes) {
  // Ten samples a period: the next sample is predicted best by the highest order, one a period ahead by none.
  History history(1, false);
  for (int k = 0; k < 40; ++k) {
    const double t = 0.1 * k, y = std::sin(6.0 * t);
    history.append(t, &y, nullptr);
  }
  history.commit();
  const Samples samples{&history, 0, history.end(), 0, 1, tolerance};
  const double from = 3.9;
  const auto degree = [&](double step) {
    Polynomial polynomial(1);
    make_variable_order(0, 4)->build(samples, {from, from + step, from - step, nullptr}, from, polynomial);
    return polynomial.degree;
  };
  CHECK(degree(0.1) == 4);
  CHECK(degree(1.2) < 4);
}

TEST(variable_order_refuses_orders_that_cross) {
  CHECK_THROWS(std::invalid_argument, "lowest order 3 lies above the highest one, 2", make_variable_order(3, 2));
  CHECK_THROWS(std::invalid_argument, "variable order: order 5", make_variable_order(0, 5));
}

TEST(every_component_of_a_vector_is_treated_alike) {
  std::mt19937 random(23);
  for (const ApproximationPointer& a : all()) {
    for (bool slopes : {false, true}) {
      const Grid grid(random_grid(random, 10), {0.3, -1.0, 0.7, 0.2}, slopes, 3);
      const Samples whole = grid.samples();
      std::vector<double> last{0.1, 0.2, 0.3};
      const ConsumerStep step{grid.times[6], grid.times[7], grid.times[5], last.data()};
      for (double t : {grid.times[6] + 0.01, grid.times[6], grid.times.back() + 0.2}) {
        Polynomial polynomial(3);
        a->build(whole, step, t, polynomial);
        double together[3];
        polynomial.evaluate(t, together);
        for (int j = 0; j < 3; ++j) {
          Samples one = whole;
          one.column = j;
          one.width = 1;
          const ConsumerStep alone{step.start, step.end, step.previous_start, &last[j]};
          // The least-squares solution works on all columns at once: equal up to rounding.
          CHECK_CLOSE(at(*a, one, t, alone), together[j], 1e-12);
        }
      }
    }
  }
}

TEST(a_polynomial_covers_the_time_it_was_built_at) {
  std::mt19937 random(31);
  for (const ApproximationPointer& a : all()) {
    const Grid grid(random_grid(random, 9), {0.3, -1.0, 0.7, 0.2}, false);
    std::uniform_real_distribution<double> anywhere(-1.0, grid.times.back() + 0.5);
    const ConsumerStep step{0.0, 0.2, -0.2, nullptr};
    std::vector<double> asked = grid.times;
    for (int k = 0; k < 50; ++k) asked.push_back(anywhere(random));
    for (double t : asked) {
      Polynomial polynomial(1);
      a->build(grid.samples(), step, t, polynomial);
      CHECK(polynomial.covers(t));
    }
  }
}

TEST(taylor_covers_the_middle_between_two_samples) {
  const Grid grid({0.0, 1.0, 2.0}, {0.0, 1.0}, false);
  Polynomial polynomial(1);
  make_taylor(1)->build(grid.samples(), {}, 0.5, polynomial);
  CHECK(polynomial.covers(0.5));
}

TEST(a_polynomial_agrees_with_one_built_anew_wherever_it_claims_to_be_right) {
  std::mt19937 random(41);
  for (const ApproximationPointer& a : all()) {
    for (bool slopes : {false, true}) {
      for (int count : {1, 2, 3, 5, 12}) {
        const Grid grid(random_grid(random, count), {0.3, -1.0, 0.7, 0.2, -0.1, 0.4}, slopes);
        std::uniform_real_distribution<double> anywhere(grid.times.front() - 0.3, grid.times.back() + 0.5);
        const ConsumerStep step{grid.times.front(), grid.times.front() + 0.3, grid.times.front() - 0.2, nullptr};
        for (int k = 0; k < 40; ++k) {
          Polynomial first(1);
          a->build(grid.samples(), step, anywhere(random), first);
          std::vector<double> asked = grid.times;
          for (int i = 0; i < 40; ++i) asked.push_back(anywhere(random));
          for (double t : asked) {
            if (!first.covers(t)) continue;
            Polynomial second(1);
            a->build(grid.samples(), step, t, second);
            CHECK(first.scalar(t) == second.scalar(t));
          }
        }
      }
    }
  }
}

TEST(later_samples_change_nothing_between_samples_that_were_there) {
  // Inputs keep a piece with a finite end when new samples come: it must be what would be built anew.
  std::mt19937 random(43);
  for (const ApproximationPointer& a : all()) {
    if (a->depends_on_step()) continue;
    for (bool slopes : {false, true}) {
      const Grid grid(random_grid(random, 14), {0.3, -1.0, 0.7, 0.2, -0.1, 0.4}, slopes);
      Samples early = grid.samples();
      early.end = 9;
      std::uniform_real_distribution<double> inside(grid.times[5], grid.times[8]);
      for (int k = 0; k < 50; ++k) {
        const double t = inside(random);
        Polynomial before(1);
        a->build(early, {}, t, before);
        if (before.to == Polynomial::infinity) continue;
        Polynomial after(1);
        a->build(grid.samples(), {}, t, after);
        CHECK(before.scalar(t) == after.scalar(t));
      }
    }
  }
}

TEST(forgetting_samples_beyond_points_behind_changes_no_bit) {
  std::mt19937 random(47);
  for (const ApproximationPointer& a : all()) {
    if (a->depends_on_step()) continue;
    for (bool slopes : {false, true}) {
      const Grid grid(random_grid(random, 20), {0.3, -1.0, 0.7, 0.2, -0.1, 0.4}, slopes);
      for (std::size_t start = 9; start < 19; ++start) {
        Samples kept = grid.samples();
        kept.begin = start + 1 - static_cast<std::size_t>(a->points_behind());
        for (double share : {0.0, 0.3, 0.8}) {
          const double t = grid.times[start] + share * (grid.times[start + 1] - grid.times[start]);
          CHECK(at(*a, grid.samples(), t) == at(*a, kept, t));
        }
      }
    }
  }
}

TEST(the_arithmetic_mean_counts_each_sample_of_the_step_once) {
  const Grid grid({0.0, 1.0, 2.0, 3.0, 4.0}, {0.0, 0.0, 1.0}, false);  // y = t^2
  const ApproximationPointer mean = make_mean(MeanKind::arithmetic);
  CHECK_CLOSE((1.0 + 4.0 + 9.0) / 3.0, at(*mean, grid.samples(), 2.5, {1.0, 3.0, 0.0, nullptr}), 1e-15);
  Samples not_yet = grid.samples();
  not_yet.end = 3;  // up to t = 2, the start of the step: the mean of the last step is taken
  CHECK_CLOSE((0.0 + 1.0 + 4.0) / 3.0, at(*mean, not_yet, 2.5, {2.0, 4.0, 0.0, nullptr}), 1e-15);
}

TEST(the_mean_of_a_step_without_a_sample_is_the_value_behind) {
  const Grid grid({0.0, 1.0, 2.0}, {0.0, 1.0}, false);
  CHECK_CLOSE(1.0, at(*make_mean(MeanKind::arithmetic), grid.samples(), 1.3, {1.2, 1.4, 1.0, nullptr}), 0.0);
}

TEST(the_time_weighted_mean_is_the_integral_of_the_lines) {
  const Grid grid({0.0, 1.0, 3.0}, {1.0, 2.0}, false);  // a line: its mean is the value in the middle
  const ApproximationPointer mean = make_mean(MeanKind::time_weighted);
  for (double from : {0.0, 0.4, 1.0, 1.7}) {
    for (double to : {1.9, 2.5, 3.0}) {
      CHECK_CLOSE(grid.value(0.5 * (from + to)), at(*mean, grid.samples(), from, {from, to, 0.0, nullptr}), 1e-14);
    }
  }
}

TEST(a_transition_runs_straight_from_the_last_input_to_the_predicted_end) {
  const Grid grid({0.0, 1.0, 2.0}, {0.0, 0.0, 1.0}, false);  // y = t^2
  const double last = 3.0;
  const ConsumerStep step{2.0, 3.0, 1.0, &last};
  const ApproximationPointer transition = make_transition(2);
  CHECK_CLOSE(3.0, at(*transition, grid.samples(), 2.0, step), 1e-14);
  CHECK_CLOSE(6.0, at(*transition, grid.samples(), 2.5, step), 1e-14);
  CHECK_CLOSE(9.0, at(*transition, grid.samples(), 3.0, step), 1e-14);
}

TEST(gain_and_offset_act_on_the_whole_polynomial) {
  const Grid grid({0.0, 1.0, 2.0}, {1.0, -2.0, 3.0}, false, 2);
  Polynomial polynomial(2);
  make_lagrange(2)->build(grid.samples(), {}, 2.5, polynomial);
  polynomial.scale_and_shift(-2.0, 0.5);
  double out[2];
  polynomial.evaluate(2.5, out);
  for (int j = 0; j < 2; ++j) CHECK_CLOSE(-2.0 * grid.value(2.5, j) + 0.5, out[j], 1e-12);
}
