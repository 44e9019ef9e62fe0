"""Vectors put together and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .family import Family, given

if TYPE_CHECKING:
    from ..block import Block


class RoutingBlocks(Family):
    """Vectors put together and taken apart.

    Examples
    --------
    >>> import counterpoint as cp
    >>> model = cp.Diagram("vectors")
    >>> both = model.mux(model.constant([1.0, 2.0]), 3.0)
    >>> model.output("last", both[-1])
    >>> model.output("turned", both[::-1])
    >>> result = model.run(until=1.0, step=1.0)
    >>> result["vectors.turned"].values[-1].tolist()
    [3.0, 2.0, 1.0]
    """

    def mux(self, *u: Any, name: str | None = None) -> Block:
        """Join signals into one vector."""
        return self.add("mux", u, name=name, count=len(u))

    def concatenate(self, *u: Any, name: str | None = None) -> Block:
        """Join vectors into one; the same as :meth:`mux`."""
        return self.mux(*u, name=name)

    def demux(
        self, u: Any = None, *, outputs: int | None = None, widths: Sequence[int] | None = None, name: str | None = None
    ) -> Block:
        """Split a vector into outputs ``y1``, ``y2``, ... of equal width, or of the ``widths`` given."""
        return self.add("demux", given(u), name=name, outputs=outputs, widths=widths)

    def selector(self, u: Any = None, indices: int | slice | Sequence[int] = 0, *, name: str | None = None) -> Block:
        """Select components of a vector by index, from 0; negative: from the end, as ``signal[2]``, ``signal[0:3]``."""
        if isinstance(indices, slice):
            start, stop, step = indices.start, indices.stop, indices.step
            return self.add("selector", given(u), name=name, start=start, stop=stop, step=step)
        return self.add("selector", given(u), name=name, indices=indices)
