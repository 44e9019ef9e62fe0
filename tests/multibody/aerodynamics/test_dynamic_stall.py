"""Dynamic stall on a blade section that stands still in a wind of changing direction."""

import numpy as np
import pytest

from counterpoint.multibody import Mechanism
from counterpoint.multibody.aerodynamics import BladeSection, Polar, Wind, rotor

CHORD, SPEED, STEP = 0.8, 50.0, 5e-4
TIME = CHORD / (2 * SPEED)
"""For half a chord, s."""


def stalling() -> Polar:
    """Return a polar that stalls at 12 degrees."""
    angle = np.radians(np.arange(-180.0, 181.0, 1.0))
    attached = 2 * np.pi * angle
    share = np.clip((np.degrees(np.abs(angle)) - 12.0) / 8.0, 0.0, 1.0)
    plate = 1.8 * np.sin(angle) * np.cos(angle)
    small = np.abs(angle) < np.pi / 3
    lift = np.where(small, (1 - share) * attached + share * plate, plate)
    return Polar(angle, lift, 0.01 + 1.8 * np.sin(angle) ** 2 * np.maximum(share, 0.0))


def section_in(angle, polar, *, dynamic=True, until=1.0):
    """Return time, normal and chordwise force coefficient in a wind at an angle (rad) over time."""
    times = np.arange(0.0, until + STEP, STEP)
    x, y = (SPEED * f(angle(times)) for f in (np.cos, np.sin))
    model = Mechanism("wing", gravity=(0, 0, 0))
    model.point("root", (0, 0, 0), fixed=True)
    model.vector("mast", (0, 0, 1), fixed=True)
    model.vector("back", (1, 0, 0), fixed=True)
    model.point("weight", (0, 0, 5.0))
    model.body("wing", points=["root"], vectors=["mast", "back"], mass=1.0, inertia=(1, 1, 1))
    model.body("pendulum", points=["root", "weight"], vectors=["back"], mass=1.0, inertia=(1, 1, 1))
    table = [{"linear": {"times": times.tolist(), "values": v.tolist()}} for v in (x, y)]
    strip = BladeSection("wing", (0, 0, 1.0), (1, 0, 0), (0, 1, 0), CHORD, 1.0, 1.0)
    rotor(model, "air", body="wing", centre=(0, 0, 0), axis=(0, 1, 0), sections=[strip], polars=[polar], radius=2.0,
          blades=1, wind=Wind((*table, 0.0)), inflow="none", dynamic_stall=dynamic)  # fmt: skip
    model.output("air", "air")
    air = model.run(until=until, step=STEP)["wing.air"]
    pressure = 0.5 * 1.225 * SPEED**2 * CHORD
    return np.asarray(air.time), air.values[:, 5] / pressure, air.values[:, 6] / pressure


def amplitude(time, values, frequency):
    """Return the complex amplitude at a frequency (rad/s) over the last half of a run, which holds whole periods."""
    last = time >= time[-1] / 2
    fit = np.column_stack([np.cos(frequency * time[last]), np.sin(frequency * time[last]), np.ones(last.sum())])
    a, b, _ = np.linalg.lstsq(fit, values[last], rcond=None)[0]
    return complex(a, -b)


@pytest.mark.parametrize("reduced", [0.02, 0.05])
def test_attached_flow_answers_as_the_indicial_functions_say(reduced):
    w, size = reduced / TIME, np.radians(1.0)  # reduced frequency: of half a chord
    slope = 2 * np.pi
    polar = Polar.thin_aerofoil(slope=slope)
    time, normal, _ = section_in(lambda t: size * np.sin(w * t), polar, until=8 * np.pi / w)
    mach = SPEED / 335.0
    beta2 = 1 - mach**2
    wake = 1 - sum(a * 1j * reduced / (1j * reduced + b * beta2) for a, b in ((0.3, 0.14), (0.7, 0.53)))
    low_pass = 1 / (1 + 1j * reduced / 0.5)
    # Impulsive loads (eq. 1.10 to 1.19): piston theory, whose pressure runs off within 0.75 chords at the speed of sound.
    lag = 0.75 * CHORD / 335.0 / (1 - mach + slope / 2 * mach**2 * np.sqrt(beta2) * (0.3 * 0.14 + 0.7 * 0.53))
    impulsive = 4 * lag / mach * 1j * w * low_pass
    expected = low_pass * (slope / np.sqrt(beta2) * wake + impulsive)
    found = amplitude(time, normal, w) / amplitude(time, size * np.sin(w * time), w)
    # Recursions with 16 steps per half chord, and no load by the second derivative of the angle in this closed form.
    assert found == pytest.approx(expected, rel=0.015)


def test_a_blade_that_pitches_up_fast_lifts_more_than_it_can_for_long_and_less_on_its_way_back():
    w = 0.08 / TIME

    def angle(t):
        return np.radians(14.0 - 8.0 * np.cos(w * t))

    time, normal, _ = section_in(angle, stalling(), until=8 * np.pi / w)
    _, steady, _ = section_in(angle, stalling(), dynamic=False, until=8 * np.pi / w)
    last = time > 6 * np.pi / w
    rising = np.gradient(angle(time), time) > 0
    at_16 = np.abs(angle(time) - np.radians(16.0)) < np.radians(0.3)
    assert normal[last].max() > 1.15 * steady[last].max()
    assert normal[last & rising & at_16].min() > 1.2 * normal[last & ~rising & at_16].max()


def test_beyond_45_degrees_polars_are_steady():
    def angle(t):
        return np.radians(60.0 + 5.0 * np.sin(20 * t))

    made = [section_in(angle, stalling(), dynamic=dynamic, until=0.2)[1] for dynamic in (True, False)]
    assert np.array_equal(*made)


def test_the_stall_of_a_polar_is_where_its_flow_has_left_a_third_of_the_chord():
    lower, upper = stalling().stall
    assert upper == pytest.approx(1.2, abs=0.15)
    assert lower == pytest.approx(-upper)
    assert Polar.thin_aerofoil().stall == (-np.inf, np.inf)
