"""Approximations: how an input is computed from the samples of another subsystem at any time.

All approximations work on any grid, between samples (interpolation) and beyond them
(extrapolation). With fewer samples than needed, the order is reduced to what the samples
allow; this start-up rule is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._common.recorded import MadeBy, recorded
from .errors import SetupError

__all__ = [
    "Approximation",
    "BuiltinApproximation",
    "approximate",
    "energy_corrected",
    "hermite",
    "hold",
    "lagrange",
    "least_squares",
    "mean",
    "spline",
    "taylor",
    "transition",
    "variable_order",
]


class Approximation:
    """Base class for an approximation written in Python.

    Contract for implementers:

    1. ``points`` is the number of samples needed; at the start of a run there may be fewer, but at least one.
    2. :meth:`evaluate` gets the newest samples allowed, oldest first, and returns the value at ``t``.
       The newest one is the first sample after ``t`` (interpolation) or, if there is none, the last
       published sample.
    3. Equal arguments give equal results: keep no memory between calls.

    Examples
    --------
    >>> class Average(Approximation):
    ...     points = 2
    ...     def evaluate(self, times, values, t):
    ...         return values.mean(axis=0)
    >>> approximate(Average(), [0.0, 1.0], [1.0, 3.0], [2.0])
    array([2.])
    """

    points: int = 1
    made_by: MadeBy | None = None  #: the call that made it

    def evaluate(self, times: NDArray[np.float64], values: NDArray[np.float64], t: float) -> float | ArrayLike:
        """Return the value(s) at ``t``.

        Parameters
        ----------
        times : array of shape (n,)
            Times of the samples in s, increasing, ``1 <= n <= points``.
        values : array of shape (n, width)
            The samples.
        t : float
            Time of evaluation, in s.
        """
        raise NotImplementedError(f"{type(self).__name__} must define evaluate(times, values, t)")

    @property
    def name(self) -> str:
        """Name in tables and messages."""
        return type(self).__name__

    @property
    def depends_on_step(self) -> bool:
        """Whether the approximation needs to know the receiver's step; a Python one does not."""
        return False

    def _first_steps(self, slopes: bool) -> int:
        """Return after how many steps of the source it has all samples, with slopes of these or without."""
        return self.points - 1

    def _native(self) -> _core.Approximation:
        return _made(_core.python_approximation, self.evaluate, _whole(self.name, "points", self.points), self.name)

    def __repr__(self) -> str:
        return f"<{self.name}>"


class BuiltinApproximation(Approximation):
    """An approximation of the core; created by :func:`hold`, :func:`lagrange` and the like."""

    def __init__(self, native: _core.Approximation, first_steps: int, with_slopes: int | None = None) -> None:
        self._core = native
        self._steps = {False: first_steps, True: first_steps if with_slopes is None else with_slopes}

    def _first_steps(self, slopes: bool) -> int:
        return self._steps[slopes]

    @property
    def name(self) -> str:
        """Name in tables and messages."""
        return self._core.name

    @property
    def depends_on_step(self) -> bool:
        """Whether the approximation needs to know the receiver's step."""
        return self._core.depends_on_step

    def _native(self) -> _core.Approximation:
        return self._core


def _made(make: Callable[..., _core.Approximation], *arguments: Any) -> _core.Approximation:
    """Call the core, which checks the arguments."""
    try:
        return make(*arguments)
    except ValueError as error:
        raise SetupError(str(error)) from None


def _whole(name: str, what: str, value: object) -> int:
    """Return an order or a number of points; the core is given none that its integers cannot hold."""
    if not isinstance(value, Integral) or isinstance(value, bool) or abs(int(value)) > 1_000_000:
        raise SetupError(f"{name}: {what} {value!r}; expected a small integer")
    return int(value)


@recorded
def hold(side: Literal["behind", "ahead"] = "behind") -> Approximation:
    """Zero order: hold the previous sample, or take the next one if there is one.

    >>> approximate(hold("behind"), [0.0, 1.0], [5.0, 7.0], [0.5])
    array([5.])
    >>> approximate(hold("ahead"), [0.0, 1.0], [5.0, 7.0], [0.5])
    array([7.])
    """
    return BuiltinApproximation(_made(_core.hold, str(side)), 0)


