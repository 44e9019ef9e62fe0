"""The linear model of a subsystem that is known only by its steps: a black box.

From the start, each input is changed for one step, and back: the outputs afterwards, compared with those without the
change, are the Markov parameters ``C B, C A B, C A² B, ...`` of ``x+ = A x + B u``. Their Hankel matrix has the rank of
the model; its singular vectors give the matrices (Ho and Kalman, 1966). Only what inputs can move and outputs can show
is found, and nothing else matters for a coupling. Nothing has to be saved: every change begins at the start again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._common.ports import columns, offsets
from ..errors import CounterpointError, SetupError
from ..linear_model import LinearSubsystem
from ..subsystems import Subsystem
from ..system import System

Vector = NDArray[np.float64]

#: Steps of a response; where the model changes on the way, only the first ones count.
LENGTH, FIRST = 240, 24
#: Relative difference of two responses, one of which begins later, from which on a model changes while it is tried.
CHANGED = 1e-3
#: Change of an input, relative to its value, or absolute where that is small.
CHANGE = 1e-4
#: Singular values below this share of the largest one are errors of differences.
RANK = 1e-6

NO_RESPONSE = "no output responds to small changes of its inputs"
REMARK = "linearised by its steps only: inputs have their values at the start of a step"


def identified(
    name: str, subsystem: Subsystem, step: float, t: float, u: Vector, *, saved: Any = None
) -> LinearSubsystem:
    """Return a subsystem near its start, or near a saved state, from its responses to short changes of its inputs.

    Parameters
    ----------
    name, subsystem, step
        As in :meth:`System.add`; s.
    t, u
        Time (s) and all inputs where it starts.
    saved : object, optional
        What its ``save`` returned.
    """
    trial = _Trial(name, subsystem, step, t, u, saved)
    responses = trial.responses()
    inputs, outputs = tuple(columns(subsystem.input_widths)), tuple(columns(subsystem.output_widths))
    if not np.any(responses):
        m, k = len(inputs), len(outputs)
        nothing = np.zeros((0, 0)), np.zeros((0, m)), np.zeros((k, 0)), np.zeros((k, m))
        return LinearSubsystem(name, *nothing, (), inputs, outputs, "ode1", remark=NO_RESPONSE if m else "")
    through = any(True for _ in subsystem.feedthrough)
    remark = REMARK
    if trial.changes(responses):
        responses, remark = responses[:FIRST], f"{REMARK}; it changes during these steps"
    ad, bd, c, d = _realised(responses, through)
    a, b = _continuous(ad, bd, step)
    states = tuple(f"x[{k}]" for k in range(len(ad)))
    return LinearSubsystem(name, a, b, c, d, states, inputs, outputs, "held", {}, (ad, bd), remark)


@dataclass
class _Trial:
    """A subsystem alone, whose inputs are changed one after another."""

    name: str
    subsystem: Subsystem
    step: float
    t: float
    u: Vector
    saved: Any

    def responses(self) -> Vector:
        """Return Markov parameters, shape (steps, outputs, inputs)."""
        made = np.zeros((LENGTH, sum(self.subsystem.output_widths.values()), len(self.u)))
        places = offsets(self.subsystem.input_widths)
        for port, width in self.subsystem.input_widths.items():
            for j in range(places[port], places[port] + width):
                made[:, :, j] = self._response(port, j, 0)
        return made

    def changes(self, responses: Vector) -> bool:
        """Whether the response to the first input is another one later."""
        later = self._response(next(iter(self.subsystem.input_widths)), 0, FIRST)[FIRST : 2 * FIRST]
        first = responses[:FIRST, :, 0]
        return bool(np.max(np.abs(later - first)) > CHANGED * np.max(np.abs(first)))

    def _response(self, port: str, j: int, begin: int) -> Vector:
        """Return how outputs respond after each step when an input is changed in one, per unit of the change."""
        change = CHANGE * max(1.0, abs(self.u[j]))
        up, down = (self._outputs_after(port, j, sign * change, begin) for sign in (1.0, -1.0))
        return np.asarray((up - down) / (2.0 * change))

    def _outputs_after(self, port: str, j: int, change: float, begin: int) -> Vector:
        """Return the outputs after each step, when input j, a scalar of this port, is changed in step ``begin``."""
        own, full = self._own(port), f"{self.name}.{port}"
        changed = self.u.copy()
        changed[j] += change
        rows = []
        try:
            with self._system().start(start=self.t) as run:
                if self.saved is not None and self.subsystem.restore is not None:
                    self.subsystem.restore(self.saved)
                for k in range(LENGTH):
                    run.set(full, (changed if k == begin else self.u)[own])
                    run.step_to(self.t + (k + 1) * self.step)
                    rows.append(np.concatenate([np.atleast_1d(run.value(y)) for y in self._outputs()]))
        except CounterpointError as error:
            raise SetupError(f"subsystems.{self.name}: it cannot be linearised by trying its steps: {error}") from error
        return np.array(rows)

    def _own(self, port: str) -> slice:
        first = offsets(self.subsystem.input_widths)[port]
        return slice(first, first + self.subsystem.input_widths[port])

    def _outputs(self) -> list[str]:
        return [f"{self.name}.{port}" for port in self.subsystem.output_widths]

    def _system(self) -> System:
        system = System(self.name)
        system.add(self.name, self.subsystem, step=self.step)
        for port in self.subsystem.input_widths:
            system.set(f"{self.name}.{port}", self.u[self._own(port)])
        return system


def _realised(markov: Vector, through: bool) -> tuple[Vector, Vector, Vector, Vector]:
    """Return A, B, C, D of the smallest model with these Markov parameters.

    With direct feedthrough the first one is ``C B + D``: then the model is made from the others. Where these are zero
    it is D, and there are no states.
    """
    first = 1 if through else 0
    half = (len(markov) - first - 1) // 2
    now, later = (_hankel(markov[first + shift :], half) for shift in (0, 1))
    left, sizes, right = np.linalg.svd(now, full_matrices=False)
    if sizes[0] <= RANK * np.max(np.abs(markov[0])) and through:
        return np.zeros((0, 0)), np.zeros((0, markov.shape[2])), np.zeros((markov.shape[1], 0)), markov[0]
    rank = max(1, int(np.sum(sizes > RANK * sizes[0])))
    root = np.sqrt(sizes[:rank])
    a = (left[:, :rank] / root).T @ later @ (right[:rank].T / root)
    c = (left[:, :rank] * root)[: markov.shape[1]]
    b = (root[:, None] * right[:rank])[:, : markov.shape[2]]
    if not through:
        return a, b, c, np.zeros(markov.shape[1:])
    b = np.linalg.lstsq(a, b, rcond=None)[0]
    return a, b, c, markov[0] - c @ b


def _hankel(markov: Vector, half: int) -> Vector:
    return np.block([[markov[i + j] for j in range(half)] for i in range(half)])


def _continuous(ad: Vector, bd: Vector, step: float) -> tuple[Vector, Vector]:
    """Return the continuous model with the same held steps, as far as there is one."""
    values, vectors = np.linalg.eig(ad)
    rates = np.log(np.maximum(np.abs(values), 1e-12)) + 1j * np.angle(values)
    inverse = np.linalg.inv(vectors)
    a = (vectors @ np.diag(rates / step) @ inverse).real
    small = np.abs(rates) < 1e-8
    factors = np.where(small, 1.0, rates / np.where(small, 1.0, np.expm1(np.where(small, 1.0, rates)))) / step
    b = (vectors @ np.diag(factors) @ inverse @ bd).real
    return a, b
