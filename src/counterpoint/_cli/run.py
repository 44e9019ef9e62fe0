"""``counterpoint run``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._common.numbers import MOST_THREADS
from .common import (
    NO_ROOM,
    SECONDS,
    Settings,
    assignments,
    names_of,
    print_error,
    print_warning,
    steps_of,
    with_allow_remote,
    with_model_options,
    with_traceback,
)
from .completion import schemes

if TYPE_CHECKING:
    from .._cases.case import Case
    from .._run.interrupts import Interrupts
    from ..errors import CounterpointError
    from ..results import Result
    from ..system import System


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the scenario.")
@click.option(
    "--scheme", metavar="NAME", shell_complete=schemes, help="slowest-first, fastest-first, parallel or sequential."
)
@with_model_options
@click.option(
    "--input", type=click.Path(path_type=Path), metavar="CSV", help="Inputs over time; first column: time in s."
)
@click.option("--output", multiple=True, metavar="NAMES", help="Variables to record and plot, separated by commas.")
@click.option(
    "--record", multiple=True, metavar="NAMES", help="Outputs or subsystems to record, separated by commas [all]."
)
@click.option("--record-every", metavar="N|S", help="Record every N-th step, or one row per interval such as 10ms.")
@click.option("--compress", is_flag=True, help="Compress the run file at the end of the run.")
@click.option(
    "--check",
    type=click.Choice(["auto", "on", "off"]),
    help="Estimate the error from a second run with smaller steps: within 3 s or a quarter of the run's "
    "wall time [auto], all of it, or not.",
)
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), metavar="N", help="Worker threads.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [NAME-run].")
@click.option("--overwrite", is_flag=True, help="Overwrite existing results.")
@click.option("--plot/--no-plot", default=True, help="Plot the signals [yes].")
@click.option("--progress/--no-progress", default=None, help="Show progress [on a terminal only].")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@click.option("--verbose", "-v", count=True, help="Print the event log at the end; -vv: log everything as it happens.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_allow_remote
@with_traceback
@click.pass_context
def run(
    context: click.Context,
    *,
    scenario: Path,
    until: float | None,
    scheme: str | None,
    values: tuple[str, ...],
    steps: tuple[str, ...],
    isolate: bool,
    lenient: bool,
    input: Path | None,
    output: tuple[str, ...],
    record: tuple[str, ...],
    record_every: str | None,
    compress: bool,
    check: str | None,
    threads: int | None,
    out: Path | None,
    overwrite: bool,
    plot: bool,
    progress: bool | None,
    quiet: bool,
    verbose: int,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
) -> None:
    """Run a scenario, system structure (.ssp, .ssd, OSP), mechanism, diagram or FMU; write results and plots.

    Examples: counterpoint run pump.fmu --set k=5 --input table.csv --output x,v;
    counterpoint run plant.ssp --until 10 --step pump=1e-3 --set pump.k=5
    """
    from .._cases.case import CaseSettings
    from .._cases.registry import read_case

    step, named = steps_of(steps)
    settings = CaseSettings(
        until,
        step,
        scheme,
        threads,
        named,
        assignments(values),
        isolate,
        lenient,
        input,
        names_of(output),
        names_of(record),
        _cadence(record_every),
        compress,
        check,
    )
    case = read_case(scenario, allow_outside=allow_outside, allow_remote=allow_remote, settings=settings)
    system = case.build()
    where = Outputs(out or Path(f"{case.name}-run"), case.name, overwrite, case.extra_endings)
    where.prepare(plot)
    if quiet:
        warnings.simplefilter("ignore")
    if verbose > 1:
        context.call_on_close(_log_to_stderr())
    show = not quiet if progress is None else progress
    interrupts = context.ensure_object(Settings).interrupts
    outcome = _simulate(case, system, where, interrupts, (show, bool(progress)))
    _report(outcome, case, where, plot, quiet)
    _end(outcome, verbose > 0)


def _end(outcome: Outcome, shows_events: bool) -> None:
    """Print events, note and error of an outcome, and exit with its code."""
    if shows_events and outcome.result is not None:
        _print_events(outcome.result)
    if outcome.note:
        click.echo(outcome.note, err=True)
    if outcome.error is not None:
        print_error(outcome.error)
    if outcome.exit_code:
        sys.exit(outcome.exit_code)


def _cadence(text: str | None) -> float | None:
    """Return a number of steps (an integer) or an interval in s."""
    if text is None:
        return None
    return int(text) if text.isdecimal() else SECONDS.convert(text, None, None)


@dataclass(frozen=True)
class Outputs:
    """The files of a run: ``folder/name.h5``, ``folder/name.png`` and what a kind of case adds."""

    folder: Path
    name: str
    overwrite: bool
    extra_endings: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """The run file."""
        return self.folder / f"{self.name}.h5"

    @property
    def picture(self) -> Path:
        """The picture."""
        return self.folder / f"{self.name}.png"

    @property
    def drawn(self) -> list[Path]:
        """All pictures."""
        return [self.picture, *(self.folder / f"{self.name}{ending}" for ending in self.extra_endings)]

    def prepare(self, plot: bool) -> None:
        """Make the folder and see that files can be written there, before anything runs."""
        import tempfile

        from ..errors import OutputError

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
            taken = [path for path in (self.file, *(self.drawn if plot else [])) if path.exists()]
        except OSError as error:
            full = error.errno in NO_ROOM
            is_file = isinstance(error, FileExistsError)
            reason = "it is a file, not a folder" if is_file else error.strerror or str(error)
            raise OutputError(
                f"{self.folder}: cannot write results there: {reason}; choose another place with --out",
                str(self.folder),
                during_run=full,
            ) from error
        if taken and not self.overwrite:
            names = " and ".join(str(path) for path in taken)
            raise OutputError(f"{names}: already exists; add --overwrite or choose another --out", str(taken[0]))


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its result as far as there is one, and why it stopped early."""

    result: Result | None
    exit_code: int = 0
    note: str = ""
    error: CounterpointError | None = None


