"""A second run of the same system with smaller steps, from which the error of the first is estimated.

Nothing of the first run is changed: models written in Python are copied, sampled subsystems keep their steps, who
waits for whom stays the same, and steps that a solver or a pace has chosen are divided one by one.
"""

from __future__ import annotations

import copy
import time
import warnings
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from .._common.ports import columns
from .._common.provided import provided
from ..errors import CounterpointError, SetupError
from ..pace import Step
from ..pace._contract import as_pace
from ..pace._kinds import Controlled, Fixed, Gradient, RealTime, Table
from ..quality import CoupledMode, CoupledModes, SecondRun
from ..quality.judged import judged
from ..quality.remedies import OTHER_SOLVER
from ..subsystems import NativeSubsystem
from ..windows import Window
from .adapting import CHANGED
from .coupling_notes import coupling_text, sampled_subsystems
from .event_plan import events_before
from .events import quietly
from .expected_time import expected_seconds, rounded_share
from .host_ports import HostPorts
from .inner_solvers import inside
from .options import RunOptions
from .pacing import joins_common_pace
from .plan import waiting
from .precedence import custom, to_scheme
from .unresolved import unresolved_sources

if TYPE_CHECKING:
    from ..results import Result
    from ..system import Participant, System

BUDGET_SECONDS = 3.0
BUDGET_SHARE = 0.25
"""Time that a second run may take without a request: so many seconds, or this share of the first run if that is
more. A longer one covers the beginning of the run only. Expected times follow from the work of the run."""
LATE = 3.0
"""Changes that may help are tried until so many times this time has passed, whatever the expected time was."""
COST = 1.1
"""Expected time of a second run over that of the first, per part of a step."""
TRIALS = 20
"""So many times the steps of a run have to fit into the budget before changes are tried that may help."""
LARGEST_MAP = 100
"""Rows of the map of one period up to which modes are looked for: a few hundredths of a second."""
MOST_VALUES = 20_000_000
"""Numbers that a second run keeps, 160 MB, before it leaves out the outputs that nothing reads."""
TIGHTER = 4.0
"""Factor between the tolerances of the two runs for each halving of steps, where a pace keeps a tolerance."""

_ODD_PARTS = 3.7
"""Into so many parts no step can be divided that has to be a multiple of another one."""


@dataclass(frozen=True)
class Unchecked:
    """Checker of a run whose check is switched off; has no models."""

    text: str

    def __call__(self, first: Result) -> SecondRun:
        """Return why there is no second run."""
        return SecondRun(reason="the check was switched off (check='off')")

    def coupling(self) -> str:
        """Return the notes on connections for a run file."""
        return self.text


