#include <algorithm>
#include <random>

#include "check.hpp"
#include "signal/smooth_stretch.hpp"

using namespace counterpoint;

static void append(History& history, double t) {
  const double value[2] = {10.0 * t, -t};
  const double slope[2] = {10.0, -1.0};
  history.append(t, value, slope);
}

TEST(readers_see_samples_only_after_a_commit) {
  History history(2, true);
  append(history, 0.0);
  CHECK(history.end() == 0);
  history.commit();
  CHECK(history.end() == 1);
  append(history, 1.0);
  CHECK(history.end() == 1);
  CHECK_CLOSE(0.0, history.time(history.end() - 1), 0.0);
  history.commit();
  CHECK(history.end() == 2);
  CHECK_CLOSE(10.0, history.value(1)[0], 0.0);
  CHECK_CLOSE(-1.0, history.derivative(1)[1], 0.0);
}

TEST(a_sample_keeps_its_number_and_value_however_much_the_ring_grows) {
  History history(2, true);
  for (int k = 0; k < 1000; ++k) {
    if (history.room() == 0) history.make_room(0, 1);
    append(history, 0.25 * k);
  }
  history.commit();
  CHECK(history.begin() == 0);
  CHECK(history.end() == 1000);
  for (std::size_t k = 0; k < 1000; ++k) {
    CHECK_CLOSE(0.25 * static_cast<double>(k), history.time(k), 0.0);
    CHECK_CLOSE(2.5 * static_cast<double>(k), history.value(k)[0], 0.0);
    CHECK_CLOSE(-0.25 * static_cast<double>(k), history.value(k)[1], 0.0);
    CHECK_CLOSE(10.0, history.derivative(k)[0], 0.0);
  }
}

TEST(forgetting_keeps_the_ring_small_for_ever) {
  History history(2, false);
  const double value[2] = {1.0, 2.0};
  std::size_t largest = 0;
  for (int k = 0; k < 100000; ++k) {
    if (history.room() < 1) history.make_room(history.end() > 10 ? history.end() - 10 : 0, 8);
    history.append(k, value, nullptr);
    history.commit();
    largest = std::max(largest, history.room() + (history.end() - history.begin()));
  }
  CHECK(largest == History(1, false).room());  // the first capacity was enough
  CHECK(history.end() == 100000);
  CHECK_CLOSE(99999.0, history.time(history.end() - 1), 0.0);
  CHECK_CLOSE(99995.0, history.time(history.end() - 5), 0.0);
}

TEST(make_room_grows_only_by_what_does_not_fit) {
  History history(1, false);
  const std::size_t capacity = history.room();
  history.make_room(0, capacity);
  CHECK(history.room() == capacity);
  history.make_room(0, capacity + 1);
  CHECK(history.room() == 2 * capacity);
}

TEST(growth_in_the_middle_of_a_wrapped_ring_moves_every_sample) {
  std::mt19937 random(1);
  History history(1, false);
  std::size_t begin = 0;
  for (int k = 0; k < 5000; ++k) {
    if (history.room() == 0) {
      begin = std::max(history.begin(), history.end() - random() % 60);
      history.make_room(begin, 1 + random() % 40);
    }
    const double value = std::sqrt(k);
    history.append(k, &value, nullptr);
    history.commit();
    for (std::size_t i = history.begin(); i < history.end(); i += 7) CHECK(history.value(i)[0] == std::sqrt(i));
  }
}

TEST(a_copy_has_the_samples_from_the_first_on_whatever_the_sizes_of_the_rings) {
  std::mt19937 random(2);
  History history(2, true, true), copy(2, true, true);
  double values[2], before[2];
  for (int trial = 0; trial < 400; ++trial) {
    for (int k = static_cast<int>(random() % 90); k >= 0; --k) {
      if (history.room() == 0) history.make_room(history.end() - random() % 300, 1 + random() % 40);
      const double t = static_cast<double>(history.appended());
      values[0] = std::sqrt(t);
      values[1] = before[0] = before[1] = -t;
      std::copy_n(values, 2, history.next_value());
      std::copy_n(before, 2, history.next_derivative());
      history.note_jump(random() % 5 == 0 ? before : nullptr);
      history.advance(t);
      history.commit();
    }
    const std::size_t first = std::max(history.begin(), history.end() - std::min<std::size_t>(history.end(), 50));
    copy.copy(history, first);
    CHECK(copy.begin() == first && copy.end() == history.end());
    for (std::size_t k = first; k < history.end(); ++k) {
      CHECK(copy.time(k) == history.time(k) && copy.value(k)[0] == history.value(k)[0]);
      CHECK(copy.value(k)[1] == history.value(k)[1] && copy.derivative(k)[1] == history.derivative(k)[1]);
      CHECK((copy.before_jump(k) != nullptr) == (history.before_jump(k) != nullptr));
    }
  }
}