@recorded
def lagrange(order: int) -> Approximation:
    """Polynomial of order 0 to 4 through the next sample and those before it.

    Order 0 takes the next value if there is one; :func:`hold` selects the side explicitly.

    >>> approximate(lagrange(2), [0.0, 1.0, 2.0], [0.0, 1.0, 4.0], [3.0])
    array([9.])
    """
    number = _whole("lagrange", "order", order)
    return BuiltinApproximation(_made(_core.lagrange, number), number)


@recorded
def hermite() -> Approximation:
    """Cubic through two samples and their slopes (from the subsystem if it provides them).

    >>> approximate(hermite(), [0.0, 1.0], [0.0, 1.0], [0.5], derivatives=[0.0, 3.0])
    array([0.125])
    """
    return BuiltinApproximation(_core.hermite(), 3, with_slopes=1)


@recorded
def spline() -> Approximation:
    """Cubic spline through the samples of a window, in repeats with ``stencil="centred"``.

    The error is of order 4 from values alone, nine times smaller than that of ``lagrange(3)``. Outside of such repeats
    it is the cubic through the newest four samples.

    >>> approximate(spline(), [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0], [4.0])
    array([64.])
    """
    return BuiltinApproximation(_core.spline(), 3)


@recorded
def taylor(order: int) -> Approximation:
    """Taylor expansion of order 0 to 4 about the nearest sample.

    Derivatives come from the subsystem if it provides them, otherwise from divided differences.

    >>> approximate(taylor(1), [0.0, 1.0], [0.0, 1.0], [2.0], derivatives=[0.0, 5.0])
    array([6.])
    """
    number = _whole("taylor", "order", order)
    return BuiltinApproximation(_made(_core.taylor, number), number, with_slopes=max(number - 1, 0))


@recorded
def least_squares(order: int, points: int) -> Approximation:
    """Polynomial of order 0 to 4 fitted to ``points`` samples; smooths noise.

    >>> approximate(least_squares(0, 3), [0.0, 1.0, 2.0], [1.0, 2.0, 6.0], [5.0])
    array([3.])
    """
    numbers = _whole("least squares", "order", order), _whole("least squares", "points", points)
    return BuiltinApproximation(_made(_core.least_squares, *numbers), min(numbers))


@recorded
def mean(kind: Literal["arithmetic", "time-weighted"] = "arithmetic") -> Approximation:
    """Mean of the samples over the receiver's step, held for the step (smoothing).

    If the samples do not reach the middle of the step (the receiver does not wait for the source), the
    mean is over the receiver's last step. ``"time-weighted"`` integrates the lines between samples.

    >>> mean().name
    'mean'
    """
    return BuiltinApproximation(_made(_core.mean, str(kind)), 1)


@recorded
def transition(order: int = 2) -> Approximation:
    """Blend over the step: a line from the last input to the predicted end value.

    Parameters
    ----------
    order : int
        Order, 0 to 4, of the polynomial that predicts the value at the end of the step.

    Examples
    --------
    >>> transition().name
    'transition 2'
    """
    number = _whole("transition", "order", order)
    return BuiltinApproximation(_made(_core.transition, number), max(number, 1))


@recorded
def energy_corrected(order: int = 1) -> Approximation:
    """Polynomial of order 0 to 4 with a nearly energy-preserving correction.

    The mean error of the extrapolation in one interval is added in the next as a constant, so that the integral of the
    input follows that of the signal over any time (Benedikt et al., 2013). An interval is a step of the slower side.
    Interpolated inputs are not corrected. High orders or long steps make the correction unstable:
    ``System.run(energy_correction="preserve")`` uses it only where a stability test allows it.

    Parameters
    ----------
    order : int
        Of the polynomial, 0 to 4.

    Examples
    --------
    >>> energy_corrected(0).name
    'energy-corrected 0'
    """
    number = _whole("energy-corrected", "order", order)
    return BuiltinApproximation(_made(_core.energy_corrected, number, -1, 1.0, False), number + 1)


