"""How far can I go? The largest steps with which a scheme stays stable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .._common.numbers import is_number
from ..approximations import Approximation
from ..errors import SetupError
from ..linearisation import LinearisedSystem, linearise
from ..system import System
from .arguments import check_options, positive
from .long_runs import long_run
from .prober import Prober, why_no_map
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
    at: float | str = 0.0,
    **options: Any,
) -> LargestStep:
    """Find the largest steps with which a scheme is stable, by bisection.

    Steps are multiplied by growing factors until the scheme is not stable any more; then the edge is bisected. All
    smaller steps that were tried are stable, too. Where the grids never meet, each factor takes a long run.

    Parameters
    ----------
    system : System or LinearisedSystem
    scheme, approximation, at, **options
        As for :func:`counterpoint.stability`. Windows grow with the steps; with ``only`` they keep their length, unless
        a step is longer.
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
    _check(span, amplification, limits, accuracy, options)
    linear = system
    if not isinstance(linear, LinearisedSystem):
        linear = linearise(linear, approximation=approximation, at=at, scheme=scheme)
    names = _names(linear, only)
    exact = float(np.max(linear.coupled.poles.real, initial=-np.inf))
    tried: dict[float, float] = {}

    meets = not why_no_map(linear, options)

    def is_stable(factor: float) -> bool:
        changed = linear.with_steps({name: factor * linear.steps[name] for name in names})
        radius, period, known_to = _growth(changed, scheme, _scaled(options, factor, changed, linear), meets)
        tried[factor] = radius
        if span is None:
            return radius <= max(1.0, math.exp(exact * period)) + known_to
        grown = math.log(max(radius, 1e-300)) / period - max(exact, 0.0)
        return grown * span <= math.log(amplification)

    factor = _edge(is_stable, limits, accuracy, _simple if meets and len(names) < len(linear.steps) else float)
    reached = factor if math.isfinite(factor) else max(tried, default=1.0)
    steps = {name: step * (reached if name in names else 1.0) for name, step in linear.steps.items()}
    return LargestStep(factor, steps, tuple(sorted(tried.items())))


def _growth(linear: LinearisedSystem, scheme: Any, options: dict[str, Any], meets: bool) -> tuple[float, float, float]:
    """Return the growth in a time (s), this time, and what the growth is known to: by a map, or else by a long run."""
    if meets:
        prober = Prober(linear, scheme, **options)
        return float(np.max(np.abs(np.linalg.eigvals(prober.matrix())))), prober.period, TOLERANCE
    found, longest = long_run(linear, scheme, **options), max(linear.steps.values())
    return math.exp(found.growth_rate * longest), longest, found.known_to * longest


def _names(linear: LinearisedSystem, only: str | Iterable[str] | None) -> list[str]:
    names = list(linear.steps) if only is None else [only] if isinstance(only, str) else list(only)
    unknown = [name for name in names if name not in linear.steps]
    if unknown:
        raise SetupError(f'largest_step: only: no subsystem "{unknown[0]}"; there are {", ".join(linear.steps)}')
    return names


def _scaled(
    options: dict[str, Any], factor: float, changed: LinearisedSystem, given: LinearisedSystem
) -> dict[str, Any]:
    """Return options in which the window grows with the steps, if all change; else it holds the longest step."""
    window: Any = options.get("window")
    if getattr(window, "length", None) is None:
        return options
    all_change = all(step != given.steps[name] for name, step in changed.steps.items())
    length = factor * window.length if all_change else max(window.length, *changed.steps.values())
    return {**options, "window": replace(window, length=length)}


def _check(
    span: float | None, amplification: float, limits: tuple[float, float], accuracy: float, options: dict[str, Any]
) -> None:
    """Raise SetupError for invalid arguments."""
    problems = [] if span is None else positive("largest_step", "span", span)
    problems += positive("largest_step", "amplification", amplification, least=1.0)
    problems += positive("largest_step", "accuracy", accuracy)
    pair = tuple(limits)
    if len(pair) != 2 or not all(is_number(limit) for limit in pair) or not 0.0 < pair[0] < pair[1]:
        problems.append(f"largest_step: limits: {limits!r}; expected two positive factors, the smaller one first")
    if problems:
        raise SetupError(problems)
    check_options("largest_step", options)


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
