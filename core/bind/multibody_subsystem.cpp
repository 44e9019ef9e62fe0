#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/multibody_python.hpp"
#include "multibody/multibody_subsystem.hpp"
#include "multibody/recipes.hpp"

namespace counterpoint::bind {

using namespace counterpoint::multibody;

namespace {

using Vector = std::vector<double>;

const std::map<std::string, Formulation> formulations{{"index-3", Formulation::index3},
                                                      {"augmented-lagrangian", Formulation::augmented_lagrangian},
                                                      {"penalty", Formulation::penalty}};
const std::map<std::string, SystemForm> system_forms{{"condensed", SystemForm::condensed}, {"kkt", SystemForm::kkt}};
const std::map<std::string, Integrator> integrators{{"newmark", Integrator::newmark},
                                                    {"hermite", Integrator::hermite},
                                                    {"rk2", Integrator::rk2},
                                                    {"rk4", Integrator::rk4}};
const std::map<std::string, Iteration> iterations{{"newton", Iteration::newton},
                                                  {"fixed-point", Iteration::fixed_point}};
const std::map<std::string, Motion> motions{
    {"position", Motion::position}, {"velocity", Motion::velocity}, {"acceleration", Motion::acceleration}};
const std::map<std::string, Scalar> scalars{{"kinetic_energy", Scalar::kinetic_energy},
                                            {"potential_energy", Scalar::potential_energy},
                                            {"energy", Scalar::total_energy},
                                            {"violation", Scalar::violation}};

void bind_outputs(nb::module_& m) {
  nb::class_<Output>(m, "Output");
  m.def(
      "point_output",
      [](const Combination& point, const std::string& motion) {
        return recipe::make(recipe::point_output_factory, point, chosen(motions, motion));
      },
      nb::arg("point"), nb::arg("motion"));
  m.def(
      "measure_output",
      [](MeasurePointer measure, const std::string& motion) {
        return recipe::make(recipe::measure_output_factory, std::move(measure), chosen(motions, motion));
      },
      nb::arg("measure"), nb::arg("motion"));
  m.def(
      "coordinates_output",
      [](int coordinates, const std::string& motion) {
        return recipe::make(recipe::coordinates_output_factory, coordinates, chosen(motions, motion));
      },
      nb::arg("coordinates"), nb::arg("motion"));
  m.def("reaction_output", recipe::maker(recipe::reaction_output_factory), nb::arg("first"), nb::arg("count"));
  m.def("support_output", recipe::maker(recipe::support_output_factory), nb::arg("offset"), nb::arg("dimension"));
  m.def("force_output", recipe::maker(recipe::force_output_factory), nb::arg("force"));
  m.def(
      "scalar_output",
      [](const std::string& scalar) { return recipe::make(recipe::scalar_output_factory, chosen(scalars, scalar)); },
      nb::arg("scalar"));
}

void bind_subsystem(nb::module_& m) {
  nb::class_<NewmarkRule>(m, "NewmarkRule")
      .def(nb::init<>())
      .def_rw("beta", &NewmarkRule::beta)
      .def_rw("gamma", &NewmarkRule::gamma)
      .def_rw("alpha_m", &NewmarkRule::alpha_m)
      .def_rw("alpha_f", &NewmarkRule::alpha_f);
  nb::class_<StepperOptions>(m, "StepperOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "formulation", [](const StepperOptions& o) { return name_in(formulations, o.formulation); },
          [](StepperOptions& o, const std::string& name) { o.formulation = chosen(formulations, name); })
      .def_prop_rw(
          "system", [](const StepperOptions& o) { return name_in(system_forms, o.system); },
          [](StepperOptions& o, const std::string& name) { o.system = chosen(system_forms, name); })
      .def_prop_rw(
          "integrator", [](const StepperOptions& o) { return name_in(integrators, o.integrator); },
          [](StepperOptions& o, const std::string& name) { o.integrator = chosen(integrators, name); })
      .def_prop_rw(
          "iteration", [](const StepperOptions& o) { return name_in(iterations, o.iteration); },
          [](StepperOptions& o, const std::string& name) { o.iteration = chosen(iterations, name); })
      .def_prop_rw(
          "solver", [](const StepperOptions& o) { return std::string(linear::name_of(o.solver)); },
          [](StepperOptions& o, const std::string& name) { o.solver = linear::solver_type(name); })
      .def_rw("rule", &StepperOptions::rule)
      .def_rw("penalty", &StepperOptions::penalty)
      .def_rw("natural_frequency", &StepperOptions::natural_frequency)
      .def_rw("damping_ratio", &StepperOptions::damping_ratio)
      .def_rw("project_velocities", &StepperOptions::project_velocities)
      .def_rw("project_accelerations", &StepperOptions::project_accelerations)
      .def_rw("reset_multipliers", &StepperOptions::reset_multipliers)
      .def_rw("printed", &StepperOptions::printed)
      .def_rw("tolerance", &StepperOptions::tolerance)
      .def_rw("length", &StepperOptions::length)
      .def_rw("max_iterations", &StepperOptions::max_iterations)
      .def_rw("fixed_iterations", &StepperOptions::fixed_iterations)
      .def_rw("threads", &StepperOptions::threads)
      .def_rw("profile", &StepperOptions::profile);
  nb::class_<Statistics>(m, "Statistics")
      .def_ro("steps", &Statistics::steps)
      .def_ro("iterations", &Statistics::iterations)
      .def_ro("factorisations", &Statistics::factorisations)
      .def_ro("worst_contraction", &Statistics::worst_contraction)
      .def_ro("worst_violation", &Statistics::worst_violation)
      .def_ro("singular_steps", &Statistics::singular_steps)
      .def_ro("penalty_raised", &Statistics::penalty_raised)
      .def_ro("softened_steps", &Statistics::softened_steps)
      .def_ro("halved_steps", &Statistics::halved_steps);
  nb::class_<MultibodySubsystem, Subsystem>(m, "MultibodySubsystem")
      .def(
          "__init__",
          [](MultibodySubsystem* self, const ModelView& model, const StepperOptions& options,
             std::vector<OutputPointer> outputs, Vector q, Vector v, Vector input_defaults, bool guided_by_inputs,
             double step) {
            const MultibodySubsystem::Setup setup{std::move(q), std::move(v), std::move(input_defaults),
                                                  guided_by_inputs, step};
            new (self) MultibodySubsystem(model.model, options, outputs, setup);
            recipe::describe(*self, recipe::mechanism_factory, {model.model, options, std::move(outputs), setup});
          },
          nb::arg("model"), nb::arg("options"), nb::arg("outputs"), nb::arg("q"), nb::arg("v"),
          nb::arg("input_defaults"), nb::arg("guided_by_inputs"), nb::arg("step"))
      .def_prop_ro("statistics", &MultibodySubsystem::statistics)
      .def_prop_ro(
          "state",
          [](const MultibodySubsystem& self) {
            Vector both = self.state().q;
            both.insert(both.end(), self.state().v.begin(), self.state().v.end());
            return both;
          },
          "Positions of all coordinates, then their velocities.")
      .def_prop_ro("solver",
                   [](const MultibodySubsystem& self) { return std::string(self.stepper().solver()->name()); })
      .def("start", &MultibodySubsystem::start, nb::arg("t"));
}

}  // namespace

void bind_multibody_subsystem(nb::module_& m) {
  bind_outputs(m);
  bind_subsystem(m);
}

}  // namespace counterpoint::bind
