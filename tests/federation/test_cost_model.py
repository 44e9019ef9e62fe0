"""The cost model against cases that can be solved by hand."""

import time

import pytest

import counterpoint as cp
from counterpoint._run.options import RunOptions
from counterpoint.federation.cost_model import Load, Network, predict
from counterpoint.federation.planning import best_cuts, measure, plan_text

FREE = Network(request_cost=0.0)


def pair(costs=(1e-2, 1e-2), steps=(0.1, 0.1), waits=((), ()), span=10.0):
    names = ("a", "b")
    return Load(
        dict(zip(names, steps, strict=True)),
        dict(zip(names, costs, strict=True)),
        dict(zip(names, map(list, waits), strict=True)),
        {"a": ["b"], "b": ["a"]},
        {"a": 0.0, "b": 0.0},
        span,
    )


def test_two_that_do_not_wait_take_half_the_time():
    assert predict(pair(), [["a"], ["b"]], FREE).speed_up == pytest.approx(2.0)


def test_one_that_waits_takes_turns_with_the_other():
    assert predict(pair(waits=((), ("a",))), [["a"], ["b"]], FREE).speed_up == pytest.approx(1.0)


def test_a_message_takes_the_latency_to_the_broker_and_from_there():
    assert Network(latency=1e-3).delay(0) == pytest.approx(2e-3)


def test_each_step_pays_the_latency_once():
    """100 steps, each with 10 ms of work and 4 ways of 1 ms to the other; the first needs no message."""
    seconds = predict(pair(), [["a"], ["b"]], Network(latency=1e-3, request_cost=0.0, hops=4.0)).seconds
    assert seconds == pytest.approx(100 * 10e-3 + 99 * 4e-3)


def test_a_fast_part_pays_for_each_step_of_the_slow_one_only():
    load = pair(costs=(1e-4, 1e-2), steps=(0.001, 0.1))
    prediction = predict(load, [["a"], ["b"]], Network(latency=1e-3, request_cost=0.0))
    assert prediction.requests == pytest.approx(2 * 99, abs=4)


def test_bandwidth_counts():
    load = pair()
    load.sizes.update(a=1e6, b=1e6)
    slow = predict(load, [["a"], ["b"]], Network(bandwidth=1e8, request_cost=0.0)).seconds
    assert slow == pytest.approx(100 * 10e-3 + 99 * 10e-3)


def test_long_runs_are_not_played_to_the_end():
    short, long = (predict(pair(span=span), [["a"], ["b"]], FREE) for span in (1e3, 1e5))
    assert long.seconds == pytest.approx(100 * short.seconds)


def test_the_best_cut_of_two_pairs_keeps_each_together():
    names = ["a", "b", "c", "d"]
    sources = {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}
    load = Load(
        dict.fromkeys(names, 0.1), dict.fromkeys(names, 1e-2), {n: [] for n in names}, sources,
        dict.fromkeys(names, 24.0), 1.0,
    )  # fmt: skip
    cuts = best_cuts(load, 4, Network(latency=10e-3))
    assert {frozenset(part) for part in cuts[1].parts} == {frozenset("ab"), frozenset("cd")}
    assert min(cuts, key=lambda cut: cut.seconds) is cuts[1]


def test_many_subsystems_are_spread_without_trying_everything():
    names = [f"s{k}" for k in range(40)]
    ring = {name: [names[k - 1], names[(k + 1) % 40]] for k, name in enumerate(names)}
    load = Load(
        dict.fromkeys(names, 0.1), dict.fromkeys(names, 1e-3), {n: [] for n in names}, ring,
        dict.fromkeys(names, 24.0), 1.0,
    )  # fmt: skip
    cuts = best_cuts(load, 3, Network(latency=1e-5, request_cost=1e-4))
    assert [len(cut.parts) for cut in cuts] == [1, 2, 3]
    assert cuts[2].speed_up > 2.5


class Sleepy(cp.Subsystem):
    """Its first step in this process takes long, as where nothing is in the caches."""

    outputs = ("y",)
    starts = 0

    def start(self, t):
        Sleepy.starts += 1

    def step(self, t, t_end, u):
        if Sleepy.starts == 1:
            time.sleep(0.01)

    def output(self, t, u):
        return t


def test_the_cost_of_a_step_is_that_of_the_least_disturbed_run():
    system = cp.System()
    system.add("a", Sleepy(), step=0.5)
    load = measure(system, RunOptions(until=2.0))
    assert Sleepy.starts > 1
    assert load.costs["a"] < 0.01  # the first run needs that for each of its steps


def test_a_cut_becomes_a_launch_plan(tmp_path):
    from counterpoint.federation.plan_file import LaunchPlan

    cut = best_cuts(pair(), 2, FREE)[1]
    (tmp_path / "plant.toml").touch()
    (tmp_path / "plan.toml").write_text(plan_text("plant.toml", cut))
    assert LaunchPlan.read(tmp_path / "plan.toml").parts == {"a": ["a"], "b": ["b"]}
