"""Regions of stability in the complex plane: where a scheme is stable as a function of a complex number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SetupError
from ..linearisation import LinearisedSystem, linearise
from ..system import System
from .arguments import check_options
from .prober import Prober

Grid = NDArray[np.float64]

#: Spectral radii up to 1 plus this are drawn as stable: thinner slivers cannot be seen.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Region:
    """Spectral radius over a rectangle of the complex plane; made by :func:`region`.

    Attributes
    ----------
    real, imag : arrays of shape (columns,) and (rows,)
        The grid.
    radius : array of shape (rows, columns)
        Spectral radius of the map of one period.
    title : str
    tolerance : float
        How much above 1 still counts as stable.
    """

    real: Grid
    imag: Grid
    radius: Grid
    title: str = ""
    tolerance: float = TOLERANCE

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Where it is stable, shape (rows, columns)."""
        return np.asarray(self.radius <= 1.0 + self.tolerance)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the region; write the picture to ``path`` if given, return the figure."""
        from .pictures import draw_region

        return draw_region(self, path)


def region(
    make: Callable[[complex], System | LinearisedSystem],
    real: ArrayLike,
    imag: ArrayLike,
    scheme: Any = "slowest-first",
    *,
    title: str = "",
    **options: Any,
) -> Region:
    """Return where a scheme is stable, for systems that depend on a complex number.

    Parameters
    ----------
    make : function
        ``make(z)`` returns the system; for :func:`~counterpoint.stability_analysis.coupled_pair` z is h λ.
    real, imag : arrays of shape (columns,) and (rows,)
        Real and imaginary parts of z.
    scheme, **options
        As for :func:`counterpoint.stability`.

    Examples
    --------
    >>> from counterpoint.stability_analysis import region, coupled_pair
    >>> found = region(lambda z: coupled_pair(z, ratio=2), [-1.0, 0.5], [1.0], "slowest-first")
    >>> found.stable
    array([[ True, False]])
    """
    columns, rows = (np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (real, imag))
    check_options("region", options)
    if not columns.size or not rows.size:
        raise SetupError("region: real, imag: no points; expected at least one number each")
    prober: Prober | None = None
    radius = np.empty((len(rows), len(columns)))
    for place in np.ndindex(radius.shape):
        made = make(complex(columns[place[1]], rows[place[0]]))
        linear = made if isinstance(made, LinearisedSystem) else linearise(made)
        prober = Prober(linear, scheme, **options) if prober is None else prober.of(linear)
        radius[place] = np.max(np.abs(np.linalg.eigvals(prober.matrix())))
    return Region(columns, rows, radius, title)
