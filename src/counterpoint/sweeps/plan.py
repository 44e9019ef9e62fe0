"""Which points a sweep visits, in which order; a point is made when it is its turn."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import is_whole
from ..errors import MissingExtraError, SetupError, did_you_mean
from .axes import MOST_POINTS, Axis, make_axis

SAMPLES = ("grid", "together", "latin-hypercube", "sobol")


@dataclass(frozen=True)
class Plan:
    """The points of a sweep, by number.

    1. Equal plans have equal points, in any process; ``seed`` decides what is drawn.
    2. ``point`` costs the same for each number, and nothing is kept of grids, however many points they have.
    3. In a grid the last axis changes fastest.

    Attributes
    ----------
    axes : tuple of Axis
        What is varied.
    sample : str
        One of :data:`SAMPLES`.
    count : int
        Number of points.
    seed : int
        For Latin hypercubes and Sobol sequences.
    """

    axes: tuple[Axis, ...]
    sample: str
    count: int
    seed: int = 0
    _drawn: dict[str, NDArray[np.float64]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return [axis.name for axis in self.axes]

    def point(self, number: int) -> list[Any]:
        """Return the values of a point, in the order of the axes."""
        if self.sample == "grid":
            values = []
            for axis in reversed(self.axes):
                number, index = divmod(number, len(axis.values))
                values.append(axis.values[index])
            return values[::-1]
        if self.sample == "together":
            return [axis.values[number] for axis in self.axes]
        return [axis.at(share) for axis, share in zip(self.axes, self._shares[number], strict=True)]

    def written(self, number: int) -> list[Any]:
        """Return the values of a point with the units that the ends of their ranges have."""
        values = zip(self.axes, self.point(number), strict=True)
        return [f"{value!r} s" if axis.is_time else value for axis, value in values]

    @property
    def _shares(self) -> NDArray[np.float64]:
        if "shares" not in self._drawn:
            self._drawn["shares"] = _draw(self.sample, len(self.axes), self.count, self.seed)
        return self._drawn["shares"]

    @cached_property
    def fingerprint(self) -> str:
        """What tells plans apart: a hash of axes, sample, count and seed."""
        axes = [[a.name, list(a.values), repr(a.low), repr(a.high), a.scale] for a in self.axes]
        text = json.dumps([axes, self.sample, self.count, self.seed], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_drawn": {}}


def make_plan(vary: Mapping[str, Any], sample: str = "grid", points: int | None = None, seed: int = 0) -> Plan:
    """Return the plan of a sweep.

    >>> plan = make_plan({"scheme": ["parallel", "sequential"], "engine.step": [0.01, 0.02, 0.05]})
    >>> plan.count, plan.point(4)
    (6, ['sequential', 0.02])

    Raises
    ------
    SetupError
        With what is wrong.
    """
    if sample not in SAMPLES:
        raise SetupError(f'sample: "{sample}": no such sample{did_you_mean(sample, SAMPLES)}')
    if not vary:
        raise SetupError("vary: is empty; name at least one parameter and its values")
    axes = tuple(make_axis(name, given) for name, given in vary.items())
    drawn = sample in ("latin-hypercube", "sobol")
    problems = [
        f'vary."{axis.name}": a range without count; expected count, or sample = "latin-hypercube" or "sobol"'
        for axis in axes
        if not drawn and not axis.values
    ]
    if problems:
        raise SetupError(problems)
    if not is_whole(seed, 0, 2**32 - 1):
        raise SetupError(f"seed: {seed!r}; expected an integer from 0 to {2**32 - 1}")
    return Plan(axes, sample, _count(axes, sample, points, drawn), seed)


def _count(axes: tuple[Axis, ...], sample: str, points: int | None, drawn: bool) -> int:
    if drawn:
        if not is_whole(points, 1, 100_000_000):
            raise SetupError(f"points: {points!r}; expected how many points are drawn, an integer of at least 1")
        assert points is not None
        return points
    if points is not None:
        raise SetupError(f'points: {points}; a sample "{sample}" has as many points as its lists say; leave it out')
    if sample == "together":
        lengths = {len(axis.values) for axis in axes}
        if len(lengths) > 1:
            raise SetupError(
                f"vary: lists of {', '.join(map(str, sorted(lengths)))} values; together they need one length"
            )
        return lengths.pop()
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST_POINTS:
        raise SetupError(f"vary: the grid has {count} points; at most {MOST_POINTS} are possible")
    return count


def _draw(sample: str, dimension: int, count: int, seed: int) -> NDArray[np.float64]:
    """Return shares from 0 to 1, shape (count, dimension)."""
    try:
        from scipy.stats import qmc
    except ImportError:
        raise MissingExtraError(f'the sample "{sample}"', "sweep") from None
    if sample == "latin-hypercube":
        return np.asarray(qmc.LatinHypercube(d=dimension, rng=np.random.default_rng(seed)).random(count))
    engine = qmc.Sobol(d=dimension, scramble=True, rng=np.random.default_rng(seed))
    # A power of two is drawn and cut: SciPy warns of other numbers, whose balance is as good as their length allows.
    return np.asarray(engine.random_base2(max(count - 1, 1).bit_length())[:count])
