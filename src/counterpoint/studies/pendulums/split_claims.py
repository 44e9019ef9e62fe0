"""The double pendulum that is cut at its joint: where a rigid hinge lets the coupling diverge, and what helps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..claims import Claim
from ..report import Progress
from .split import Hinge, Pendulum, deviation, elastic, loop_gain, rigid, whole

SCHEMES, ORDERS = ("sequential", "parallel"), (0, 1, 2)
STIFFNESSES = (1e3, 1e4, 1e5)
STAYS = 0.05
"""A cut pendulum that is nearer than this to the whole one, m, at all times is called stable."""


@dataclass(frozen=True)
class SplitRuns:
    """Deviations from the whole pendulum in m, inf where a run failed."""

    ratios: NDArray[np.float64]
    gains: NDArray[np.float64]
    rigid: dict[tuple[str, int], NDArray[np.float64]]
    elastic: dict[tuple[str, int], NDArray[np.float64]]

    def first_lost(self, scheme: str, order: int) -> float:
        """Return the smallest loop gain with which a rigid hinge is lost; inf when none is."""
        lost = self.rigid[scheme, order] >= STAYS
        return float(self.gains[lost].min(initial=np.inf))


def run_split(quick: bool, progress: Progress | None) -> SplitRuns:
    """Run the sweeps over the ratio of masses and over the stiffness of the hinge."""
    ratios = np.geomspace(0.05, 5.0, 13 if quick else 41)
    pairs = [(scheme, order) for scheme in SCHEMES for order in ORDERS]
    stiff: dict[tuple[str, int], list[float]] = {pair: [] for pair in pairs}
    for done, ratio in enumerate(ratios):
        pendulum = Pendulum(lower=float(ratio))
        reference = whole(pendulum)
        for scheme, order in pairs:
            stiff[scheme, order].append(deviation(rigid(pendulum, order), scheme, reference))
        if progress:
            progress("cut double pendulum", done + 1, ratios.size)
    reference = whole(Pendulum())
    soft = {
        (scheme, order): np.array(
            [deviation(elastic(Pendulum(), Hinge(k, 1e-3 * k), order), scheme, reference) for k in STIFFNESSES]
        )
        for scheme, order in pairs
    }
    gains = np.array([loop_gain(Pendulum(lower=float(ratio))) for ratio in ratios])
    return SplitRuns(ratios, gains, {pair: np.array(values) for pair, values in stiff.items()}, soft)


def split_claims(runs: SplitRuns) -> list[Claim]:
    """Return the claims about the cut pendulum; all bounds are ours, from the explanation in `split`."""
    calm, wild = runs.gains < 1.0, runs.gains > 1.75
    worst_calm = max(float(values[calm].max()) for values in runs.rigid.values())
    best_wild = min(float(values[wild].min()) for (_, order), values in runs.rigid.items() if order)
    one = int(np.argmin(np.abs(runs.ratios - 1.0)))
    claims = [
        Claim.below("rigid hinge: stable for every scheme and order while m2/m1 sin²φ < 1 all the way, φ between the "
                    "rods; largest deviation", STAYS, worst_calm, unit="m", origin="ours",
                    remark="1 m rods, 2 s, steps of 1 ms on both sides; so some heavy lower masses come through that "
                    "keep the rods in line."),
        Claim.above("rigid hinge, force of order 1 and 2: lost whenever m2/m1 sin²φ gets above 1.75; smallest "
                    "deviation", STAYS, min(best_wild, 1e3), unit="m", origin="ours",
                    remark="1000 m stands for a run that fails.", spread=np.inf),
        Claim.below("rigid hinge, m2/m1 = 1: linear extrapolation is nearer to the whole than held values; "
                    "ratio of the deviations, sequential", 1.0,
                    float(runs.rigid["sequential", 1][one] / runs.rigid["sequential", 0][one]), origin="ours"),
        Claim.below("rigid hinge: extrapolating the force costs stability: smallest m2/m1 sin²φ that is lost at order "
                    "1 over that of held values, sequential", 1.0,
                    runs.first_lost("sequential", 1) / runs.first_lost("sequential", 0), origin="ours"),
        Claim.above("elastic hinge of 1e5 N/m: held displacements gain energy and are lost; smallest deviation", STAYS,
                    min(float(runs.elastic[scheme, 0][-1]) for scheme in SCHEMES), unit="m", origin="ours",
                    spread=np.inf),
        Claim.below("elastic hinge of 1e5 N/m, order 2: stable; largest deviation", STAYS,
                    max(float(runs.elastic[scheme, 2][-1]) for scheme in SCHEMES), unit="m", origin="ours",
                    remark="Most of it is the hinge's own compliance."),
    ]  # fmt: skip
    return claims