@dataclass(frozen=True)
class Checker:
    """Makes the second run of a system when the verdict is read."""

    system: System
    options: RunOptions
    run: Callable[[System, RunOptions], Result]

    @classmethod
    def of(cls, system: System, options: RunOptions, run: Callable[[System, RunOptions], Result]) -> Checker:
        """Return a checker for the system as it is now, whatever is done with it later."""
        kept = object.__new__(type(system))
        kept.__dict__ = {
            key: value.copy() if isinstance(value, dict | list) else value for key, value in system.__dict__.items()
        }
        return cls(kept, options, run)

    def __call__(self, first: Result) -> SecondRun:
        """Return the second run, or why there is none, and what the coupling does to the linearised system."""
        with quietly():
            began = time.monotonic()
            second = self._second(first)
            found = replace(second, helps=self._helps(first, second, began), modes=self._modes(first))
            return replace(found, seconds=time.monotonic() - began)

    def _helps(self, first: Result, second: SecondRun, began: float) -> str:
        """Return the change that helps where the run is not trustworthy and there is time to try some."""
        until = inf if self.options.check == "on" else began + LATE * self._budget(first)
        if self.options.check != "on" and not self._has_time_for(first, TRIALS):
            return ""
        from .remedy_trials import tried_remedy  # which makes runs by means of a checker

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return tried_remedy(self, first, second, until)
        except Exception:  # of a user's model that is run in another way than it was written for
            return ""

    def _modes(self, first: Result) -> CoupledModes | None:
        """Return the coupled modes where every subsystem knows its linear model and steps are fixed."""
        parts = self.system.subsystems.values()
        quick = all(part.subsystem.linear_model is not None and part.step is not None for part in parts)
        if not quick or self.options.pace is not None or self.options.host is not None:
            return None
        if any(CHANGED in event.text for event in first.summary.events):
            return None  # the approximations that would be probed were not kept
        try:
            linearise, analyse = provided("linearise"), provided("quick_stability")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                linear = linearise(
                    self.system, approximation=self.options.approximation, scheme=self.options.scheme, try_steps=False
                )
                found = analyse(linear, self.options.scheme, window=self.options.window, most_rows=LARGEST_MAP)
        except Exception:  # whatever keeps a model from being linearised is no problem of the run
            return None
        if found is None:
            return None
        span = first.end - first.start
        modes = [_coupled(mode, span) for mode in found.modes if mode.exact.imag >= 0]
        return CoupledModes(found.margin, found.growth_rate - found.exact_growth, tuple(modes))

    def _second(self, first: Result) -> SecondRun:
        why = self.reason_against(first)
        if why:
            return SecondRun(reason=why)
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._run(first, began)
        except CounterpointError as error:
            return SecondRun(reason=f"the second run with smaller steps failed: {error}", failed=True)
        except Exception as error:  # of a user's model that cannot be copied or started again
            return SecondRun(
                reason=f"the second run with smaller steps failed: {type(error).__name__}: {error}", failed=True
            )

    def coupling(self) -> str:
        """Return the notes on connections for a run file."""
        return coupling_text(self.system, self.options)

    def reason_against(self, first: Result) -> str:
        """Return why no second run is made; empty when it can be."""
        options = self.options
        if first.status != "finished" or not first.end > first.start:
            return f"the run is {first.status}"
        if options.real_time is not None or isinstance(options.pace, RealTime):
            return "the run kept to the wall clock"
        for name, part in self.system.subsystems.items():
            if isinstance(part.subsystem, HostPorts):
                return f'the host "{name}" steps by itself'
            if not part.subsystem.repeatable:
                return f'"{name}" is another program, which may not be started again'
        return ""

    def _run(self, first: Result, began: float) -> SecondRun:
        kept = sampled_subsystems(self.system, self.options)
        own = self._undivided(_ODD_PARTS)
        if not self.system.connections and own.keys() >= self.system.subsystems.keys() - kept:
            names = ", ".join(f'"{name}"' for name in own)
            return SecondRun(
                reason=f"{names} computes with a fixed step of its own, so smaller steps do not show its error",
                remedy=OTHER_SOLVER,
            )
        parts, share = self._extent(first)
        undivided = self._undivided(parts)
        if undivided and parts > 2 and not self._undivided(2):
            parts, undivided = 2, {}
        if undivided.keys() >= self.system.subsystems.keys() - kept:
            return SecondRun(reason="; ".join(undivided.values()), remedy=OTHER_SOLVER)
        kept |= undivided.keys()
        until = first.start + share * (first.end - first.start)
        result = self.divided(first, parts, until, kept)
        halfway = self.divided(first, 2, until, kept) if parts > 2 and self._has_time_for(first, 6) else None
        seconds = time.monotonic() - began
        of_boxes = inside(self.system, first.end - first.start)
        return SecondRun(
            result, parts, share, tuple(sorted(kept)), seconds=seconds, halfway=halfway, unchecked=self._unchecked(),
            between_steps=tuple(name for name, part in self.system.subsystems.items() if _is_line(part)),
            boxes=tuple(name for name, part in self.system.subsystems.items() if part.subsystem.solves_inside),
            unstable_inside=of_boxes.unstable, inside=of_boxes.text,
            unresolved=tuple(n for n in unresolved_sources(self.system, first.start, until, parts) if n not in kept),
        )  # fmt: skip

    def _unchecked(self) -> tuple[str, ...]:
        """Return the subsystems with solvers of their own, where nothing but signals without inputs enters them."""
        parts = {name: part.subsystem for name, part in self.system.subsystems.items()}
        heard = {source.partition(".")[0] for c in self.system.connections for source in c.sources}
        boxes = [name for name, subsystem in parts.items() if subsystem.solves_inside]
        others = [subsystem for name, subsystem in parts.items() if name not in boxes]
        alone = not heard & set(boxes) and not any(subsystem.input_widths for subsystem in others)
        return tuple(boxes) if alone else ()

    def divided(self, first: Result, parts: int, until: float, kept: frozenset[str]) -> Result:
        """Run the system to a time (s) with steps divided into parts, but for those that keep them."""
        system = copy.copy(self.system)
        together = _members(self.system, self.options)
        system.subsystems = {
            name: _divided(part, parts, name in kept or (name in together and part.step is None), _times(first, name))
            for name, part in self.system.subsystems.items()
        }
        system.events = events_before(self.system, until)
        common = _tightened(self.options.pace, parts, _times(first, together[0]) if together else [])
        options = replace(
            self.options,
            until=until,
            scheme=self._scheme(first),
            pace=common,
            step_parts=parts,
            window=_divided_window(self.options.window, parts),
            file=None,
            progress=False,
            metadata=None,
            record=self._recorded(first, parts),
            record_every=None,
            check="off",
            energy_correction="off",  # the system has its corrections already
            adapt=False,
        )
        return self.run(system, options)

    def _recorded(self, first: Result, parts: int) -> list[str] | None:
        """Return what is compared: what the run is judged by, and the other outputs where there is room; None: all."""
        if self._unchecked():
            return None
        outputs = {
            name: [port for port in part.subsystem.output_widths if port not in part.subsystem.minor_outputs]
            for name, part in self.system.subsystems.items()
        }
        needed = judged(outputs, [source for c in self.system.connections for source in c.sources])
        layout = first.layout.subsystems
        if parts * sum(len(first.row_times(entry.name)) * len(entry.columns) for entry in layout) > MOST_VALUES:
            return needed or None
        kept = {entry.name: set(entry.columns) for entry in layout}
        widths = {name: part.subsystem.output_widths for name, part in self.system.subsystems.items()}
        others = [
            f"{name}.{port}"
            for name, ports in outputs.items()
            for port in ports
            if kept.get(name, set()).intersection(columns({port: widths[name][port]}))
        ]
        return list(dict.fromkeys(needed + others)) or None

    def _undivided(self, parts: float) -> dict[str, str]:
        """Return the subsystems whose fixed steps cannot be divided into so many parts, and why."""
        told = {}
        for name, part in self.system.subsystems.items():
            if part.step is None or part.pace is not None:
                continue
            always = set(part.subsystem.step_problems(part.step, inf))
            new = [text for text in part.subsystem.step_problems(part.step / parts, inf) if text not in always]
            if new:
                told[name] = f'"{name}" cannot make smaller steps: {new[0].partition("; ")[0]}'
        return told

    def _extent(self, first: Result) -> tuple[int, float]:
        """Return into how many parts steps are divided, and how much of the run is repeated."""
        if self._has_time_for(first, 4):
            return 4, 1.0
        if self.options.check == "on" or self._has_time_for(first, 2):
            return 2, 1.0
        return 2, rounded_share(self._budget(first) / (2 * COST * expected_seconds(self.system, first)))

    def _has_time_for(self, first: Result, times: int) -> bool:
        """Whether so many times the steps of a run fit into the budget."""
        return not times * COST * expected_seconds(self.system, first) > self._budget(first)

    def _budget(self, first: Result) -> float:
        return max(BUDGET_SECONDS, BUDGET_SHARE * expected_seconds(self.system, first))

    def _scheme(self, first: Result) -> Any:
        """Return who waits for whom as it was: with other steps a scheme could order the subsystems otherwise."""
        window = self.options.window
        of_scheme = isinstance(window, Window) and (window.compound is not None or window.estimate is not None)
        if self.options.host is not None or self.options.pace is not None or of_scheme:
            return self.options.scheme
        scheme, start = to_scheme(self.options.scheme), float(self.options.start)
        return custom(waiting(self.system, scheme, start, first.end - first.start))


