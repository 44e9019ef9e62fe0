"""What the core has recorded, moved into a store and summed up."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._common.ports import columns
from ..pace._kinds import Gradient
from ..results import (
    DefectSummary,
    FileStore,
    FirstStepsSummary,
    MemoryStore,
    RunLayout,
    RunSummary,
    SubsystemLayout,
    WindowSummary,
)
from ..results.defects import DeferredDefects
from ..results.deferred import UNKNOWN
from ..results.paces import PaceSummary, StepsLayout, WallClockSummary
from ..results.store import LONGEST_REASON, Status
from .pacing import PacedSteps
from .plan import Plan, PlannedConnection
from .selection import Selection

if TYPE_CHECKING:
    from ..subsystems import Subsystem
    from ..system import System
    from ..windows import Window

FEWEST_STILL = 5
"""Steps after which a leading signal that has not changed is worth a warning."""
Driver = _core.Scheduler | _core.WindowedScheduler | _core.EmbeddedInterface


class _Deferred:
    """What was not compared in the run, for it follows from what is recorded."""

    def __init__(self, comparisons: _core.DeferredComparisons, connections: Sequence[PlannedConnection]) -> None:
        self._comparisons = comparisons
        self._planned = connections
        self._made: dict[int, tuple[Any, _core.DefectFigures]] = {}
        self.connections = comparisons.connections

    def made(self, store: MemoryStore, connection: int) -> tuple[Any, _core.DefectFigures]:
        """Return rows of time, assumed and arrived values, and what was compared in the whole run."""
        if connection not in self._made:
            comparison = self._comparisons[connection]
            recorded = store.table(comparison.source), store.table(comparison.consumer)
            self._made[connection] = comparison.compare(*recorded)
        return self._made[connection]

    def labels(self) -> Iterator[int]:
        """Yield the labels of these connections, one per component."""
        for k in self.connections:
            first = self._planned[k].first_label
            yield from range(first, first + self._planned[k].width)

    def rows(self, store: MemoryStore, label: int) -> Any:
        """Return the rows of one component."""
        k = bisect_right(self._planned, label, key=lambda planned: planned.first_label) - 1
        rows, _ = self.made(store, k)
        width, component = self._planned[k].width, label - self._planned[k].first_label
        return rows if width == 1 else np.ascontiguousarray(rows[:, [0, 1 + component, 1 + width + component]])


class Recorder:
    """Moves what a driver of the core has recorded to a store."""

    def __init__(
        self,
        plan: Plan,
        driver: Driver,
        store: FileStore | MemoryStore,
        window: Window | None = None,
        selection: Selection | None = None,
    ) -> None:
        self._selection = selection
        self._plan = plan
        self._driver = driver
        self._store = store
        self._window = window
        self._deferred: _Deferred | None = None
        self._told: dict[int, list[float]] = {}  # a file, of connections that it is asked for
        self.listener: Callable[[int, Any], None] | None = None  #: gets values assumed and values arrived
        self._paced = [-1] if plan.common is not None else []
        self._paced += [plan.names.index(name) for name in plan.singles]

    def drain(self, at_least: int = 1) -> None:
        """Move recorded rows to the store, from participants and connections that have at least this many."""
        keep = self._store.append if self._selection is None else self._keep_selected
        for published in self._driver.take_rows(at_least):
            keep(published.participant, published.rows)
        for chosen in self._driver.take_step_rows(at_least):
            self._store.append_steps(self._paced.index(chosen.participant), chosen.rows)
        connections = self._plan.connections
        for compared in self._driver.take_defect_rows(at_least):
            connection, rows = connections[compared.connection], compared.rows
            if self.listener is not None:
                self.listener(compared.connection, rows)
            if self._selection is not None:
                rows = self._selection.keep_defects(compared.connection, rows)
            if connection.width == 1:
                self._store.append_defects(connection.first_label, rows)
                continue
            for j in range(connection.width):
                series = np.asarray(rows)[:, [0, 1 + j, 1 + connection.width + j]]
                self._store.append_defects(connection.first_label + j, np.ascontiguousarray(series))

    def _keep_selected(self, participant: int, rows: Any) -> None:
        assert self._selection is not None
        kept = self._selection.keep(participant, self._plan.names[participant], rows)
        if kept is not None:
            self._store.append(participant, kept)

    def finish(self) -> None:
        """Move everything that is left, and the last row of each subsystem whatever was selected."""
        self._driver.finish_steps()
        self.drain()
        for participant, rows in self._selection.rest() if self._selection is not None else ():
            self._store.append(participant, rows)

    def flush(self) -> None:
        """Move everything to the store and make it visible; a file gets once what was not compared."""
        self.drain()
        if isinstance(self._store, FileStore) and not self._told:
            self._told = self._defer_in_file(self._store, ended=False)
        self._store.flush()

    def _defer(self) -> None:
        """Keep how to compare what was not compared in the run, when that has ended."""
        store = self._store
        if isinstance(store, FileStore):
            self._told = self._defer_in_file(store, ended=True)
            return
        if self._deferred is None:
            self._deferred = _Deferred(self._driver.deferred_comparisons(), self._plan.connections)
            store.defer_defects(self._deferred.labels(), self._deferred.rows)

    def _defer_in_file(self, store: FileStore, *, ended: bool) -> dict[int, list[float]]:
        """Write to a file from where on its reader computes defects; return this by label."""
        told: dict[int, list[float]] = {}
        for k, connection in enumerate(self._plan.connections):
            comparison = (
                None if connection.first_label not in store.comparisons else self._driver.deferred_comparison(k)
            )
            if comparison is None:
                continue
            told[connection.first_label] = numbers = comparison.numbers
            if not ended:
                numbers[1] = -math.inf  # the step that would follow: not known of a run that is killed
        if told:
            store.defer_defects(told)
        return told

    def seconds(self) -> list[float]:
        """Return the time spent per subsystem, in s."""
        return [self._driver.seconds(k) for k in range(len(self._plan.names))]

    def summary(
        self, status: Status, message: str, end: float, wall_seconds: float, seconds: list[float]
    ) -> RunSummary:
        """Sum up a run that has ended, at ``end`` (s)."""
        self._defer()
        return RunSummary(
            status=status,
            message=message,
            start=self._plan.start,
            end=end,
            until=self._plan.until if math.isfinite(self._plan.until) else end,
            wall_seconds=wall_seconds,
            scheme=str(self._plan.scheme),
            steps=[self._driver.steps(k) for k in range(len(self._plan.names))],
            seconds=seconds,
            evaluations=[self._driver.evaluations(k) for k in range(len(self._plan.names))],
            defects=self._defects(),
            windows=self._windows(),
            paces=self.paces(),
            overruns=self._overruns(),
            first_steps=self._first_steps(),
        )

    def _first_steps(self) -> FirstStepsSummary:
        planned = self._plan.first_steps
        if planned.end is None or not isinstance(self._driver, _core.WindowedScheduler):
            return FirstStepsSummary(repeated=False, reason=planned.reason[:LONGEST_REASON])
        tally = self._driver.tally
        if tally.obstacle:
            return FirstStepsSummary(repeated=False, reason=tally.obstacle[:LONGEST_REASON])
        if tally.windows == 0:
            return FirstStepsSummary(repeated=False, reason="the run ended within the first steps")
        reason = (
            "" if tally.not_converged == 0 else f"repeats changed them by {tally.largest_change:.2g} and did not agree"
        )
        return FirstStepsSummary(
            repeated=not reason,
            reason=reason,
            end=planned.end,
            steps=planned.steps,
            passes=tally.passes,
            change=tally.largest_change,
        )

    def standing_leads(self) -> list[str]:
        """Return the leading signals of paces that have seen no change of them in the whole run."""
        found = []
        for participant, one in zip(self._paced, self._chosen_steps(), strict=True):
            tally = self._driver.step_tally(participant)
            leads = one.pace.signals if isinstance(one.pace, Gradient) else None
            if leads is not None and tally.accepted > FEWEST_STILL and not tally.saw_change:
                found.append(", ".join(leads))
        return found

    def paces(self) -> list[PaceSummary]:
        """Return what the paces came to so far."""
        found = [
            self._pace(participant, one) for participant, one in zip(self._paced, self._chosen_steps(), strict=True)
        ]
        if self._plan.common is not None and isinstance(self._driver, _core.WindowedScheduler):
            found[0].passes = self._driver.tally.passes
        return found

    def _pace(self, participant: int, steps: PacedSteps) -> PaceSummary:
        tally = self._driver.step_tally(participant)
        name = "" if participant < 0 else self._plan.names[participant]
        kept_there = tally.kept_there
        signal = steps.signals[int(np.argmax(kept_there))] if kept_there else ""
        return PaceSummary(
            name,
            str(steps.pace),
            tally.accepted,
            tally.rejected,
            tally.shortest,
            tally.longest,
            tally.at_smallest,
            signal,
        )

    def _chosen_steps(self) -> list[PacedSteps]:
        """Return the laws of the tables of chosen steps, in their order."""
        common = [self._plan.common] if self._plan.common is not None else []
        return [*common, *self._plan.singles.values()]

    def _overruns(self) -> list[WallClockSummary]:
        clock = self._plan.wall_clock
        if clock is None:
            return []
        tallies = [clock.tally(k) for k in range(len(self._plan.names))]
        return [WallClockSummary(t.steps, t.overruns, t.latest, t.time_of_latest) for t in tallies]

    def _windows(self) -> WindowSummary | None:
        if self._window is None or not isinstance(self._driver, _core.WindowedScheduler):
            return None
        given = self._window
        assert given.length is not None
        tally = self._driver.tally
        return WindowSummary(
            length=given.length,
            repeats=given.repeats,
            tolerance=given.tolerance,
            count=tally.windows,
            passes=tally.passes,
            not_converged=tally.not_converged,
            largest_change=tally.largest_change,
            time_of_largest=tally.time_of_largest,
            growing=tally.growing,
            cuts=tally.cuts,
            changes=list(tally.changes)[-8:],
        )

    def _defects(self) -> Sequence[DefectSummary]:
        connections, labels, deferred = self._plan.connections, self._store.layout.connections, self._deferred
        later = set(deferred.connections) if deferred is not None else set()
        compared = {k: self._driver.defect(k) for k in range(len(connections)) if k not in later}
        store = self._store
        if deferred is None or not later or not isinstance(store, MemoryStore):
            found = _summaries(connections, labels, list(compared.values()))
            unknown = [connections[k].first_label in self._told for k in compared for _ in range(connections[k].width)]
            return [replace(d, count=UNKNOWN) if told else d for d, told in zip(found, unknown, strict=True)]

        def make() -> list[DefectSummary]:
            all_found = compared | {k: deferred.made(store, k)[1] for k in later}
            return _summaries(connections, labels, [all_found[k] for k in range(len(connections))])

        return DeferredDefects(len(labels), make)


def _summaries(
    connections: Sequence[PlannedConnection], labels: Sequence[str], compared: Sequence[_core.DefectFigures]
) -> list[DefectSummary]:
    return [
        DefectSummary(
            label,
            "interpolates" if connection.waits else "extrapolates",
            found.count,
            found.maximum,
            found.time_of_maximum,
            found.rms,
            found.scale,
            found.magnitude,
            connection.growth,
        )
        for connection, found in zip(connections, compared, strict=True)
        for label in labels[connection.first_label : connection.first_label + connection.width]
    ]


def comparisons_of(plan: Plan, driver: Driver) -> dict[int, tuple[bytes, int]]:
    """Return for a file how to find defects in its rows, by label, and how many numbers that needs."""
    found = {}
    for k, connection in enumerate(plan.connections):
        if settings := driver.comparison_settings(k):
            found[connection.first_label] = settings, _core.DeferredComparison.number_count(connection.width)
    return found


def run_layout(system: System, plan: Plan, selection: Selection | None = None) -> RunLayout:
    """Return what a run of the system publishes, as far as it is kept."""
    selection = selection or Selection()
    parts = []
    for name, participant in system.subsystems.items():
        subsystem = participant.subsystem
        of_port = {port: columns({port: width}) for port, width in subsystem.output_widths.items()}
        kept = selection.columns_of(name, [column for port in of_port.values() for column in port])
        unit_of = {column: subsystem.units.get(port, "") for port, names in of_port.items() for column in names}
        held = [column for port, names in of_port.items() if _is_held(subsystem, port) for column in names]
        minor = [column for port in subsystem.minor_outputs if port in of_port for column in of_port[port]]
        parts.append(
            SubsystemLayout(
                name,
                kept,
                tuple([unit_of[column] for column in kept]),
                tuple([column for column in held if column in kept]),
                tuple([column for column in minor if column in kept and selection.chosen is None]),
            )
        )
    labels = [
        label
        for connection in plan.connections
        for label in _labels(connection.source, connection.target, connection.width)
    ]
    return RunLayout(tuple(parts), tuple(labels), steps_layout(plan))


def steps_layout(plan: Plan) -> tuple[StepsLayout, ...]:
    """Return the tables of chosen steps: of all subsystems together first."""
    found = [StepsLayout("", plan.common.pace.kind, plan.common.signals)] if plan.common is not None else []
    found += [StepsLayout(name, steps.pace.kind, steps.signals) for name, steps in plan.singles.items()]
    return tuple(found)


def _is_held(subsystem: Subsystem, port: str) -> bool:
    """Whether an output is kept from sample to sample, for that is how it is approximated."""
    preferred = subsystem.approximation_of(port)
    return preferred is not None and preferred.name.startswith("hold")


def _labels(source: str, target: str, width: int) -> list[str]:
    if width == 1:
        return [f"{source} -> {target}"]
    return [f"{source}[{j}] -> {target}[{j}]" for j in range(width)]
