"""A run under way: advance the core, move what it publishes to a store, end it well whatever happens."""

from __future__ import annotations

import contextlib
import math
import platform
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from os import fspath
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from .._common.ports import offsets
from .._common.version import VERSION
from .._display.progress import show
from ..errors import ModelError, OutputError, RunInterrupted, SetupError
from ..results import FileStore, MemoryStore, Result
from ..results.store import RunSummary, Status
from .checks import value_problems
from .events import EventLog
from .failures import explain
from .interrupts import DeferredInterrupt
from .options import RunOptions
from .plan import Plan, make_plan
from .process_state import preserving_process_state, take_signals_back
from .progress import Progress
from .recording import Driver, Recorder, run_layout
from .selection import Selection
from .time_resolution import is_too_small, resolution_text

if TYPE_CHECKING:
    from ..system import System

_T = TypeVar("_T")

SLICE_SECONDS = 0.02
"""How long the core runs before what it published is moved on: bounds memory, and lets Ctrl-C in."""
FLUSH_SECONDS = 0.5
WORTH_MOVING = 1024
"""Fewer rows of a subsystem wait for the next flush: moving them costs more than making them."""
PROGRESS_SECONDS = 0.1


def run_to_end(system: System, options: RunOptions) -> Result:
    """Run a system from start to end."""
    if options.until is None:
        raise SetupError("until: None; expected a finite time in s")
    run = Run(system, options)
    run.step_to(options.until)
    return run.finish()


def _make_driver(plan: Plan, options: RunOptions) -> Driver:
    if options.host is not None:
        return _core.EmbeddedInterface(plan.spec, plan.names.index(options.host))
    window = options.window
    if window is None:
        return _core.Scheduler(plan.spec, options.threads)
    return _core.WindowedScheduler(
        plan.spec, options.threads, float(window.length), window.repeats, float(window.tolerance or 0.0)
    )


