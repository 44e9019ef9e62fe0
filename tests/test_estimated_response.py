"""Implicit coupling of subsystems that cannot be restored: their responses are estimated on the way."""

import numpy as np
import pytest

import counterpoint as cp

from .fmi.building import build as build_fmu

STEP, RATE = 0.2, 20.0


class Cannot(cp.Subsystem):
    """A linear model by the trapezoidal rule that cannot save its state."""

    inputs = ("u",)
    outputs = ("y",)
    defaults = {"u": 0.0}  # noqa: RUF012

    def __init__(self, a, b, c, x0):
        self.a, self.b, self.c, self.x0 = (np.array(m, dtype=float) for m in (a, b, c, x0))

    def start(self, t):
        self.x = self.x0.copy()

    def step(self, t, t_end, u):
        h, one = t_end - t, np.eye(len(self.x))
        drive = self.b * (float(u(t)[0]) + float(u(t_end)[0]))
        self.x = np.linalg.solve(one - h / 2 * self.a, (one + h / 2 * self.a) @ self.x + h / 2 * drive)

    def output(self, t, u):
        return float(self.c @ self.x)


def parts(stiffness):
    """A damped mass and a spring with a damper in series; stable as a whole."""
    damping = 0.1 + 1.5 * stiffness / RATE
    mass = Cannot([[0, 1], [-1, -damping]], [0, 1], [1, 0], [1, 0])
    spring = Cannot([[-RATE]], [RATE], [-stiffness], [1])
    return mass, spring, damping


def build(stiffness):
    mass, spring, _ = parts(stiffness)
    system = cp.System("strong")
    system.add("mass", mass, step=STEP)
    system.add("spring", spring, step=STEP)
    system.connect("mass.y", "spring.u", cp.lagrange(1))
    system.connect("spring.y", "mass.u", cp.lagrange(1))
    return system


@pytest.mark.parametrize("stiffness", [20.0, 60.0])
def test_the_coupling_becomes_implicit_without_rollback(stiffness):
    """Held and straight values make it grow without end; the first windows, before there is an estimate, too."""
    for approximation in (cp.hold(), cp.lagrange(1)):
        system = build(stiffness)
        grown = system.run(until=20.0, scheme="parallel", approximation=approximation)["mass.y"].values
        assert np.abs(grown).max() > 1e3
    system = build(stiffness)
    result = system.run(until=20.0, scheme="parallel", window=cp.estimated_response())
    x = result["mass.y"].values
    assert np.abs(x).max() < 100.0
    assert np.abs(x[-10:]).max() < 0.2
    assert result.summary.windows.passes == result.summary.windows.count == 100


def test_a_weak_coupling_is_followed_closely():
    """Against the implicit rule of the whole, after the first windows."""
    stiffness, count = 1.0, 100
    _, _, damping = parts(stiffness)
    matrix = np.array([[0, 1, 0], [-1, -damping, -stiffness], [RATE, 0, -RATE]])
    one = np.linalg.solve(np.eye(3) - STEP / 2 * matrix, np.eye(3) + STEP / 2 * matrix)
    exact, z = [1.0], np.array([1.0, 0.0, 1.0])
    for _ in range(count):
        z = one @ z
        exact.append(z[0])
    errors = [
        np.abs(build(stiffness).run(until=count * STEP, scheme="parallel", window=w)["mass.y"].values - exact).max()
        for w in (None, cp.estimated_response())
    ]
    assert errors[1] < 0.7 * errors[0]


def test_threads_change_no_bit():
    one, two = (
        build(20.0).run(until=10.0, scheme="parallel", window=cp.estimated_response(), threads=n) for n in (1, 2)
    )
    assert np.array_equal(one["mass.y"].values, two["mass.y"].values)


def test_other_schemes_are_refused():
    with pytest.raises(cp.SetupError, match='estimated responses need the scheme "parallel"'):
        build(20.0).run(until=1.0, window=cp.estimated_response())


def test_repeats_name_the_way_out():
    with pytest.raises(cp.SetupError, match=r"use cp\.estimated_response"):
        build(20.0).run(until=1.0, window=cp.window(0.2))


def test_the_order_has_limits():
    with pytest.raises(cp.SetupError, match=r"window\.estimate: 0; expected an integer from 1 to 8"):
        cp.estimated_response(order=0)


def warned(system, **options):
    """Return what is said of held inputs at the start of a run, by warnings and among the events of its result."""
    with pytest.warns(cp.WindowWarning) as told:
        result = system.run(until=4.0, scheme="parallel", **options)
    texts = [event.text for event in result.summary.events if event.level == "warning" and event.time == 0.0]
    assert [str(one.message) for one in told] == texts
    return texts


def test_a_connection_that_is_held_is_named():
    system = build(1.0)
    system.add("idle", parts(1.0)[0], step=STEP)
    system.connect("mass.y", "idle.u", cp.hold())
    (text,) = warned(system, window=cp.estimated_response())
    assert text.startswith("window.estimate: idle.u is held from the start of a window to its end")
    assert "another approximation than hold()" in text


def test_an_fmu_that_takes_its_inputs_at_the_start_is_named(tmp_path):
    """It sees the value at the start of the window whatever is estimated for its end; lines reach it."""

    def coupled(inputs_at):
        system = cp.System()
        for name in ("a", "b"):
            model = cp.fmu(fmu, outputs=["x"], inputs=["x_other"], parameters={"kc": 5.0}, inputs_at=inputs_at)
            system.add(name, model, step=STEP)
        system.connect("a.x", "b.x_other", cp.lagrange(1))
        system.connect("b.x", "a.x_other", cp.lagrange(1))
        return system

    fmu = build_fmu("oscillator", 2, tmp_path)
    texts = warned(coupled("start"), window=cp.estimated_response(STEP))
    assert [text.partition(" is held")[0] for text in texts] == [
        "window.estimate: b.x_other",
        "window.estimate: a.x_other",
    ]
    assert all('use inputs_at="auto"' in text for text in texts)
    without = coupled("start").run(until=4.0, scheme="parallel", first_steps="once")
    with pytest.warns(cp.WindowWarning):
        windowed = coupled("start").run(until=4.0, scheme="parallel", window=cp.estimated_response(STEP))
    assert np.array_equal(windowed["a.x"].values, without["a.x"].values)
    quiet = coupled("auto").run(until=4.0, scheme="parallel", window=cp.estimated_response(STEP))
    assert not [event for event in quiet.summary.events if event.level == "warning"]
