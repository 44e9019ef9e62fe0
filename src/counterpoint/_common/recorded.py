"""Objects that remember how they were made: to make them again in another process, or with other arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class MadeBy:
    """The call that made an object: a public function and its arguments, as they were given."""

    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: Mapping[str, Any]

    @property
    def names(self) -> list[str]:
        """Names of the arguments that the function takes."""
        kinds = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
        return [name for name, parameter in signature(self.function).parameters.items() if parameter.kind not in kinds]

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that were given, by name."""
        bound = signature(self.function).bind(*self.positional, **self.named)
        given = dict(bound.arguments)
        for name, parameter in signature(self.function).parameters.items():
            if parameter.kind is Parameter.VAR_KEYWORD:
                given |= given.pop(name, {})
        return given

    def again(self) -> Any:
        """Make another object in the same way."""
        return self.function(*self.positional, **self.named)


def recorded(make: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let what a public function makes remember the call, as its attribute ``made_by``.

    >>> from counterpoint import lagrange
    >>> made = lagrange(2)
    >>> made.made_by.arguments(), made.made_by.again()
    ({'order': 2}, <lagrange 2>)
    """

    @wraps(make)
    def making(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        made = make(*args, **kwargs)
        made.made_by = MadeBy(making, args, kwargs)  # type: ignore[attr-defined]
        return made

    return making
