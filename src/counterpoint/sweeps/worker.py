"""Runs one point of a sweep after the other, in the process where it is made."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._run.checks import check_run
from .._run.events import quietly
from .._run.options import RunOptions
from .._run.port_table import PortTable
from .._run.run import Run, advance_together, begin_to_end, run_to_end, seconds_ahead
from .._run.selection import Selection
from .._run.strategy import with_strategy
from ..errors import CounterpointError
from .measures import Measures
from .recipes import Recipe, is_native, keep_instances

if TYPE_CHECKING:
    from .._run.progress import Progress
    from ..results import Result

State = Literal["done", "failed", "killed", "late"]
Point = tuple[int, Sequence[Any]]
"""Number and values of a point."""


TOGETHER_SECONDS = 0.02
MOST_TOGETHER = 8
"""Runs are made at the same time if that takes no longer, and so many of them: more would leave the caches."""


class Row(NamedTuple):
    """What became of a point: plain values, which any process understands."""

    point: int
    status: State
    message: str  #: why it is not done; of a point that is done: the first warning of its run
    seconds: float  #: wall time
    measures: list[float]


class Late(Exception):
    """A point took longer than its deadline."""


class Stopped(Exception):
    """The sweep was ended while a point was running."""


@dataclass
class _Attempt:
    """A point that is being run."""

    point: int
    run: Run | None = None
    status: State = "done"
    message: str = ""
    seconds: float = 0.0
    of_run: float = 0.0  #: s of its run, a part of `seconds`
    measures: list[float] | None = None


@dataclass(frozen=True)
class Job:
    """All that a worker has to know; it can be sent to another process."""

    recipe: Recipe
    names: tuple[str, ...]
    measures: Measures
    deadline: float | None = None  #: wall time of a point, s
    results: Path | None = None  #: where run files of the points go

    def result_file(self, point: int) -> Path | None:
        """Return the run file of a point."""
        return None if self.results is None else self.results / f"point-{point:06d}.h5"


class Worker:
    """A bench and the measures; each thread or process has its own.

    Parameters
    ----------
    job : Job
        What to run and to measure.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._stopped: Callable[[], bool] = lambda: False
        self._bench = job.recipe.bench(job.names)
        keep_instances(self._bench.system)
        self._until = float("inf")
        self._fixed: dict[str, Any] = {"check": "off", "progress": self._look}
        if job.measures.signals is not None and job.results is None:
            self._fixed["record"] = job.measures.signals
        self._options_before = (RunOptions(), RunOptions())
        models = [part.subsystem for part in self._bench.system.subsystems.values()]
        self._has_copies = bool(models) and self.is_native and all(model.copied_for_runs for model in models)

    @property
    def recipe(self) -> Recipe:
        """How its system is made."""
        return self._job.recipe

    @property
    def is_native(self) -> bool:
        """Whether threads of one process can share the work."""
        return is_native(self._bench.system)

    def stopped_by(self, stopped: Callable[[], bool]) -> None:
        """Ask this about ten times per second while a point runs; when it is true, the point is given up."""
        self._stopped = stopped

    def with_measures(self, job: Job) -> Worker:
        """Return the worker for a job that differs in its measures only; the bench is the same."""
        self._job = job
        return self

    def check(self, values: Sequence[Any]) -> None:
        """Make a point ready without running it: raises SetupError with what is wrong with names, values and system."""
        system, options = self._bench.prepare(values)
        system, options = with_strategy(system, self._options(options, None))
        check_run(system, options, PortTable(system))
        Selection.of(system, options.record, options.record_every)

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Run points one by one and yield their rows."""
        for point, values in points:
            yield self._end(self._begin(point, values))

    def rows_together(self, points: Iterable[Point]) -> Iterator[Row]:
        """Run points and yield their rows; short runs some at a time, so that threads seldom wait for each other.

        Making and ending runs needs Python, which serves one thread at a time; the core needs none. A thread that has
        several runs ready leaves Python to the others for as long as all of them take.
        """
        todo, seconds = iter(points), float("inf")
        while batch := [self._begin(*point) for point in islice(todo, self._most_together(seconds))]:
            if len(batch) > 1:
                advance_together([attempt.run for attempt in batch if attempt.run is not None])
            for attempt in batch:
                yield (row := self._end(attempt))
                seconds = row.seconds

    def _most_together(self, seconds: float) -> int:
        """Return how many runs of this wall time (s) are made at the same time."""
        if not self._has_copies or seconds * MOST_TOGETHER > TOGETHER_SECONDS:
            return 1
        return MOST_TOGETHER

    def _begin(self, point: int, values: Sequence[Any]) -> _Attempt:
        """Make a point ready to run; whatever goes wrong with it is kept for its row."""
        attempt = _Attempt(point)

        def begin() -> None:
            system, options = self._bench.prepare(values)
            attempt.run = begin_to_end(system, self._options(options, point))

        self._try(attempt, begin)
        return attempt

    def _end(self, attempt: _Attempt) -> Row:
        """Run a point that was begun; whatever goes wrong with it is in the row."""

        def end() -> None:
            if (run := attempt.run) is not None:
                run.step_to(run.span[1])
                result = run.finish()
                attempt.message = _warning(result)
                attempt.of_run = result.wall_seconds
                attempt.measures = self._job.measures.of(result)
                result.close()

        attempt.seconds += 0.0 if attempt.run is None else seconds_ahead(attempt.run)
        self._try(attempt, end)
        # Another thread may have had its turn between the two parts, which only the run has counted.
        attempt.seconds = max(attempt.seconds, attempt.of_run)
        numbers = attempt.measures or [nan] * len(self._job.measures.functions)
        return Row(attempt.point, attempt.status, attempt.message, attempt.seconds, numbers)

    def _try(self, attempt: _Attempt, work: Callable[[], None]) -> None:
        """Do a part of the work for a point, against its deadline."""
        began = time.perf_counter()
        if self._job.deadline is not None:
            self._until = began + self._job.deadline - attempt.seconds
        try:
            work()
        except Stopped:
            raise
        except Late:
            attempt.status, attempt.message = "late", f"stopped after its deadline of {self._job.deadline:g} s"
        except (CounterpointError, ArithmeticError, LookupError, ValueError, TypeError, RuntimeError, OSError) as error:
            attempt.status, attempt.message = "failed", str(error) or type(error).__name__
        except Exception as error:
            attempt.status, attempt.message = "failed", f"{type(error).__name__}: {error}"
        attempt.seconds += time.perf_counter() - began

    def result(self, values: Sequence[Any], point: int | None = None, *, everything: bool = False) -> Result:
        """Run with these values and return the result: with the signals that the measures need, or with all."""
        system, options = self._bench.prepare(values)
        return run_to_end(system, options if everything else self._options(options, point))

    def start(self, values: Sequence[Any]) -> Run:
        """Begin a run with these values that is driven step by step; nothing of it is recorded."""
        system, options = self._bench.prepare(values)
        return Run(system, replace(options, driven=True, check="off", record=()))

    def _options(self, options: RunOptions, point: int | None) -> RunOptions:
        if options is not self._options_before[0]:  # most sweeps leave the options as they are
            self._options_before = (options, replace(options, **self._fixed))
        made = self._options_before[1]
        file = None if point is None else self._job.result_file(point)
        return made if file is None else replace(made, file=file, overwrite=True)

    def _look(self, progress: Progress) -> None:
        """Asked about ten times per second during a run."""
        if time.perf_counter() > self._until:
            raise Late
        if self._stopped():
            raise Stopped


def _warning(result: Result) -> str:
    return next((event.text for event in result.summary.events if event.level == "warning"), "")


@contextmanager
def quiet_runs() -> Iterator[None]:
    """Keep runs of a sweep from telling the terminal and the logger; what they warn of is in the rows."""
    with warnings.catch_warnings(), quietly():
        warnings.simplefilter("ignore")
        yield
