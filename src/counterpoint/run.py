"""A run under way: advance the core, move what it publishes to a store, end it well whatever happens."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .checks import value_problems
from .errors import (
    ModelError,
    OutputError,
    RunInterrupted,
    SetupError,
)
from .failures import explain
from .interrupts import PatientInterrupt
from .plan import make_plan
from .ports import offsets
from .precedence import Scheme
from .progress import Progress, show
from .recording import Driver, Recorder, run_layout
from .results import FileStore, MemoryStore, Result
from .results.store import RunSummary, Status
from .surroundings import keeping, take_signals_back

if TYPE_CHECKING:
    from .approximations import Approximation
    from .system import System
    from .windows import Window

_T = TypeVar("_T")

SLICE_SECONDS = 0.02
"""How long the core runs before what it published is moved on: bounds memory, and lets Ctrl-C in."""
FLUSH_SECONDS = 0.5
WORTH_MOVING = 1024
"""Fewer rows of a subsystem wait for the next flush: moving them costs more than making them."""
PROGRESS_SECONDS = 0.1


class Run:
    """A run that is driven step by step; made by :meth:`System.start`.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("clock", cp.source(lambda t: 2.0 * t, outputs="twice"), step=0.25)
    >>> with system.start() as run:
    ...     run.step_to(1.0)
    ...     run.value("clock.twice")
    2.0
    """

    def __init__(
        self,
        system: System,
        *,
        until: float | None,
        scheme: str | Scheme,
        start: float,
        window: Window | None,
        threads: int,
        file: str | PathLike[str] | None,
        overwrite: bool,
        progress: bool | Callable[[Progress], None],
        host: str | None,
        approximation: Approximation | None,
        metadata: Mapping[str, str | float] | None,
    ) -> None:
        if not isinstance(threads, int) or threads < 1:
            raise SetupError(f"threads: {threads}; a whole number from 1 is needed")
        self._system = system
        self._plan = make_plan(system, until, scheme, start, host=host, approximation=approximation, window=window)
        self._driver = self._make_driver(host, window, threads)
        self._layout = run_layout(system, self._plan)
        cut = {} if window is None else {"window": str(window)}
        notes = {"name": system.name, "scheme": str(scheme), **cut, **(metadata or {})}
        self._store: FileStore | MemoryStore
        if file is None:
            self._store = MemoryStore(self._layout, notes)
        else:
            self._store = FileStore(fspath(file), self._layout, notes, overwrite)
        self._recorder = Recorder(self._plan, self._driver, self._store, window)
        self._exits = contextlib.ExitStack()
        self._report = self._exits.enter_context(show(system.name)) if progress is True else progress or None
        self._began = self._flushed = self._reported = time.monotonic()
        self._threads = threads
        self._keeps = any(entry.subsystem.is_foreign for entry in system.subsystems.values())
        self._advanced = 0.0
        self._busy = False
        self._result: Result | None = None
        self._guarded(lambda: self._call(self._driver.start))
        self._recorder.begin()

    def _make_driver(self, host: str | None, window: Window | None, threads: int) -> Driver:
        if host is not None:
            return _core.EmbeddedInterface(self._plan.spec, self._plan.names.index(host))
        if window is None:
            return _core.Scheduler(self._plan.spec, threads)
        return _core.WindowedScheduler(
            self._plan.spec, threads, float(window.length), window.repeats, float(window.tolerance or 0.0)
        )

    @property
    def time(self) -> float:
        """Time that every subsystem has reached, s."""
        return self._driver.time

    def step_to(self, t: float) -> None:
        """Advance until every subsystem has reached ``t`` (s); some may have gone further.

        Raises
        ------
        SimulationError, OutputError, RunInterrupted
            The run stopped and is closed; ``error.result`` holds what was published before.
        """
        self._check_open()
        self._check_idle()
        if not math.isfinite(t):
            raise SetupError(f"step_to: {t}; a finite time in s is needed")
        if t > self._plan.until + 1e-9 * abs(self._plan.until):
            raise SetupError(f"step_to: {t} s lies beyond the end of the run, {self._plan.until} s")
        self._guarded(lambda: self._advance(t))

    def value(self, port: str) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the latest published value of ``subsystem.output``."""
        self._check_idle()
        width = self._system.port_width(port, "outputs")
        name, _, output = port.partition(".")
        ports = self._system.subsystems[name].subsystem.output_widths
        begin = offsets(ports)[output]
        values = self._driver.values(self._plan.names.index(name))[begin : begin + width]
        return values[0] if width == 1 else np.asarray(values)

    def set(self, port: str, value: ArrayLike) -> None:
        """Give an input that nothing drives a new value; it acts from the next step of its subsystem on."""
        self._check_idle()
        width = self._system.port_width(port, "inputs")
        if any(link.target == port for link in self._plan.links):
            raise SetupError(f'"{port}" is driven by a connection; only free inputs can be set')
        problems = list(value_problems(f'"{port}"', value, width))
        if problems:
            raise SetupError([str(problem) for problem in problems])
        numbers = np.broadcast_to(np.asarray(value, dtype=np.float64), (width,))
        name, _, input_name = port.partition(".")
        ports = self._system.subsystems[name].subsystem.input_widths
        for k, number in enumerate(numbers.tolist()):
            self._driver.set_constant(self._plan.names.index(name), offsets(ports)[input_name] + k, number)

    def finish(self) -> Result:
        """End the run where it stands and return the result."""
        if self._result is None:
            self._guarded(self._finish)
        assert self._result is not None
        return self._result

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.finish()
        else:
            self._salvage("interrupted", "the program that drove the run raised an exception")

    def _check_open(self) -> None:
        if self._result is not None:
            raise SetupError("the run has ended; start another one")

    def _check_idle(self) -> None:
        if self._busy:
            raise SetupError("the run is advancing: a model or another thread cannot use it meanwhile")

    def _advance(self, t: float) -> None:
        self._busy = True
        try:
            self._advance_in_slices(t)
        finally:
            self._busy = False

    def _advance_in_slices(self, t: float) -> None:
        done = False
        with PatientInterrupt() as interrupt:
            while not done:
                done = self._call(lambda: self._advance_once(t))
                self._recorder.drain(WORTH_MOVING)
                self._tell()
                if self._keeps and not done:
                    take_signals_back()
                interrupt.check()

    def _advance_once(self, t: float) -> bool:
        before = time.perf_counter()
        done = self._driver.advance(t, SLICE_SECONDS)
        self._advanced += time.perf_counter() - before
        return done

    def _call(self, work: Callable[[], _T]) -> _T:
        """Let the core work; what foreign code changes in the whole process is put right again."""
        return keeping(work) if self._keeps else work()

    def _tell(self) -> None:
        now = time.monotonic()
        held_back = isinstance(self._driver, _core.WindowedScheduler) and self._driver.has_open_window
        if now - self._flushed > FLUSH_SECONDS and not held_back:
            self._recorder.drain()
            self._store.flush()
            self._flushed = now
        if self._report is not None and now - self._reported > PROGRESS_SECONDS:
            self._report(self._progress(now))
            self._reported = now

    def _progress(self, now: float) -> Progress:
        return Progress(self.time, self._plan.start, self._plan.until, now - self._began)

    def _guarded(self, work: Callable[[], object]) -> None:
        """Do the work; on any failure keep what was published and say what happened."""
        try:
            work()
        except _core.diagram.RunEnd as end:
            self._recorder.drain()
            self._close("finished", f"{end}{self._kept_windows()}")
        except KeyboardInterrupt as error:
            text = f"interrupted at t = {self.time:.9g} s; results up to there are kept"
            raise RunInterrupted(text, self._salvage("interrupted", text)) from error
        except OutputError as error:
            error.result = self._salvage("failed", str(error))
            raise
        except Exception as error:
            self._fail(error)
        except BaseException as error:  # a model that calls sys.exit()
            self._salvage("failed", f"{type(error).__name__}: {error}")
            raise

    def _kept_windows(self) -> str:
        if not isinstance(self._driver, _core.WindowedScheduler):
            return ""
        return f"; results are kept up to the end of the last whole window, t = {self.time:.9g} s"

    def _fail(self, error: Exception) -> NoReturn:
        explained = explain(self._system, self._plan, self._driver.failure, error)
        if explained is None:  # not a subsystem's failure, e.g. of a progress function
            error.result = self._salvage("failed", str(error))  # type: ignore[attr-defined]
            raise error
        explained.result = self._salvage("failed", str(explained))
        raise explained from ((error.__cause__ or error) if isinstance(explained, ModelError) else None)

    def _salvage(self, status: Status, message: str) -> Result | None:
        """Close the store after a failure; whatever fails now, the first failure is the one to report."""
        with contextlib.suppress(Exception):
            if isinstance(self._driver, _core.WindowedScheduler):
                self._driver.give_up()
            self._recorder.drain()
        with contextlib.suppress(Exception):
            self._close(status, message)
        return self._result

    def _finish(self) -> None:
        self._recorder.drain()
        if self._report is not None:
            self._report(self._progress(time.monotonic()))
        self._close("finished", "")

    def _close(self, status: Status, message: str) -> None:
        if self._result is not None:
            return
        self._exits.close()
        self._call(self._driver.finish)
        if self._keeps:
            take_signals_back()
        summary = self._recorder.summary(status, message, self.time, time.monotonic() - self._began, self._seconds())
        try:
            self._store.close(summary)
        except OutputError:
            with contextlib.suppress(OutputError):  # the file may have gone
                self._read_back(summary)
            raise
        self._read_back(summary)

    def _read_back(self, summary: RunSummary) -> None:
        """Make the result. A file may hold less than was published: then it says so, and so does the result."""
        view = self._store.view()
        self._result = Result(view, view.layout, getattr(view, "summary", summary))

    def _seconds(self) -> list[float]:
        """Time spent per subsystem. Cheap steps are timed by sampling: the shares are scaled to what was measured."""
        sampled = self._recorder.seconds()
        total = sum(sampled)
        if self._threads > 1 or total == 0.0:
            return sampled
        return [seconds * self._advanced / total for seconds in sampled]
