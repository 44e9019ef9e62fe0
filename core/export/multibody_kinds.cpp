#include "export/multibody_kinds.hpp"

namespace counterpoint::recipe {

using namespace counterpoint::multibody;

ConstraintBatchPointer make_distance_batch(const DistanceBatch& batch) {
  return make_distances(batch.dimension, batch.rows);
}

ConstraintBatchPointer make_coincidence_batch(const std::vector<Combination>& combinations) {
  for (const Combination& c : combinations) {
    if (c.dimension != combinations.front().dimension)
      throw std::invalid_argument("combinations of several dimensions");
  }
  return make_coincidences(combinations);
}

TimeFunctionPointer make_following_input(InputNumber input, double factor) {
  return make_following(input.number, factor);
}

MeasurePointer make_product_measure(MeasureFunction function, std::pair<Combination, Combination> first,
                                    std::pair<Combination, Combination> second) {
  if (first.first.dimension != first.second.dimension || second.first.dimension != second.second.dimension) {
    throw std::invalid_argument("a product of vectors of two dimensions");
  }
  return make_measure(function, std::move(first), std::move(second));
}

ModelPointer make_assembled_model(const Parts& parts) { return std::make_shared<AssembledModel>(parts); }

SubsystemPointer make_mechanism(const MechanismRecipe& recipe) {
  return std::make_shared<MultibodySubsystem>(recipe.model, recipe.options, recipe.outputs, recipe.setup);
}

void Check<Combination>::of(Combination& combination, Reader& reader) {
  if (combination.dimension < 1 || combination.dimension > 3)
    reader.fail("a combination has no dimension that there is");
  for (const Weight& w : combination.weights) {
    reader.refer(reader.furthest.coordinate, w.offset, combination.dimension);
    if (w.turned != 0.0 && combination.dimension != 2)
      reader.fail("a combination is turned, but does not lie in the plane");
  }
}

void Check<DistanceBatch>::of(DistanceBatch& batch, Reader& reader) {
  if (batch.dimension != 2 && batch.dimension != 3) reader.fail("a rod is neither in the plane nor in space");
  for (const DistanceRow& row : batch.rows) {
    reader.refer(reader.furthest.coordinate, row.first, batch.dimension);
    reader.refer(reader.furthest.coordinate, row.second, batch.dimension);
  }
}

void Check<DotRow>::of(DotRow& row, Reader& reader) {
  if (row.a.dimension != row.b.dimension) reader.fail("a product of vectors of two dimensions");
}

void Check<RelationRow>::of(RelationRow& row, Reader& reader) {
  if (row.measures.empty() || row.measures.size() != row.factors.size())
    reader.fail("measures and factors of a relation do not fit");
}

void Check<Curve>::of(Curve& curve, Reader& reader) {
  if (curve.x.size() != curve.y.size() || curve.x.size() == 1) reader.fail("a curve has not as many values as places");
  for (std::size_t k = 1; k < curve.x.size(); ++k) {
    if (!(curve.x[k] > curve.x[k - 1])) reader.fail("a curve goes back");
  }
}

namespace {

NamedNumbers without_zeros(NamedNumbers numbers) {
  std::erase_if(numbers, [](const auto& named) { return *named.second == 0.0; });
  return numbers;
}

/// Add to the sums what a body has become heavier.
void apply_mass(const Load& load, Parts& parts, const Reader& reader) {
  std::vector<double> mass{load.mass};
  reader.change(load.name + ".mass", mass);
  const double more = mass[0] - load.mass;
  if (more == 0.0) return;
  if (!(mass[0] > 0.0))
    throw std::invalid_argument(load.name + ".mass: " + std::to_string(mass[0]) +
                                " kg; a number greater than 0 is needed");
  for (const Entry& e : load.inertia) parts.mass.push_back({e.row, e.column, more * e.value});
  for (const Entry& e : load.weight) parts.constant_force[e.row] += more * e.value;
}

}  // namespace

NamedNumbers Numbers<ScalarLaw>::of(ScalarLaw& l) {
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

NamedNumbers Numbers<RotationalSpringLaw>::of(RotationalSpringLaw& l) {
  NamedNumbers all;
  for (int k = 0; k < 3; ++k) {
    all.emplace_back("stiffness[" + std::to_string(k) + "]", &l.stiffness[k]);
    all.emplace_back("damping[" + std::to_string(k) + "]", &l.damping[k]);
  }
  return without_zeros(std::move(all));
}

NamedNumbers Numbers<ContactLaw>::of(ContactLaw& l) {
  return without_zeros({{"stiffness", &l.stiffness},
                        {"exponent", &l.exponent},
                        {"damping", &l.damping},
                        {"friction", &l.friction},
                        {"friction_speed", &l.friction_speed},
                        {"radius", &l.radius}});
}

NamedNumbers Numbers<TyreLaw>::of(TyreLaw& l) {
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
                   {"largest_slip", &l.largest_slip}};
  for (const auto& [name, formula] : {std::pair("longitudinal.", &l.longitudinal), std::pair("lateral.", &l.lateral)}) {
    const std::string in(name);
    all.insert(all.end(),
               {{in + "B", &formula->B}, {in + "C", &formula->C}, {in + "E", &formula->E}, {in + "mu", &formula->mu}});
  }
  return without_zeros(std::move(all));
}

NamedNumbers Numbers<StripLaw>::of(StripLaw& l) {
  return without_zeros({{"span", &l.span}, {"chord_length", &l.chord}, {"density", &l.density}});
}

void Check<Parts>::of(Parts& parts, Reader& reader) {
  const auto all = static_cast<long>(parts.coordinates.size());
  if (parts.free < 0 || parts.free > all || parts.inputs < 0) reader.fail("more coordinates are free than there are");
  for (const Entry& e : parts.mass) {
    if (e.row < 0 || e.row >= all || e.column < 0 || e.column >= all)
      reader.fail("a mass lies on a coordinate that is not there");
  }
  if (static_cast<long>(parts.constant_force.size()) != all)
    reader.fail("the weight has not as many components as coordinates");
  for (const Load& load : parts.loads) {
    for (const std::vector<Entry>* entries : {&load.inertia, &load.weight}) {
      for (const Entry& e : *entries) {
        if (e.row < 0 || e.row >= all || e.column < 0 || e.column >= all)
          reader.fail("a body lies on a coordinate that is not there");
      }
    }
    apply_mass(load, parts, reader);
  }
  if (reader.furthest.coordinate >= all) reader.fail("a point lies on a coordinate that is not there");
  if (reader.furthest.input >= parts.inputs) reader.fail("a force follows an input that is not there");
  for (const ConstraintBatchPointer& batch : parts.constraints) {
    SparsePattern pattern;
    batch->append_rows(pattern);
    if (pattern.rows != batch->equations()) reader.fail("constraints have not as many names as equations");
  }
}

void Check<MechanismRecipe>::of(MechanismRecipe& recipe, Reader& reader) {
  const Model& model = *recipe.model;
  const auto all = static_cast<std::size_t>(model.all_coordinates());
  if (recipe.setup.q.size() != all || recipe.setup.v.size() != all)
    reader.fail("the start has not as many values as coordinates");
  if (recipe.setup.input_defaults.size() != static_cast<std::size_t>(model.inputs()))
    reader.fail("the start has other inputs");
  if (reader.furthest.coordinate >= model.all_coordinates())
    reader.fail("an output shows a coordinate that is not there");
  for (const OutputPointer& output : recipe.outputs) {
    if (!output->fits(model)) reader.fail("an output shows what the mechanism does not have");
  }
}

template <>
const Kinds<Model>& kinds_of<Model>() {
  static const Kinds<Model> all = [] {
    Kinds<Model> kinds;
    kinds.add(assembled_model_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<TimeFunction>& kinds_of<TimeFunction>() {
  static const Kinds<TimeFunction> all = [] {
    Kinds<TimeFunction> kinds;
    kinds.add(polynomial_kind);
    kinds.add(harmonic_kind);
    kinds.add(smooth_step_kind);
    kinds.add(table_of_time_kind);
    kinds.add(following_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<Measure>& kinds_of<Measure>() {
  static const Kinds<Measure> all = [] {
    Kinds<Measure> kinds;
    kinds.add(measure_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<ConstraintBatch>& kinds_of<ConstraintBatch>() {
  static const Kinds<ConstraintBatch> all = [] {
    Kinds<ConstraintBatch> kinds;
    kinds.add(distances_kind);
    kinds.add(dots_kind);
    kinds.add(coincidences_kind);
    kinds.add(relations_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<Force>& kinds_of<Force>() {
  static const Kinds<Force> all = [] {
    Kinds<Force> kinds;
    kinds.add(scalar_force_kind);
    kinds.add(point_force_kind);
    kinds.add(torque_kind);
    kinds.add(rotational_spring_kind);
    kinds.add(contact_kind);
    kinds.add(tyre_kind);
    kinds.add(aerodynamic_strip_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<Output>& kinds_of<Output>() {
  static const Kinds<Output> all = [] {
    Kinds<Output> kinds;
    kinds.add(point_output_kind);
    kinds.add(measure_output_kind);
    kinds.add(coordinates_output_kind);
    kinds.add(reaction_output_kind);
    kinds.add(support_output_kind);
    kinds.add(force_output_kind);
    kinds.add(scalar_output_kind);
    return kinds;
  }();
  return all;
}

}  // namespace counterpoint::recipe
