"""A sweep: the same system with other values, point after point."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from .._common.numbers import is_number
from .._display.progress import show_points
from ..errors import OutputError, RunInterrupted, SetupError
from ..results import Result, load
from ..units import time_at
from .measures import Measure, Measures, make_measures
from .plan import Plan, make_plan
from .pool import Kind, Pool, check_workers
from .progress import Callback, Counter, SweepProgress
from .recipes import VARIANT, FunctionRecipe, VariantsRecipe, make_recipe, text_hash
from .table import MemoryTable, Table, read_table
from .worker import Job, Row, Worker, quiet_runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Resume = Literal["unfinished", "failed", "all"]
RESUMES = ("unfinished", "failed", "all")


class SweepInterrupted(RunInterrupted):
    """Ctrl-C during a sweep; ``sweep`` holds the points that had ended."""

    def __init__(self, message: str, sweep: Sweep | None = None) -> None:
        super().__init__(message)
        self.sweep = sweep


class Executor(Protocol):
    """What runs points: a pool on this computer, or a cluster."""

    @property
    def description(self) -> str:
        """What works there, for people."""

    def run(self, points: Iterable[tuple[int, list[Any]]]) -> Iterator[list[Row]]:
        """Yield rows as they come."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep has found; made by :func:`sweep`.

    Attributes
    ----------
    parameters, measures : tuple of str
        Columns of the table.
    progress : SweepProgress
        How many points have ended, and how; wall time.
    folder : Path or None
        Folder of the table, if one was requested.
    """

    parameters: tuple[str, ...]
    measures: tuple[str, ...]
    progress: SweepProgress
    folder: Path | None
    _rows: MemoryTable | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row per point: ``point``, parameters, measures, ``status``, ``message`` and ``wall_seconds``."""
        if self._rows is not None:
            return self._rows.to_pandas()
        assert self.folder is not None
        return read_table(self.folder)

    def result(self, point: int) -> Result:
        """Return the result of a point; only with ``keep_results``."""
        if self.folder is None or not (path := self.folder / "results" / f"point-{point:06d}.h5").exists():
            raise OutputError(f"point {point}: no result is kept; run the sweep with out=... and keep_results=True")
        return load(path)

    def plot_surface(self, x: str, y: str, measure: str, *, ax: Axes | None = None) -> Axes:
        """Draw a measure over two parameters, see :func:`counterpoint.sweeps.response_surface`."""
        from .plots import response_surface

        return response_surface(self.table, x, y, measure, ax=ax)

    def plot_parallel(self, columns: Sequence[str] | None = None, *, colour: str | None = None) -> Axes:
        """Draw each point as a line, see :func:`counterpoint.sweeps.parallel_coordinates`."""
        from .plots import parallel_coordinates

        chosen = columns or [*self.parameters, *self.measures]
        return parallel_coordinates(
            self.table, chosen, colour=colour or next((m for m in self.measures if m in chosen), None)
        )

    def plot_pareto(self, error: str, cost: str, *, label: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw error over cost with the points that no other beats, see :func:`counterpoint.sweeps.pareto`."""
        from .plots import pareto

        return pareto(self.table, error, cost, label=label, ax=ax)

    def __repr__(self) -> str:
        p = self.progress
        return f"<Sweep: {p.done} of {p.total} points done, {p.failed} failed, {', '.join(self.measures)}>"


def sweep(
    what: Any,
    vary: Mapping[str, Any],
    measures: Measure | Iterable[str] | Mapping[str, Measure],
    *,
    sample: str = "grid",
    points: int | None = None,
    seed: int = 0,
    variants: Sequence[str | os.PathLike[str]] = (),
    set: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | Result | str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: Resume | None = None,
    overwrite: bool = False,
    keep_results: bool = False,
    workers: int | None = None,
    kind: Kind = "auto",
    cluster: str | Any | None = None,
    deadline: float | str | None = None,
    progress: bool | Callback = False,
    allow_outside: bool = False,
    allow_remote: Sequence[str] = (),
    **options: Any,
) -> Sweep:
    """Run a system many times with other values and keep measures of each run in a table.

    Parameters
    ----------
    what : path, Scenario, System, or function that returns a System
        What to run. Other processes make a system again from the calls that made its parts; files must be found under
        the same path there. Parameters with the names of a function's arguments are given to it.
    vary : mapping
        Parameter -> list of values, or range, see :func:`counterpoint.sweeps.span`. A parameter is
        ``"engine.x0[0]"`` (a key or argument of a subsystem, a variable of an FMU, an attribute of a model in Python),
        ``"engine.step"``, ``"connections[0].gain"`` or ``"a.y -> b.u.approximation.order"``, or an option of the run,
        ``"scheme"``, ``"until"``, ``"pace.tolerance"``.
    measures : words or functions
        By name, or words alone: ``"last(engine.speed)"``; ``first``, ``min``, ``max``, ``mean``, ``rms``, ``peak``,
        ``range``; ``"error(engine.speed)"`` is the rms of the difference to the reference run over its rms;
        ``"steps"``, ``"seconds"``, ``"end"``. A function takes the :class:`Result` and returns a number.
    sample : str
        ``"grid"``: all combinations; ``"together"``: first values, second values, ...; ``"latin-hypercube"`` or
        ``"sobol"``: ``points`` drawn from ranges (and lists), the same for the same ``seed``.
    points, seed : int
        For samples that are drawn.
    variants : paths
        Files to run instead of ``what`` (then None): one more parameter, ``variant``.
    set : mapping
        Values that replace those of the file for all points.
    reference : mapping, Result or path
        For ``error(...)``: values of the reference run, or its result or run file. Measured once, before the points.
    out : path, optional
        Folder for the table, ``table.parquet``, which grows while points finish; default: in memory.
    resume : str, optional
        Go on with the sweep in ``out``: ``"unfinished"`` points, those and the ``"failed"`` ones, or ``"all"`` again.
    overwrite : bool
        Begin anew in a folder that holds a sweep.
    keep_results : bool
        Keep a run file of each point, ``results/point-000123.h5``.
    workers : int, optional
        Points that run at the same time on this computer; default: one per processor.
    kind : str
        ``"threads"`` of this process, ``"processes"``, or ``"auto"``: threads if nothing but the core runs and no
        results are kept. A process that crashes loses its point only.
    cluster : str or Client, optional
        Run on Dask instead: the address of a scheduler, ``"local"``, or a ``distributed.Client``.
    deadline : float or str, optional
        Wall time of a point in s, or with its unit, ``"2 min"``; one that takes longer is stopped and marked ``late``.
    progress : bool or function
        Show a bar with the time left, or call the function with a :class:`SweepProgress` about ten times per second.
    allow_outside, allow_remote
        As for :meth:`Scenario.read`.
    **options
        Of :meth:`System.run`, for all points: ``until``, ``scheme``, ...

    Returns
    -------
    Sweep
        Table and plots. A point that failed has its ``status`` and ``message`` there; the others continue.

    Raises
    ------
    SetupError
        Before anything ran: names and values that mean nothing.
    SweepInterrupted
        Ctrl-C; ``error.sweep`` holds the points that had ended, and ``resume="unfinished"`` goes on.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="level", solver="ode4"), step=0.1)
    >>> system.set("tank.u", 0.0)
    >>> found = cp.sweep(system, {"tank.x0[0]": [1.0, 2.0]}, ["last(tank.level)"], until=1.0)
    >>> found.table["last(tank.level)"].round(3).tolist()
    [0.368, 0.736]
    """
    recipe = make_recipe(
        what, options, variants=variants, fixed=set, allow_outside=allow_outside, allow_remote=tuple(allow_remote)
    )
    axes: dict[str, Any] = dict(vary)
    if isinstance(recipe, VariantsRecipe):
        axes = {VARIANT: [file.label for file in recipe.files], **axes}
    plan = make_plan(axes, sample, points, seed)
    deadline = time_at("deadline", deadline)
    if deadline is not None and (not is_number(deadline) or deadline <= 0):
        raise SetupError(f"deadline: {deadline!r}; expected a positive number of seconds")
    count = check_workers(workers)
    job = Job(recipe, tuple(plan.names), make_measures(measures), deadline)
    folder = None if out is None else Path(out)
    kept = folder is not None and keep_results
    if keep_results and not kept:
        raise SetupError("keep_results: needs a folder; give out=...")
    table, left = _prepare(folder, plan, job, resume, overwrite=overwrite, said=_said(plan, job, reference))
    if kept:
        assert folder is not None
        (folder / "results").mkdir(exist_ok=True)
        job = replace(job, results=(folder / "results").absolute())
    with quiet_runs():
        first = Worker(job)
        _check(first, plan)
        job = replace(job, measures=_with_reference(job, plan, reference))
        first = first.with_measures(job)
    runner = _executor(job, count, kind, cluster, first)
    return _run(runner, plan, job, table, left=left, folder=folder, progress=progress)


def _check(worker: Worker, plan: Plan) -> None:
    """Raise what keeps a sweep from running: the problem of the first point, unless the last one has none.

    A range of times, whose values are numbers of seconds, is checked as text: it is none for a parameter that takes
    plain numbers. A function that makes the system gets the numbers.
    """
    values = plan.point if isinstance(worker.recipe, FunctionRecipe) else plan.written
    try:
        worker.check(values(0))
    except SetupError as error:
        try:
            worker.check(values(plan.count - 1))
        except SetupError:
            raise error from None


def _prepare(
    folder: Path | None, plan: Plan, job: Job, resume: Resume | None, *, overwrite: bool, said: dict[str, Any]
) -> tuple[Table | MemoryTable, np.ndarray[Any, Any] | None]:
    """Return the table, and the points that are left to run; None: all."""
    if resume is not None and resume not in RESUMES:
        raise SetupError(f'resume: "{resume}"; expected {", ".join(RESUMES)}')
    if folder is None:
        if resume is not None:
            raise SetupError(f'resume: "{resume}": needs the folder of the sweep; give out=...')
        return MemoryTable(plan, job.measures.names), None
    note = folder / "sweep.json"
    if note.exists() and resume is None and not overwrite:
        raise OutputError(
            f'{folder}: holds a sweep; go on with it (resume="unfinished", --resume unfinished), '
            "or replace it (overwrite=True, --overwrite)",
            str(folder),
        )
    if resume in ("unfinished", "failed") and note.exists():
        _check_same(note, said)
    table = Table(folder / "table.parquet", plan, job.measures.names)
    note.write_text(json.dumps(said, indent=1) + "\n")
    if resume not in ("unfinished", "failed"):
        table.clear()
        return table, None
    done, failed = table.finished()
    if resume == "failed":
        table.keep_done()
        return table, np.flatnonzero(~done)
    return table, np.flatnonzero(~(done | failed))


def _said(plan: Plan, job: Job, reference: Any) -> dict[str, Any]:
    """Return what tells a sweep from others: its rows belong together only where all of this is the same."""
    given = "a result" if isinstance(reference, Result) else reference
    return {
        "plan": plan.fingerprint, "what": job.recipe.fingerprint, "settings": text_hash(job.recipe.settings),
        "parameters": plan.names, "points": plan.count, "measures": job.measures.words,
        "reference": text_hash(given if isinstance(given, Mapping) or given is None else str(given)),
        "sample": plan.sample, "seed": plan.seed,
    }  # fmt: skip


def _check_same(note: Path, said: Mapping[str, Any]) -> None:
    """Refuse to go on with another sweep."""
    before = json.loads(note.read_text())
    words = {
        "what": "what is run", "plan": "parameters, values or seed", "settings": "options of the run or values of set",
        "reference": "the reference",
    }  # fmt: skip
    other = [words.get(key, key) for key in said if before.get(key) != said[key] and key != "sample"]
    if other:
        raise OutputError(
            f"{note.parent}: holds another sweep: {other[0]} changed; use another folder, or overwrite=True",
            str(note.parent),
        )


def _with_reference(job: Job, plan: Plan, given: Any) -> Measures:
    """Return the measures with the signals of the reference run, which is made here if it is not given."""
    if not job.measures.compared:
        return job.measures
    if given is None:
        raise SetupError("measures: error(...) needs a reference: values for a run, a Result, or a run file")
    if isinstance(given, Mapping):
        return job.measures.against(_reference_run(job, plan, given))
    return job.measures.against(given if isinstance(given, Result) else load(given))


def _reference_run(job: Job, plan: Plan, given: Mapping[str, Any]) -> Result:
    """Run the first point with other values."""
    start = dict(zip(plan.names, plan.point(0), strict=True))
    values = {**start, **given}
    apart = Job(job.recipe, tuple(values), replace(job.measures, references={}))
    return Worker(apart).result(list(values.values()))


def _executor(job: Job, workers: int, kind: Kind, cluster: Any, first: Worker) -> Executor:
    if kind not in ("auto", "threads", "processes"):
        raise SetupError(f'kind: "{kind}"; expected auto, threads or processes')
    if cluster is None:
        return Pool(job, workers, kind, first)
    from .cluster import Cluster

    return Cluster(job, cluster, workers, native=first.is_native)


def _run(
    runner: Executor,
    plan: Plan,
    job: Job,
    table: Table | MemoryTable,
    *,
    left: np.ndarray[Any, Any] | None,
    folder: Path | None,
    progress: bool | Callback,
) -> Sweep:
    numbers: Iterable[int] = range(plan.count) if left is None else (int(n) for n in left)
    total = plan.count if left is None else len(left)
    todo = ((number, plan.point(number)) for number in numbers)
    with contextlib.ExitStack() as exits:
        callback = exits.enter_context(show_points(job.recipe.label)) if progress is True else (progress or None)
        counter = Counter(total, callback)

        def made() -> Sweep:
            rows = table if isinstance(table, MemoryTable) else None
            return Sweep(tuple(plan.names), tuple(job.measures.names), counter.progress, folder, rows)

        try:
            _collect(runner, todo, table, counter)
        except KeyboardInterrupt:
            table.close()
            text = f"interrupted after {counter.progress.ended} of {total} points; what has ended is kept"
            raise SweepInterrupted(text, made()) from None
        except BaseException:
            table.close()
            raise
        table.close()
        counter.tell(always=True)
        return made()


def _collect(
    runner: Executor, todo: Iterator[tuple[int, list[Any]]], table: Table | MemoryTable, counter: Counter
) -> None:
    """Move rows to the table as they come; whatever ends this, rows that have come are in the table."""
    stream = runner.run(todo)
    try:
        for rows in stream:
            counter.done += sum(row.status == "done" for row in rows)
            counter.failed += sum(row.status != "done" for row in rows)
            table.add(rows)
            counter.tell()
    finally:
        close: Callable[[], None] = getattr(stream, "close", lambda: None)
        close()
