"""How a run differs from a better one of the same system: how much, when, and what is amplified, attenuated or late.

The better run has a quarter of the steps, or half of them where that would take too long. Where the error falls with
the step to the power p, it is n^p / (n^p - 1) times the difference, with n = 4: 4/3 for p = 1, 16/15 for p = 2. A third
run with half the steps tells p: its difference from the run with a quarter is 1 / (2^p + 1) of that of the first.
Without it `FACTORS` are used, which lie between p = 1 and p = 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import number_text
from .texts import part_text, times_text

Array = NDArray[np.float64]

FACTORS = {0: 1.0, 2: 1.5, 4: 1.15}
"""Error of a run over its difference from one whose steps are divided by 2 or 4; 0: from the exact solution."""
SMALLEST_SCALE = 1e-3
"""A signal varies at least by this share of its largest value: below that, its constant part is the measure."""
SEGMENTS = 20
"""Parts of the run in which the difference is looked at."""
SHARE = 0.05
"""A motion that carries less than this share of the signal is not spoken of."""
ORDERS = (0.5, 4.0)
"""Between which the order that is found counts; beyond, the runs do not converge as a power of the step."""
CHANGED = 1.25
"""Amplitudes by more than this factor apart are called amplified or attenuated."""
LATE = 0.1
"""Phases (rad) by more than this apart are called delayed."""
POINTS = 4096


@dataclass(frozen=True)
class Motion:
    """What became of one motion of a signal, compared with the better run.

    Attributes
    ----------
    frequency : float
        Hz.
    ratio : float
        Its amplitude in the run over that in the better run.
    delay : float
        By how much it is late, s; negative: early.
    share : float
        Its amplitude relative to the variation of the signal, in that run of the two where it is larger.
    """

    frequency: float
    ratio: float
    delay: float
    share: float

    @property
    def is_changed(self) -> bool:
        """Whether the amplitude is clearly another one."""
        return not 1 / CHANGED <= self.ratio <= CHANGED

    @property
    def is_late(self) -> bool:
        """Whether the phase is clearly another one."""
        return abs(2 * np.pi * self.frequency * self.delay) > LATE

    def text(self) -> str:
        """Return it in words."""
        where = f"the motion near {number_text(self.frequency, 3)} Hz"
        if self.ratio > CHANGED:
            return f"{where} is amplified {times_text(self.ratio)}"
        if self.ratio < 1 / CHANGED:
            return f"{where} is attenuated to {part_text(self.ratio)} of its amplitude"
        if self.is_late:
            word = "delayed" if self.delay > 0 else "early"
            return f"{where} is {word} by {number_text(abs(self.delay))} s"
        return f"{where} is changed little"


@dataclass(frozen=True)
class Difference:
    """The estimated error of one signal.

    Attributes
    ----------
    signal : str
        ``"subsystem.output"``.
    error : float
        Estimated rms error relative to the rms of the signal about its mean.
    time, values : array
        Estimated error over time, relative to the same, at the middles of equal parts of the run (rms of each).
    span : tuple of float
        From when to when it is largest, s.
    from_start : bool
        Whether it is there from the first moments and does not grow.
    motions : tuple of Motion
        What became of the motions that the signal consists of, largest first.
    order : float
        With which power of the step the error falls; NaN where it is not known.
    converges : bool
        Whether halving the steps once more changes clearly less than halving them did; true where that was not tried.
    """

    signal: str
    error: float
    time: Array
    values: Array
    span: tuple[float, float]
    from_start: bool
    motions: tuple[Motion, ...]
    order: float = nan
    converges: bool = True

    @property
    def worst_motion(self) -> Motion | None:
        """The motion whose amplitude or else phase is most wrong; None where all are right."""
        changed = [motion for motion in self.motions if motion.is_changed]
        if changed:
            return max(changed, key=lambda motion: abs(np.log(max(motion.ratio, 1e-9))) * motion.share)
        late = [motion for motion in self.motions if motion.is_late]
        return max(late, key=lambda motion: abs(motion.delay) * motion.share, default=None)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def differ(
    signal: str, time: Array, values: Array, better: Array, *, parts: int = 4, halfway: Array | None = None
) -> Difference:
    """Compare the samples of a signal with those of a run at the same times whose steps are divided into parts.

    With ``halfway``, those of a run with half the steps, the error follows from the order that is found.

    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> found = differ("a.y", t, 1.1 * np.sin(t), np.sin(t))
    >>> round(found.error, 3)
    0.119
    """
    scale = _scale(better)
    wrong, order = _wrong(values, better, parts, halfway)
    error = _relative(wrong, scale)
    if not np.isfinite(values).all() or not isfinite(error):
        return Difference(signal, inf, time[-1:], np.array([inf]), (float(time[0]), float(time[-1])), False, ())
    edges = np.linspace(time[0], time[-1], SEGMENTS + 1)
    which = np.clip(np.searchsorted(edges, time, side="right") - 1, 0, SEGMENTS - 1)
    sums, counts = np.bincount(which, wrong**2, SEGMENTS), np.bincount(which, minlength=SEGMENTS)
    sizes = np.sqrt(sums / np.maximum(counts, 1)) / (scale or 1.0)
    return Difference(
        signal, error, (edges[:-1] + edges[1:]) / 2, sizes, _span(edges, sizes, counts), _from_start(sizes),
        tuple(motions(time, values, better)), order, halfway is None or _converges(values, better, halfway),
    )  # fmt: skip


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def estimated_error(values: Array, better: Array, *, parts: int = 4, halfway: Array | None = None) -> float:
    """Return the error alone, as :func:`differ` finds it."""
    error = _relative(_wrong(values, better, parts, halfway)[0], _scale(better))
    return error if isfinite(error) else inf


def _wrong(values: Array, better: Array, parts: int, halfway: Array | None) -> tuple[Array, float]:
    """Return by how much each sample is wrong, and the order that was found."""
    order = _order(values, better, halfway) if halfway is not None and parts == 4 else nan
    return (FACTORS[parts] if isnan(order) else 4**order / (4**order - 1)) * (values - better), order


def _relative(wrong: Array, scale: float) -> float:
    return _rms(wrong) / scale if scale > 0 else (inf if np.any(wrong) else 0.0)


def _order(values: Array, better: Array, halfway: Array) -> float:
    """Return the power of the step with which the error falls; NaN where the runs do not converge."""
    first, second = _rms(values - better), _rms(halfway - better)
    if not second > 0 or not first > second:
        return nan
    return float(np.clip(np.log2(first / second - 1), *ORDERS))


def _converges(values: Array, better: Array, halfway: Array) -> bool:
    return bool(_rms(values - halfway) >= 2.0 ** ORDERS[0] * _rms(halfway - better))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else 0.0


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def growth(values: Array) -> float:
    """Return how many times a signal that still grows has grown: its largest value over that in its first half.

    A signal that has jumped and stays where it is does not grow.

    >>> t = np.linspace(0.0, 10.0, 101)
    >>> growth(np.exp(3.0 * t)) > 1e6, growth(np.sin(t)), growth(np.where(t > 7.0, 1e9, 1.0))
    (True, 0.0, 0.0)
    """
    parts = np.array_split(np.nan_to_num(np.abs(values), nan=0.0), 8)
    size = [float(part.max(initial=0.0)) for part in parts]
    early = max(size[:4])
    return max(size) / early if early > 0 and size[-1] > 4.0 * size[-2] else 0.0


def _scale(values: Array) -> float:
    if not len(values):
        return 0.0
    return max(float(np.std(values)), SMALLEST_SCALE * float(np.max(np.abs(values))))


def _span(edges: Array, parts: Array, counts: NDArray[np.intp]) -> tuple[float, float]:
    """Return the stretch around the worst part in which the error is at least half as large."""
    first = last = int(np.argmax(np.where(counts > 0, parts, -1.0)))
    while first > 0 and parts[first - 1] >= 0.5 * parts[last]:
        first -= 1
    while last < len(parts) - 1 and parts[last + 1] >= 0.5 * parts[first:last].max(initial=parts[first]):
        last += 1
    return float(edges[first]), float(edges[last + 1])


def _from_start(parts: Array) -> bool:
    """Whether the error is in the first part already what it is at most, within a third."""
    return bool(parts.max() > 0 and parts[0] >= 0.67 * parts.max())


def motions(time: Array, values: Array, better: Array) -> Iterable[Motion]:
    """Yield what became of each octave of a signal in the second half of the run, largest first."""
    begin = len(time) // 2
    span = float(time[-1] - time[begin])
    if len(time) - begin < 16 or span <= 0:
        return
    grid = np.linspace(time[begin], time[-1], min(POINTS, len(time) - begin))
    ours, theirs = (_spectrum(np.interp(grid, time, signal)) for signal in (values, better))
    frequencies = np.fft.rfftfreq(len(grid), grid[1] - grid[0])
    octave = np.full(len(frequencies), -1)
    octave[2:] = np.floor(np.log2(frequencies[2:] * span)).astype(int)  # two periods at least
    # The spectrum of a window of Hann has N sqrt(3) / 4 times the rms; a signal that has come to rest is measured by
    # what it was before.
    scale = max(float(np.sqrt(np.sum(np.abs(theirs[1:]) ** 2))), _scale(better) * len(grid) * np.sqrt(3) / 4)
    found = [_octave(frequencies, ours, theirs, octave == k, scale) for k in range(1, int(octave.max(initial=0)) + 1)]
    yield from sorted((m for m in found if m is not None), key=lambda m: -m.share)


def _spectrum(values: Array) -> NDArray[np.complex128]:
    slope = np.polynomial.polynomial.polyfit(x := np.linspace(-1, 1, len(values)), values, 1)
    flat = values - slope[0] - slope[1] * x
    return np.asarray(np.fft.rfft(flat * np.hanning(len(values))), dtype=np.complex128)


def _octave(
    frequencies: Array,
    ours: NDArray[np.complex128],
    theirs: NDArray[np.complex128],
    inside: NDArray[np.bool_],
    scale: float,
) -> Motion | None:
    power, other = np.abs(ours[inside]) ** 2, np.abs(theirs[inside]) ** 2
    amplitude, expected = float(np.sqrt(power.sum())), float(np.sqrt(other.sum()))
    share = float(max(amplitude, expected) / scale) if scale > 0 else 0.0
    if not share > SHARE:
        return None
    weight = power + other
    frequency = float(frequencies[inside] @ weight / weight.sum())
    phase = float(np.angle(np.vdot(ours[inside], theirs[inside])))
    return Motion(frequency, amplitude / max(expected, 1e-12 * amplitude), phase / (2 * np.pi * frequency), share)
