"""`cp.fmu`: read an FMU and make a subsystem from it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .._cases.registry import check_kind
from .._common.recorded import recorded
from ..errors import DescriptionWarning
from .archive import DESCRIPTION, Archive, ArchiveLimits
from .description import ModelDescription
from .description_reading import read_description
from .imported_fmu import Fmu, never_ticks
from .isolation import Isolation, choose
from .options import Options
from .saved_state import SavedState


class ClockWarning(UserWarning):
    """An FMU has triggered input clocks (FMI 3): nothing in a system triggers them, they never tick."""


@recorded
def fmu(
    path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | None = None,
    step: float | None = None,
    name: str | None = None,
    kind: str | None = None,
    inputs_at: str | None = None,
    tolerance: float | None = None,
    visible: bool = False,
    logging: bool | Iterable[str] = False,
    events: bool = True,
    redo_discarded: bool = False,
    solver: str | None = None,
    state: bytes | str | os.PathLike[str] | None = None,
    isolate: bool | Isolation = False,
    deadline: float | None = None,
    lenient: bool = False,
    limits: ArchiveLimits | None = None,
    **solver_options: float,
) -> Fmu:
    """Import an FMU (FMI 1.0, 2.0 or 3.0, co-simulation or model exchange) as a subsystem.

    An FMU is a program: it runs with your permissions.

    Parameters
    ----------
    path : path
        The ``.fmu`` file.
    parameters : mapping, optional
        Parameters by name, also structural ones, in the units of the FMU. Enumeration items can be given by name.
    start : mapping, optional
        Start values of other variables, and of unconnected inputs: those that nothing connects or sets keep the values
        that the FMU gives them.
    inputs, outputs : names, optional
        Ports; default: all numeric inputs and outputs; string and binary ones, and inputs without a start value, only
        where they are connected or set. Outputs may be any variable.
    step : float, optional
        Step in s; default: the one that the FMU suggests, else about a five-hundredth of its default experiment;
        none for a variable-step ``solver``.
        :meth:`counterpoint.System.add` can override it.
    name : str, optional
        Name of the instance; default: the model's.
    kind : str, optional
        ``"co-simulation"``: the FMU has its own solver; the default where supported. ``"model-exchange"``: the
        FMU contains only equations, and ``solver`` integrates them.
    inputs_at : str
        Co-simulation: how continuous inputs reach the FMU. ``"start"``: held from the start of a step. ``"middle"``:
        held at their value in the middle of the step. ``"auto"`` (default): linear where the FMU can interpolate
        (FMI 2), at every inner step where it asks for them (FMI 3), otherwise ``"middle"``. Discrete inputs are held
        from the start. In model exchange inputs are functions of time.
    tolerance : float, optional
        Relative tolerance of the FMU's own solvers; default in model exchange: ``rtol``.
    visible : bool
        Whether the FMU may open windows.
    logging : bool or names of categories
        What the FMU logs; see :attr:`Fmu.messages`. Errors are always logged.
    events : bool
        Publish events of FMI 3 and of model exchange when they happen: steps may end early. If False, an FMU for
        co-simulation handles them inside its steps; in model exchange they are still located.
    redo_discarded : bool
        Co-simulation: a step that the FMU discards ends earlier, where the FMU could go, and the next one begins there.
        FMI 1 and 2: the state is saved before each step and set back; an FMU that cannot save goes on from the time
        that it says it has reached.
    solver : str
        Model exchange: ``"ode45"``, ``"ode23"`` and ``"ode23s"`` (stiff) choose their own steps, and so does ``"auto"``
        (default): ``ode45``, and ``ode23s`` while the model is stiff. ``"ode1"`` to ``"ode5"`` and ``"trapezoidal"``
        need ``step``.
    state : bytes or path, optional
        Resume from a state returned by :meth:`Fmu.save_state`, or a file with it, instead of initialising.
    isolate : bool or Isolation
        Run it in a separate process: when it crashes, the run ends with an error and its results are kept. Costs about
        10 µs per step. Two instances of an FMU that allows one per process are always isolated.
    deadline : float, optional
        Wall time in s for each answer of an isolated FMU; default 60.
    lenient : bool
        Accept violations in the description that do not prevent the FMU from running without a
        :class:`counterpoint.DescriptionWarning`.
    limits : ArchiveLimits, optional
        Limits of the archive.
    **solver_options : float
        Model exchange, variable step: ``rtol`` (1e-6), ``atol`` (1e-9, in nominal values of the states),
        ``first_step`` and ``max_step`` (s; default: the shortest fixed step of the subsystems that read it and, where
        it chooses its steps, at most 1/500 of the run, so that lines between them show what happens).

    Returns
    -------
    Fmu
        For :meth:`counterpoint.System.add`.

    Raises
    ------
    SetupError
        With all problems of the archive, the description or the values given.

    Examples
    --------
    >>> pump = fmu("pump.fmu", parameters={"diameter": 0.2})  # doctest: +SKIP
    >>> system.add("pump", pump, step=1e-3)  # doctest: +SKIP
    >>> ball = fmu("ball.fmu", kind="model-exchange", solver="ode45", rtol=1e-8)  # doctest: +SKIP
    """
    check_kind(Path(path), "an FMU")
    archive = Archive(path, limits)
    description = read_description(archive, lenient=True)
    if not lenient:
        _warn(archive, description)
    _warn_of_clocks(archive, description)
    categories = logging if isinstance(logging, bool) else tuple(logging)
    chosen = Options(
        name or description.name,
        inputs_at,
        tolerance,
        visible,
        categories,
        events,
        redo_discarded,
        solver,
        solver_options,
        choose(isolate, deadline),
    )
    saved = None if state is None else SavedState.read(state)
    return Fmu(
        archive,
        description,
        chosen,
        parameters,
        start,
        kind=kind,
        inputs=inputs,
        outputs=outputs,
        step=step,
        state=saved,
    )


def _warn(archive: Archive, description: ModelDescription) -> None:
    """Warn of what is wrong in the description and does not prevent the FMU from running."""
    if not description.complaints:
        return
    others = f" and {len(description.complaints) - 1} more" if len(description.complaints) > 1 else ""
    warnings.warn(
        f"{archive.path}: {DESCRIPTION} {description.complaints[0]}{others}; the FMU runs "
        "anyway (counterpoint doctor lists all, lenient=True accepts them without a warning)",
        DescriptionWarning,
        stacklevel=3,
    )


def _warn_of_clocks(archive: Archive, description: ModelDescription) -> None:
    """Warn of clocks that will never tick."""
    clocks = description.triggered_clocks
    if clocks:
        others = f" and {len(clocks) - 1} more" if len(clocks) > 1 else ""
        warnings.warn(f"{archive.path}: {never_ticks(clocks[0])}{others}", ClockWarning, stacklevel=3)
