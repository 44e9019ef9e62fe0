"""The vehicle of the kart study: its size, where it rests, how it rolls, turns and accelerates."""

from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody.analysis.tangent_space import TangentSpace
from counterpoint.multibody.library import kart
from counterpoint.multibody.library.vehicle import CORNERS, KartData, hard_points

DATA = KartData()
G = 9.81
WHEELBASE = DATA.front.x - DATA.rear.x


@pytest.fixture(scope="module")
def vehicle():
    return kart()


def smooth(data):
    """Return a vehicle without anything that dissipates, on ice."""
    law = {**data.tyre, "damping": 0.0, "rolling_resistance": 0.0, "standstill_damping": 0.0}
    ice = {"mu": 0.0}
    return replace(
        data, front=replace(data.front, damping=0.0), rear=replace(data.rear, damping=0.0), tyre=law,
        longitudinal={**data.longitudinal, **ice}, lateral={**data.lateral, **ice}, drag_area=1e-12,
    )  # fmt: skip


# Size


def test_the_vehicle_has_the_163_coordinates_of_the_source(vehicle):
    assert vehicle.assembled().free == 163
    assert (len(vehicle.points), len(vehicle.vectors), len(vehicle.coordinates)) == (45, 7, 7)


def test_148_equations_leave_15_degrees_of_freedom_with_a_free_steering_column():
    assembly = kart(steering=None).assembled()
    assert (assembly.model.equations, assembly.degrees_of_freedom, assembly.redundant) == (148, 15, [])


def test_guiding_the_column_takes_one_degree_of_freedom_away(vehicle):
    assert (vehicle.assembled().model.equations, vehicle.assembled().degrees_of_freedom) == (149, 14)


def test_the_masses_sum_to_630_kg(vehicle):
    bodies = sum(body.mass for body in vehicle.bodies.values())
    assert bodies + sum(mass.mass for mass in vehicle.point_masses) == pytest.approx(630.0, rel=1e-12)
    assert DATA.mass == 630.0


# At rest


def test_it_rests_as_it_is_drawn(vehicle):
    # The strut forces and tyre loads in KartData are given to 0.1 N: 0.1 N on a wheel rate of 5 kN/m is 0.02 mm.
    for name, place in hard_points().items():
        assert vehicle.start_position[name] == pytest.approx(place, abs=5e-5)
    assert vehicle.equilibrium()["pitch"] == pytest.approx(0.0, abs=5e-5)


def test_the_tyres_carry_the_weight_and_no_more(vehicle):
    rest = vehicle.equilibrium()
    loads = {corner: rest[f"{corner}_tyre"][2] for corner in CORNERS}
    assert sum(loads.values()) == pytest.approx(DATA.mass * G, rel=1e-9)
    assert loads["FL"] == pytest.approx(loads["FR"], rel=1e-9)
    # Moments about the rear axle: the sprung mass at its centre; what is unsprung lies less than 20 mm from its axle.
    front = DATA.sprung * G * -DATA.rear.x / WHEELBASE + 2.0 * DATA.front.unsprung * G
    assert loads["FL"] + loads["FR"] == pytest.approx(front, rel=5e-3)
    assert rest.is_stable


def test_gravity_pulls_down(vehicle):
    heavier = replace(DATA, sprung=DATA.sprung + 50.0)
    assert kart(data=heavier).start_position["O"][2] < vehicle.start_position["O"][2] - 0.01


def test_it_stays_where_it_rests():
    result = kart().run(until=0.5, step=1e-3)
    assert np.ptp(result["kart.heave"].values) < 1e-9
    assert np.ptp(result["kart.way"].values) < 1e-9


# Suspension and steering


