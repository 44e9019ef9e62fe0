"""A run under way: advance the core, move what it publishes to a store, end it well whatever happens."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from os import fspath
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from .._common.collection import collection_paused
from .._common.signals import DeferredInterrupt, NativeWatch, say_at_once
from .._display.progress import show
from ..errors import ModelError, OutputError, RunInterrupted, SetupError, SimulationError
from ..results import FileStore, MemoryStore, Result
from ..results.store import RunSummary, Status
from .adapting import Adaptation, check_adapt
from .bond_notes import bonds_text
from .checks import value_problems
from .claims import Claim
from .coupling_notes import coupling_text
from .driver import EndedDriver, keeps_record, make_driver
from .energy_correction import with_energy_correction
from .events import EventLog
from .failures import explain
from .flushing import FlushClock
from .inferred_bonds import all_bonds
from .made_by import made_by
from .options import RunOptions
from .pace_checks import pace_events, warn_about_paces, warn_about_standing_leads
from .pacing import with_fixed_steps
from .plan import make_plan
from .process_state import preserving_process_state, take_signals_back
from .program_end import ProgramEnded, watch
from .progress import Progress
from .recording import Driver, Recorder, comparisons_of, run_layout
from .second_run import Checker, Unchecked
from .selection import Selection
from .standstill import Standstill, warn_about_standstill
from .strategy import with_strategy
from .time_resolution import is_too_small, resolution_text
from .undefined import lost_outputs, warn_about_lost, warn_about_undefined
from .window_plan import (
    not_converged_error,
    warn_about_held_inputs,
    warn_about_windows,
    window_remark,
    with_window,
)

if TYPE_CHECKING:
    from ..system import System

_T = TypeVar("_T")

SLICE_SECONDS = 0.02
"""How long the core runs before what it published is moved on: bounds memory, and lets Ctrl-C in."""
WORTH_MOVING = 1024
"""Fewer rows of a subsystem wait for the next flush: moving them costs more than making them."""
PROGRESS_SECONDS = 0.1


def run_to_end(system: System, options: RunOptions) -> Result:
    """Run a system from start to end."""
    run = begin_to_end(system, options)
    run.step_to(run.span[1])
    return run.finish()


def begin_to_end(system: System, options: RunOptions) -> Run:
    """Begin a run whose end is known."""
    if options.until is None:
        raise SetupError("until: None; expected a finite time in s")
    return Run(system, options)


def advance_together(runs: Sequence[Run]) -> None:
    """Advance new runs towards their ends, one after the other; ``step_to`` continues from where they are then.

    Other threads can use Python meanwhile, and need not wait for it as often as if each run went by itself.
    """
    ready = [
        (run, run._plan.until, driver)
        for run in runs
        if run._adaptation is None and not isinstance(driver := run._driver, _core.EmbeddedInterface)
    ]  # runs that adapt are looked at in between
    drivers, targets = [driver for _, _, driver in ready], [until for _, until, _ in ready]
    for (run, _, _), advanced in zip(ready, _core.advance_each(drivers, targets, SLICE_SECONDS), strict=True):
        run._ahead = advanced


def seconds_ahead(run: Run) -> float:
    """Return the wall time that a run took among others and has not counted yet, s."""
    return 0.0 if run._ahead is None else run._ahead.seconds


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
        with collection_paused:
            self._set_up(system, options)

    def _set_up(self, system: System, options: RunOptions) -> None:
        system, options = with_strategy(system, options)
        system = with_fixed_steps(system, options)
        options = check_adapt(with_window(system, options))
        corrected = with_energy_correction(system, options)
        self._system = system = corrected.system
        self._claim = Claim(system, "run")
        self._plan = make_plan(system, options)
        self._checker: Checker | Unchecked | None = self._make_checker(options)
        self._claim.take()
        if options.adapt:
            self._plan.spec.fast_paths = _core.FastPaths.none()  # they are chosen for one approximation
        self._plan.spec.keeps_record = keeps_record(options)
        self._plan.spec.streams_record = options.file is not None
        self._driver = make_driver(system, self._plan, options)
        if options.outside is not None:
            options.outside.join(self._driver, self._plan.names)
        self._window = options.window
        once = self._plan.structure.once
        selection = Selection.of(system, options.record, options.record_every, once)
        self._layout = once(("layout", selection.key), lambda: run_layout(system, self._plan, selection))
        self._store = self._make_store(options)
        kept = selection if options.record is not None or options.record_every is not None else None
        self._recorder = Recorder(self._plan, self._driver, self._store, options.window, kept)
        self._exits = contextlib.ExitStack()
        self._report = self._reporting(options.progress)
        self._began = self._reported = time.monotonic()
        self._flushing = FlushClock()
        self._threads = options.threads
        self._runs_foreign_code = any(participant.subsystem.is_foreign for participant in system.subsystems.values())
        self._advanced = 0.0
        self._ahead: _core.Advanced | None = None
        self._abandoned = self._program_ends = False
        self._driven = {connection.target for connection in self._plan.connections}
        self._stuck: set[str] = set()  # paces of which it was said
        self._result: Result | None = None
        self._stepping = self._driver.whereabouts(self._plan.names, "to finish its step from")
        self._log = EventLog(system.name)
        self._log.begin(system, self._plan.start, str(self._plan.scheme))
        for level, text in corrected.notes:
            self._log.add(level, text, self._plan.start)
        for text in warn_about_held_inputs(system, options):
            self._log.add("warning", text, self._plan.start)
        self._log.plan(self._plan)
        self._adaptation = Adaptation(system, options, self._plan, self._log) if options.adapt else None
        if self._adaptation is not None:
            self._recorder.listener = self._adaptation.told
        watch(self)
        with self._claim.in_use():
            self._guarded(lambda: self._call_watched(self._driver.start, "to start at"))
        warn_about_undefined(system, self._plan, self._driver, self._log)
        self._standstill = Standstill(system, self._plan, self._driver)
        self._ready = time.monotonic()

    def _make_checker(self, options: RunOptions) -> Checker | Unchecked:
        system = self._system
        if options.check == "off":
            return Unchecked(self._plan.structure.once("coupling", lambda: coupling_text(system, options)))
        return Checker.of(system, options, run_to_end)

    def _make_store(self, options: RunOptions) -> FileStore | MemoryStore:
        window = {} if options.window is None else {"window": str(options.window)}
        if self._plan.common is not None:
            window["pace"] = str(self._plan.common.pace)
        notes: dict[str, str | float] = {"name": self._system.name, "scheme": str(options.scheme), **window}
        if options.until is not None:
            notes["until"] = options.until
        bonds = self._plan.structure.once("bonds", self._bonds_text)
        if bonds:
            notes["bonds"] = bonds
        if self._system.connections and options.file is not None:  # a result in memory asks the checker
            notes["coupling"] = coupling_text(self._system, options)
        notes |= {**made_by(), **(options.metadata or {})}
        if options.file is None:
            return MemoryStore(self._layout, notes)
        comparisons = comparisons_of(self._plan, self._driver) if keeps_record(options) else None
        path, overwrite, compress = fspath(options.file), options.overwrite, options.compress
        return FileStore(path, self._layout, notes, overwrite, compress, comparisons=comparisons)

    def _bonds_text(self) -> str:
        bonds = all_bonds(self._system)
        return bonds_text(self._system, bonds) if bonds else ""

    def _reporting(self, progress: bool | Callable[[Progress], None]) -> Callable[[Progress], None] | None:
        if progress is True:
            return self._exits.enter_context(show(self._system.name))
        return progress or None

    @property
    def time(self) -> float:
        """Time that every subsystem has reached, s."""
        return self._driver.time

    @property
    def span(self) -> tuple[float, float]:
        """Begin and end of the run in s; infinite when the end is open."""
        return self._plan.start, self._plan.until

    def step_to(self, t: float) -> None:
        """Advance until every subsystem has reached ``t`` (s); some may have gone further.

        Raises
        ------
        SimulationError, OutputError, RunInterrupted
            The run stopped and is closed; ``error.result`` holds what was published before.
        """
        with self._claim.in_use():
            self._check_open()
            self._check_time(t)
            self._claim.check()
            self._guarded(lambda: self._advance(t))

    def _advance(self, t: float) -> None:
        """Advance; a run that adapts stops in between, where it may be changed."""
        while self._adaptation is not None and (look := self._adaptation.next_look(self.time)) < t:
            self._advance_in_slices(look)
            self._recorder.drain()
            assert isinstance(self._driver, _core.Scheduler)
            self._adaptation.look(look, self._driver)
        self._advance_in_slices(t)

    def _check_time(self, t: float) -> None:
        if not math.isfinite(t):
            raise SetupError(f"step_to: {t}; expected a finite time in s")
        if t > self._plan.until + 1e-9 * abs(self._plan.until):
            raise SetupError(f"step_to: {t} s lies beyond the end of the run, {self._plan.until} s")
        if is_too_small(self._plan.smallest_step, t):
            raise SetupError(f"step_to: a step of {resolution_text(self._plan.smallest_step, float(t))}")

    def value(self, port: str) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the latest published value of ``subsystem.output``."""
        with self._claim.in_use():
            return self._value(port)

    def _value(self, port: str) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        place = self._plan.ports.place(port, "outputs")
        values = self._driver.values(place.participant)[place.offset : place.offset + place.width]
        return values[0] if place.width == 1 else np.asarray(values)

    def set(self, port: str, value: ArrayLike) -> None:
        """Give an input that nothing drives a new value; it acts from the next step of its subsystem on."""
        with self._claim.in_use():
            self._check_open()
            self._set(port, value)

    def _set(self, port: str, value: ArrayLike) -> None:
        place = self._plan.ports.place(port, "inputs")
        if port in self._driven:
            raise SetupError(f'"{port}" is driven by a connection; only free inputs can be set')
        problems = list(value_problems(f'"{port}"', value, place.width))
        if problems:
            raise SetupError([str(problem) for problem in problems])
        numbers = np.broadcast_to(np.asarray(value, dtype=np.float64), (place.width,))
        self._checker = None  # a second run would not know of it
        for k, number in enumerate(numbers.tolist()):
            self._driver.set_constant(place.participant, place.offset + k, number)

    def finish(self) -> Result:
        """End the run at its present time and return the result.

        Raises
        ------
        SetupError
            A model or another thread is advancing the run: let it return first.
        """
        with self._claim.in_use():
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
            with self._claim.lock:
                self._salvage("interrupted", "the program that drove the run raised an exception")

    def _check_open(self) -> None:
        if self._result is not None:
            raise SetupError("the run has ended; start another one")

    def ends_with_program(self) -> bool:
        """Let the thread that advances the run stop, for the program ends; whether there is one."""
        self._program_ends = self._claim.is_busy
        return self._program_ends

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until no thread uses the run, at most so long (s); return whether none does."""
        return self._claim.wait(seconds)

    def _advance_in_slices(self, t: float) -> None:
        done = False
        with DeferredInterrupt() as interrupt, self._watching(self._stepping) as watch:
            while not done:
                done = self._call(lambda: watch.call(lambda: self._advance_once(t)))
                self._recorder.drain(WORTH_MOVING)
                self._tell()
                if self._runs_foreign_code and not done:
                    take_signals_back()
                interrupt.check()
                self._claim.check()
                if self._program_ends:
                    raise ProgramEnded
                if self._abandoned:
                    raise SetupError("the program that drove the run raised an exception; the run has ended")

    def _advance_once(self, t: float) -> bool:
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            self._advanced += ahead.seconds
            self._began += time.monotonic() - self._ready - ahead.seconds  # others were advanced meanwhile
            return ahead.take()
        before = time.perf_counter()
        done = self._driver.advance(t, SLICE_SECONDS)
        self._advanced += time.perf_counter() - before
        return done

    def _call(self, work: Callable[[], _T]) -> _T:
        """Let the core work; what foreign code changes in the whole process is put right again."""
        return preserving_process_state(work) if self._runs_foreign_code else work()

    def _call_watched(self, work: Callable[[], None], doing: str, *, cancellable: bool = True) -> None:
        where = self._driver.whereabouts(self._plan.names, doing)
        with self._watching(where) as watch:
            self._call(lambda: watch.call(work, cancellable=cancellable))

    def _watching(self, where: _core.Whereabouts) -> NativeWatch:
        return NativeWatch(where, lambda number: self._abandon(where))

    def _abandon(self, where: _core.Whereabouts) -> None:
        """Keep what was published before a call that does not come back; the process ends afterwards."""
        text = f"abandoned while waiting for {where.text}"
        with contextlib.suppress(Exception):
            self._driver.abandon()
            self._recorder.drain()
        text = f"{text}; results up to t = {self.time:.9g} s are kept"
        now = time.monotonic()
        summary = self._recorder.summary("interrupted", text, self.time, now - self._began, self._seconds())
        try:
            self._store.close(summary)
        except OutputError as error:
            text = f"{text}; {error}"
        say_at_once(text)

    def _tell(self) -> None:
        now = time.monotonic()
        held_back = isinstance(self._driver, _core.WindowedScheduler) and self._driver.has_open_window
        if self._flushing.is_due(now) and not held_back:
            self._flushing.run(self._recorder.flush, now)
            self._log.reached(self.time)
            self._tell_of_stuck_paces()
        if self._report is not None and now - self._reported > PROGRESS_SECONDS:
            self._report(self._progress(now))
            self._reported = now

    def _tell_of_stuck_paces(self) -> None:
        """Say it while there is something left to stop; the warning at the end has the whole count."""
        for pace in self._recorder.paces():
            if pace.is_stuck and pace.name not in self._stuck:
                self._stuck.add(pace.name)
                self._log.add("warning", pace.stuck_text(), self.time, pace.name)

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
        except ProgramEnded:
            self._salvage("interrupted", f"the program ended when the run was at t = {self.time:.9g} s")
            raise SystemExit from None  # the only error that ends a thread without a traceback
        except BaseException as error:  # a model that calls sys.exit()
            self._salvage("failed", f"{type(error).__name__}: {error}")
            raise

    def _kept_windows(self) -> str:
        if not isinstance(self._driver, _core.WindowedScheduler) or self._plan.first_steps.end is not None:
            return ""
        return f"; results are kept up to the end of the last whole window, t = {self.time:.9g} s"

    def _fail(self, error: Exception) -> NoReturn:
        if self._result is not None:  # the run is over: one of its warnings, which the program takes as an error
            raise error
        explained = self._window_error(error) or explain(self._system, self._plan, self._driver.failure)
        if explained is None:  # not a subsystem's failure, e.g. of a progress function
            error.result = self._salvage("failed", str(error))  # type: ignore[attr-defined]
            raise error
        explained.result = self._salvage("failed", str(explained))
        raise explained from ((error.__cause__ or error) if isinstance(explained, ModelError) else None)

    def _window_error(self, error: Exception) -> SimulationError | None:
        if not isinstance(error, _core.WindowFailure):
            return None
        assert self._window is not None and isinstance(self._driver, _core.WindowedScheduler)
        return not_converged_error(self._system, self._plan, self._window, self._driver.tally)

    def _window_remark(self) -> str:
        if self._window is None or not isinstance(self._driver, _core.WindowedScheduler):
            return ""
        return window_remark(self._system, self._plan, self._window, self._driver.tally)

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
        still = self._standstill.unchanged(self._driver)
        problems = self._call(lambda: self._standstill.problems(still, self.time)) if still else {}
        standing = self._recorder.standing_leads()
        remark = self._window_remark()
        lost = lost_outputs(self._store.layout, self._plan.start, self._driver, self._log)
        self._close("finished", "")
        if self._result is not None:
            warn_about_lost(lost)
            warn_about_standing_leads(standing)
            warn_about_standstill(self._result, problems)
            warn_about_paces(self._result)
            warn_about_windows(self._result, remark)

    def _close(self, status: Status, message: str) -> None:
        if self._result is not None:
            return
        self._exits.close()
        self._call_watched(self._driver.finish, "to end its run at", cancellable=False)
        if self._runs_foreign_code:
            take_signals_back()
        summary = self._recorder.summary(status, message, self.time, time.monotonic() - self._began, self._seconds())
        with contextlib.suppress(Exception):  # a component that died has nothing to say
            self._log.planned(self._driver.event_records(), 1e-9 * self._plan.smallest_step)
            self._log.spent(self._plan.names, summary.steps, summary.seconds)
            self._log.end(self._system, status, message, self.time)
        summary.events = [*self._log.events, *pace_events(summary)]
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
        self._result = Result(view, view.layout, getattr(view, "summary", summary), self._checker)
        self._release()

    def _release(self) -> None:
        """Let go of the core and the models, which may refer to this run: a circle that Python cannot see through."""
        self._claim.release()
        last = [self._driver.values(k) for k in range(len(self._plan.names))]
        self._driver = cast(Driver, EndedDriver(self._driver.time, last))
        self._plan.release()
        del self._recorder, self._stepping
        vars(self).pop("_standstill", None)  # not there yet when the start failed

    def _seconds(self) -> list[float]:
        """Time spent per subsystem. Cheap steps are timed by sampling: the shares are scaled to what was measured."""
        sampled = self._recorder.seconds()
        total = sum(sampled)
        if self._threads > 1 or total == 0.0:
            return sampled
        return [seconds * self._advanced / total for seconds in sampled]
