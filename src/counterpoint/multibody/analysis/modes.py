"""Natural frequencies, damping ratios and shapes of small vibrations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import SetupError
from ..assembly.affine import Vector
from .equilibrium import Equilibrium
from .linearise import linearise
from .problem import Problem, State

if TYPE_CHECKING:
    import pandas as pd

    from ..animation import Animation

Complex = NDArray[np.complex128]

_RIGID = 1e-11
"""Squared eigenvalues below this part of the largest are zero: the mechanism moves there without resistance."""
_UNDAMPED = 1e-9
"""Damping below this part of critical damping of the highest mode comes from rounding."""


@dataclass(frozen=True)
class Modes:
    """Small vibrations about an equilibrium, lowest frequency first.

    Attributes
    ----------
    eigenvalues : complex array of shape (modes,)
        1/s; of a pair the one with the positive imaginary part. Motions that do not swing have real ones, each its own.
    shapes : complex array of shape (coordinates, modes)
        How free coordinates move, largest 1; m.
    """

    problem: Problem
    state: State
    eigenvalues: Complex
    shapes: Complex

    @property
    def frequencies(self) -> Vector:
        """Undamped natural frequencies, Hz."""
        return np.asarray(np.abs(self.eigenvalues) / (2.0 * np.pi))

    @property
    def damping_ratios(self) -> Vector:
        """Part of critical damping; negative where the motion grows, 1 where it creeps back, 0 for rigid motions."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.divide(-self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0))

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def table(self) -> pd.DataFrame:
        """Frequency (Hz), damped frequency (Hz), damping ratio and eigenvalue (1/s) of every mode, counted from 1."""
        import pandas as pd

        return pd.DataFrame(
            {
                "frequency": self.frequencies,
                "damped_frequency": self.eigenvalues.imag / (2.0 * np.pi),
                "damping_ratio": self.damping_ratios,
                "eigenvalue": self.eigenvalues,
            },
            index=pd.RangeIndex(1, len(self) + 1, name="mode"),
        )

    def __repr__(self) -> str:
        first = ", ".join(f"{f:.4g}" for f in self.frequencies[:5])
        more = " ..." if len(self) > 5 else ""
        return f'<Modes of "{self.problem.name}": {len(self)} modes, {first}{more} Hz>'

    def positions(self, mode: int, amplitude: float | None = None, frames: int = 48) -> Vector:
        """Return one swing of a mode, shape (frames, coordinates), m; bodies stay rigid.

        Parameters
        ----------
        mode : int
            Counted from 1.
        amplitude : float, optional
            Largest change of a coordinate, m; default: a tenth of the size of the mechanism.
        frames : int
            Positions on the way.
        """
        if not 1 <= mode <= len(self):
            raise SetupError(f'modes of "{self.problem.name}": no mode {mode}; there are {len(self)}, counted from 1')
        size = 0.1 * min(self.problem.length, 1.0 if self._turns(mode) else np.inf) if amplitude is None else amplitude
        shape = size * self.shapes[:, mode - 1]
        return np.array(
            [self._assembled(np.real(shape * np.exp(1j * phase))) for phase in np.linspace(0.0, 2.0 * np.pi, frames)]
        )

    def animation(
        self, mode: int, amplitude: float | None = None, *, swings: int = 3, seconds: float = 2.0
    ) -> Animation:
        """Return a mode in motion, every swing taking the same time to watch.

        Parameters
        ----------
        mode : int
            Counted from 1.
        amplitude : float, optional
            Largest change of a coordinate, m; default: a tenth of the size of the mechanism.
        swings : int
            How many.
        seconds : float
            That one swing takes, s.
        """
        from ..drawing.mechanisms import moving

        if self.problem.assembly is None:
            raise SetupError(
                f'modes of "{self.problem.name}": a model written by hand has no shapes to draw; use positions()'
            )
        one = self.positions(mode, amplitude)
        paths = np.vstack([one[:1], *[one[1:]] * swings])
        times = np.linspace(0.0, seconds * swings, len(paths))
        title = f"{self.problem.name}: mode {mode}, {self.frequencies[mode - 1]:.4g} Hz"
        return moving(self.problem.assembly.mechanism, times, paths, title=title)

    def _turns(self, mode: int) -> bool:
        """Return whether the coordinate that changes most belongs to a unit vector."""
        name = self.problem.coordinate(int(np.argmax(np.abs(self.shapes[:, mode - 1])))).rpartition(".")[0]
        assembly = self.problem.assembly
        return assembly is not None and name not in assembly.mechanism.points

    def _assembled(self, change: Vector) -> Vector:
        there = replace(self.state, q=self.state.q + self.problem.filled(change))
        try:
            return self.problem.assembled(there).q[: self.problem.n]
        except RuntimeError:  # too far for the mechanism: shown as the straight line that the mode is
            return there.q[: self.problem.n]


def modes(problem: Problem, about: State | Equilibrium) -> Modes:
    """Return the vibrations about an equilibrium.

    Parameters
    ----------
    about : State or Equilibrium
        Where; at rest.
    """
    state = about.state if isinstance(about, Equilibrium) else replace(about, v=np.zeros_like(about.v))
    model = linearise(problem, state, outputs=[])
    f = len(model.A) // 2
    stiffness, damping = -model.A[f:, :f], -model.A[f:, f:]
    size = float(np.abs(stiffness).max(initial=0.0))
    if np.abs(damping).max(initial=0.0) <= _UNDAMPED * np.sqrt(size):
        eigenvalues, vectors = _undamped(stiffness)
    else:
        eigenvalues, vectors = _damped(model.A)
    order = np.lexsort((eigenvalues.real, np.abs(eigenvalues)))
    shapes = model.shapes[:, :f] @ vectors[:, order]
    return Modes(problem, model.state, eigenvalues[order], _scaled(shapes))


def _undamped(stiffness: Vector) -> tuple[Complex, Complex]:
    """Return eigenvalues and vectors of ``z'' + K z = 0``, one of each pair; motions that grow have a positive one."""
    asymmetry = np.abs(stiffness - stiffness.T).max(initial=0.0)
    if asymmetry <= 1e-7 * np.abs(stiffness).max(initial=0.0):
        squares, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    else:
        squares, vectors = np.linalg.eig(stiffness)
    squares = squares.astype(complex)
    squares[np.abs(squares) <= _RIGID * np.abs(squares).max(initial=0.0)] = 0.0
    roots = np.sqrt(-squares)
    return np.where(roots.imag < 0.0, -roots, roots), vectors.astype(complex)


def _damped(matrix: Vector) -> tuple[Complex, Complex]:
    """Return eigenvalues and the position part of the vectors, one of each conjugate pair."""
    f = len(matrix) // 2
    values, vectors = np.linalg.eig(matrix)
    values = values.astype(complex)
    largest = np.abs(values).max(initial=0.0)
    values[np.abs(values) ** 2 <= _RIGID * largest**2] = 0.0
    keep = values.imag >= 0.0
    # A rigid motion has a double zero: position and velocity; one shape is enough.
    zeros = np.flatnonzero(keep & (values == 0.0))
    keep[zeros[len(zeros) // 2 + len(zeros) % 2 :]] = False
    return values[keep], vectors[:f, keep].astype(complex)


def _scaled(shapes: Complex) -> Complex:
    """Return the shapes with their largest entry made 1."""
    if not shapes.size:
        return shapes
    places = np.argmax(np.abs(shapes), axis=0)
    return np.asarray(shapes / shapes[places, np.arange(shapes.shape[1])])
