"""The reduced interface model: what a slow mechanism does at its interface between its steps.

References: A. Peiret, F. González, J. Kövecses, M. Teichmann, "Multibody system dynamics interface modelling for stable
multirate co-simulation of multiphysics systems", Mechanism and Machine Theory (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.numbers import is_number
from ..errors import SetupError, did_you_mean
from ..units import time_at
from .base import Subsystem

Array = NDArray[np.float64]

#: Of a mass matrix, relative: what differences in derivatives of FMUs leave.
_ASYMMETRY = 1e-6


@runtime_checkable
class _Linear(Protocol):
    """A linear model with names, such as ``mechanism.linearise()``."""

    D: Array
    inputs: Sequence[str]
    outputs: Sequence[str]


@runtime_checkable
class _Differentiable(Protocol):
    """What gives partial derivatives in a run, such as an FMU."""

    def jacobian(self, unknowns: Sequence[str], knowns: Sequence[str]) -> Array: ...


@runtime_checkable
class _Mechanism(Protocol):
    """What has a linear model near its start."""

    def linearise(self, *, outputs: Sequence[str]) -> _Linear: ...


def interface_mass(model: Any, forces: str | Sequence[str], accelerations: str | Sequence[str]) -> Array:
    """Return the mass that a mechanism shows at its interface: what its accelerations say of its forces, inverted.

    Parameters
    ----------
    model : Mechanism, LinearModel or Fmu
        A mechanism, at its start; ``mechanism.linearise(at)``, elsewhere; or an FMU with directional derivatives while
        a run has it started.
    forces, accelerations : names
        Inputs, forces at the interface (N), and outputs, the accelerations there (m/s²), for each direction one. A
        vector is given by its name, or as its components: ``"acceleration"`` or ``["acceleration[0]", ...]``.

    Returns
    -------
    array of shape (n, n)
        kg

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism
    >>> cart = Mechanism("cart", dimension=2)
    >>> cart.point("A", (0, 0))
    >>> cart.point_mass("A", 4.0)
    >>> cart.displacement("x", "A", along=(1, 0))
    >>> cart.input("pull")
    >>> cart.force("hand", "A", ("input:pull", 0))
    >>> cart.output("a", "x", motion="acceleration")
    >>> interface_mass(cart, "pull", "a").round(9)
    array([[4.]])
    """
    rows = [accelerations] if isinstance(accelerations, str) else list(accelerations)
    columns = [forces] if isinstance(forces, str) else list(forces)
    mobility = _mobility(model, rows, columns)
    directions, pushed = mobility.shape
    if directions != pushed:
        raise SetupError(f"interface_mass: {pushed} forces and {directions} accelerations; give as many of both")
    if isinstance(model, _Differentiable) and not np.any(mobility):
        raise SetupError(
            f"interface_mass: {', '.join(rows)} of this FMU do not depend directly on {', '.join(columns)}: they are "
            "those of its last step; take the mass from the mechanism itself, or use outputs that are computed from "
            "the forces"
        )
    if not np.all(np.isfinite(mobility)) or np.linalg.matrix_rank(mobility) < directions:
        raise SetupError(
            f"interface_mass: the forces {', '.join(columns)} do not move {', '.join(rows)} in all directions; choose "
            "accelerations at the points where the forces act, or fewer directions"
        )
    return np.asarray(np.linalg.inv(mobility))


def _mobility(model: Any, rows: list[str], columns: list[str]) -> Array:
    if isinstance(model, _Linear):
        places = _places(model.outputs, rows, "output"), _places(model.inputs, columns, "input")
        return np.asarray(model.D)[np.ix_(*places)]
    if isinstance(model, _Differentiable):
        return np.asarray(model.jacobian(rows, columns))
    if isinstance(model, _Mechanism):
        return _mobility(model.linearise(outputs=list(dict.fromkeys(map(_port, rows)))), rows, columns)
    raise SetupError(f"interface_mass: {model!r}; expected a mechanism, its linear model or an FMU in a run")


def _places(names: Sequence[str], wanted: Sequence[str], kind: str) -> list[int]:
    """Return where scalars, or all components of vectors, are among the names of scalars."""
    made = []
    for name in wanted:
        found = [k for k, other in enumerate(names) if name in (other, _port(other))]
        if not found:
            raise SetupError(f'interface_mass: no {kind} "{name}"{did_you_mean(name, names)}')
        made += found
    return made


def _port(name: str) -> str:
    """Return the name of the port of a scalar: ``a`` of ``a[0]``."""
    return name.partition("[")[0]


@dataclass(frozen=True)
class _State:
    """State of the mass, and the samples of the slow side since its last step."""

    x: Array
    v: Array
    free: Array
    """Acceleration without the force at the interface, m/s²."""
    reset: float
    """When the slow side has stepped again, s."""
    since: float
    """When it has stepped last, s."""
    impulse: Array
    """Of the force since then, N s."""
    force: Array | None
    """At the beginning of the last step, N; none: there was no step."""
    t: float = 0.0
    """Where the last step began, s."""


def _checked_mass(mass: ArrayLike) -> Array:
    """Return the matrix; raise SetupError if it is none, or not symmetric (but for rounding) and positive definite."""
    given = np.atleast_2d(_numbers(mass))
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not np.all(np.isfinite(given)):
        raise SetupError(f"reduced_interface.mass: {mass!r}; expected a positive number or a square matrix, in kg")
    if not np.allclose(given, given.T, rtol=0.0, atol=_ASYMMETRY * float(np.max(np.abs(given)))):
        raise SetupError(f"reduced_interface.mass: {mass!r}; expected a symmetric matrix")
    if np.any(np.linalg.eigvalsh(0.5 * (given + given.T)) <= 0.0):
        raise SetupError(f"reduced_interface.mass: {mass!r}; expected a positive definite one")
    return given


def _checked_start(name: str, given: ArrayLike, count: int) -> Array:
    values = _numbers(given)
    if values.shape not in ((), (1,), (count,)) or not np.all(np.isfinite(values)):
        expected = "a number" if count == 1 else f"a number, or one for each of {count} directions"
        raise SetupError(f"reduced_interface.{name}: {given!r}; expected {expected}")
    return np.broadcast_to(values, (count,))


def _numbers(given: ArrayLike) -> Array:
    """Return an array; what is none becomes NaN."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return np.array(np.nan)


