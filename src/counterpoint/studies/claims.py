"""Published claims beside what came out here, as a table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

COLUMNS = ("claim", "published", "ours", "unit", "tolerance", "holds", "remark")


@dataclass(frozen=True)
class Claim:
    """One statement that can be checked with a number.

    Make claims with `near`, `within`, `above` or `below`: they decide `holds` from the numbers.

    Attributes
    ----------
    claim : str
        The statement, in our words, beginning with where it is printed.
    published : float or str
        The number of the source, or its bound as text such as ``"< 0.1"``.
    ours : float
        What came out here.
    unit : str
        Unit of both numbers; ``"1"`` for ratios and relative errors.
    tolerance : str
        How far `ours` may be from `published`.
    holds : bool
        Whether it is that near.
    remark : str
        In plain words, what to know about the difference.
    """

    claim: str
    published: float | str
    ours: float
    unit: str
    tolerance: str
    holds: bool
    remark: str = ""

    @classmethod
    def near(
        cls, claim: str, published: float, ours: float, *, relative: float, unit: str = "1", remark: str = ""
    ) -> Claim:
        """Hold when `ours` differs from `published` by at most the `relative` share of it.

        >>> Claim.near("a", 2.0, 2.1, relative=0.1).holds
        True
        """
        holds = isfinite(ours) and abs(ours - published) <= relative * abs(published)
        return cls(claim, published, ours, unit, f"{relative:g} relative", holds, remark)

    @classmethod
    def about(
        cls, claim: str, published: float, ours: float, *, margin: float, unit: str = "1", remark: str = ""
    ) -> Claim:
        """Hold when `ours` differs from `published` by at most `margin` in the unit of both."""
        holds = isfinite(ours) and abs(ours - published) <= margin
        return cls(claim, published, ours, unit, f"±{margin:g}", holds, remark)

    @classmethod
    def magnitude(
        cls, claim: str, published: float, ours: float, *, factor: float, unit: str = "1", remark: str = ""
    ) -> Claim:
        """Hold when `ours` is at most `factor` times larger or smaller than `published`."""
        holds = isfinite(ours) and published / factor <= ours <= published * factor
        return cls(claim, published, ours, unit, f"factor {factor:g}", holds, remark)

    @classmethod
    def above(
        cls, claim: str, bound: float, ours: float, *, slack: float = 0.0, unit: str = "1", remark: str = ""
    ) -> Claim:
        """Hold when `ours` is larger than `bound` less `slack`."""
        holds = isfinite(ours) and ours > bound - slack
        return cls(claim, f"> {bound:g}", ours, unit, f"-{slack:g}" if slack else "bound", holds, remark)

    @classmethod
    def below(
        cls, claim: str, bound: float, ours: float, *, slack: float = 0.0, unit: str = "1", remark: str = ""
    ) -> Claim:
        """Hold when `ours` is smaller than `bound` plus `slack`."""
        holds = isfinite(ours) and ours < bound + slack
        return cls(claim, f"< {bound:g}", ours, unit, f"+{slack:g}" if slack else "bound", holds, remark)

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table in the order of `COLUMNS`."""
        return (
            self.claim,
            _number(self.published),
            _number(self.ours),
            self.unit,
            self.tolerance,
            "true" if self.holds else "false",
            self.remark,
        )


def write_csv(claims: Sequence[Claim], path: Path) -> None:
    """Write the table, one claim a line, UTF-8."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(claim.row() for claim in claims)


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
