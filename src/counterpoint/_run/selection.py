"""Which rows and columns of what subsystems publish are kept in the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import is_number
from .._common.ports import columns
from ..errors import SetupError, did_you_mean
from ..units import time_at
from .structure import Once, find_again

if TYPE_CHECKING:
    from ..system import System

Rows = NDArray[np.float64]

WHOLE_START = 16
"""First comparisons of a connection, kept whatever is left out later: an error made at the start is judged by them."""


@dataclass
class Thinning:
    """Every n-th row, or the first row of each interval in s; the first and the last row, or the first few, always.

    Examples
    --------
    >>> rows = np.array([[0.0], [0.1], [0.2], [0.3], [0.4]])
    >>> thinning = Thinning(every=2)
    >>> thinning.keep(rows[:3]).ravel(), thinning.keep(rows[3:]).ravel()
    (array([0. , 0.2]), array([0.4]))
    """

    every: int = 1
    interval: float = 0.0
    whole_start: int = 1
    _seen: int = 0
    _next: float = -math.inf
    _left: Rows | None = None

    def keep(self, rows: Rows) -> Rows:
        """Return those of further rows that are kept."""
        if not len(rows):
            return rows
        numbers = self._seen + np.arange(len(rows))
        chosen = self._in_time(rows[:, 0]) if self.interval else numbers % self.every == 0
        chosen |= numbers < self.whole_start
        self._seen += len(rows)
        self._left = None if chosen[-1] else rows[-1:].copy()
        return np.ascontiguousarray(rows[chosen])

    def last(self) -> Rows | None:
        """Return the last row if it was not kept."""
        left, self._left = self._left, None
        return left

    def _in_time(self, times: Rows) -> NDArray[np.bool_]:
        chosen = np.zeros(len(times), dtype=bool)
        slack = 1e-6 * self.interval
        for row, time in enumerate(times.tolist()):
            if time >= self._next - slack:
                chosen[row] = True
                steps = 0 if math.isinf(self._next) else math.floor((time - self._next + slack) / self.interval)
                self._next = (time if math.isinf(self._next) else self._next + steps * self.interval) + self.interval
        return chosen


@dataclass
class Selection:
    """What is kept of each subsystem: its columns (None: all), and which of its rows."""

    chosen: dict[str, list[str]] | None = None
    every: int = 1
    interval: float = 0.0
    _places: dict[str, list[int]] = field(default_factory=dict)
    _thinning: dict[int, Thinning] = field(default_factory=dict)
    _thinning_defects: dict[int, Thinning] = field(default_factory=dict)

    @classmethod
    def of(
        cls, system: System, record: Sequence[str] | None, every: float | str | None, once: Once = find_again
    ) -> Selection:
        """Check the selection of a user; raise SetupError for unknown names."""
        if record is None:
            return cls(None, *_cadence(every))
        names = [record] if isinstance(record, str) else list(record)
        chosen, places = once(("selection", *names), lambda: _columns(system, names))
        return cls(chosen, *_cadence(every), places)

    @property
    def key(self) -> tuple[tuple[str, ...], ...] | None:
        """The columns, to be compared; None: all."""
        return None if self.chosen is None else tuple((name, *kept) for name, kept in self.chosen.items())

    def columns_of(self, name: str, every: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a subsystem that are kept, in its own order."""
        if self.chosen is None:
            return tuple(every)
        wanted = set(self.chosen.get(name, ()))
        return tuple(column for column in every if column in wanted)

    def keep(self, participant: int, name: str, rows: Any) -> Rows | None:
        """Return what is kept of rows that a subsystem has published; None: nothing."""
        made: Rows = rows
        if self.chosen is not None:
            places = self._places.get(name, ())
            if not places:
                return None
            made = np.asarray(rows)
            if len(places) + 1 < made.shape[1]:
                made = np.ascontiguousarray(made[:, [0, *places]])
        if self._thins:
            thinning = self._thinning.setdefault(participant, Thinning(self.every, self.interval))
            made = thinning.keep(np.asarray(made))
        return made

    def keep_defects(self, connection: int, rows: Any) -> Any:
        """Return what is kept of rows that say what a connection assumed; their figures count all of them."""
        if not self._thins:
            return rows
        thinning = self._thinning_defects.setdefault(connection, Thinning(self.every, self.interval, WHOLE_START))
        return thinning.keep(np.asarray(rows))

    @property
    def _thins(self) -> bool:
        return self.every > 1 or self.interval > 0.0

    def rest(self) -> list[tuple[int, Rows]]:
        """Return the last row of each subsystem, where it was not kept."""
        found = [(participant, thinning.last()) for participant, thinning in self._thinning.items()]
        return [(participant, rows) for participant, rows in found if rows is not None]


def _columns(system: System, record: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, list[int]]]:
    """Return the columns that are kept of each subsystem, and their places in its rows."""
    made = Selection(_chosen(system, record))
    for name, part in system.subsystems.items():
        names = columns(part.subsystem.output_widths)
        made._places[name] = [1 + names.index(column) for column in made.columns_of(name, names)]
    assert made.chosen is not None
    return made.chosen, made._places


def _cadence(every: float | str | None) -> tuple[int, float]:
    """Return the number of steps and the interval in s that ``record_every`` means."""
    if every is None:
        return 1, 0.0
    if isinstance(every, Integral) and not isinstance(every, bool) and every >= 1:
        return int(every), 0.0
    interval = time_at("record_every", every)
    if isinstance(every, Integral) or not is_number(interval) or not interval > 0:
        raise SetupError(f'record_every: {every!r}; expected a number of steps, 10, or an interval, 0.01 or "10 ms"')
    return 1, float(interval)


def _chosen(system: System, record: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns that names denote, by subsystem."""
    known: dict[str, list[tuple[str, str]]] = {}
    for name, participant in system.subsystems.items():
        widths = participant.subsystem.output_widths
        known[name] = [(name, column) for column in columns(widths)]
        for port, width in widths.items():
            known[f"{name}.{port}"] = [(name, column) for column in columns({port: width})]
            known |= {f"{name}.{column}": [(name, column)] for column in columns({port: width})}
    problems = [f'record: "{name}": no such output{did_you_mean(name, known)}' for name in record if name not in known]
    if problems:
        raise SetupError(problems)
    made: dict[str, list[str]] = {}
    for name in record:
        for owner, column in known[name]:
            made.setdefault(owner, []).append(column)
    return made
