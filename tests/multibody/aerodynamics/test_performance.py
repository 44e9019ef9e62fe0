"""Blade-element momentum theory against momentum theory, another program and tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from counterpoint.multibody.aerodynamics import BladeGeometry, Polar, Wake, coefficients
from counterpoint.multibody.library import cart
from counterpoint.studies.wind_turbine import uae


@pytest.mark.parametrize("wind", [5, 7, 9, 11, 13, 15, 18])
def test_torque_and_thrust_are_those_of_another_program(wind):
    # An independent blade-element code gets within 0.7 % and 0.1 % of this reference.
    reference = pd.read_csv(uae.DATA / "reference.csv").set_index("wind_m_s").loc[wind]
    blade, polars = uae.uae_blade()
    speed = 71.9 * np.pi / 30
    made = coefficients(
        blade, polars, tip_speed_ratio=speed * 5.029 / wind, pitch=np.radians(4.815), wake=Wake(drag=False)
    )
    scale = 0.5 * 1.246 * wind**2 * np.pi * 5.029**2
    assert made.torque * scale * 5.029 == pytest.approx(1e3 * reference["shaft_torque_kNm"], rel=0.015)
    assert made.thrust * scale == pytest.approx(1e3 * reference["thrust_kN"], rel=0.005)


def test_an_ideal_rotor_reaches_the_limit_of_momentum_theory():
    # Glauert's optimum with swirl: 0.5862 at a tip speed ratio of 7.5 and 0.593 at infinity, less the cut-out.
    r = np.linspace(0.05, 1.0, 120)
    ratio = 7.5
    phi = 2 / 3 * np.arctan(1 / (ratio * r))
    angle = np.radians(5.0)
    chord = 8 * np.pi * r / 3 * (1 - np.cos(phi)) / (2 * np.pi * angle)
    blade = BladeGeometry(r, chord, phi - angle, np.zeros(len(r), int), 1.0, 0.0, 3)
    made = coefficients(blade, [Polar.thin_aerofoil()], tip_speed_ratio=ratio, wake=Wake(False, False))
    assert made.power == pytest.approx(0.581, abs=0.006)


@pytest.mark.parametrize("aerofoil", ["naca0012", "ls417mod"])
def test_the_power_of_the_cart_is_that_of_the_table_where_the_flow_is_attached(aerofoil):
    table = pd.read_csv(Path(__file__).parent / "data" / f"cart_cp_{aerofoil}.csv")
    data = cart(aerofoil)
    blade = data.aero.refined(40)  # the load falls steeply at the tip
    for row in table.itertuples():
        made = coefficients(blade, data.polars, tip_speed_ratio=row.tip_speed_ratio, pitch=np.radians(row.pitch_deg))
        assert made.power == pytest.approx(row.Cp, rel=0.05), row
        assert made.thrust == pytest.approx(row.Ct, rel=0.05), row


def test_without_wind_through_the_rotor_nothing_is_induced():
    blade = BladeGeometry(np.array([0.5, 1.0]), np.full(2, 0.1), np.zeros(2), np.zeros(2, int), 1.0, 0.0, 2)
    made = coefficients(blade, [Polar.thin_aerofoil(slope=1e-9)], tip_speed_ratio=5.0)
    assert made.thrust == pytest.approx(0.0, abs=1e-6)
