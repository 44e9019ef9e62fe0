"""What every family of blocks builds on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ... import _core
from ...errors import SetupError
from ..block import parameters

if TYPE_CHECKING:
    from ..block import Block, Maker


def limit_values(limits: tuple[float, float] | None) -> dict[str, Any]:
    """Return limits as the core's parameters."""
    if limits is None:
        return {}
    try:
        lower, upper = limits
        return {"lower": float(lower), "upper": float(upper)}
    except (TypeError, ValueError):
        raise SetupError(f'"limits": {limits!r}; expected a pair (lower, upper)') from None


class Family:
    """Base of families: their methods call :meth:`add`, which a diagram defines."""

    def add(
        self,
        kind: str,
        inputs: Iterable[Any] = (),
        /,
        *,
        name: str | None = None,
        named_inputs: dict[str, Any] | None = None,
        make: Maker | None = None,
        block_type: type[Block] = ...,
        **values: Any,
    ) -> Block:
        """Add a block of a kind of the core."""
        raise NotImplementedError


def given(u: Any) -> tuple[Any, ...]:
    """Return the only input if it is given at once; one left out is connected later."""
    return () if u is None else (u,)


DEFAULT: Any = object()
"""Stands in a signature for what the core takes when the parameter is not given; see :func:`with_defaults`."""

_CONVERT: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int}
"""The core knows flags and whole numbers as numbers."""

_F = TypeVar("_F", bound=Callable[..., Any])


def with_defaults(kind: str, **needed: Any) -> Callable[[_F], _F]:
    """Return a decorator that puts the core's defaults of a kind of block into a signature, in place of DEFAULT.

    Defaults are stated in the core, which also serves files and exported FMUs; here they are shown.

    Parameters
    ----------
    kind : str
        Kind of block.
    **needed
        Any values of the parameters without which there is no such block.

    Examples
    --------
    >>> import inspect
    >>> import counterpoint as cp
    >>> inspect.signature(cp.Diagram.pid).parameters["filter"].default
    100.0
    """
    numbers, texts = _core.diagram.defaults(kind, *parameters(needed))
    known: dict[str, Any] = {name: values[0] if len(values) == 1 else values for name, values in numbers.items()}
    known |= texts

    def put(method: _F) -> _F:
        options: dict[str, Any] = method.__kwdefaults__ or {}
        for name in [name for name, value in options.items() if value is DEFAULT]:
            convert = _CONVERT.get(method.__annotations__[name])
            options[name] = convert(known[name]) if convert else known[name]
        return method

    return put
