"""What an analysis of stability says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .modes import Mode
from .prober import Entry

if TYPE_CHECKING:
    import pandas as pd

#: Spectral radii up to 1 plus this count as stable: rounding of runs without damping.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Share:
    """How much of a growing motion one number has that the coupling carries on.

    Attributes
    ----------
    entry : Entry
        A state, or a sample of an output that crosses the cut.
    share : float
        0 to 1; those of all entries add up to 1.
    """

    entry: Entry
    share: float


@dataclass(frozen=True)
class Stability:
    """Stability of a scheme on a (linearised) system; made by :func:`counterpoint.stability`.

    Attributes
    ----------
    name, scheme : str
        What was analysed.
    steps : dict
        Subsystem -> step, s.
    period : float
        Time after which all grids meet, s.
    multipliers : array of complex
        Eigenvalues of the map of one period, the largest first; with a large map only the largest ones.
    entries : tuple of Entry
        What the rows of the map are: states, earlier states of multistep solvers, samples that cross the cut.
    matrix : array or None
        The map itself (monodromy matrix); None when it was too large to be formed.
    modes : tuple of Mode
        Motions of the exact system with their changes by the scheme.
    parasitic : array of complex
        Multipliers that belong to no motion of the exact system.
    shares : tuple of Share
        Who takes part in the largest multiplier, the largest share first.
    remarks : tuple of str
        What was neglected.
    exact_growth : float
        Growth of the exact system, 1/s; 0: it does not grow.
    tolerance : float
        By how much the spectral radius may be above 1 in a stable coupling: what it is known to.
    """

    name: str
    scheme: str
    steps: dict[str, float]
    period: float
    multipliers: NDArray[np.complex128]
    entries: tuple[Entry, ...]
    matrix: NDArray[np.float64] | None
    modes: tuple[Mode, ...]
    parasitic: NDArray[np.complex128]
    shares: tuple[Share, ...]
    remarks: tuple[str, ...] = ()
    exact_growth: float = 0.0
    tolerance: float = TOLERANCE

    @property
    def radius(self) -> float:
        """Spectral radius: factor by which the worst motion grows in one period."""
        return float(np.max(np.abs(self.multipliers), initial=0.0))

    @property
    def margin(self) -> float:
        """How far the spectral radius is below 1; negative: unstable."""
        return 1.0 - self.radius

    @property
    def growth_rate(self) -> float:
        """Growth of the worst motion, 1/s; negative: all decay."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.radius) / self.period)

    @property
    def parasitic_growth(self) -> float:
        """Growth of the worst motion that the exact system does not have, 1/s; minus infinity: none."""
        with np.errstate(divide="ignore"):
            return float(np.log(np.max(np.abs(self.parasitic), initial=0.0)) / self.period)

    @property
    def stable(self) -> bool:
        """Whether no motion grows."""
        return self.radius <= 1.0 + self.tolerance

    def causes(self) -> dict[str, float]:
        """Return the share of each subsystem's states, and of each output across the cut, the largest first."""
        made: dict[str, float] = {}
        for share in self.shares:
            entry = share.entry
            inside = entry.kind in ("state", "earlier state")
            group = f"states of {entry.subsystem}" if inside else f"{entry.subsystem}.{entry.name} across the cut"
            made[group] = made.get(group, 0.0) + share.share
        return dict(sorted(made.items(), key=lambda item: -item[1]))

    def table(self, span: float | None = None) -> pd.DataFrame:
        """Return one row per mode: frequency (Hz), amplitude and phase (rad) after a span (s); default: one period."""
        import pandas as pd

        length = self.period if span is None else span
        rows = [
            {
                "frequency_Hz": mode.frequency,
                "exact_growth_per_s": mode.exact.real,
                "growth_error_per_s": mode.deviation.real,
                "amplitude": mode.amplitude(length),
                "phase_rad": mode.phase(length),
            }
            for mode in self.modes
            if mode.exact.imag >= 0.0
        ]
        return pd.DataFrame(rows)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the multipliers in the complex plane; write the picture to ``path`` if given, return the figure."""
        from .pictures import draw_multipliers

        return draw_multipliers(self, path)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(found: Stability) -> list[str]:
    steps = ", ".join(f"{name} {step:g} s" for name, step in found.steps.items())
    word = "stable" if found.stable else "unstable"
    if not found.stable:
        word += f", grows tenfold in {np.log(10.0) / found.growth_rate:.3g} s"
    made = [
        f"{found.name}, {found.scheme} ({steps}): {word}",
        f"  spectral radius {found.radius:.9g} in {found.period:g} s, margin {found.margin:.3g}, "
        f"growth {found.growth_rate:.3g} 1/s",
    ]
    fastest = max((abs(mode.exact) for mode in found.modes), default=0.0)
    made += [
        f"  mode {mode.frequency:.6g} Hz, {_rounded(mode.exact.real, fastest):.3g} 1/s: "
        f"growth error {_rounded(mode.deviation.real, fastest):.3g} 1/s, "
        f"phase drift {mode.phase(1.0):.3g} rad/s"
        for mode in found.modes
        if mode.exact.imag >= 0.0 and np.isfinite(mode.deviation)
    ]
    if found.exact_growth > 0.0:
        made.append(f"  the exact system itself grows by {found.exact_growth:.3g} 1/s")
    if len(found.parasitic):
        made.append(f"  parasitic growth {found.parasitic_growth:.3g} 1/s")
    made += [f"  {100 * share:.0f} % {cause}" for cause, share in list(found.causes().items())[:4] if share > 0.005]
    return made + [f"  neglected: {remark}" for remark in found.remarks]


def _rounded(value: float, scale: float) -> float:
    """Return a number, or 0 where it is rounding beside others of this size."""
    return 0.0 if abs(value) < 1e-11 * scale else value
