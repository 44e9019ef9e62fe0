"""Linear systems used in place of the real one: cheap to run with any strategy, and their exact motion is known.

The system is linearised at its start, or at several times of a run. The motion from there is
``y(t) = y_rest + C exp(A t) z``: the deviation z from rest is found by least squares from what a tight run of the real
models publishes. What is left over says how far the system is from linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._common.ports import columns
from .._run.strategy import Strategy
from .._run.trial import trial_run
from ..errors import CounterpointError
from ..linearisation import LinearisedSystem
from ..quality.difference import SMALLEST_SCALE
from ..quality.judged import judged
from ..results import Result
from ..system import System

Array = NDArray[np.float64]
PERTURBATIONS = (0.9, 1.15)
"""Further factors on the rates of all subsystems: a strategy that is good for one of them only is not recommended."""
UNSTABLE = 1e3
"""A relative error from which a run counts as unstable."""
MOST_SAMPLES = 1500
"""Samples of a signal that are compared with the exact motion."""
MOST_STEPS = 200_000
"""Steps of the fastest subsystem in a run of the surrogate; a longer run is predicted from its beginning."""


@dataclass(frozen=True)
class Surrogate:
    """A linearised system with a deviation from rest.

    Attributes
    ----------
    linear : LinearisedSystem
    start : array
        Deviation of all states from rest at the start.
    signals : tuple of str
        Outputs that are compared, scalars: exchanged ones, and those of subsystems that send nothing.
    residual : float
        Part of the real motion that it does not have, relative to the variation of the worst signal.
    """

    linear: LinearisedSystem
    start: Array
    signals: tuple[str, ...]
    residual: float = 0.0

    @classmethod
    def fitted(
        cls, linear: LinearisedSystem, tight: Result, begin: float | None = None, end: float | None = None
    ) -> Surrogate:
        """Return the surrogate whose motion is nearest to that of a tight run between two times (s)."""
        signals = tuple(name for name in _judged(linear) if name in tight.signals)
        made = cls(linear, np.zeros(len(linear.coupled.A)), signals)
        first, last = tight.start if begin is None else begin, tight.end if end is None else end
        grid = np.linspace(first, last, 400)
        seen = {name: np.asarray(tight.signal(name).at(grid, "cubic")) for name in signals}
        return made._fitted(grid - first, seen)

    def _fitted(self, time: Array, seen: Mapping[str, Array]) -> Surrogate:
        rows = {name: self._rows[name] for name in seen}
        propagated = self._propagator(time)  # (times, states, states)
        blocks, values = [], []
        for name, observed in seen.items():  # what each signal is at rest is left free: all are taken about their means
            scale = max(float(np.std(observed)), SMALLEST_SCALE * float(np.max(np.abs(observed))), 1e-300)
            block = rows[name] @ propagated
            blocks.append((block - block.mean(axis=0)) / scale)
            values.append((observed - observed.mean()) / scale)
        matrix, wanted = np.vstack(blocks), np.concatenate(values)
        found = np.linalg.lstsq(matrix, wanted, rcond=1e-9)[0]
        left = np.abs(matrix @ found - wanted).reshape(len(seen), -1)
        residual = float(np.sqrt(np.mean(left**2, axis=1)).max(initial=0.0))
        return replace(self, start=np.asarray(found, dtype=np.float64), residual=residual)

    def perturbed(self, factor: float) -> Surrogate:
        """Return it with all rates multiplied."""
        models = {
            name: replace(model, A=factor * model.A, B=factor * model.B) if model.step_map is None else model
            for name, model in self.linear.models.items()
        }
        return replace(self, linear=replace(self.linear, models=models))

    @cached_property
    def _rows(self) -> dict[str, Array]:
        """Rows that make each output from the states of the whole."""
        models = list(self.linear.models.values())
        states = np.cumsum([0, *(len(model.A) for model in models)])
        inputs = np.cumsum([0, *(model.B.shape[1] for model in models)])
        c = np.zeros((sum(len(model.C) for model in models), states[-1]))
        d = np.zeros((len(c), inputs[-1]))
        row, names = 0, []
        for k, (name, model) in enumerate(self.linear.models.items()):
            c[row : row + len(model.C), states[k] : states[k + 1]] = model.C
            d[row : row + len(model.C), inputs[k] : inputs[k + 1]] = model.D
            names += [f"{name}.{column}" for column in columns(self.linear.outputs[name])]
            row += len(model.C)
        gains = self.linear._gains(inputs[-1], len(c))
        whole = c + d @ np.linalg.solve(np.eye(len(gains)) - gains @ d, gains @ c)
        return dict(zip(names, whole, strict=True))

    @cached_property
    def _modal(self) -> tuple[NDArray[np.complex128], NDArray[np.complex128], NDArray[np.complex128]]:
        a = self.linear.coupled.A
        values, vectors = np.linalg.eig(a + 1e-13 * np.diag(np.arange(len(a))) * max(1.0, float(np.abs(a).max())))
        return values, vectors, np.linalg.inv(vectors)

    def _propagator(self, time: Array) -> Array:
        values, vectors, inverse = self._modal
        return np.asarray(np.einsum("ik,tk,kj->tij", vectors, np.exp(np.outer(time, values)), inverse).real)

    def exact(self, name: str, time: Array) -> Array:
        """Return the deviation of an output from rest at times (s) after the start."""
        values, vectors, inverse = self._modal
        weights = (self._rows[name] @ vectors) * (inverse @ self.start)
        return np.asarray((np.exp(np.outer(time, values)) @ weights).real)

    def _exact_at(self, name: str, time: Array) -> Array:
        """Return the same, remembered: many strategies have the same steps."""
        key = (name, time.tobytes())
        if key not in self._known:
            self._known[key] = self.exact(name, time)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, bytes], Array]:
        return {}

    def system(self, strategy: Strategy) -> System:
        """Return it as a system that is coupled by a strategy."""
        linear = self.linear.with_steps(dict(strategy.steps))
        places = np.cumsum([0, *(len(model.A) for model in linear.models.values())])
        x0 = {name: self.start[places[k] : places[k + 1]] for k, name in enumerate(linear.models)}
        return replace(strategy, steps={}).applied(linear.system(x0))

    def error(self, strategy: Strategy, until: float) -> float:
        """Return the error of a run with a strategy: rms of the worst signal over its rms about its mean."""
        steps = {**self.linear.steps, **strategy.steps}
        span = min(until, MOST_STEPS * min(steps.values()))
        options: dict[str, Any] = {**strategy.options, "record": self._ports}
        try:
            result = trial_run(self.system(strategy), span, **options)
        except CounterpointError:
            return np.inf
        return min(max(self._wrong(result, name) for name in self.signals), np.inf) * max(until / span, 1.0)

    @property
    def _ports(self) -> list[str]:
        """What is recorded: connected outputs, and subsystems that send nothing."""
        sources = _sources(self.linear)
        senders = {source.partition(".")[0] for source in sources}
        return sources + [name for name in self.linear.outputs if name not in senders]

    @np.errstate(over="ignore", invalid="ignore")
    def _wrong(self, result: Result, name: str) -> float:
        signal = result.signal(name)
        rows = np.unique(np.linspace(0, len(signal) - 1, min(len(signal), MOST_SAMPLES)).astype(int))
        exact = self._exact_at(name, np.asarray(signal.time)[rows])
        scale = max(float(np.std(exact)), SMALLEST_SCALE * float(np.max(np.abs(exact))), 1e-300)
        error = float(np.sqrt(np.mean((np.asarray(signal.values)[rows] - exact) ** 2))) / scale
        return error if error < UNSTABLE else np.inf


@dataclass(frozen=True)
class Surrogates:
    """Surrogates at one or several operating points, each for the stretch from its time to that of the next.

    Attributes
    ----------
    times : tuple of float
        Of the operating points, s after the start, increasing; the first is 0.
    parts : tuple of Surrogate
    """

    times: tuple[float, ...]
    parts: tuple[Surrogate, ...]

    @property
    def residual(self) -> float:
        """Part of the real motion that they do not have, in the worst stretch."""
        return max(part.residual for part in self.parts)

    def error(self, strategy: Strategy, until: float) -> float:
        """Return the error of a run up to a time (s) after the start: rms over the stretches."""
        return _together(self.parts, self._lengths(until), strategy)

    def predicted(self, strategy: Strategy, until: float, worth: float = np.inf) -> float:
        """Return the geometric mean of the errors with other rates as well; infinite where one is unstable.

        A strategy whose error is above ``worth`` is not tried with other rates.
        """
        nominal = self.error(strategy, until)
        if nominal > worth:
            return nominal
        lengths = self._lengths(until)
        errors = [nominal] + [_together(parts, lengths, strategy) for parts in self._ensemble]
        return float(np.exp(np.mean(np.log(np.maximum(errors, 1e-15))))) if np.isfinite(errors).all() else np.inf

    def _lengths(self, until: float) -> list[float]:
        ends = [min(t, until) for t in self.times[1:]] + [until]
        return [max(end - begin, 0.0) for begin, end in zip(self.times, ends, strict=True)]

    @cached_property
    def _ensemble(self) -> list[tuple[Surrogate, ...]]:
        return [tuple(part.perturbed(factor) for part in self.parts) for factor in PERTURBATIONS]


def _together(parts: tuple[Surrogate, ...], lengths: list[float], strategy: Strategy) -> float:
    """Return the rms of the errors in stretches of these lengths, s."""
    errors = [(part.error(strategy, length), length) for part, length in zip(parts, lengths, strict=True) if length > 0]
    if not all(np.isfinite(error) for error, _ in errors):
        return np.inf
    return float(np.sqrt(sum(length * error**2 for error, length in errors) / sum(length for _, length in errors)))


def _sources(linear: LinearisedSystem) -> list[str]:
    return list(dict.fromkeys(source for connection in linear.connections for source in connection.sources))


def _judged(linear: LinearisedSystem) -> list[str]:
    """Return the scalar outputs that connections carry, and those of subsystems that send nothing."""
    ports = (full.partition(".") for full in _sources(linear))
    sent = [f"{owner}.{name}" for owner, _, port in ports for name in columns({port: linear.outputs[owner][port]})]
    return judged({owner: columns(outputs) for owner, outputs in linear.outputs.items()}, sent)
