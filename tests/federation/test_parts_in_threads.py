"""The same numbers in one process and in parts, for any scheme and any steps; times granted by the rules of HELICS."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import counterpoint as cp

sys.path.insert(0, str(Path(__file__).parent))
from fake import run_parts


def oscillator(stiffness, start, inputs):
    return cp.linear(
        [[0.0, 1.0], [-stiffness, -0.1]], [[0.0] * inputs, [0.3] * inputs], [[1.0, 0.0]], x0=[start, 0.0],
        inputs=[f"u{k}" for k in range(inputs)], outputs="x",
    )  # fmt: skip


def chain(steps, approximation=None):
    """Oscillators in a row, each with those beside it; every second one with derivatives."""

    def make():
        system = cp.System("chain")
        count = len(steps)
        for k, step in enumerate(steps):
            system.add(f"m{k}", oscillator(3.0 + 5.0 * k, 1.0 - 0.4 * k, 2), step=step)
        for k in range(count):
            for place, other in enumerate((k - 1, k + 1)):
                if 0 <= other < count:
                    system.connect(f"m{other}.x", f"m{k}.u{place}", approximation or cp.lagrange(2))
                else:
                    system.set(f"m{k}.u{place}", 0.0)
        return system

    return make


def same_as_in_one_process(make, parts, until, scheme):
    made, shares = run_parts(make, parts, until=until, scheme=scheme)
    waits = next(iter(shares.values())).waits
    whole = make().run(until=until, scheme=cp.custom(waits), first_steps="once", check="off")
    for part, names in parts.items():
        for name in names:
            one, other = whole[f"{name}.x"], made[part].result[f"{name}.x"]
            assert np.array_equal(one.time, other.time)
            assert np.array_equal(one.values, other.values), f"{name} in {part}"
    return made, shares


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel", "sequential"])
@pytest.mark.parametrize("steps", [(0.01, 0.1), (0.1, 0.1), (0.07, 0.1), (0.1, 0.01 * np.pi)], ids=str)
def test_two_parts_have_the_bits_of_one_process(scheme, steps):
    parts = {"left": ["m0"], "right": ["m1"]}
    _, shares = same_as_in_one_process(chain(steps), parts, 2.0, scheme)
    assert all(share.cut == () for share in shares.values())


def test_a_chain_of_waiting_is_cut_and_told_and_is_then_the_same():
    parts = {name: [name] for name in ("m0", "m1", "m2")}
    _, shares = same_as_in_one_process(chain((0.1, 0.03, 0.01)), parts, 1.0, "slowest-first")
    assert shares["m2"].cut == (("m2", "m1"),)


def test_derivatives_cross_the_cut():
    parts = {"left": ["m0"], "right": ["m1"]}
    make = chain((0.05, 0.08), cp.hermite())
    _, shares = same_as_in_one_process(make, parts, 2.0, "parallel")
    assert shares["left"].exports[0].slopes


def test_a_fast_part_asks_once_per_step_of_the_slow_one():
    made, _ = same_as_in_one_process(chain((0.001, 0.1)), {"left": ["m0"], "right": ["m1"]}, 2.0, "slowest-first")
    assert made["left"].requests < 30, "2000 steps of its own, 20 of the other"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_cut_of_any_chain_with_any_scheme_is_the_same(data):
    count = data.draw(st.integers(2, 4))
    steps = data.draw(st.lists(st.sampled_from([0.05, 0.1, 0.02, 0.03, 0.07, 1 / 30]), min_size=count, max_size=count))
    groups = data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    parts = {f"p{g}": [f"m{k}" for k in range(count) if groups[k] == g] for g in sorted(set(groups))}
    scheme = data.draw(st.sampled_from(["slowest-first", "fastest-first", "parallel", "sequential"]))
    same_as_in_one_process(chain(tuple(steps)), parts, 0.5, scheme)


def test_a_part_at_its_own_pace_sends_its_steps_as_they_come():
    def make():
        system = cp.System("own pace")
        decay = cp.ode(lambda t, x, u: [-3.0 * x[0] + u[0]], [1.0], inputs="u", outputs="x", solver="ode45", rtol=1e-6)
        system.add("own", decay)
        system.add("fixed", oscillator(4.0, 1.0, 1), step=0.05)
        system.connect("fixed.x", "own.u")
        system.connect("own.x", "fixed.u0")
        return system

    same_as_in_one_process(make, {"a": ["own"], "b": ["fixed"]}, 1.0, "parallel")


def test_a_source_alone_is_a_part():
    def make():
        system = cp.System("source")
        system.add("signal", cp.source(np.sin, outputs="x"), step=0.02)
        system.add("mass", oscillator(4.0, 1.0, 1), step=0.05)
        system.connect("signal.x", "mass.u0")
        return system

    same_as_in_one_process(make, {"a": ["signal"], "b": ["mass"]}, 1.0, "slowest-first")


def test_initial_outputs_with_direct_feedthrough_are_agreed_on():
    def make():
        system = cp.System("feedthrough")
        for name, gain in (("a", 2.0), ("b", 3.0), ("c", 5.0)):
            through = cp.linear([[-1.0]], [[1.0]], [[1.0]], [[gain]], x0=[1.0], inputs="u", outputs="x")
            system.add(name, through, step=0.1)
        system.add("d", oscillator(4.0, 1.0, 1), step=0.1)
        for one, other in (("a", "b.u"), ("b", "c.u"), ("c", "d.u0")):
            system.connect(f"{one}.x", other)
        system.set("a.u", 1.0)
        return system

    same_as_in_one_process(make, {name: [name] for name in "abcd"}, 1.0, "parallel")


def test_events_happen_in_the_part_of_their_target():
    def make():
        system = chain((0.05, 0.1))()
        system.at(0.5, "m1.u0", cp.events.scale(0.5))
        system.when("m0.x < 0.5", "m1.u0", cp.events.offset(0.1))
        return system

    same_as_in_one_process(make, {"left": ["m0"], "right": ["m1"]}, 2.0, "parallel")