@recorded
def energy_dissipating(order: int, column: int, sign: float, differentiated: bool) -> Approximation:
    """Return the same, corrected only if the error has put energy into the receiver.

    Parameters
    ----------
    order : int
        Of the polynomial.
    column : int
        Place of the conjugate signal among the outputs of the receiver; input times this signal is power.
    sign : float
        Of the power that enters the receiver.
    differentiated : bool
        Whether the power is the input times the rate of change of that output.
    """
    return BuiltinApproximation(_made(_core.energy_corrected, order, column, sign, differentiated), order + 1)


@recorded
def variable_order(highest: int = 3, lowest: int = 0) -> Approximation:
    """Polynomial whose order is chosen in every step: the order that would have predicted the newest samples best.

    To choose it, the three newest samples are predicted from earlier ones, as far ahead as the step extrapolates. The
    order is low if the signal jumps, is noisy or changes faster than its samples show, and high if it is smooth.
    Repeats with samples on both sides (first steps, windows with centred stencils) use the highest order.

    Parameters
    ----------
    highest, lowest : int
        Orders to choose from, 0 to 4.

    Examples
    --------
    >>> smooth, jump = [0.0, 1.0, 4.0, 9.0, 16.0], [0.0, 0.0, 0.0, 0.0, 1.0]
    >>> approximate(variable_order(), [0.0, 1.0, 2.0, 3.0, 4.0], smooth, [5.0])
    array([25.])
    >>> approximate(variable_order(), [0.0, 1.0, 2.0, 3.0, 4.0], jump, [5.0])
    array([1.])
    """
    numbers = _whole("variable order", "lowest order", lowest), _whole("variable order", "highest order", highest)
    return BuiltinApproximation(_made(_core.variable_order, *numbers), numbers[1] + 1)


def approximate(
    approximation: Approximation,
    times: ArrayLike,
    values: ArrayLike,
    at: ArrayLike,
    derivatives: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Evaluate an approximation on given samples, to inspect it or to test a new one.

    Parameters
    ----------
    approximation : Approximation
        The approximation to evaluate. If it depends on the receiver's step, ``at`` is one step.
    times : array of shape (n,)
        Sample times in s, strictly increasing.
    values : array of shape (n,) or (n, width)
        Samples.
    at : array of shape (k,)
        Times of evaluation, in s.
    derivatives : array of the shape of values, optional
        Slopes of the samples.

    Returns
    -------
    array of shape (k,) or (k, width)

    Examples
    --------
    >>> approximate(lagrange(1), [0.0, 1.0], [0.0, 2.0], [0.5, 2.0])
    array([1., 4.])
    """
    axis = np.ascontiguousarray(times, dtype=np.float64)
    table = np.asarray(values, dtype=np.float64)
    slopes: Any = None if derivatives is None else np.asarray(derivatives, dtype=np.float64)
    if axis.ndim != 1 or len(axis) == 0 or np.any(np.diff(axis) <= 0.0):
        raise ValueError("times: expected a strictly increasing, non-empty list")
    if len(table) != len(axis) or (slopes is not None and slopes.shape != table.shape):
        raise ValueError(
            f"values: {len(table)} rows for {len(axis)} times; expected one row per time, "
            "and derivatives of the same shape"
        )
    asked = np.atleast_1d(np.ascontiguousarray(at, dtype=np.float64))
    if asked.size == 0:
        return np.empty((0, *table.shape[1:]))
    rows = _core.approximate(
        approximation._native(),
        axis,
        np.ascontiguousarray(table.reshape(len(axis), -1)),
        None if slopes is None else np.ascontiguousarray(slopes.reshape(len(axis), -1)),
        asked,
    )
    result: NDArray[np.float64] = np.asarray(rows)
    return result[:, 0] if table.ndim == 1 else result
