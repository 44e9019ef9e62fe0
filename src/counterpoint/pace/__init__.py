"""Paces: rules that choose the steps of subsystems from what a run has shown.

A pace is given to one subsystem, ``system.add(name, model, pace=...)``, which then steps by itself, or to all of them,
``system.run(until, pace=...)``, which then step together. Lengths and times are in s, or texts with a unit
(``"2 ms"``). Every step is kept in ``result.steps``, with the rule that chose it and its estimated error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from .._common.numbers import is_number, is_whole
from ..errors import SetupError
from ..units import time_at
from ._contract import Arrival, Limits, Pace, Step
from ._kinds import Controlled, Fixed, Gradient, PerSignal, RealTime, Table

__all__ = [
    "Arrival",
    "Limits",
    "Pace",
    "Step",
    "defect",
    "doubling",
    "energy",
    "fixed",
    "gradient",
    "predictor_corrector",
    "real_time",
    "table",
]

Duration = float | str | None


def fixed(step: float | str) -> Pace:
    """Return equal steps, in s; the same as ``step=``.

    >>> import counterpoint as cp
    >>> str(cp.pace.fixed("2 ms"))
    'fixed, 0.002 s'
    """
    length = time_at("pace.step", step)
    if not is_number(length) or length <= 0.0:
        raise SetupError(f"pace.step: {step!r}; expected a positive number of seconds")
    return Fixed(step=float(length))


def table(
    times: ArrayLike | Sequence[float | str],
    steps: ArrayLike | Sequence[float | str],
    *,
    between: Literal["hold", "linear"] = "hold",
    align: Duration = None,
) -> Pace:
    """Return steps over time: ``H(t)``.

    Parameters
    ----------
    times, steps : arrays of shape (n,)
        Steps of ``steps[k]`` from ``times[k]`` on (increasing), in s or as text with a unit. Before the first time the
        first step is used.
    between : {"hold", "linear"}
        Hold each step until the next time, where a step ends; or interpolate linearly, evaluated at the start of each
        step.
    align : float or str, optional
        No step crosses a multiple of this time, s.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> tank = cp.ode(lambda t, x, u: -x, [1.0], outputs="level", solver="ode4")
    >>> system.add("tank", tank, pace=cp.pace.table([0, 1], [0.5, 0.25]))
    >>> system.run(until=2.0).steps["tank"].length.tolist()
    [0.5, 0.5, 0.25, 0.25, 0.25, 0.25]
    """
    import numpy as np

    problems: list[str] = []
    named = {"times": times, "steps": steps}
    for name, given in named.items():
        if not _are_numbers(_durations(f"pace.{name}", given)):
            problems.append(f"pace.{name}: {given!r}; expected a list of numbers of seconds, or of texts with units")
    if problems:
        raise SetupError(problems)
    axis, lengths = (
        np.atleast_1d(np.asarray(_durations(f"pace.{name}", given), dtype=np.float64)) for name, given in named.items()
    )
    if axis.ndim != 1 or axis.shape != lengths.shape or len(axis) == 0:
        problems.append(f"pace.steps: {lengths.size} steps for {axis.size} times; expected one for each, at least one")
    elif not np.all(np.isfinite(axis)) or np.any(np.diff(axis) <= 0.0):
        problems.append("pace.times: expected finite times in s that increase")
    if not np.all(np.isfinite(lengths)) or np.any(lengths <= 0.0):
        problems.append("pace.steps: expected positive numbers of seconds")
    if between not in ("hold", "linear"):
        problems.append(f'pace.between: {between!r}; expected "hold" or "linear"')
    made = Table(_limits(None, None, None, None, align), tuple(axis.tolist()), tuple(lengths.tolist()), between)
    made._check(problems)
    return made


def gradient(
    signals: str | Sequence[str] | None = None,
    *,
    smallest: Duration = None,
    largest: Duration = None,
    p0: float = 2.0,
    p1: float = 2.0,
    derivative: int | None = None,
    tolerance: float | None = None,
    absolute: PerSignal = 1e-9,
    first: Duration = None,
    growth: float | None = None,
    align: Duration = None,
    reject: bool | None = None,
) -> Pace:
    """Return steps that are long while given signals change little: Günther et al. (2012), eqs. 7 and 8.

    ``H = smallest + (1 - min(1, r))**p0 * (largest - smallest)`` with ``r = |y'| / (p1 * mean |y'|)``, the largest of
    all these signals; the mean is over the time since the start. At standstill r is 0.

    Parameters
    ----------
    signals : str or list of str, optional
        The outputs, ``subsystem.output``; default: all that are connected.
    smallest, largest : float or str
        Range of the steps, s; required without ``tolerance``.
    p0, p1 : float
        Exponent, and the multiple of the mean gradient at which the smallest step is reached.
    derivative : int, optional
        Order of the derivative to use, 1 to 5. Default: one more than the order of the approximation, because this
        derivative determines the extrapolation error: the first with held values, the second with ``lagrange(1)``.
    tolerance : float, optional
        No parameters to tune: the step whose extrapolation error is ``absolute + tolerance * largest absolute value so
        far``. ``p0`` and ``p1`` are then not used.
    absolute : float, or mapping output -> float
        In units of the signals.
    first, growth, align
        See :class:`Limits`.
    reject : bool, optional
        With a tolerance; see :func:`defect`.

    Examples
    --------
    >>> import counterpoint as cp
    >>> str(cp.pace.gradient("car.speed", smallest=0.4, largest=2.0))
    'gradient of car.speed'
    """
    if signals is not None and not isinstance(signals, str | Sequence):
        raise SetupError(f"pace.signals: {signals!r}; expected outputs, subsystem.output")
    names = (signals,) if isinstance(signals, str) else None if signals is None else tuple(signals)
    limits = _limits(first, smallest, largest, growth, align)
    made = Gradient(limits, names, p0, p1, derivative, tolerance, absolute, reject)
    problems = [] if tolerance is None else _bad_tolerance(tolerance)
    problems += _bad_choice(reject)
    if reject and tolerance is None:
        problems.append("pace.reject: without a tolerance the law estimates no error; also give a tolerance")
    problems += _bad_numbers("absolute", absolute)
    if names is not None and (not names or not all(isinstance(name, str) for name in names)):
        problems.append(f"pace.signals: {signals!r}; expected outputs, subsystem.output")
    if tolerance is None:
        problems += [
            f"pace.{name}: is missing; the gradient law needs either the range of its steps in s or a tolerance"
            for name, value in (("smallest", limits.smallest), ("largest", limits.largest))
            if value is None
        ]
    problems += [
        f"pace.{name}: {value!r}; expected a positive number"
        for name, value in (("p0", p0), ("p1", p1))
        if not (is_number(value) and value > 0.0)
    ]
    if derivative is not None and not is_whole(derivative, 1, 5):
        problems.append(f"pace.derivative: {derivative!r}; expected an integer from 1 to 5")
    made._check(problems)
    return made


def defect(
    tolerance: float = 1e-3,
    *,
    absolute: PerSignal = 1e-9,
    scale: Mapping[str, float] | None = None,
    first: Duration = None,
    smallest: Duration = None,
    largest: Duration = None,
    growth: float = 2.0,
    align: Duration = None,
    reject: bool | None = None,
) -> Pace:
    """Return steps controlled by the interface defect: assumed input values against arrived ones.

    A proportional-integral controller keeps the defect at the end of each step near the tolerance. For steps longer
    than the mean step, the defect is multiplied by the length over the mean; for shorter steps among the first eight
    after an event, by the square root of this ratio. No step has to be repeated, so the pace works with any subsystem.
    If a source publishes less often than the subsystem steps, steps are not shortened, because that would not help.

    Parameters
    ----------
    tolerance : float
        Relative to the largest absolute value of each signal so far.
    absolute : float, or mapping output -> float
        Added to it, in units of the signal. Set it for signals that stay near zero.
    scale : mapping output -> float, optional
        Sizes of signals, instead of their largest absolute values.
    first, smallest, largest, growth, align
        See :class:`Limits`.
    reject : bool, optional
        Whether a step with an error above 1.5 times the tolerance, for example one that met a contact, is rejected and
        made again with a shorter length. Default: in ``run``, if all subsystems are Counterpoint models that save their
        states, except if all are linear.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
    ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
    ...     system.add(name, mass)
    >>> system.connect("left.x", "right.u", cp.lagrange(2))
    >>> system.connect("right.x", "left.u", cp.lagrange(2))
    >>> result = system.run(until=2.0, scheme="parallel", pace=cp.pace.defect(1e-3, first=1e-3))
    >>> bool(result.steps["left"].length.max() > 10 * result.steps["left"].length.min())
    True
    """
    limits = _limits(first, smallest, largest, growth, align)
    return _controlled("defect", tolerance, absolute, scale, limits, reject=reject)


def predictor_corrector(
    tolerance: float = 1e-3,
    *,
    absolute: PerSignal = 1e-9,
    scale: Mapping[str, float] | None = None,
    first: Duration = None,
    smallest: Duration = None,
    largest: Duration = None,
    growth: float = 3.0,
    align: Duration = None,
) -> Pace:
    """Return steps that are made twice: the second pass interpolates what the first one has published.

    The difference of the two passes is the error estimate. Steps with a larger error than allowed are rejected and made
    again with a shorter length. All subsystems must save and restore their states. Pass it to ``run``. Parameters: see
    :func:`defect`.

    >>> import counterpoint as cp
    >>> str(cp.pace.predictor_corrector(1e-4))
    'predictor-corrector, tolerance 0.0001'
    """
    limits = _limits(first, smallest, largest, growth, align)
    return _controlled("predictor-corrector", tolerance, absolute, scale, limits)


def doubling(
    tolerance: float = 1e-3,
    *,
    absolute: PerSignal = 1e-9,
    scale: Mapping[str, float] | None = None,
    first: Duration = None,
    smallest: Duration = None,
    largest: Duration = None,
    growth: float = 3.0,
    align: Duration = None,
) -> Pace:
    """Return steps that are made as a whole and as two halves, which are kept (Richardson).

    The error estimate is their difference, reduced according to the order. Steps with a larger error than allowed are
    rejected, and also steps whose assumed inputs are wrong by ten times that, as at a contact that neither pass
    foresees. All subsystems must save and restore their states. Pass it to ``run``. Parameters: see :func:`defect`.

    >>> import counterpoint as cp
    >>> str(cp.pace.doubling(1e-4))
    'doubling, tolerance 0.0001'
    """
    return _controlled("doubling", tolerance, absolute, scale, _limits(first, smallest, largest, growth, align))


def energy(
    tolerance: float = 1e-2,
    *,
    bonds: Sequence[tuple[str, str]] | None = None,
    absolute: float = 1e-9,
    first: Duration = None,
    smallest: Duration = None,
    largest: Duration = None,
    growth: float = 1.5,
    align: Duration = None,
) -> Pace:
    """Return steps controlled by the power that the interface creates or destroys.

    For each power bond, the power sent by one side is compared with the power received by the other; the difference is
    relative to the mean power exchanged so far. Pass it to ``run``.

    Parameters
    ----------
    tolerance : float
        Fraction of the exchanged power.
    bonds : list of pairs
        For each bond the inputs that its two connections enter, ``("chassis.force", "wheel.speed")``: an effort and a
        flow, in opposite directions. Default: the bonds of the system that exchange both unchanged; not those whose
        law computes the flow of both sides.
    absolute : float
        Added to the tolerance, W.
    first, smallest, largest, growth, align
        See :class:`Limits`.

    >>> import counterpoint as cp
    >>> str(cp.pace.energy(bonds=[("chassis.force", "wheel.speed")]))
    'energy, tolerance 0.01'
    """
    limits = _limits(first, smallest, largest, growth, align)
    return _controlled("energy", tolerance, absolute, None, limits, bonds=bonds)


def real_time(factor: float = 1.0, *, pace: Pace | None = None) -> Pace:
    """Return a pace that follows the wall clock: no step begins before its time.

    Steps that end too late are counted (``result.overruns``); the next steps begin immediately, and none is skipped.

    Parameters
    ----------
    factor : float
        Simulated seconds per second of wall time.
    pace : Pace, optional
        Rule that chooses the step lengths; default: those of the subsystems.

    >>> import counterpoint as cp
    >>> str(cp.pace.real_time(2.0))
    'real time x 2'
    """
    if not is_number(factor) or factor <= 0.0:
        raise SetupError(f"real_time: {factor!r}; expected a positive number of simulated seconds per second")
    if pace is not None and (not isinstance(pace, Pace) or isinstance(pace, RealTime)):
        raise SetupError(f"pace.pace: {pace!r}; expected another pace, such as cp.pace.fixed(0.01)")
    return RealTime(factor=float(factor), pace=pace)


def _limits(first: Duration, smallest: Duration, largest: Duration, growth: float | None, align: Duration) -> Limits:
    return Limits(
        time_at("pace.first", first),
        time_at("pace.smallest", smallest),
        time_at("pace.largest", largest),
        growth,
        time_at("pace.align", align),
    )


def _durations(where: str, given: Any) -> Any:
    """Return times in s, those that are texts with a unit converted."""
    if not isinstance(given, list | tuple):
        return given
    return [time_at(f"{where}[{k}]", value) if isinstance(value, str) else value for k, value in enumerate(given)]


def _are_numbers(given: Any) -> bool:
    import numpy as np

    try:
        np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _bad_tolerance(tolerance: Any) -> list[str]:
    if is_number(tolerance) and tolerance > 0.0:
        return []
    return [f"pace.tolerance: {tolerance!r}; expected a positive number"]


def _bad_choice(reject: Any) -> list[str]:
    if reject is None or isinstance(reject, bool):
        return []
    return [f"pace.reject: {reject!r}; expected true or false"]


def _bad_numbers(name: str, given: object, *, zero: bool = True) -> list[str]:
    """Return the problems of one number, or one per signal."""
    named: Any = given.items() if isinstance(given, Mapping) else [("", given)]
    least = "a number of at least 0" if zero else "a positive number"
    return [
        f"pace.{name}{f'.{key}' if key else ''}: {value!r}; expected {least}"
        for key, value in named
        if not is_number(value) or value < 0.0 or (value == 0.0 and not zero)
    ]


def _controlled(
    kind: str,
    tolerance: float,
    absolute: PerSignal,
    scale: Mapping[str, float] | None,
    limits: Limits,
    *,
    bonds: Sequence[tuple[str, str]] | None = None,
    reject: bool | None = None,
) -> Controlled:
    if scale is not None and not isinstance(scale, Mapping):
        raise SetupError(f'pace.scale: {scale!r}; expected sizes by output, {{"wheel.force": 1500.0}}')
    pairs: Any = None if bonds is None else tuple(tuple(bond) for bond in bonds)  # of two names: checked below
    made = Controlled(limits, tolerance, absolute, dict(scale or {}), kind, pairs, reject)
    problems = [*_bad_tolerance(tolerance), *_bad_numbers("absolute", absolute), *_bad_choice(reject)]
    problems += _bad_numbers("scale", scale, zero=False) if scale else []
    if pairs is not None and not all(len(pair) == 2 and all(isinstance(x, str) for x in pair) for pair in pairs):
        problems.append(f"pace.bonds: {bonds!r}; expected pairs of inputs, (effort, flow)")
    made._check(problems)
    return made
