#include "multibody/recipes.hpp"

#include "check.hpp"
#include "numbers.hpp"

namespace counterpoint::recipe {

using namespace counterpoint::multibody;

ConstraintBatchPointer make_distance_batch(const DistanceBatch& batch) {
  return make_distances(batch.dimension, batch.rows);
}

ConstraintBatchPointer make_coincidence_batch(const std::vector<Combination>& combinations) {
  for (const Combination& c : combinations) {
    if (c.dimension != combinations.front().dimension) throw UserError("combinations have several dimensions");
  }
  return make_coincidences(combinations);
}

TimeFunctionPointer make_following_input(InputNumber input, double factor) {
  return make_following(input.number, factor);
}

MeasurePointer make_product_measure(MeasureFunction function, std::pair<Combination, Combination> first,
                                    std::pair<Combination, Combination> second) {
  if (first.first.dimension != first.second.dimension || second.first.dimension != second.second.dimension) {
    throw UserError("a product of vectors of two dimensions");
  }
  return make_measure(function, std::move(first), std::move(second));
}

ModelPointer make_assembled_model(const Parts& parts) { return std::make_shared<AssembledModel>(parts); }

SubsystemPointer make_mechanism(const MechanismRecipe& recipe) {
  return std::make_shared<MultibodySubsystem>(recipe.model, recipe.options, recipe.outputs, recipe.setup);
}

void Check<Combination>::of(Combination& combination, Reader& reader) {
  if (combination.dimension < 1 || combination.dimension > 3)
    reader.fail("the dimension of a combination is not 1, 2 or 3");
  for (const Weight& w : combination.weights) {
    reader.refer<CoordinateReference>(w.offset, combination.dimension);
    if (w.turned != 0.0 && combination.dimension != 2) reader.fail("a combination is turned, but is not in the plane");
  }
}

void Check<DistanceBatch>::of(DistanceBatch& batch, Reader& reader) {
  if (batch.dimension != 2 && batch.dimension != 3) reader.fail("a rod is neither in the plane nor in space");
  for (const DistanceRow& row : batch.rows) {
    reader.refer<CoordinateReference>(row.first, batch.dimension);
    reader.refer<CoordinateReference>(row.second, batch.dimension);
  }
}

void Check<DotRow>::of(DotRow& row, Reader& reader) {
  if (row.a.dimension != row.b.dimension) reader.fail("a product of vectors of two dimensions");
}

void Check<RelationRow>::of(RelationRow& row, Reader& reader) {
  if (row.measures.empty() || row.measures.size() != row.factors.size())
    reader.fail("the numbers of measures and factors of a relation differ");
}

void Check<Curve>::of(Curve& curve, Reader& reader) {
  if (curve.x.size() != curve.y.size() || curve.x.size() == 1)
    reader.fail("a curve has different numbers of x and y values");
  for (std::size_t k = 1; k < curve.x.size(); ++k) {
    if (!(curve.x[k] > curve.x[k - 1])) reader.fail("the x values of a curve do not increase");
  }
}

namespace {

NamedNumbers without_zeros(NamedNumbers numbers) {
  std::erase_if(numbers, [](const auto& named) { return *named.second == 0.0; });
  return numbers;
}

/// Add to the sums what a changed mass of a body adds.
void apply_mass(const Load& load, Parts& parts, const Reader& reader) {
  std::vector<double> mass{load.mass};
  reader.change(load.name + ".mass", mass);
  const double more = mass[0] - load.mass;
  if (more == 0.0) return;
  if (!(mass[0] > 0.0))
    throw UserError(load.name + ".mass: " + number_text(mass[0]) + " kg; expected a number greater than 0");
  for (const MatrixEntry& e : load.inertia) parts.mass.push_back({e.row, e.column, more * e.value});
  for (const MatrixEntry& e : load.weight) parts.constant_force[e.row] += more * e.value;
}

}  // namespace

NamedNumbers TunableNumbers<ScalarLaw>::of(ScalarLaw& l) {
  NamedNumbers all{
      {"stiffness", &l.stiffness}, {"natural", &l.natural}, {"damping", &l.damping}, {"force", &l.constant}};
  if (l.friction != 0.0) {
    all.insert(all.end(), {{"sliding", &l.friction},
                           {"breakaway", &l.breakaway},
                           {"rate", &l.friction_rate},
                           {"stribeck", &l.stribeck_rate}});
  }
  return without_zeros(std::move(all));
}

NamedNumbers TunableNumbers<RotationalSpringLaw>::of(RotationalSpringLaw& l) {
  NamedNumbers all;
  for (int k = 0; k < 3; ++k) {
    all.emplace_back("stiffness[" + std::to_string(k) + "]", &l.stiffness[k]);
    all.emplace_back("damping[" + std::to_string(k) + "]", &l.damping[k]);
  }
  return without_zeros(std::move(all));
}

NamedNumbers TunableNumbers<ContactLaw>::of(ContactLaw& l) {
  return without_zeros({{"stiffness", &l.stiffness},
                        {"exponent", &l.exponent},
                        {"damping", &l.damping},
                        {"friction", &l.friction},
                        {"friction_speed", &l.friction_speed},
                        {"radius", &l.radius}});
}

NamedNumbers TunableNumbers<TyreLaw>::of(TyreLaw& l) {
  NamedNumbers all{{"radius", &l.radius},
                   {"stiffness", &l.stiffness},
                   {"damping", &l.damping},
                   {"longitudinal_relaxation", &l.longitudinal_relaxation},
                   {"lateral_relaxation", &l.lateral_relaxation},
                   {"nominal_load", &l.nominal_load},
                   {"load_sensitivity", &l.load_sensitivity},
                   {"camber_slip", &l.camber_slip},
                   {"rolling_resistance", &l.rolling_resistance},
                   {"rolling_speed", &l.rolling_speed},
                   {"trail", &l.trail},
                   {"trail_fall", &l.trail_fall},
                   {"standstill_damping", &l.standstill_damping},
                   {"standstill_speed", &l.standstill_speed},
                   {"largest_slip", &l.largest_slip},
                   {"gyroscopic_inertia", &l.gyroscopic_inertia}};
  for (const auto& [name, formula] : {std::pair("longitudinal.", &l.longitudinal), std::pair("lateral.", &l.lateral)}) {
    const std::string in(name);
    all.insert(all.end(),
               {{in + "B", &formula->B}, {in + "C", &formula->C}, {in + "E", &formula->E}, {in + "mu", &formula->mu}});
  }
  return without_zeros(std::move(all));
}

NamedNumbers TunableNumbers<StripLaw>::of(StripLaw& l) {
  return without_zeros({{"span", &l.span}, {"chord_length", &l.chord}, {"density", &l.density}});
}

void Check<Parts>::of(Parts& parts, Reader& reader) {
  const auto all = static_cast<long>(parts.coordinates.size());
  if (parts.free < 0 || parts.free > all || parts.inputs < 0)
    reader.fail("the numbers of coordinates or inputs are wrong");
  for (const MatrixEntry& e : parts.mass) {
    if (e.row < 0 || e.row >= all || e.column < 0 || e.column >= all)
      reader.fail("a mass refers to a coordinate that does not exist");
  }
  if (static_cast<long>(parts.constant_force.size()) != all)
    reader.fail("the number of components of the weight is not that of coordinates");
  for (const Load& load : parts.loads) {
    for (const std::vector<MatrixEntry>* entries : {&load.inertia, &load.weight}) {
      for (const MatrixEntry& e : *entries) {
        if (e.row < 0 || e.row >= all || e.column < 0 || e.column >= all)
          reader.fail("a body refers to a coordinate that does not exist");
      }
    }
    apply_mass(load, parts, reader);
  }
  if (reader.furthest<CoordinateReference>() >= all) reader.fail("a point refers to a coordinate that does not exist");
  if (reader.furthest<InputReference>() >= parts.inputs) reader.fail("a force refers to an input that does not exist");
  for (const ConstraintBatchPointer& batch : parts.constraints) {
    SparsePattern pattern;
    batch->append_rows(pattern);
    if (pattern.rows != batch->equations()) reader.fail("the number of names of constraints is not that of equations");
  }
}

void Check<MechanismRecipe>::of(MechanismRecipe& recipe, Reader& reader) {
  const Model& model = *recipe.model;
  const auto all = static_cast<std::size_t>(model.all_coordinates());
  if (recipe.setup.q.size() != all || recipe.setup.v.size() != all)
    reader.fail("the number of initial values is not that of coordinates");
  if (recipe.setup.input_defaults.size() != static_cast<std::size_t>(model.inputs()))
    reader.fail("the number of initial inputs is not that of inputs");
  if (reader.furthest<CoordinateReference>() >= model.all_coordinates())
    reader.fail("an output refers to a coordinate that does not exist");
  for (const OutputPointer& output : recipe.outputs) {
    if (!output->fits(model)) reader.fail("an output does not fit the mechanism");
  }
}

template <>
const Factories<Model>& factories_of<Model>() {
  static const Factories<Model> all(assembled_model_factory);
  return all;
}

template <>
const Factories<TimeFunction>& factories_of<TimeFunction>() {
  static const Factories<TimeFunction> all(polynomial_factory, harmonic_factory, smooth_step_factory,
                                           table_of_time_factory, linear_table_factory, following_factory);
  return all;
}

template <>
const Factories<Measure>& factories_of<Measure>() {
  static const Factories<Measure> all(measure_factory);
  return all;
}

template <>
const Factories<ConstraintBatch>& factories_of<ConstraintBatch>() {
  static const Factories<ConstraintBatch> all(distances_factory, dots_factory, coincidences_factory, relations_factory);
  return all;
}

template <>
const Factories<Force>& factories_of<Force>() {
  static const Factories<Force> all(scalar_force_factory, point_force_factory, torque_factory,
                                    rotational_spring_factory, contact_factory, tyre_factory, aerodynamic_strip_factory,
                                    rotor_aerodynamics_factory);
  return all;
}

template <>
const Factories<Output>& factories_of<Output>() {
  static const Factories<Output> all(point_output_factory, measure_output_factory, coordinates_output_factory,
                                     reaction_output_factory, support_output_factory, force_output_factory,
                                     scalar_output_factory);
  return all;
}

}  // namespace counterpoint::recipe
