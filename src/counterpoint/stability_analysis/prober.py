"""The map of one period, read from the scheduler itself.

A run continues from the states of all subsystems, what their multistep solvers remember, and the samples that
approximations still use. All these numbers together are the vector s; on grids that meet again after a period, every
scheme maps s to s one period later, linearly if the subsystems are linear. The prober starts a real run
(:meth:`System.run`) in the middle: each subsystem first publishes the samples that it is given, then goes on from the
state that it is given. Unit vectors give the columns of the monodromy matrix, whatever the scheme, the approximations,
the windows and the ratio of the steps are.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._common.ports import columns as scalar_names
from ..approximations import Approximation, BuiltinApproximation
from ..errors import SetupError, WindowWarning
from ..linearisation import LinearisedSystem
from ..subsystems import NativeSubsystem
from ..system import System
from .period import common_period

if TYPE_CHECKING:
    from ..windows import Window

Matrix = NDArray[np.float64]

#: Columns are probed together as long as the largest subsystem has at most this many states.
WIDEST = 96
#: A subsystem that needs more samples than this has no finite memory.
DEEPEST = 4096
#: Responses below this, relative to the samples, are rounding.
ROUNDING = 1e-10
#: Ends of steps and windows closer than this share of the shorter one are the same time.
SAME_TIME = 1e-6


@dataclass(frozen=True)
class Entry:
    """One number of the vector s.

    Attributes
    ----------
    subsystem : str
    kind : str
        ``"state"``; ``"earlier state"`` (of a multistep solver); ``"sample"`` or ``"slope"`` of an output.
    name : str
        Of the state or output.
    back : int
        How many steps ago; 0: now.
    """

    subsystem: str
    kind: str
    name: str
    back: int

    def __str__(self) -> str:
        ago = "" if self.back == 0 else f", {self.back} step{'s' if self.back > 1 else ''} ago"
        what = "" if self.kind == "state" else f"{self.kind} of "
        return f"{what}{self.subsystem}.{self.name}{ago}"


@dataclass(frozen=True)
class _Part:
    """Where the numbers of one subsystem are in s."""

    name: str
    states: int
    earlier: int  #: states that its solver remembers
    outputs: tuple[int, ...]  #: connected ones, among the scalars of all its outputs
    width: int  #: scalars of all its outputs
    depth: int  #: samples
    has_slopes: bool

    @property
    def size(self) -> int:
        kinds = 2 if self.has_slopes else 1
        return self.states + self.earlier + kinds * self.depth * len(self.outputs)


@dataclass(frozen=True)
class Pattern:
    """Steps that change from stretch to stretch, in all subsystems alike.

    Attributes
    ----------
    factors : tuple of float
        By which the steps are multiplied, one for each stretch; a stretch has as many steps as a period of fixed steps.
    past : tuple of float
        The same before the map begins, over and over again.
    """

    factors: tuple[float, ...]
    past: tuple[float, ...]

    def ends(self, step: float, stretch: float) -> Matrix:
        """Return where the steps end from the beginning on, s."""
        return _ends(self.factors, step, stretch)

    def past_ends(self, step: float, stretch: float) -> Matrix:
        """Return the same for one round of the past."""
        return _ends(self.past, step, stretch)


def _ends(factors: tuple[float, ...], step: float, stretch: float) -> Matrix:
    count = round(stretch / step)
    starts = stretch * np.concatenate([[0.0], np.cumsum(factors)[:-1]])
    made = [start + f * step * np.arange(1, count + 1) for start, f in zip(starts, factors, strict=True)]
    return np.concatenate(made)


def _cut_ends(step: float, window: float, period: float) -> Matrix:
    """Return where the steps of a period end, s: on their own grid, and where a window does."""
    own, cuts = (length * np.arange(1, round(period / length) + 1) for length in (step, window))
    near = np.min(np.abs(cuts[:, None] - own[None, :]), axis=1)
    return np.sort(np.concatenate([own, cuts[near > SAME_TIME * min(step, window)]]))


class Prober:
    """The map of one period of a linear system under a scheme.

    Parameters
    ----------
    system : LinearisedSystem
    scheme, **options
        As for :meth:`System.run`: ``window`` and whatever else a run takes.
    pattern : Pattern, optional
        How steps change from one stretch to the next; default: they do not.

    Raises
    ------
    SetupError
        The grids have no common period, or the run cannot be made.

    Examples
    --------
    >>> import counterpoint as cp
    >>> from counterpoint.linearisation import linearise
    >>> system = cp.System()
    >>> system.add("a", cp.linear([[-1]], [[1]], x0=[1], inputs="u", outputs="x", solver="ode1"), step=0.1)
    >>> system.add("b", cp.linear([[-1]], [[1]], x0=[1], inputs="u", outputs="x", solver="ode1"), step=0.1)
    >>> system.connect("a.x", "b.u", cp.hold())
    >>> system.connect("b.x", "a.u", cp.hold())
    >>> Prober(linearise(system), "parallel").matrix()[:2].round(3)
    array([[0.9, 0. , 0. , 0.1],
           [0.9, 0. , 0. , 0.1]])
    """

    def __init__(
        self, system: LinearisedSystem, scheme: Any = "slowest-first", *, pattern: Pattern | None = None, **options: Any
    ) -> None:
        self.system = system
        self.scheme, self.options = scheme, {"first_steps": "once", **options}  # the past is given, not made
        period, reason = _period(system, options.get("window")), why_no_map(system, options)
        if period is None:
            named = ", ".join(f"{name} {step:g} s" for name, step in system.steps.items())
            raise SetupError(
                f"stability: the steps have no common period: {named}; change one of them, or use stability_analysis."
                "long_run"
            )
        if reason:
            raise SetupError(f"stability: {reason}, so there is no map of one period; use stability_analysis.long_run")
        self.pattern, self._stretch = pattern, period
        self._window = _window_length(system, options.get("window"))
        self.period: float = period if pattern is None else period * sum(pattern.factors)
        self.before: float = period if pattern is None else period * sum(pattern.past)
        self._parts = self._measured_parts()
        self.entries: tuple[Entry, ...] = tuple(e for part in self._parts for e in self._entries(part))

    def of(self, system: LinearisedSystem) -> Prober:
        """Return the same for a system that differs in nothing but its numbers: what belongs to s is known then."""
        made = copy(self)
        made.system = system
        return made

    @property
    def size(self) -> int:
        """Length of the vector s."""
        return sum(part.size for part in self._parts)

    @property
    def linear(self) -> bool:
        """Whether columns may be probed together: what a run does with one does not depend on the others."""
        plain = (
            getattr(self.options.get("window"), "tolerance", None) is None
        )  # else columns decide on repeats together
        approximations = (a for c in self.system.connections for a in c.approximations)
        return plain and all(map(_acts_by_component, approximations))

    def matrix(self) -> Matrix:
        """Return the monodromy matrix M of s+ = M s, shape (size, size)."""
        return self.apply(np.eye(self.size))

    def apply(self, vectors: Matrix) -> Matrix:
        """Return where the scheduler takes vectors s in one period; one vector, or several as columns."""
        given = vectors.reshape(self.size, math.prod(vectors.shape[1:]))
        made = self._together(given) if self.linear else self._one_by_one(given)
        return np.hstack([np.zeros((self.size, 0)), *made]).reshape(vectors.shape)

    def _together(self, given: Matrix) -> list[Matrix]:
        largest = max(max(len(model.A), 1) for model in self.system.models.values())
        width = max(1, WIDEST // largest)
        return [self._apply(given[:, k : k + width]) for k in range(0, given.shape[1], width)]

    def _one_by_one(self, given: Matrix) -> list[Matrix]:
        """Probe beside a motion in which every signal has a size: tolerances of windows are relative to it."""
        beside = np.random.default_rng(2).standard_normal((self.size, 1))
        there = self._apply(beside)
        return [self._apply(beside + given[:, k : k + 1]) - there for k in range(given.shape[1])]

    # One run

    def _apply(self, given: Matrix) -> Matrix:
        depth = {part.name: part.depth for part in self._parts}
        pasts, position = {}, 0
        for part in self._parts:
            pasts[part.name] = self._past(part, given[position : position + part.size])
            position += part.size
        probed, _ = self._run(pasts, depth)
        return np.vstack([self._read(part, probed[part.name], given.shape[1]) for part in self._parts])

    def _past(self, part: _Part, given: Matrix) -> _Past:
        k = given.shape[1]
        n, e, width = part.states, part.earlier, part.width
        values, slopes = np.zeros((2, part.depth, width, k))
        count = part.depth * len(part.outputs)
        outputs = list(part.outputs)
        values[:, outputs] = given[n + e : n + e + count].reshape(part.depth, -1, k)
        if part.has_slopes:
            slopes[:, outputs] = given[n + e + count :].reshape(part.depth, -1, k)
        return _Past(given[:n], given[n : n + e], values, slopes)

    def _read(self, part: _Part, probed: _core.ProbedSubsystem, k: int) -> Matrix:
        state = [np.reshape(probed.state, (-1, k))[: part.states], np.reshape(probed.earlier_states, (-1, k))]
        rows = np.asarray(probed.published())[-part.depth :, 1:].reshape(part.depth, 2, part.width, k)
        kinds = 2 if part.has_slopes else 1
        samples = [rows[:, kind][:, list(part.outputs)].reshape(-1, k) for kind in range(kinds)]
        return np.vstack([*state, *samples])

    def _run(self, pasts: dict[str, _Past], depth: dict[str, int]) -> tuple[dict[str, _core.ProbedSubsystem], float]:
        """Run one period from given pasts, whose number of samples is the depth."""
        longest = max(-self._before(name, count)[0] for name, count in depth.items())
        begin = self.before * max(1, math.ceil(longest / self.before - 1e-9))  # multistep solvers have made a step
        end = begin + self.period
        system = System(self.system.name)
        probed = {}
        for name, past in pasts.items():
            probed[name], participant = self._participant(name, past, begin)
            step = self.system.steps[name]
            fixed = step if self.pattern is None else None
            system.add(name, participant, step=fixed, typical_step=step, record=False)
        self.system.connect(system, next(iter(pasts.values())).values.shape[-1])
        with without_window_remarks(self.options.get("window")):
            system.run(until=end, scheme=self.scheme, **self.options)
        return probed, begin

    def _participant(self, name: str, past: _Past, begin: float) -> tuple[_core.ProbedSubsystem, NativeSubsystem]:
        k = past.values.shape[-1]
        plain = self.system.subsystem(name, np.zeros((len(self.system.models[name].A), k)))
        count = len(past.values)
        times = begin + self._before(name, count)
        values, slopes = (np.ascontiguousarray(table.reshape(count, -1)) for table in (past.values, past.slopes))
        core = _core.probed_subsystem(
            plain._native(), times.tolist(), values, slopes, past.state.ravel().tolist() or [0.0] * k,
            past.earlier.ravel().tolist(), self._ends(name, begin),
        )  # fmt: skip
        made = NativeSubsystem(
            "probe", lambda: core, inputs=plain.input_widths, outputs=plain.output_widths,
            feedthrough=plain.feedthrough, defaults=plain.defaults, own_pace=self.pattern is not None,
        )  # fmt: skip
        return core, made

    def _before(self, name: str, count: int) -> Matrix:
        """Return the times of the last samples before the period, which begins at 0; oldest first, the last one 0."""
        step, window = self.system.steps[name], self._window
        if self.pattern is not None:
            ends = self.pattern.past_ends(step, self._stretch)
        elif window is not None:
            ends = _cut_ends(step, window, self.period)
        else:
            return -step * np.arange(count - 1.0, -1.0, -1.0)
        rounds = range(-math.ceil(count / len(ends)), 0)
        return np.concatenate([ends + k * self.before for k in rounds])[-count:]

    def _ends(self, name: str, begin: float) -> list[float]:
        if self.pattern is None:
            return []
        step = self.system.steps[name]
        past = self.pattern.past_ends(step, self._stretch)
        rounds = round(begin / self.before)
        ends = [past + k * self.before for k in range(rounds)]
        now = begin + self.pattern.ends(step, self._stretch)
        after = now + self.period  # at the end of a run the next step is asked for
        return [float(end) for end in np.concatenate([*ends, now, after])]

    # What belongs to s

    def _measured_parts(self) -> list[_Part]:
        """Find how many samples matter: as many that older ones change nothing, whatever their values are."""
        depth = {name: self._first_guess(name) for name in self.system.models}
        random = np.random.default_rng(1)
        while True:
            # Twice as many samples, of which the newer half is zero.
            pasts = {name: self._older(name, depth[name], random) for name in depth}
            probed, begin = self._run(pasts, {name: 2 * count for name, count in depth.items()})
            if not any(self._responds(core, begin) for core in probed.values()):
                break
            depth = {name: 2 * count for name, count in depth.items()}
            if max(depth.values()) > DEEPEST:
                raise SetupError("stability: approximations use samples of any age; the map of a period has no end")
        return [self._part(name, depth[name], probed[name]) for name in depth]

    def _older(self, name: str, depth: int, random: np.random.Generator) -> _Past:
        n, width = len(self.system.models[name].A), sum(self.system.outputs[name].values())
        values, slopes = np.zeros((2, 2 * depth, width, 1))
        values[:depth] = random.standard_normal((depth, width, 1))
        slopes[:depth] = random.standard_normal((depth, width, 1))
        return _Past(np.zeros((n, 1)), np.zeros((0, 1)), values, slopes)

    def _responds(self, core: _core.ProbedSubsystem, begin: float) -> bool:
        rows = np.asarray(core.published())
        later = rows[rows[:, 0] > begin + 1e-6 * self.period / max(1, len(rows))]
        return bool(np.max(np.abs(later[:, 1:]), initial=0.0) > ROUNDING) or bool(
            np.max(np.abs(core.state), initial=0.0) > ROUNDING
        )

    def _first_guess(self, name: str) -> int:
        """Return how many samples of a subsystem its connections seem to need; at least its own multistep solver's."""
        needed = 1
        for connection in self.system.connections:
            for source, approximation in zip(connection.sources, connection.approximations, strict=True):
                if source.partition(".")[0] == name:
                    needed = max(needed, self._points(name, connection.target.partition(".")[0], approximation))
        return needed

    def _points(self, source: str, target: str, approximation: Approximation) -> int:
        points = approximation._first_steps(slopes=False) + 1
        if not approximation.depends_on_step:
            return points
        return points + math.ceil(self.system.steps[target] / self.system.steps[source] - 1e-9)

    def _part(self, name: str, depth: int, core: _core.ProbedSubsystem) -> _Part:
        used = {source for connection in self.system.connections for source in connection.sources}
        scalars, position = [], 0
        for port, width in self.system.outputs[name].items():
            scalars += list(range(position, position + width)) if f"{name}.{port}" in used else []
            position += width
        n = len(self.system.models[name].A)
        return _Part(name, n, len(core.earlier_states), tuple(scalars), position, depth, core.gave_slopes)

    def _entries(self, part: _Part) -> list[Entry]:
        model = self.system.models[part.name]
        outputs = scalar_names(self.system.outputs[part.name])
        made = [Entry(part.name, "state", state, 0) for state in model.states]
        made += [Entry(part.name, "earlier state", model.states[k % part.states], 1 + k // part.states)
                 for k in range(part.earlier)]  # fmt: skip
        for kind in ("sample", "slope") if part.has_slopes else ("sample",):
            made += [
                Entry(part.name, kind, outputs[k], part.depth - 1 - row)
                for row in range(part.depth)
                for k in part.outputs
            ]
        return made


@dataclass(frozen=True)
class _Past:
    """Where one subsystem comes from: its state and earlier states (rows x columns), its samples, oldest first."""

    state: Matrix
    earlier: Matrix
    values: Matrix  #: (samples, scalars of all outputs, columns)
    slopes: Matrix


def _window_length(system: LinearisedSystem, window: Window | str | None) -> float | None:
    """Return the length of windows, s; those without a length have that of the longest step."""
    if window is None:
        return None
    length = getattr(window, "length", None)
    return max(system.steps.values()) if length is None else float(length)


def _period(system: LinearisedSystem, window: Window | str | None) -> float | None:
    """Return the common period of steps and windows, s."""
    length = _window_length(system, window)
    return common_period([*system.steps.values()] + ([] if length is None else [length]))


def why_no_map(system: LinearisedSystem, options: Mapping[str, Any]) -> str:
    """Return why there is no (linear) map of a period under options of a run, or nothing.

    Its grids may never meet, or not within a time that is short enough. Lines that begin where the input was at the end
    of the step before (``cp.transition``) follow from the samples alone only if all passes of a window agree. What
    chooses by the values of the samples is not linear; where all passes agree and see both sides, nothing is chosen.
    """
    window = options.get("window")
    if _period(system, window) is None:
        return "the steps have no common period"
    converges = window is None or (
        getattr(window, "tolerance", None) is not None and getattr(window, "compound", None) is None
    )
    names = {a.name for c in system.connections for a in c.approximations}
    if not converges and any(name.startswith("transition") for name in names):
        return "what a transition begins with in a window is what the pass before has read"
    chooses = window is None or not converges or getattr(window, "stencil", None) != "centred"
    if chooses and any(name.startswith("variable order") for name in names):
        return "a variable order is chosen by the samples themselves, which is not linear"
    if options.get("energy_correction") == "dissipate" or any(name.startswith("energy-dissipating") for name in names):
        return "energy is corrected on one side only, which is not linear"
    return ""


@contextmanager
def without_window_remarks(window: Window | str | None) -> Iterator[None]:
    """Ignore what a run says of windows that are repeated a given number of times: unit histories are like no signal.

    Their map is what the repeats make of them, whether they converge or not. With a tolerance it is another one.
    """
    with warnings.catch_warnings():
        if getattr(window, "tolerance", None) is None:
            warnings.simplefilter("ignore", WindowWarning)
        yield


def _acts_by_component(approximation: Approximation) -> bool:
    return isinstance(approximation, BuiltinApproximation) and not approximation.name.startswith("variable")