def test_the_strut_moves_0_592_of_what_the_wheel_does(vehicle):
    # Free motions at rest, combined so that the chassis stands still and one wheel moves up by 1.
    problem = vehicle.problem()
    free = TangentSpace.at(problem, problem.start).free
    offsets = vehicle.assembled().offsets
    held = [offsets[n] + k for n in ("O", "u", "v", "w") for k in range(3)]
    held += [offsets[f"{c}_WC"] + 2 for c in ("FR", "RL", "RR")] + [offsets[f"{c}_wheel"] for c in CORNERS]
    rows = np.vstack([free[held], free[offsets["FL_WC"] + 2]])
    wanted = np.append(np.zeros(len(held)), 1.0)
    motion = free @ np.linalg.lstsq(rows, wanted, rcond=None)[0]
    top, foot = (problem.start.q[offsets[n] : offsets[n] + 3] for n in ("FL_SPU", "FL_SPL"))
    rate = motion[offsets["FL_SPL"] : offsets["FL_SPL"] + 3]
    shortening = float(rate @ (top - foot) / np.linalg.norm(top - foot))
    assert shortening == pytest.approx(0.592, abs=2e-3)


def test_heave_and_pitch_frequencies_are_those_of_wheel_rate_and_tyre_in_series():
    # Wheel rates 5200 and 6000 N/m (strut x 0.592^2) in series with 120 kN/m, two an axle, under the sprung mass alone.
    # The preload of 2 kN on a motion ratio that changes adds an eighth to the rate, 7 % to the frequency.
    rates = np.array([2.0 / (1.0 / r + 1.0 / 120e3) for r in (14840 * 0.592**2, 17120 * 0.592**2)])
    arms = np.array([DATA.front.x, DATA.rear.x])
    stiffness = np.array([[sum(rates), -rates @ arms], [-rates @ arms, rates @ arms**2]])
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([DATA.sprung, DATA.inertia[1]]), stiffness))
    wanted = np.sort(np.sqrt(squares) / (2.0 * np.pi))
    found = kart(data=smooth(DATA)).modes().frequencies
    for frequency in wanted:
        assert np.abs(found / frequency - 1.0).min() < 0.08


def test_a_positive_angle_of_the_column_turns_left_with_the_inner_wheel_more():
    straight, turned = kart().assembled(), kart(steering=0.5).assembled()

    def toe(assembly, corner):
        at = assembly.offsets[f"{corner}_n"]
        n = assembly.q[at : at + 3]
        return float(np.arctan2(-n[0], n[1]))

    left, right = toe(turned, "FL"), toe(turned, "FR")
    # Rack 10 mm on a steering arm of 0.12 m.
    assert 0.5 * (left + right) == pytest.approx(0.01 / 0.12, rel=0.1)
    assert toe(straight, "FL") == pytest.approx(0.0, abs=1e-4)
    assert toe(turned, "RL") == pytest.approx(0.0, abs=2e-3)


def test_it_goes_round_the_circle_that_its_wheels_point_at():
    vehicle = kart(speed=3.0, steering=0.5)
    result = vehicle.run(until=3.0, step=1e-3)
    q, at = result["kart.q"].values, vehicle.assembled().offsets
    u = q[:, at["u"] : at["u"] + 2]
    place = q[:, at["O"] : at["O"] + 2]
    yaw = np.unwrap(np.arctan2(u[:, 1], u[:, 0]))
    turned = yaw[-1] - yaw[1500]
    way = float(np.sum(np.linalg.norm(np.diff(place[1500:], axis=0), axis=1)))
    assert turned > 0.0
    # Slow: no slip angles to speak of, radius = wheelbase / steering angle.
    assert way / turned == pytest.approx(WHEELBASE / (0.01 / 0.12), rel=0.1)


# Rolling and driving


def test_it_rolls_without_slip_and_slows_down_by_rolling_resistance_and_drag():
    result = kart(speed=10.0).run(until=2.0, step=1e-3)
    speed, wheel = result["kart.speed"].values, result["kart.wheel_speed"].values
    assert wheel[-1] * DATA.wheel_radius == pytest.approx(speed[-1], rel=2e-3)
    turning = 2.0 * (DATA.front.spin + DATA.rear.spin) / DATA.wheel_radius**2
    mean = 0.5 * (speed[1000] + speed[-1])
    resistance = 0.015 * DATA.mass * G + 0.5 * DATA.air_density * DATA.drag_area * mean**2
    # Toe of the deflected corners adds 1 % of drag.
    assert speed[1000] - speed[-1] == pytest.approx(resistance / (DATA.mass + turning), rel=2e-2)


