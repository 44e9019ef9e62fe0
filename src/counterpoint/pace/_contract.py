"""Paces: the contract, the information that a pace gets, and the limits of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._common.numbers import is_number
from ..errors import SetupError

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


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
        """Return the problems of the limits."""
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
        if self.align is not None and self.smallest is not None and self.align < self.smallest:
            found.append(
                f"pace.align: {self.align:g} s is shorter than pace.smallest, {self.smallest:g} s; no step is longer "
                "than align"
            )
        order = [(name, named[name]) for name in ("smallest", "first", "largest")]
        known = [(name, value) for name, value in order if value is not None]
        return found + [
            f"pace.{low}: {a:g} s is longer than pace.{high}, {b:g} s; expected smallest <= first <= largest"
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
    """Information for a pace written in Python when it chooses the next step.

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

    1. :meth:`next_step` returns the length of the step that begins at ``step.t``, in s. It is called once per step, in
       order of time. ``limits`` apply to its result.
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


def as_pace(given: object, where: str = "pace") -> Pace | None:
    """Return what a user gave as a pace: an object, a function or nothing."""
    if given is None or isinstance(given, Pace):
        return given
    if isinstance(given, type):
        raise SetupError(f"{where}: {given.__name__} is a class; expected an object of it, {given.__name__}()")
    if getattr(given, "__module__", "") == __package__:  # a function that makes a pace
        name = getattr(given, "__name__", "")
        raise SetupError(f"{where}: cp.pace.{name} was not called; write cp.pace.{name}(...) with its parameters")
    if callable(given):
        return _Function(given)
    raise SetupError(f"{where}: {given!r}; expected a pace such as cp.pace.defect(1e-3), or a function")