def _coupled(mode: Any, span: float) -> CoupledMode:
    """Return what a mode of the stability analysis has become at the end of a run."""
    return CoupledMode(mode.frequency, mode.amplitude(span), mode.phase(span), mode.exact.real, mode.left(span))


def _times(first: Result, name: str) -> list[float]:
    """Return the times at which a subsystem has published, each once."""
    times = first.row_times(name).tolist()
    return [t for k, t in enumerate(times) if k == 0 or t > times[k - 1]]


def _members(system: System, options: RunOptions) -> list[str]:
    """Return the subsystems whose steps the pace of a run has chosen."""
    if options.pace is None or isinstance(options.pace, Fixed):
        return []
    return [name for name, part in system.subsystems.items() if joins_common_pace(part)]


def _divided(part: Participant, parts: int, keeps: bool, times: list[float]) -> Participant:
    """Return a subsystem with its steps divided, unless it keeps them or others choose them."""
    subsystem = part.subsystem if part.subsystem.copied_for_runs else copy.deepcopy(part.subsystem)
    kept = replace(part, subsystem=subsystem)
    if keeps or _is_table(part.subsystem):
        return kept
    if part.pace is not None:
        return replace(kept, pace=_tightened(part.pace, parts, times), step=_part(part.step, parts))
    if part.step is not None:
        return replace(kept, step=part.step / parts)
    if len(times) < 2:
        return kept
    return replace(
        kept,
        step=(times[1] - times[0]) / parts,
        pace=as_pace(_dividing(times, parts)),
        typical_step=_part(part.typical_step, parts),
    )


