"""Units of connections are checked before a run and converted when asked."""

import warnings

import numpy as np
import pytest

import counterpoint as cp


def integrator(units, **options):
    return cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="y", units=units, **options)


def pair(given, needed, system=None, **options):
    """Two subsystems, the output of one in a unit, the input of the other in another."""
    system = system or cp.System("pair")
    system.add("a", cp.source(lambda t: 2.0, outputs="y", units={"y": given}), step=0.1)
    system.add("b", integrator({"u": needed}), step=0.1)
    system.connect("a.y", "b.u", **options)
    return system


def messages(system):
    return [str(problem) for problem in system.problems(until=1.0)]


def final(system):
    return system.run(until=1.0)["b.y"].values[-1]


def test_units_that_agree_are_fine_however_they_are_written():
    assert messages(pair("N*m", "N.m")) == []
    assert messages(pair("1/s", "Hz")) == []


def test_another_unit_of_the_same_dimension_is_refused_and_the_conversion_offered():
    (text,) = messages(pair("mm", "m"))
    assert text.startswith('connections[0]: "a.y" is in mm, "b.u" takes m, of the same dimension (m); convert = true')


def test_another_dimension_is_refused_with_both_ports_units_and_dimensions():
    for options in ({}, {"convert": True}):
        (text,) = messages(pair("rad", "N*m", **options))
        assert text.startswith(
            'connections[0]: "a.y" is in rad (rad), "b.u" takes N*m (kg m2 s-2): the dimensions differ'
        )


def test_units_are_converted_when_a_connection_asks_for_it():
    assert final(pair("mm", "m", convert=True)) == pytest.approx(2e-3, rel=1e-12)


def test_units_are_converted_when_the_system_asks_for_it():
    assert final(pair("mm", "m", cp.System("pair", convert=True))) == pytest.approx(2e-3, rel=1e-12)


def test_a_connection_may_say_otherwise_than_the_system():
    assert final(pair("mm", "m", cp.System("pair", convert=True), convert=False)) == pytest.approx(2.0, rel=1e-12)


def test_gain_and_offset_come_after_the_conversion():
    converted = final(pair("degC", "K", convert=True, gain=0.5, offset=1.0))
    assert converted == pytest.approx(0.5 * (2.0 + 273.15) + 1.0, rel=1e-12)


def test_the_numbers_are_taken_as_they_are_on_request():
    assert final(pair("rad", "N*m", convert=False)) == pytest.approx(2.0, rel=1e-12)


def test_each_of_several_sources_is_converted():
    system = pair("degC", "K", convert=True)
    system.add("c", cp.source(lambda t: 10.0, outputs="y", units={"y": "degC"}), step=0.1)
    system.connections.clear()
    system.connect(["c.y", "a.y"], "b.u", gain=[1.0, -1.0], convert=True)
    assert final(system) == pytest.approx(8.0, rel=1e-12)  # a difference of temperatures in K, without any offset
    system.connections.clear()
    system.connect(["c.y", "a.y"], "b.u", gain=[0.5, 0.5], convert=True)
    assert final(system) == pytest.approx(6.0 + 273.15, rel=1e-12)  # their mean


def test_a_difference_does_not_enter_a_temperature():
    for options in ({}, {"convert": True}):
        (text,) = messages(pair("delta_degC", "degC", **options))
        assert (
            "one is a temperature difference (delta_degC), the other a temperature (degC); give gain and offset" in text
        )


def test_a_vector_is_converted_value_by_value():
    system = cp.System("vectors", convert=True)
    system.add("a", cp.source(lambda t: [1.0, 2.0], outputs={"y": 2}, units={"y": "mm"}), step=0.1)
    model = cp.ode(lambda t, x, u: u, [0.0, 0.0], inputs={"u": 2}, outputs={"y": 2}, units={"u": "m"})
    system.add("b", model, step=0.1)
    system.connect("a.y", "b.u")
    result = system.run(until=1.0)
    np.testing.assert_allclose(result["b.y"].values[-1], [1e-3, 2e-3], rtol=1e-12)


def test_converting_without_a_unit_is_refused_where_a_connection_asks_for_it():
    (text,) = messages(pair("mm", "", convert=True))
    assert text.startswith('connections[0]: convert: "a.y" has mm, "b.u" has no unit, so nothing can be')


def test_a_coupling_law_cannot_be_converted_for():
    (text,) = messages(pair("mm", "m", law=lambda y: y, convert=True))
    assert "convert them in the law" in text
    assert messages(pair("mm", "m", law=lambda y: y)) == []


def test_a_model_of_ones_own_may_leave_units_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        final(pair("mm", ""))


