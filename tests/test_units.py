"""What texts of units mean, and how one unit becomes another."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.units import BASE_UNITS, SYMBOLS, Unit, UnitProblem, conversion, unit


def exponents(**powers):
    return tuple(powers.get(name, 0) for name in BASE_UNITS)


@pytest.mark.parametrize(
    ("text", "factor", "powers"),
    [
        ("1", 1.0, {}),
        ("%", 0.01, {}),
        ("N*m", 1.0, {"kg": 1, "m": 2, "s": -2}),
        ("N.m", 1.0, {"kg": 1, "m": 2, "s": -2}),
        ("rad/s", 1.0, {"rad": 1, "s": -1}),
        ("rpm", math.pi / 30, {"rad": 1, "s": -1}),
        ("rev/min", math.pi / 30, {"rad": 1, "s": -1}),
        ("1/min", 1 / 60, {"s": -1}),
        ("m.s-2", 1.0, {"m": 1, "s": -2}),
        ("m·s⁻²", 1.0, {"m": 1, "s": -2}),
        ("J/(kg.K)", 1.0, {"m": 2, "s": -2, "K": -1}),
        ("1/(Ohm.m)", 1.0, {"kg": -1, "m": -3, "s": 3, "A": 2}),
        ("W/(m2.degC)", 1.0, {"kg": 1, "s": -3, "K": -1}),
        ("kV", 1e3, {"kg": 1, "m": 2, "s": -3, "A": -1}),
        ("mΩ", 1e-3, {"kg": 1, "m": 2, "s": -3, "A": -2}),
        ("μF", 1e-6, {"kg": -1, "m": -2, "s": 4, "A": 2}),
        ("l/min", 1e-3 / 60, {"m": 3, "s": -1}),
        ("kWh", 3.6e6, {"kg": 1, "m": 2, "s": -2}),
        ("mol/l", 1e3, {"mol": 1, "m": -3}),
        ("degF", 5 / 9, {"K": 1}),
    ],
)
def test_a_text_is_read_as_a_unit(text, factor, powers):
    made = unit(text)
    assert made.factor == pytest.approx(factor, rel=1e-15)
    assert made.exponents == exponents(**powers)


@pytest.mark.parametrize("text", ["", " ", "N/m s", "J/(kg/K)", "J/(kg", "m^", "m⁻", "m0", "furlong", "mmm", "m" * 99])
def test_other_texts_are_no_units(text):
    with pytest.raises(UnitProblem):
        unit(text)


def test_a_dimension_is_written_with_base_units():
    assert unit("kN.mm/deg").dimension == "kg m2 s-2 rad-1"
    assert unit("%").dimension == "1"
    assert Unit("mystery").dimension == "unknown"


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        ("mm", "m", 12.0, 0.012),
        ("degC", "K", 20.0, 293.15),
        ("K", "degC", 300.0, 26.85),
        ("degF", "degC", 212.0, 100.0),
        ("degC", "degF", -40.0, -40.0),
        ("delta_degC", "K", 20.0, 20.0),
        ("K", "delta_degF", 10.0, 18.0),
        ("delta_degC", "delta_degF", 10.0, 18.0),
        ("W/(m2.degC)", "W/(m2.K)", 5.0, 5.0),
        ("rpm", "rad/s", 30.0, math.pi),
    ],
)
def test_a_value_is_converted(source, target, value, expected):
    found = conversion(unit(source), unit(target))
    assert found.gain * value + found.offset == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("source", "target"), [("delta_K", "degC"), ("degF", "delta_degF"), ("delta_degC", "degC")])
def test_a_difference_of_temperatures_never_gets_an_offset(source, target):
    with pytest.raises(UnitProblem, match=r"one is a temperature difference \(.*\), the other a temperature \("):
        conversion(unit(source), unit(target))


def test_a_relative_quantity_ignores_its_own_offset():
    relative = Unit("degC", unit("K").exponents, 1.0, 273.15, difference=True)
    assert conversion(relative, unit("K")).is_identity


def test_units_written_with_fewer_digits_are_the_same():
    rounded = Unit("deg", unit("rad").exponents, 0.0174533)
    assert conversion(rounded, unit("deg")).is_identity
    assert conversion(unit("degC"), Unit("degC", unit("K").exponents, 1.0, 273.15)).is_identity


def test_different_dimensions_cannot_be_converted():
    with pytest.raises(UnitProblem, match=r"rad/s \(s-1 rad\) cannot be converted to Hz \(s-1\)"):
        conversion(unit("rad/s"), unit("Hz"))


@given(st.text(max_size=100))
def test_no_text_does_anything_but_be_read_or_refused(text):
    try:
        unit(text)
    except UnitProblem as problem:
        assert str(problem)


@given(st.sampled_from(sorted(SYMBOLS)), st.sampled_from(sorted(SYMBOLS)), st.floats(-1e6, 1e6))
def test_there_and_back_is_where_we_were(first, second, value):
    try:
        there, back = conversion(unit(first), unit(second)), conversion(unit(second), unit(first))
    except UnitProblem:
        return
    result = back.gain * (there.gain * value + there.offset) + back.offset
    # Rounding of sums with offsets of up to 460 in factors that lie within 1e-12 to 1e12 of each other.
    assert result == pytest.approx(value, rel=1e-9, abs=1e-9)
