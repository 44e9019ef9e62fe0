"""Stability of a scheme on a system, from the map of one period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import is_whole
from ..approximations import Approximation
from ..errors import MissingExtraError, SetupError
from ..linearisation import LinearisedSystem, linearise
from ..pace._kinds import Fixed
from ..system import System
from .arguments import check_options
from .long_runs import long_run, steps_needed
from .modes import Mode, match
from .prober import Prober, why_no_map
from .result import Share, Stability

if TYPE_CHECKING:
    from ..windows import Window

#: Larger maps are not formed: their largest eigenvalues are found by Arnoldi's method.
LARGEST_MATRIX = 600
#: How many eigenvalues are then found.
EIGENVALUES = 12

#: Vectors of Arnoldi's method; with few of them, multipliers that are close to each other are not found.
_BASIS = 120
#: Its restarts, at least; each makes about as many periods.
_FEWEST_RESTARTS = 8
_NO_CONVERGENCE = (
    "Arnoldi's method did not converge on the map of {0} rows, whose largest multipliers are close to each other; give "
    "largest_matrix={0} to form it"
)

#: Steps of the slowest subsystem in a long run that takes no time worth mentioning.
QUICK_STEPS = 20_000

Complex = NDArray[np.complex128]


def stability(
    system: System | LinearisedSystem,
    scheme: Any = "slowest-first",
    *,
    window: Window | str | None = None,
    approximation: Approximation | None = None,
    at: float | str = 0.0,
    largest_matrix: int = LARGEST_MATRIX,
    **options: Any,
) -> Stability:
    """Find out whether a scheme is stable on a system, before it is run.

    The system is linearised at its start. Then the scheduler itself makes one period of the coupling from unit states
    and unit histories: that gives the map of a period (monodromy matrix) of any scheme with any approximations,
    windows and steps. Its eigenvalues are compared with the exact motions of the coupled system.

    Parameters
    ----------
    system : System or LinearisedSystem
        Steps should have a common period. If they have none (or a very long one), the growth comes from a long run of
        the linearised system; there are no modes then.
    scheme, window, approximation, **options
        As for :meth:`System.run`; of its other options ``threads`` and ``energy_correction``.
    at : float or str
        Time in s, or with its unit, at which the system is linearised: where a run with the scheme is then. 0: its
        start.
    largest_matrix : int
        Maps with more rows are not formed; their largest eigenvalues are found by Arnoldi's method (needs SciPy), or
        where that does not converge, as with many motions with hardly any damping, the growth by a long run.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
    ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
    ...     system.add(name, mass, step=0.01)
    >>> system.connect("left.x", "right.u", cp.lagrange(2))
    >>> system.connect("right.x", "left.u", cp.lagrange(2))
    >>> found = cp.stability(system, "parallel")
    >>> found.stable, [round(mode.frequency, 3) for mode in found.modes if mode.exact.imag > 0]
    (False, [0.712, 0.503])
    >>> print(f"{found.growth_rate:.1e} per second")
    9.4e-06 per second
    """
    if getattr(window, "estimate", None) is not None:
        raise SetupError(
            "stability: window: estimated responses are fitted to earlier samples, so there is no map "
            "of one period; run the system instead"
        )
    check_options("stability", options)
    if not is_whole(largest_matrix, 0, 1 << 20):
        raise SetupError(f"stability: largest_matrix: {largest_matrix!r}; expected an integer of at least 0")
    linear = system
    if not isinstance(linear, LinearisedSystem):
        linear = linearise(linear, approximation=approximation, at=at, scheme=scheme)
        linear = replace(linear, remarks=(*linear.remarks, *pace_remarks(cast("System", system))))
    found = _analyse(linear, scheme, largest_matrix, options, iterate=_largest, window=window)
    assert found is not None  # what is too large for a matrix is found by Arnoldi's method
    return found


def pace_remarks(system: System, pace: object = None) -> tuple[str, ...]:
    """Return what is said of paces, that of a run and those of single subsystems: they choose other steps."""
    text = "chooses other steps than those given; see changing_pace"
    given = {"the pace of the run": pace} | {f"{name}: its pace": part.pace for name, part in system.subsystems.items()}
    return tuple(
        f"{whose}, {one}, {text}" for whose, one in given.items() if one is not None and not isinstance(one, Fixed)
    )


def quick_stability(
    linear: LinearisedSystem, scheme: Any, *, window: Window | str | None = None, most_rows: int, **options: Any
) -> Stability | None:
    """Return what :func:`stability` finds, or None where that would take seconds: large maps, very long runs."""
    return _analyse(linear, scheme, most_rows, options, iterate=None, window=window)


def _analyse(
    linear: LinearisedSystem,
    scheme: Any,
    largest_matrix: int,
    options: dict[str, Any],
    *,
    iterate: Callable[[Prober], tuple[Complex, Complex] | None] | None,
    window: Window | str | None,
) -> Stability | None:
    """Analyse a linearised system; larger maps than `largest_matrix` by an iteration, or not at all."""
    if window is not None:
        options["window"] = window
    reason = why_no_map(linear, options)
    if reason:
        if iterate is None and steps_needed(linear) > QUICK_STEPS:
            return None
        return _from_long_run(linear, scheme, options, reason)
    if not any(len(model.A) for model in linear.models.values()):
        raise SetupError(f'stability: "{linear.name}" has no states near its start: nothing in it can grow')
    prober = Prober(linear, scheme, **options)
    matrix = prober.matrix() if prober.size <= largest_matrix else None
    if matrix is not None:
        multipliers, vectors = _eigen(matrix)
    elif iterate is None:
        return None
    else:
        found = iterate(prober)
        if found is None:
            return _from_long_run(linear, scheme, options, _NO_CONVERGENCE.format(prober.size))
        multipliers, vectors = found
    modes, others, growth = _modes(linear, prober, multipliers, vectors)
    return Stability(
        linear.name, str(scheme), dict(linear.steps), prober.period, multipliers, prober.entries, matrix, tuple(modes),
        multipliers[others], _shares(prober, matrix, multipliers, vectors), linear.remarks, growth,
    )  # fmt: skip


def _from_long_run(linear: LinearisedSystem, scheme: Any, options: dict[str, Any], reason: str) -> Stability:
    """Return what a long run shows: the growth in one step of the slowest subsystem."""
    found = long_run(linear, scheme, **options)
    period = max(linear.steps.values())
    radius = np.array([np.exp(found.growth_rate * period)], dtype=complex)
    remark = f"{reason}; the growth comes from a run over {found.span:g} s and is known to {found.known_to:.2g} 1/s"
    growth = _exact_growth(linear.coupled.poles)
    return Stability(
        linear.name, str(scheme), dict(linear.steps), period, radius, (), None, (), np.zeros(0, dtype=complex), (),
        (*linear.remarks, remark), growth, tolerance=found.known_to * period,
    )  # fmt: skip


def _exact_growth(poles: Complex) -> float:
    """Return the growth of the exact system, 1/s; rounding is none."""
    fastest = float(np.max(poles.real, initial=0.0))
    return fastest if fastest > 1e-9 * float(np.max(np.abs(poles), initial=0.0)) else 0.0


def _eigen(matrix: NDArray[np.float64]) -> tuple[Complex, Complex]:
    """Return eigenvalues, the largest first, and eigenvectors."""
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order].astype(complex), vectors[:, order].astype(complex)


def _largest(prober: Prober) -> tuple[Complex, Complex] | None:
    """Return the largest eigenvalues and their eigenvectors by Arnoldi's method, one period at a time.

    None: they are too close to each other to be found in about as many periods as the map has rows.
    """
    try:
        from scipy.sparse.linalg import (  # type: ignore[import-untyped, unused-ignore]
            ArpackNoConvergence,
            LinearOperator,
            eigs,
        )
    except ImportError as error:
        raise MissingExtraError(f"A map of {prober.size} rows", "export") from error
    operator = LinearOperator((prober.size, prober.size), matvec=prober.apply, dtype=np.float64)
    first = np.random.default_rng(1).standard_normal(prober.size)  # the same at every call
    wanted, basis = min(EIGENVALUES, prober.size - 2), min(_BASIS, prober.size)
    most = max(_FEWEST_RESTARTS, prober.size // _BASIS)
    try:
        values, vectors = eigs(operator, k=wanted, ncv=basis, which="LM", v0=first, maxiter=most)
    except ArpackNoConvergence:
        return None
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order], vectors[:, order]


def _modes(
    linear: LinearisedSystem, prober: Prober, multipliers: Complex, vectors: Complex
) -> tuple[list[Mode], list[int], float]:
    exact, shapes = np.linalg.eig(linear.coupled.A)
    states = [k for k, entry in enumerate(prober.entries) if entry.kind == "state"]
    modes, others = match(exact.astype(complex), shapes.astype(complex), multipliers, vectors[states], prober.period)
    return modes, others, _exact_growth(exact.astype(complex))


def _shares(
    prober: Prober, matrix: NDArray[np.float64] | None, multipliers: Complex, vectors: Complex
) -> tuple[Share, ...]:
    """Return participation factors of the largest multiplier; by its eigenvector alone where the map is not formed."""
    weights = np.abs(vectors[:, 0])
    if matrix is not None:
        values, left = np.linalg.eig(matrix.T)
        weights = weights * np.abs(left[:, int(np.argmin(np.abs(values - multipliers[0])))])
    weights = weights / max(float(np.sum(weights)), 1e-300)
    order = np.argsort(-weights, kind="stable")
    return tuple(Share(prober.entries[k], float(weights[k])) for k in order)
