"""The oscillator: two rotating masses, each on a spring to the ground, and a weak spring between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TwoMassOscillator:
    """Undamped, left fast and right slow.

    The source prints no parameters. These give modes of 2.0 and 0.4 Hz; the amplitude and the spring between the masses
    were fitted to the three numbers of its Table 2.

    Attributes
    ----------
    inertia : (float, float)
        Left and right, kg m².
    ground : (float, float)
        Springs to the ground, N m/rad.
    between : float
        Spring between the masses, N m/rad.
    start : float
        Angle of both at the start, at rest, rad.

    Examples
    --------
    >>> TwoMassOscillator().frequencies().round(2).tolist()
    [0.4, 2.0]
    """

    inertia: tuple[float, float] = (1.0, 5.0)
    ground: tuple[float, float] = (156.0, 30.0)
    between: float = 1.8
    start: float = 8.3

    def matrix(self) -> Array:
        """Return A of x' = A x, x = (left angle, speed, right angle, speed)."""
        (left, right), (cl, cr), c = self.inertia, self.ground, self.between
        return np.array(
            [
                [0.0, 1.0, 0.0, 0.0],
                [-(cl + c) / left, 0.0, c / left, 0.0],
                [0.0, 0.0, 0.0, 1.0],
                [c / right, 0.0, -(cr + c) / right, 0.0],
            ]
        )

    def frequencies(self) -> Array:
        """Return the frequencies of both modes, Hz."""
        return np.asarray(np.sort(np.abs(np.linalg.eigvals(self.matrix())))[::2] / (2 * np.pi))

    def left_angle(self, time: Array) -> Array:
        """Return the exact angle of the left mass, rad."""
        values, vectors = np.linalg.eig(self.matrix())
        shares = np.linalg.solve(vectors, np.array([self.start, 0.0, self.start, 0.0]))
        return np.asarray(((vectors[0] * shares) @ np.exp(np.outer(values, time))).real)
