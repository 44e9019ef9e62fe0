"""What every family of blocks builds on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..block import Block, Maker


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