def _is_line(part: Participant) -> bool:
    """Whether the signals of a subsystem without inputs are lines between steps that depend on its states only."""
    return part.step is None and part.pace is None and part.subsystem.long_steps and not part.subsystem.inputs


def _is_table(subsystem: object) -> bool:
    """Whether a subsystem steps from row to row of a table: between them its lines are exact."""
    return isinstance(subsystem, NativeSubsystem) and subsystem.kind == "table"


def _part(step: float | None, parts: int) -> float | None:
    return None if step is None else step / parts


def _dividing(times: list[float], parts: int) -> Callable[[Step], float]:
    """Return a pace whose steps divide those that were made at the same time."""

    def divide(step: Step) -> float:
        k = min(max(bisect_right(times, step.t * (1 + 1e-12)), 1), len(times) - 1)
        return (times[k] - times[k - 1]) / parts

    return divide


def _tightened(pace: object, parts: int, times: list[float]) -> Any:
    """Return a pace with smaller steps, or with a tighter tolerance; `times` (s): where its steps ended."""
    if pace is None:
        return None
    if isinstance(pace, Fixed):
        return replace(pace, step=pace.step / parts)
    if isinstance(pace, Table):
        return replace(pace, steps=tuple(step / parts for step in pace.steps))
    if isinstance(pace, Controlled | Gradient) and pace.tolerance is not None:
        limits = replace(
            pace.limits,
            first=_part(pace.limits.first, parts),
            smallest=_part(pace.limits.smallest, parts),
            largest=_part(pace.limits.largest, parts),
        )
        return replace(pace, tolerance=pace.tolerance / TIGHTER ** (parts // 2), limits=limits)
    if len(times) < 2:
        raise SetupError(f"the steps of the pace {pace} cannot be divided")
    return as_pace(_dividing(times, parts))


def _divided_window(window: Any, parts: int) -> Any:
    if window is None or window.length is None:  # without a length it follows the longest step
        return window
    return replace(window, length=float(window.length) / parts)