def test_the_axle_torque_accelerates_lifts_the_nose_and_loads_the_rear_axle():
    vehicle = kart(speed=5.0)
    vehicle.input("axle_torque", 200.0)
    result = vehicle.run(until=5.0, step=1e-3)
    speed = result["kart.speed"].values
    acceleration = (speed[-1] - speed[-201]) / 0.2
    resistance = 0.015 * DATA.mass * G + 0.5 * DATA.air_density * DATA.drag_area * speed[-101] ** 2
    turning = (2.0 * (DATA.front.spin + DATA.rear.spin) + DATA.differential) / DATA.wheel_radius**2
    expected = (200.0 / DATA.wheel_radius - resistance) / (DATA.mass + turning)
    assert acceleration == pytest.approx(expected, rel=1e-2)
    assert -2.0 < np.degrees(result["kart.pitch"].values[-1]) < -0.5
    rear = sum(result[f"kart.{corner}_tyre"].values[-1, 2] for corner in ("RL", "RR"))
    # Moments about the road below the front axle: inertia, wheels, drag, rolling resistance, and the centre of mass that
    # has gone back over the wheels as the nose rose.
    height = (DATA.sprung * DATA.centre_height + 110.0 * 0.28) / DATA.mass
    spinning = 2.0 * (DATA.front.spin + DATA.rear.spin) / DATA.wheel_radius * acceleration
    drag = 0.5 * DATA.air_density * DATA.drag_area * speed[-1] ** 2 * DATA.centre_height
    rolling = 0.015 * DATA.mass * G * DATA.wheel_radius
    q, at = result["kart.q"].values[-1], vehicle.assembled().offsets
    back = q[at["FL_WC"]] - q[at["O"]] - DATA.front.x
    moved = DATA.mass * acceleration * height + spinning + drag + rolling + DATA.sprung * G * back
    assert rear - 2.0 * 1707.6 == pytest.approx(moved / WHEELBASE, rel=2e-2)


def test_without_dampers_on_ice_the_energy_is_kept_to_second_order():
    drift = []
    for step in (4e-3, 2e-3):
        vehicle = kart(data=smooth(DATA))
        for point in vehicle.points.values():
            point.velocity = np.array([0.0, 0.0, 0.1])
        vehicle._changed()
        energy = vehicle.run(until=1.0, step=step)["kart.energy"].values
        drift.append(float(np.ptp(energy)))
    # 3 J of motion; the wheels hop at 11 Hz.
    assert drift[1] < 2e-2
    assert drift[0] / drift[1] == pytest.approx(4.0, rel=0.25)


# As a model


def test_its_model_file_gives_the_same_vehicle(tmp_path):
    vehicle = kart(speed=2.0)
    path = cp.multibody.save(vehicle, tmp_path / "kart.toml")
    again = cp.multibody.load(path)
    assert again.assembled().q == pytest.approx(vehicle.assembled().q, abs=1e-12)
    assert again.assembled().v == pytest.approx(vehicle.assembled().v, abs=1e-12)
    first, second = (m.run(until=0.05, step=1e-3)["kart.pitch"].values for m in (vehicle, again))
    assert second == pytest.approx(first, abs=1e-10)


def test_it_takes_the_axle_torque_from_another_subsystem():
    system = cp.System("drive")
    system.add("motor", cp.linear([[-1.0]], [[1.0]], x0=[100.0], inputs="load", outputs="torque"), step=1e-3)
    system.add("kart", kart(speed=1.0).subsystem(), step=5e-3)
    system.connect("motor.torque", "kart.axle_torque")
    system.connect("kart.wheel_speed", "motor.load")
    assert system.run(until=1.0)["kart.speed"].at(1.0) > 1.05
