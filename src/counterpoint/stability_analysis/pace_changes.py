"""Stability when steps change during a run: products of the maps of single stretches.

A scheme that is stable with every fixed step can grow when the steps alternate. Two answers are given for steps that
are multiplied by given factors from stretch to stretch:

- for each pair of factors the growth when the two alternate, from the spectral radius of the product of both maps:
  what certainly happens;
- a bound for any sequence: the largest norm of a product of maps that can follow each other, in a norm in which the
  maps of fixed steps are hardly larger than their spectral radii. Below 1 no sequence of these factors can grow; for
  motions without damping it stays above 1, the closer the longer the products are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..approximations import Approximation
from ..errors import SetupError
from ..linearisation import LinearisedSystem, linearise
from ..system import System
from .arguments import check_options, checked_factors
from .prober import Pattern, Prober

Matrix = NDArray[np.float64]

#: The norm allows a growth that is larger than the spectral radius by this share.
_SLACK = 0.02
#: Products that are looked at; with three factors these are sequences of eight.
_MOST_PRODUCTS = 3**8
#: Maps in a product, where a single factor makes one product of each length.
_LONGEST = 64


@dataclass(frozen=True)
class ChangingPace:
    """Growth under changing steps; made by :func:`changing_pace`.

    Attributes
    ----------
    growth : dict
        Pair of factors -> growth rate when they alternate, 1/s; a pair of equal ones: fixed steps.
    bound : float
        No sequence of these factors grows by more than this factor in one stretch, on average.
    """

    growth: dict[tuple[float, float], float]
    bound: float

    @property
    def worst(self) -> tuple[float, float]:
        """The pair of factors that grows fastest."""
        return max(self.growth, key=lambda pair: self.growth[pair])

    @property
    def proven_stable(self) -> bool:
        """Whether the bound excludes growth for any sequence."""
        return self.bound <= 1.0

    def __str__(self) -> str:
        a, b = self.worst
        how = f"with {a:g} times the steps throughout"
        if a != b:
            how = f"when steps alternate between {a:g} and {b:g} times"
        bound = f"any sequence grows by less than {self.bound:.4g} in a stretch"
        return f"worst {how}: {self.growth[a, b]:.3g} 1/s; {bound}"


def changing_pace(
    system: System | LinearisedSystem,
    scheme: Any = "slowest-first",
    *,
    factors: Sequence[float] = (0.5, 1.0, 2.0),
    approximation: Approximation | None = None,
    **options: Any,
) -> ChangingPace:
    """Find out whether a scheme stays stable when all steps change together by given factors.

    Parameters
    ----------
    system : System or LinearisedSystem
    scheme, approximation, **options
        As for :func:`counterpoint.stability`; without windows.
    factors : sequence of float
        By which the steps may be multiplied, anew in each stretch of one period.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("a", cp.linear([[-2]], [[1]], x0=[1], inputs="u", outputs="x"), step=0.1)
    >>> system.add("b", cp.linear([[-2]], [[1]], x0=[1], inputs="u", outputs="x"), step=0.1)
    >>> system.connect("a.x", "b.u", cp.lagrange(1))
    >>> system.connect("b.x", "a.u", cp.lagrange(1))
    >>> cp.stability_analysis.changing_pace(system, "parallel", factors=(1.0, 1.5)).proven_stable
    True
    """
    if options.get("window") is not None:
        raise SetupError("changing_pace: window: steps that change are analysed without windows; leave it out")
    check_options("changing_pace", options)
    factors = checked_factors("changing_pace", factors)
    linear = system if isinstance(system, LinearisedSystem) else linearise(system, approximation=approximation)
    growth = {}
    for a, b in product(factors, factors):
        if a <= b:
            prober = Prober(linear, scheme, pattern=Pattern((a, b), (a, b)), **options)
            radius = float(np.max(np.abs(np.linalg.eigvals(prober.matrix()))))
            growth[a, b] = float(np.log(max(radius, 1e-300)) / prober.period)
    maps = {
        (a, b): Prober(linear, scheme, pattern=Pattern((b,), (a,)), **options).matrix()
        for a, b in product(factors, factors)
    }
    return ChangingPace(growth, _bound(maps, factors))


def _bound(maps: dict[tuple[float, float], Matrix], factors: Sequence[float]) -> float:
    """Return the largest norm of a product of maps that can follow each other, per map."""
    to, back = _norm([maps[f, f] for f in factors])
    seen = {pair: to @ m @ back for pair, m in maps.items()}
    products = [(b, m) for (_, b), m in seen.items()]
    best, length = np.inf, 1
    while True:
        best = min(best, max(float(np.linalg.norm(m, 2)) for _, m in products) ** (1.0 / length))
        if len(products) * len(factors) > _MOST_PRODUCTS or length == _LONGEST:
            return float(best)
        products = [(c, seen[b, c] @ m) for b, m in products for c in factors]
        length += 1


def _norm(maps: list[Matrix]) -> tuple[Matrix, Matrix]:
    """Return R and its inverse, such that ``|R m R⁻¹|`` is hardly larger than the spectral radius of each map m.

    With γ above the spectral radius, ``P = Σ (mᵀ)ᵏ mᵏ γ⁻²ᵏ`` exists and ``mᵀ P m <= γ² P``; R is a root of their sum.
    """
    p = sum(_weights(m) for m in maps)
    root = np.linalg.cholesky(0.5 * (p + np.transpose(p))).T
    return root, np.linalg.inv(root)


def _weights(m: Matrix) -> Matrix:
    gamma = float(np.max(np.abs(np.linalg.eigvals(m)))) * (1.0 + _SLACK) + 1e-12
    scaled = m / gamma
    p = np.eye(len(m))
    for _ in range(40):  # doubles the number of terms each time
        p = p + scaled.T @ p @ scaled
        scaled = scaled @ scaled
        if np.linalg.norm(scaled) < 1e-12:
            break
    return p / np.linalg.norm(p)
