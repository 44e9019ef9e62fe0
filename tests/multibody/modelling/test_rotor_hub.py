"""Rotor hubs against closed forms and against Floquet exponents of Hammond's equations."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody import Mechanism, RotorBlade, rotor_hub
from counterpoint.multibody.aerodynamics import BladeSection, Polar
from counterpoint.multibody.aerodynamics import rotor as add_air

OMEGA = 44.4
BLADE = RotorBlade.uniform(4.91, flap_inertia=231.7, chord=0.27)
TURN = 2 * np.pi / OMEGA


def rotor(**options) -> tuple[Mechanism, object]:
    made = Mechanism("rotor", gravity=(0, 0, 0))
    made.point("hub", (0, 0, 0), fixed=True)
    given = {"blades": 2, "blade": BLADE, "speed": [0, OMEGA]} | options
    return made, rotor_hub(made, "main", "ground", "hub", axis=(0, 0, 1), **given)


def frequency(signal) -> float:
    """Return the frequency from rising zero crossings, rad/s."""
    y, t = np.ravel(signal.values), np.asarray(signal.time)
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = t[up] - y[up] * (t[up + 1] - t[up]) / (y[up + 1] - y[up])
    return 2 * np.pi / float(np.diff(crossings).mean())


@pytest.mark.parametrize(("offset", "stiffness"), [(0.0, 0.0), (0.0, 113330.0), (0.3, 0.0), (0.2, 50000.0)])
def test_the_flap_frequency_is_that_of_hinge_offset_and_spring(offset: float, stiffness: float) -> None:
    made, hub = rotor(hinge_offset=offset, flap_stiffness=stiffness)
    made.initial(hub.flaps[0], 0.01)
    made.output("flap", hub.flaps[0])
    found = frequency(made.run(until=6 * TURN, step=TURN / 300)["rotor.flap"]) / OMEGA
    squared = 1 + offset * BLADE.mass * BLADE.centre / BLADE.flap_inertia + stiffness / (BLADE.flap_inertia * OMEGA**2)
    assert found == pytest.approx(np.sqrt(squared), rel=2e-4)  # trapezoidal rule: (omega h)² / 12 = 4e-5


def test_the_bo105_has_the_published_flap_frequency_ratio() -> None:
    ratio_squared = 1 + 113330.0 / (231.7 * OMEGA**2)
    assert ratio_squared == pytest.approx(1.248, abs=1e-3)  # Padfield: lambda_beta²


def test_lag_hinges_have_the_frequency_of_their_offset() -> None:
    made, hub = rotor(hinge_offset=0.5, lag_stiffness=0.0)
    made.initial(hub.lags[0], 0.005)
    made.output("lag", hub.lags[0])
    found = frequency(made.run(until=10 * TURN, step=TURN / 200)["rotor.lag"]) / OMEGA
    assert found == pytest.approx(np.sqrt(0.5 * BLADE.mass * BLADE.centre / BLADE.flap_inertia), rel=1e-3)


@pytest.mark.parametrize("delta3", [0.0, np.pi / 4, -0.5])
def test_delta_three_lowers_the_pitch_of_a_blade_that_flaps_up(delta3: float) -> None:
    made, hub = rotor(pitch=0.1, delta3=delta3, flap_stiffness=1e4)
    made.initial(hub.flaps[0], 0.05)
    for name in (hub.flaps[0], hub.pitches[0]):
        made.output(name, name)
    result = made.run(until=TURN, step=TURN / 100)
    flap, pitch = (np.ravel(result[f"rotor.{name}"].values) for name in (hub.flaps[0], hub.pitches[0]))
    assert flap.min() < -0.03
    assert pitch == pytest.approx(0.1 - np.tan(delta3) * flap, abs=1e-9)


@pytest.mark.parametrize("delta3", [0.0, np.pi / 4, -0.3])
def test_in_the_air_delta_three_stiffens_the_flap_hinge(delta3: float) -> None:
    """Johnson, "Helicopter Theory": beta'' + g/8 beta' + (nu² + g/8 tan(delta3)) beta = 0 over the azimuth."""
    lock, stiffness = 1.6, 113330.0
    made, hub = rotor(flap_stiffness=stiffness, delta3=delta3)
    edges = np.linspace(0.0, BLADE.length, 25)
    sections = [
        BladeSection(body, r * span, -ahead, up, 0.27, edges[1], r)
        for body, (span, ahead, up) in zip(hub.blades, hub.directions, strict=True)
        for r in 0.5 * (edges[1:] + edges[:-1])
    ]
    density = lock * BLADE.flap_inertia / (2 * np.pi * 0.27 * BLADE.length**4)
    add_air(made, "air", body=hub.body, centre=(0, 0, 0), axis=(0, 0, 1), sections=sections, blades=2,
            polars=[Polar.thin_aerofoil()], radius=BLADE.length, inflow="none", density=density)  # fmt: skip
    made.initial(hub.flaps[0], 0.01, rate=0.0)
    made.output("flap", hub.flaps[0])
    found = frequency(made.run(until=5 * TURN, step=TURN / 300)["rotor.flap"]) / OMEGA
    squared = 1 + stiffness / (BLADE.flap_inertia * OMEGA**2) + lock / 8 * np.tan(delta3) - (lock / 16) ** 2
    assert found == pytest.approx(np.sqrt(squared), rel=2e-3)  # 24 sections


