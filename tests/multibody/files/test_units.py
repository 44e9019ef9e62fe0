"""Numbers with units, and the units of bare numbers."""

import math

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from counterpoint.multibody.files.units import Given, UnitProblem, Units, given, role_problem, unit


@pytest.mark.parametrize(
    ("text", "role", "expected"),
    [
        ("12 mm", "length", 0.012),
        ("1 in", "length", 0.0254),
        ("30 deg", "angle", math.pi / 6),
        ("3 rpm", "angle/time", math.pi / 10),
        ("2 t", "mass", 2000.0),
        ("20 N/mm", "force/length", 20e3),
        ("5 N m/deg", "force*length/angle", 900 / math.pi),
        ("5 Nm/rad", "force*length/angle", 5.0),
        ("3 kg mm^2", "mass*length^2", 3e-6),
        ("3 kg·m²", "mass*length^2", 3.0),
        ("-9.81 m/s2", "length/time^2", -9.81),
        ("-9.81 m/s/s", "length/time^2", -9.81),
        ("36 km/h", "length/time", 10.0),
        ("1e3 1/s", "1/time", 1e3),
        ("7", "length", 7.0),
        ("0.5 N s/m", "force*time/length", 0.5),
    ],
)
def test_a_number_with_a_unit_is_read(text, role, expected):
    assert Units().si(given(text), role) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "mm", "12 mmm", "12 m^0", "12 m^", "12 N/m s", "1,5 mm", "inf m", "1e999 m", "2 m" + "m" * 99]
)
def test_other_texts_are_refused(text):
    with pytest.raises(UnitProblem):
        given(text)


def test_an_unknown_unit_gets_a_suggestion():
    with pytest.raises(UnitProblem, match='unit "degg" is unknown; did you mean "deg"'):
        unit("degg")


def test_a_unit_that_does_not_fit_is_refused_with_the_one_needed():
    with pytest.raises(UnitProblem, match=r'"12 N": the unit does not fit; expected a value in mm'):
        Units(length="mm").si(given("12 N"), "length")


def test_a_torsion_spring_needs_the_angle_in_its_unit():
    with pytest.raises(UnitProblem, match="N m/rad"):
        Units().si(given("12 N m"), "force*length/angle")


def test_bare_numbers_have_the_units_of_the_file():
    file = Units(length="mm", angle="deg", force="kN", mass="g", time="ms")
    assert file.si(Given(3.0), "length") == pytest.approx(3e-3)
    assert file.si(Given(3.0), "force*length/angle") == pytest.approx(3 * 180 / math.pi)
    assert file.si(Given(3.0), "mass*length^2") == pytest.approx(3e-9)
    assert file.si(Given(3.0), "length/time") == pytest.approx(3.0)
    assert file.unit("length/time^2").name == "mm/ms^2"


def test_a_unit_of_another_kind_is_no_unit_of_length():
    assert "known" in role_problem("length", "kg")
    assert role_problem("length", "cm") is None


@hypothesis_given(st.text(max_size=100))
def test_no_text_does_anything_but_be_read_or_refused(text):
    try:
        given(text)
    except UnitProblem as problem:
        assert str(problem)


@hypothesis_given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["mm", "N m/rad", "kg"]))
def test_any_number_is_read_exactly(value, text):
    assert given(f"{value!r} {text}").value == value
