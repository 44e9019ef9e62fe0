"""An instance that is set back and used again, as in a sweep, gives the same bits as one that is made anew."""

import pickle

import numpy as np
import pytest

import counterpoint as cp

from .building import build
from .models import FAULTS
from .running import alone


@pytest.mark.parametrize("kind", ["co-simulation", "model-exchange"])
@pytest.mark.parametrize("model", ["oscillator", "bouncing-ball"])
def test_runs_of_one_instance_have_the_bits_of_fresh_ones(built, version, model, kind):
    path = built(model, version)
    name = {"oscillator": "k", "bouncing-ball": "e"}[model]
    values = {"oscillator": (50.0, 100.0, 50.0), "bouncing-ball": (0.5, 0.7, 0.5)}[model]
    first = cp.fmu(path, kind=kind)
    first.keep_instance()
    signal = {"oscillator": "fmu.x", "bouncing-ball": "fmu.h"}[model]
    start = {"x": 0.5} if model == "oscillator" else {}
    for value in values:
        kept = alone(first.varied({name: value}, start))
        fresh = alone(cp.fmu(path, kind=kind, parameters={name: value}, start=start))
        assert np.array_equal(kept[signal].values, fresh[signal].values)
    assert first.instance_reuses == 2


def test_an_instance_that_failed_is_not_used_again(built, version):
    path = built("misbehaving", version)
    first = cp.fmu(path)
    first.keep_instance()
    assert alone(first.varied({})).status == "finished"
    with pytest.raises(cp.SimulationError):
        alone(first.varied({"fault": FAULTS.index("errs"), "fault_time": 0.5}))
    reuses = first.instance_reuses
    assert alone(first.varied({})).status == "finished"
    assert first.instance_reuses == reuses


def test_other_settings_need_another_instance(built, version):
    first = cp.fmu(built("oscillator", version))
    first.keep_instance()
    alone(first, until=1.0)
    alone(first, until=2.0)  # the end of the run is told to the instance
    alone(first, until=2.0)
    assert first.instance_reuses == 1


def test_isolated_fmus_are_started_again(built):
    first = cp.fmu(built("oscillator", 2), isolate=True)
    first.keep_instance()
    for _ in range(2):
        alone(first)
    assert first.instance_reuses == 0


def test_a_function_of_an_fmu_reuses_its_instance_and_can_be_pickled(built):
    system = cp.System()
    system.add("mass", cp.fmu(built("oscillator", 2), start={"x": 1.0}), step=0.01)
    f = cp.function(system, ["mass.k", "mass.x"], "last(mass.x)", until=1.0)
    # x'' = -k x / m: x0 cos(sqrt(k) t); the FMU's own step is 1 ms.
    found = f([[25.0, 1.0], [100.0, 1.0], [25.0, 2.0]])
    np.testing.assert_allclose(found, [np.cos(5.0), np.cos(10.0), 2 * np.cos(5.0)], atol=0.03)
    part = f.worker._bench.system.subsystems["mass"].subsystem
    assert part.instance_reuses == 2
    assert pickle.loads(pickle.dumps(f))(25.0, 1.0) == found[0]


def test_a_sweep_over_a_scenario_with_an_fmu_unpacks_it_once(tmp_path):
    build("oscillator", 2, tmp_path, file="mass.fmu")
    (tmp_path / "one.toml").write_text('until = 1.0\n[subsystems.mass]\ntype = "fmu"\nfile = "mass.fmu"\nstep = 0.01\n')
    found = cp.sweep(tmp_path / "one.toml", {"mass.k": [25.0, 100.0], "mass.x": [1.0]}, "last(mass.x)", workers=1).table
    np.testing.assert_allclose(found["last(mass.x)"], [np.cos(5.0), np.cos(10.0)], atol=0.03)
