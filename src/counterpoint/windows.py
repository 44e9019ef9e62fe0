"""Windows: time intervals that a run repeats, so that extrapolated values are interpolated in the next pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast, get_args

from ._common.numbers import MOST_REPEATS, is_number, is_whole
from .errors import SetupError
from .units import time_at

if TYPE_CHECKING:
    from .linearisation import LinearisedSystem

Stencil = Literal["one-sided", "centred"]
"""Which samples a repeat takes: the first one ahead and those before it, or as many ahead as behind."""
Acceleration = Literal["none", "aitken", "anderson", "iqn-ils", "newton"]
"""Which values a repeat reads: those of the pass before, or an estimate of the converged ones."""
WhenNotConverged = Literal["warn", "cut", "stop"]
"""What a run does with a window that does not converge."""

REPEAT_ONCE = "repeat-once"
"""Short for a predictor and one corrector: windows of the longest step, repeated once, with centred stencils."""
ITERATIONS = 50
"""Repeats, at most, where a tolerance ends them."""
MOST_ORDER = 8
"""Of an estimated response."""
TOLERANCE = 1e-8
"""Default for accelerated iterations and compound steps."""


@dataclass(frozen=True)
class Window:
    """How a run is divided into windows and how often each is repeated; created by :func:`window`.

    Attributes
    ----------
    length : float or None
        Length of a window, s. None: the longest fixed step of the system.
    repeats : int
        Passes after the first, at most.
    tolerance : float or None
        Stop when a repeat changes the interface by less than this, relative to the size of each signal.
        None: always ``repeats`` repeats.
    stencil : str
        ``"centred"``: repeats use as many samples ahead of a time as behind it; ``"one-sided"``: the first one ahead
        and those before it.
    acceleration : str
        ``"none"``, ``"aitken"``, ``"anderson"``, ``"iqn-ils"`` or ``"newton"``.
    relaxation : float
        Fraction of the change that the first repeats of an accelerated iteration apply.
    reuse : int
        Number of earlier windows whose passes ``"iqn-ils"`` and ``"newton"`` use.
    when_not_converged : str
        ``"warn"``, ``"cut"`` or ``"stop"``.
    compound : float, "mixed" or None
        For :func:`compound_fast`: fraction of the window that fast subsystems cover with one step.
    fast : tuple of str
        The fast subsystems; empty: those with a step shorter than the window.
    estimate : int or None
        For :func:`estimated_response`: order of the estimate; such windows are not repeated.
    derivatives : LinearisedSystem or None
        For ``"newton"``: derivatives of the subsystems. None: they are measured in additional passes.
    """

    length: float | None = None
    repeats: int = 1
    tolerance: float | None = None
    stencil: Stencil = "one-sided"
    acceleration: Acceleration = "none"
    relaxation: float = 1.0
    reuse: int = 8
    when_not_converged: WhenNotConverged = "warn"
    compound: float | Literal["mixed"] | None = None
    fast: tuple[str, ...] = ()
    estimate: int | None = None
    derivatives: LinearisedSystem | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        problems = [*self._problems_of_numbers(), *self._problems_of_words()]
        if problems:
            raise SetupError(problems)

    def _problems_of_numbers(self) -> Iterator[str]:
        if self.length is not None and (not is_number(self.length) or self.length <= 0.0):
            yield f"window.length: {self.length!r}; expected a positive number of seconds"
        if not is_whole(self.repeats, 1, MOST_REPEATS):
            yield f"window.repeats: {self.repeats!r}; expected an integer of at least 1 and at most {MOST_REPEATS}"
        if self.tolerance is not None and (not is_number(self.tolerance) or self.tolerance <= 0.0):
            yield f"window.tolerance: {self.tolerance!r}; expected a positive number or None"
        if not is_number(self.relaxation) or not 0.0 < self.relaxation <= 2.0:
            yield f"window.relaxation: {self.relaxation!r}; expected a number above 0, at most 2"
        if not is_whole(self.reuse, 0, MOST_REPEATS):
            yield f"window.reuse: {self.reuse!r}; expected an integer of at least 0"
        if self.estimate is not None and not is_whole(self.estimate, 1, MOST_ORDER):
            yield f"window.estimate: {self.estimate!r}; expected an integer from 1 to {MOST_ORDER}"
        share = self.compound
        if share is not None and share != "mixed" and (not is_number(share) or not 0.0 < share <= 1.0):
            yield f'window.compound: {share!r}; expected a number above 0, at most 1, or "mixed"'

    def _problems_of_words(self) -> Iterator[str]:
        if self.stencil not in get_args(Stencil):
            yield f'window.stencil: {self.stencil!r}; expected "one-sided" or "centred"'
        if self.acceleration not in get_args(Acceleration):
            words = ", ".join(f'"{word}"' for word in get_args(Acceleration))
            yield f"window.acceleration: {self.acceleration!r}; expected one of {words}"
        elif self.acceleration != "none" and self.tolerance is None:
            yield "window.tolerance: is missing; an accelerated iteration needs one, 1e-8 for example"
        if self.derivatives is not None and self.acceleration != "newton":
            yield f'window.derivatives: no effect with acceleration="{self.acceleration}"; expected "newton"'
        elif self.derivatives is not None and not hasattr(self.derivatives, "answer_of_pass"):
            yield f"window.derivatives: {self.derivatives!r}; expected what cp.linearise(system) returns"
        if self.when_not_converged not in get_args(WhenNotConverged):
            yield f'window.when_not_converged: {self.when_not_converged!r}; expected "warn", "cut" or "stop"'
        elif self.when_not_converged != "warn" and self.tolerance is None:
            yield "window.tolerance: is missing; it decides when a window has converged"

    def __str__(self) -> str:
        often = "once" if self.repeats == 1 else f"{self.repeats} times"
        until = "" if self.tolerance is None else f", or until it changes less than {self.tolerance:g}"
        centred = " with centred stencils" if self.stencil == "centred" else ""
        faster = "" if self.acceleration == "none" else f", {self.acceleration}"
        if self.derivatives is not None:
            faster += " with derivatives of the models"
        length = "windows of the longest step" if self.length is None else f"windows of {self.length:g} s"
        if self.estimate is not None:
            return f"{length}, not repeated, with estimated responses of order {self.estimate}"
        compound = "" if self.compound is None else f", compound steps ({_compound_text(self.compound)})"
        return f"{length}, repeated {often}{centred}{until}{faster}{compound}"


def _compound_text(share: float | str) -> str:
    return "mixed" if share == "mixed" else "whole" if share == 1.0 else f"share {share:g}"


def window(
    length: float | str | None = None,
    repeats: int | None = None,
    tolerance: float | None = None,
    stencil: Stencil = "one-sided",
    *,
    acceleration: Acceleration = "none",
    relaxation: float = 1.0,
    reuse: int = 8,
    when_not_converged: WhenNotConverged = "warn",
    derivatives: LinearisedSystem | None = None,
) -> Window:
    """Return windows for a run: each time interval is repeated with the samples of the previous pass.

    All subsystems run from the start of a window to its end by the scheme. Then they are restored and run again, and
    values that were extrapolated in the first pass are interpolated from its samples (waveform relaxation): Jacobi
    iteration where no subsystem waits (``"parallel"``), Gauss-Seidel iteration with the other schemes. Only the last
    pass of a window counts. All subsystems must be able to save and restore their state.

    ``window="repeat-once"`` is short for windows of the longest step, repeated once with centred stencils.

    Parameters
    ----------
    length : float or str, optional
        Length of a window in s, or with its unit, ``"2 ms"``; at least the longest fixed step, which is the default. A
        step that would go beyond the end of a window ends there; the next one returns to the subsystem's own grid.
    repeats : int, optional
        Passes after the first, at most. One is often enough: it turns an extrapolation error into an interpolation
        error, 5 times smaller with ``lagrange(1)``, 9 times with ``lagrange(2)``. Default: 1, or 50 with a tolerance.
    tolerance : float, optional
        A repeat is the last one if no extrapolated output changes by more than this anywhere in the window, relative
        to the largest absolute value of the output so far. Default with an acceleration: 1e-8.
    stencil : str
        ``"centred"``: approximations that use more than two samples use as many ahead of a time as behind it, because
        a repeat knows both. A cubic (``lagrange(3)``, ``spline()``) then has order 4 from values alone, from the
        first window on, if a window has at least three steps; ``hermite()`` with slopes has order 6. A subsystem that
        waits for another one does so until that has reached the end of the window. ``"one-sided"``: the first sample
        ahead and those before it.
    acceleration : str
        Method that proposes the values that a repeat reads, instead of those of the previous pass. It needs fewer
        repeats, and converges where plain repeats diverge. ``"aitken"``: one relaxation factor for all signals.
        ``"anderson"``, ``"iqn-ils"``: the residual is minimised over the differences of the passes of this window (and,
        for ``"iqn-ils"``, of ``reuse`` windows before it). ``"newton"``: the same with derivatives of the residual.
        These are measured in additional passes, up to four for each signal, in the first window and again when a window
        has needed many repeats; with ``derivatives`` no passes are needed.
    relaxation : float
        Fraction of the change that the first repeats of an accelerated iteration apply; below 1 if they change too
        much.
    reuse : int
        Number of earlier windows whose passes ``"iqn-ils"`` and ``"newton"`` use.
    when_not_converged : str
        If a window misses its tolerance after all repeats: ``"warn"`` (the run continues; a :class:`WindowWarning` at
        its end lists the changes of the repeats, counted in ``result.summary.windows``), ``"cut"`` (the window is
        restarted with half its length, down to the longest step; the run stops if that does not help), ``"stop"``
        (:class:`SolverError`).
    derivatives : LinearisedSystem, optional
        For ``"newton"``: what :func:`counterpoint.linearise` returns for the system. It takes exact derivatives of
        linear models, mechanisms, diagrams and equations, and directional derivatives of FMUs.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
    ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
    ...     system.add(name, mass, step=0.01)
    >>> system.connect("left.x", "right.u")
    >>> system.connect("right.x", "left.u")
    >>> result = system.run(until=1.0, scheme="parallel", window=cp.window(length=0.02, repeats=1))
    >>> result.summary.windows.count, result.summary.windows.passes
    (50, 100)
    """
    if tolerance is None and acceleration != "none":
        tolerance = TOLERANCE
    return Window(
        None if length is None else time_at("window.length", length),
        _default_repeats(repeats, tolerance),
        tolerance,
        stencil,
        acceleration,
        relaxation,
        reuse,
        when_not_converged,
        derivatives=derivatives,
    )


def compound_fast(
    length: float | str | None = None,
    share: float | Literal["mixed"] = 1.0,
    *,
    fast: Sequence[str] = (),
    repeats: int | None = None,
    tolerance: float = TOLERANCE,
    acceleration: Acceleration = "iqn-ils",
    relaxation: float = 1.0,
    reuse: int = 8,
    when_not_converged: WhenNotConverged = "warn",
) -> Window:
    """Return compound steps: an implicit step of the whole system, then a refinement of the fast subsystems.

    In each window all subsystems are iterated until they agree, the fast ones with one large step. Then the slow ones
    keep their states, and the fast ones repeat the window with their own steps and interpolated slow values.
    For ``scheme="slowest-first"``. All subsystems must be able to save and restore their state.

    Parameters
    ----------
    length : float or str, optional
        Length of the compound step, s. Default: the longest fixed step.
    share : float or "mixed"
        Fraction of the compound step that fast subsystems cover with one step: 1 is compound-fast, less is generalised
        compound-fast (the rest is extrapolated), ``"mixed"`` is mixed compound-fast: their own first step.
    fast : sequence of str
        Names of the fast subsystems. Default: those with a step shorter than ``length``.
    repeats, tolerance, acceleration, relaxation, reuse, when_not_converged
        As for :func:`window`.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("fast and slow")
    >>> for name, rate, step in (("fast", -10, 0.01), ("slow", -1, 0.1)):
    ...     part = cp.linear([[rate]], [[0.5]], [[1]], x0=[1], inputs="u", outputs="y", solver="trapezoidal")
    ...     system.add(name, part, step=step)
    >>> system.connect("fast.y", "slow.u")
    >>> system.connect("slow.y", "fast.u")
    >>> result = system.run(until=1.0, window=cp.compound_fast())
    >>> result.summary.steps
    [100, 10]
    """
    return Window(
        None if length is None else time_at("window.length", length),
        _default_repeats(repeats, tolerance),
        tolerance,
        "one-sided",
        acceleration,
        relaxation,
        reuse,
        when_not_converged,
        share,
        (fast,) if isinstance(fast, str) else tuple(fast),
    )


def estimated_response(length: float | str | None = None, order: int = 2) -> Window:
    """Return windows that are not repeated: an estimate of their end replaces the iteration.

    For subsystems that cannot save and restore their state. A linear estimate of how the outputs of each subsystem
    react to its inputs is fitted to the windows so far (least squares, at most the last 60 windows). Before each window
    the estimates of all subsystems are solved together, once, and the inputs are interpolated linearly to the solution.
    After the first windows the coupling is implicit, for linear subsystems up to the accuracy of the fit. In the first
    ``order + 4`` windows values are held; a coupling that is unstable with held values grows during these. If the
    estimate was worse than linear extrapolation, linear extrapolation is used. The method has no effect on inputs that
    are used only at the start of a step (``hold()``, FMUs with ``inputs_at="start"``); a warning names them.

    For ``scheme="parallel"``.

    Parameters
    ----------
    length : float or str, optional
        Length of a window in s; at least the longest fixed step, which is the default.
    order : int
        Number of states in the estimate of each subsystem, 1 to 8.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two tanks")
    >>> for name in ("left", "right"):
    ...     tank = cp.linear([[-3.0]], [[2.5]], [[1]], x0=[1], inputs="u", outputs="y", solver="trapezoidal")
    ...     system.add(name, tank, step=0.5)
    >>> system.connect("left.y", "right.u")
    >>> system.connect("right.y", "left.u")
    >>> result = system.run(until=10.0, scheme="parallel", window=cp.estimated_response(order=1))
    >>> result.summary.windows.passes
    20
    """
    return Window(None if length is None else time_at("window.length", length), estimate=order)


def as_window(given: Window | str | None) -> Window | None:
    """Return the window; a word is replaced by its window, and anything else is left to the checks."""
    return Window(stencil="centred") if given == REPEAT_ONCE else cast("Window | None", given)


def _default_repeats(repeats: int | None, tolerance: float | None) -> int:
    if repeats is not None:
        return repeats
    return 1 if tolerance is None else ITERATIONS
