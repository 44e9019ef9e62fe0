"""What a user may give to an analysis of stability, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._common.numbers import is_number
from ..errors import SetupError

#: What a run takes that changes the map of a period; the rest has no meaning without a run, or changes the steps.
OPTIONS = ("energy_correction", "threads", "window")

_REASONS = {
    "pace": "a pace chooses steps during a run, so there is no map of one period; see changing_pace",
    "host": "a host has no linear model",
    "real_time": "the wall clock does not change a run; leave it out",
    "adapt": "it changes approximations during a run; leave it out",
    "first_steps": "unit histories take the place of first steps; leave it out",
}


def check_options(where: str, options: Mapping[str, Any]) -> None:
    """Raise SetupError for options of a run that an analysis of stability cannot heed."""
    allowed = ", ".join(OPTIONS)
    problems = [
        f"{where}: {name}={value!r}: {_REASONS.get(name, 'not an option of stability')}; expected {allowed}"
        for name, value in options.items()
        if name not in OPTIONS and (name, value) != ("first_steps", "once")
    ]
    if problems:
        raise SetupError(problems)


def positive(where: str, name: str, value: object, *, least: float = 0.0) -> list[str]:
    """Return what is wrong with a number that is to be positive, or (with ``least``) at least so large."""
    if is_number(value) and (value > 0.0 if least == 0.0 else value >= least):  # type: ignore[operator]
        return []
    return [f"{where}: {name}: {value!r}; expected a {'positive number' if least == 0.0 else f'number from {least:g}'}"]


def checked_factors(where: str, factors: Sequence[float]) -> tuple[float, ...]:
    """Return the factors of steps, each once; raise SetupError for what is none."""
    given: list[Any] = [factors] if is_number(factors) or isinstance(factors, str) else list(factors)
    problems = [text for factor in given for text in positive(where, "factors", factor)]
    if not given:
        problems = [f"{where}: factors: none are given; expected positive numbers, (0.5, 1.0, 2.0) for example"]
    if problems:
        raise SetupError(problems)
    return tuple(dict.fromkeys(float(factor) for factor in given))
