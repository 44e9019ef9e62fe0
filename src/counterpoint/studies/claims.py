"""Claims beside what came out here, as a table: whose they are, whether they hold, and why not."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, nan, nextafter
from pathlib import Path
from typing import TypedDict, Unpack

COLUMNS = ("claim", "published", "ours", "unit", "tolerance", "origin", "holds", "remark")

UNEXPLAINED = "The reason is not known."
SPREAD = 0.01
"""Relative change of a computed number between machines that is no change: another compiler, other libraries."""
TIMED = inf
"""Spread of what is measured with a clock: no two runs agree."""


class Origin(StrEnum):
    """Whose number a claim compares with.

    ``printed``: the source prints it. ``derived``: it follows from what the source prints: a closed form, an
    independent program for the same algorithm, or a bound of ours that decides a statement made in words. ``ours``:
    the source says nothing about it.
    """

    PRINTED = "printed"
    DERIVED = "derived"
    OURS = "ours"


class Holds(StrEnum):
    """Whether a claim holds; only ``yes`` is true.

    >>> [bool(Holds(text)) for text in ("yes", "no", "not measured", "cannot be compared")]
    [True, False, False, False]
    """

    YES = "yes"
    NO = "no"
    NOT_MEASURED = "not measured"
    NOT_COMPARABLE = "cannot be compared"

    def __bool__(self) -> bool:
        return self is Holds.YES


class Note(TypedDict, total=False):
    """What can be said of every claim; see the attributes of `Claim`."""

    unit: str
    origin: Origin | str
    remark: str
    reason: str
    spread: float


@dataclass(frozen=True)
class Claim:
    """One statement that can be checked with a number.

    Make claims with `near`, `about`, `magnitude`, `above` or `below`: they decide `holds` from the numbers. All take
    ``unit``, ``origin``, ``remark``, ``spread`` and ``reason``, the words that are added to the remark where the claim
    does not hold. ``ours=None`` says that it was not measured; the remark says why.

    Attributes
    ----------
    claim : str
        The statement, in our words, beginning with where it is printed.
    published : float or str
        The number of the source, or its bound as text such as ``"< 0.1"``.
    ours : float
        What came out here; NaN where nothing was measured.
    unit : str
        Unit of both numbers; ``"1"`` for ratios and relative errors.
    tolerance : str
        How far `ours` may be from `published`.
    origin : Origin
        Whether the number is ``printed`` in the source, ``derived`` from it, or ``ours``.
    holds : Holds
        ``yes``, ``no``, ``not measured`` or ``cannot be compared``; only the first is true.
    remark : str
        In plain words, what to know about the difference.
    spread : float
        Relative change of `ours` that a repetition on another machine may show; `TIMED` for computing times.
    """

    claim: str
    published: float | str
    ours: float
    unit: str
    tolerance: str
    origin: Origin
    holds: Holds
    remark: str = ""
    spread: float = SPREAD

    @classmethod
    def near(cls, claim: str, published: float, ours: float | None, *, relative: float, **note: Unpack[Note]) -> Claim:
        """Hold when `ours` differs from `published` by at most the `relative` share of it.

        >>> Claim.near("a", 2.0, 2.1, relative=0.1).holds
        <Holds.YES: 'yes'>
        """
        margin = relative * abs(published)
        holds = _inside(ours, published - margin, published + margin)
        return cls._made(claim, published, ours, tolerance=f"{relative:g} relative", holds=holds, note=note)

    @classmethod
    def about(cls, claim: str, published: float, ours: float | None, *, margin: float, **note: Unpack[Note]) -> Claim:
        """Hold when `ours` differs from `published` by at most `margin` in the unit of both."""
        holds = _inside(ours, published - margin, published + margin)
        return cls._made(claim, published, ours, tolerance=f"±{margin:g}", holds=holds, note=note)

    @classmethod
    def magnitude(
        cls, claim: str, published: float, ours: float | None, *, factor: float, **note: Unpack[Note]
    ) -> Claim:
        """Hold when `ours` is at most `factor` times larger or smaller than `published`."""
        holds = _inside(ours, published / factor, published * factor)
        return cls._made(claim, published, ours, tolerance=f"factor {factor:g}", holds=holds, note=note)

    @classmethod
    def above(cls, claim: str, bound: float, ours: float | None, *, slack: float = 0.0, **note: Unpack[Note]) -> Claim:
        """Hold when `ours` is larger than `bound` less `slack`."""
        holds = _inside(ours, nextafter(bound - slack, inf), inf)
        tolerance = f"bound less {slack:.2g}" if slack else "bound"
        return cls._made(claim, f"> {bound:g}", ours, tolerance=tolerance, holds=holds, note=note)

    @classmethod
    def below(cls, claim: str, bound: float, ours: float | None, *, slack: float = 0.0, **note: Unpack[Note]) -> Claim:
        """Hold when `ours` is smaller than `bound` plus `slack`."""
        holds = _inside(ours, -inf, nextafter(bound + slack, -inf))
        tolerance = f"bound plus {slack:.2g}" if slack else "bound"
        return cls._made(claim, f"< {bound:g}", ours, tolerance=tolerance, holds=holds, note=note)

    def not_comparable(self, reason: str) -> Claim:
        """Return it as one that cannot be compared: what the source measured is not what is measured here.

        >>> Claim.near("a", 2.0, 9.0, relative=0.1).not_comparable("Another processor.").holds
        <Holds.NOT_COMPARABLE: 'cannot be compared'>
        """
        return replace(self, holds=Holds.NOT_COMPARABLE, remark=reason)

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table in the order of `COLUMNS`."""
        return (
            self.claim,
            _number(self.published),
            "" if self.holds is Holds.NOT_MEASURED else _number(self.ours),
            self.unit,
            self.tolerance,
            self.origin.value,
            self.holds.value,
            self.remark,
        )

    @classmethod
    def _made(
        cls, claim: str, published: float | str, ours: float | None, *, tolerance: str, holds: bool, note: Note
    ) -> Claim:
        verdict = Holds.NOT_MEASURED if ours is None else Holds.YES if holds else Holds.NO
        remark = note.get("remark", "")
        if verdict is Holds.NO:
            remark = " ".join(filter(None, (note.get("reason", ""), remark))) or UNEXPLAINED
        return cls(
            claim, published, nan if ours is None else float(ours), note.get("unit", "1"), tolerance,
            Origin(note.get("origin", Origin.PRINTED)), verdict, remark, note.get("spread", SPREAD),
        )  # fmt: skip


def write_csv(claims: Sequence[Claim], path: Path) -> None:
    """Write the table, one claim a line, UTF-8."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(claim.row() for claim in claims)


def counted(verdicts: Sequence[str]) -> str:
    """Return how many claims hold, in words, from their `Holds`.

    >>> counted(["yes", "yes", "no", "not measured"])
    '2 of 4 hold, 1 does not, 1 not measured'
    """
    number = {holds: sum(verdict == holds.value for verdict in verdicts) for holds in Holds}
    text = f"{number[Holds.YES]} of {len(verdicts)} hold"
    if number[Holds.NO]:
        text += f", {number[Holds.NO]} {'does' if number[Holds.NO] == 1 else 'do'} not"
    for holds in (Holds.NOT_MEASURED, Holds.NOT_COMPARABLE):
        text += f", {number[holds]} {holds}" if number[holds] else ""
    return text


def _inside(ours: float | None, low: float, high: float) -> bool:
    return ours is not None and isfinite(ours) and low <= ours <= high


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