def test_the_pitch_is_about_the_flapped_span_and_moves_the_leading_edge_up() -> None:
    made, hub = rotor(pitch=0.2, blades=1, speed=0.0)
    made.guide(hub.flaps[0], 0.3)
    made.point_mass(hub.tips[0], 0.0)
    q = made.assembled()
    values = {name: q.q[q.offsets[name] : q.offsets[name] + 3] for name in q.entities if q.sizes[name] == 3}
    span, ahead, up = hub.directions[0]
    nose, s = (q.bodies[hub.blades[0]].vector(v).at(values) for v in (ahead, span))
    assert s == pytest.approx(np.cos(0.3) * span + np.sin(0.3) * up, abs=1e-9)
    lifted = np.cos(0.3) * up - np.sin(0.3) * span
    assert nose == pytest.approx(np.cos(0.2) * ahead + np.sin(0.2) * lifted, abs=1e-9)


def test_teetering_blades_flap_as_one() -> None:
    made, hub = rotor(teetering=True, precone=0.02)
    made.initial(hub.flaps[0], 0.05)
    for name in hub.flaps:
        made.output(name, name)
    result = made.run(until=3 * TURN, step=TURN / 200)
    first, second = (np.ravel(result[f"rotor.{name}"].values) for name in hub.flaps)
    assert first + second == pytest.approx(0.04, abs=1e-9)
    assert made.assembled().degrees_of_freedom == 1


def test_wrong_hubs_are_explained() -> None:
    with pytest.raises(SetupError, match="3 blades cannot teeter; expected 2"):
        rotor(blades=3, teetering=True)
    with pytest.raises(SetupError, match="flap_stiffness -1; expected a number of at least 0"):
        rotor(flap_stiffness=-1)


def hammond(dampers: list[float], rpm: float) -> Mechanism:
    """Return the rotor of C. E. Hammond, J. American Helicopter Society 19(4), 1974, on its springs; SI units."""
    made = Mechanism("hammond", gravity=(0, 0, 0))
    made.point("hub", (0, 0, 0))
    made.point("slide", (0, 0, 0))
    made.body("along", points=["slide"], mass=8026.6 - 3283.6, inertia=(1, 1, 1), centre=(0, 0, 0))
    made.body("across", points=["hub"], mass=3283.6 - 1.0, inertia=(1, 1, 1), centre=(0, 0, 0))
    made.joint("rail_x", "prismatic", "ground", "along", at="slide", axis=(1, 0, 0))
    made.joint("rail_y", "prismatic", "along", "across", at="hub", axis=(0, 1, 0))
    for name, axis, damping in (("x", (1, 0, 0), 51078.7), ("y", (0, 1, 0), 25539.35)):
        made.displacement(name, "hub", along=axis)
        made.spring(f"spring_{name}", name, stiffness=1240481.8, damping=damping, natural=0.0)
        made.output(name, name)
    blade = RotorBlade(length=5.3, mass=94.9, centre=289.1 / 94.9, flap_inertia=1084.7, pitch_inertia=1.0)
    hub = rotor_hub(made, "rotor", "across", "hub", axis=(0, 0, 1), blades=4, blade=blade, hinge_offset=0.3048,
                    speed=[0, rpm * np.pi / 30], lag_stiffness=0.0, lag_damping=dampers)  # fmt: skip
    made.initial(hub.lags[0], 0.01)
    made.standard_outputs = ()
    return made


@pytest.mark.parametrize(
    ("dampers", "rpm", "exponent"),
    [([0.0, 1.0, 1.0, 1.0], 250.0, 0.322), ([0.0, 1.0, 1.0, 1.0], 300.0, 0.0616), ([1.0] * 4, 250.0, -0.33)],
)
def test_ground_resonance_grows_with_the_floquet_exponent(dampers: list[float], rpm: float, exponent: float) -> None:
    """Exponents (1/s) of Hammond's linear equations, integrated over one turn with RK4 by another program."""
    made = hammond([4067.5 * d for d in dampers], rpm)
    result = made.run(until=16.0, step=2e-3)
    t = np.asarray(result["hammond.x"].time)
    size = np.hypot(np.ravel(result["hammond.x"].values), np.ravel(result["hammond.y"].values))
    # Peaks of a second each, from when the other modes have died away.
    ends = np.arange(6.0, 16.0)
    peaks = [size[(t >= a) & (t < a + 1.0)].max() for a in ends]
    found = np.polyfit(ends, np.log(peaks), 1)[0]
    assert found == pytest.approx(exponent, abs=0.02)
