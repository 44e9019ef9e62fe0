#include <nanobind/nanobind.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <exception>

#include "bind/interpreter_lock.hpp"
#include "bind/python_values.hpp"
#include "coupling/scheduler.hpp"
#include "coupling/windowed_scheduler.hpp"

namespace counterpoint::bind {

namespace {

using Driver = std::variant<Scheduler*, WindowedScheduler*>;
using WallClock = std::chrono::steady_clock;

/// What became of one driver.
struct Advanced {
  bool done = false;
  double seconds = 0.0;
  std::exception_ptr error;

  bool take() const {
    if (error) std::rethrow_exception(error);
    return done;
  }
};

double seconds_since(WallClock::time_point began) {
  return std::chrono::duration<double>(WallClock::now() - began).count();
}

std::vector<Advanced> advance_each(const std::vector<Driver>& drivers, const std::vector<double>& targets,
                                   double wall_seconds) {
  std::vector<Advanced> all(drivers.size());
  const LeavesInterpreter left;
  const WallClock::time_point start = WallClock::now();
  for (std::size_t k = 0; k < drivers.size() && seconds_since(start) < wall_seconds; ++k) {
    const WallClock::time_point began = WallClock::now();
    try {
      all[k].done = std::visit([&](auto* driver) { return driver->advance(targets.at(k), wall_seconds); }, drivers[k]);
    } catch (...) {
      all[k].error = std::current_exception();
    }
    all[k].seconds = seconds_since(began);
  }
  return all;
}

}  // namespace

void bind_advancing(nb::module_& m) {
  nb::class_<Advanced>(m, "Advanced", "The outcome of a driver that was advanced together with others.")
      .def("take", &Advanced::take, "Whether it has reached its target; raises the exception that stopped it.")
      .def_ro("seconds", &Advanced::seconds, "Wall time, s.");
  m.def("advance_each", &advance_each, nb::arg("drivers"), nb::arg("targets"), nb::arg("wall_seconds"),
        "Advance drivers one after the other, each to its target (s), without the interpreter's lock in between; those "
        "that are not reached in time stay at their present time.");
}

}  // namespace counterpoint::bind
