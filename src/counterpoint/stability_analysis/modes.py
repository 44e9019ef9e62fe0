"""Which eigenvalue of the map of a period belongs to which motion of the exact system, and how far it is from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[np.complex128]

#: What it costs to call a decay an oscillation, or the reverse; other costs are 0 to 3.
UNLIKE = 1.0
#: Logarithm of the largest growth that is told as a number.
MOST_GROWTH = 700.0


@dataclass(frozen=True)
class Mode:
    """One motion of the coupled system, and how the scheme changes it.

    Attributes
    ----------
    exact : complex
        Eigenvalue of the coupled system, 1/s.
    multiplier : complex
        Eigenvalue of the map of one period.
    period : float
        s.
    """

    exact: complex
    multiplier: complex
    period: float

    @property
    def frequency(self) -> float:
        """Of the exact motion, Hz; 0 when it does not oscillate."""
        return abs(self.exact.imag) / (2.0 * np.pi)

    @property
    def deviation(self) -> complex:
        """Error of the exponent, 1/s: its real part is a growth, its imaginary part a drift of phase in rad/s.

        The phase is known up to whole turns in a period.
        """
        if self.multiplier == 0.0:
            return complex(-np.inf, 0.0)
        with np.errstate(divide="ignore"):
            return complex(np.log(self.multiplier * np.exp(-self.exact * self.period)) / self.period)

    def lasts(self, span: float) -> bool:
        """Whether the exact motion can still be seen after a time (s)."""
        return self.exact.real * span > -14.0

    def amplitude(self, span: float) -> float:
        """Return the amplitude after a time (s), relative to the exact one: above 1 amplified, below attenuated."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.deviation.real * span))

    def left(self, span: float) -> float:
        """Return which part of it is left after a time (s): of the exact motion or with the scheme, what is larger."""
        rate = max(self.exact.real, self.exact.real + self.deviation.real)
        return float(np.exp(min(rate * span, MOST_GROWTH)))

    def phase(self, span: float) -> float:
        """Return how far the phase is ahead of the exact one after a time (s), rad."""
        drift = self.deviation.imag
        return float((drift if self.exact.imag >= 0.0 else -drift) * span)


def match(
    exact: Complex, shapes: Complex, multipliers: Complex, vectors: Complex, period: float
) -> tuple[list[Mode], list[int]]:
    """Return the modes with their multipliers, and the numbers of the multipliers that belong to no mode.

    Parameters
    ----------
    exact, shapes : arrays of shape (n,) and (n, n)
        Eigenvalues (1/s) and eigenvectors of the coupled system.
    multipliers, vectors : arrays of shape (m,) and (n, m)
        Eigenvalues of the map, and its eigenvectors in the same states.
    """
    wanted = np.exp(exact * period)
    far = np.abs(multipliers[None, :] - wanted[:, None])
    size = np.maximum(np.abs(multipliers)[None, :], np.abs(wanted)[:, None])
    cost = far / np.maximum(size, 1e-300) + 1.0 - _alikeness(shapes, vectors)
    cost += UNLIKE * (_oscillates(exact)[:, None] != _oscillates(multipliers)[None, :])
    pairs = _paired(cost, _partners(exact), _partners(multipliers))
    modes = [Mode(complex(exact[k]), complex(multipliers[j]), period) for k, j in sorted(pairs.items())]
    return modes, [j for j in range(len(multipliers)) if j not in pairs.values()]


def _paired(cost: NDArray[np.float64], partners: list[int], others: list[int]) -> dict[int, int]:
    """Return who belongs to whom, the best matches first; conjugate values are matched together."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for flat in np.argsort(cost, axis=None, kind="stable"):
        k, j = divmod(int(flat), cost.shape[1])
        together = {k: j, partners[k]: others[j]}
        if len(together) == len(set(together.values())) and not (
            together.keys() & pairs | set(together.values()) & taken
        ):
            pairs |= together
            taken |= set(together.values())
        elif k not in pairs and j not in taken and (partners[k] == k) != (others[j] == j):
            pairs[k] = j
            taken.add(j)
    return pairs


def _oscillates(values: Complex) -> NDArray[np.bool_]:
    return np.asarray(np.abs(values.imag) > 1e-9 * np.maximum(np.abs(values), 1e-300))


def _partners(values: Complex) -> list[int]:
    """Return the number of the conjugate of each value; its own where it is real, or where there is none."""
    made = []
    for k, value in enumerate(values):
        nearest = int(np.argmin(np.abs(values - value.conjugate()))) if _oscillates(values)[k] else k
        made.append(nearest if abs(values[nearest] - value.conjugate()) < 1e-6 * abs(value) else k)
    return made


def _alikeness(shapes: Complex, vectors: Complex) -> NDArray[np.float64]:
    """Return how parallel vectors are, 0 to 1; states are scaled to what the exact motions make of them."""
    scale = np.maximum(np.max(np.abs(shapes), axis=1), 1e-300)[:, None]
    a, b = shapes / scale, vectors / scale
    lengths = np.outer(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    cosines = np.abs(a.conj().T @ b) / np.maximum(lengths, 1e-100)  # a vector without states is like none
    return np.asarray(np.minimum(cosines, 1.0) ** 2 * (lengths > 1e-100))
