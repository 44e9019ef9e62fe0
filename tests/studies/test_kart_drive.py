"""Engine, converter and gearbox of the kart: torques in balance, gears at their time, events where they are."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.kart import clocked as drive
from counterpoint.studies.kart.clocked import clocked_drive


def run(wheel_speed=0.0, until=2.0, step=1e-3, **options):
    system = cp.System("test")
    system.add("drive", clocked_drive(**options), step=step)
    if callable(wheel_speed):
        system.add("wheel", cp.source(wheel_speed, outputs="speed"), step=step)
        system.connect("wheel.speed", "drive.wheel_speed", cp.lagrange(1))
    else:
        system.set("drive.wheel_speed", wheel_speed)
    return system.run(until=until)


def test_a_stalled_converter_gives_its_torque_ratio_times_gears_and_efficiency():
    result = run()
    speed = result["drive.speed"].values[-1]
    impeller = drive.CAPACITY[0] * speed**2
    expected = impeller * drive.TORQUE_RATIO[0] * drive.GEAR_RATIOS[0] * drive.FINAL_DRIVE * drive.EFFICIENCY
    assert result["drive.axle_torque"].values[-1] == pytest.approx(expected, rel=1e-9)


def test_the_crank_is_accelerated_by_what_the_converter_leaves_of_the_torque():
    result = run(wheel_speed=10.0, until=1.0, step=1e-4)
    time = result["drive.rpm"].time
    speed, torque = result["drive.speed"].values, result["drive.torque"].values
    ratio = 10.0 * drive.GEAR_RATIOS[0] * drive.FINAL_DRIVE / speed
    left = torque - np.interp(ratio, drive.SPEED_RATIO, drive.CAPACITY) * speed**2
    gained = np.sum(0.5 * (left[1:] + left[:-1]) * np.diff(time)) / 0.14
    # The torque jumps at valve events, within steps: the sum of trapezia is off by half a jump and step at each.
    assert speed[-1] - speed[0] == pytest.approx(gained, rel=2e-3)


def test_gears_change_on_schedule_with_the_torque_taken_away_in_between():
    result = run(wheel_speed=40.0, until=6.0)
    time, gear, torque = (result[f"drive.{name}"].values for name in ("rpm", "gear", "axle_torque"))
    time = result["drive.rpm"].time
    start = drive.SHIFT_TIMES[0]
    assert gear[time < start - 1e-6] == pytest.approx(1.0, abs=1e-12)
    assert result["drive.gear"].at(start + 0.5 * drive.SHIFT_DURATION) == pytest.approx(1.5, abs=1e-6)
    assert gear[-1] == pytest.approx(2.0, abs=1e-12)
    middle = np.abs(time - start - 0.5 * drive.SHIFT_DURATION).argmin()
    before = np.abs(time - start + 0.05).argmin()
    assert torque[middle] < 0.25 * torque[before]


def test_shifting_by_speed_begins_where_the_wheels_reach_it():
    reached = drive.SHIFT_SPEEDS[0] / drive.WHEEL_RADIUS
    result = run(wheel_speed=lambda t: reached * t, until=1.5, shifting="by speed")
    gear, time = result["drive.gear"].values, result["drive.rpm"].time
    assert time[np.flatnonzero(gear > 1.0 + 1e-6)[0]] == pytest.approx(1.0, abs=2e-3)
    assert gear[-1] == pytest.approx(2.0, abs=1e-9)


def test_an_unknown_way_of_shifting_is_refused():
    with pytest.raises(cp.errors.SetupError, match='shifting "by magic"'):
        clocked_drive(shifting="by magic")


def test_located_events_make_a_tenfold_step_better_than_unlocated_ones():
    def speed(**options):
        return run(wheel_speed=20.0, **options)["drive.speed"].values[-1]

    exact = speed(step=1e-4)
    assert abs(speed(step=1e-3) - exact) < 0.1 * abs(speed(step=1e-4, locate_events=False) - exact)
