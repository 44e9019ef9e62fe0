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
        *,
        name: str | None = None,
        named_inputs: dict[str, Any] | None = None,
        make: Maker | None = None,
        **values: Any,
    ) -> Block:
        """Add a block of a kind of the core."""
        raise NotImplementedError


def given(*signals: Any) -> tuple[Any, ...]:
    """Return the signals given at once; those left out are connected later."""
    missing = [k for k, signal in enumerate(signals) if signal is None]
    return signals[: missing[0]] if missing else signals
