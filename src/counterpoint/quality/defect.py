"""The coupling quality: a verdict from the interface defects, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..results.store import DefectSummary, WindowSummary

Verdict = Literal["good", "fair", "poor", "unknown"]

GOOD = 1e-3
FAIR = 3e-2


@dataclass(frozen=True)
class Quality:
    """The coupling quality of a run, from its interface defects.

    Attributes
    ----------
    verdict : str
        ``"good"`` (largest relative defect below 1e-3), ``"fair"`` (below 3e-2), ``"poor"``, or
        ``"unknown"`` when nothing was compared.
    worst : str
        Label of the connection with the largest relative defect; empty when there is none.
    relative : float
        Its rms defect divided by the rms of the signal about its mean.
    text : str
        One sentence; also returned by ``str()``.
    """

    verdict: Verdict
    worst: str
    relative: float
    text: str

    def __str__(self) -> str:
        return self.text


def assess_defects(defects: Sequence[DefectSummary], windows: WindowSummary | None = None) -> Quality:
    """Assess a run by the connection with the largest relative defect.

    Parameters
    ----------
    defects : sequence of DefectSummary
        One entry per connection.
    windows : WindowSummary, optional
        For a run in windows: windows that did not converge are reported, and such a run is never good.

    Returns
    -------
    Quality
        The sentence says that the defect measures the coupling, not the error of the solution.
    """
    quality = _from_defects(defects)
    if windows is None or windows.not_converged == 0:
        return quality
    text = (
        f"{windows.not_converged} of {windows.count} windows did not converge to {windows.tolerance:.2g} with "
        f"{windows.repeats} repeats (worst {windows.largest_change:.2g}, window that ends at "
        f"t = {windows.time_of_largest:.6g} s); use more repeats, shorter windows or a larger tolerance."
    )
    verdict: Verdict = "fair" if quality.verdict == "good" else quality.verdict
    judged = verdict + quality.text.removeprefix(quality.verdict)
    return Quality(verdict, quality.worst, quality.relative, f"{judged} {text}")


def _from_defects(defects: Sequence[DefectSummary]) -> Quality:
    compared = [d for d in defects if d.count > 0 and not isnan(d.relative)]
    if not compared:
        why = "too few values were compared" if defects else "nothing is connected"
        if defects and all(d.kind == "interpolates" for d in defects):
            why = "every connection interpolates"
        return Quality("unknown", "", nan, f"unknown: {why}, so there is no interface defect to assess.")
    worst = max(compared, key=lambda d: d.relative)
    relative = worst.relative
    verdict: Verdict = "good" if relative < GOOD else "fair" if relative < FAIR else "poor"
    amount = (
        f"an rms defect of {relative:.2g} of its signal's variation"
        if isfinite(relative)
        else f"a defect of {worst.maximum:.2g} on a constant signal"
    )
    return Quality(
        verdict,
        worst.connection,
        relative,
        f"{verdict}: the worst connection, {worst.connection}, has {amount}; "
        "this is the interface defect only, not the error of the solution.",
    )
