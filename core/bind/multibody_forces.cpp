#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>

#include "bind/multibody_python.hpp"
#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "multibody/recipes.hpp"
#include "multibody/user_force.hpp"

namespace counterpoint::bind {

using namespace counterpoint::multibody;

namespace {

using Vector = std::vector<double>;
using Triple = std::array<double, 3>;

/// A Python callable that ends with the interpreter's lock held.
class HeldFunction {
 public:
  explicit HeldFunction(nb::object function) : function_(std::move(function)) {}
  ~HeldFunction() {
    HoldsInterpreter held;
    function_.reset();
  }
  HeldFunction(const HeldFunction&) = delete;
  HeldFunction& operator=(const HeldFunction&) = delete;
  nb::object& get() { return function_; }

 private:
  nb::object function_;
};

/// f(t, positions, velocities, u) -> forces of a user, all as flat arrays.
PointsForce python_points_force(nb::object function, int values, int inputs) {
  auto held = std::make_shared<HeldFunction>(std::move(function));
  return [held, values, inputs](double t, const double* positions, const double* velocities, const double* u,
                                double* forces) {
    in_python([&] {
      SharedArray x(values), v(values), w(inputs);
      std::copy_n(positions, values, x.data());
      std::copy_n(velocities, values, v.data());
      if (inputs > 0) std::copy_n(u, inputs, w.data());
      read_values(held->get()(t, x.object(), v.object(), w.object()), forces, values, "a user's force");
    });
  };
}

void bind_scalar(nb::module_& m) {
  nb::class_<Force>(m, "Force").def_rw("name", &Force::name).def("value_names", &Force::value_names);
  nb::class_<ScalarLaw>(m, "ScalarLaw")
      .def(nb::init<>())
      .def_rw("stiffness", &ScalarLaw::stiffness)
      .def_rw("natural", &ScalarLaw::natural)
      .def_rw("damping", &ScalarLaw::damping)
      .def_rw("friction", &ScalarLaw::friction)
      .def_rw("breakaway", &ScalarLaw::breakaway)
      .def_rw("friction_rate", &ScalarLaw::friction_rate)
      .def_rw("stribeck_rate", &ScalarLaw::stribeck_rate)
      .def_rw("constant", &ScalarLaw::constant)
      .def(
          "set_spring", [](ScalarLaw& self, Vector x, Vector y) { self.spring = {std::move(x), std::move(y)}; },
          nb::arg("x"), nb::arg("y"))
      .def(
          "set_damper", [](ScalarLaw& self, Vector x, Vector y) { self.damper = {std::move(x), std::move(y)}; },
          nb::arg("x"), nb::arg("y"))
      .def(
          "set_actuator", [](ScalarLaw& self, TimeFunctionPointer actuator) { self.actuator = std::move(actuator); },
          nb::arg("actuator"));
  m.def("scalar_force", recipe::maker(recipe::scalar_force_factory), nb::arg("measure"), nb::arg("law"));
  m.def("point_force", recipe::maker(recipe::point_force_factory), nb::arg("point"), nb::arg("components"),
        nb::arg("axes"));
  m.def("torque", recipe::maker(recipe::torque_factory), nb::arg("axes"), nb::arg("components"),
        nb::arg("in_body_axes"));
  m.def(
      "rotational_spring",
      [](const std::vector<Combination>& first, const std::vector<Combination>& second, const Triple& stiffness,
         const Triple& damping) {
        return recipe::make(recipe::rotational_spring_factory, {first.at(0), first.at(1), first.at(2)},
                            {second.at(0), second.at(1), second.at(2)}, {stiffness, damping});
      },
      nb::arg("first"), nb::arg("second"), nb::arg("stiffness"), nb::arg("damping"));
}

void bind_road(nb::module_& m) {
  nb::class_<ContactLaw>(m, "ContactLaw")
      .def(nb::init<>())
      .def_rw("stiffness", &ContactLaw::stiffness)
      .def_rw("exponent", &ContactLaw::exponent)
      .def_rw("damping", &ContactLaw::damping)
      .def_rw("friction", &ContactLaw::friction)
      .def_rw("friction_speed", &ContactLaw::friction_speed)
      .def_rw("radius", &ContactLaw::radius);
  m.def(
      "contact",
      [](const Combination& point, const Triple& place, const Triple& normal, const ContactLaw& law) {
        return recipe::make(recipe::contact_factory, point, {place, normal}, law);
      },
      nb::arg("point"), nb::arg("place"), nb::arg("normal"), nb::arg("law"));

  nb::class_<MagicFormula>(m, "MagicFormula")
      .def(nb::init<>())
      .def_rw("B", &MagicFormula::B)
      .def_rw("C", &MagicFormula::C)
      .def_rw("E", &MagicFormula::E)
      .def_rw("mu", &MagicFormula::mu);
  nb::class_<TyreLaw>(m, "TyreLaw")
      .def(nb::init<>())
      .def_rw("radius", &TyreLaw::radius)
      .def_rw("stiffness", &TyreLaw::stiffness)
      .def_rw("damping", &TyreLaw::damping)
      .def_rw("longitudinal", &TyreLaw::longitudinal)
      .def_rw("lateral", &TyreLaw::lateral)
      .def_rw("longitudinal_relaxation", &TyreLaw::longitudinal_relaxation)
      .def_rw("lateral_relaxation", &TyreLaw::lateral_relaxation)
      .def_rw("nominal_load", &TyreLaw::nominal_load)
      .def_rw("load_sensitivity", &TyreLaw::load_sensitivity)
      .def_rw("camber_slip", &TyreLaw::camber_slip)
      .def_rw("rolling_resistance", &TyreLaw::rolling_resistance)
      .def_rw("rolling_speed", &TyreLaw::rolling_speed)
      .def_rw("trail", &TyreLaw::trail)
      .def_rw("trail_fall", &TyreLaw::trail_fall)
      .def_rw("standstill_damping", &TyreLaw::standstill_damping)
      .def_rw("standstill_speed", &TyreLaw::standstill_speed)
      .def_rw("largest_slip", &TyreLaw::largest_slip)
      .def_rw("gyroscopic_inertia", &TyreLaw::gyroscopic_inertia);
  m.def(
      "tyre",
      [](const Combination& centre, const Combination& axis, const Combination& spoke, const Combination& angle,
         const Triple& place, const Triple& normal, const TyreLaw& law) {
        return recipe::make(recipe::tyre_factory, {centre, axis, spoke, angle}, {place, normal}, law);
      },
      nb::arg("centre"), nb::arg("axis"), nb::arg("spoke"), nb::arg("angle"), nb::arg("place"), nb::arg("normal"),
      nb::arg("law"));
}

void bind_air(nb::module_& m) {
  nb::class_<StripLaw>(m, "StripLaw")
      .def(nb::init<>())
      .def_rw("span", &StripLaw::span)
      .def_rw("chord", &StripLaw::chord)
      .def_rw("density", &StripLaw::density)
      .def(
          "set_polar",
          [](StripLaw& self, Vector angle, Vector lift, Vector drag, Vector moment) {
            self.polar =
                std::make_shared<Polar>(Polar{std::move(angle), std::move(lift), std::move(drag), std::move(moment)});
          },
          nb::arg("angle"), nb::arg("lift"), nb::arg("drag"), nb::arg("moment"))
      .def(
          "set_wind",
          [](StripLaw& self, const std::vector<TimeFunctionPointer>& velocity, double reference_height,
             double shear_exponent, double roughness_length) {
            for (std::size_t d = 0; d < velocity.size(); ++d) self.wind.velocity.at(d) = velocity[d];
            self.wind.reference_height = reference_height;
            self.wind.shear_exponent = shear_exponent;
            self.wind.roughness_length = roughness_length;
          },
          nb::arg("velocity"), nb::arg("reference_height"), nb::arg("shear_exponent"), nb::arg("roughness_length"));
  m.def(
      "aerodynamic_strip",
      [](const Combination& point, const Combination& chord, const Combination& normal, const StripLaw& law) {
        return recipe::make(recipe::aerodynamic_strip_factory, {point, chord, normal}, law);
      },
      nb::arg("point"), nb::arg("chord"), nb::arg("normal"), nb::arg("law"));
}

void bind_rotor(nb::module_& m) {
  nb::class_<StallLaw>(m, "StallLaw")
      .def(nb::init<>())
      .def_rw("zero_lift", &StallLaw::zero_lift)
      .def_rw("lift_slope", &StallLaw::lift_slope)
      .def_rw("least_drag", &StallLaw::least_drag)
      .def_rw("upper_stall", &StallLaw::upper_stall)
      .def_rw("lower_stall", &StallLaw::lower_stall)
      .def_rw("speed_of_sound", &StallLaw::speed_of_sound);
  nb::class_<WakeLaw>(m, "WakeLaw")
      .def(nb::init<>())
      .def_rw("tip_loss", &WakeLaw::tip_loss)
      .def_rw("hub_loss", &WakeLaw::hub_loss)
      .def_rw("drag", &WakeLaw::drag)
      .def_rw("skewed_flow", &WakeLaw::skewed_flow)
      .def_rw("skew_gradient", &WakeLaw::skew_gradient)
      .def_rw("skew_loss", &WakeLaw::skew_loss)
      .def_rw("time_constant", &WakeLaw::time_constant)
      .def_rw("sector_points", &WakeLaw::sector_points);
  nb::class_<RotorLaw>(m, "RotorLaw")
      .def(nb::init<>())
      .def_rw("centre", &RotorLaw::centre)
      .def_rw("axis", &RotorLaw::axis)
      .def_rw("radius", &RotorLaw::radius)
      .def_rw("hub_radius", &RotorLaw::hub_radius)
      .def_rw("density", &RotorLaw::density)
      .def_rw("blades", &RotorLaw::blades)
      .def_rw("stall", &RotorLaw::stall)
      .def_rw("wake", &RotorLaw::wake)
      .def_prop_rw(
          "inflow", [](const RotorLaw& self) { return static_cast<int>(self.inflow); },
          [](RotorLaw& self, int kind) { self.inflow = static_cast<Inflow>(kind); })
      .def(
          "add_polar",
          [](RotorLaw& self, Vector angle, Vector lift, Vector drag, Vector moment) {
            self.polars.push_back({std::move(angle), std::move(lift), std::move(drag), std::move(moment)});
          },
          nb::arg("angle"), nb::arg("lift"), nb::arg("drag"), nb::arg("moment"))
      .def(
          "set_wind",
          [](RotorLaw& self, const std::vector<TimeFunctionPointer>& velocity, double reference_height,
             double shear_exponent, double roughness_length) {
            for (std::size_t d = 0; d < velocity.size(); ++d) self.wind.velocity.at(d) = velocity[d];
            self.wind.reference_height = reference_height;
            self.wind.shear_exponent = shear_exponent;
            self.wind.roughness_length = roughness_length;
          },
          nb::arg("velocity"), nb::arg("reference_height"), nb::arg("shear_exponent"), nb::arg("roughness_length"))
      .def(
          "set_tower",
          [](RotorLaw& self, double radius, double drag, double height) { self.tower = {radius, drag, height}; },
          nb::arg("radius"), nb::arg("drag"), nb::arg("height"));
  nb::class_<BladeSection>(m, "BladeSection")
      .def(
          "__init__",
          [](BladeSection* self, const Combination& point, const Combination& chord, const Combination& normal,
             double chord_length, double span, double radius,
             int polar) { new (self) BladeSection{{point, chord, normal}, chord_length, span, radius, polar}; },
          nb::arg("point"), nb::arg("chord"), nb::arg("normal"), nb::arg("chord_length"), nb::arg("span"),
          nb::arg("radius"), nb::arg("polar"));
  m.def("rotor_aerodynamics", recipe::maker(recipe::rotor_aerodynamics_factory), nb::arg("law"), nb::arg("sections"));
  m.def(
      "annulus_induction",
      [](const std::array<double, 7>& geometry, const std::array<double, 2>& flow, const std::vector<Vector>& polar,
         const WakeLaw& wake) {
        const auto [radius, tip, hub, blades, chord, twist, skew] = geometry;
        const Polar table{polar.at(0), polar.at(1), polar.at(2), {}};
        check_polar("annulus", table);
        const Induction a = solve_annulus({radius, tip, hub, blades, chord, twist, flow[0], flow[1]}, table,
                                          {wake.tip_loss, wake.hub_loss, wake.drag, true, skew});
        return std::pair(a.axial, a.tangential);
      },
      nb::arg("geometry"), nb::arg("flow"), nb::arg("polar"), nb::arg("wake"),
      "Induction factors of an annulus; geometry is radius, tip and hub radius (m), blades, chord (m), twist (rad), "
      "skew.");
}

void bind_user(nb::module_& m) {
  using PointsFunction = void (*)(double, const double*, const double*, const double*, double*);
  m.def(
      "python_user_force",
      [](nb::object function, const std::vector<Combination>& points, int inputs, double position, double velocity) {
        const int values = points.empty() ? 0 : static_cast<int>(points.size()) * points.front().dimension;
        return make_user_force_on_points(python_points_force(std::move(function), values, inputs), points,
                                         {position, velocity});
      },
      nb::arg("function"), nb::arg("points"), nb::arg("inputs"), nb::arg("position"), nb::arg("velocity"));
  m.def(
      "compiled_user_force",
      [](std::uintptr_t address, const std::vector<Combination>& points, double position, double velocity) {
        return make_user_force_on_points(reinterpret_cast<PointsFunction>(address), points, {position, velocity});
      },
      nb::arg("address"), nb::arg("points"), nb::arg("position"), nb::arg("velocity"));
  m.def("smooth_step", recipe::maker(recipe::smooth_step_factory), nb::arg("t0"), nb::arg("t1"), nb::arg("before"),
        nb::arg("after"));
  m.def("table_of_time", recipe::maker(recipe::table_of_time_factory), nb::arg("times"), nb::arg("values"));
  m.def("linear_table", recipe::maker(recipe::linear_table_factory), nb::arg("times"), nb::arg("values"));
}

}  // namespace

void bind_multibody_forces(nb::module_& m) {
  bind_scalar(m);
  bind_road(m);
  bind_air(m);
  bind_rotor(m);
  bind_user(m);
}

}  // namespace counterpoint::bind
