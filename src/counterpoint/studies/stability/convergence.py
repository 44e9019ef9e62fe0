"""Convergence of the schemes: runs of the scheduler with halved steps, Fig. 3.10 of the source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .closed_forms import Setting
from .scheduler import error

BETAS = (0.0, 0.01, 0.1, 0.8)
SCHEMES = ("SF", "DE", "FF")
RATIO = 10


@dataclass(frozen=True)
class Curve:
    """Errors of one scheme over the number of large steps in 20 s."""

    setting: Setting
    steps: tuple[int, ...]
    errors: list[float]


def curves(steps: tuple[int, ...]) -> list[Curve]:
    """Return all curves; the slow variable is extrapolated by value and two slopes."""
    base = Setting("SF", RATIO, extrapolation="value, slope, slope before")
    made = []
    for scheme in SCHEMES:
        for beta in BETAS:
            setting = replace(base, scheme=scheme, beta=beta)
            made.append(Curve(setting, steps, [error(setting, count) for count in steps]))
    return made
