"""Outputs that a model does not define.

NaN stops a run at the step where it appears. Some FMUs publish outputs that they never compute, or compute only in
another configuration: NaN from the start on; others lose one that only displays use, at the end of its range. Where
nothing reads such an output, no other number depends on it, and the run continues with a warning as long as other
outputs of the subsystem are finite.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from .. import _core
from .._common.ports import offsets
from ..errors import UndefinedWarning
from .connection_units import level_of_the_caller

if TYPE_CHECKING:
    from ..results import RunLayout
    from ..system import System
    from .events import EventLog
    from .options import RunOptions
    from .plan import Plan
    from .recording import Driver


def leave_unread(spec: _core.RunSpec, system: System, options: RunOptions, paced: Container[str]) -> None:
    """Tell the core which outputs nothing reads: no connection, no condition of an event, no pace, nothing outside."""
    if options.host is not None or options.outside is not None:
        return
    read = {source for connection in system.connections for source in connection.sources}
    read |= {output for event in system.events if event.condition is not None for output in event.condition.outputs}
    for number, (name, participant) in enumerate(system.subsystems.items()):
        subsystem = participant.subsystem
        if not subsystem.may_be_undefined or name in paced:
            continue
        unread = [(f"{name}.{output}" not in read, width) for output, width in subsystem.output_widths.items()]
        if any(free for free, _ in unread):
            spec.leave_unread(number, [int(free) for free, width in unread for _ in range(width)])


def lost_outputs(layout: RunLayout, start: float, driver: Driver, log: EventLog) -> list[str]:
    """Note outputs that became NaN or infinite in the run, and return what to warn of."""
    found = []
    for number, subsystem in enumerate(layout.subsystems):
        for output, since in zip(subsystem.columns, driver.undefined_since(number), strict=False):
            if start < since < math.inf:
                text = f'{subsystem.name}: output "{output}" became NaN or infinite at t = {since:.9g} s'
                found.append(f"{text}; nothing reads it, and the run continued")
                log.add("warning", found[-1], since)
    return found


def warn_about_lost(lost: Iterable[str]) -> None:
    """Warn of what ``lost_outputs`` has found."""
    for text in lost:
        warnings.warn(text, UndefinedWarning, stacklevel=level_of_the_caller())


def warn_about_undefined(system: System, plan: Plan, driver: Driver, log: EventLog) -> None:
    """Warn of outputs that are NaN or infinite at the start: nothing reads them, else the start had failed."""
    for number, name in enumerate(plan.names):
        subsystem = system.subsystems[name].subsystem
        if not subsystem.may_be_undefined:
            continue
        values, widths = list(driver.values(number)), subsystem.output_widths
        if all(map(math.isfinite, values)):
            continue
        begins = offsets(widths)
        for output, width in widths.items():
            found = [v for v in values[begins[output] : begins[output] + width] if not math.isfinite(v)]
            if not found:
                continue
            text = f'output "{output}" is {"NaN" if math.isnan(found[0]) else "infinite"} at the start'
            text += "; nothing reads it, and the run continues"
            log.add("warning", f"{name}: {text}", plan.start)
            warnings.warn(f"{name}: {text}", UndefinedWarning, stacklevel=level_of_the_caller())
