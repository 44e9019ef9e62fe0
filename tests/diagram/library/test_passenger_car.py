"""A car that drives a cycle: the cycles, its engine's fuel, its gears, how well it follows."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.diagram import library
from counterpoint.diagram.library.passenger_car import RPM
from counterpoint.errors import SetupError


@pytest.mark.parametrize(
    ("name", "duration", "distance", "fastest"),
    [("nedc", 1180.0, 11013.2, 120.0), ("wltc-3a", 1800.0, 23193.6, 131.3), ("wltc-3b", 1800.0, 23266.3, 131.3)],
)
def test_cycles_have_the_length_of_the_regulations(name, duration, distance, fastest):
    cycle = library.drive_cycle(name)
    assert cycle.duration == duration
    assert cycle.distance == pytest.approx(distance, abs=0.1)
    assert 3.6 * cycle.speed.max() == pytest.approx(fastest)


@pytest.mark.parametrize(("name", "checksum"), [("wltc-3a", 83496.9), ("wltc-3b", 83758.6)])
def test_speeds_of_the_wltc_add_up_to_the_checksum_of_the_regulation(name, checksum):
    assert 3.6 * library.drive_cycle(name).speed.sum() == pytest.approx(checksum, abs=0.05)


def test_gears_of_the_nedc_change_in_the_middle_of_a_shift_and_are_none_while_the_clutch_is_open():
    cycle = library.drive_cycle("nedc")
    first = list(zip(cycle.gear_time, cycle.gear, strict=True))[:6]
    assert first == [(0.0, 0.0), (11.0, 1.0), (25.0, 0.0), (49.0, 1.0), (55.0, 2.0), (93.0, 0.0)]
    assert cycle.phases["EUDC"] == (780.0, 1180.0)


def test_an_unknown_cycle_is_refused_with_the_names_there_are():
    with pytest.raises(SetupError, match=r'drive cycle "nedd".*nedc, wltc-3a, wltc-3b'):
        library.drive_cycle("nedd")


@pytest.mark.parametrize(("torque", "rpm", "oil"), [(40.0, 2000.0, 90.0), (90.0, 3500.0, 90.0), (20.0, 1200.0, 25.0)])
def test_fuel_follows_the_extended_willans_line(torque, rpm, oil):
    model = cp.Diagram("bench")
    block = model.superblock(library.willans_engine(), torque, rpm * RPM, oil, name="engine")
    model.output("fuel_flow", block["fuel_flow"])
    model.output("torque", block["torque"])
    result = model.run(until=3.0, step=0.1)
    flow, made = (float(result[f"bench.{name}"].values[-1]) for name in ("fuel_flow", "torque"))
    assert made == pytest.approx(torque, abs=0.05)
    data = library.CarData()
    fuel = flow * data.heating_value / (data.displacement * rpm * RPM / (4 * np.pi)) / 1e5  # mean effective, bar
    c, (a, b, d, a2), (l0, l2) = 2 * data.stroke * rpm / 60, data.willans, data.willans_loss
    loss = (l0 + l2 * c**2) * ((oil + 273.15) / 363.15) ** -data.willans_exponent
    brake = (a + b * c + d * c**2) * fuel + a2 * fuel**2 + loss
    assert brake == pytest.approx(made * 4 * np.pi / data.displacement / 1e5, abs=0.01)


def test_an_engine_that_is_dragged_takes_no_fuel():
    model = cp.Diagram("bench")
    block = model.superblock(library.willans_engine(), -100.0, 200.0, 90.0, name="engine")
    for port in ("fuel_flow", "torque", "drag"):
        model.output(port, block[port])
    result = model.run(until=2.0, step=0.1)
    assert float(result["bench.torque"].values[-1]) == pytest.approx(float(result["bench.drag"].values[-1]), abs=0.01)
    assert float(result["bench.fuel_flow"].values[-1]) < 2e-6


@pytest.fixture(scope="module")
def city():
    """Run the first 195 s of the NEDC."""
    return library.passenger_car(library.drive_cycle("nedc")).run(until=195.0, step=0.5)


def test_the_car_follows_the_cycle_within_what_the_regulation_allows(city):
    difference = city["powertrain.speed"].values - city["powertrain.target"].values
    assert 3.6 * np.abs(difference).max() < 2.0
    assert float(city["powertrain.distance"].values[-1]) == pytest.approx(4058.3 / 4, abs=1.0)


def test_gears_are_those_prescribed_but_for_the_time_a_shift_takes(city):
    gear = city["powertrain.gear"]
    assert [int(gear.at(t)) for t in (5.0, 20.0, 40.0, 70.0, 150.0, 190.0)] == [0, 1, 0, 2, 3, 0]
    assert float(city["powertrain.clutch"].at(123.5)) < 0.5 < float(city["powertrain.clutch"].at(124.5))


def test_at_rest_the_engine_idles_and_the_clutch_is_open(city):
    assert float(city["powertrain.engine_speed"].at(48.0)) == pytest.approx(800 * RPM, rel=0.02)
    assert float(city["powertrain.clutch"].at(48.0)) == pytest.approx(0.0, abs=1e-9)


def test_without_prescribed_gears_the_driver_shifts_by_engine_speed():
    result = library.passenger_car(library.drive_cycle("wltc-3b")).run(until=600.0, step=0.5)
    gear, speed = result["powertrain.gear"], result["powertrain.engine_speed"]
    assert set(np.unique(gear.values)) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert speed.values.max() < 4300 * RPM
    assert (result["powertrain.speed"].values > -0.01).all()


def test_a_cold_engine_takes_more_fuel_than_a_hot_one():
    used = []
    for oil in (25.0, 90.0):
        model = cp.Diagram("car", solver="ode23s", rtol=1e-4, atol=1e-5)
        car = model.superblock(library.passenger_car(library.drive_cycle("nedc")), 1.0, 5.0, oil, name="powertrain")
        model.output("fuel", car["fuel"])
        used.append(float(model.run(until=195.0, step=1.0)["car.fuel"].values[-1]))
    assert 1.2 < used[0] / used[1] < 1.6
