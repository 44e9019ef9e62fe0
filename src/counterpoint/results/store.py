"""What a run writes and what a result reads: layout, summary, and what a store has to offer.

A run knows a :class:`Store` and nothing of files; a :class:`~counterpoint.results.Result` knows a
:class:`StoreView` and nothing of runs. Every subsystem has its own time axis; nothing is resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .names import Catalog
from .paces import PaceSummary, StepsLayout, WallClockSummary

Array = NDArray[np.float64]
Metadata = Mapping[str, str | float]


class LazyRows(Protocol):
    """Rows that become an array when they are first read."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __array__(self, dtype: object = None, copy: object = None) -> Array:
        """Return the rows."""


Status = Literal["finished", "interrupted", "failed", "unfinished"]
ALL = slice(None)

FEWEST_COMPARISONS = 3
"""With fewer comparisons the variation of the signal is not known, and the relative defect is NaN."""
ROUNDING = 1e-12
"""A defect below this fraction of the signal's largest value is rounding, not coupling error."""


@dataclass(frozen=True)
class SubsystemLayout:
    """Names and units of one subsystem's outputs.

    Attributes
    ----------
    name : str
        Name of the subsystem, any text.
    columns : tuple of str
        Scalar outputs; a vector output ``p`` of width 3 gives ``p[0]``, ``p[1]``, ``p[2]``.
    units : tuple of str
        One unit a column; an empty text where none is known.
    held : tuple of str
        Columns whose values are kept from each row to the next, such as discrete outputs.
    minor : tuple of str
        Columns that are not drawn unless they are named, such as the coordinates of a mechanism.
    """

    name: str
    columns: tuple[str, ...]
    units: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.units:
            object.__setattr__(self, "units", ("",) * len(self.columns))
        if len(self.units) != len(self.columns):
            raise ValueError(f"{self.name}: {len(self.columns)} columns but {len(self.units)} units")


@dataclass(frozen=True)
class RunLayout:
    """Structure of a run's results: subsystems, labels of connections (``"a.y -> b.u"``), tables of chosen steps."""

    subsystems: tuple[SubsystemLayout, ...]
    connections: tuple[str, ...] = ()
    steps: tuple[StepsLayout, ...] = ()

    @cached_property
    def catalog(self) -> Catalog:
        """Its names and their places, the same for all results with this layout."""
        return Catalog(self)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "catalog"}


@dataclass
class DefectSummary:
    """The interface defect of one connection: the value a step assumed against the value that arrived.

    Attributes
    ----------
    connection : str
        Label, ``"a.y -> b.u"``.
    kind : str
        ``"interpolates"``, ``"extrapolates"``, or empty when not known.
    count : int
        Number of values compared.
    maximum, time_of_maximum : float
        Largest absolute defect in units of the signal, and when it occurred in s.
    rms : float
        Root mean square of the defect.
    scale : float
        Root mean square of the arrived signal about its mean; 0 when it is constant.
    magnitude : float
        Largest absolute value that arrived; 0 when not known. Tells rounding from defect.
    growth : float
        Mean of the difference over a step, relative to that at its end: how it grows with the approximation.
    """

    connection: str
    kind: str
    count: int
    maximum: float
    time_of_maximum: float
    rms: float
    scale: float
    magnitude: float = 0.0
    growth: float = 0.5

    @property
    def relative(self) -> float:
        """The rms defect over the signal's own variation; infinite for a defect on a constant signal."""
        if self.rms <= ROUNDING * self.magnitude:
            return 0.0
        if self.count < FEWEST_COMPARISONS:
            return nan
        return self.rms / self.scale if self.scale > 0 else inf


@dataclass
class WindowSummary:
    """How a run in windows went.

    Attributes
    ----------
    length : float
        Length of a window, s.
    repeats : int
        Passes after the first, at most.
    tolerance : float or None
        A repeat that changes less is the last one.
    count, passes : int
        Whole windows, and passes made in them, first ones included.
    not_converged : int
        Windows whose last repeat changed more than the tolerance.
    largest_change, time_of_largest : float
        Largest change of an extrapolated output by the last repeat of a window, relative to the output's largest
        absolute value so far, and the end of that window in s.
    growing : int
        Without a tolerance: windows whose repeats changed more and more, or whose only repeat changed an output by
        more than its largest absolute value so far (the first window aside).
    cuts : int
        Number of windows that were restarted with an earlier end.
    changes : list of float
        By the repeats of the worst window that did not converge, the last 8 at most.
    """

    length: float
    repeats: int
    tolerance: float | None
    count: int
    passes: int
    not_converged: int
    largest_change: float
    time_of_largest: float
    growing: int = 0
    cuts: int = 0
    changes: list[float] = field(default_factory=list)


LONGEST_REASON = 300
"""Characters of a reason that are kept."""


