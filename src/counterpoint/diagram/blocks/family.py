"""What every family of blocks builds on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import SetupError

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
