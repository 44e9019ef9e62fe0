"""Thermal building blocks: balances that hold whatever the numbers are, and what warms up when."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.diagram import library
from counterpoint.diagram.library.heat import COOLANT_HEAT
from counterpoint.errors import SetupError


def bench(content, until, step=0.5, **inputs):
    """Run a diagram with constant inputs; the result has its outputs as ``bench.NAME``."""
    model = cp.Diagram("bench", solver="ode23s", rtol=1e-5, atol=1e-6)
    block = model.superblock(content, name="content", **inputs)
    for port in block.outputs:
        model.output(port, block[port])
    return model.run(until=until, step=step)


def last(result, port):
    return float(result[f"bench.{port}"].values[-1])


def test_a_front_passes_a_pipe_in_the_time_its_fluid_needs():
    result = bench(library.pipe(cells=40, mass=2.0, loss=0.0), 30.0, 0.1, flow=0.2, inlet=75.0, ambient=25.0)
    outlet = result["bench.outlet"]
    middle = outlet.time[np.searchsorted(outlet.values, 50.0)]
    assert middle == pytest.approx(10.0, rel=0.05)  # 2 kg at 0.2 kg/s
    assert last(result, "outlet") == pytest.approx(75.0, abs=0.01)


def test_a_pipe_loses_what_its_conductance_says():
    result = bench(library.pipe(cells=20, mass=0.5, loss=30.0), 200.0, flow=0.05, inlet=80.0, ambient=20.0)
    left = (1 + 30.0 / (20 * 0.05 * COOLANT_HEAT)) ** -20  # of the difference, each cell mixed
    assert last(result, "outlet") == pytest.approx(20.0 + 60.0 * left, abs=0.01)


def test_what_a_heat_exchanger_gives_to_the_air_is_missing_in_the_coolant():
    result = bench(library.heat_exchanger(), 400.0, flow=0.3, inlet=95.0, ambient=25.0, outside=900.0)
    assert last(result, "power") == pytest.approx(0.3 * COOLANT_HEAT * (95.0 - last(result, "outlet")), rel=1e-3)
    assert last(result, "power") > 20e3


@pytest.mark.parametrize(("temperature", "lift"), [(60.0, 0.0), (93.0, 0.5), (110.0, 1.0)])
def test_a_thermostat_opens_over_its_span(temperature, lift):
    assert last(bench(library.thermostat(), 100.0, temperature=temperature), "lift") == pytest.approx(lift, abs=0.02)


def test_cold_oil_needs_more_torque_and_the_relief_valve_limits_the_pressure():
    cold, hot = (bench(library.oil_circuit(initial=t), 20.0, speed=84.0, temperature=t, block=t) for t in (25.0, 90.0))
    assert last(cold, "torque") > 3 * last(hot, "torque")
    fast = bench(library.oil_circuit(), 20.0, speed=400.0, temperature=25.0, block=25.0)
    assert 4.5e5 < last(fast, "pressure") < 5.5e5


def test_oil_flow_through_the_bearings_is_what_the_pump_delivers_while_the_valve_is_closed():
    data = library.OilData()
    hot = bench(library.oil_circuit(initial=90.0), 30.0, speed=84.0, temperature=90.0, block=90.0)
    delivered = 860.0 * 84.0 * data.displacement * data.volumetric / (2 * np.pi)
    assert last(hot, "flow") == pytest.approx(delivered, rel=0.02)


def test_the_alternator_holds_the_voltage_and_charges():
    result = bench(library.battery(), 60.0, speed=200.0, ambient=25.0)
    assert last(result, "voltage") == pytest.approx(14.2, abs=0.05)
    assert last(result, "current") > 0.0
    power = last(result, "voltage") * (450.0 / 14.2 + last(result, "current"))
    assert last(result, "torque") == pytest.approx(power / 0.65 / 200.0, rel=0.01)


def test_an_engine_that_neither_turns_nor_burns_stays_as_warm_as_it_is():
    result = bench(library.engine_thermal_system(ambient=20.0), 100.0, 5.0, engine_speed=1e-3, fuel_flow=0.0, speed=0.0)
    for part in ("head", "block", "coolant", "oil"):
        assert last(result, f"{part}_temperature") == pytest.approx(20.0, abs=0.01)


def test_in_the_long_run_the_thermostat_holds_the_coolant():
    result = bench(library.engine_thermal_system(initial=85.0), 3000.0, 20.0, engine_speed=300.0, fuel_flow=1.5e-3,
                   speed=25.0)  # fmt: skip
    assert 88.0 < last(result, "coolant_temperature") < 98.0
    assert 0.0 < last(result, "lift") < 1.0
    temperatures = result["bench.coolant_temperature"].values
    assert abs(temperatures[-1] - temperatures[-20]) < 0.1


def test_a_pipe_without_cells_is_refused():
    with pytest.raises(SetupError, match="cells: 0; expected at least 1"):
        library.pipe(cells=0)
