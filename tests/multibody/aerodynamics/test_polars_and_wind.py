"""Polars and wind: tables in, values out."""

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody.aerodynamics import Polar, Wind
from counterpoint.multibody.library import awt27


def test_a_polar_is_read_with_its_zero_lift_angle(tmp_path):
    file = tmp_path / "polar.csv"
    file.write_text("alpha_deg,cl,cd\n-10,-0.8,0.02\n0,0.2,0.01\n10,1.2,0.02\n")
    polar = Polar.read(file)
    assert np.degrees(polar.zero_lift) == pytest.approx(-2.0)
    assert polar.at(np.radians(5.0))[0] == pytest.approx(0.7)


def test_a_polar_without_lift_is_refused(tmp_path):
    file = tmp_path / "polar.csv"
    file.write_text("alpha_deg,cd\n-10,0.02\n10,0.02\n")
    with pytest.raises(SetupError, match="expected alpha_deg or alpha_rad, cl, cd"):
        Polar.read(file)


def test_an_extended_polar_covers_the_full_turn_and_joins_smoothly():
    short = Polar(np.radians([-10, 0, 10, 15]), [-0.9, 0.1, 1.1, 1.3], [0.02, 0.01, 0.02, 0.05])
    whole = short.extended()
    assert whole.angle[0] == pytest.approx(-np.pi) and whole.angle[-1] == pytest.approx(np.pi)
    assert np.all(np.diff(whole.angle) > 0)
    assert whole.at(np.radians(16.0))[0] == pytest.approx(1.3, abs=0.1)
    assert whole.at(np.pi / 2)[1] == pytest.approx(1.38, abs=0.05)  # a plate across the wind


def test_the_polars_of_the_awt27_go_round():
    for polar in awt27().polars:
        assert polar.angle[0] == pytest.approx(-np.pi) and polar.angle[-1] == pytest.approx(np.pi)


def test_wind_grows_with_height_by_power_or_logarithm():
    assert Wind.steady(10.0, reference_height=10, shear_exponent=0.2).profile(20.0) == pytest.approx(2**0.2)
    rough = Wind.steady(10.0, reference_height=80.0, roughness_length=0.25)
    assert rough.profile(36.6) == pytest.approx(np.log(36.6 / 0.25) / np.log(80 / 0.25))


def test_wind_is_read_from_a_file(tmp_path):
    file = tmp_path / "wind.csv"
    file.write_text("time,u,w\n0,10,0.5\n1,12,0\n")
    wind = Wind.read(file)
    assert wind.velocity[0] == {"linear": {"times": [0.0, 1.0], "values": [10, 12]}}
    assert wind.velocity[1] == 0.0
    file.write_text("time,u\n1,10\n0,12\n")
    with pytest.raises(SetupError, match="times must increase"):
        Wind.read(file)


def test_steps_of_the_wind_take_their_rise_time():
    wind = Wind.steps([0, 120, 200], [12, 13.5, 15], rise=0.5)
    assert wind.velocity[0]["linear"]["times"] == [0, 120, 120.5, 200, 200.5]


def test_one_law_of_height_is_enough():
    with pytest.raises(SetupError, match="expected one of them"):
        Wind(shear_exponent=0.1, roughness_length=0.1)
