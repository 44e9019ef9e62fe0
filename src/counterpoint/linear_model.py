"""State space models of small deviations: what linearisation gives, whatever was linearised."""

from __future__ import annotations

from dataclasses import dataclass
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


def _control() -> Any:
    try:
        import control  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise MissingExtraError("A python-control model", "control") from error
    return control
