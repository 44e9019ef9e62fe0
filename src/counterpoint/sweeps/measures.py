"""What is kept of each run of a sweep: numbers made from its result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CounterpointError, SetupError, did_you_mean
from ..quality import relative_rms_error
from ..results.sampling import sample
from ..results.store import Array

if TYPE_CHECKING:
    from ..results import Result


class MeasureError(SetupError):
    """A function of the user that measures a result failed, or returned no number."""


Measure = str | Callable[["Result"], float]

OF_SIGNALS: dict[str, Callable[[Array], float]] = {
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "min": np.min,
    "max": np.max,
    "mean": np.mean,
    "rms": lambda x: np.sqrt(np.mean(np.square(x))),
    "peak": lambda x: np.max(np.abs(x)),
    "range": np.ptp,
}
"""Measures of one signal, ``max(engine.speed)``, over its own samples."""
OF_RUNS: dict[str, Callable[[Any], float]] = {
    "seconds": lambda result: result.wall_seconds,
    "steps": lambda result: sum(result.summary.steps),
    "end": lambda result: result.end,
}
"""Measures of a whole run: wall time in s, steps of all subsystems, time reached in s."""
_CALL = re.compile(r"\s*(\w+)\s*\((.+)\)\s*")


@dataclass
class ReferenceSignal:
    """A signal of the reference run; what it is at the times of another one is kept for the next run."""

    time: Array
    values: Array
    held: bool
    _known: tuple[Array, Array] | None = field(default=None, repr=False)

    def at(self, time: Array, name: str) -> Array:
        """Return its values at times in s."""
        known = self._known  # one object, for other threads may replace it meanwhile
        if known is None or not np.array_equal(known[0], time):
            known = (time, sample(time, self.time, self.values, "hold" if self.held else "cubic", name))
            self._known = known
        return known[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}


@dataclass(frozen=True)
class Written:
    """A measure that is written down: ``last(engine.speed)``, ``error(engine.speed)``, ``steps``."""

    kind: str
    signal: str = ""

    @property
    def text(self) -> str:
        """The measure as it is written."""
        return f"{self.kind}({self.signal})" if self.signal else self.kind

    def __call__(self, result: Result, references: Mapping[str, ReferenceSignal]) -> float:
        """Return the number."""
        if not self.signal:
            return float(OF_RUNS[self.kind](result))
        signal = result.signal(self.signal)
        if self.kind == "error":
            return relative_rms_error(signal.values, references[self.signal].at(signal.time, self.signal))
        return float(OF_SIGNALS[self.kind](signal.values))


@dataclass(frozen=True)
class Measures:
    """The measures of a sweep, by name, and the signals of the reference run that they compare with."""

    functions: Mapping[str, Written | Callable[[Result], float]]
    references: Mapping[str, ReferenceSignal] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.functions)

    @property
    def words(self) -> dict[str, str]:
        """What each column holds, in words; functions by their names."""
        return {name: f.text if isinstance(f, Written) else _name(f) for name, f in self.functions.items()}

    @property
    def signals(self) -> list[str] | None:
        """The signals that runs have to record; None: functions of the user may ask for any."""
        written = [f for f in self.functions.values() if isinstance(f, Written)]
        if len(written) < len(self.functions):
            return None
        return sorted({f.signal for f in written if f.signal})

    @property
    def compared(self) -> list[str]:
        """Signals that are compared with the reference run."""
        return sorted({f.signal for f in self.functions.values() if isinstance(f, Written) and f.kind == "error"})

    def of(self, result: Result) -> list[float]:
        """Return the numbers of a run.

        Raises
        ------
        MeasureError
            A function of the user failed, or returned no number.
        """
        return [
            f(result, self.references) if isinstance(f, Written) else _number_of(name, f, result)
            for name, f in self.functions.items()
        ]

    def against(self, reference: Result) -> Measures:
        """Return the measures with the signals of a reference run."""
        found = {}
        for name in self.compared:
            signal = reference.signal(name)
            found[name] = ReferenceSignal(np.array(signal.time), np.array(signal.values), signal.is_held)
        return Measures(self.functions, found)


def _number_of(name: str, function: Callable[[Result], float], result: Result) -> float:
    try:
        value = function(result)
    except CounterpointError:
        raise
    except Exception as error:
        raise MeasureError(f'measures."{name}": {type(error).__name__}: {error}') from error
    try:
        return float(value)
    except (TypeError, ValueError):
        text = repr(value) if np.ndim(value) == 0 else f"{type(value).__name__} of shape {np.shape(value)}"
        raise MeasureError(f'measures."{name}": returned {text}; expected a number') from None


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def make_measures(given: Measure | Iterable[str] | Mapping[str, Measure]) -> Measures:
    """Return the measures from names -> words or functions, or from words alone.

    >>> make_measures(["last(fast.x)", "steps"]).names
    ['last(fast.x)', 'steps']

    Raises
    ------
    SetupError
        With each word that means nothing.
    """
    if isinstance(given, str):
        given = [given]
    if callable(given):
        given = {getattr(given, "__name__", "measure"): given}
    named = dict(given) if isinstance(given, Mapping) else {word: word for word in given}
    problems: list[str] = []
    made: dict[str, Written | Callable[[Result], float]] = {}
    for name, measure in named.items():
        try:
            made[str(name)] = measure if callable(measure) else _read(str(measure))
        except SetupError as error:
            problems.append(f'measures."{name}": {error}')
    reserved = {"point", "status", "message", "wall_seconds"} & set(made)
    problems += [f'measures."{name}": the table has a column of this name; choose another' for name in sorted(reserved)]
    if problems:
        raise SetupError(problems)
    return Measures(made)


def _read(text: str) -> Written:
    found = _CALL.fullmatch(text)
    if found is None:
        if text.strip() in OF_RUNS:
            return Written(text.strip())
        known = [*OF_RUNS, *(f"{kind}(signal)" for kind in (*OF_SIGNALS, "error"))]
        raise SetupError(f'"{text}": no such measure{did_you_mean(text, known)}')
    kind, signal = found[1], found[2].strip()
    if kind not in (*OF_SIGNALS, "error"):
        raise SetupError(f'"{text}": no such measure{did_you_mean(kind, [*OF_SIGNALS, "error"])}')
    return Written(kind, signal)