class ReducedInterface(Subsystem):
    """A mass that moves as the slow side's interface does; created by :func:`reduced_interface`."""

    def __init__(self, mass: ArrayLike, reset: Any, x0: ArrayLike, v0: ArrayLike, includes_force: bool = False) -> None:
        given = _checked_mass(mass)
        if not is_number(reset) or reset <= 0.0:
            raise SetupError(f"reduced_interface.reset: {reset!r}; expected the step of the slow side in s")
        count = len(given)
        self.inputs = {"x": count, "v": count, "a": count, "force": count}
        self.outputs = {"x": count, "v": count}
        self.defaults = dict.fromkeys(self.inputs, 0.0)
        self._mobility = np.linalg.inv(given)
        self._reset = float(reset)
        self._start = _checked_start("x0", x0, count), _checked_start("v0", v0, count)
        self._includes_force = includes_force
        self._state: _State | None = None

    def start(self, t: float) -> None:
        """Begin where the interface is said to be."""
        x, v = self._start
        self._state = _State(x.copy(), v.copy(), np.zeros(len(x)), t, t, np.zeros(len(x)), None)

    def step(self, t: float, t_end: float, u: Any) -> None:
        """Take new samples of the slow side, if there are any; then follow the force."""
        assert self._state is not None
        now = self._state
        begin, end = np.asarray(u(t)).reshape(4, -1), np.asarray(u(t_end)).reshape(4, -1)
        x, v, free, reset, since, impulse = now.x, now.v, now.free, now.reset, now.since, now.impulse
        if now.force is not None:
            impulse = impulse + 0.5 * (t - now.t) * (now.force + begin[3])
        if t >= reset - 1e-9 * self._reset:
            x, v, free = begin[0], begin[1], begin[2]
            if self._includes_force:
                free = free - self._mobility @ (impulse / (t - since) if t > since else begin[3])
            reset, since, impulse = reset + self._reset, t, np.zeros(len(x))
        h = t_end - t
        first, last = (free + self._mobility @ side[3] for side in (begin, end))
        x, v = x + h * v + h * h / 6.0 * (2.0 * first + last), v + 0.5 * h * (first + last)
        self._state = _State(x, v, free, reset, since, impulse, begin[3].copy(), t)

    def output(self, t: float, u: Any) -> Array:
        """Return position and velocity of the interface."""
        assert self._state is not None
        return np.concatenate([self._state.x, self._state.v])

    def save(self) -> object:
        """Return the state."""
        return self._state

    def restore(self, state: Any) -> None:
        """Go back to a state."""
        self._state = state


