"""Functions and blocks written in Python, compiled functions."""

import ctypes
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import ModelError, SetupError


def oscillator(add: Any, **options: Any) -> cp.Diagram:
    """x'' = add(x), from x = 1."""
    model = cp.Diagram("m", **options)
    x, v = model.integrator(initial=1.0, name="x"), model.integrator(name="v")
    v >> x
    add(model, x) >> v
    model.output("x", x)
    return model


def test_a_python_function_gives_what_an_expression_gives() -> None:
    by_function = oscillator(lambda m, x: m.function(lambda t, x: -4.0 * x, x))
    by_expression = oscillator(lambda m, x: m.expression("-4 * x", x))
    assert np.array_equal(
        by_function.run(until=1.0, step=0.01)["m.x"].values, by_expression.run(until=1.0, step=0.01)["m.x"].values
    )


def test_inputs_are_named_like_the_arguments() -> None:
    model = cp.Diagram("m")
    assert model.function(lambda t, angle, speed: 0.0).inputs == ["angle", "speed"]
    assert model.function(lambda context, a: 0.0).inputs == ["a"]
    assert model.function(lambda t, *u: 0.0, 1.0, 2.0).inputs == ["u1", "u2"]
    assert model.function(math.hypot, inputs=["b"]).inputs == ["b"]


def test_vectors_and_several_outputs_pass_through_a_function() -> None:
    model = cp.Diagram("m")
    block = model.function(
        lambda t, u, k: (k * np.sum(u), u[::-1]), model.constant([1.0, 2.0]), 3.0, outputs={"total": 1, "turned": 2}
    )
    model.output("total", block["total"])
    model.output("turned", block["turned"])
    model.output("x", model.integrator(0.0))
    result = model.run(until=0.1, step=0.1)
    assert result["m.total"].values[-1] == 9.0
    assert result["m.turned"].values[-1].tolist() == [2.0, 1.0]


def test_a_compiled_function_gives_what_a_python_function_gives() -> None:
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double)
    )

    @signature
    def compiled(t, u, y):
        y[0] = -4.0 * u[0] + 0.0 * u[1]

    by_pointer = oscillator(lambda m, x: m.function(compiled, x, 2.0))
    by_python = oscillator(lambda m, x: m.function(lambda t, x: -4.0 * x, x))
    assert np.array_equal(
        by_pointer.run(until=1.0, step=0.01)["m.x"].values, by_python.run(until=1.0, step=0.01)["m.x"].values
    )


