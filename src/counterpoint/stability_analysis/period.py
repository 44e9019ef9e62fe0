"""The time after which the grids of all subsystems meet again."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

#: A period with more steps than this counts as none; ratios of steps with larger denominators likewise.
LARGEST_NUMBER = 2000
#: Ratios closer than this to a fraction are this fraction.
TOLERANCE = 1e-9


def common_period(steps: Iterable[float]) -> float | None:
    """Return the smallest time that is a multiple of all steps (s); None when there is none that is short enough.

    >>> common_period([0.01, 0.025])
    0.05
    >>> common_period([0.01, 0.01 * 2**0.5]) is None
    True
    """
    given = list(steps)
    ratios = [_fraction(step / given[0]) for step in given]
    if any(ratio is None for ratio in ratios):
        return None
    parts = [ratio for ratio in ratios if ratio is not None]
    denominator = lcm(*(part.denominator for part in parts))
    whole = [part.numerator * (denominator // part.denominator) for part in parts]
    steps_in_period = lcm(*whole)
    if steps_in_period // min(whole) > LARGEST_NUMBER:  # of the fastest subsystem
        return None
    return given[0] * steps_in_period / denominator


def _fraction(ratio: float) -> Fraction | None:
    near = Fraction(ratio).limit_denominator(LARGEST_NUMBER)
    return near if abs(float(near) - ratio) <= TOLERANCE * ratio else None
