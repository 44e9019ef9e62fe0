"""The command line: ``counterpoint run | info | convert | export | doctor | study | serve``.

Only click and the standard library are imported here at the top, so that ``counterpoint --help`` answers at
once; everything else is loaded by the command that needs it. Exit codes: 0 done, 2 bad usage or scenario,
3 simulation failed (results kept), 4 a component died, 5 no room or memory, 130 and 143 interrupted
(results kept).
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .interrupts import Interrupts

if TYPE_CHECKING:
    from .diagram.model_case import DiagramCase
    from .errors import CounterpointError
    from .multibody.model_case import MechanismCase
    from .results import Result
    from .scenario import Scenario
    from .system import System

    Case = Scenario | MechanismCase | DiagramCase

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EFBIG)


@dataclass
class Settings:
    """What all commands share."""

    traceback: bool = False
    interrupts: Interrupts = field(default_factory=Interrupts)


def _with_traceback(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--traceback``, which may stand before or after the name of the command."""

    def remember(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted:
            context.find_root().ensure_object(Settings).traceback = True

    return click.option(
        "--traceback",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Show where in the program an error came up.",
    )(command)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="counterpoint", message="%(prog)s %(version)s")
@_with_traceback
def cli() -> None:
    """Couple simulators that each keep their own time."""


