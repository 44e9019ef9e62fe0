"""Paces: rules that choose the steps of subsystems from what a run has shown.

A pace is given to one subsystem, ``system.add(name, model, pace=...)``, which then steps by itself, or to all of them,
``system.run(until, pace=...)``, which then step together. Lengths and times are in s, or texts with a unit
(``"2 ms"``). Every step is kept in ``result.steps``, with the rule that chose it and its estimated error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from ._common.numbers import is_number, is_whole
from .errors import SetupError
from .units import time_at

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

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
PerSignal = float | Mapping[str, float]


@dataclass(frozen=True)
class Limits:
    """Between which lengths the steps of a pace stay.

    Attributes
    ----------
    first : float or None
        The first step and the one after an event, s; None: the ``step`` of the subsystem, or a ten-thousandth of the
        run.
    smallest, largest : float or None
        s; None: from the length of the run.
    growth : float or None
        A step is at most so many times the one before; None: no limit.
    align : float or None
        No step goes over a multiple of this time (s), so that signals sampled there are met.
    """

    first: float | None = None
    smallest: float | None = None
    largest: float | None = None
    growth: float | None = None
    align: float | None = None

    def problems(self) -> list[str]:
        """Return what is wrong with the limits."""
        named = {"first": self.first, "smallest": self.smallest, "largest": self.largest, "align": self.align}
        found = [
            f"pace.{name}: {value!r}; expected a positive number of seconds"
            for name, value in named.items()
            if value is not None and not (is_number(value) and value > 0.0)
        ]
        if self.growth is not None and not (is_number(self.growth) and self.growth > 1.0):
            found.append(f"pace.growth: {self.growth!r}; expected a number above 1")
        if found:
            return found
        order = [(name, named[name]) for name in ("smallest", "first", "largest")]
        known = [(name, value) for name, value in order if value is not None]
        return [
            f"pace.{low}: {a:g} s is longer than pace.{high}, {b:g} s; exchange them"
            for (low, a), (high, b) in pairwise(known)
            if a > b
        ]


@dataclass(frozen=True)
class Arrival:
    """What a step assumed for an input, and what arrived.

    Attributes
    ----------
    connection : str
        ``"a.y -> b.u"``; of a vector its first element is compared.
    t : float
        End of the step, s.
    assumed, arrived : float
        In units of the input.
    """

    connection: str
    t: float
    assumed: float
    arrived: float

    @property
    def defect(self) -> float:
        """Absolute difference of the two."""
        return abs(self.assumed - self.arrived)


@dataclass(frozen=True)
class Step:
    """What a pace written in Python is told when it is asked for the next step.

    Attributes
    ----------
    t : float
        Where the next step begins, s.
    length : float
        Length of the step before, s; 0 at first.
    arrivals : tuple of Arrival
        What was compared since the last question.
    outputs : mapping
        Latest outputs that may be looked at: ``subsystem.output`` -> number or array.
    """

    t: float
    length: float
    arrivals: tuple[Arrival, ...]
    outputs: Mapping[str, float | NDArray[float64]]


class Pace:
    """Base class for a pace written in Python.

    Contract for implementers:

    1. :meth:`next_step` returns the length of the step that begins at ``step.t``, in s. It is asked once per step, in
       order of time. ``limits`` apply to what it returns.
    2. It may return ``(length, estimate)``: the estimate is kept with the step before.
    3. Equal runs give equal results when it uses its argument and its own attributes only. :meth:`start` is called
       before each run.

    A function of a :class:`Step` can be given instead of an object.

    Examples
    --------
    >>> import counterpoint as cp
    >>> class Alternating(cp.pace.Pace):
    ...     def next_step(self, step):
    ...         return 0.1 if step.length > 0.15 else 0.2
    >>> system = cp.System()
    >>> tank = cp.ode(lambda t, x, u: -x, [1.0], outputs="level", solver="ode4")
    >>> system.add("tank", tank, pace=Alternating())
    >>> system.run(until=0.6).steps["tank"].length.round(3).tolist()
    [0.2, 0.1, 0.2, 0.1]
    """

    kind: str = "python"
    limits: Limits = Limits()
    tolerance: float | None = None

    def start(self) -> None:
        """Prepare for a run."""

    def next_step(self, step: Step) -> float | tuple[float, float]:
        """Return the length of the next step, s."""
        raise NotImplementedError(f"{type(self).__name__} must define next_step(step)")

    @property
    def for_all_only(self) -> bool:
        """Whether it chooses the steps of all subsystems together, and not of a single one."""
        return False

    @property
    def saves(self) -> bool:
        """Whether subsystems have to save and restore their states."""
        return False

    def __str__(self) -> str:
        return f"{self.kind} {type(self).__name__}"


@dataclass(frozen=True)
class _Function(Pace):
    function: Callable[[Step], Any]

    def next_step(self, step: Step) -> Any:
        return self.function(step)

    def __str__(self) -> str:
        return f"python {getattr(self.function, '__name__', 'function')}"


@dataclass(frozen=True)
class _Builtin(Pace):
    limits: Limits = field(default_factory=Limits)

    def _check(self, problems: Sequence[str] = ()) -> None:
        found = [*self.limits.problems(), *problems]
        if found:
            raise SetupError(found)


@dataclass(frozen=True)
class Fixed(_Builtin):
    """Equal steps; made by :func:`fixed`."""

    step: float = 0.0
    kind = "fixed"

    def __str__(self) -> str:
        return f"fixed, {self.step:g} s"


@dataclass(frozen=True)
class Table(_Builtin):
    """Steps over time; made by :func:`table`."""

    times: tuple[float, ...] = ()
    steps: tuple[float, ...] = ()
    between: str = "hold"
    kind = "table"

    def __str__(self) -> str:
        return f"table of {len(self.times)} steps, {min(self.steps):g} s to {max(self.steps):g} s"


@dataclass(frozen=True)
class Gradient(_Builtin):
    """Long steps while signals change little; made by :func:`gradient`."""

    signals: tuple[str, ...] | None = None
    p0: float = 2.0
    p1: float = 2.0
    derivative: int | None = None
    tolerance: float | None = None
    absolute: PerSignal = 1e-9
    kind = "gradient"

    def __str__(self) -> str:
        led = "all coupled signals" if self.signals is None else ", ".join(self.signals)
        return f"gradient of {led}" + ("" if self.tolerance is None else f", tolerance {self.tolerance:g}")


@dataclass(frozen=True)
class Controlled(_Builtin):
    """Steps by an estimated error; made by :func:`defect` and others."""

    tolerance: float = 1e-3
    absolute: PerSignal = 1e-9
    scale: Mapping[str, float] = field(default_factory=dict)
    kind: str = "defect"
    bonds: tuple[tuple[str, str], ...] | None = None

    @property
    def for_all_only(self) -> bool:
        """Whether it chooses the steps of all subsystems together."""
        return self.kind != "defect"

    @property
    def saves(self) -> bool:
        """Whether subsystems have to save and restore their states."""
        return self.kind in ("predictor-corrector", "doubling")

    def __str__(self) -> str:
        return f"{self.kind}, tolerance {self.tolerance:g}"


@dataclass(frozen=True)
class RealTime(_Builtin):
    """The wall clock; made by :func:`real_time`."""

    factor: float = 1.0
    pace: Pace | None = None
    kind = "real-time"

    def __str__(self) -> str:
        return f"real time x {self.factor:g}" + ("" if self.pace is None else f", {self.pace}")


def fixed(step: float | str) -> Pace:
    """Return equal steps of a length in s; the same as ``step=``.

    >>> import counterpoint as cp
    >>> str(cp.pace.fixed("2 ms"))
    'fixed, 0.002 s'
    """
    length = time_at("pace.step", step)
    if not is_number(length) or length <= 0.0:
        raise SetupError(f"pace.step: {step!r}; expected a positive number of seconds")
    return Fixed(step=float(length))


def table(
    times: ArrayLike,
    steps: ArrayLike,
    *,
    between: Literal["hold", "linear"] = "hold",
    align: Duration = None,
) -> Pace:
    """Return steps over time: ``H(t)``.

    Parameters
    ----------
    times, steps : arrays of shape (n,)
        From ``times[k]`` (s, increasing) on steps of ``steps[k]`` (s). Before the first time the first one is used.
    between : {"hold", "linear"}
        Hold each step until the next time, where a step then ends; or straight lines between them, read at the
        beginning of each step.
    align : float or str, optional
        No step goes over a multiple of this time, s.

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
    axis, lengths = (np.atleast_1d(np.asarray(given, dtype=np.float64)) for given in (times, steps))
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
) -> Pace:
    """Return long steps while leading signals change little: Günther et al. (2012), eqs. 7 and 8.

    ``H = smallest + (1 - min(1, r))**p0 * (largest - smallest)`` with ``r = |y'| / (p1 * mean |y'|)``, the largest of
    all leading signals; the mean is over the time since the start. At a standstill r is 0.

    Parameters
    ----------
    signals : str or list of str, optional
        Outputs that lead, ``subsystem.output``; default: all that are connected.
    smallest, largest : float or str
        Range of the steps, s; needed without ``tolerance``.
    p0, p1 : float
        Exponent, and the multiple of the mean gradient at which the smallest step is reached.
    derivative : int, optional
        Which derivative of the signals matters, 1 to 5. Default: one more than the order of the approximation in use,
        for that one sets the error of extrapolation: the first with held values, the second with ``lagrange(1)``.
    tolerance : float, optional
        Without parameters to tune: the step for which extrapolation is off by ``absolute + tolerance * largest absolute
        value so far``. ``p0`` and ``p1`` are not used then.
    absolute : float, or mapping output -> float
        In units of the signals.
    first, growth, align
        See :class:`Limits`.

    Examples
    --------
    >>> import counterpoint as cp
    >>> str(cp.pace.gradient("car.speed", smallest=0.4, largest=2.0))
    'gradient of car.speed'
    """
    names = (signals,) if isinstance(signals, str) else None if signals is None else tuple(signals)
    limits = _limits(first, smallest, largest, growth, align)
    made = Gradient(limits, names, p0, p1, derivative, tolerance, absolute)
    problems = [] if tolerance is None else _bad_tolerance(tolerance)
    problems += _bad_numbers("absolute", absolute)
    if names is not None and (not names or not all(isinstance(name, str) for name in names)):
        problems.append(f"pace.signals: {signals!r}; expected outputs, subsystem.output")
    if tolerance is None:
        problems += [
            f"pace.{name}: is missing; the gradient law needs the range of its steps in s, or a tolerance"
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
) -> Pace:
    """Return steps by the interface defect: what a step assumed for its inputs against what arrived.

    A proportional-integral controller keeps the defect at the end of each step near the tolerance. Nothing is
    repeated, so that it works with any subsystem.

    Parameters
    ----------
    tolerance : float
        Relative to the largest absolute value that a signal has had.
    absolute : float, or mapping output -> float
        Added to it, in units of the signal. Give it to signals that stay near zero.
    scale : mapping output -> float, optional
        Sizes of signals, instead of their largest absolute values.
    first, smallest, largest, growth, align
        See :class:`Limits`.

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
    return _controlled("defect", tolerance, absolute, scale, _limits(first, smallest, largest, growth, align))


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
    """Return steps that are made twice: the second time with what the first pass has published.

    The difference of the two passes is the error. Steps with a larger error are rejected and made again, shorter. All
    subsystems have to save and restore their states; the pace is given to ``run``. Parameters: see :func:`defect`.

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
    """Return steps that are made once and again as two halves, which are kept (Richardson).

    The difference, divided by what the order predicts, is the error. Steps with a larger error are rejected. All
    subsystems have to save and restore their states; the pace is given to ``run``. Parameters: see :func:`defect`.

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
    """Return steps by the power that the interface creates or destroys.

    For each power bond the power that one side sends is compared with the one that the other side receives; the
    difference is measured against the largest power so far. The pace is given to ``run``.

    Parameters
    ----------
    tolerance : float
        Share of the power exchanged.
    bonds : list of pairs
        For each bond the inputs that its two connections enter, ``("chassis.force", "wheel.speed")``: an effort and a
        flow, in opposite directions. Default: the bonds of the system.
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
    """Return the pace of the wall clock: no step begins before its time has come.

    Steps that end too late are counted (``result.overruns``); those that follow begin at once, and none is left out.

    Parameters
    ----------
    factor : float
        Simulated seconds per second of wall time.
    pace : Pace, optional
        How long steps are; default: as the subsystems say.

    >>> import counterpoint as cp
    >>> str(cp.pace.real_time(2.0))
    'real time x 2'
    """
    if not is_number(factor) or factor <= 0.0:
        raise SetupError(f"real_time: {factor!r}; expected a positive number of simulated seconds per second")
    if pace is not None and (not isinstance(pace, Pace) or isinstance(pace, RealTime)):
        raise SetupError(f"pace.pace: {pace!r}; expected another pace, such as cp.pace.fixed(0.01)")
    return RealTime(factor=float(factor), pace=pace)


