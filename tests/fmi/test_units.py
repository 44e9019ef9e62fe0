"""Units that FMUs bring along: checked and converted by their base units."""

import warnings

import pytest

import counterpoint as cp

DESCRIPTION = "modelDescription.xml"


def shaker(model, unit, **options):
    """The FMU's position, into a model whose input has a unit."""
    system = cp.System("shaker")
    system.add("fmu", model, step=0.01)
    follower = cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="y", units={"u": unit} if unit else {})
    system.add("follower", follower, step=0.01)
    system.connect("fmu.x", "follower.u", **options)
    return system


def test_ports_have_the_units_of_the_variables(built, version):
    model = cp.fmu(built("oscillator", version))
    assert model.unit_definitions["x"].dimension == "m"
    assert model.unit_definitions["force"].dimension == "kg m s-2"


def test_a_length_of_an_fmu_is_converted(built, version):
    in_metres = shaker(cp.fmu(built("oscillator", version)), "m").run(until=0.5)
    in_millimetres = shaker(cp.fmu(built("oscillator", version)), "mm", convert=True).run(until=0.5)
    expected = 1000.0 * in_metres["follower.y"].values
    assert in_millimetres["follower.y"].values == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_length_of_an_fmu_is_no_force(built, version):
    (problem,) = shaker(cp.fmu(built("oscillator", version)), "N").problems(until=0.5)
    assert '"fmu.x" is in m (m), "follower.u" takes N (kg m s-2): the dimensions differ' in problem.message


def test_a_unit_that_is_missing_beside_an_fmu_is_warned_of_once(built, version):
    system = shaker(cp.fmu(built("oscillator", version)), "")
    with pytest.warns(cp.UnitWarning, match=r'"fmu.x" \(m\) to "follower.u" \(no unit\)'):
        system.run(until=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.run(until=0.1)


def temperature(path, changed, attributes):
    """The oscillator whose position is said to be a temperature in degC."""

    def change(data):
        data = data.replace(b'name="m">\n<BaseUnit m="1"', b'name="degC">\n<BaseUnit K="1" offset="273.15"')
        assert b"degC" in data
        return data.replace(b'unit="m"', b'unit="degC" ' + attributes)

    return changed(path, {DESCRIPTION: change})


def test_a_temperature_of_an_fmu_is_converted_with_its_offset(built, version, changed):
    system = shaker(cp.fmu(temperature(built("oscillator", version), changed, b""), lenient=True), "K", convert=True)
    first = system.start(until=0.1).value("fmu.x")
    assert system.run(until=0.01)["follower.y"].values[-1] == pytest.approx(0.01 * (first + 273.15), rel=1e-3)


def test_a_relative_temperature_of_an_fmu_has_no_offset(built, version, changed):
    model = cp.fmu(temperature(built("oscillator", version), changed, b'relativeQuantity="true"'), lenient=True)
    assert model.unit_definitions["x"].difference
    assert shaker(model, "K").problems(until=0.1) == []
    model = cp.fmu(temperature(built("oscillator", version), changed, b'relativeQuantity="true"'), lenient=True)
    assert (
        "one is a temperature difference (degC)" in shaker(model, "degC", convert=True).problems(until=0.1)[0].message
    )