@cli.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--until", type=float, metavar="S", help="End of the run in s, instead of the scenario's.")
@click.option("--scheme", metavar="NAME", help="slowest-first, fastest-first, parallel or sequential.")
@click.option(
    "--step", type=float, metavar="S", help="Step in s of a mechanism or diagram, or of FMUs that suggest none."
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Worker threads.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where results go [NAME-run].")
@click.option("--overwrite", is_flag=True, help="Replace results that are already there.")
@click.option("--plot/--no-plot", default=True, help="Draw the signals to a picture [yes].")
@click.option("--progress/--no-progress", default=None, help="Show progress [when on a terminal].")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--allow-outside", is_flag=True, help="Let the scenario use files outside of its directory.")
@_with_traceback
@click.pass_context
def run(
    context: click.Context,
    *,
    scenario: Path,
    until: float | None,
    scheme: str | None,
    step: float | None,
    threads: int | None,
    out: Path | None,
    overwrite: bool,
    plot: bool,
    progress: bool | None,
    quiet: bool,
    allow_outside: bool,
) -> None:
    """Run a scenario, a system structure (.ssp, .ssd), a mechanism or a diagram; write results and pictures."""
    read = _read(scenario, allow_outside, step=step, until=until, scheme=scheme, threads=threads)
    system = read.build()
    where = Outputs(out or Path(f"{read.name}-run"), read.name, overwrite, read.extra_endings)
    where.prepare(plot)
    if quiet:
        warnings.simplefilter("ignore")
    show = not quiet if progress is None else progress
    interrupts = context.ensure_object(Settings).interrupts
    outcome = _simulate(read, system, where, interrupts, (show, bool(progress)))
    _report(outcome, read, where, plot, quiet)
    if outcome.note:
        click.echo(outcome.note, err=True)
    if outcome.error is not None:
        _print_error(outcome.error)
    if outcome.exit_code:
        sys.exit(outcome.exit_code)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--allow-outside", is_flag=True, help="Let the scenario use files outside of its directory.")
@click.option("--matrices", type=click.Path(path_type=Path), metavar="DIR", help="Write a mechanism's matrices there.")
@click.option("--overwrite", is_flag=True, help="Replace matrices that are already there.")
@_with_traceback
def info(file: Path, allow_outside: bool, matrices: Path | None, overwrite: bool) -> None:
    """Show what a scenario, mechanism or diagram (.toml), a run file (.h5), an FMU (.fmu) or an SSP holds."""
    from . import display

    console = display.console()
    if file.suffix.lower() == ".fmu":
        from .fmi.information import show

        show(file, console)
        return
    if file.suffix.lower() in (".ssp", ".ssd"):
        from .ssp.information import show as show_structure

        show_structure(file, console, allow_outside=allow_outside)
        return
    if _is_run_file(file):
        from .results import load

        display.run_file(load(file), console)
        return
    from .cases import read_case
    from .multibody.model_case import MechanismCase
    from .scenario import Scenario

    case = read_case(file, allow_outside=allow_outside)
    if not isinstance(case, MechanismCase):
        if matrices is not None:
            raise click.UsageError("--matrices is for mechanism files")
        if isinstance(case, Scenario):
            display.scenario(case, case.build(), console)
        else:
            display.diagram(case.diagram, console)
        return
    display.mechanism(case.mechanism, console)
    if matrices is not None:
        from .multibody.matrices import write_matrices

        for path in write_matrices(case.mechanism, matrices, overwrite=overwrite):
            display.say(f"wrote {path}", console)


@cli.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The FMU to write [NAME.fmu].")
@click.option("--fmi", type=click.Choice(["2", "3"]), default="3", show_default=True, help="Version of FMI.")
@click.option("--scheme", metavar="NAME", help="slowest-first, fastest-first, parallel or sequential.")
@click.option("--step", type=float, metavar="S", help="Step in s of a mechanism or diagram file, instead of its own.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is already there.")
@click.option("--allow-outside", is_flag=True, help="Let the scenario use files outside of its directory.")
@_with_traceback
def export(
    *,
    model: Path,
    out: Path | None,
    fmi: str,
    scheme: str | None,
    step: float | None,
    overwrite: bool,
    allow_outside: bool,
) -> None:
    """Write a scenario, a system structure, a mechanism or a diagram as an FMU that needs no Python."""
    from . import display
    from .fmi.exporting import export_case

    case = _read(model, allow_outside, step=step, scheme=scheme)
    path = export_case(case, out or Path(f"{case.name}.fmu"), version=int(fmi), overwrite=overwrite)
    display.say(f"wrote {path}", display.console())


@cli.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace files that are already there.")
@click.option("--until", type=float, metavar="S", help="End of the run in s, instead of the source's.")
@click.option("--step", type=float, metavar="S", help="Step in s of FMUs of a system structure that suggest none.")
@click.option("--allow-outside", is_flag=True, help="Let the source use files outside of its directory.")
@_with_traceback
def convert(
    *, source: Path, target: Path, overwrite: bool, until: float | None, step: float | None, allow_outside: bool
) -> None:
    """Write a scenario of FMUs (.toml) as a system structure (.ssp, .ssd), or the other way round."""
    from . import display
    from .cases import read_case
    from .scenario import Scenario

    read = read_case(source, allow_outside=allow_outside, until=until, step=step)
    if not isinstance(read, Scenario):
        raise click.UsageError(f"{source} is no scenario; mechanisms and diagrams are exported as FMUs")
    written = read.changed(until=until).write(target, overwrite=overwrite)
    display.say(f"wrote {written}", display.console())


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--step", type=float, metavar="S", help="Step of the trial in s [what the FMU suggests].")
@click.option("--deadline", type=float, default=10.0, metavar="S", help="Time for each answer of the FMU [10 s].")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter; may be given again.")
@_with_traceback
def doctor(file: Path, step: float | None, deadline: float, settings: tuple[str, ...]) -> None:
    """Try an FMU in a child process and list every problem; the exit code is 0 when there is none."""
    from . import display
    from .fmi.doctor import examine, value_of

    wrong = [text for text in settings if "=" not in text]
    if wrong:
        raise click.UsageError(f"--set {wrong[0]}: needed is NAME=VALUE")
    parameters = {name: value_of(value) for name, _, value in (text.partition("=") for text in settings)}
    found = examine(file, step=step, deadline=deadline, parameters=parameters)
    display.findings(file.name, found.findings, display.console())
    sys.exit(found.exit_code)


@cli.command()
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where results go [NAME-study].")
@click.option("--quick", is_flag=True, help="A short form, below half a minute.")
@_with_traceback
@click.pass_context
def study(context: click.Context, name: str | None, out: Path | None, quick: bool) -> None:
    """Repeat a published experiment; without a name, list them."""
    from . import display, studies

    console = display.console()
    if name is None:
        display.studies(studies.DESCRIPTIONS, console)
        return
    folder = out or Path(f"{name}-study")
    try:
        with display.study_progress(name) as progress:
            report = studies.run_study(name, folder, quick, progress)
    except KeyboardInterrupt:
        click.echo(f"interrupted; what was written so far is in {folder}", err=True)
        sys.exit(context.ensure_object(Settings).interrupts.exit_code)
    display.say(report.summary(), console)
    for path in report.written:
        display.say(f"wrote {path}", console)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--subsystem", metavar="NAME", help="Which one of a scenario.")
@click.option("--listen", metavar="ADDRESS", help="Wait for a master there [tcp://127.0.0.1:0: any free port].")
@click.option("--connect", metavar="ADDRESS", help="Connect to a master that waits there.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Token for all connections, made when it is not there [a new one for each].",
)
@click.option("--keep", is_flag=True, help="Wait for the next master when one has gone.")
@click.option("--insecure", is_flag=True, help="Allow an address beyond this computer; nothing is encrypted.")
@click.option("--allow-outside", is_flag=True, help="Let the scenario use files outside of its directory.")
@_with_traceback
@click.pass_context
def serve(
    context: click.Context,
    *,
    file: Path,
    subsystem: str | None,
    listen: str | None,
    connect: str | None,
    token_file: Path | None,
    keep: bool,
    insecure: bool,
    allow_outside: bool,
) -> None:
    """Offer a subsystem of a scenario, a mechanism, a diagram or an FMU to a master in another program."""
    from .link.command import read_offer, run_server

    if listen is not None and connect is not None:
        raise click.UsageError("--listen and --connect: choose one")
    try:
        run_server(
            read_offer(file, subsystem, allow_outside),
            connect or listen or "tcp://127.0.0.1:0",
            connects=connect is not None,
            token_file=token_file,
            keep=keep,
            insecure=insecure,
            say=click.echo,
            warn=lambda text: click.echo(text, err=True),
        )
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(context.ensure_object(Settings).interrupts.exit_code)


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

        from .errors import OutputError

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
            taken = [path for path in (self.file, *(self.drawn if plot else [])) if path.exists()]
        except OSError as error:
            full = error.errno in _NO_ROOM
            reason = error.strerror or str(error)
            raise OutputError(
                f"{self.folder}: cannot write results there: {reason}; choose another place with --out",
                str(self.folder),
                during_run=full,
            ) from error
        if taken and not self.overwrite:
            names = " and ".join(str(path) for path in taken)
            raise OutputError(f"{names}: already there; add --overwrite or choose another --out", str(taken[0]))


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its result as far as there is one, and why it stopped early."""

    result: Result | None
    exit_code: int = 0
    note: str = ""
    error: CounterpointError | None = None


def _simulate(
    scenario: Case,
    system: System,
    where: Outputs,
    interrupts: Interrupts,
    progress: tuple[bool, bool],
) -> Outcome:
    """Run the system; whatever stops it, what was computed so far is kept."""
    from . import display
    from .errors import OutputError, RunInterrupted, SimulationError

    show, force = progress
    try:
        with display.progress(scenario.name, show, force) as bar, interrupts.deferred(bar) as callback:
            result = scenario.run(system=system, file=where.file, overwrite=where.overwrite, progress=callback)
    except RunInterrupted as stop:
        return Outcome(stop.result, interrupts.exit_code, str(stop))
    except (SimulationError, OutputError) as error:
        if error.result is None:
            raise
        return Outcome(error.result, error.exit_code, error=error)
    return Outcome(result, interrupts.exit_code if interrupts.received is not None else 0)


def _report(outcome: Outcome, scenario: Case, where: Outputs, plot: bool, quiet: bool) -> None:
    """Print tables, quality and paths; draw the picture last, so that nothing is lost if that fails."""
    from . import display

    console = display.console(stderr=quiet)
    verb = "kept" if outcome.exit_code else "wrote"
    if outcome.result is not None and not quiet:
        display.result(outcome.result, console)
    silent = quiet and not outcome.exit_code
    if where.file.exists() and not silent:
        display.say(f"{verb} {where.file}", console)
    if plot and outcome.result is not None and outcome.exit_code not in (130, 143):
        try:
            for path in _draw(outcome.result, scenario, where):
                if not silent:
                    display.say(f"{verb} {path}", console)
        except Exception as error:  # the run is over, and has its exit code
            reason = str(error) or type(error).__name__
            _print_warning(f"not all pictures could be drawn: {reason}; the results are in {where.file}", UserWarning)


def _draw(result: Result, scenario: Case, where: Outputs) -> Iterator[Path]:
    """Draw the pictures of a run; yield each file when it is there."""
    from . import display

    display.draw(result, scenario.plot, where.picture)
    yield where.picture
    yield from scenario.draw_extras(result, where.folder / where.name)


def _read(path: Path, allow_outside: bool, *, step: float | None, until: float | None = None, **settings: Any) -> Case:
    """Return what is in a file, with what was given on the command line."""
    from .cases import STRUCTURES, read_case
    from .scenario import Scenario

    case = read_case(path, allow_outside=allow_outside, until=until, step=step)
    settings["until"] = until
    if not isinstance(case, Scenario):
        return case.changed(step=step, **settings)
    if step is not None and path.suffix.lower() not in STRUCTURES:
        raise click.UsageError(
            "--step is for mechanisms, diagrams and system structures; in a scenario subsystems have their own"
        )
    return case.changed(**settings)


def _is_run_file(path: Path) -> bool:
    """Tell a run file from a scenario by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(8) == b"\x89HDF\r\n\x1a\n"
    except OSError:
        return False


def _print_error(error: BaseException) -> None:
    for line in str(error).splitlines() or [type(error).__name__]:
        click.echo(click.style("error: ", fg="red", bold=True) + line, err=True)


def _print_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning as a user wants to read it, without the line of the program that gave it."""
    click.echo(click.style("warning: ", fg="yellow", bold=True) + str(message), err=True)


def _exit_code(error: Exception) -> int:
    """Print an error as a user wants to read it; return the exit code that belongs to it."""
    from .errors import CounterpointError

    if isinstance(error, click.ClickException):
        error.show()
        return 2
    if isinstance(error, MemoryError):
        click.echo("error: out of memory; results written so far are kept", err=True)
        return 5
    if isinstance(error, CounterpointError):
        _print_error(error)
        return error.exit_code
    if isinstance(error, BrokenPipeError):  # `counterpoint info x.toml | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError):
        _print_error(error)
        return 5 if error.errno in _NO_ROOM else 2
    raise error


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    settings = Settings()
    with settings.interrupts, warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            code = cli.main(args=arguments, prog_name="counterpoint", standalone_mode=False, obj=settings)
        except click.Abort:
            click.echo("interrupted", err=True)
            code = settings.interrupts.exit_code
        except Exception as error:
            if settings.traceback:
                import traceback

                traceback.print_exc()
            code = _exit_code(error)
    sys.exit(code if isinstance(code, int) else 0)