def test_unknown_units_are_compared_as_texts():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        final(pair("furlong", "furlong"))
    with pytest.warns(cp.UnitWarning, match=r'"a.y" \(the unknown unit "furlong"\) to "b.u" \(m\)'):
        final(pair("furlong", "m"))


def test_the_warning_comes_once_and_names_the_line_that_runs():
    system = pair("furlong", "m")
    with pytest.warns(cp.UnitWarning) as caught:
        system.run(until=1.0)
        system.run(until=1.0)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_missing_unit_beside_a_component_made_elsewhere_is_warned_of():
    class Foreign(cp.Subsystem):
        inputs, outputs, units, units_expected = ("u",), ("y",), {"u": "m"}, True

        def step(self, t, t_end, u):
            pass

        def output(self, t, u):
            return 0.0

    system = cp.System("mixed")
    system.add("a", integrator({}), step=0.1)
    system.add("b", Foreign(), step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    with pytest.warns(cp.UnitWarning, match=r'mixed: units are not checked from "a.y" \(no unit\) to "b.u" \(m\);'):
        system.run(until=1.0)


def mechanism():
    made = cp.multibody.Mechanism("arm", dimension=2)
    made.point("O", (0, 0), fixed=True)
    made.point("A", (1, 0))
    made.body("arm", points=["O", "A"], mass=1.0)
    made.angle("angle", "arm")
    made.actuator("drive", "angle", force="input:torque")
    made.force("push", "A", ["input:push", 0.0])
    made.output("angle", "angle")
    return made


def controller(**units):
    made = cp.Diagram("controller")
    angle = made.input("angle", unit=units.get("angle", ""))
    made.output("torque", -2.0 * angle, unit=units.get("torque", ""))
    made.output("seen", angle, unit=units.get("seen", ""))
    return made


def controlled(**units):
    system = cp.System("controlled")
    system.add("arm", mechanism(), step=0.01)
    system.add("controller", controller(**units), step=0.01)
    system.connect("arm.angle", "controller.angle")
    system.connect("controller.torque", "arm.torque")
    return system


def test_a_mechanism_and_a_diagram_are_checked_like_any_other():
    assert messages(controlled(angle="rad", torque="N m")) == []
    (text,) = messages(controlled(angle="deg", torque="N m"))
    assert '"arm.angle" is in rad, "controller.angle" takes deg' in text
    (text,) = messages(controlled(angle="rad", torque="N"))
    assert '"controller.torque" is in N (kg m s-2), "arm.torque" takes N*m (kg m2 s-2): the dimensions differ' in text


def test_a_missing_unit_is_warned_of_beside_others_of_the_same_model():
    with pytest.warns(cp.UnitWarning, match=r'from "controller.torque" \(no unit\) to "arm.torque" \(N\*m\);'):
        controlled(angle="rad", seen="rad").run(until=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        controlled().run(until=0.1)  # a diagram that says nothing about units
        controlled(torque="N m").run(until=0.1)  # or about those of its outputs only


def test_a_connection_without_any_unit_is_left_alone():
    system = pair("", "")
    system.subsystems["b"].subsystem.units["y"] = "m"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        final(system)


def test_convert_is_true_or_false():
    with pytest.raises(cp.SetupError, match=r"connections\[0\].convert: 'yes'; expected true or false"):
        cp.System().connect("a.y", "b.u", convert="yes")


def test_a_coupled_run_in_other_units_gives_the_same_motion():
    """Two masses: one in m, the other in mm and mm/s, coupled with conversion; the same masses, both in m."""

    def masses(scale, unit):
        system = cp.System("masses", convert=True)
        slow = cp.linear([[0, 1], [-0.8, 0]], [[0], [0.4]], x0=[1, 0], inputs="u", outputs=["x", "v"], units={
            "u": "m", "x": "m"
        })  # fmt: skip
        fast = cp.linear(
            [[0, 1], [-40, 0]], [[0], [40]], x0=[scale, 0], inputs="u", outputs=["x", "v"], units={"u": unit, "x": unit}
        )
        system.add("fast", fast, step=0.01)
        system.add("slow", slow, step=0.1)
        system.connect("fast.x", "slow.u", cp.lagrange(2))
        system.connect("slow.x", "fast.u", cp.lagrange(2))
        return system.run(until=5.0)

    metres, millimetres = masses(1.0, "m"), masses(1000.0, "mm")
    # The same arithmetic but for the factor of 1000, which rounds once a value.
    np.testing.assert_allclose(millimetres["slow.x"].values, metres["slow.x"].values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(millimetres["fast.x"].values / 1000, metres["fast.x"].values, rtol=1e-9, atol=1e-12)
