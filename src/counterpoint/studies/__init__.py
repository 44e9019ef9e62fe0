"""Published experiments, repeatable with one command: ``counterpoint study NAME --out DIR [--quick]``.

A study is a module with a function ``run(out, quick, progress) -> StudyReport`` that writes ``claims.csv``,
``figures/*.png`` and ``report.html`` below `out`. It is entered in `STUDIES` and imported only when it runs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from .._common.lazy import loading
from .._common.plugins import STUDIES as PLUGINS
from .._common.plugins import offered
from ..errors import OutputError, SetupError, did_you_mean

if TYPE_CHECKING:
    from .claims import Claim, Holds, Origin
    from .report import Progress, StudyReport

__all__ = ["DESCRIPTIONS", "STUDIES", "Claim", "Holds", "Origin", "StudyReport", "descriptions", "run_study"]

STUDIES: dict[str, str] = {
    "advice": "counterpoint.studies.advice.study",
    "coupling-techniques": "counterpoint.studies.coupling_techniques.study",
    "drive-cycle": "counterpoint.studies.drive_cycle.study",
    "helicopter": "counterpoint.studies.helicopter.study",
    "implicit": "counterpoint.studies.implicit.study",
    "kart": "counterpoint.studies.kart.study",
    "linear-algebra": "counterpoint.studies.linear_algebra.study",
    "pendulums": "counterpoint.studies.pendulums.study",
    "public-benchmarks": "counterpoint.studies.public_benchmarks.study",
    "stability": "counterpoint.studies.stability.study",
    "step-control": "counterpoint.studies.step_control.study",
    "two-mass": "counterpoint.studies.two_mass.study",
    "two-mass-oscillator": "counterpoint.studies.two_mass_oscillator.study",
    "verdict": "counterpoint.studies.verdict.study",
    "wind-turbine": "counterpoint.studies.wind_turbine.study",
}
"""Name of each study and the module that holds it."""

DESCRIPTIONS: dict[str, str] = {
    "advice": "recommended strategies against all candidates on two masses, and against sweeps",
    "coupling-techniques": "ways to couple programs: functions, processes, sockets, FMUs, either side as master",
    "drive-cycle": "a car and its thermal system in the NEDC and WLTC: fixed and variable macro steps",
    "helicopter": "a Bo105 in hover: main rotor, tail rotor and control in three layouts",
    "implicit": "compound steps, repeated windows and accelerated iterations on four problems",
    "kart": "a vehicle of 163 coordinates driven by an engine: elapsed time and pitch over the frequency ratio",
    "linear-algebra": "solvers, fill, threads and formulations of the multibody simulator, sizes 4 to 8000",
    "pendulums": "an inverted pendulum held across a socket, and a double pendulum cut at its joint",
    "public-benchmarks": "four problems of the community over schemes and approximations, beside published numbers",
    "stability": "stability regions and convergence of multirate schemes, from closed forms and from the scheduler",
    "step-control": "work against precision of all paces on seven problems",
    "two-mass": "two masses and three springs: schemes and polynomial orders over the frequency ratio",
    "two-mass-oscillator": "two rotating masses cut at a spring: causality, approximations, macro steps",
    "verdict": "how often the verdict on a run is right: 500 runs with known solutions",
    "wind-turbine": "a controlled turbine of 600 kW at one rate and two, and the AWT-27 beside another program",
}
"""One line about each study, known without importing it."""


def descriptions() -> dict[str, str]:
    """Return one line about each study, those of installed packages among them; none is imported."""
    others = {name: f"of the package {point.module.partition('.')[0]}" for name, point in offered(PLUGINS).items()}
    return others | DESCRIPTIONS


def run_study(name: str, out: str | Path, quick: bool = False, progress: Progress | None = None) -> StudyReport:
    """Run a study and write what it found.

    Parameters
    ----------
    name : str
        A key of `STUDIES`.
    out : path
        Folder for ``claims.csv``, ``figures/`` and ``report.html``; made when missing, replaced when there.
    quick : bool
        Fewer points, below 30 s; the same claims.
    progress : callable, optional
        Called as ``progress(what, done, total)`` while the study runs.

    Returns
    -------
    StudyReport
        The claims with what came out, and the paths written.

    Raises
    ------
    SetupError
        When there is no such study.
    OutputError
        When `out` cannot be written.
    """
    modules = STUDIES | {point: found.value for point, found in offered(PLUGINS).items() if point not in STUDIES}
    if name not in modules:
        raise SetupError(f'study: "{name}" is not a study{did_you_mean(name, modules)}')
    folder = Path(out)
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        report: StudyReport = import_module(modules[name]).run(folder, quick, progress)
    except OSError as error:
        where = error.filename or folder
        raise OutputError(f"{where}: the study's files cannot be written: {error.strerror}", str(where)) from error
    return report


__getattr__, __dir__ = loading(
    __name__,
    {
        "Claim": "claims",
        "DESCRIPTIONS": "",
        "Holds": "claims",
        "Origin": "claims",
        "STUDIES": "",
        "StudyReport": "report",
        "descriptions": "",
        "run_study": "",
    },
    (
        "advice",
        "assumed",
        "coupling_techniques",
        "drive_cycle",
        "helicopter",
        "kart",
        "linear_algebra",
        "pendulums",
        "public_benchmarks",
        "stability",
        "step_control",
        "two_mass",
        "two_mass_oscillator",
        "verdict",
    ),
)