TEST(cutting_back_forgets_the_last_samples_and_the_next_take_their_numbers) {
  History history(1, false);
  for (int k = 0; k < 20; ++k) {
    const double value = k;
    history.append(k, &value, nullptr);
  }
  history.commit();
  history.cut_back(12);
  CHECK(history.end() == 12 && history.appended() == 12);
  const double other = 0.5;
  history.append(11.5, &other, nullptr);
  history.commit();
  CHECK(history.time(12) == 11.5 && history.value(12)[0] == 0.5 && history.value(11)[0] == 11.0);
}

TEST(forgetting_never_goes_backwards_nor_beyond_what_is_there) {
  History history(1, false);
  const double value = 1.0;
  for (int k = 0; k < 20; ++k) history.append(k, &value, nullptr);
  history.commit();
  history.make_room(10, 1);
  CHECK(history.begin() == 10);
  history.make_room(5, 1);
  CHECK(history.begin() == 10);
  history.make_room(1000, 1);
  CHECK(history.begin() == 20);
}

TEST(last_not_after_finds_the_sample_on_any_grid) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> gap(1e-3, 1.0);
  History history(1, false);
  std::vector<double> times;
  double t = -3.0;
  for (int k = 0; k < 60; ++k, t += gap(random)) {
    times.push_back(t);
    history.append(t, &t, nullptr);
  }
  history.commit();
  CHECK(history.last_not_after(-4.0) == 0);  // all are later
  for (std::size_t k = 0; k < times.size(); ++k) {
    CHECK(history.last_not_after(times[k]) == k);
    CHECK(history.last_not_after(times[k] + 1e-4) == k);
    if (k > 0) CHECK(history.last_not_after(times[k] - 1e-4) == k - 1);
  }
  CHECK(history.last_not_after(1e9) == 59);
  history.make_room(30, 1);
  CHECK(history.last_not_after(times[0]) == 30);  // forgotten: the oldest kept
  CHECK(history.last_not_after(times[40]) == 40);
}

TEST(restart_writes_the_first_sample_again) {
  History history(1, false);
  double value = 1.0;
  history.append(0.0, &value, nullptr);
  history.commit();
  history.restart();
  value = 2.0;
  history.append(0.0, &value, nullptr);
  history.commit();
  CHECK(history.end() == 1);
  CHECK_CLOSE(2.0, history.value(0)[0], 0.0);
}

namespace {

/// A saw tooth of slope 1 that falls from 3 to 0 at t = 3, 6, ...: samples at all whole seconds.
History saw_tooth(int count) {
  History history(2, false, true);
  for (int t = 0; t < count; ++t) {
    const bool falls = t > 0 && t % 3 == 0;
    const double value[2] = {double(t % 3), double(t)}, before[2] = {3.0, double(t)};
    if (history.room() == 0) history.make_room(history.end() - 20, 1);
    std::copy_n(value, 2, history.next_value());
    history.note_jump(falls ? before : nullptr);
    history.advance(t);
    history.commit();
  }
  return history;
}

}  // namespace

