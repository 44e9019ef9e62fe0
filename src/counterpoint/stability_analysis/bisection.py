"""How far can I go? The largest steps with which a scheme stays stable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..approximations import Approximation
from ..errors import SetupError
from ..linearisation import LinearisedSystem, linearise
from ..system import System
from .prober import Prober
from .result import TOLERANCE

#: Factors that are tried before the bisection begins, a quarter of an octave apart.
_PER_OCTAVE = 4
#: Where only some steps change, factors are fractions with denominators up to this: others leave no common period.
_DENOMINATOR = 32


@dataclass(frozen=True)
class LargestStep:
    """The largest steps that are stable; made by :func:`largest_step`.

    Attributes
    ----------
    factor : float
        By which the steps can be multiplied; 0: none of those tried was stable, infinity: all were.
    steps : dict
        Subsystem -> its step then, s.
    tried : tuple of pairs (factor, spectral radius)
        In increasing order.
    """

    factor: float
    steps: dict[str, float]
    tried: tuple[tuple[float, float], ...]

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the spectral radius over the factor; write the picture to ``path`` if given, return the figure."""
        from .pictures import draw_bisection

        return draw_bisection(self, path)

    def __str__(self) -> str:
        if self.factor == 0.0:
            return f"no stable step found down to {self.tried[0][0]:.3g} times those given"
        if math.isinf(self.factor):
            return f"stable up to {self.tried[-1][0]:.3g} times the steps given"
        steps = ", ".join(f"{name} {step:.6g} s" for name, step in self.steps.items())
        return f"stable up to {self.factor:.6g} times the steps given: {steps}"


def largest_step(
    system: System | LinearisedSystem,
    scheme: Any = "slowest-first",
    *,
    only: str | Iterable[str] | None = None,
    span: float | None = None,
    amplification: float = 1.05,
    limits: tuple[float, float] = (2.0**-6, 2.0**6),
    accuracy: float = 1e-3,
    approximation: Approximation | None = None,
    **options: Any,
) -> LargestStep:
    """Find the largest steps with which a scheme is stable, by bisection.

    Steps are multiplied by growing factors until the scheme is not stable any more; then the edge is bisected. All
    smaller steps that were tried are stable, too.

    Parameters
    ----------
    system : System or LinearisedSystem
    scheme, approximation, **options
        As for :func:`counterpoint.stability`.
    only : name or names, optional
        Subsystems whose steps change; default: all, in proportion. Factors are then simple fractions, so that the
        grids meet.
    span, amplification : float
        What counts as stable: no motion is amplified more than so much (against the exact system) within a span (s).
        Without a span: the spectral radius is not above 1, nor above that of the exact system.
    limits : pair of float
        Smallest and largest factor.
    accuracy : float
        Relative, of the factor.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("a", cp.linear([[-1]], [[3]], x0=[1], inputs="u", outputs="x", solver="ode1"), step=0.1)
    >>> system.add("b", cp.linear([[-1]], [[-3]], x0=[1], inputs="u", outputs="x", solver="ode1"), step=0.1)
    >>> system.connect("a.x", "b.u", cp.hold())
    >>> system.connect("b.x", "a.u", cp.hold())
    >>> print(cp.stability_analysis.largest_step(system, "parallel", accuracy=1e-6))
    stable up to 2 times the steps given: a 0.2 s, b 0.2 s
    """
    linear = system if isinstance(system, LinearisedSystem) else linearise(system, approximation=approximation)
    names = _names(linear, only)
    exact = float(np.max(linear.coupled.poles.real, initial=-np.inf))
    tried: dict[float, float] = {}

    def is_stable(factor: float) -> bool:
        changed = linear.with_steps({name: factor * linear.steps[name] for name in names})
        prober = Prober(changed, scheme, **_scaled(options, factor))
        radius = float(np.max(np.abs(np.linalg.eigvals(prober.matrix()))))
        tried[factor] = radius
        if span is None:
            return radius <= max(1.0, math.exp(exact * prober.period)) + TOLERANCE
        grown = math.log(max(radius, 1e-300)) / prober.period - max(exact, 0.0)
        return grown * span <= math.log(amplification)

    factor = _edge(is_stable, limits, accuracy, float if len(names) == len(linear.steps) else _simple)
    reached = factor if math.isfinite(factor) else max(tried, default=1.0)
    steps = {name: step * (reached if name in names else 1.0) for name, step in linear.steps.items()}
    return LargestStep(factor, steps, tuple(sorted(tried.items())))


def _names(linear: LinearisedSystem, only: str | Iterable[str] | None) -> list[str]:
    names = list(linear.steps) if only is None else [only] if isinstance(only, str) else list(only)
    unknown = [name for name in names if name not in linear.steps]
    if unknown:
        raise SetupError(f'largest_step: only: no subsystem "{unknown[0]}"; there are {", ".join(linear.steps)}')
    return names


def _scaled(options: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return options in which the window grows with the steps."""
    window: Any = options.get("window")
    if getattr(window, "length", None) is None:
        return options
    return {**options, "window": replace(window, length=factor * window.length)}


def _simple(factor: float) -> float:
    return float(Fraction(factor).limit_denominator(_DENOMINATOR))


def _edge(
    is_stable: Callable[[float], bool],
    limits: tuple[float, float],
    accuracy: float,
    allowed: Callable[[float], float],
) -> float:
    """Return the largest factor below which all factors tried are stable."""
    count = max(2, math.ceil(math.log2(limits[1] / limits[0]) * _PER_OCTAVE) + 1)
    low = 0.0
    for factor in map(allowed, np.geomspace(*limits, count).tolist()):
        if factor > low and not is_stable(factor):
            break
        low = factor
    else:
        return math.inf
    if low == 0.0:
        return 0.0
    for further in (1.25, 1.5):  # to show how it goes on
        is_stable(allowed(further * factor))
    high = factor
    while high - low > accuracy * low:
        middle = allowed(0.5 * (low + high))
        if not low < middle < high:
            break
        if is_stable(middle):
            low = middle
        else:
            high = middle
    return low
