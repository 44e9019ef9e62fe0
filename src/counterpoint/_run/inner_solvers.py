"""Solvers inside black boxes: whether the fixed step that they declare is short enough for their own motions.

Smaller communication steps do not show this. If a black box provides its derivatives and the step of its solver, the
growth of each of its motions follows for the explicit solvers that such models have: Euler, and Runge-Kutta to order 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import number_text
from ..errors import CounterpointError
from ..quality.verdict import WRONG_MOTION

if TYPE_CHECKING:
    from ..system import System

GONE = 1e-2
"""A motion that a solver has damped to this part at the end of a run does no harm, however much too small it is."""
MOST = 1e300


class Inside(NamedTuple):
    """Problems of solvers inside black boxes; empty: none is known.

    Attributes
    ----------
    unstable : tuple of str
        Subsystems whose declared step is too long for any explicit Runge-Kutta rule up to order 4.
    text : str
        The same in words, or what explicit Euler would do.
    """

    unstable: tuple[str, ...] = ()
    text: str = ""


def inside(system: System, span: float) -> Inside:
    """Return what is known of the solvers inside the black boxes of a system, over a time span (s)."""
    unstable, told = [], []
    for name, part in system.subsystems.items():
        step = part.subsystem.inner_step
        if step is None or part.subsystem.linear_model is None:
            continue
        try:
            model = part.subsystem.linear_model(0.0, np.zeros(sum(part.subsystem.input_widths.values())), None)
            rates = (
                np.zeros(0, dtype=np.complex128) if model is None else np.linalg.eigvals(model.A).astype(np.complex128)
            )
        except (CounterpointError, RuntimeError, ValueError):  # of an FMU whose derivatives fail
            continue
        for solver, factor in (("any explicit Runge-Kutta rule up to order 4", _best), ("explicit Euler", _euler)):
            worst = _worst(rates, step, span, factor)
            if worst is None:
                continue
            rate, times = worst
            size = f"{number_text(times)} times" if times < 1e6 else "beyond all measure"
            told.append(
                f'with its declared inner step of {step:.3g} s, {solver} inside "{name}" would amplify its motion '
                f"{_motion(rate)} {size}"
            )
            unstable += [name] if factor is _best else []
            break
    return Inside(tuple(unstable), "; ".join(told))


def _euler(z: NDArray[np.complex128]) -> NDArray[np.float64]:
    growth: NDArray[np.float64] = np.abs(1 + z)
    return growth


def _best(z: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Return the smallest growth factor per step of the Runge-Kutta rules of order 1 to 4."""
    rules = [1 + z, 1 + z + z**2 / 2, 1 + z + z**2 / 2 + z**3 / 6, 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24]
    least: NDArray[np.float64] = np.min(np.abs(rules), axis=0)
    return least


def _worst(
    rates: NDArray[np.complex128], step: float, span: float, factor: Callable[[Any], NDArray[np.float64]]
) -> tuple[complex, float] | None:
    """Return the motion that is amplified most, and how many times; None where none is amplified visibly."""
    if not len(rates):
        return None
    steps = span / step
    grown = steps * np.log(np.maximum(factor(rates * step), 1e-300))  # of its amplitude, as a logarithm
    wrong = grown - rates.real * span
    harmful = (rates.real <= 0) & (grown > np.log(GONE)) & (wrong > np.log(WRONG_MOTION))
    if not harmful.any():
        return None
    k = int(np.argmax(np.where(harmful, wrong, -np.inf)))
    return complex(rates[k]), float(np.exp(min(wrong[k], np.log(MOST))))


def _motion(rate: complex) -> str:
    if abs(rate.imag) > 1e-9 * abs(rate):
        return f"near {abs(rate.imag) / (2 * np.pi):.3g} Hz"
    return f"with the time constant {1 / max(-rate.real, 1e-300):.3g} s"
