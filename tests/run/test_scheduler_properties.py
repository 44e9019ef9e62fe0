"""The precedence rule under random systems: no subsystem sees the future or waits for ever, nothing changes a bit.

The systems are made of subsystems that do little but write down which samples they were shown. Sources count
their samples (output: the number of the sample), so that what an approximation gets can be told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import counterpoint as cp

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")
UNTIL = 2.0
properties = settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Walker(cp.Subsystem):
    """dx/dt = -x + mean of inputs, asked at three times of a step; at its own pace its steps vary.

    With a share below 1 every second step ends early, and there it jumps.
    """

    def __init__(self, inputs: int, steps: list[float], share: float = 1.0) -> None:
        self.inputs = [f"u{k}" for k in range(inputs)]
        self.outputs = ["x"]
        self.steps = steps
        self.share = share
        self.stops_early = share < 1.0
        if len(steps) > 1:
            self.next_step = lambda: self.steps[self.count % len(self.steps)]

    def start(self, t: float) -> None:
        self.x, self.count = 1.0, 0
        self.before: float | None = None
        self.times: list[tuple[float, float]] = []

    def step(self, t: float, t_end: float, u) -> float | None:
        self.times.append((t, t_end))
        self.count += 1
        slope = -self.x
        for time in (t, 0.5 * (t + t_end), t_end):
            slope += np.sum(u(time)) / (3.0 * max(len(self.inputs), 1))
        ends_early = self.share < 1.0 and self.count % 2 == 1
        if ends_early:
            t_end = t + self.share * (t_end - t)
        self.x += (t_end - t) * slope
        self.before = self.x if ends_early else None
        self.x += 0.25 if ends_early else 0.0
        return t_end

    def output(self, t: float, u) -> float:
        return self.x

    def output_before_event(self) -> float | None:
        return self.before


class Watching(cp.Approximation):
    """lagrange(1) that writes down which samples it was shown, for whom, and what it was asked."""

    points = 3

    def __init__(self, source: str, consumer: str, log: list) -> None:
        self.source, self.consumer, self.log = source, consumer, log

    def evaluate(self, times, values, t):
        self.log.append((self.source, self.consumer, times[-1], t))
        if len(times) == 1:
            return values[-1]
        weight = (t - times[-2]) / (times[-1] - times[-2])
        return values[-2] + weight * (values[-1] - values[-2])


@dataclass(frozen=True)
class Part:
    steps: tuple[float, ...]  # one: fixed; several: at its own pace
    linear: bool
    sources: tuple[int, ...]
    orders: tuple[int, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Plan:
    parts: tuple[Part, ...]
    scheme: object

    def names(self) -> list[str]:
        return [f"s{k}" for k in range(len(self.parts))]

    def build(self, log: list | None = None, strangers: int = 0) -> cp.System:
        system = cp.System()
        for k, part in enumerate(self.parts):
            if k == len(self.parts) // 2:
                for j in range(strangers):
                    system.add(f"stranger{j}", Walker(0, [0.0371 * (j + 1)]), step=0.0371 * (j + 1))
            system.add(f"s{k}", self._model(part), step=part.steps[0] if len(part.steps) == 1 else None)
        for k, part in enumerate(self.parts):
            for j, (source, order) in enumerate(zip(part.sources, part.orders, strict=True)):
                approximation = cp.lagrange(order) if log is None else Watching(f"s{source}", f"s{k}", log)
                system.connect(f"s{source}.x", f"s{k}.u{j}", approximation)
        return system

    def order(self, strangers: int = 0):
        """The scheme; a sequential one must name the strangers too."""
        if strangers and getattr(self.scheme, "order", ()):
            return cp.sequential([*[f"stranger{j}" for j in range(strangers)], *self.scheme.order])
        return self.scheme

    @staticmethod
    def _model(part: Part) -> cp.Subsystem:
        inputs = len(part.sources)
        if part.linear and len(part.steps) == 1:
            return cp.linear(
                [[-1.0]], [[1.0 / max(inputs, 1)] * inputs] if inputs else np.zeros((1, 0)), x0=[1.0],
                inputs=[f"u{j}" for j in range(inputs)], outputs="x", solver="ode3",
            )  # fmt: skip
        return Walker(inputs, list(part.steps), part.share)


# Steps that have no common measure worth speaking of, and none so short that a run takes long.
fixed_step = st.floats(0.02, 0.7).map(lambda h: (h,))
own_pace = st.lists(st.floats(0.02, 0.7), min_size=2, max_size=5).map(tuple)


@st.composite
def plans(draw, early: bool = False) -> Plan:
    n = draw(st.integers(2, 6))
    parts = []
    for k in range(n):
        others = [j for j in range(n) if j != k]
        sources = tuple(draw(st.lists(st.sampled_from(others), unique=True, max_size=3)))
        parts.append(
            Part(
                steps=draw(st.one_of(fixed_step, own_pace)),
                linear=draw(st.booleans()),
                sources=sources,
                orders=tuple(draw(st.integers(0, 3)) for _ in sources),
                share=draw(st.sampled_from([1.0, 0.4])) if early else 1.0,
            )
        )
    return Plan(tuple(parts), draw(schemes(n)))


@st.composite
def schemes(draw, n: int):
    names = [f"s{k}" for k in range(n)]
    kind = draw(st.sampled_from([*SCHEMES, "sequential order", "custom"]))
    if kind in SCHEMES:
        return kind
    order = draw(st.permutations(names))
    if kind == "sequential order":
        return cp.sequential(order)
    return cp.custom(
        {name: draw(st.lists(st.sampled_from(order[:k]), unique=True)) for k, name in enumerate(order) if k}
    )


def bits(result: cp.Result) -> dict[str, bytes]:
    """Time axes and values of all but the strangers."""
    signals = {name: result[name] for name in result.signals if not name.startswith("stranger")}
    return {name: signal.time.tobytes() + signal.values.tobytes() for name, signal in signals.items()}


def defects(result: cp.Result) -> dict[str, list[list[float]]]:
    """Every row of every defect: when, assumed, arrived."""
    signals = {label: result.defect(label) for label in result.defects["connection"]}
    return {label: [s.time.tolist(), s.assumed.tolist(), s.arrived.tolist()] for label, s in signals.items()}


@given(plans(early=True))
@properties
def test_no_schedule_deadlocks_and_all_subsystems_end_exactly_at_the_end(plan):
    result = plan.build().run(until=UNTIL, scheme=plan.scheme, first_steps="once")
    assert result.status == "finished"
    for name in plan.names():
        time = result[f"{name}.x"].time
        assert time[0] == 0.0
        assert time[-1] == UNTIL
        assert np.all(np.diff(time) >= 0.0)  # equal at a jump


@given(plans())
@properties
def test_no_subsystem_sees_a_sample_that_its_rule_does_not_allow(plan):
    log: list = []
    system = plan.build(log)
    waits = system.waits_for(plan.scheme)
    result = system.run(until=UNTIL, scheme=plan.scheme, first_steps="once")
    published = {name: result[f"{name}.x"].time for name in plan.names()}
    tolerance = 1e-5 * min(min(part.steps) for part in plan.parts)
    exempt = 0
    for source, consumer, newest, t in log:
        own = published[consumer]
        # A time on a border belongs to the step that ends there or to the one that begins there.
        begins = (
            max(0, int(np.searchsorted(own, t - tolerance)) - 1),
            max(0, int(np.searchsorted(own, t + tolerance)) - 1),
        )
        steps = [(own[k], own[min(k + 1, len(own) - 1)]) for k in sorted(set(begins))]
        times = published[source]
        if source in waits[consumer]:
            # Up to the first sample that reaches the end of the step.
            assert any(
                newest <= times[min(np.searchsorted(times, end - tolerance), len(times) - 1)] for _, end in steps
            )
            continue
        assert any(newest <= begin + tolerance for begin, _ in steps)
        complete = any(newest == times[np.searchsorted(times, begin + tolerance) - 1] for begin, _ in steps)
        if not complete:
            exempt += 1
            assert can_be_exempt(source, consumer, plan, waits)
    if plan.scheme == "parallel":
        assert exempt == 0


def can_be_exempt(source: str, consumer: str, plan: Plan, waits: dict[str, list[str]]) -> bool:
    """The second rule: only when the source depends on the consumer, directly or through others."""
    feeds = {f"s{k}": [f"s{j}" for j in part.sources] for k, part in enumerate(plan.parts)}
    open_, seen = [source], set()
    while open_:
        name = open_.pop()
        if name == consumer:
            return True
        if name not in seen:
            seen.add(name)
            open_ += feeds[name]
    return False


@given(plans())
@properties
def test_a_consumer_that_waits_is_shown_samples_that_reach_the_end_of_its_step(plan):
    log: list = []
    system = plan.build(log)
    waits = system.waits_for(plan.scheme)
    system.run(until=UNTIL, scheme=plan.scheme, first_steps="once")
    tolerance = 1e-5 * min(min(part.steps) for part in plan.parts)
    for source, consumer, newest, t in log:
        if source in waits[consumer] and t > 0.0:
            assert newest >= t - tolerance


@given(plans(), st.sampled_from([2, 4]))
@properties
def test_threads_change_no_bit(plan, threads):
    one = plan.build().run(until=UNTIL, scheme=plan.scheme)
    many = plan.build().run(until=UNTIL, scheme=plan.scheme, threads=threads)
    assert bits(one) == bits(many)


@given(plans(), st.sampled_from([2, 4]))
@properties
def test_threads_change_no_defect(plan, threads):
    one = plan.build().run(until=UNTIL, scheme=plan.scheme)
    many = plan.build().run(until=UNTIL, scheme=plan.scheme, threads=threads)
    assert defects(one) == defects(many)


@given(plans(), st.lists(st.floats(0.0, UNTIL), max_size=8).map(sorted))
@properties
def test_stopping_on_the_way_changes_no_bit(plan, stops):
    whole = plan.build().run(until=UNTIL, scheme=plan.scheme)
    run = plan.build().start(until=UNTIL, scheme=plan.scheme)
    for stop in stops:
        run.step_to(stop)
        assert run.time >= stop - 1e-6
    run.step_to(UNTIL)
    result = run.finish()
    assert bits(whole) == bits(result)
    assert defects(whole) == defects(result)


@given(plans(), st.integers(1, 3))
@properties
def test_strangers_change_no_bit(plan, strangers):
    alone = plan.build().run(until=UNTIL, scheme=plan.scheme)
    # The tolerance on times follows the smallest step of the system: the strangers' must not be it.
    assume(min(min(part.steps) for part in plan.parts) < 0.0371)
    together = plan.build(strangers=strangers).run(until=UNTIL, scheme=plan.order(strangers))
    assert bits(alone) == bits(together)
    assert defects(alone) == defects(together)


@given(plans(early=True), st.sampled_from([1, 2, 4]), st.lists(st.floats(0.0, UNTIL), max_size=6).map(sorted))
@properties
def test_steps_that_end_early_give_the_same_bits_with_threads_and_stops(plan, threads, stops):
    whole = plan.build().run(until=UNTIL, scheme=plan.scheme)
    run = plan.build().start(until=UNTIL, scheme=plan.scheme, threads=threads)
    for stop in stops:
        run.step_to(stop)
    run.step_to(UNTIL)
    assert bits(whole) == bits(run.finish())


# s0 and s1 feed each other and go on for ever; s2, s3 and s4 block each other until the second rule helps them.
TWO_GROUPS = Plan(
    (
        Part((0.416,), True, (1,), (3,)),
        Part((0.5031, 0.1141, 0.3397, 0.5305), False, (0,), (1,)),
        Part((0.0788, 0.2587, 0.4273, 0.6046, 0.2958), True, (1, 3), (2, 0)),
        Part((0.1155, 0.4106, 0.6807, 0.1289, 0.4119), False, (0, 1, 4), (3, 2, 3)),
        Part((0.2819,), True, (0, 1, 2), (2, 2, 2)),
    ),
    cp.sequential(["s1", "s4", "s3", "s0", "s2"]),
)


@example(TWO_GROUPS)
@given(plans())
@settings(properties, max_examples=25)
def test_a_run_without_end_reaches_every_time_asked_beside_a_stranger(plan):
    run = plan.build(strangers=1).start(scheme=plan.order(1))
    run.step_to(1.0)
    assert run.time >= 1.0 - 1e-6
    run.finish()


@pytest.mark.parametrize("scheme", [*SCHEMES, cp.custom({"a": ["b"], "c": ["a"]})], ids=str)
def test_steps_without_a_common_measure_work_in_every_scheme(scheme):
    system = cp.System()
    for name, step in (("a", 0.1), ("b", np.pi / 50), ("c", 0.1 * np.sqrt(2.0))):
        system.add(
            name,
            cp.linear([[-1.0]], [[0.5, 0.5]], x0=[1.0], inputs=["p", "q"], outputs="x", solver="ode4"),
            step=float(step),
        )
    for name, first, second in (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")):
        system.connect(f"{first}.x", f"{name}.p", cp.lagrange(2))
        system.connect(f"{second}.x", f"{name}.q", cp.lagrange(2))
    result = system.run(until=3.0, scheme=scheme)
    # All start at 1 and feed each other their mean: the exact solution stays at 1.
    for name in "abc":
        assert result[f"{name}.x"].time[-1] == 3.0
        np.testing.assert_allclose(result[f"{name}.x"].values, 1.0, rtol=0, atol=1e-12)
