"""What can be wrong with the paces of a run, before it and after."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .._common.numbers import is_number
from ..errors import PaceWarning, SetupError, did_you_mean
from ..pace import Limits, Pace
from ..pace._kinds import Controlled, Gradient, RealTime, Table
from ..results.store import Event
from .connection_units import level_of_the_caller
from .options import RunOptions
from .pacing import Pacing, declared_bonds, exchange_power, pacing_of, resolved_limits
from .port_table import PortTable
from .problem import Problem
from .time_resolution import step_problems

if TYPE_CHECKING:
    from ..results import Result
    from ..results.store import RunSummary
    from ..system import System

ODD_SHARE = 0.6180339887498949
"""Of a step: what a pace may choose, and what is no simple multiple of anything."""


def pace_problems(system: System, options: RunOptions, ports: PortTable) -> Iterator[Problem]:
    """Say why a system cannot run with its paces."""
    if options.real_time is not None and not (is_number(options.real_time) and options.real_time > 0.0):
        text = f"{options.real_time!r}; expected a positive number of simulated seconds per second"
        yield Problem("real_time", text)
    try:
        pacing = pacing_of(system, options)
    except SetupError as error:
        yield Problem("pace", str(error).removeprefix("pace: "))
        return
    yield from _own_paces(system, pacing)
    for name, pace in pacing.singles.items():
        where = f"subsystems.{name}.pace"
        yield from _single(where, pace)
        yield from _signals(where, system, ports, pace, name)
        yield from _lengths(where, system, (name,), pace, options)
    if pacing.common is not None:
        yield from _common(system, pacing, pacing.common, options)
        yield from _signals("pace", system, ports, pacing.common, None)
        yield from _lengths("pace", system, pacing.members, pacing.common, options)
    if options.host is not None and (pacing.common is not None or pacing.singles or pacing.factor is not None):
        yield Problem("pace", "a host chooses when the others step; give them fixed steps, or leave out the host")


def _own_paces(system: System, pacing: Pacing) -> Iterator[Problem]:
    for name in pacing.singles:
        part = system.subsystems[name]
        if part.step is None and part.subsystem.own_pace:
            yield Problem(
                f"subsystems.{name}.pace",
                "the subsystem chooses its own steps; leave out the pace, or also give it a step, the "
                "first one at which it exchanges values",
            )


def _single(where: str, pace: Pace) -> Iterator[Problem]:
    if isinstance(pace, RealTime):
        yield Problem(where, "the wall clock is for all subsystems; write run(..., real_time=1.0)")
    elif pace.for_all_only:
        yield Problem(where, f"{pace.kind} chooses the steps of all subsystems together; give it to run(..., pace=)")


def _common(system: System, pacing: Pacing, pace: Pace, options: RunOptions) -> Iterator[Problem]:
    if options.window is not None:
        yield Problem(
            "pace",
            "a pace of the run cannot be combined with windows; use cp.pace.predictor_corrector, which repeats steps, "
            "or give paces to the subsystems",
        )
    if not pacing.members:
        yield Problem("pace", "all subsystems choose their own steps or have a pace of their own; leave it out")
    for name, part in system.subsystems.items():
        if pace.saves and not part.subsystem.can_save:
            yield Problem(
                f"subsystems.{name}",
                f"cannot save and restore its state, which {pace.kind} needs; cp.pace.defect can do without",
            )
        if getattr(pace, "reject", None) and not part.subsystem.can_save:
            text = "cannot save and restore its state, which pace.reject needs; leave it out"
            yield Problem(f"subsystems.{name}", text)
        if (pace.saves or getattr(pace, "reject", None)) and name in pacing.singles:
            text = f"{pace.kind} repeats all steps; leave out the pace of the subsystem"
            yield Problem(f"subsystems.{name}.pace", text)


def _signals(where: str, system: System, ports: PortTable, pace: Pace, name: str | None) -> Iterator[Problem]:
    if isinstance(pace, Gradient) and pace.signals is None and not system.connections:
        yield Problem(f"{where}.signals", "no connected output can set the step; name the outputs")
    for signal in (pace.signals or ()) if isinstance(pace, Gradient) else ():
        yield from _leading(f"{where}.signals", system, ports, signal, name)
    if isinstance(pace, Controlled | Gradient):
        scale = pace.scale if isinstance(pace, Controlled) else {}
        for key, named in (("absolute", pace.absolute), ("scale", scale)):
            for signal in named if isinstance(named, Mapping) else ():
                yield from _place_problems(f"{where}.{key}", ports, signal)
    if isinstance(pace, Controlled) and pace.kind == "energy":
        yield from _bonds(where, system, pace)


def _place_problems(where: str, ports: PortTable, signal: str) -> Iterator[Problem]:
    try:
        ports.place(signal, "outputs")
    except SetupError as error:
        yield Problem(where, str(error))


def _leading(where: str, system: System, ports: PortTable, signal: str, name: str | None) -> Iterator[Problem]:
    missing = list(_place_problems(where, ports, signal))
    yield from missing
    if missing:
        return
    owner, _, port = signal.partition(".")
    if port in system.subsystems[owner].subsystem.constant_outputs:
        yield Problem(where, f'"{signal}" never changes, so it cannot set the step; name another output')
    if name is None or owner == name:
        return
    received = {source for c in system.connections for source in c.sources if c.target.partition(".")[0] == name}
    if signal not in received:
        text = f'"{signal}" is neither an output of "{name}" nor connected to it; connect it, or give the pace to run'
        yield Problem(where, text)


def _bonds(where: str, system: System, pace: Controlled) -> Iterator[Problem]:
    bonds = pace.bonds if pace.bonds is not None else declared_bonds(system)
    if not bonds and system.bonds:
        names = ", ".join(f'"{bond.name}"' for bond in system.bonds)
        text = f"{names}: none of them exchanges an effort and a flow unchanged, so no power can be compared"
        yield Problem(f"{where}.bonds", f"{text}; use cp.pace.defect")
    elif not bonds:
        yield Problem(f"{where}.bonds", "no power bond is declared; name the inputs for effort and flow, "
                                        'bonds=[("chassis.force", "wheel.speed")]')  # fmt: skip
    targets = [connection.target for connection in system.connections]
    for port in (port for bond in bonds for port in bond):
        if port not in targets:
            text = f'"{port}": no connection enters this input{did_you_mean(port, targets)}'
            yield Problem(f"{where}.bonds", text)
    for effort, flow in bonds:
        if {effort, flow} <= set(targets) and not exchange_power(system, effort, flow):
            text = f'"{effort}" and "{flow}" are not two outputs that two subsystems send to each other unchanged'
            yield Problem(f"{where}.bonds", f"{text}, so no power can be compared; use cp.pace.defect")


def _lengths(where: str, system: System, names: tuple[str, ...], pace: Pace, options: RunOptions) -> Iterator[Problem]:
    """Check the steps that a pace may choose against the run and the subsystems."""
    if not is_number(options.start) or (options.until is not None and not is_number(options.until)):
        return
    end = math.inf if options.until is None else float(options.until)
    span = end - float(options.start)
    if span <= 0.0:
        return
    try:
        limits = resolved_limits(pace, [system.subsystems[name] for name in names], span)
    except SetupError as error:
        yield Problem(where, str(error).removeprefix("pace."))
        return
    yield from _range(where, limits, pace, span)
    smallest = limits.smallest or limits.first
    if smallest is not None:
        for text in step_problems(smallest, float(options.start), end):
            yield Problem(f"{where}.smallest", text)
    for name in names:
        yield from _refused(where, system, name, limits)


def _range(where: str, limits: Limits, pace: Pace, span: float) -> Iterator[Problem]:
    named = {"smallest": limits.smallest, "first": limits.first}
    for key, length in named.items():
        if length is not None and math.isfinite(span) and length > span * (1.0 + 1e-9) and not isinstance(pace, Table):
            yield Problem(f"{where}.{key}", f"{length:g} s is longer than the run of {span:g} s")
    if limits.smallest is not None and limits.largest is not None and limits.smallest > limits.largest:
        text = f"{limits.smallest:g} s is longer than the largest step, {limits.largest:g} s"
        yield Problem(f"{where}.smallest", text)


def _refused(where: str, system: System, name: str, limits: Limits) -> Iterator[Problem]:
    """Find a subsystem that needs equal steps, or multiples of an inner one, and cannot follow a pace."""
    typical = limits.first or limits.smallest or 1.0
    model = system.subsystems[name].subsystem
    texts = list(model.step_problems(ODD_SHARE * typical, math.inf))
    if not texts and list(model.step_problems(ODD_SHARE * typical, typical)):
        texts = ["it needs equal steps"]
    if texts:
        yield Problem(
            where, f'changes the steps of "{name}", which it refuses ({texts[0]}); give it a fixed step: '
                   "pace=cp.pace.fixed(...)"
        )  # fmt: skip


def warn_about_paces(result: Result) -> None:
    """Warn of paces that were stuck at their smallest step, and of steps that ended later than the wall clock says."""
    for text in _remarks(result.summary, result.subsystems):
        warnings.warn(text, PaceWarning, stacklevel=level_of_the_caller())


def warn_about_standing_leads(signals: Sequence[str]) -> None:
    """Warn of leading signals that never changed, so that the pace had nothing to follow."""
    for names in signals:
        text = f'pace.signals: "{names}" never changed in this run, so all steps had the largest allowed length'
        warnings.warn(f"{text}; name another output", PaceWarning, stacklevel=level_of_the_caller())


def pace_events(summary: RunSummary) -> list[Event]:
    """Return what is said of paces in the events of a run, which may have been stopped."""
    return [Event(summary.end, pace.name, "warning", pace.stuck_text()) for pace in summary.paces if pace.is_stuck]


def _remarks(summary: RunSummary, names: list[str]) -> list[str]:
    texts = [pace.stuck_text() for pace in summary.paces if pace.is_stuck]
    late = [(name, one) for name, one in zip(names, summary.overruns, strict=False) if one.overruns]
    if late:
        name, worst = max(late, key=lambda pair: pair[1].latest)
        count, steps = sum(one.overruns for _, one in late), sum(one.steps for one in summary.overruns)
        texts.append(
            f"{count} of {steps} steps ended later than the wall clock, by up to {worst.latest:.3g} s "
            f'("{name}" at t = {worst.time_of_latest:g} s): use longer steps, a smaller real_time or a faster model'
        )
    return texts
