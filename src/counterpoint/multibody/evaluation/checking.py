"""Whether the rates that a function gives are those of its constraints, looked at once, before a run.

A compiled function of four terms leaves the place of a fifth as it is, and a wrong sign in c only makes a motion wrong:
neither would be told otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import SetupError
from ..assembly.affine import Vector

if TYPE_CHECKING:
    from ..analysis.problem import Problem

_FRACTION = 1e-4
"""Of the size of the model: how far to both sides differences are taken."""
_MOMENT = 1e-3
"""After how many seconds constraints that depend on time show it: short, since terms may come from tables of t."""
_AGREEMENT = 1e-3


class ConstraintRates:
    """The constraints of a model at its start, moving in all coordinates at once."""

    def __init__(self, problem: Problem) -> None:
        self._model, self._q = problem.model, np.asarray(problem.start.q)
        self._u = list(problem.inputs.values())
        # All different, so that no terms cancel, and none is zero.
        self._v = problem.length * np.cos(1.0 + np.arange(len(self._q)))
        self._interval = _FRACTION * problem.length / np.abs(self._v).max()

    def change_with_time(self) -> tuple[Vector, Vector]:
        """Return Phi at the start and a moment later, nothing moved."""
        now, later = (self._constraints(t, self._q)[0] for t in (0.0, _MOMENT))
        return now, later

    def given(self) -> tuple[Vector, Vector]:
        """Return Phi_t and c as the function gives them."""
        phi_t, c = self._model.constraint_rates(0.0, self._q.tolist(), self._v, self._u, *self._no_rates)
        return np.asarray(phi_t), np.asarray(c)

    def found(self) -> tuple[Vector, Vector]:
        """Return Phi_t and c from central differences."""
        h = self._interval
        (before, _), (after, _) = (self._constraints(t, self._q) for t in (-h, h))
        rates = [self._rate(t) for t in (-h, h)]
        return (after - before) / (2.0 * h), (rates[1] - rates[0]) / (2.0 * h)

    def scale(self) -> float:
        """Return the size that c has where the constraints bend over the size of the model."""
        return float(np.abs(self._constraints(0.0, self._q)[1]).max(initial=0.0) * (self._v @ self._v))

    def _rate(self, t: float) -> Vector:
        q = self._q + t * self._v
        phi_t, _ = self._model.constraint_rates(t, q.tolist(), self._v, self._u, *self._no_rates)
        return np.asarray(self._constraints(t, q)[1] @ self._v + phi_t)

    def _constraints(self, t: float, q: Vector) -> tuple[Vector, Vector]:
        phi, jacobian = self._model.constraints(t, q.tolist(), self._v, self._u, *self._no_rates)
        return np.asarray(phi), np.reshape(jacobian, (len(phi), len(q)))

    @property
    def _no_rates(self) -> tuple[list[float], list[float]]:
        return [0.0] * len(self._u), [0.0] * len(self._u)


def check_rates(problem: Problem, *, rates: bool, rheonomic: bool) -> None:
    """Raise SetupError where c or Phi_t is not what the constraints show, or where Phi_t is missing."""
    constraints = ConstraintRates(problem)
    now, later = constraints.change_with_time()
    if not rheonomic and not np.array_equal(now, later):
        raise SetupError(
            f"{problem.name}: terms: Phi depends on t: it is {now.tolist()} at the start and {later.tolist()} "
            f"{_MOMENT} s later; give rheonomic=True and let terms return its derivative with t alone, Phi_t, as the "
            "last value"
        )
    if not rates and not rheonomic:
        return
    floor = 1e-6 * constraints.scale()
    promised = ((rheonomic, "Phi_t", "dPhi/dt at constant q"), (rates, "c", "J' v + Phi_t', so that Phi'' = J a + c"))
    for (comes, name, meaning), given, found in zip(promised, constraints.given(), constraints.found(), strict=True):
        wrong = np.abs(given - found) > _AGREEMENT * np.maximum(np.abs(given), np.abs(found)) + floor
        if comes and wrong.any():
            row = int(np.argmax(wrong))
            raise SetupError(
                f"{problem.name}: terms: {name}[{row}] is {given[row]:.6g} at the start, with a trial velocity v, and "
                f"differences give {found[row]:.6g}; expected {meaning}"
            )
