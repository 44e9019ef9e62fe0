"""Tables over signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .family import DEFAULT, Family, given, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class LookupBlocks(Family):
    """Tables over signals; tables over time are sources, see :meth:`Diagram.table`."""

    @with_defaults("lookup_1d", x=[0.0, 1.0], y=[0.0, 1.0])
    def lookup_1d(
        self,
        u: Any = None,
        *,
        x: ArrayLike,
        y: ArrayLike,
        interpolation: str = DEFAULT,
        extrapolation: str = DEFAULT,
        locate_corners: bool = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Look up a value in a table over one signal.

        Parameters
        ----------
        u : signal
            Every component of a vector is looked up.
        x, y : arrays (n,)
            Points, increasing, and the values there.
        interpolation : {"linear", "cubic", "hold", "nearest"}
            ``cubic`` is shape-preserving (pchip): no overshoot, continuous slope. ``hold`` gives the value of the
            point below. The jumps of ``hold`` and ``nearest`` are located.
        extrapolation : {"clip", "linear", "error"}
            Outside of the table: the outermost value, a straight line, or the run fails at the instant in which the
            table is left. ``hold`` and ``nearest`` clip also with ``linear``.
        locate_corners : bool
            Linear tables: split the step at every corner, for solvers of high order.
        """
        return self.add(
            "lookup_1d",
            given(u),
            name=name,
            x=x,
            y=y,
            interpolation=interpolation,
            extrapolation=extrapolation,
            locate_corners=float(locate_corners),
        )

    @with_defaults("lookup_2d", x=[0.0, 1.0], y=[0.0, 1.0], table=[[0.0, 1.0], [0.0, 1.0]])
    def lookup_2d(
        self,
        u: Any = None,
        v: Any = None,
        *,
        x: ArrayLike,
        y: ArrayLike,
        table: ArrayLike,
        interpolation: str = DEFAULT,
        extrapolation: str = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Look up a value in a table over two signals.

        Parameters
        ----------
        u, v : signals
            Along the rows' axis ``x`` and the columns' axis ``y``.
        x, y : arrays (n,), (m,)
            Points, increasing.
        table : array (n, m)
            ``table[i, j]`` is the value at ``x[i]``, ``y[j]``.
        interpolation : {"linear", "cubic", "hold", "nearest"}
            As for :meth:`lookup_1d`; ``cubic`` goes along ``y`` in the rows next to ``u``, then along ``x``.
        extrapolation : {"clip", "linear", "error"}
        """
        return self.add(
            "lookup_2d",
            name=name,
            named_inputs={"u": u, "v": v},
            x=x,
            y=y,
            table=table,
            interpolation=interpolation,
            extrapolation=extrapolation,
        )
