// FMUs in processes of their own; what they can do wrong is tested from Python.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "check.hpp"
#include "fmi/fmu_subsystem.hpp"
#include "fmi/isolated_fmu.hpp"
#include "recipe/reader.hpp"

using namespace counterpoint;
using namespace counterpoint::fmi;

namespace {

enum Oscillator : ValueReference { force = 7, x_other = 8, x = 10, v = 11 };

std::string library(int version) { return FMU_FOLDER "fmu_oscillator_" + std::to_string(version) + FMU_SUFFIX; }

FmuSetup oscillator(int version) {
  FmuSetup setup;
  setup.major = version;
  setup.instance.name = "test";
  setup.instance.token = "{counterpoint-test-oscillator}";
  setup.inputs = {{Type::float64, force, 1, true}, {Type::float64, x_other, 1, true}};
  setup.outputs = {{Type::float64, x, 1, true}, {Type::float64, v, 1, true}};
  setup.values = {{Type::float64, 2, std::string(8, '\0'), {}}};
  setup.can_save = true;
  setup.output_slopes = true;
  setup.input_style = InputStyle::middle;
  return setup;
}

Isolation isolation() {
  Isolation made;
  made.plan.program = HOST_PROGRAM;
  made.plan.folder = std::filesystem::temp_directory_path().string();
  made.deadline = 30.0;
  return made;
}

#if defined(_WIN32)
const char* const how_it_ended = "the process of the FMU ended itself with exit code ";
bool kill_children() { return std::system("taskkill /F /IM counterpoint-host.exe > NUL") == 0; }
#else
const char* const how_it_ended = "the process of the FMU died (SIGKILL: Killed";
bool kill_children() {
  char command[80];
  std::snprintf(command, sizeof command, "pkill -KILL -P %d counterpoint-ho", link::this_process());
  return std::system(command) == 0;
}
#endif

/// Positions, velocities and their slopes of a run that goes back once.
template <class Fmu>
std::vector<double> results(Fmu& fmu) {
  Inputs u({0.5, 0.1});
  std::vector<double> made;
  fmu.start(0.0);
  u.start(0.0);
  fmu.output(0.0, u);
  fmu.begin(0.0, u);
  std::unique_ptr<SavedState> saved;
  for (int k = 0; k < 60; ++k) {
    if (k == 20) saved = fmu.save();
    if (k == 40) fmu.restore(*saved);
    const int at = k < 40 ? k : k - 20;
    const double end = 0.01 * (at + 1);
    CHECK_CLOSE(end, fmu.step(0.01 * at, end, u), 0.0);
    const double* y = fmu.output(end, u);
    made.insert(made.end(), y, y + 2);
    const double* dy = fmu.output_derivative(end, u);
    made.insert(made.end(), dy, dy + 2);
  }
  const std::vector<double> read = fmu.numbers({Type::float64, x, 1, true});
  made.insert(made.end(), read.begin(), read.end());
  const std::vector<double> slope = fmu.directional_derivative({15}, {10}, {1.0}, 1);
  made.insert(made.end(), slope.begin(), slope.end());
  saved.reset();
  fmu.finish();
  return made;
}

}  // namespace

TEST(an_fmu_in_a_process_of_its_own_gives_the_same_bits) {
  for (int version : {2, 3}) {
    FmuSubsystem here(std::make_shared<Library>(library(version)), oscillator(version));
    IsolatedFmu apart(library(version), oscillator(version), isolation());
    const std::vector<double> expected = results(here);
    CHECK(expected.size() == 242);
    CHECK(results(apart) == expected);
    CHECK(results(apart) == expected);  // another process
  }
}

TEST(a_process_that_is_killed_is_told_and_the_next_run_gets_another_one) {
  IsolatedFmu fmu(library(2), oscillator(2), isolation());
  Inputs u({0.5, 0.1});
  fmu.start(0.0);
  fmu.begin(0.0, u);
  fmu.step(0.0, 0.1, u);
  CHECK(kill_children());
  CHECK_THROWS(ComponentFailure, how_it_ended, fmu.step(0.1, 0.2, u));
  CHECK_THROWS(ComponentFailure, how_it_ended, fmu.step(0.1, 0.2, u));
  fmu.start(0.0);
  fmu.begin(0.0, u);
  CHECK_CLOSE(0.1, fmu.step(0.0, 0.1, u), 0.0);
}

TEST(an_fmu_that_is_not_running_says_so) {
  IsolatedFmu fmu(library(3), oscillator(3), isolation());
  Inputs u({0.0, 0.0});
  CHECK_THROWS(ComponentFailure, "not running", fmu.step(0.0, 0.1, u));
  Isolation nowhere = isolation();
  nowhere.plan.program = "/nowhere/host";
  IsolatedFmu lost(library(3), oscillator(3), nowhere);
  CHECK_THROWS(ComponentFailure, "/nowhere/host: cannot be started: ", lost.start(0.0));
}

TEST(an_order_comes_out_of_its_bytes_as_it_went_in) {
  ChildOrder order{"/tmp/x.so", oscillator(3), {1e9, 2.0, true}};
  order.setup.instance.categories = {"a", ""};
  order.setup.instance.intermediate = {7, 8};
  order.setup.values[0].texts = {std::string("\0x", 2)};
  const std::string bytes = order.to_bytes();
  CHECK(ChildOrder::from_bytes(bytes).to_bytes() == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS(recipe::RecipeError, "the order is damaged at byte ",
                 ChildOrder::from_bytes(std::string_view(bytes).substr(0, size)));
  }
}