def as_pace(given: object, where: str = "pace") -> Pace | None:
    """Return what a user gave as a pace: an object, a function or nothing."""
    if given is None or isinstance(given, Pace):
        return given
    if callable(given):
        return _Function(given)
    raise SetupError(f"{where}: {given!r}; expected a pace such as cp.pace.defect(1e-3), or a function")


def _limits(first: Duration, smallest: Duration, largest: Duration, growth: float | None, align: Duration) -> Limits:
    return Limits(
        time_at("pace.first", first),
        time_at("pace.smallest", smallest),
        time_at("pace.largest", largest),
        growth,
        time_at("pace.align", align),
    )


def _bad_tolerance(tolerance: Any) -> list[str]:
    if is_number(tolerance) and tolerance > 0.0:
        return []
    return [f"pace.tolerance: {tolerance!r}; expected a positive number"]


def _bad_numbers(name: str, given: object, *, zero: bool = True) -> list[str]:
    """Say what is wrong with one number, or one for each signal."""
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
) -> Controlled:
    pairs = None if bonds is None else tuple(tuple(bond) for bond in bonds)
    made = Controlled(limits, tolerance, absolute, dict(scale or {}), kind, pairs)  # type: ignore[arg-type]
    problems = [*_bad_tolerance(tolerance), *_bad_numbers("absolute", absolute)]
    problems += _bad_numbers("scale", scale, zero=False) if scale else []
    if pairs is not None and not all(len(pair) == 2 and all(isinstance(x, str) for x in pair) for pair in pairs):
        problems.append(f"pace.bonds: {bonds!r}; expected pairs of inputs, (effort, flow)")
    made._check(problems)
    return made