def _made_by() -> dict[str, str]:
    """Return what ran, for the run file."""
    given = [word for word in getattr(sys, "argv", []) if "token=" not in word]  # results are given away
    command = shlex.join(given)
    machine = f"{sys.platform} {platform.machine()}"
    return {"version": VERSION, "python": platform.python_version(), "platform": machine, "command": command}


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

    def __init__(self, system: System, options: RunOptions) -> None:
        self._system = system
        self._plan = make_plan(system, options)
        self._driver = _make_driver(self._plan, options)
        selection = Selection.of(system, options.record, options.record_every)
        self._layout = run_layout(system, self._plan, selection)
        self._store = self._make_store(options)
        kept = selection if options.record is not None or options.record_every is not None else None
        self._recorder = Recorder(self._plan, self._driver, self._store, options.window, kept)
        self._exits = contextlib.ExitStack()
        self._report = self._reporting(options.progress)
        self._began = self._flushed = self._reported = time.monotonic()
        self._threads = options.threads
        self._runs_foreign_code = any(participant.subsystem.is_foreign for participant in system.subsystems.values())
        self._advanced = 0.0
        self._in_use = threading.RLock()
        self._busy = False
        self._abandoned = False
        self._result: Result | None = None
        self._log = EventLog(system.name)
        self._log.begin(system, self._plan.start, str(self._plan.scheme))
        self._guarded(lambda: self._call(self._driver.start))

    def _make_store(self, options: RunOptions) -> FileStore | MemoryStore:
        window = {} if options.window is None else {"window": str(options.window)}
        notes: dict[str, str | float] = {"name": self._system.name, "scheme": str(options.scheme), **window}
        if options.until is not None:
            notes["until"] = options.until
        notes |= {**_made_by(), **(options.metadata or {})}
        if options.file is None:
            return MemoryStore(self._layout, notes)
        return FileStore(fspath(options.file), self._layout, notes, options.overwrite)

    def _reporting(self, progress: bool | Callable[[Progress], None]) -> Callable[[Progress], None] | None:
        if progress is True:
            return self._exits.enter_context(show(self._system.name))
        return progress or None

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
        with self._alone():
            self._check_open()
            self._check_time(t)
            self._guarded(lambda: self._advance_in_slices(t))

    def _check_time(self, t: float) -> None:
        if not math.isfinite(t):
            raise SetupError(f"step_to: {t}; expected a finite time in s")
        if t > self._plan.until + 1e-9 * abs(self._plan.until):
            raise SetupError(f"step_to: {t} s lies beyond the end of the run, {self._plan.until} s")
        if is_too_small(self._plan.smallest_step, t):
            raise SetupError(f"step_to: a step of {resolution_text(self._plan.smallest_step, float(t))}")

    def value(self, port: str) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the latest published value of ``subsystem.output``."""
        with self._alone():
            return self._value(port)

    def _value(self, port: str) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        width = self._system.port_width(port, "outputs")
        name, _, output = port.partition(".")
        ports = self._system.subsystems[name].subsystem.output_widths
        begin = offsets(ports)[output]
        values = self._driver.values(self._plan.names.index(name))[begin : begin + width]
        return values[0] if width == 1 else np.asarray(values)

    def set(self, port: str, value: ArrayLike) -> None:
        """Give an input that nothing drives a new value; it acts from the next step of its subsystem on."""
        with self._alone():
            self._set(port, value)

    def _set(self, port: str, value: ArrayLike) -> None:
        width = self._system.port_width(port, "inputs")
        if any(connection.target == port for connection in self._plan.connections):
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
        """End the run where it stands and return the result.

        Raises
        ------
        SetupError
            A model or another thread is advancing the run: let it return first.
        """
        with self._alone():
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
            self._abandoned = True  # another thread that advances the run stops after its slice
            with self._in_use:
                self._salvage("interrupted", "the program that drove the run raised an exception")

    def _check_open(self) -> None:
        if self._result is not None:
            raise SetupError("the run has ended; start another one")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Use the run; refuse it to a model, which has the same thread, or to another thread meanwhile."""
        mine = self._in_use.acquire(blocking=False)
        if not mine or self._busy:
            if mine:
                self._in_use.release()
            raise SetupError("the run is advancing: a model or another thread cannot use it meanwhile")
        try:
            self._busy = True
            yield
        finally:
            self._busy = False
            self._in_use.release()

    def _advance_in_slices(self, t: float) -> None:
        done = False
        with DeferredInterrupt() as interrupt:
            while not done:
                done = self._call(lambda: self._advance_once(t))
                self._recorder.drain(WORTH_MOVING)
                self._tell()
                if self._runs_foreign_code and not done:
                    take_signals_back()
                interrupt.check()
                if self._abandoned:
                    raise SetupError("the program that drove the run raised an exception; the run has ended")

    def _advance_once(self, t: float) -> bool:
        before = time.perf_counter()
        done = self._driver.advance(t, SLICE_SECONDS)
        self._advanced += time.perf_counter() - before
        return done

    def _call(self, work: Callable[[], _T]) -> _T:
        """Let the core work; what foreign code changes in the whole process is put right again."""
        return preserving_process_state(work) if self._runs_foreign_code else work()

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
        except _core.RunEnd as end:
            self._recorder.finish()
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
        explained = explain(self._system, self._plan, self._driver.failure)
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
            self._recorder.finish()
        with contextlib.suppress(Exception):
            self._close(status, message)
        return self._result

    def _finish(self) -> None:
        self._recorder.finish()
        if self._report is not None:
            self._report(self._progress(time.monotonic()))
        self._close("finished", "")

    def _close(self, status: Status, message: str) -> None:
        if self._result is not None:
            return
        self._exits.close()
        self._call(self._driver.finish)
        if self._runs_foreign_code:
            take_signals_back()
        summary = self._recorder.summary(status, message, self.time, time.monotonic() - self._began, self._seconds())
        with contextlib.suppress(Exception):  # a component that died has nothing to say
            self._log.end(self._system, status, message, self.time)
        summary.events = self._log.events
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
