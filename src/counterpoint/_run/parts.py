"""Parts of a system: subsystems with their steps, and connections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from .._common.numbers import is_number
from ..approximations import Approximation
from ..errors import SetupError
from ..pace import Pace
from ..subsystems import Subsystem

Law = Callable[..., float | ArrayLike]


@dataclass(frozen=True)
class Participant:
    """A subsystem in a system, with its step.

    Attributes
    ----------
    subsystem : Subsystem
        The model.
    step : float or None
        Fixed step in s; None: the subsystem chooses its steps.
    record : bool
        Whether its outputs are kept in the result.
    typical_step : float or None
        If the subsystem chooses its steps: the step in s by which schemes rank it.
    pace : Pace or None
        Rule that chooses its steps; ``step`` is then the first one.
    """

    subsystem: Subsystem
    step: float | None
    record: bool = True
    typical_step: float | None = None
    pace: Pace | None = None


@dataclass(frozen=True)
class Connection:
    """A connection from one or several outputs to one input.

    Attributes
    ----------
    sources : tuple of str
        Outputs, ``subsystem.port``.
    target : str
        The input.
    approximations, gains : tuples
        One per source; an approximation of None is the default.
    offset : float
        Added once, in units of the input.
    initial : float or None
        Used instead of the sources while initial outputs are found.
    law : function or None
        Computes the input from the scaled signals; None: their sum.
    convert : bool or None
        Whether units are converted; None: the setting of the system.
    """

    sources: tuple[str, ...]
    target: str
    approximations: tuple[Approximation | None, ...]
    gains: tuple[float, ...]
    offset: float = 0.0
    initial: float | None = None
    law: Law | None = None
    convert: bool | None = None


@runtime_checkable
class HasSubsystem(Protocol):
    """Something that becomes a subsystem when it is added to a system, such as a mechanism."""

    def subsystem(self) -> Subsystem:
        """Return the subsystem."""


def _one_per_source(given: Any, count: int, single: Any) -> tuple[Any, ...]:
    """Repeat one value for every source; leave a list as it is."""
    if isinstance(given, single | str) or not isinstance(given, Iterable):
        return (given,) * count
    return tuple(given)


def made_connection(
    where: str,
    source: str | Sequence[str],
    target: str,
    approximation: Approximation | Sequence[Approximation | None] | None,
    *,
    gain: float | Sequence[float],
    offset: float,
    initial: float | None,
    law: Law | None,
    convert: bool | None,
) -> Connection:
    """Return a connection, with one approximation and one gain per source; see :meth:`System.connect`."""
    sources = (source,) if isinstance(source, str) else tuple(source)
    if not sources:
        raise SetupError(f"{where}.from: no output is named")
    approximations = _one_per_source(approximation, len(sources), Approximation | None)
    gains = _one_per_source(gain, len(sources), Real)
    problems = [
        f"{where}.{key}: {len(given)} values for {len(sources)} sources"
        for key, given in (("approximation", approximations), ("gain", gains))
        if len(given) != len(sources)
    ]
    problems += [
        f"{where}.approximation: {given!r}; expected an approximation such as cp.lagrange(1)"
        for given in approximations
        if not isinstance(given, Approximation | None)
    ]
    numbers = {"gain": gains, "offset": (offset,), "initial": () if initial is None else (initial,)}
    problems += [
        f"{where}.{key}: {value!r}; expected a finite number"
        for key, values in numbers.items()
        for value in values
        if not is_number(value)
    ]
    if convert is not None and not isinstance(convert, bool):
        problems.append(f"{where}.convert: {convert!r}; expected true or false")
    if law is not None and not callable(law):
        problems.append(f"{where}.law: {law!r}; expected a function")
    if problems:
        raise SetupError(problems)
    factors = tuple(float(factor) for factor in gains)
    return Connection(sources, target, approximations, factors, float(offset), initial, law, convert)
