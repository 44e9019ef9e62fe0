"""The same schemes as the scheduler runs them: probed, and run directly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._run.precedence import sequential
from ...approximations import Approximation, hermite, hold, lagrange, taylor
from ...linear_model import exponential
from ...linearisation import linearise
from ...stability_analysis import Entry, Prober
from ...stability_analysis.pair import coupled_pair, coupling
from ...subsystems import linear
from ...system import System
from .closed_forms import Setting

Real = NDArray[np.float64]


class _Values(Approximation):
    """What z_n and z_{n-1} add to the parabola through z_n, g_n and z_{n-1}."""

    points = 2

    def evaluate(self, times: Real, values: Real, t: float) -> Real:
        if len(times) == 1:
            return np.asarray(values[0])
        s = (t - times[1]) / (times[1] - times[0])
        return np.asarray((1 - s * s) * values[1] + s * s * values[0])


class _Slopes(Approximation):
    """What g_n adds to it."""

    points = 2

    def evaluate(self, times: Real, values: Real, t: float) -> Real:
        if len(times) == 1:
            return np.asarray((t - times[0]) * values[0])
        length = times[1] - times[0]
        s = (t - times[1]) / length
        return np.asarray((s + s * s) * length * values[1])


def build(z: complex, setting: Setting, start: tuple[complex, complex] = (1.0, 1.0)) -> System:
    """Return the test equation as a system; the step of the fast subsystem is 1 s."""
    parabola = setting.scheme != "SF" and setting.extrapolation == "value, slope, value before"
    to_fast = {"value, slope, slope before": taylor(2), "line": lagrange(1)}.get(setting.extrapolation, taylor(2))
    made = coupled_pair(
        z, alpha=setting.alpha, beta=setting.beta, ratio=setting.ratio, start=start,
        fast_to_slow=lagrange(0) if setting.scheme == "FF" else hold("behind"),
        slow_to_fast=hermite() if setting.scheme == "SF" else to_fast,
    )  # fmt: skip
    return _with_parabola(made, z, setting, start) if parabola else made


def _with_parabola(pair: System, z: complex, setting: Setting, start: tuple[complex, complex]) -> System:
    """Return the pair whose slow subsystem shows its derivative as an output, too."""
    diagonal, gain = setting.alpha * z, coupling(z, setting.alpha, setting.beta)[1] * np.eye(2)
    a = np.array([[diagonal.real, -diagonal.imag], [diagonal.imag, diagonal.real]])
    slow = linear(
        a, gain, np.vstack([np.eye(2), a]), np.vstack([np.zeros((2, 2)), gain]),
        x0=[complex(start[1]).real, complex(start[1]).imag], inputs={"u": 2}, outputs={"x": 2, "g": 2}, solver="bdf2",
    )  # fmt: skip
    system = System(pair.name)
    system.add("fast", pair.subsystems["fast"].subsystem, step=1.0)
    system.add("slow", slow, step=float(setting.ratio))
    system.connect("fast.x", "slow.u", pair.connections[0].approximations[0])
    system.connect(["slow.x", "slow.g"], "fast.u", [_Values(), _Slopes()])
    return system


def scheme(setting: Setting) -> Any:
    """Return the scheme in the form that :meth:`System.run` takes; equal steps are ordered by name."""
    if setting.scheme == "DE":
        return "parallel"
    return sequential(["slow", "fast"] if setting.scheme == "SF" else ["fast", "slow"])


def probed_radius(z: complex, setting: Setting) -> float:
    """Return the spectral radius of the map that the scheduler makes."""
    matrix = Prober(linearise(build(z, setting)), scheme(setting)).matrix()
    return float(np.max(np.abs(np.linalg.eigvals(matrix))))


@dataclass(frozen=True)
class Exact:
    """The exact motion of the test equation from y = z = 1: real and imaginary parts of y, then of z."""

    matrix: Real

    @classmethod
    def of(cls, z: complex, setting: Setting) -> Exact:
        """Return it for h λ = z; time is in small steps."""
        pair = coupled_pair(z, alpha=setting.alpha, beta=setting.beta, ratio=setting.ratio)
        return cls(linearise(pair).coupled.A)

    def at(self, t: float) -> Real:
        """Return the state at a time, which may be negative."""
        return np.asarray(exponential(self.matrix * t) @ np.array([1.0, 0.0, 1.0, 0.0]))

    def history(self, entries: Sequence[Entry], steps: dict[str, float]) -> Real:
        """Return the vector of a prober as it would be at the start, had the exact motion led there."""
        made = []
        for entry in entries:
            x = self.at(-entry.back * steps[entry.subsystem])
            is_slope = entry.kind == "slope" or entry.name.startswith("g")
            component = int(entry.name[-2]) + (0 if entry.subsystem == "fast" else 2)
            made.append((self.matrix @ x if is_slope else x)[component])
        return np.array(made)


def error(setting: Setting, large_steps: int, span: float = 20.0) -> float:
    """Return the largest error of both variables at the ends of large steps, for λ = j and start values of 1.

    A run of the scheduler as runs start: the first step by the trapezoidal rule, first steps repeated until they agree.
    """
    z = 1j * span / large_steps / setting.ratio
    result = build(z, setting).run(until=float(large_steps * setting.ratio), scheme=scheme(setting))
    strides = {"fast": setting.ratio, "slow": 1}
    found = [np.asarray(result[f"{name}.x"].values)[::stride] for name, stride in strides.items()]
    return _largest(np.hstack(found), Exact.of(z, setting), setting.ratio)


def error_from_exact_history(setting: Setting, large_steps: int, span: float = 20.0) -> float:
    """Return the same when the history before the start is exact: the map of the scheduler, applied again and again."""
    z = 1j * span / large_steps / setting.ratio
    linear = linearise(build(z, setting))
    prober = Prober(linear, scheme(setting))
    exact, matrix = Exact.of(z, setting), prober.matrix()
    states = [k for k, entry in enumerate(prober.entries) if entry.kind == "state"]
    rows = [exact.history(prober.entries, linear.steps)]
    for _ in range(large_steps):
        rows.append(matrix @ rows[-1])
    return _largest(np.array(rows)[:, states], exact, setting.ratio)


def _largest(rows: Real, exact: Exact, ratio: int) -> float:
    power = exponential(exact.matrix * ratio)
    state, largest = exact.at(0.0), 0.0
    for row in rows:
        away = row - state
        largest = max(largest, float(np.max(np.hypot(away[0::2], away[1::2]))))
        state = power @ state
    return largest