def reduced_interface(
    mass: ArrayLike, reset: float | str, x0: ArrayLike = 0.0, v0: ArrayLike = 0.0, *, includes_force: bool = False
) -> Subsystem:
    """Return the motion of a slow mechanism's interface between its steps: model-based extrapolation.

    The fast side would have to extrapolate the motion of the slow side over a whole slow step. Instead, this mass
    follows the force of the fast side with the fast step, and takes over the motion of the slow side after its steps.
    The slow side gets the mean of the force (``cp.mean("time-weighted")``) and waits for the fast side. The errors of
    position are smaller than with polynomials; the fast motion is damped by the reset.

    Inputs: ``x``, ``v`` (m, m/s) and ``a`` (m/s², without the force at the interface) of the slow side, held, and the
    ``force`` of the fast side on it (N). Outputs: ``x``, ``v``. Several directions are vectors.

    Parameters
    ----------
    mass : float or array of shape (n, n)
        Mass of the slow mechanism at its interface, kg: :func:`interface_mass`.
    reset : float or str
        Step of the slow side in s, or with its unit.
    x0, v0 : float or array of shape (n,)
        Where the interface begins, m and m/s.
    includes_force : bool
        Whether ``a`` includes what the force at the interface does, as the accelerations of mechanisms and most FMUs
        do. Its mean over the last step of the slow side is then taken out of ``a``.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("motor on a heavy frame")
    >>> motor = cp.linear([[0, 1], [-50, 0]], [[0], [50]], [[1, 0], [5, 0]], [[0], [-5]], x0=[0.1, 0],
    ...                   inputs="frame", outputs=["x", "force"])
    >>> frame = cp.linear([[0, 1], [-2, 0]], [[0], [0.1]], [[1, 0], [0, 1], [-2, 0]], x0=[0, 0],
    ...                   inputs="force", outputs=["x", "v", "a"])
    >>> system.add("motor", motor, step=0.01)
    >>> system.add("mass", cp.reduced_interface(10.0, reset=0.2), step=0.01)
    >>> system.add("frame", frame, step=0.2)
    >>> for name in "xva":
    ...     system.connect(f"frame.{name}", f"mass.{name}", cp.hold())
    >>> system.connect("motor.force", "mass.force", cp.lagrange(2))
    >>> system.connect("mass.x", "motor.frame", cp.lagrange(3))
    >>> system.connect("motor.force", "frame.force", cp.mean("time-weighted"))
    >>> waits = cp.custom({"frame": ["mass", "motor"], "motor": ["mass"]})
    >>> float(system.run(until=10.0, scheme=waits)["frame.x"].values.max().round(4))
    0.0015
    """
    return ReducedInterface(mass, time_at("reduced_interface.reset", reset), x0, v0, includes_force)
