#include "check.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

/// A source y = f(t) with step `source_step` and a consumer with step `step` that does not wait for it.
RunSpec pair_of(std::function<double(double)> f, double source_step, double step, ApproximationPointer approximation) {
  RunSpec spec;
  spec.until = 2.0;
  spec.tolerance = 1e-9;
  ParticipantSpec source;
  source.subsystem = std::make_shared<Wave>(std::move(f));
  source.step = source_step;
  ParticipantSpec consumer;
  consumer.subsystem = std::make_shared<Watcher>();
  consumer.step = step;
  consumer.constants = {0.0};
  spec.participants = {source, consumer};
  ConnectionSpec connection;
  connection.target = 1;
  connection.approximation = std::move(approximation);
  spec.connections = {connection};
  return spec;
}

struct Book {
  long count;
  double maximum, when, rms, scale;
  std::vector<double> rows;
};

Book book(const RunSpec& spec, int threads = 1) {
  Scheduler scheduler(spec, threads);
  scheduler.start();
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  Defect& d = scheduler.network().participants[1].comparisons[0].defect;
  return {d.count(), d.maximum(), d.time_of_maximum(), d.rms(), d.scale(), flatten(d.take_rows())};
}

}  // namespace

TEST(a_held_ramp_is_wrong_by_one_step_of_the_source_each_time) {
  const Book b = book(pair_of([](double t) { return t; }, 0.5, 0.1, make_hold(HoldSide::behind)));
  CHECK(b.count == 4);  // one comparison for each of the four samples of the source
  CHECK_CLOSE(0.5, b.maximum, 1e-12);
  CHECK_CLOSE(0.5, b.rms, 1e-12);
  CHECK(b.rows.size() == 3 * 4);
  if (b.rows.size() != 3 * 4) return;
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK_CLOSE(0.5 * static_cast<double>(k + 1), b.rows[3 * k], 1e-12);      // when
    CHECK_CLOSE(0.5 * static_cast<double>(k), b.rows[3 * k + 1], 1e-12);      // assumed
    CHECK_CLOSE(0.5 * static_cast<double>(k + 1), b.rows[3 * k + 2], 1e-12);  // arrived
  }
  // Spread of 0.5, 1, 1.5, 2 about its mean 1.25.
  CHECK_CLOSE(std::sqrt((0.5625 + 0.0625 + 0.0625 + 0.5625) / 4.0), b.scale, 1e-12);
}

TEST(an_exact_extrapolation_has_no_defect_after_its_start) {
  const Book b = book(pair_of([](double t) { return 3.0 * t - 1.0; }, 0.25, 0.1, make_lagrange(1)));
  CHECK(b.count > 3);
  if (b.count == 0) return;
  for (std::size_t k = 1; k < b.rows.size() / 3; ++k) CHECK_CLOSE(b.rows[3 * k + 2], b.rows[3 * k + 1], 1e-12);
  CHECK_CLOSE(b.rows[0], b.when, 0.0);  // the largest is the first: with one sample the order is lowered
}

TEST(gain_and_offset_are_part_of_the_defect) {
  RunSpec spec = pair_of([](double t) { return t; }, 0.5, 0.1, make_hold(HoldSide::behind));
  spec.connections[0].gain = -4.0;
  spec.connections[0].offset = 7.0;
  const Book b = book(spec);
  CHECK_CLOSE(2.0, b.maximum, 1e-12);
  if (b.count == 0) return;
  CHECK_CLOSE(7.0 - 4.0 * 0.5, b.rows[2], 1e-12);
}

TEST(a_consumer_that_waits_has_no_defect) {
  RunSpec spec = pair_of([](double t) { return t; }, 0.5, 0.1, make_hold(HoldSide::behind));
  spec.participants[1].waits_for = {0};
  CHECK(book(spec).count == 0);
}

TEST(a_consumer_slower_than_its_source_is_compared_at_the_end_of_its_steps) {
  const Book b = book(pair_of([](double t) { return t; }, 0.1, 0.5, make_hold(HoldSide::behind)));
  CHECK(b.count == 4);
  CHECK_CLOSE(0.5, b.maximum, 1e-12);
}

TEST(times_that_meet_nowhere_are_compared_through_a_cubic) {
  // Assumed at the consumer's times, which are no samples of the source: y = t^3 is interpolated exactly.
  const Book b = book(pair_of([](double t) { return t * t * t; }, 0.13, 0.31, make_lagrange(3)));
  CHECK(b.count > 2);
  for (std::size_t k = 2; k < b.rows.size() / 3; ++k) {
    const double t = b.rows[3 * k];
    CHECK_CLOSE(t * t * t, b.rows[3 * k + 2], 1e-12);
  }
}

TEST(one_assumption_is_kept_at_a_time) {
  for (double step : {0.01, 0.037, 0.2, 0.5, 0.61}) {
    const Book b = book(pair_of([](double t) { return std::sin(t); }, 0.13, step, make_lagrange(1)));
    CHECK(b.rows.size() == 3 * static_cast<std::size_t>(b.count));
    CHECK(b.count <= 16);  // never more than samples of the source
    for (std::size_t k = 1; k < static_cast<std::size_t>(b.count); ++k) CHECK(b.rows[3 * k] > b.rows[3 * k - 3]);
  }
}
