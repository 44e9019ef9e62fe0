"""Implementation of ``counterpoint doctor x.fmu``: test an FMU in a child process and list every error and remark.

All code of the FMU runs in a child process with a deadline. The examination continues after an error as
far as possible; each part of it is a function that yields findings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import (
    CounterpointError,
    MissingExtraError,
    SetupError,
    SimulationError,
    StandstillWarning,
    UndefinedWarning,
)
from ..results import Result
from ..subsystems import linear
from ..system import System
from ..windows import Window, window
from .archive import Archive
from .description import ModelDescription
from .description_reading import read_description
from .imported_fmu import Fmu
from .importing import ClockWarning, fmu
from .isolation import Isolation
from .options import CO_SIMULATION, MODEL_EXCHANGE

_STEPS = 100
"""Steps of a trial."""


@dataclass(frozen=True)
class Finding:
    """One finding in one sentence: ``"ok"``, ``"remark"`` (unusual, but it runs) or ``"error"``."""

    level: str
    examined: str
    text: str


@dataclass
class Examination:
    """What is known about an FMU during the examination."""

    path: Path
    deadline: float
    step: float | None
    parameters: Mapping[str, Any]
    findings: list[Finding] = field(default_factory=list)
    exit_code: int = 0
    archive: Archive | None = None
    description: ModelDescription | None = None
    trial: Result | None = None

    @property
    def errors(self) -> list[Finding]:
        """Return what prevents the FMU from running correctly."""
        return [finding for finding in self.findings if finding.level == "error"]

    @property
    def remarks(self) -> list[Finding]:
        """Return what is unusual and does not prevent the FMU from running."""
        return [finding for finding in self.findings if finding.level == "remark"]

    def failed(self, error: CounterpointError) -> None:
        """Remember the exit code of the most serious error."""
        self.exit_code = max(self.exit_code, error.exit_code)


def examine(
    path: str | PathLike[str],
    *,
    deadline: float = 10.0,
    step: float | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Examination:
    """Test an FMU in a child process and return all findings.

    Parameters
    ----------
    path : path
        The ``.fmu`` file.
    deadline : float
        Wall time for each answer of the FMU, s.
    step : float, optional
        Step of the trial, s; default: the one that the FMU suggests, otherwise a hundredth of its experiment or 10 ms.
    parameters : mapping, optional
        Parameters of the FMU by name, as for :func:`counterpoint.fmu`.

    Returns
    -------
    Examination
        ``findings``, of these ``errors`` and ``remarks``, and ``exit_code`` (0: no error).

    Examples
    --------
    >>> examine("pump.fmu").errors  # doctest: +SKIP
    []
    """
    patient = Examination(Path(path), deadline, step, parameters or {})
    for name, look, needs in _EXAMINATIONS:
        if needs and getattr(patient, needs) is None:
            continue
        try:
            with warnings.catch_warnings():
                for reported in (StandstillWarning, UndefinedWarning, ClockWarning):  # by the trial
                    warnings.simplefilter("ignore", reported)
                patient.findings += [Finding(level, name, text) for level, text in look(patient)]
        except CounterpointError as error:
            patient.failed(error)
            texts = error.problems if isinstance(error, SetupError) else [str(error)]
            patient.findings += [Finding("error", name, text) for text in texts]
    if patient.errors and not patient.exit_code:
        patient.exit_code = 3
    return patient


Findings = Iterator[tuple[str, str]]


def _archive(patient: Examination) -> Findings:
    patient.archive = Archive(patient.path)
    yield "ok", f"{len(patient.archive.files)} files; platforms: {', '.join(patient.archive.platforms) or 'none'}"
    for remark in patient.archive.remarks:
        yield "remark", remark


def _description(patient: Examination) -> Findings:
    assert patient.archive is not None
    patient.description = found = read_description(patient.archive, lenient=True)
    yield "ok", f"{found.name}, FMI {found.version}, {len(found.variables)} variables"
    for complaint in found.complaints:
        yield "remark", f"modelDescription.xml {complaint}"


def _trial(patient: Examination) -> Findings:
    """Instantiate, initialise, make a hundred steps, end."""
    model = _model(patient)
    for remark in model.remarks:
        yield "remark", remark
    step = _step(patient, model)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", StandstillWarning)
            warnings.simplefilter("always", UndefinedWarning)
            patient.trial = _run(model, step)
    except SimulationError as error:
        patient.failed(error)
        yield "error", str(error)
    else:
        yield "ok", f"{_STEPS} steps of {step:g} s"
        if patient.trial.message:
            yield "remark", patient.trial.message
        for warning in warned:
            yield "remark" if warning.category is UndefinedWarning else "error", str(warning.message)
    errors = [message for message in model.messages if message.status != "ok"]
    for message in errors[:10]:
        yield "remark", f"log message ({message.status}): {message.text}"
    if model.printed.strip():
        yield "remark", f"prints to the terminal, {model.printed.strip()[:60]!r} ...: use log messages instead"


def _inputs(patient: Examination) -> Findings:
    """Report inputs that have another value in the FMU than in its description, as long as nothing sets them."""
    model = _model(patient)
    system = System("trial")
    system.add("fmu", model, step=_step(patient, model))
    with system.start():
        for variable in model.ports[0]:
            if variable.start is None or variable.name not in model.untouched_inputs:
                continue
            own = np.ravel(np.asarray(model.read(variable.name), dtype=np.float64))
            declared = model.defaults[variable.name]
            if not np.array_equal(own, declared):
                yield (
                    "remark",
                    f'input "{variable.name}": the FMU has {_numbers(own)} where its description says '
                    f"{_numbers(declared)}; it keeps its own value unless the input is connected or set",
                )


def _numbers(values: ArrayLike) -> str:
    return " ".join(f"{value:g}" for value in np.ravel(np.asarray(values))[:10])


def _repeated(patient: Examination) -> Findings:
    """Check whether a second run gives bit-for-bit the same values."""
    model = _model(patient)
    again = _run(model, _step(patient, model))
    names = _differences(patient.trial, again)
    if names:
        yield (
            "error",
            f"a second run gives different values: {', '.join(names)}; the FMU is random or keeps state between runs",
        )
    else:
        yield "ok", "a second run gives bit-for-bit the same values"


def _restored(patient: Examination) -> Findings:
    """Check whether steps repeated from a saved state give bit-for-bit the same values, where saving is declared."""
    model = _model(patient)
    if not model.can_save:
        yield "remark", "cannot save and restore its state: windows and repeated steps are not possible"
        return
    step = _step(patient, model)
    assert patient.trial is not None
    defined = [name for name, values in _signals(patient.trial).items() if np.isfinite(values).all()]
    heard = next((name for name in model.output_widths if f"fmu.{name}" in defined), "")
    once, twice = (_run(model, step, window(length=10 * step, repeats=repeats), heard) for repeats in (1, 2))
    names = _differences(once, twice)
    stopped = _stopped(patient.trial, once)
    if names:
        yield (
            "error",
            f"steps from a restored state give different values: {', '.join(names)}; not all state is restored",
        )
    elif stopped:
        yield (
            "error",
            f"outputs stand still while a saved state exists: {', '.join(stopped)}; do not use windows or "
            "repeated steps with this FMU (noSetFMUStatePriorToCurrentPoint)",
        )
    else:
        yield "ok", "steps from a restored state give bit-for-bit the same values"


def _other_steps(patient: Examination) -> Findings:
    """Check whether other step sizes work, where variable steps are declared."""
    model = _model(patient)
    if model.kind == CO_SIMULATION and not model.interface.variable_steps:
        yield "remark", "accepts only equal steps"
        return
    inner = model.interface.fixed_internal_step if model.kind == CO_SIMULATION else None
    if inner is not None:
        yield "remark", f"has a fixed internal step of {inner:g} s: steps have to be multiples of it"
    try:
        _run(model, (0.37 if inner is None else 2.0) * _step(patient, model))
        yield "ok", "accepts other step sizes"
    except SimulationError as error:
        patient.failed(error)
        yield "error", f"declares steps of any length, but: {error}"


def _model_exchange(patient: Examination) -> Findings:
    """Also integrate an FMU that supports model exchange with one of our solvers."""
    assert patient.description is not None
    if patient.description.co_simulation is None or patient.description.model_exchange is None:
        return
    model = _model(patient, MODEL_EXCHANGE)
    try:
        _run(model, _step(patient, model))
    except SimulationError as error:
        patient.failed(error)
        yield "error", f"in model exchange: {error}"
    else:
        counts = model.statistics
        events = sum(number for what, number in counts.items() if what.endswith("events"))
        yield "ok", f"{counts['steps']} steps of {model.options.chosen_solver}, {events} events"


def _outputs(patient: Examination) -> Findings:
    """Report outputs that never change: often a forgotten input or parameter."""
    assert patient.trial is not None
    still = [name for name, values in _signals(patient.trial).items() if _is_still(values)]
    if still:
        yield "remark", f"constant in the trial, with inputs at their start values: {', '.join(still[:10])}"


def _second_opinion(patient: Examination) -> Findings:
    try:
        from fmpy.validation import validate_fmu
    except ImportError:
        yield "remark", str(MissingExtraError("validation by FMPy", "fmi"))
        return
    try:
        found = list(validate_fmu(str(patient.path)))
    except Exception as error:
        found = [f"{type(error).__name__}: {error}"]
    for text in found:
        yield "remark", f"FMPy: {text}"
    if not found:
        yield "ok", "FMPy's validator finds nothing"


_EXAMINATIONS: tuple[tuple[str, Callable[[Examination], Findings], str], ...] = (
    ("archive", _archive, ""),
    ("description", _description, "archive"),
    ("trial", _trial, "description"),
    ("inputs", _inputs, "trial"),
    ("repeatable", _repeated, "trial"),
    ("save and restore", _restored, "trial"),
    ("other steps", _other_steps, "trial"),
    ("model exchange", _model_exchange, "description"),
    ("outputs", _outputs, "trial"),
    ("FMPy", _second_opinion, "description"),
)


def _model(patient: Examination, kind: str | None = None) -> Fmu:
    isolation = Isolation(deadline=patient.deadline)
    return fmu(patient.path, kind=kind, parameters=patient.parameters, isolate=isolation, logging=True, lenient=True)


def _step(patient: Examination, model: Fmu) -> float:
    if patient.step is not None:
        return patient.step
    assert patient.description is not None
    stop = patient.description.experiment.stop
    return model.preferred_step or (stop / _STEPS if stop else 0.01)


def _run(model: Fmu, step: float, repeated: Window | None = None, heard: str = "") -> Result:
    system = System("trial")
    system.add("fmu", model, step=step)
    if heard:
        # A window is repeated for subsystems that extrapolate: the listener does.
        width = model.output_widths[heard]
        system.add(
            "listener", linear([[0.0]], np.zeros((1, width)), x0=[0.0], inputs={"u": width}, outputs="y"), step=step
        )
        system.connect(f"fmu.{heard}", "listener.u", convert=False)
    return system.run(until=_STEPS * step, scheme="parallel", window=repeated)


def _signals(result: Result) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    return {name: np.asarray(result[name].values) for name in result.signals}


def _stopped(first: Result | None, second: Result) -> list[str]:
    """Return signals that change in the first and not in the second; step ends of the two may differ by rounding."""
    assert first is not None
    expected, found = _signals(first), _signals(second)
    return [name for name, values in expected.items() if not _is_still(values) and _is_still(found[name])]


def _is_still(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    return bool(np.ptp(values, axis=0).max(initial=0.0) == 0.0)


def _differences(first: Result | None, second: Result) -> list[str]:
    assert first is not None
    expected, found = _signals(first), _signals(second)
    return [name for name in expected if not np.array_equal(expected[name], found[name], equal_nan=True)]
