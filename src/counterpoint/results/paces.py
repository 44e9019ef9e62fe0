"""What paces have chosen, summed up: the layout of tables of steps, counts, overruns."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

STEP_COLUMNS = 6
"""Start, length, rule, estimate, accepted, signal."""
RULES = ("first", "law", "growth", "reduction", "smallest", "largest", "event", "alignment", "end", "rejection")
"""What set the length of a step, by the numbers of the core; the law goes by the name of its pace."""
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
