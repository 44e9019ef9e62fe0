#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

#include "bind/multibody_python.hpp"
#include "bind/python_values.hpp"
#include "check.hpp"
#include "multibody/recipes.hpp"
#include "multibody/redundancy.hpp"

namespace counterpoint::bind {

using namespace counterpoint::multibody;

namespace {

using Array1 = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;
using Vector = std::vector<double>;

Combination combination(int dimension, const std::vector<int>& offsets, const Vector& weights, const Vector& turned,
                        const Vector& constant) {
  Combination made;
  made.dimension = dimension;
  for (std::size_t k = 0; k < offsets.size(); ++k) made.weights.push_back({offsets[k], weights[k], turned[k]});
  for (std::size_t d = 0; d < constant.size(); ++d) made.constant[d] = constant[d];
  return made;
}

const std::map<std::string, MeasureFunction> functions{{"dot", MeasureFunction::dot},
                                                       {"distance", MeasureFunction::distance},
                                                       {"angle", MeasureFunction::angle},
                                                       {"rotation", MeasureFunction::rotation}};
using Coordinates = std::tuple<std::vector<int>, std::vector<int>>;

Coordinates places(const SparsePattern& pattern) {
  std::vector<int> rows;
  for (int row = 0; row < pattern.rows; ++row)
    rows.insert(rows.end(), pattern.row_start[row + 1] - pattern.row_start[row], row);
  return {rows, pattern.column};
}

void bind_parts(nb::module_& m) {
  nb::class_<Combination>(m, "Combination")
      .def(
          "__init__",
          [](Combination* self, int dimension, const std::vector<int>& offsets, const Vector& weights,
             const Vector& turned, const Vector& constant) {
            new (self) Combination(combination(dimension, offsets, weights, turned, constant));
          },
          nb::arg("dimension"), nb::arg("offsets"), nb::arg("weights"), nb::arg("turned"), nb::arg("constant"));
  nb::class_<TimeFunction>(m, "TimeFunction");
  m.def("polynomial", recipe::maker(recipe::polynomial_factory), nb::arg("coefficients"));
  m.def("harmonic", recipe::maker(recipe::harmonic_factory), nb::arg("offset"), nb::arg("amplitude"),
        nb::arg("angular_frequency"), nb::arg("phase"));
  m.def(
      "following", [](int input, double factor) { return recipe::make(recipe::following_factory, {input}, factor); },
      nb::arg("input"), nb::arg("factor"));
  m.def("python_time_function", &make_python_time_function, nb::arg("function"), nb::arg("interval"));

  nb::class_<Measure>(m, "Measure")
      .def_rw("name", &Measure::name)
      .def_rw("start_near", &Measure::start_near)
      .def(
          "value", [](const Measure& self, const Vector& q) { return self.value(q.data()); }, nb::arg("q"))
      .def(
          "rate", [](const Measure& self, const Vector& q, const Vector& v) { return self.rate(q.data(), v.data()); },
          nb::arg("q"), nb::arg("v"));
  m.def(
      "measure",
      [](const std::string& function, const Combination& a, const Combination& b, const Combination& c,
         const Combination& d) {
        return recipe::make(recipe::measure_factory, chosen(functions, function), {a, b}, {c, d});
      },
      nb::arg("function"), nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("d"));
}

void add_batch(Parts& parts, ConstraintBatchPointer batch, std::vector<std::string> names) {
  if (names.empty()) return;
  batch->names = std::move(names);
  parts.constraints.push_back(std::move(batch));
}

void bind_assembly(nb::module_& m) {
  using Names = std::vector<std::string>;
  nb::class_<MatrixEntry>(m, "MatrixEntry", "One entry of a matrix, or of a column when that is 0.")
      .def(
          "__init__",
          [](MatrixEntry* self, int row, int column, double value) { new (self) MatrixEntry{row, column, value}; },
          nb::arg("row"), nb::arg("column"), nb::arg("value"));
  nb::class_<Parts>(m, "Parts")
      .def(
          "__init__",
          [](Parts* self, int free, Names coordinates, int inputs) {
            new (self) Parts();
            self->free = free;
            self->coordinates = std::move(coordinates);
            self->inputs = inputs;
            self->constant_force.assign(self->coordinates.size(), 0.0);
          },
          nb::arg("free"), nb::arg("coordinates"), nb::arg("inputs"))
      .def(
          "set_mass",
          [](Parts& self, const std::vector<int>& rows, const std::vector<int>& columns, const Vector& values) {
            for (std::size_t k = 0; k < rows.size(); ++k) self.mass.push_back({rows[k], columns[k], values[k]});
          },
          nb::arg("rows"), nb::arg("columns"), nb::arg("values"))
      .def_rw("constant_force", &Parts::constant_force)
      .def(
          "add_load",
          [](Parts& self, const std::string& name, double mass, std::vector<MatrixEntry> inertia,
             std::vector<MatrixEntry> weight) {
            self.loads.push_back({name, mass, std::move(inertia), std::move(weight)});
          },
          nb::arg("name"), nb::arg("mass"), nb::arg("inertia"), nb::arg("weight"))
      .def_rw("constant_energy", &Parts::constant_energy)
      .def(
          "add_distances",
          [](Parts& self, int dimension, const std::vector<int>& first, const std::vector<int>& second,
             const Vector& lengths, Names names) {
            std::vector<DistanceRow> rows;
            for (std::size_t k = 0; k < first.size(); ++k) rows.push_back({first[k], second[k], lengths[k]});
            add_batch(self, recipe::make(recipe::distances_factory, {dimension, rows}), std::move(names));
          },
          nb::arg("dimension"), nb::arg("first"), nb::arg("second"), nb::arg("lengths"), nb::arg("names"))
      .def(
          "add_dots",
          [](Parts& self, const std::vector<Combination>& a, const std::vector<Combination>& b, const Vector& values,
             const Vector& scales, Names names) {
            std::vector<DotRow> rows;
            for (std::size_t k = 0; k < a.size(); ++k) rows.push_back({a[k], b[k], values[k], scales[k]});
            add_batch(self, recipe::make(recipe::dots_factory, rows), std::move(names));
          },
          nb::arg("a"), nb::arg("b"), nb::arg("values"), nb::arg("scales"), nb::arg("names"))
      .def(
          "add_coincidences",
          [](Parts& self, const std::vector<Combination>& combinations, Names names) {
            add_batch(self, recipe::make(recipe::coincidences_factory, combinations), std::move(names));
          },
          nb::arg("combinations"), nb::arg("names"))
      .def(
          "add_measure", [](Parts& self, MeasurePointer measure) { self.measures.push_back(std::move(measure)); },
          nb::arg("measure"))
      .def(
          "add_relation",
          [](Parts& self, std::vector<MeasurePointer> measures, Vector factors,
             std::optional<TimeFunctionPointer> prescribed, const std::string& name) {
            add_batch(self,
                      recipe::make(recipe::relations_factory,
                                   {{std::move(measures), std::move(factors), prescribed.value_or(nullptr)}}),
                      {name});
          },
          nb::arg("measures"), nb::arg("factors"), nb::arg("prescribed").none(), nb::arg("name"))
      .def(
          "add_force", [](Parts& self, ForcePointer force) { self.forces.push_back(std::move(force)); },
          nb::arg("force"))
      // The parts move into the model: the object in Python is empty afterwards.
      .def(
          "model",
          [](Parts& self, double length) {
            auto model = std::make_shared<AssembledModel>(std::move(self));
            // It keeps its parts itself: they are written from there, not kept twice.
            model->origin = std::make_shared<recipe::Origin>(
                recipe::Origin{recipe::assembled_model_factory.name,
                               [made = model.get()](recipe::Writer& writer) { writer(made->parts()); }});
            return new ModelView(std::move(model), length);
          },
          nb::arg("length"), nb::rv_policy::take_ownership);
  m.def(
      "python_model",
      [](nb::object model, double length) {
        return new ModelView(make_python_model(std::move(model), length), length);
      },
      nb::arg("model"), nb::arg("length"), nb::rv_policy::take_ownership);
  nb::class_<EvaluatedModelSizes>(m, "EvaluatedModelSizes")
      .def(
          "__init__",
          [](EvaluatedModelSizes* self, int coordinates, int equations, int inputs, double length, bool constant_mass,
             bool rates, bool rheonomic) {
            new (self) EvaluatedModelSizes{coordinates, equations, inputs, length, constant_mass, rates, rheonomic};
          },
          nb::arg("coordinates"), nb::arg("equations"), nb::arg("inputs"), nb::arg("length"), nb::arg("constant_mass"),
          nb::arg("rates"), nb::arg("rheonomic"));
  m.def(
      "evaluated_model",
      [](nb::object answer, const EvaluatedModelSizes& sizes) {
        return new ModelView(make_evaluated_model(make_python_terms(std::move(answer), sizes), sizes), sizes.length);
      },
      nb::arg("answer"), nb::arg("sizes"), nb::rv_policy::take_ownership);
  m.def(
      "compiled_model",
      [](std::uintptr_t address, const EvaluatedModelSizes& sizes) {
        return new ModelView(make_evaluated_model(reinterpret_cast<CompiledTerms>(address), sizes), sizes.length);
      },
      nb::arg("address"), nb::arg("sizes"), nb::rv_policy::take_ownership);
}

void bind_model(nb::module_& m) {
  using State = std::tuple<Vector, Vector>;
  nb::class_<ModelView>(m, "Model")
      .def_prop_ro("coordinates", [](const ModelView& self) { return self.model->coordinates(); })
      .def_prop_ro("all_coordinates", [](const ModelView& self) { return self.model->all_coordinates(); })
      .def_prop_ro("equations", [](const ModelView& self) { return self.model->equations(); })
      .def_prop_ro("inputs", [](const ModelView& self) { return self.model->inputs(); })
      .def(
          "equation_name", [](const ModelView& self, int equation) { return self.model->equation_name(equation); },
          nb::arg("equation"))
      .def(
          "coordinate_name",
          [](const ModelView& self, int coordinate) { return self.model->coordinate_name(coordinate); },
          nb::arg("coordinate"))
      .def("mass_places", [](const ModelView& self) { return places(self.model->mass_pattern()); })
      .def("jacobian_places", [](const ModelView& self) { return places(self.model->jacobian_pattern()); })
      .def("tangent_places", [](const ModelView& self) { return places(self.model->tangent_pattern()); })
      .def("mass",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) {
             Vector values(self.model->mass_pattern().entries());
             self.model->mass(self.at(t, q, v, u, du, ddu), values.data());
             return values;
           })
      .def("constraints",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) -> State {
             Vector phi(self.model->equations()), J(self.model->jacobian_pattern().entries());
             self.model->constraints(self.at(t, q, v, u, du, ddu), phi.data(), J.data());
             return {phi, J};
           })
      .def("constraint_rates",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) -> State {
             Vector phi_t(self.model->equations(), 0.0), rest(self.model->equations());
             const Instant now = self.at(t, q, v, u, du, ddu);
             if (self.model->rheonomic()) self.model->velocity_terms(now, phi_t.data());
             self.model->acceleration_terms(now, rest.data());
             return {phi_t, rest};
           })
      .def("forces",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) {
             Vector Q(self.model->all_coordinates());
             self.model->forces(self.at(t, q, v, u, du, ddu), Q.data());
             return Q;
           })
      .def("force_change",
           [](ModelView& self, const Vector& dq, const Vector& dv, double step, double t, const Vector& q,
              const Vector& v, const Vector& u, const Vector& du, const Vector& ddu) {
             ModelView::check(dq.size(), self.model->all_coordinates(), "dq");
             ModelView::check(dv.size(), self.model->all_coordinates(), "dv");
             Vector dQ(self.model->all_coordinates());
             self.model->force_change(self.at(t, q, v, u, du, ddu), dq.data(), dv.data(), step, dQ.data());
             return dQ;
           })
      .def("tangent",
           [](ModelView& self, double stiffness, double damping, double t, const Vector& q, const Vector& v,
              const Vector& u, const Vector& du, const Vector& ddu) {
             Vector values(self.model->tangent_pattern().entries(), 0.0);
             self.model->add_tangent(self.at(t, q, v, u, du, ddu), stiffness, damping, values.data());
             return values;
           })
      .def("potential_energy",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) { return self.model->potential_energy(self.at(t, q, v, u, du, ddu)); })
      .def("assemble",
           [](ModelView& self, double t, Vector q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) {
             const Instant now = self.at(t, q, v, u, du, ddu);
             self.initial.positions(now, q);
             return q;
           })
      .def("velocities",
           [](ModelView& self, double t, const Vector& q, Vector v, const Vector& u, const Vector& du,
              const Vector& ddu) {
             const Instant now = self.at(t, q, v, u, du, ddu);
             self.initial.velocities(now, v);
             return v;
           })
      .def("accelerations",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) -> State {
             Vector a(self.model->all_coordinates(), 0.0), multipliers(self.model->equations());
             self.initial.accelerations(self.at(t, q, v, u, du, ddu), a, multipliers);
             return {a, multipliers};
           })
      // What elements remember (turns of angles): empty lets them begin anew at every call, `accept` moves it on to a
      // state.
      .def_rw("memory", &ModelView::held)
      .def("accept",
           [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du,
              const Vector& ddu) {
             const Instant now = self.at(t, q, v, u, du, ddu);
             self.model->accept(now, self.memory.data());
             self.held = self.memory;
           })
      .def("outputs",
           [](ModelView& self, const std::vector<OutputPointer>& outputs, const Vector& a, const Vector& multipliers,
              double t, const Vector& q, const Vector& v, const Vector& u, const Vector& du, const Vector& ddu) {
             ModelView::check(a.size(), self.model->all_coordinates(), "a");
             ModelView::check(multipliers.size(), self.model->equations(), "multipliers");
             self.at(t, q, v, u, du, ddu);  // checks them, and fills the memory
             multibody::State state;
             state.t = t, state.q = q, state.v = v, state.a = a, state.multipliers = multipliers,
             state.memory = self.memory;
             for (const Vector* inputs : {&u, &du, &ddu})
               state.inputs.insert(state.inputs.end(), inputs->begin(), inputs->end());
             Vector values;
             for (const OutputPointer& output : outputs) {
               values.resize(values.size() + output->width());
               output->evaluate({*self.model, state, t}, values.data() + values.size() - output->width());
             }
             return values;
           })
      .def("redundancy", [](ModelView& self, double t, const Vector& q, const Vector& v, const Vector& u,
                            const Vector& du, const Vector& ddu) {
        const Redundancy found = find_redundancy(*self.model, self.at(t, q, v, u, du, ddu));
        return std::tuple(found.equations, found.degrees_of_freedom);
      });
}

}  // namespace

void bind_multibody(nb::module_& core) {
  nb::module_ m = core.def_submodule("multibody", "Mechanisms in natural coordinates.");
  bind_parts(m);
  bind_multibody_forces(m);
  bind_linear(m);
  bind_linear_operations(m);
  bind_assembly(m);
  bind_model(m);
  bind_multibody_subsystem(m);
  bind_step_profile(m);
}

}  // namespace counterpoint::bind
