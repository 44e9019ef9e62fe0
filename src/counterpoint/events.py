"""Events: changes of inputs, connections and parameters at given times or on a condition.

Actions are made here and planned with :meth:`System.at <counterpoint.System.at>` and
:meth:`System.when <counterpoint.System.when>`. If several actions apply to one target, the one that began last is in
force.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._common.numbers import is_number, is_whole
from .errors import SetupError
from .units import time_at

__all__ = [
    "Action",
    "Condition",
    "PlannedEvent",
    "noise",
    "offset",
    "override",
    "release",
    "scale",
    "stuck",
]

Kind = Literal["override", "scale", "offset", "stuck", "noise", "release"]
MOST_SEED = (1 << 63) - 1


@dataclass(frozen=True)
class Action:
    """What an event does; made by the functions of this module.

    Attributes
    ----------
    kind : str
        Name of the function that made it.
    values : tuple of float
        In units of the target, or factors; one, or one per component. Empty if the action has none.
    seed : int
        Of noise.
    every : float or None
        Noise: interval in s at which numbers are drawn; None: for each step.
    """

    kind: Kind
    values: tuple[float, ...] = ()
    seed: int = 0
    every: float | None = None

    def __str__(self) -> str:
        numbers = ", ".join(f"{value:.6g}" for value in self.values)
        return f"{self.kind} {numbers if len(self.values) < 2 else f'[{numbers}]'}".strip()


def override(value: ArrayLike) -> Action:
    """Return the action that sets a target to this value, in units of the target, even if it is driven.

    >>> print(override(0.5))
    override 0.5
    """
    return Action("override", _numbers("override", value))


def scale(factor: ArrayLike) -> Action:
    """Return the action that multiplies a target by a factor.

    >>> print(scale(0.9))
    scale 0.9
    """
    return Action("scale", _numbers("scale", factor))


def offset(value: ArrayLike) -> Action:
    """Return the action that adds a value, in units of the target.

    >>> print(offset([0.1, 0.0]))
    offset [0.1, 0]
    """
    return Action("offset", _numbers("offset", value))


def stuck() -> Action:
    """Return the action that holds the value of the target at the time of the event.

    >>> print(stuck())
    stuck
    """
    return Action("stuck")


def noise(deviation: ArrayLike, seed: int, *, every: float | str | None = None) -> Action:
    """Return the action that adds normally distributed numbers.

    Parameters
    ----------
    deviation : float, or one per component
        Standard deviation, in units of the target.
    seed : int
        The same seed gives the same numbers, in repeated windows and with any number of threads.
    every : float or str, optional
        Interval at which numbers are drawn, in s or with its unit; default: for each step of the subsystem.

    Examples
    --------
    >>> print(noise(0.01, seed=7))
    noise 0.01
    """
    deviations = _numbers("noise.deviation", deviation)
    problems = []
    if min(deviations) < 0.0:
        problems.append(f"noise.deviation: {deviation!r}; expected no negative number")
    if not is_whole(seed, 0, MOST_SEED):
        problems.append(f"noise.seed: {seed!r}; expected an integer from 0")
    interval = time_at("noise.every", every)
    if interval is not None and (not is_number(interval) or interval <= 0.0):
        problems.append(f"noise.every: {every!r}; expected a positive number of seconds")
    if problems:
        raise SetupError(problems)
    return Action("noise", deviations, seed, None if interval is None else float(interval))


def release() -> Action:
    """Return the action that ends all other actions on a target.

    >>> print(release())
    release
    """
    return Action("release")


def _numbers(where: str, given: ArrayLike) -> tuple[float, ...]:
    try:
        numbers = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise SetupError(f"{where}: {given!r}; expected a number") from None
    if numbers.ndim != 1 or numbers.size == 0 or not np.all(np.isfinite(numbers)):
        raise SetupError(f"{where}: {given!r}; expected a finite number, or one per component")
    return tuple(numbers.tolist())


@dataclass(frozen=True)
class Condition:
    """A comparison of published outputs; made by :meth:`System.when`.

    Attributes
    ----------
    text : str
        The text as written, or the name of the function.
    outputs : tuple of str
        ``subsystem.output``, scalars.
    weights, constant : numbers
        It is true while the weighted sum of the outputs plus the constant is above 0 ...
    or_equal : bool
        ... or equal to it.
    function : function or None
        Of the outputs: the condition is true while it returns a number above 0 or True.
    """

    text: str
    outputs: tuple[str, ...]
    weights: tuple[float, ...] = ()
    constant: float = 0.0
    or_equal: bool = False
    function: Callable[..., Any] | None = None


_COMPARISON = re.compile(r"(?P<left>[^<>=]+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<right>[^<>=]+)")
_SHAPE = 'write it as "subsystem.output > 10" or "a.y <= b.y"'


def to_condition(given: str | Callable[..., Any], of: str | Sequence[str] = ()) -> Condition:
    """Return the condition that a text or a function of outputs means.

    >>> to_condition("engine.speed > 300").weights
    (1.0,)
    """
    outputs = (of,) if isinstance(of, str) else tuple(of)
    if callable(given):
        if not outputs:
            raise SetupError("when.of: name the outputs that the function takes, of=['subsystem.output']")
        return Condition(getattr(given, "__name__", "function"), outputs, function=given)
    if not isinstance(given, str):
        raise SetupError(f"when: {given!r}; expected a comparison such as 'engine.speed > 300', or a function")
    if outputs:
        raise SetupError(f'when.of: "{given}" already names its outputs; remove the argument of')
    return _comparison(given)


def _comparison(text: str) -> Condition:
    found = _COMPARISON.fullmatch(text.strip())
    if found is None:
        raise SetupError(f'when: "{text}": not a comparison; {_SHAPE}')
    above = 1.0 if found["sign"].startswith(">") else -1.0
    outputs: list[str] = []
    weights: list[float] = []
    constant = 0.0
    for side, weight in ((found["left"], above), (found["right"].strip(), -above)):
        number = _number(side)
        if number is None:
            outputs.append(side)
            weights.append(weight)
        else:
            constant += weight * number
    if not outputs or not np.isfinite(constant):
        raise SetupError(f'when: "{text}": compares no output with a finite number; {_SHAPE}')
    return Condition(text.strip(), tuple(outputs), tuple(weights), constant, found["sign"].endswith("="))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@dataclass(frozen=True)
class PlannedEvent:
    """An action on a target, at a time or on a condition; made by :meth:`System.at` and :meth:`System.when`.

    Attributes
    ----------
    target : str
        An input or a parameter, ``subsystem.port``, or a connection, ``a.y -> b.u``.
    action : Action
        What it does.
    at : float or None
        Time in s; None: on the condition.
    condition : Condition or None
        When it begins to hold, each time.
    until : float or None
        Time in s at which it ends; None: with the run, or by a release.
    lasting : float or None
        Time in s after which it ends.
    """

    target: str
    action: Action
    at: float | None = None
    condition: Condition | None = None
    until: float | None = None
    lasting: float | None = None

    def __str__(self) -> str:
        return f"{self.target}: {self.action}"


def planned(
    target: str,
    action: Action | ArrayLike,
    *,
    at: float | str | None = None,
    condition: Condition | None = None,
    until: float | str | None = None,
    lasting: float | str | None = None,
) -> PlannedEvent:
    """Return an event with its times in s; a number instead of an action overrides."""
    if not isinstance(target, str):
        raise SetupError(f"target: {target!r}; expected an input or a parameter 'subsystem.port', or 'a.y -> b.u'")
    chosen = action if isinstance(action, Action) else override(action)
    when = {key: time_at(key, value) for key, value in (("at", at), ("until", until), ("lasting", lasting))}
    return PlannedEvent(target, chosen, condition=condition, **when)
