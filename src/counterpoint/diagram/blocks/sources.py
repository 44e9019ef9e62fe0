"""Sources: signals that depend on time alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .family import Family

if TYPE_CHECKING:
    from ..block import Block


class SourceBlocks(Family):
    """Sources: signals that depend on time alone."""

    def constant(self, value: ArrayLike, *, name: str | None = None) -> Block:
        """Give a constant, a number or a vector."""
        return self.add("constant", name=name, value=value)

    def step(self, time: float, before: float = 0.0, after: float = 1.0, *, name: str | None = None) -> Block:
        """Jump from ``before`` to ``after`` at ``time`` (s)."""
        return self.add("step", name=name, time=time, before=before, after=after)

    def sine(
        self,
        frequency: float,
        amplitude: float = 1.0,
        phase: float = 0.0,
        bias: float = 0.0,
        *,
        name: str | None = None,
    ) -> Block:
        """Give ``bias + amplitude sin(frequency t + phase)``; frequency in rad/s, phase in rad."""
        return self.add("sine", name=name, frequency=frequency, amplitude=amplitude, phase=phase, bias=bias)
