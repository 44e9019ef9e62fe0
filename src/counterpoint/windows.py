"""Windows: time intervals that a run repeats, so that extrapolated values are interpolated in the next pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ._common.numbers import MOST_REPEATS, is_number, is_whole
from .errors import SetupError
from .units import time_at

Stencil = Literal["one-sided", "centred"]
"""Which samples a repeat takes: the first one ahead and those before it, or as many ahead as behind."""


@dataclass(frozen=True)
class Window:
    """How a run is divided into windows and how often each is repeated; created by :func:`window`.

    Attributes
    ----------
    length : float
        Length of a window, s.
    repeats : int
        Passes after the first, at most.
    tolerance : float or None
        Stop repeating a window when a repeat changes the interface less than this, relative to the size of each signal.
        None: always ``repeats`` repeats.
    stencil : str
        ``"centred"``: repeats take as many samples ahead of the time asked as behind it; ``"one-sided"``: the first one
        ahead and those before it.
    """

    length: float
    repeats: int = 1
    tolerance: float | None = None
    stencil: Stencil = "one-sided"

    def __post_init__(self) -> None:
        problems = []
        if not is_number(self.length) or self.length <= 0.0:
            problems.append(f"window.length: {self.length!r}; expected a positive number of seconds")
        if not is_whole(self.repeats, 1, MOST_REPEATS):
            problems.append(
                f"window.repeats: {self.repeats!r}; expected an integer of at least 1 and at most {MOST_REPEATS}"
            )
        if self.tolerance is not None and (not is_number(self.tolerance) or self.tolerance <= 0.0):
            problems.append(f"window.tolerance: {self.tolerance!r}; expected a positive number or None")
        if self.stencil not in get_args(Stencil):
            problems.append(f'window.stencil: {self.stencil!r}; expected "one-sided" or "centred"')
        if problems:
            raise SetupError(problems)

    def __str__(self) -> str:
        often = "once" if self.repeats == 1 else f"{self.repeats} times"
        until = "" if self.tolerance is None else f", or until it changes less than {self.tolerance:g}"
        centred = " with centred stencils" if self.stencil == "centred" else ""
        return f"windows of {self.length:g} s, repeated {often}{centred}{until}"


def window(
    length: float | str, repeats: int = 1, tolerance: float | None = None, stencil: Stencil = "one-sided"
) -> Window:
    """Return windows for a run: each time interval is repeated with the samples of the previous pass.

    All subsystems run from the start of a window to its end by the scheme. Then they are restored and run again, and
    values that were extrapolated in the first pass are interpolated from its samples (waveform relaxation). Only the
    last pass of a window counts. All subsystems must be able to save and restore their state.

    Parameters
    ----------
    length : float or str
        Length of a window in s, or with its unit, ``"2 ms"``; at least the longest fixed step. A step that would go
        beyond the end of a window ends there; the next one returns to the subsystem's own grid.
    repeats : int
        Passes after the first, at most. One is often enough: it turns an extrapolation error into an interpolation
        error, 5 times smaller with ``lagrange(1)``, 9 times with ``lagrange(2)``.
    tolerance : float, optional
        A repeat is the last one of its window when no extrapolated output changes more at the end of the window,
        relative to the largest absolute value that this output has had at the ends of windows. Windows that do not
        converge are counted in ``result.summary.windows`` and reported in ``result.quality``.
    stencil : str
        ``"centred"``: approximations that use more than two samples take as many ahead of the time asked as behind it,
        since a repeat knows both. A cubic (``lagrange(3)``, ``hermite()``) then has order 4 from values alone, from the
        first window on, if a window has at least three steps. A subsystem that waits for another one does so until
        that has reached the end of the window. ``"one-sided"``: the first sample ahead and those before it.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
    ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
    ...     system.add(name, mass, step=0.01)
    >>> system.connect("left.x", "right.u")
    >>> system.connect("right.x", "left.u")
    >>> result = system.run(until=1.0, scheme="parallel", window=cp.window(length=0.02, repeats=1))
    >>> result.summary.windows.count, result.summary.windows.passes
    (50, 100)
    """
    return Window(time_at("window.length", length), repeats, tolerance, stencil)