def _simulate(
    case: Case,
    system: System,
    where: Outputs,
    interrupts: Interrupts,
    shown: tuple[bool, bool],
) -> Outcome:
    """Run the system; whatever stops it, what was computed so far is kept."""
    from .._display.progress import progress
    from ..errors import InternalError, OutputError, RunInterrupted, SimulationError

    show, force = shown
    try:
        with progress(case.name, show, force) as bar, interrupts.deferred(bar) as callback:
            result = case.run(system=system, file=where.file, overwrite=where.overwrite, progress=callback)
    except RunInterrupted as stop:
        return Outcome(stop.result, interrupts.exit_code, str(stop))
    except (SimulationError, OutputError, InternalError) as error:
        if error.result is None:
            raise
        return Outcome(error.result, error.exit_code, error=error)
    return Outcome(result, interrupts.exit_code if interrupts.received is not None else 0)


def _report(outcome: Outcome, case: Case, where: Outputs, plot: bool, quiet: bool) -> None:
    """Print tables, quality and paths; draw the picture last, so that nothing is lost if that fails."""
    from .._display.console import console as make_console
    from .._display.console import say
    from ..results.information import show_result

    console = make_console(stderr=quiet)
    verb = "kept" if outcome.exit_code else "wrote"
    if outcome.result is not None and not quiet:
        show_result(outcome.result, console)
    silent = quiet and not outcome.exit_code
    if where.file.exists() and not silent:
        say(f"{verb} {where.file}", console)
    if plot and outcome.result is not None and outcome.exit_code < 128:
        try:
            for path in _draw(outcome.result, case, where):
                if not silent:
                    say(f"{verb} {path}", console)
        except Exception as error:  # the run is over and has its exit code
            reason = str(error) or type(error).__name__
            print_warning(f"plots are incomplete: {reason}; the results are in {where.file}")


def _log_to_stderr() -> Callable[[], None]:
    """Let the logger of the package write all that it is told, with the time of day; return what ends that."""
    import logging

    logger, handler = logging.getLogger("counterpoint"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)

    def end() -> None:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)

    return end


def _print_events(result: Result) -> None:
    """Print the event log on standard error."""
    from .._display.console import console, fill, new_table, number_text

    table = new_table("Events", ">t in s", "source", "level", "what")
    rows = result.events.to_dict("records")
    cells = ((number_text(r["time"], "{:.6g}"), r["source"], r["level"], r["text"]) for r in rows)
    console(stderr=True).print(fill(table, cells))


def _draw(result: Result, case: Case, where: Outputs) -> Iterator[Path]:
    """Draw the pictures of a run; yield each file when it is there."""
    from .._cases.case import recorded

    result.plot(*recorded(result, case.plot or ()), path=where.picture)
    yield where.picture
    yield from case.draw_extras(result, where.folder / where.name)
