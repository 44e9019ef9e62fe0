"""Kinematics and inverse dynamics against closed forms."""

import numpy as np
import pytest

import counterpoint as cp

from ..examples import four_bar, pendulum, slider_crank

G = 9.81


def test_a_slider_crank_moves_as_its_closed_form():
    r, rod, w = 0.2, 0.6, 10.0
    t = np.linspace(0.0, 1.0, 41)
    motion = slider_crank(r, rod, w).kinematics(t)
    c, s = np.cos(w * t), np.sin(w * t)
    root = np.sqrt(rod**2 - (r * s) ** 2)
    velocity = -r * w * s - r**2 * w * s * c / root
    acceleration = -r * w**2 * c - r**2 * w**2 * (c**2 - s**2) / root - r**4 * w**2 * s**2 * c**2 / root**3
    assert motion["engine.stroke"].values == pytest.approx(r * c + root, abs=1e-11)
    assert motion["engine.stroke_velocity"].values == pytest.approx(velocity, abs=1e-9)
    assert motion["engine.stroke_acceleration"].values == pytest.approx(acceleration, abs=1e-11)


def test_the_driving_torque_does_the_work_that_the_kinetic_energy_shows():
    t = np.linspace(0.0, 2 * np.pi / 10.0, 2001)
    motion = slider_crank().kinematics(t)
    power = motion["engine.guide:turn"].values * motion["engine.turn_velocity"].values
    work = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (power[1:] + power[:-1]))])
    kinetic = motion["engine.kinetic_energy"].values
    # Trapezoidal rule over 2000 intervals: 1e-6 relative.
    assert work == pytest.approx(kinetic - kinetic[0], abs=1e-4 * np.ptp(kinetic))


def test_a_lifted_rod_needs_the_torque_of_its_weight():
    rod = pendulum(angle=0.0, mass=3.0, length=2.0)
    rod.guide("swing", {"sine": {"amplitude": 0.8, "frequency": 0.5}})
    t = np.linspace(0.0, 2.0, 21)
    motion = rod.kinematics(t)
    angle = 0.8 * np.sin(np.pi * t)
    torque = 3.0 * 2.0**2 / 3.0 * -(np.pi**2) * angle + 3.0 * G * np.cos(angle)
    assert motion["pendulum.guide:swing"].values == pytest.approx(torque, rel=1e-8)
    assert motion.multipliers.shape == (21, 2)
    assert "guide of swing" in motion.equations


def test_many_turns_between_two_times_are_counted():
    rod = pendulum(angle=0.0)
    rod.guide("swing", [0.0, 20.0])
    motion = rod.kinematics([0.0, 3.0])
    assert motion["pendulum.swing"].values == pytest.approx([0.0, 60.0], abs=1e-9)
    assert motion["pendulum.B"].values[1] == pytest.approx([np.cos(60.0), np.sin(60.0)], abs=1e-9)


@pytest.mark.parametrize("angle", [3.3, 6.1, 9.0, -7.5])
def test_a_guide_may_begin_at_any_turn(angle):
    rod = pendulum(angle=angle)
    rod.guide("swing", [angle, 1.0])
    assert rod.kinematics([0.0, 1.0])["pendulum.swing"].values == pytest.approx([angle, angle + 1.0])
    end = rod.run(until=1.0, step=1e-2)["pendulum.B"].values[-1]
    assert end == pytest.approx([np.cos(angle + 1.0), np.sin(angle + 1.0)], abs=1e-8)


def test_a_motion_that_begins_gently_is_followed_all_the_same():
    rod = pendulum(angle=0.0)
    rod.guide("swing", [0.0, 0.0, 0.0, 1.0])
    motion = rod.kinematics([0.0, 3.0])
    assert motion["pendulum.swing"].values[-1] == pytest.approx(27.0, abs=1e-9)


def test_times_before_zero_are_followed_backwards():
    motion = four_bar(guided=True).kinematics([-1.0, 0.5])
    assert motion["fourbar.turn"].values == pytest.approx([-1.0, 2.0], abs=1e-9)


def test_kinematics_agrees_with_a_run_of_the_same_mechanism():
    bar = four_bar(guided=True)
    t = np.linspace(0.0, 1.0, 11)
    motion, run = bar.kinematics(t), bar.run(until=1.0, step=1e-3)
    assert motion["fourbar.B"].values == pytest.approx(run["fourbar.B"].at(t), abs=1e-7)


def test_left_degrees_of_freedom_are_named():
    with pytest.raises(cp.SetupError, match=r"fourbar.*1 is left.*Guide 1 more measure"):
        four_bar().kinematics([0.0, 1.0])


def test_times_that_do_not_grow_are_refused():
    with pytest.raises(cp.SetupError, match="times must increase; 1 s comes after 2 s"):
        four_bar(guided=True).kinematics([0.0, 2.0, 1.0])


def test_a_guide_beyond_reach_says_where_the_mechanism_locks():
    bar = four_bar()
    bar.angle("rock", "rocker")
    value = float(np.arctan2(*(bar.points["D"].position - bar.points["B"].position)[::-1]))
    bar.guide("rock", [value, 1.0])
    with pytest.raises(cp.SolverError, match=r"cannot be followed beyond t = 1\.060"):
        bar.kinematics([0.0, 5.0])


def test_only_the_outputs_asked_for_are_shown():
    engine = slider_crank()
    engine.output("piston", of="stroke", motion="velocity")
    motion = engine.kinematics([0.0, 0.1])
    assert "engine.piston" in motion
    assert "engine.stroke_velocity" not in motion
    assert list(motion.to_pandas("engine").columns[-2:]) == ["piston", "guide:turn"]
    assert motion.to_xarray()["engine.piston"].shape == (2,)
