"""Sinks: where signals end, or end a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .family import Family, given

if TYPE_CHECKING:
    from ..block import Block


class SinkBlocks(Family):
    """Sinks: where signals end, or end a run."""

    def terminator(self, u: Any = None, *, name: str | None = None) -> Block:
        """End a signal that is not used."""
        return self.add("terminator", given(u), name=name)

    def stop(self, u: Any = None, *, message: str | None = None, name: str | None = None) -> Block:
        """End the run normally at the time when the input becomes positive.

        The result is that of a finished run; ``result.message`` tells which block ended it and why
        (``message``). Its last step is shorter than the others, so subsystems that read the diagram wait for it.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("fall")
        >>> height = model.integrator(model.integrator(-9.81), initial=5.0)
        >>> model.stop(height <= 0.0, message="it has landed", name="ground")
        <stop ground>
        >>> model.output("height", height)
        >>> result = model.run(until=10.0, step=0.1)
        >>> round(float(result["fall.height"].time[-1]), 6)
        1.009638
        """
        return self.add("stop", given(u), name=name, message=message)

    def assertion(self, u: Any = None, *, message: str | None = None, name: str | None = None) -> Block:
        """Fail the run, naming block, time and ``message``, when the input is zero (false) at an accepted time."""
        return self.add("assertion", given(u), name=name, message=message)
