#pragma once

#include "coupling/recipes.hpp"
#include "multibody/aerodynamic_strip.hpp"
#include "multibody/assembled_model.hpp"
#include "multibody/contact.hpp"
#include "multibody/multibody_subsystem.hpp"
#include "multibody/rotational_spring.hpp"
#include "multibody/rotor_aerodynamics.hpp"
#include "multibody/tyre.hpp"
#include "recipe/factory.hpp"

/// How mechanisms are stored and made again.
namespace counterpoint::recipe {

/// A mechanism, how it is integrated, what it shows and where it begins.
struct MechanismRecipe {
  multibody::ModelPointer model;
  multibody::StepperOptions options;
  std::vector<multibody::OutputPointer> outputs;
  multibody::MultibodySubsystem::Setup setup;
};

/// Rods of one dimension.
struct DistanceBatch {
  int dimension = 3;
  std::vector<multibody::DistanceRow> rows;
};

/// Number of an input of the mechanism.
struct InputNumber {
  int number = 0;
};

/// What a mechanism refers to by number (`Reader::refer`).
struct CoordinateReference {};
struct InputReference {};

multibody::ConstraintBatchPointer make_distance_batch(const DistanceBatch& batch);
multibody::ConstraintBatchPointer make_coincidence_batch(const std::vector<multibody::Combination>& combinations);
multibody::TimeFunctionPointer make_following_input(InputNumber input, double factor);
multibody::MeasurePointer make_product_measure(multibody::MeasureFunction function,
                                               std::pair<multibody::Combination, multibody::Combination> first,
                                               std::pair<multibody::Combination, multibody::Combination> second);
multibody::ModelPointer make_assembled_model(const multibody::Parts& parts);
SubsystemPointer make_mechanism(const MechanismRecipe& recipe);

inline const Factory mechanism_factory{"mechanism", &make_mechanism};
inline const Factory assembled_model_factory{"assembled", &make_assembled_model};

inline const Factory polynomial_factory{"polynomial", &multibody::make_polynomial};
inline const Factory harmonic_factory{"harmonic", &multibody::make_harmonic};
inline const Factory smooth_step_factory{"smooth step", &multibody::make_smooth_step};
inline const Factory table_of_time_factory{"table", &multibody::make_table};
inline const Factory linear_table_factory{"linear table", &multibody::make_linear};
inline const Factory following_factory{"following", &make_following_input};

inline const Factory measure_factory{"measure", &make_product_measure};

inline const Factory distances_factory{"distances", &make_distance_batch};
inline const Factory dots_factory{"dots", &multibody::make_dots};
inline const Factory coincidences_factory{"coincidences", &make_coincidence_batch};
inline const Factory relations_factory{"relations", &multibody::make_relations};

inline const Factory scalar_force_factory{"scalar force", &multibody::make_scalar_force};
inline const Factory point_force_factory{"point force", &multibody::make_point_force};
inline const Factory torque_factory{"torque", &multibody::make_torque};
inline const Factory rotational_spring_factory{"rotational spring", &multibody::make_rotational_spring};
inline const Factory contact_factory{"contact", &multibody::make_contact};
inline const Factory tyre_factory{"tyre", &multibody::make_tyre};
inline const Factory aerodynamic_strip_factory{"aerodynamic strip", &multibody::make_aerodynamic_strip};
inline const Factory rotor_aerodynamics_factory{"rotor aerodynamics", &multibody::make_rotor_aerodynamics};

inline const Factory point_output_factory{"point", &multibody::make_point_output};
inline const Factory measure_output_factory{"measure", &multibody::make_measure_output};
inline const Factory coordinates_output_factory{"coordinates", &multibody::make_coordinates_output};
inline const Factory reaction_output_factory{"reaction", &multibody::make_reaction_output};
inline const Factory support_output_factory{"support", &multibody::make_support_output};
inline const Factory force_output_factory{"force", &multibody::make_force_output};
inline const Factory scalar_output_factory{"scalar", &multibody::make_scalar_output};

template <>
inline constexpr int count_of<linear::SolverType> = 6;
template <>
inline constexpr int count_of<multibody::Formulation> = 3;
template <>
inline constexpr int count_of<multibody::SystemForm> = 2;
template <>
inline constexpr int count_of<multibody::Integrator> = 4;
template <>
inline constexpr int count_of<multibody::Iteration> = 2;
template <>
inline constexpr int count_of<multibody::MeasureFunction> = 4;
template <>
inline constexpr int count_of<multibody::Inflow> = 4;
template <>
inline constexpr int count_of<multibody::Motion> = 3;
template <>
inline constexpr int count_of<multibody::Scalar> = 4;
template <>
inline constexpr bool may_be_missing<multibody::TimeFunction> = true;

template <>
struct Fields<multibody::Weight> {
  static auto of(auto& w) { return std::tie(w.offset, w.weight, w.turned); }
};
template <>
struct Fields<multibody::Combination> {
  static auto of(auto& c) { return std::tie(c.dimension, c.weights, c.constant); }
};
template <>
struct Fields<multibody::MatrixEntry> {
  static auto of(auto& e) { return std::tie(e.row, e.column, e.value); }
};
template <>
struct Fields<multibody::DistanceRow> {
  static auto of(auto& r) { return std::tie(r.first, r.second, r.length); }
};
template <>
struct Fields<DistanceBatch> {
  static auto of(auto& b) { return std::tie(b.dimension, b.rows); }
};
template <>
struct Fields<InputNumber> {
  static auto of(auto& i) { return std::tie(i.number); }
};
template <>
struct Fields<multibody::DotRow> {
  static auto of(auto& r) { return std::tie(r.a, r.b, r.value, r.scale); }
};
template <>
struct Fields<multibody::RelationRow> {
  static auto of(auto& r) { return std::tie(r.measures, r.factors, r.prescribed); }
};
template <>
struct Fields<multibody::Curve> {
  static auto of(auto& c) { return std::tie(c.x, c.y); }
};
template <>
struct Fields<multibody::ScalarLaw> {
  static auto of(auto& l) {
    return std::tie(l.stiffness, l.natural, l.damping, l.spring, l.damper, l.friction, l.breakaway, l.friction_rate,
                    l.stribeck_rate, l.constant, l.actuator);
  }
};
template <>
struct Fields<multibody::RotationalSpringLaw> {
  static auto of(auto& l) { return std::tie(l.stiffness, l.damping); }
};
template <>
struct Fields<multibody::Plane> {
  static auto of(auto& p) { return std::tie(p.point, p.normal); }
};
template <>
struct Fields<multibody::ContactLaw> {
  static auto of(auto& l) {
    return std::tie(l.stiffness, l.exponent, l.damping, l.friction, l.friction_speed, l.radius);
  }
};
template <>
struct Fields<multibody::MagicFormula> {
  static auto of(auto& f) { return std::tie(f.B, f.C, f.E, f.mu); }
};
template <>
struct Fields<multibody::TyreLaw> {
  static auto of(auto& l) {
    return std::tie(l.radius, l.stiffness, l.damping, l.longitudinal, l.lateral, l.longitudinal_relaxation,
                    l.lateral_relaxation, l.nominal_load, l.load_sensitivity, l.camber_slip, l.rolling_resistance,
                    l.rolling_speed, l.trail, l.trail_fall, l.standstill_damping, l.standstill_speed, l.largest_slip,
                    l.gyroscopic_inertia);
  }
};
template <>
struct Fields<multibody::Wheel> {
  static auto of(auto& w) { return std::tie(w.centre, w.axis, w.spoke, w.angle); }
};
template <>
struct Fields<multibody::Polar> {
  static auto of(auto& p) { return std::tie(p.angle, p.lift, p.drag, p.moment); }
};
template <>
struct Fields<multibody::Wind> {
  static auto of(auto& w) { return std::tie(w.velocity, w.reference_height, w.shear_exponent, w.roughness_length); }
};
template <>
struct Fields<multibody::StripLaw> {
  static auto of(auto& l) { return std::tie(l.span, l.chord, l.density, l.polar, l.wind); }
};
template <>
struct Fields<multibody::Section> {
  static auto of(auto& s) { return std::tie(s.point, s.chord, s.normal); }
};
template <>
struct Fields<multibody::TowerShadow> {
  static auto of(auto& t) { return std::tie(t.radius, t.drag, t.height); }
};
template <>
struct Fields<multibody::StallLaw> {
  static auto of(auto& l) {
    return std::tie(l.zero_lift, l.lift_slope, l.least_drag, l.upper_stall, l.lower_stall, l.speed_of_sound,
                    l.pressure_lag, l.wake_lag, l.vortex_lag, l.vortex_passage, l.shedding, l.weight, l.rate, l.filter);
  }
};
template <>
struct Fields<multibody::WakeLaw> {
  static auto of(auto& w) {
    return std::tie(w.tip_loss, w.hub_loss, w.drag, w.skewed_flow, w.skew_gradient, w.skew_loss, w.time_constant,
                    w.sector_points);
  }
};
template <>
struct Fields<multibody::BladeSection> {
  static auto of(auto& s) { return std::tie(s.place, s.chord, s.span, s.radius, s.polar); }
};
template <>
struct Fields<multibody::RotorLaw> {
  static auto of(auto& l) {
    return std::tie(l.centre, l.axis, l.radius, l.hub_radius, l.density, l.blades, l.polars, l.stall, l.wind, l.tower,
                    l.inflow, l.wake);
  }
};
template <>
struct Fields<multibody::Load> {
  static auto of(auto& l) { return std::tie(l.name, l.mass, l.inertia, l.weight); }
};
template <>
struct Fields<multibody::Parts> {
  static auto of(auto& p) {
    return std::tie(p.free, p.coordinates, p.mass, p.constant_force, p.loads, p.constant_energy, p.constraints,
                    p.measures, p.forces, p.inputs);
  }
};
template <>
struct Fields<multibody::NewmarkRule> {
  static auto of(auto& r) { return std::tie(r.beta, r.gamma, r.alpha_m, r.alpha_f); }
};
template <>
struct Fields<multibody::StepperOptions> {
  static auto of(auto& o) {
    return std::tie(o.formulation, o.system, o.integrator, o.iteration, o.solver, o.rule, o.penalty,
                    o.natural_frequency, o.damping_ratio, o.project_velocities, o.project_accelerations,
                    o.reset_multipliers, o.shows_multipliers, o.printed, o.tolerance, o.length, o.max_iterations,
                    o.fixed_iterations, o.threads);
  }
};
template <>
struct Fields<multibody::MultibodySubsystem::Setup> {
  static auto of(auto& s) { return std::tie(s.q, s.v, s.input_defaults, s.guided_by_inputs, s.step); }
};
template <>
struct Fields<MechanismRecipe> {
  static auto of(auto& m) { return std::tie(m.model, m.options, m.outputs, m.setup); }
};

template <>
struct GivenLater<multibody::Measure> {
  static auto of(auto& m) { return std::tie(m.name, m.start_near); }
};
template <>
struct GivenLater<multibody::Force> {
  static auto of(auto& f) { return std::tie(f.name); }
};
template <>
struct GivenLater<multibody::ConstraintBatch> {
  static auto of(auto& b) { return std::tie(b.names); }
};

template <>
struct Labelled<multibody::Force> {
  static Label of(const multibody::Force& f) { return {f.name, "force \"" + f.name + "\""}; }
};

// Those that are zero are of an effect that the element does not have.
template <>
struct TunableNumbers<multibody::ScalarLaw> {
  static NamedNumbers of(multibody::ScalarLaw& law);
};
template <>
struct TunableNumbers<multibody::RotationalSpringLaw> {
  static NamedNumbers of(multibody::RotationalSpringLaw& law);
};
template <>
struct TunableNumbers<multibody::ContactLaw> {
  static NamedNumbers of(multibody::ContactLaw& law);
};
template <>
struct TunableNumbers<multibody::TyreLaw> {
  static NamedNumbers of(multibody::TyreLaw& law);
};
template <>
struct TunableNumbers<multibody::StripLaw> {
  static NamedNumbers of(multibody::StripLaw& law);
};
/// Mass of a body, whose inertia grows with it. What it adds to that in the recipe is added to the sums
/// (`Check<Parts>`).
template <>
struct OnWrite<multibody::Load> {
  static void of(const multibody::Load& load, Writer& writer) {
    writer.tunables.push_back({writer.number(), writer.path(), load.name + ".mass", {load.mass}});
  }
};

// What is read here refers to coordinates, inputs and equations by number.
template <>
struct Check<multibody::Combination> {
  static void of(multibody::Combination& combination, Reader& reader);
};
template <>
struct Check<DistanceBatch> {
  static void of(DistanceBatch& batch, Reader& reader);
};
template <>
struct Check<InputNumber> {
  static void of(InputNumber& input, Reader& reader) { reader.refer<InputReference>(input.number, 1); }
};
template <>
struct Check<multibody::DotRow> {
  static void of(multibody::DotRow& row, Reader& reader);
};
template <>
struct Check<multibody::RelationRow> {
  static void of(multibody::RelationRow& row, Reader& reader);
};
template <>
struct Check<multibody::Curve> {
  static void of(multibody::Curve& curve, Reader& reader);
};
template <>
struct Check<multibody::Parts> {
  static void of(multibody::Parts& parts, Reader& reader);
};
template <>
struct Check<MechanismRecipe> {
  static void of(MechanismRecipe& recipe, Reader& reader);
};

template <>
struct NotDescribable<multibody::Model> {
  static std::string of(const multibody::Model&) {
    return "its dynamic terms are written in Python, which an FMU cannot contain; describe it with bodies, joints and "
           "forces";
  }
};
template <>
struct NotDescribable<multibody::Force> {
  static std::string of(const multibody::Force& f) {
    return "force \"" + f.name +
           "\": is a Python function or a compiled one, which an FMU cannot contain; use a spring, a table or an "
           "input";
  }
};
template <>
struct NotDescribable<multibody::TimeFunction> {
  static std::string of(const multibody::TimeFunction&) {
    return "a guide or actuator follows a Python function, which an FMU cannot contain; use a table, a harmonic or an "
           "input";
  }
};
template <>
struct NotDescribable<multibody::Measure> {
  static std::string of(const multibody::Measure& m) { return "measure \"" + m.name + "\" cannot be exported"; }
};
template <>
struct NotDescribable<multibody::ConstraintBatch> {
  static std::string of(const multibody::ConstraintBatch&) { return "a constraint cannot be exported"; }
};
template <>
struct NotDescribable<multibody::Output> {
  static std::string of(const multibody::Output&) { return "an output cannot be exported"; }
};

template <>
const Factories<multibody::Model>& factories_of<multibody::Model>();
template <>
const Factories<multibody::TimeFunction>& factories_of<multibody::TimeFunction>();
template <>
const Factories<multibody::Measure>& factories_of<multibody::Measure>();
template <>
const Factories<multibody::ConstraintBatch>& factories_of<multibody::ConstraintBatch>();
template <>
const Factories<multibody::Force>& factories_of<multibody::Force>();
template <>
const Factories<multibody::Output>& factories_of<multibody::Output>();

}  // namespace counterpoint::recipe
