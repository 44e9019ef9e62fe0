"""Runs one point of a sweep after the other, in the process where it is made."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._run.checks import check_run
from .._run.events import quietly
from .._run.options import RunOptions
from .._run.port_table import PortTable
from .._run.run import Run, run_to_end
from .._run.selection import Selection
from .._run.strategy import with_strategy
from ..errors import CounterpointError
from .measures import Measures
from .recipes import Recipe, is_native, keep_instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._run.progress import Progress
    from ..results import Result

State = Literal["done", "failed", "killed", "late"]


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

    def run(self, point: int, values: Sequence[Any]) -> Row:
        """Run a point; whatever goes wrong with it is in the row."""
        began = time.perf_counter()
        self._until = began + self._job.deadline if self._job.deadline is not None else float("inf")
        status: State = "done"
        numbers = [nan] * len(self._job.measures.functions)
        try:
            result = self.result(values, point)
            message = _warning(result)
            numbers = self._job.measures.of(result)
            result.close()
        except Stopped:
            raise
        except Late:
            status, message = "late", f"stopped after its deadline of {self._job.deadline:g} s"
        except (CounterpointError, ArithmeticError, LookupError, ValueError, TypeError, RuntimeError, OSError) as error:
            status, message = "failed", str(error) or type(error).__name__
        except Exception as error:
            status, message = "failed", f"{type(error).__name__}: {error}"
        return Row(point, status, message, time.perf_counter() - began, numbers)

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
        """Asked about ten times per second while a run goes on."""
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
