"""Blocks with continuous states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .family import Family

if TYPE_CHECKING:
    from ..block import Block


class ContinuousBlocks(Family):
    """Blocks with continuous states."""

    def integrator(
        self,
        u: Any = None,
        *,
        initial: ArrayLike = 0.0,
        reset: Any = None,
        edge: str = "rising",
        name: str | None = None,
    ) -> Block:
        """Integrate the input over time from ``initial``; its width is that of the initial value.

        With ``reset`` (a signal) the state becomes the initial value when that signal passes zero as ``edge`` says
        (rising, falling, either). The instant of the reset is located; other blocks still see the state
        before it when they act in the same instant.
        """
        return self.add(
            "integrator",
            () if u is None else (u,),
            name=name,
            named_inputs={"reset": reset},
            initial=initial,
            reset=None if reset is None else edge,
        )
