"""The linear test equation of Solcia (2010), eq. 3.5.16: a fast and a slow variable that are coupled.

    y' = λ y + μ z,    z' = ε y + α λ z,    μ ε = β ((1 - α) Im λ / 2)²

For imaginary λ and β < 1 the exact system neither grows nor decays. Complex variables are pairs of real ones.
"""

from __future__ import annotations

import math

import numpy as np

from ..approximations import Approximation, hold, taylor
from ..errors import SetupError
from ..subsystems import linear
from ..system import System
from .arguments import positive

#: Step of the fast variable, s: only h λ matters.
STEP = 1.0


def coupling(z: complex, alpha: float, beta: float) -> tuple[float, float]:
    """Return h μ and h ε for h λ = z; equal in size, so that both directions are alike."""
    size = 0.5 * (1.0 - alpha) * abs(z.imag) * math.sqrt(abs(beta))
    return size, math.copysign(size, beta)


def coupled_pair(
    z: complex,
    *,
    alpha: float = 0.1,
    beta: float = 0.1,
    ratio: int = 1,
    solver: str = "bdf2",
    fast_to_slow: Approximation | None = None,
    slow_to_fast: Approximation | None = None,
    start: tuple[complex, complex] = (1.0, 1.0),
) -> System:
    """Return the test equation as a system of two subsystems, ``fast`` and ``slow``.

    Parameters
    ----------
    z : complex
        h λ; h is the step of the fast subsystem, 1 s.
    alpha, beta : float
        Ratio of frequencies and strength of the coupling; β < 0 conserves energy where λ is imaginary.
    ratio : int
        H / h.
    solver : str
        Of both.
    fast_to_slow, slow_to_fast : Approximation, optional
        Default: the fast variable is held, the slow one is a parabola through its last value, its derivative and the
        value before.
    start : pair of complex
        y and z at the start.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = coupled_pair(0.5j, ratio=10)
    >>> sorted(cp.linearise(system).coupled.poles.imag.round(4).tolist())
    [-0.4885, -0.0615, 0.0615, 0.4885]
    """
    problems = positive("coupled_pair", "ratio", ratio)
    if problems:
        raise SetupError(problems)
    mu, epsilon = coupling(z, alpha, beta)
    system = System("coupled pair")
    for name, diagonal, gain, first, step in (
        ("fast", z, mu, start[0], STEP),
        ("slow", alpha * z, epsilon, start[1], ratio * STEP),
    ):
        a = np.array([[diagonal.real, -diagonal.imag], [diagonal.imag, diagonal.real]]) / STEP
        x0 = [complex(first).real, complex(first).imag]
        part = linear(a, gain / STEP * np.eye(2), x0=x0, inputs={"u": 2}, outputs={"x": 2}, solver=solver)
        system.add(name, part, step=step)
    system.connect("fast.x", "slow.u", fast_to_slow or hold("ahead"))
    system.connect("slow.x", "fast.u", slow_to_fast or taylor(2))
    return system