def test_a_function_that_fails_is_named_with_the_time_and_keeps_its_exception() -> None:
    def fails(t: float, x: float) -> float:
        return 1.0 / (1.0 if t < 0.25 else 0.0)

    model = oscillator(lambda m, x: m.function(fails, x, name="broken"))
    with pytest.raises(ModelError, match=r'block "broken" at t = 0\.25 s: ZeroDivisionError: ') as caught:
        model.run(until=1.0, step=0.1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.result is not None


def test_a_wrong_number_of_values_is_named() -> None:
    model = oscillator(lambda m, x: m.function(lambda t, x: (1.0, 2.0), x, name="broken"))
    with pytest.raises(cp.errors.SimulationError, match=r'block "broken" at t = 0 s: .*returned 2 values; expected 1'):
        model.run(until=1.0, step=0.1)


def test_an_interrupt_in_a_function_is_an_interrupt() -> None:
    def interrupted(t: float, x: float) -> float:
        if t > 0.3:
            raise KeyboardInterrupt
        return -x

    with pytest.raises(KeyboardInterrupt):
        oscillator(lambda m, x: m.function(interrupted, x)).run(until=1.0, step=0.1)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(SetupError, match="neither a function nor a compiled"):
        cp.Diagram("m").function("sin(x)")


def test_every_accepted_step_is_seen_once_as_major() -> None:
    """RK4, 100 000 steps: 100 000 major evaluations after the start, and 300 000 minor ones."""
    seen: Counter[bool] = Counter()
    stages: Counter[int] = Counter()

    def watch(context: Any, x: float) -> float:
        if context.time > 0:  # the start is evaluated again when inputs are known
            seen[context.is_major] += 1
            stages[context.stage] += 1
        return -x

    model = oscillator(lambda m, x: m.function(watch, x, needs_major=True))
    model.run(until=10.0, step=1e-4)
    assert seen == {True: 100_000, False: 300_000}
    assert stages == {0: 100_000, 1: 100_000, 2: 100_000, 3: 100_000}


class Recorder(cp.diagram.PythonBlock):
    """Remembers what it is told."""

    def start(self, context: Any) -> None:
        self.accepted_times: list[float] = []
        self.attempts: list[int] = []

    def output(self, context: Any, x: float) -> float:
        return -x if context.time < 1.0 else -1000.0 * x

    def accepted(self, context: Any, x: float) -> None:
        self.accepted_times.append(context.time)

    def rejected(self, context: Any, x: float) -> None:
        self.attempts.append(context.attempt)


def test_blocks_are_told_of_accepted_and_rejected_attempts() -> None:
    recorder = Recorder()
    model = oscillator(lambda m, x: m.python_block(recorder, x), solver="ode45", rtol=1e-8)
    model.run(until=2.0)
    times = np.array(recorder.accepted_times)
    assert np.all(np.diff(times) > 0)
    assert times[-1] == 2.0
    assert recorder.attempts, "the jump of the stiffness at 1 s cannot be passed in one attempt"
    assert min(recorder.attempts) == 1


class Bounce(cp.diagram.PythonBlock):
    """A ball: two states, an event at the floor, resets in update."""

    outputs = ("height",)
    inputs = ()
    states = 2
    crossings = 1

    def start(self, context: Any) -> None:
        self.x[:] = (1.0, 0.0)
        self.bounces = 0

    def output(self, context: Any) -> float:
        return self.x[0]

    def derivative(self, context: Any) -> tuple[float, float]:
        return self.x[1], -9.81

    def crossing(self, context: Any) -> float:
        return self.x[0]

    def update(self, context: Any) -> bool:
        if self.x[0] <= 0 and self.x[1] < 0:
            self.x[:] = (0.0, -0.8 * self.x[1])
            self.bounces += 1
            return True
        return False


def test_a_block_in_python_has_states_events_and_resets() -> None:
    ball = Bounce()
    model = cp.Diagram("m")
    model.output("height", model.python_block(ball))
    height = model.run(until=1.0, step=0.01)["m.height"].values
    fall = math.sqrt(2 / 9.81)
    speed = 0.8 * 9.81 * fall
    left = 1.0 - fall
    assert ball.bounces == 1
    # Located to 1e-10 of the step; the floor is met within that time at about 4 m/s.
    assert height[-1] == pytest.approx(speed * left - 9.81 / 2 * left**2, abs=1e-9)


def test_a_sampled_block_counts_its_samples() -> None:
    class Counter(cp.diagram.PythonBlock):
        inputs = ()
        sample_time = (0.1, 0.05)

        def start(self, context: Any) -> None:
            self.count = 0

        def output(self, context: Any) -> float:
            return self.count

        def update(self, context: Any) -> None:
            self.count += 1

    model = cp.Diagram("m")
    model.output("count", model.python_block(Counter))
    count = model.run(until=1.0, step=0.02)["m.count"].values
    assert count[-1] == 9.0
    assert count[0] == 0.0


def test_save_and_restore_carry_the_attributes_of_a_block() -> None:
    block = Recorder()
    block.accepted_times = [1.0]
    state = block.save()
    block.accepted_times.append(2.0)
    block.restore(state)
    assert block.accepted_times == [1.0]


@pytest.mark.parametrize("attributes, message", [
    ({"sample_time": 0.0}, "a period above 0 s"),
    ({"states": 2}, "needs a method derivative"),
    ({"outputs": {"y": 0}}, "at least 1"),
    ({"inputs": ("u", "u")}, "each name may be used once"),
])  # fmt: skip
def test_a_block_that_cannot_be_is_refused(attributes: dict, message: str) -> None:
    broken = type("Broken", (cp.diagram.PythonBlock,), attributes)
    with pytest.raises(SetupError, match=message):
        cp.Diagram("m").python_block(broken)
