"""An FMU near its start as a linear subsystem, from its directional derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._common.ports import columns, offsets
from ..errors import SetupError
from ..linear_model import LinearSubsystem
from ..system import System
from .core_setup import is_continuous
from .options import MODEL_EXCHANGE

if TYPE_CHECKING:
    from .imported_fmu import Fmu

Matrix = NDArray[np.float64]

_EXACT = {"rtol": 1e-9, "atol": 1e-12}


def linear_subsystem(fmu: Fmu, t: float, u: Matrix) -> LinearSubsystem | None:
    """Return an FMU near its start, with inputs u except the free ones; None when it does not tell its derivatives."""
    if not _tells_derivatives(fmu):
        return None
    untouched = fmu.untouched_inputs
    system = System(fmu.options.name)
    system.add("fmu", fmu, step=None if fmu.own_pace else fmu.preferred_step or fmu.typical_step or 1e-3)
    places = offsets(fmu.input_widths)
    for port, width in fmu.input_widths.items():
        if port in untouched:
            continue
        system.set(f"fmu.{port}", u[places[port] : places[port] + width])
    try:
        with system.start(start=t):
            return present_model(fmu)
    except SetupError:  # the description promises more than the FMU keeps: its steps are tried
        return None


def _tells_derivatives(fmu: Fmu) -> bool:
    """Whether all states are listed and no output jumps: then derivatives say all."""
    description = fmu.description
    listed = 0 < len(description.states) == description.state_count
    return fmu.interface.provides_directional_derivatives and listed and all(map(is_continuous, fmu.ports[1]))


def present_model(fmu: Fmu) -> LinearSubsystem | None:
    """Return an FMU as it is now, in a run that is under way; None when it does not tell its derivatives."""
    if not _tells_derivatives(fmu):
        return None
    states = fmu.description.states
    x = [v.name for v in states]
    dx = [unknown.name for unknown in fmu.description.derivatives]
    names = {kind: [v.name for v in group if is_continuous(v)] for kind, group in zip("uy", fmu.ports, strict=True)}
    a, c = fmu.jacobian(dx, x), fmu.jacobian(names["y"], x)
    b, d = _by_inputs(fmu, dx, names["u"]), _by_inputs(fmu, names["y"], names["u"])
    solver, options, remark = _solver(fmu)
    state_names = tuple(columns({v.name: fmu.width(v) for v in states}))
    return LinearSubsystem(
        fmu.options.name, a, b, c, d, state_names, tuple(columns(fmu.input_widths)), tuple(columns(fmu.output_widths)),
        solver, options, None, remark,
    )  # fmt: skip


def _by_inputs(fmu: Fmu, unknowns: list[str], known: list[str]) -> Matrix:
    """Return derivatives by all inputs; by those that jump they are zero."""
    found = fmu.jacobian(unknowns, known) if known else np.zeros((0, 0))
    made = np.zeros(
        (sum(fmu.width(fmu.description.by_name[name]) for name in unknowns), sum(fmu.input_widths.values()))
    )
    places, column = offsets(fmu.input_widths), 0
    for name in known:
        width = fmu.input_widths[name]
        made[:, places[name] : places[name] + width] = found[:, column : column + width]
        column += width
    return made


def _solver(fmu: Fmu) -> tuple[str, dict[str, float], str]:
    if fmu.kind == MODEL_EXCHANGE:
        chosen = fmu.options.chosen_solver
        return "ode45" if chosen == "auto" else chosen, dict(fmu.options.solver_options), ""
    remark = "the error of its own solver is neglected"
    return ("held", {}, remark) if fmu.input_style == "start" else ("ode45", _EXACT, remark)
