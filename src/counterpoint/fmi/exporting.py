"""Export models and coupled systems as FMUs that need no Python: what can be exported, and the way there."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from .._common.numbers import is_number
from .._run.parts import HasSubsystem
from .._run.precedence import Scheme
from ..approximations import Approximation
from ..errors import OutputError, SetupError
from ..pace._kinds import Fixed
from ..subsystems import Subsystem
from ..system import System
from .export_archive import Export

if TYPE_CHECKING:
    from .._cases.case import Case


def export_fmu(
    model: System | Subsystem | HasSubsystem,
    path: str | PathLike[str],
    *,
    version: int = 3,
    step: float | None = None,
    scheme: str | Scheme = "slowest-first",
    approximation: Approximation | None = None,
    inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | None = None,
    input_approximation: Approximation | None = None,
    until: float | None = None,
    platforms: Iterable[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a model or a coupled system as an FMU for co-simulation that runs without Python.

    Parameters
    ----------
    model : System, Diagram, Mechanism, or a subsystem such as cp.linear makes
        A system becomes one FMU with its subsystems inside, each with its own step.
    path : path
        File to write, ``.fmu``.
    version : int
        Of FMI: 2 or 3.
    step : float, optional
        Fixed step in s of a single model; default: its preferred step.
    scheme, approximation
        Of a system, as for :meth:`System.run`.
    inputs : names, optional
        Inputs of the FMU; default: all unconnected inputs. In a system they are named ``subsystem.port``.
    outputs : names, optional
        Outputs of the FMU; default: all of the model, or all recorded ones of a system.
    input_approximation : Approximation, optional
        How inputs continue from one communication point to the next. Default: held, or with the slope that an FMI 2
        master gives (input derivatives). ``cp.lagrange(1)`` extends the line through the last two values.
    until : float, optional
        Stop time in s of the default experiment, which masters offer to their users; the FMU runs beyond it, too.
    platforms : names, optional
        Systems that the FMU is for: ``linux64``, ``win64``, ``darwin64`` (both processors), ``aarch64-linux``.
        Default: this one.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    SetupError
        With everything that prevents the export, such as Python functions in the model.

    Examples
    --------
    >>> import tempfile
    >>> import counterpoint as cp
    >>> spring = cp.linear([[0, 1], [-9, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = export_fmu(spring, f"{folder}/spring.fmu", step=1e-3)
    ...     cp.fmu(made).outputs
    {'x': 1, 'v': 1}
    """
    target = Path(path)
    if version not in (2, 3):
        raise SetupError(f"version: {version!r}; expected 2 or 3")
    if target.exists() and not overwrite:
        raise OutputError(f"{target}: already exists; use overwrite=True or choose another name", str(target))
    if until is not None and not (is_number(until) and until > 0):
        raise SetupError(f"until: {until!r}; expected a time in s greater than 0")
    export = Export(_as_system(model, step), target.stem, version, is_alone=not isinstance(model, System))
    export.span = (0.0, until)
    export.choose_platforms(platforms)
    export.choose_ports(inputs, outputs)
    export.compile(scheme, approximation, input_approximation)
    return export.write(target)


def export_case(
    case: Case, path: Path, *, version: int, overwrite: bool, platforms: Iterable[str] | None = None
) -> Path:
    """Write the model of a file as an FMU: a mechanism or diagram as a single model, a scenario as a coupled system."""
    target = Path(path)
    if target.exists() and not overwrite:
        raise OutputError(f"{target}: already exists; add --overwrite or choose another --out", str(target))
    if case.options().pace is not None or case.options().real_time is not None:
        raise SetupError(f"{case.path}: pace: paces cannot be exported in an FMU; give the subsystems steps instead")
    if case.window is not None:
        raise SetupError(f"{case.path}: window: windows cannot be exported in an FMU; remove it")
    if case.options().first_steps == "repeat":
        raise SetupError(f'{case.path}: first_steps: "repeat" cannot be exported in an FMU; use "auto" or "once"')
    if case.remote_names:
        names = ", ".join(f'"{name}"' for name in case.remote_names)
        raise SetupError(
            f"{case.path}: {names}: an FMU cannot contain subsystems in other programs; export what they serve, and "
            "connect the FMUs"
        )
    system = case.build()
    _check_exportable(system)
    export = Export(system, target.stem, version, is_alone=not case.is_coupled, span=case.span)
    export.choose_platforms(platforms)
    export.choose_ports(None, None)
    export.compile(case.scheme, None, None)
    return export.write(target)


def _check_exportable(system: System) -> None:
    paced = [name for name, part in system.subsystems.items() if not isinstance(part.pace, Fixed | None)]
    if paced:
        raise SetupError(f"subsystems.{paced[0]}.pace: paces cannot be exported in an FMU; give a step instead")
    refused = {name: getattr(part.subsystem, "export_problem", "") for name, part in system.subsystems.items()}
    problems = [f"subsystems.{name}: {problem}" for name, problem in refused.items() if problem]
    if problems:
        raise SetupError(problems)
    if system.events:
        raise SetupError(f"events: {system.events[0]}: events cannot be exported in an FMU; remove them")


def _as_system(model: System | Subsystem | HasSubsystem, step: float | None) -> System:
    """Return a system that may be changed: a copy, or one with only the model."""
    if isinstance(model, System):
        if step is not None:
            raise SetupError("step: a system has no step of its own; set the steps of its subsystems in System.add")
        _check_exportable(model)
        system = copy.copy(model)
        system.subsystems = dict(model.subsystems)
        system.connections = list(model.connections)
        system.constants = dict(model.constants)
        return system
    name = str(getattr(model, "name", "") or getattr(model, "kind", "") or "model").replace(".", "_")
    system = System(name)
    preferred = getattr(model, "preferred_step", None) or getattr(model, "step", None)
    preferred = preferred if isinstance(preferred, int | float) else None
    system.add("model" if not name.strip() else name, model, step=step if step is not None else preferred)
    _check_exportable(system)
    return system
