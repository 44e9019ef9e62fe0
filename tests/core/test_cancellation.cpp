// Work that is cancelled from another thread, and calls that do not come back.

#include "coupling/cancellation.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "coupling/failure.hpp"

using namespace counterpoint;

namespace {

/// Whether a check throws Cancelled in this thread.
bool is_cancelled() {
  try {
    Cancellation::check();
  } catch (const Cancelled&) {
    return true;
  }
  return false;
}

TEST(a_request_ends_the_work_of_the_thread_that_has_it_only) {
  Cancellation mine, of_another;
  const Cancellation::Scope scope(&mine);
  of_another.request();
  CHECK(!is_cancelled());
  mine.request();
  CHECK(is_cancelled());
  CHECK(Cancellation::is_requested());
  {
    const Cancellation::Scope none(nullptr);
    CHECK(!is_cancelled());
  }
  mine.reset();
  CHECK(!is_cancelled());
}

TEST(a_request_from_another_thread_ends_a_loop) {
  Cancellation cancellation;
  const Cancellation::Scope scope(&cancellation);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancellation.request();
  });
  bool ended = false;
  try {
    while (true) Cancellation::check();
  } catch (const Cancelled& cancelled) {
    ended = cancelled.cause == nullptr;
  }
  other.join();
  CHECK(ended);
}

TEST(attention_is_for_the_thread_that_made_the_scope_and_may_throw) {
  Cancellation cancellation;
  int calls = 0;
  cancellation.set_attend([&] {
    if (++calls == 2) throw std::runtime_error("enough");
  });
  const Cancellation::Scope scope(&cancellation);
  cancellation.ask_for_attention();
  std::thread([&] {
    const Cancellation::Scope inherited(&cancellation);
    CHECK(!is_cancelled());
  }).join();
  CHECK(calls == 0);
  CHECK(!is_cancelled());
  CHECK(!is_cancelled());
  CHECK(calls == 1);
  cancellation.ask_for_attention();
  bool has_cause = false;
  try {
    Cancellation::check();
  } catch (const Cancelled& cancelled) {
    has_cause = cancelled.cause != nullptr;
  }
  CHECK(has_cause);
}

TEST(cancelled_work_is_no_failure) {
  try {
    throw Cancelled{};
  } catch (...) {
    CHECK(!Failure::of(std::current_exception()));
  }
}

}  // namespace
