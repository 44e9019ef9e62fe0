"""Analyses of a diagram besides a run: equilibrium, and behaviour near a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.ports import columns, offsets
from ..errors import SetupError, did_you_mean
from ..linear_model import LinearSubsystem, StateSpace
from .compiling import VARIABLE_STEP, flatten, make_core, subsystem

if TYPE_CHECKING:
    from .diagram import Diagram

Vector = NDArray[np.float64]

_ITERATIONS = 60


@dataclass(frozen=True)
class LinearDiagram(StateSpace):
    """A diagram near a state.

    Attributes
    ----------
    x0, u0, y0 : arrays
        States, inputs and outputs where it holds.
    drift : array
        ``dx/dt`` there: zero at rest.
    """

    x0: Vector
    u0: Vector
    y0: Vector
    drift: Vector


@dataclass(frozen=True)
class Trim:
    """A state of rest: found by :func:`trim`.

    Attributes
    ----------
    states, inputs, outputs : dict
        Name -> value.
    residual : float
        Largest ``|dx/dt|`` left, in units of the state a second.
    """

    states: dict[str, float]
    inputs: dict[str, float]
    outputs: dict[str, float]
    residual: float


class _Probe:
    """A diagram as functions of states and inputs at one time."""

    def __init__(self, diagram: Diagram, t: float) -> None:
        self.name, self.t = diagram.name, t
        described, _ = subsystem(diagram)
        self.core = make_core(diagram, flatten(diagram))
        self.states = self.core.state_names()
        self.input_widths = dict(described.input_widths)
        self.inputs = columns(described.input_widths)
        self.outputs = columns(described.output_widths)
        self.u = np.concatenate([np.zeros(0), *(block.numbers["value"] for block in diagram.inputs.values())])

    def set_inputs(self, values: Mapping[str, ArrayLike]) -> None:
        places = offsets(self.input_widths)
        for name, value in values.items():
            if name not in places:
                raise SetupError(f'diagram "{self.name}": no input "{name}"{did_you_mean(name, places)}')
            self.u[places[name] : places[name] + self.input_widths[name]] = value

    def start(self) -> Vector:
        return np.array(self.core.initial_state(self.t, self.u.tolist())[0])

    def at(self, x: Vector, u: Vector) -> tuple[Vector, Vector]:
        dx, y = self.core.evaluate(self.t, x.tolist(), u.tolist())
        return np.array(dx), np.array(y)

    def jacobian(self, x: Vector, u: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """Central differences; exact up to rounding for linear diagrams."""
        columns_x = [self._column(x, u, "x", k) for k in range(len(x))]
        columns_u = [self._column(x, u, "u", k) for k in range(len(u))]
        n, k = len(x), len(self.outputs)
        a, c = (np.array([col[i] for col in columns_x]).reshape(n, size).T for i, size in ((0, n), (1, k)))
        b, d = (np.array([col[i] for col in columns_u]).reshape(len(u), size).T for i, size in ((0, n), (1, k)))
        return a, b, c, d

    def _column(self, x: Vector, u: Vector, kind: str, place: int) -> tuple[Vector, Vector]:
        base = x if kind == "x" else u
        h = 6e-6 * max(1.0, abs(base[place]))
        moved = []
        for sign in (1.0, -1.0):
            varied = base.copy()
            varied[place] += sign * h
            moved.append(self.at(varied, u) if kind == "x" else self.at(x, varied))
        return (moved[0][0] - moved[1][0]) / (2 * h), (moved[0][1] - moved[1][1]) / (2 * h)


def linearise(
    diagram: Diagram,
    *,
    t: float = 0.0,
    states: Mapping[str, float] | Trim | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
) -> LinearDiagram:
    """Return the linear model of small deviations.

    Sampled and triggered blocks keep what they hold; switches and limits stay on the side on which they are.

    Parameters
    ----------
    diagram : Diagram
    t : float
        Time, s.
    states : mapping or Trim, optional
        Values of states by name (see :attr:`LinearDiagram.states`); the others keep their initial values. A
        :class:`Trim` brings its inputs along.
    inputs : mapping, optional
        Values of inputs; the others keep their defaults.

    Examples
    --------
    >>> import counterpoint as cp
    >>> model = cp.Diagram("lag")
    >>> x = model.integrator(name="x")
    >>> _ = (model.input("u") - 2 * x) >> x
    >>> model.output("x", x)
    >>> model.linearise().A.round(6)
    array([[-2.]])
    """
    probe = _Probe(diagram, t)
    if isinstance(states, Trim):
        probe.u = np.array(list(states.inputs.values()))
    probe.set_inputs(inputs or {})
    x = probe.start()
    for name, value in (states.states if isinstance(states, Trim) else states or {}).items():
        x[_place(probe, name)] = value
    drift, y = probe.at(x, probe.u)
    a, b, c, d = probe.jacobian(x, probe.u)
    names = tuple(probe.states), tuple(probe.inputs), tuple(probe.outputs)
    return LinearDiagram(diagram.name, a, b, c, d, *names, x, probe.u, y, drift)


def linear_subsystem(diagram: Diagram, t: float, u: Vector, at: Sequence[float] | None = None) -> LinearSubsystem:
    """Return a diagram near a state (default: the initial one), with its solver; ``u``: all its inputs there."""
    probe = _Probe(diagram, t)
    probe.u = np.array(u)
    start = probe.start()
    x = start if at is None else np.array(at)
    a, b, c, d = probe.jacobian(x, probe.u)
    names = tuple(probe.states), tuple(probe.inputs), tuple(probe.outputs)
    if diagram.inner_step is None:
        options = diagram.options if diagram.solver in VARIABLE_STEP else {}
        return LinearSubsystem(diagram.name, a, b, c, d, *names, diagram.solver, dict(options))
    remark = "the error of its solver at the inner step is neglected"
    return LinearSubsystem(diagram.name, a, b, c, d, *names, "ode45", {"rtol": 1e-9, "atol": 1e-12}, None, remark)


def trim(
    diagram: Diagram,
    *,
    t: float = 0.0,
    inputs: Mapping[str, ArrayLike] | None = None,
    outputs: Mapping[str, float] | None = None,
    free_inputs: tuple[str, ...] | list[str] = (),
    free_states: tuple[str, ...] | list[str] = (),
) -> Trim:
    """Find a state of rest: ``dx/dt = 0``, with given inputs, or with given outputs and some inputs set free.

    Parameters
    ----------
    diagram : Diagram
    t : float
        Time, s.
    inputs : mapping, optional
        Values of inputs that are given (and first guesses of free ones); the others keep their defaults.
    outputs : mapping, optional
        Values that outputs must have.
    free_inputs : names
        Inputs that may be changed to reach these outputs.
    free_states : names
        States that need not rest: an angle that turns, a position that moves. They keep their initial values.

    Raises
    ------
    SetupError
        No such state was found; the message says how far it got.

    Examples
    --------
    >>> import counterpoint as cp
    >>> model = cp.Diagram("tank")
    >>> level = model.integrator(initial=1.0, name="level")
    >>> _ = (model.input("inflow") - 0.5 * level) >> level
    >>> model.output("level", level)
    >>> round(model.trim(inputs={"inflow": 2.0}).states["level"], 9)
    4.0
    """
    probe = _Probe(diagram, t)
    probe.set_inputs(inputs or {})
    x = probe.start()
    moving = [k for k, name in enumerate(probe.states) if name not in free_states]
    for name in free_states:
        _place(probe, name)
    wanted = {_known(probe, name, probe.outputs, "output"): value for name, value in (outputs or {}).items()}
    free = [_known(probe, name, probe.inputs, "input") for name in free_inputs]
    x, u = _Rest(probe, moving, wanted, free).solve(x, probe.u)
    dx, y = probe.at(x, u)
    residual = float(np.max(np.abs(dx[moving]), initial=0.0))
    return Trim(
        dict(zip(probe.states, x.tolist(), strict=True)),
        dict(zip(probe.inputs, u.tolist(), strict=True)),
        dict(zip(probe.outputs, y.tolist(), strict=True)),
        residual,
    )


@dataclass
class _Rest:
    """The equations of rest: ``dx/dt = 0`` of the states that have to rest, and outputs as wanted.

    Unknowns are these states and the inputs set free.
    """

    probe: _Probe
    moving: list[int]
    wanted: dict[int, float]
    free: list[int]

    def residual(self, x: Vector, u: Vector) -> Vector:
        dx, y = self.probe.at(x, u)
        return np.concatenate([dx[self.moving], y[list(self.wanted)] - np.array(list(self.wanted.values()))])

    def correction(self, x: Vector, u: Vector, left: Vector) -> Vector:
        a, b, c, d = self.probe.jacobian(x, u)
        m, w, f = self.moving, list(self.wanted), self.free
        table = np.block([[a[np.ix_(m, m)], b[np.ix_(m, f)]], [c[np.ix_(w, m)], d[np.ix_(w, f)]]])
        return np.asarray(np.linalg.lstsq(table, -left, rcond=None)[0])

    def solve(self, x: Vector, u: Vector) -> tuple[Vector, Vector]:
        """Solve by Gauss and Newton, with shorter steps where the full one makes things worse."""
        left = self.residual(x, u)
        for _ in range(_ITERATIONS):
            if np.max(np.abs(left), initial=0.0) < 1e-11 * (1.0 + np.max(np.abs(x), initial=0.0)):
                return x, u
            correction = self.correction(x, u, left)
            for share in 0.5 ** np.arange(14):
                x_new, u_new = self._moved(x, u, share * correction)
                new = self.residual(x_new, u_new)
                if np.all(np.isfinite(new)) and np.linalg.norm(new) < np.linalg.norm(left):
                    break
            else:
                break
            x, u, left = x_new, u_new, new
        # Rounding ends the search before the tolerance where signals are large.
        if np.max(np.abs(left), initial=0.0) < 1e-7 * (1.0 + np.max(np.abs(x), initial=0.0)):
            return x, u
        raise SetupError(self._failure(left))

    def _moved(self, x: Vector, u: Vector, change: Vector) -> tuple[Vector, Vector]:
        x, u = x.copy(), u.copy()
        x[self.moving] += change[: len(self.moving)]
        u[self.free] += change[len(self.moving) :]
        return x, u

    def _failure(self, left: Vector) -> str:
        worst, count = int(np.argmax(np.abs(left))), len(self.moving)
        if worst < count:
            what = f'state "{self.probe.states[self.moving[worst]]}" still changes by {left[worst]:.3g} per second'
        else:
            what = f'output "{self.probe.outputs[list(self.wanted)[worst - count]]}" is off by {left[worst]:.3g}'
        return f'diagram "{self.probe.name}": no equilibrium found: {what}; start closer to it, or free an input'


def _place(probe: _Probe, name: str) -> int:
    return _known(probe, name, probe.states, "state")


def _known(probe: _Probe, name: str, names: list[str], what: str) -> int:
    if name not in names:
        raise SetupError(f'diagram "{probe.name}": no {what} "{name}"{did_you_mean(name, names)}')
    return names.index(name)
