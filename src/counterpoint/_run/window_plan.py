"""Windows of a run as the core takes them, and what is said of those that did not converge."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .._common.numbers import is_number
from .._common.ports import columns
from ..errors import SetupError, SolverError, WindowWarning
from ..windows import Window
from .approximation_choice import chosen_approximation
from .connection_units import level_of_the_caller
from .coupling_notes import is_held
from .options import RunOptions

if TYPE_CHECKING:
    from ..linearisation import LinearisedSystem
    from ..results import Result
    from ..system import System
    from .plan import Plan

_METHODS = {
    "none": _core.Acceleration.none, "aitken": _core.Acceleration.aitken, "anderson": _core.Acceleration.anderson,
    "iqn-ils": _core.Acceleration.iqn_ils, "newton": _core.Acceleration.newton,
}  # fmt: skip
_FAILING = {
    "warn": _core.WhenNotConverged.go_on, "cut": _core.WhenNotConverged.cut, "stop": _core.WhenNotConverged.stop,
}  # fmt: skip


def with_window(system: System, options: RunOptions) -> RunOptions:
    """Return the options with a window that has a length: the longest fixed step where none is given."""
    window = options.window
    if not isinstance(window, Window) or window.length is not None:
        return options
    longest = max(fixed_steps(system).values(), default=None)
    return replace(options, window=replace(window, length=longest))


def fixed_steps(system: System) -> dict[str, float]:
    """Return the fixed steps of a system, s."""
    return {
        name: float(part.step)
        for name, part in system.subsystems.items()
        if part.step is not None and is_number(part.step) and part.step > 0.0
    }


def fast_members(system: System, window: Window) -> list[str]:
    """Return the subsystems that a compound step refines."""
    if window.compound is None or window.length is None:
        return []
    shorter = [name for name, step in fixed_steps(system).items() if step < window.length * (1.0 - 1e-9)]
    return list(window.fast) or shorter


def compound_paces(
    system: System, options: RunOptions, until: float, tolerance: float
) -> dict[str, tuple[float, _core.CompoundPace]]:
    """Return step and pace of those that a compound step refines."""
    if options.window is None:
        return {}
    steps = fixed_steps(system)
    return {
        name: (steps[name], _core.CompoundPace(float(options.start), until, steps[name], tolerance))
        for name in fast_members(system, options.window)
    }


def core_window(system: System, plan: Plan, window: Window) -> _core.WindowSpec:
    """Return a window as the core takes it."""
    assert window.length is not None
    spec = _core.WindowSpec()
    spec.length = float(window.length)
    spec.repeats = window.repeats
    spec.tolerance = float(window.tolerance or 0.0)
    spec.centred = window.stencil == "centred"
    spec.method = _METHODS[window.acceleration]
    spec.relaxation = float(window.relaxation)
    spec.reused_windows = window.reuse
    spec.failing = _FAILING[window.when_not_converged]
    spec.unit = _unit(system, spec.length)
    for name, (step, pace) in plan.compound.items():
        mixed = window.compound == "mixed"
        share = step / spec.length if mixed else float(window.compound or 1.0)
        spec.add_fast(plan.names.index(name), share, pace, step if mixed else 0.0)
    if window.derivatives is not None:
        _give_derivatives(spec, plan, window.derivatives)
    return spec


def _give_derivatives(spec: _core.WindowSpec, plan: Plan, derivatives: LinearisedSystem) -> None:
    if tuple(derivatives.models) != plan.names:
        raise SetupError(
            f"window.derivatives: of the subsystems {', '.join(derivatives.models)}; expected those of this system, "
            f"{', '.join(plan.names)}"
        )
    waiting = {(connection.source, connection.target) for connection in plan.connections if connection.waits}
    answer, signals = derivatives.answer_of_pass(waiting)
    places = [(plan.names.index(name), column) for name, column in signals]
    a, b, c, d = (np.asfortranarray(part) for part in (answer.A, answer.B, answer.C, answer.D))
    spec.set_derivatives(a, b, c, d, places)


def _unit(system: System, length: float) -> float:
    """Return the longest step, where windows can be cut to multiples of it without cutting a step."""
    longest = max(fixed_steps(system).values(), default=0.0)
    if longest == 0.0:
        return 0.0
    return longest if math.isclose(round(length / longest) * longest, length, rel_tol=1e-9) else 0.0


def warn_about_held_inputs(system: System, options: RunOptions) -> list[str]:
    """Warn of inputs that know nothing of an estimated response, since they are held; return what was said."""
    window = options.window
    if window is None or window.estimate is None or window.length is None:
        return []
    steps = fixed_steps(system)
    held: dict[str, str] = {}
    for connection in system.connections:
        name, _, _ = connection.target.partition(".")
        one_step = steps.get(name, 0.0) > window.length * (1.0 - 1e-9)
        for k, source in enumerate(connection.sources):
            if is_held(system, source):
                continue
            if one_step and system.subsystems[name].subsystem.input_order == 0:
                held[connection.target] = 'inputs_at="auto"'
            elif chosen_approximation(system, connection, k, options).name == "hold behind":
                held[connection.target] = "another approximation than hold()"
    texts = [
        f"window.estimate: {target} is held from the start of a window to its end, so the estimated response has "
        f"no effect on it; use {remedy} or repeated windows"
        for target, remedy in held.items()
    ]
    for text in texts:
        warnings.warn(text, WindowWarning, stacklevel=level_of_the_caller())
    return texts


def not_converged_error(system: System, plan: Plan, window: Window, tally: _core.WindowTally) -> SolverError:
    """Return the error of a run that stopped at a window."""
    cut = f" and {tally.cuts} cuts" if tally.cuts else ""
    text = (
        f"the window that ends at t = {tally.time_of_largest:.6g} s did not converge to {window.tolerance:.2g} with "
        f"{window.repeats} repeats{cut}; {_history(system, plan, tally)}; use {_remedy(window)}"
    )
    name = plan.names[tally.participant] if tally.participant >= 0 else ""
    return SolverError(text, name, float(tally.time_of_largest))


def window_remark(system: System, plan: Plan, window: Window, tally: _core.WindowTally) -> str:
    """Return what is to be said of the windows of a run; empty when all is well."""
    if tally.not_converged:
        what = f"did not converge to {window.tolerance:.2g} with {window.repeats} repeats"
        count = tally.not_converged
    elif tally.growing:
        what = "were changed more and more by their repeats"
        if window.repeats == 1:
            what = "were changed by their repeat by more than their signals are large"
        count = tally.growing
    else:
        return ""
    return (
        f"{count} of {tally.windows} windows {what}; the worst ends at t = {tally.time_of_largest:.6g} s: "
        f"{_history(system, plan, tally)}; use {_remedy(window)}"
    )


def warn_about_windows(result: Result, remark: str) -> None:
    """Warn of windows that did not converge."""
    if remark:
        warnings.warn(remark, WindowWarning, stacklevel=level_of_the_caller())


def _history(system: System, plan: Plan, tally: _core.WindowTally) -> str:
    changes = list(tally.changes)
    shown = [f"{change:.2g}" for change in changes[:4]]
    if len(changes) > 8:
        shown.append("...")
    shown += [f"{change:.2g}" for change in changes[max(4, len(changes) - 4) :]]
    text = f"its repeats changed the interface by {', '.join(shown)}"
    if tally.participant < 0:
        return text
    name = plan.names[tally.participant]
    column = columns(system.subsystems[name].subsystem.output_widths)[tally.column]
    return f'{text}, "{name}.{column}" most'


def _remedy(window: Window) -> str:
    ways = ["shorter windows", "more repeats"]
    if window.acceleration == "none":
        ways.append('acceleration="iqn-ils"')
    elif window.relaxation == 1.0:
        ways.append("relaxation=0.5")
    if window.when_not_converged != "cut" and window.tolerance is not None:
        ways.append('when_not_converged="cut"')
    return f"{', '.join(ways[:-1])} or {ways[-1]}"