@dataclass
class FirstStepsSummary:
    """Treatment of the first steps of a run.

    Attributes
    ----------
    repeated : bool
        Whether they were repeated until they agreed.
    reason : str
        Why they were not.
    end : float
        The steps up to here were repeated, s.
    steps : int
        How many of the largest steps these are.
    passes : int
        How often they were made.
    change : float
        Largest change of an extrapolated output by the last repeat, relative to its largest absolute value there.
    """

    repeated: bool
    reason: str = ""
    end: float = nan
    steps: int = 0
    passes: int = 0
    change: float = nan


@dataclass
class Event:
    """Something that happened in a run.

    Attributes
    ----------
    time : float
        In s; NaN when it has none.
    source : str
        Name of the subsystem, or empty for the run itself.
    level : str
        ``"info"``, ``"warning"`` or ``"error"``.
    text : str
        What happened.
    """

    time: float
    source: str
    level: str
    text: str


@dataclass
class RunSummary:
    """How a run ended.

    Attributes
    ----------
    status : str
        ``"finished"``, ``"interrupted"``, ``"failed"``; ``"unfinished"`` for the file of a run that is
        still in progress or was killed.
    message : str
        One sentence when the run did not finish, else empty.
    start, end, until : float
        Start, time reached by the slowest subsystem, and time asked for, in s.
    wall_seconds : float
        Duration of the run.
    scheme : str
        Name of the scheme.
    steps, seconds : list
        Accepted steps and time spent in s, per subsystem in the order of the layout.
    evaluations : list
        How often the equations of each subsystem were evaluated, rejected and repeated steps included; -1: not counted.
    defects : sequence of DefectSummary
        One entry per connection.
    windows : WindowSummary or None
        For a run in windows that were repeated.
    first_steps : FirstStepsSummary or None
        Whether the first steps were repeated; None in files that do not say.
    events : list of Event
        Events, in the order in which they were noticed.
    paces : list of PaceSummary
        One entry per table of chosen steps.
    overruns : list of WallClockSummary
        For a run that kept to the wall clock, one entry per subsystem.
    """

    status: Status
    message: str = ""
    start: float = 0.0
    end: float = nan
    until: float = nan
    wall_seconds: float = nan
    scheme: str = ""
    steps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    defects: Sequence[DefectSummary] = field(default_factory=list)
    windows: WindowSummary | None = None
    first_steps: FirstStepsSummary | None = None
    events: list[Event] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)
    paces: list[PaceSummary] = field(default_factory=list)
    overruns: list[WallClockSummary] = field(default_factory=list)


class StoreView(Protocol):
    """Reading side of a store.

    1. ``rows``, ``times`` and ``values`` of one subsystem agree with each other until ``refresh``.
    2. Only requested data are read; arrays may be views, and the caller must not change them.
    """

    @property
    def layout(self) -> RunLayout:
        """Names and units."""

    @property
    def metadata(self) -> Metadata:
        """Description of the run, written at its start (``name``, ``scheme``, ``until``, ...)."""

    def rows(self, subsystem: int) -> int:
        """Return the number of rows of a subsystem."""

    def times(self, subsystem: int, rows: slice = ALL) -> Array:
        """Return times in s, shape ``(n,)``."""

    def values(self, subsystem: int, columns: slice = ALL, rows: slice = ALL) -> Array:
        """Return values, shape ``(n, columns)``."""

    def defects(self, connection: int, rows: slice = ALL) -> Array:
        """Return time, assumed and arrived value, shape ``(n, 3)``."""

    def steps(self, place: int) -> Array:
        """Return a table of chosen steps, shape ``(n, 6)``: start, length, rule, estimate, accepted, signal."""

    def kept_check(self) -> bytes:
        """Return the stored error estimate; empty if there is none."""

    def keep_check(self, make: Callable[[int], bytes]) -> None:
        """Keep the error estimate that `make` returns for the bytes there is room for, if it can be kept."""

    def refresh(self) -> None:
        """Take notice of rows that came since."""

    def close(self) -> None:
        """Release what the view holds open; reading is not possible afterwards."""


class Store(Protocol):
    """Writing side: where a run puts its rows.

    1. ``append`` and ``append_defects`` may keep the block; the caller must not change it afterwards.
    2. After ``flush`` everything appended is visible to readers and survives the death of the process.
    3. ``close`` is called exactly once, also after a failure, and never loses what was flushed.
    """

    def append(self, subsystem: int, block: Array) -> None:
        """Add rows of one subsystem, shape ``(n, 1 + columns)``, time first."""

    def append_defects(self, connection: int, block: Array | LazyRows) -> None:
        """Add rows of one connection, shape ``(n, 3)``: time, assumed, arrived."""

    def append_steps(self, place: int, block: Array) -> None:
        """Add rows of a table of chosen steps, shape ``(n, 6)``."""

    def flush(self) -> None:
        """Make everything appended visible."""

    def close(self, summary: RunSummary) -> None:
        """End the run."""

    def view(self) -> StoreView:
        """Return a view of everything appended, during the run or after it."""