TEST(a_smooth_stretch_reaches_to_the_jumps_and_not_across) {
  const History history = saw_tooth(12);
  const Samples all{&history, 0, history.end(), 0, 1, 1e-9};
  const ConsumerStep step{4.2, 9.0, 3.0, nullptr};
  const SmoothStretch inside = smooth_stretch(all, step, 4.5, 6);
  CHECK(inside.samples.begin == 3 && inside.samples.end == 7);
  CHECK_CLOSE(0.0, *inside.samples.value(3), 0.0);
  CHECK_CLOSE(3.0, *inside.samples.value(6), 0.0);  // as it was right before it fell
  CHECK(inside.from <= 3.0 && inside.to <= 6.0);
  const SmoothStretch newest = smooth_stretch(all, step, 20.0, 6);
  CHECK(newest.samples.begin == 9 && newest.samples.end == 12 && newest.to == Polynomial::infinity);
  Samples other = all;
  other.column = 1;  // the second signal does not jump
  CHECK(smooth_stretch(other, step, 4.5, 6).samples.begin == 0);
}

TEST(at_a_jump_the_side_is_that_of_the_step) {
  const History history = saw_tooth(12);
  const Samples all{&history, 0, history.end(), 0, 1, 1e-9};
  const SmoothStretch ends = smooth_stretch(all, {5.0, 6.0, 4.0, nullptr}, 6.0, 6);
  CHECK(ends.samples.begin == 3 && ends.samples.end == 7);
  const SmoothStretch begins = smooth_stretch(all, {6.0, 7.0, 5.0, nullptr}, 6.0, 6);
  CHECK(begins.samples.begin == 6);
  const SmoothStretch across = smooth_stretch(all, {5.0, 7.0, 4.0, nullptr}, 6.0, 6);
  CHECK(across.samples.end == 7);
}

TEST(jumps_are_saved_restored_and_survive_a_larger_ring) {
  History history = saw_tooth(40);
  History::Saved saved;
  history.save(30, saved);
  CHECK((saved.jumps == std::vector<std::size_t>{30, 33, 36, 39}));
  History other(2, false, true);
  other.restore(saved);
  other.make_room(30, 5000);  // enlarged
  for (std::size_t k = 30; k < 40; ++k) CHECK((other.before_jump(k) != nullptr) == (k % 3 == 0));
  CHECK_CLOSE(3.0, other.before_jump(36)[0], 0.0);
  const History long_one = saw_tooth(2000);  // the ring has gone round: old marks are gone
  for (std::size_t k = long_one.begin(); k < long_one.end(); ++k)
    CHECK((long_one.before_jump(k) != nullptr) == (k % 3 == 0));
}

TEST(rounding_is_no_jump) {
  const double cases[][2] = {{1.0 + 1e-12, 1.0}, {-3e-12, 0.0}};  // the second one: a ball that reaches the ground
  for (const auto& [before, after] : cases) {
    History history(1, false, true);
    const double first = 0.5;
    history.append(0.0, &first, nullptr);
    *history.next_value() = after;
    history.note_jump(&before);
    history.advance(1.0);
    history.commit();
    CHECK(history.before_jump(1) != nullptr);
    CHECK((Samples{&history, 0, 2, 0, 1, 1e-9}.before_jump(1) == nullptr));
  }
}

TEST(only_at_a_jump_itself_slopes_are_not_known) {
  // t^4 with its slopes up to a fall at t = 4: between samples before the last, the cubic is the one through values and
  // slopes.
  History history(1, true, true);
  for (int k = 0; k <= 4; ++k) {
    const double t = k, value = k == 4 ? 0.0 : t * t * t * t, slope = k == 4 ? 0.0 : 4.0 * t * t * t, before = 256.0;
    *history.next_value() = value;
    *history.next_derivative() = slope;
    history.note_jump(k == 4 ? &before : nullptr);
    history.advance(t);
  }
  history.commit();
  const Samples all{&history, 0, history.end(), 0, 1, 1e-9};
  const ConsumerStep step{0.0, 4.0, 0.0, nullptr};
  Polynomial made(1);
  make_hermite()->build(smooth_stretch(all, step, 2.5, 4).samples, step, 2.5, made);
  CHECK_CLOSE(39.0, made.scalar(2.5), 1e-12);  // (16 + 81) / 2 + (32 - 108) / 8; by differences it would be 38.5
  make_hermite()->build(smooth_stretch(all, step, 4.0, 4).samples, step, 4.0, made);
  CHECK_CLOSE(256.0, made.scalar(4.0), 1e-12);
}
