"""State space models of small deviations: what linearisation gives, whatever was linearised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import MissingExtraError

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class StateSpace:
    """A model ``dx/dt = A x + B u``, ``y = C x + D u`` of small deviations.

    Attributes
    ----------
    name : str
        Of what was linearised.
    A, B, C, D : arrays
        Shapes (states, states), (states, inputs), (outputs, states), (outputs, inputs).
    states, inputs, outputs : tuples of names
    """

    name: str
    A: Vector
    B: Vector
    C: Vector
    D: Vector
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A, 1/s."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    def response(self, frequencies: ArrayLike) -> NDArray[np.complex128]:
        """Return the frequency response, shape (frequencies, outputs, inputs); frequencies in Hz."""
        identity = np.eye(len(self.A))
        made = [
            self.C @ np.linalg.solve(2j * np.pi * f * identity - self.A, self.B.astype(complex)) + self.D
            for f in np.atleast_1d(np.asarray(frequencies, dtype=float))
        ]
        return np.array(made)

    def to_control(self) -> Any:
        """Return a ``control.StateSpace`` of the package python-control, with all names."""
        return _control().ss(
            self.A,
            self.B,
            self.C,
            self.D,
            states=list(self.states),
            inputs=list(self.inputs),
            outputs=list(self.outputs),
        )

    def step_response(self, times: ArrayLike | None = None) -> Any:
        """Return the response to a unit step of each input (python-control's ``TimeResponseData``); times in s."""
        return _control().step_response(self.to_control(), times)

    def bode(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the frequency response with python-control; write it to ``path`` if given, return the plot."""
        plot = _control().bode_plot(self.to_control(), **options)
        if path is not None:
            plot.figure.savefig(path)
        return plot


@dataclass(frozen=True)
class LinearSubsystem(StateSpace):
    """A linear model with the solver that steps it: what stands for a subsystem near an operating point.

    Attributes
    ----------
    solver : str
        One of :data:`counterpoint.subsystems.models.SOLVERS`, or ``"held"``: exact for inputs that are held over a step
        at their value at its start, as a black box integrates them.
    options : mapping
        Of the solver.
    step_map : pair of arrays or None
        For a model that is known only by its steps: ``Ad`` and ``Bd`` of ``x+ = Ad x + Bd u(t)`` for one step length.
    remark : str
        What it neglects; empty: nothing.
    """

    solver: str = "ode4"
    options: Mapping[str, float] = field(default_factory=dict)
    step_map: tuple[Vector, Vector] | None = None
    remark: str = ""

    def stepped(self, step: float) -> tuple[Vector, Vector, str]:
        """Return A, B and the solver whose steps of this length (s) are those of the model."""
        if self.solver != "held":
            return self.A, self.B, self.solver
        ad, bd = self.step_map or held_step(self.A, self.B, step)
        # Euler's rule with these coefficients makes exactly this step.
        return (ad - np.eye(len(ad))) / step, bd / step, "ode1"


def exponential(a: Vector) -> Vector:
    """Return the exponential of a square matrix, by scaling, Taylor's series and squaring."""
    squarings = max(0, int(np.ceil(np.log2(max(float(np.linalg.norm(a, 1)), 1e-300)))) + 2)
    scaled = a / 2.0**squarings
    term = made = np.eye(len(a), dtype=a.dtype)
    for k in range(1, 17):  # |scaled| < 1/4: the next term is below 1e-24
        term = term @ scaled / k
        made = made + term
    for _ in range(squarings):
        made = made @ made
    return made


def held_step(a: Vector, b: Vector, step: float) -> tuple[Vector, Vector]:
    """Return ``Ad`` and ``Bd`` of ``x+ = Ad x + Bd u`` over a step (s) with a held input."""
    n, m = len(a), b.shape[1]
    both = np.zeros((n + m, n + m))
    both[:n, :n], both[:n, n:] = a, b
    made = exponential(both * step)
    return made[:n, :n], made[:n, n:]


def _control() -> Any:
    try:
        import control  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise MissingExtraError("A python-control model", "control") from error
    return control
