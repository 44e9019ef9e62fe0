// Recipes: what was written is read again, and bytes that are not a recipe are told, whatever they are.

#include <cstdio>
#include <fstream>
#include <random>

#include "check.hpp"
#include "coupling/written_network.hpp"
#include "export/exported_fields.hpp"
#include "export/exported_model.hpp"
#include "export/sealed_state.hpp"
#include "multibody/recipes.hpp"

using namespace counterpoint;
using namespace counterpoint::exported;
using recipe::RecipeError;

namespace {

SubsystemPointer oscillator(double stiffness) {
  Matrix a(2, 2), b(2, 1);
  a << 0.0, 1.0, -stiffness, 0.0;
  b << 0.0, 1.0;
  return recipe::make(recipe::ode_factory, recipe::make(recipe::linear_right_hand_side_factory, a, b),
                      recipe::make(recipe::state_output_factory, 2), {{1.0, 0.0}}, OdeSolver::ode4, SolverOptions{});
}

SubsystemPointer integrator() {
  diagram::FlatDiagram flat;
  const auto add = [&](const char* name, const char* kind, diagram::Parameters parameters) {
    diagram::BlockPointer block = recipe::make(recipe::block_factory, kind, std::move(parameters));
    const int inputs = block->inputs();
    flat.blocks.push_back({name, std::move(block), std::vector<diagram::Source>(inputs), -1});
  };
  add("u", "inlet", {{{"value", {{0.0}, 1, 1}}, {"offset", {{0.0}, 1, 1}}}, {}});
  add("k", "gain", {{{"gain", {{3.0}, 1, 1}}}, {}});
  add("x", "integrator", {{{"initial", {{0.5}, 1, 1}}}, {}});
  flat.blocks[1].inputs[0] = {0, 0};
  flat.blocks[2].inputs[0] = {1, 0};
  flat.outputs.push_back({"x", {2, 0}});
  return recipe::make(recipe::diagram_factory, flat, diagram::SimulatorOptions{}, false, 0.0);
}

/// A pendulum of two coordinates about a fixed point, with a spring that an input pulls.
SubsystemPointer pendulum() {
  using namespace multibody;
  Combination end{2, {{0, 1.0, 0.0}}, {}}, root{2, {{2, 1.0, 0.0}}, {}};
  Combination line{2, {{0, 1.0, 0.0}, {2, -1.0, 0.0}}, {}};
  MeasurePointer length = recipe::make(recipe::measure_factory, MeasureFunction::distance, {line, line}, {line, line});
  length->name = "length";
  ScalarLaw law;
  law.stiffness = 10.0;
  law.actuator = recipe::make(recipe::following_factory, {0}, 1.0);
  Parts parts;
  parts.free = 2;
  parts.coordinates = {"B.x", "B.y", "A.x", "A.y"};
  parts.inputs = 1;
  parts.mass = {{0, 0, 1.0}, {1, 1, 1.0}};
  parts.constant_force = {0.0, -9.81, 0.0, 0.0};
  ConstraintBatchPointer rod = recipe::make(recipe::distances_factory, {2, {{0, 2, 1.0}}});
  rod->names = {"rod"};
  parts.constraints = {rod};
  parts.measures = {length};
  ForcePointer spring = recipe::make(recipe::scalar_force_factory, length, law);
  spring->name = "spring";
  parts.forces = {spring};
  ModelPointer model = recipe::make(recipe::assembled_model_factory, parts);
  std::vector<OutputPointer> outputs{recipe::make(recipe::point_output_factory, end, Motion::position),
                                     recipe::make(recipe::force_output_factory, spring),
                                     recipe::make(recipe::reaction_output_factory, 0, 1),
                                     recipe::make(recipe::support_output_factory, 2, 2)};
  MultibodySubsystem::Setup setup{{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0}, false, 0.0};
  return recipe::make(recipe::mechanism_factory, {model, StepperOptions{}, outputs, setup});
}

ExportedSpec everything() {
  const ApproximationPointer line = recipe::make(recipe::lagrange_factory, 1);
  const ApproximationPointer slope = recipe::make(recipe::taylor_factory, 1);
  ExportedSpec spec;
  spec.token = "{token}";
  spec.participants = {{"mass", {{"force", 1}}, {{"x", 1}, {"v", 1}}, {oscillator(9.0), 0.01, {0.0}, {}}},
                       {"sum", {{"u", 1}}, {{"x", 1}}, {integrator(), 0.02, {0.0}, {0}}},
                       {"pendulum", {{"pull", 1}}, {{"all", 6}}, {pendulum(), 0.005, {0.0}, {}}}};
  spec.connections = {{0, 0, 1, 1, 0, 1, line}};
  spec.tolerance = 1e-9;
  spec.inputs = {{0, 0, 1, slope}, {2, 0, 1, slope}};
  spec.outputs = {{0, 0, 2, line}, {1, 0, 1, line}, {2, 0, 2, line}};
  spec.variables = {{1, Role::input, 0, 1, 0, "", {0.0}},
                    {2, Role::input, 1, 1, 0, "", {0.0}},
                    {3, Role::output, 0, 2, 0, "", {}},
                    {4, Role::output, 2, 1, 0, "", {}},
                    {5, Role::output, 3, 2, 0, "", {}}};
  return spec;
}

std::string body_of(const ExportedSpec& spec) {
  recipe::Writer writer;
  writer(spec);
  CHECK(writer.problems().empty());
  return writer.bytes();
}

std::vector<double> run(ExportedModel& model, int from, int to) {
  for (int k = from; k < to; ++k) model.step(0.1 * (k + 1));
  std::vector<double> values(5);
  model.get(*model.find(3), &values[0]);
  model.get(*model.find(4), &values[2]);
  model.get(*model.find(5), &values[3]);
  return values;
}

/// Reading and, where that works, running must end in one of two ways: well, or with an exception.
bool is_told(const std::string& body) {
  try {
    ExportedModel model(body, "nowhere");
    model.start(0.0);
    model.begin();
    model.step(0.02);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

std::string state_of(const ExportedModel& model) {
  recipe::Writer writer;
  model.write(*model.save(), writer);
  return writer.bytes();
}

void take_over(ExportedModel& model, const std::string& bytes) {
  recipe::Reader reader(bytes, "state");
  model.restore(*model.read_state(reader));
}

/// A state that was changed must end in one of two ways as well.
bool state_is_told(ExportedModel& model, const std::string& bytes) {
  try {
    take_over(model, bytes);
    model.step(model.time() + 0.02);
    return false;
  } catch (const std::exception&) {
    model.reset();
    return true;
  }
}

std::string file_with(const std::string& bytes) {
  const std::string path = FMU_FOLDER "test.recipe";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace

TEST(what_was_written_is_read_again_and_moves_the_same) {
  const std::string body = body_of(everything());
  ExportedModel first(body, ""), second(body, "");
  for (ExportedModel* model : {&first, &second}) {
    model->start(0.0);
    model->begin();
  }
  const std::vector<double> a = run(first, 0, 10), b = run(second, 0, 10);
  CHECK(a == b);
  CHECK_CLOSE(std::cos(3.0), a[0], 1e-6);          // x'' = -9 x, ode4 with steps of 10 ms
  CHECK_CLOSE(1.0, std::hypot(a[3], a[4]), 1e-9);  // the rod keeps its length
}

TEST(a_state_can_be_restored_again_and_again) {
  ExportedModel model(body_of(everything()), "");
  model.start(0.0);
  model.begin();
  run(model, 0, 5);
  const auto state = model.save();
  const std::vector<double> once = run(model, 5, 10);
  model.restore(*state);
  CHECK(once == run(model, 5, 10));
  model.reset();
  model.restore(*state);
  CHECK(once == run(model, 5, 10));
}

TEST(a_state_as_bytes_goes_on_in_another_model) {
  const std::string body = body_of(everything());
  ExportedModel first(body, "");
  first.start(0.25);  // the grids of steps begin there
  first.begin();
  for (int k = 0; k < 5; ++k) first.step(0.25 + 0.07 * (k + 1));
  const std::string bytes = state_of(first);
  std::vector<double> once(2), again(2);
  first.step(1.0);
  first.get(*first.find(3), once.data());
  ExportedModel second(body, "");
  take_over(second, bytes);
  CHECK(state_of(second) == bytes);
  second.step(1.0);
  second.get(*second.find(3), again.data());
  CHECK(once == again);
}

TEST(bytes_that_are_no_state_of_the_model_are_told) {
  ExportedModel model(body_of(everything()), "");
  model.start(0.0);
  model.begin();
  run(model, 0, 3);
  const std::string bytes = state_of(model), sealed = seal(bytes);
  CHECK(unseal(sealed) == bytes);
  CHECK_THROWS(RecipeError, "are not the state", unseal(bytes));
  CHECK_THROWS(RecipeError, "are not those that were written", unseal(sealed.substr(0, sealed.size() - 1)));
  CHECK_THROWS(RecipeError, "has version 9", unseal(std::string(sealed).replace(18, 1, "\x09")));
  std::mt19937 random(11);
  int told = 0;
  for (int k = 0; k < 1500; ++k) {
    std::string changed = bytes;
    changed[random() % bytes.size()] = static_cast<char>(random());
    told += state_is_told(model, changed) ? 1 : 0;
  }
  for (std::size_t length = 0; length < bytes.size(); length += 101)
    CHECK(state_is_told(model, bytes.substr(0, length)));
  CHECK(told > 100);
}

TEST(every_cut_is_told) {
  const std::string body = body_of(everything());
  for (std::size_t length = 0; length < body.size(); length += 7) {
    bool told = false;
    try {
      read_spec(body.substr(0, length), "");
    } catch (const RecipeError&) {
      told = true;
    }
    if (!told) CHECK(told);
  }
  CHECK_THROWS(RecipeError, "there are 1 bytes after its end", read_spec(body + "x", ""));
}

TEST(changed_bytes_never_do_harm) {
  // Whether each change is told depends on where it falls; that nothing else happens is what sanitizers watch.
  const std::string body = body_of(everything());
  std::mt19937 random(7);
  const std::uint32_t values[] = {0u, 1u, 2u, 3u, 5u, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  int told = 0;
  for (std::size_t place = 0; place + 4 <= body.size(); place += 28) {
    std::string changed = body;
    const std::uint32_t value = values[random() % 8];
    std::memcpy(&changed[place], &value, sizeof value);
    told += is_told(changed) ? 1 : 0;
  }
  for (int k = 0; k < 300; ++k) {
    std::string changed = body;
    changed[random() % body.size()] = static_cast<char>(random());
    told += is_told(changed) ? 1 : 0;
  }
  CHECK(told > 100);
}

TEST(a_foreign_file_is_told_by_its_mark_version_and_length) {
  const std::string file = to_file(body_of(everything()));
  CHECK(from_file(file_with(file)) == body_of(everything()));
  const std::string later = std::string(file).replace(16, 1, "\x09");
  CHECK_THROWS(RecipeError, "is not a recipe", from_file(file_with("")));
  CHECK_THROWS(RecipeError, "is not a recipe",
               from_file(file_with("PK\x03\x04 something else that is long enough to be one")));
  CHECK_THROWS(RecipeError, "was cut off", from_file(file_with(file.substr(0, file.size() - 1))));
  CHECK_THROWS(RecipeError, "was cut off or added to", from_file(file_with(file + "x")));
  CHECK_THROWS(RecipeError, "has version 9", from_file(file_with(later)));
  CHECK_THROWS(RecipeError, "cannot be opened", from_file("nowhere/at/all"));
}

TEST(what_cannot_be_written_down_is_named_with_its_place) {
  ExportedSpec spec = everything();
  spec.participants[0].spec.subsystem =
      std::make_shared<Table>(std::vector<double>{0.0}, std::vector<double>{1.0}, 1, Table::Kind::hold);
  recipe::Writer writer;
  writer(spec);
  CHECK(writer.problems().size() == 1);
  CHECK(writer.problems().front().find("subsystems.mass: is written in Python or runs") == 0);
}
