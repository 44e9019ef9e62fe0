"""One run with a known solution: what the verdict says, and what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SimulationError
from ...quality import TOLERANCE, UNUSABLE, Quality
from ...quality.difference import Difference, differ
from ...quality.verdict import WRONG_MOTION
from ...results import Result
from ...system import System

Array = NDArray[np.float64]
Solution = Callable[[Array], Array]
VERDICTS = ("trustworthy", "look here", "do not use", "cannot tell")


@dataclass(frozen=True)
class Trial:
    """A system to run, and its solution.

    Attributes
    ----------
    family, name : str
        What kind of problem, and which.
    build : function
        Returns the system, a new one at each call.
    until : float
        s
    solution : function
        Returns the solution of exchanged signals: name -> function of time.
    options : mapping
        Of :meth:`System.run`.
    """

    family: str
    name: str
    build: Callable[[], System]
    until: float
    solution: Callable[[], Mapping[str, Solution]]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What was said of a run, and what is true.

    Attributes
    ----------
    trial : Trial
    verdict, confidence : str
    estimated : float
        Estimated error.
    error : float
        True error of the worst exchanged signal, measured in the same way.
    wrong_motion : float
        Factor by which a motion of at least 5 % of a signal is amplified (above 1) or attenuated, of the worst one.
    seconds, check_seconds : float
        Wall time of the run, and of the second run.
    """

    trial: Trial
    verdict: str
    confidence: str
    estimated: float
    error: float
    wrong_motion: float
    seconds: float = 0.0
    check_seconds: float = 0.0

    @property
    def truth(self) -> str:
        """The word that would have been right."""
        if self.error > UNUSABLE * TOLERANCE or self.is_distorted:
            return "do not use"
        return "look here" if self.error > TOLERANCE else "trustworthy"

    @property
    def is_distorted(self) -> bool:
        """Whether a motion is amplified or attenuated so much that the run is useless."""
        return not 1 / WRONG_MOTION < self.wrong_motion < WRONG_MOTION


def try_out(trial: Trial) -> Outcome:
    """Run a trial, read the verdict, and compare with the solution."""
    system = trial.build()
    try:
        result = system.run(until=trial.until, **{"first_steps": "once", **trial.options})
    except SimulationError as error:
        assert error.result is not None
        quality = error.result.quality
        return Outcome(trial, quality.verdict, quality.confidence, inf, inf, inf)
    quality = result.quality
    true = _true_differences(result, trial.solution())
    worst = max(true, key=lambda one: one.error)
    return Outcome(
        trial, quality.verdict, quality.confidence, quality.error, worst.error, _distortion(true),
        result.wall_seconds, _check_seconds(quality),
    )  # fmt: skip


def _check_seconds(quality: Quality) -> float:
    return quality.second.seconds


def _true_differences(result: Result, solution: Mapping[str, Solution]) -> list[Difference]:
    return [_true_difference(result, name, exact) for name, exact in solution.items()]


def _true_difference(result: Result, name: str, exact: Solution) -> Difference:
    signal = result.signal(name)
    time, values = np.asarray(signal.time), np.asarray(signal.values)
    return differ(name, time, values, np.asarray(exact(time)), parts=0)


def _distortion(true: list[Difference]) -> float:
    """Return the factor of the motion that is most amplified or attenuated."""
    ratios = [motion.ratio for one in true for motion in one.motions]
    if any(not isfinite(one.error) for one in true):
        return inf
    return max(ratios, key=lambda ratio: abs(np.log(max(ratio, 1e-9))), default=1.0)
