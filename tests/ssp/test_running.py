"""System structures run directly: the numbers of the same system built by hand."""

import numpy as np

import counterpoint as cp

from .conftest import PAIR, ssd


def by_hand(fmus, **options):
    system = cp.System("by hand")
    system.add("a", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5}))
    system.add("b", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5, "m": 2}, start={"x": 0.5}))
    for one, other in ("ab", "ba"):
        system.connect(f"{one}.x", f"{other}.x_other")
        system.connect(f"{one}.v", f"{other}.v_other")
    return system.run(until=1.0, **options)


def test_a_structure_runs_as_the_same_system_built_by_hand(pack, fmus):
    result = cp.Scenario.read(pack(ssd(PAIR))).run()
    expected = by_hand(fmus)
    for name in ("a.x", "a.v", "b.x", "b.v"):
        assert np.array_equal(expected[name].time, result[name].time)
        assert np.array_equal(expected[name].values, result[name].values)
