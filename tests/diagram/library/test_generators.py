"""Generators and turbine control: against closed forms and each other."""

import math

import numpy as np
import pytest

from counterpoint.diagram.library import (
    InductionMachine,
    TurbineControl,
    dynamic_induction_generator,
    generator_torque_law,
    induction_generator,
    inverter_generator,
    pitch_controller,
    thevenin_generator,
)

RPM = math.pi / 30


def value_of(model, output, until=0.01, step=0.01, **inputs):
    for key, value in inputs.items():
        model.defaults[key][:] = value
    return float(model.run(until=until, step=step)[f"{model.name}.{output}"].values[-1])


@pytest.mark.parametrize(("slip", "torque"), [(0.015125, 1367.9), (-0.015125, -1367.9), (0.1, 2735.8)])
def test_torque_is_a_straight_line_over_slip_up_to_the_pull_out_torque(slip, torque):
    assert value_of(induction_generator(), "torque", speed=1200 * RPM * (1 + slip)) == pytest.approx(torque)


def test_a_generator_that_is_off_does_not_brake():
    assert value_of(thevenin_generator(), "torque", speed=130.0, on=0.0) == 0.0


def test_the_torque_of_the_circuit_has_the_slope_of_its_rotor_resistance():
    # Small slip: T = 3 V_th^2 s / (R2 w_s).
    m = InductionMachine()
    d = m.stator_resistance**2 + (m.stator_reactance + m.magnetising_reactance) ** 2
    voltage2 = m.magnetising_reactance**2 * m.voltage**2 / (3 * d)
    made = value_of(thevenin_generator(), "torque", speed=m.synchronous_speed * (1 + 1e-5))
    assert made == pytest.approx(3 * voltage2 * 1e-5 / (m.rotor_resistance * m.synchronous_speed), rel=1e-3)


@pytest.mark.parametrize("slip", [0.005, 0.015, 0.03])
def test_electrical_states_settle_at_the_circuit(slip):
    speed = InductionMachine().synchronous_speed * (1 + slip)
    for output, tolerance in (("torque", 0.02), ("power", 0.04)):
        settled = value_of(dynamic_induction_generator(), output, until=3.0, step=1e-3, speed=speed)
        # The static law replaces the voltage behind the stator by Thevenin's and counts losses apart.
        assert settled == pytest.approx(value_of(thevenin_generator(), output, speed=speed), rel=tolerance)


def test_the_inverter_follows_its_command_within_its_time_constant():
    model = inverter_generator(time_constant=0.05)
    model.defaults["command"][:] = 1000.0
    torque = model.run(until=0.2, step=0.001)["generator.torque"]
    assert torque.at(0.05) == pytest.approx(1000 * (1 - math.exp(-1)), rel=1e-3)


@pytest.mark.parametrize(
    ("rpm", "torque"), [(5, 0.0), (30, 6113 * (30 * RPM) ** 2 / 43.165), (41.6, 3524.36), (45, 3524.36)]
)
def test_the_torque_law_has_its_four_regions(rpm, torque):
    assert value_of(generator_torque_law(), "torque", rotor_speed=rpm * RPM) == pytest.approx(torque)


@pytest.mark.parametrize(("rpm", "lowest", "highest"), [(42.7, 2.0, 40.0), (40.7, -1.001, -0.99)])
def test_above_rated_speed_the_blades_pitch_and_below_they_do_not(rpm, lowest, highest):
    model = pitch_controller(TurbineControl())
    made = value_of(model, "pitch", until=15.0, rotor_speed=rpm * RPM, wind=14.0)
    assert lowest < np.degrees(made) < highest
