"""What is read from the stability regions: damping that a scheme needs, sectors, growth on the imaginary axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .closed_forms import Setting, radius

Real = NDArray[np.float64]

#: Above this a compound step grows; less is rounding.
GROWS = 1e-9
HIGHEST = 4.0


def needed_damping(setting: Setting, points: int) -> float:
    """Return the largest ``-Re(hλ)`` at which the scheme is still unstable, for 0 < Im(hλ) <= 4."""
    omega = np.linspace(HIGHEST / points, HIGHEST, points)
    damping = np.concatenate([[0.0], np.geomspace(1e-5, 4.0, 48)])
    unstable = radius(-damping[:, None] + 1j * omega, setting) > 1.0 + GROWS
    if not unstable.any():
        return 0.0
    last = len(damping) - 1 - np.argmax(unstable[::-1], axis=0)
    worst = unstable.any(axis=0)
    low, high = damping[last], damping[np.minimum(last + 1, len(damping) - 1)]
    for _ in range(14):
        middle = 0.5 * (low + high)
        grows = radius(-middle + 1j * omega, setting) > 1.0 + GROWS
        low, high = np.where(grows, middle, low), np.where(grows, high, middle)
    return float(np.max(low[worst]))


def sector(setting: Setting, farthest: float = 40.0) -> int:
    """Return the largest whole angle in degrees of a stable sector about the negative real axis."""
    sizes = np.geomspace(0.01, farthest, 160)
    angles = np.radians(np.arange(1, 91))
    grows = (radius(-sizes * np.exp(-1j * angles)[:, None], setting) > 1.0 + 1e-6).any(axis=1)
    return int(np.argmax(grows)) if grows.any() else 90


def axis_growth(setting: Setting, highest: float, points: int) -> float:
    """Return the largest ρ - 1 on the imaginary axis for 0 < ωh <= highest."""
    return float(np.max(radius(1j * np.linspace(highest / points, highest, points), setting)) - 1.0)


def slope(errors: list[float], first: int = 0) -> float:
    """Return the order of convergence from errors at halved steps, from the ``first`` one on."""
    return float(np.mean(np.log2(np.array(errors[first:-1]) / np.array(errors[first + 1 :]))))
