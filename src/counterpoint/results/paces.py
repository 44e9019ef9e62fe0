"""What paces have chosen, summed up: the layout of tables of steps, counts, overruns."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

STEP_COLUMNS = 6
"""Start, length, rule, estimate, accepted, signal."""
RULES = ("first", "law", "growth", "reduction", "smallest", "largest", "event", "alignment", "end", "rejection")
"""What set the length of a step, by the numbers of the core; the law goes by the name of its pace."""
SMALLEST = RULES.index("smallest")
MISSED = 3.0
"""A step whose estimate is larger, in units of the tolerance, has missed it."""
STUCK_SHARE = 0.05
FEWEST_STUCK = 10


@dataclass(frozen=True)
class StepsLayout:
    """A table of chosen steps.

    Attributes
    ----------
    name : str
        The subsystem; empty for steps of all together.
    kind : str
        Name of the pace.
    signals : tuple of str
        By the numbers in the table.
    """

    name: str
    kind: str
    signals: tuple[str, ...] = ()


@dataclass
class PaceSummary:
    """What a pace has chosen in a run.

    Attributes
    ----------
    name : str
        The subsystem; empty for steps of all together.
    pace : str
        The pace in words.
    accepted, rejected : int
        Steps.
    smallest, largest : float
        Length of the shortest and the longest accepted step, s.
    at_smallest : int
        Accepted steps that were held at the smallest length allowed and missed the tolerance.
    signal : str
        The signal that kept most of them there.
    passes : int
        Passes of steps that are repeated, those of rejected steps as well.
    """

    name: str
    pace: str
    accepted: int = 0
    rejected: int = 0
    smallest: float = inf
    largest: float = 0.0
    at_smallest: int = 0
    signal: str = ""
    passes: int = 0

    def text(self) -> str:
        """Say in a few words what was chosen."""
        whose = f'pace of "{self.name}"' if self.name else "pace"
        lost = f", {self.rejected} rejected" if self.rejected else ""
        range_text = f" of {self.smallest:.3g} s to {self.largest:.3g} s" if self.accepted else ""
        return f"{whose} {self.pace}: {self.accepted} steps{range_text}{lost}"

    @property
    def is_stuck(self) -> bool:
        """Whether many steps were held at the smallest length and missed the tolerance."""
        return self.at_smallest >= max(FEWEST_STUCK, STUCK_SHARE * self.accepted)

    def stuck_text(self) -> str:
        """Say what keeps the pace at its smallest step, and what to do."""
        whose = f'the pace of "{self.name}"' if self.name else "the pace of the run"
        kept = f'; "{self.signal}" keeps it there' if self.signal else ""
        return (
            f"{whose} ({self.pace}): {self.at_smallest} of {self.accepted} steps are as short as allowed, "
            f"{self.smallest:g} s, and miss the tolerance{kept}: allow shorter steps (smallest=), a larger tolerance, "
            "or give this signal an absolute tolerance or another approximation"
        )


class PaceTally:
    """Counts the steps of one table."""

    def __init__(self, layout: StepsLayout, pace: object) -> None:
        self.summary = PaceSummary(layout.name, str(pace))
        self._signals = layout.signals
        self._blamed = np.zeros(len(layout.signals), dtype=np.int64)
        self.saw_change = False  #: whether any step had an estimate above zero

    def count(self, rows: Any) -> None:
        """Count rows of chosen steps in."""
        table, found = np.asarray(rows), self.summary
        accepted = table if table[:, 4].all() else table[table[:, 4] > 0.0]
        found.accepted += len(accepted)
        self.saw_change = self.saw_change or bool((table[:, 3] > 0.0).any())
        found.rejected += len(table) - len(accepted)
        if len(accepted):
            found.smallest = min(found.smallest, float(accepted[:, 1].min()))
            found.largest = max(found.largest, float(accepted[:, 1].max()))
        missed = accepted[:, 3] > MISSED
        if not missed.any():
            return
        stuck = accepted[missed & (accepted[:, 2] == SMALLEST)]
        found.at_smallest += len(stuck)
        numbers = stuck[:, 5].astype(np.int64)
        np.add.at(self._blamed, numbers[(numbers >= 0) & (numbers < len(self._signals))], 1)
        if self._blamed.any():
            found.signal = self._signals[int(np.argmax(self._blamed))]


@dataclass
class WallClockSummary:
    """How the steps of a subsystem kept to the wall clock.

    Attributes
    ----------
    steps, overruns : int
        Steps, and those that ended later than the wall clock says.
    latest, time_of_latest : float
        Largest delay in s of wall time, and when it occurred in s of the run.
    """

    steps: int
    overruns: int
    latest: float
    time_of_latest: float
