"""Models described by equations: linear, second-order and general ordinary differential equations."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._common.ports import PortSpec, columns, offsets, port_widths
from .._common.recorded import recorded
from ..errors import SetupError, did_you_mean
from ..linear_model import LinearSubsystem
from .base import NativeSubsystem
from .longest_step import follows_time, with_longest_step
from .solver_stability import longest_stable_step

#: Solvers by name; those with an asterisk in the documentation choose their own step.
SOLVERS = ("ode1", "ode2", "ode3", "ode4", "ode5", "ode23", "ode45", "ode23s", "trapezoidal", "bdf2", "newmark")
VARIABLE_STEP = ("ode23", "ode45", "ode23s")

_CFUNCTION = ctypes.CFUNCTYPE(None).__mro__[1]  # the base class of all ctypes functions
RightHandSide = Callable[[float, NDArray[np.float64], NDArray[np.float64]], ArrayLike]


@recorded
def linear(
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike | None = None,
    D: ArrayLike | None = None,
    *,
    x0: ArrayLike,
    inputs: PortSpec = "u",
    outputs: PortSpec = "y",
    solver: str = "ode4",
    defaults: Mapping[str, ArrayLike] | None = None,
    units: Mapping[str, str] | None = None,
    **options: float,
) -> NativeSubsystem:
    """Make a linear state space model ``dx/dt = A x + B u``, ``y = C x + D u``.

    Parameters
    ----------
    A, B, C, D : arrays of shape (n, n), (n, m), (k, n), (k, m)
        Without C the outputs are the states; without D there is no feedthrough.
    x0 : array of shape (n,)
        Initial state.
    inputs, outputs : names, or name -> width
        Ports. A single name takes all m inputs or k outputs as a vector.
    solver : str
        One of :data:`SOLVERS`.
    defaults, units : mappings, optional
        Values of unconnected inputs; units of ports, for plots and checks.
    **options : float
        ``rtol``, ``atol``, ``first_step``, ``max_step`` (s) of variable-step solvers; ``beta``, ``gamma`` of newmark.

    Examples
    --------
    >>> spring = linear([[0, 1], [-9, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"])
    >>> spring.outputs
    {'x': 1, 'v': 1}
    """
    x = _vector("x0", x0)
    n = len(x)
    a = _matrix("A", A, (n, n))
    b = _matrix("B", B, (n, None))
    c = np.eye(n) if C is None else _matrix("C", C, (None, n))
    d = np.zeros((len(c), b.shape[1])) if D is None else _matrix("D", D, (len(c), b.shape[1]))
    input_ports = _named("inputs", inputs, b.shape[1])
    output_ports = _named("outputs", outputs, len(c))
    _check_solver(solver, n)
    right = _core.linear_right_hand_side(a, b)
    output = _core.state_output(n) if C is None and D is None else _core.linear_output(c, d)
    settings = solver_options(options)
    made = NativeSubsystem(
        "linear",
        lambda: _core.ode_subsystem(right, output, x.tolist(), solver, _handed_on(settings, options, made)),
        inputs=input_ports,
        outputs=output_ports,
        feedthrough=_linear_feedthrough(d, input_ports, output_ports),
        defaults=defaults,
        units=units,
        own_pace=solver in VARIABLE_STEP,
    )

    def exact(t: float, u: NDArray[np.float64], at: Sequence[float] | None) -> LinearSubsystem:
        names = tuple(f"x[{k}]" for k in range(n)), tuple(columns(input_ports)), tuple(columns(output_ports))
        return LinearSubsystem("linear", a, b, c, d, *names, solver, dict(options))

    made.linear_model = exact
    made.longest_stable_step = lambda: longest_stable_step(solver, a)
    made.is_smooth = True
    return made


@recorded
def second_order(
    M: ArrayLike,
    C: ArrayLike | None,
    K: ArrayLike,
    B: ArrayLike,
    *,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    inputs: PortSpec = "u",
    outputs: PortSpec | None = None,
    solver: str = "newmark",
    **more: Any,
) -> NativeSubsystem:
    """Make a linear mechanical model ``M q'' + C q' + K q = B u``.

    Parameters
    ----------
    M, C, K : arrays of shape (n, n), or numbers
        Mass, damping (``None``: none) and stiffness, in SI units.
    B : array of shape (n, m), or a number
        How the inputs enter.
    q0, v0 : arrays of shape (n,)
        Initial positions and velocities (``None``: at rest).
    inputs : names
        Ports of the m inputs.
    outputs : names, optional
        2 n names for positions then velocities, or n names for positions only. Default: ``q`` and ``v``.
    solver : str
        ``"newmark"`` (``beta=0.25, gamma=0.5`` is the trapezoidal rule) or any of :data:`SOLVERS`.
    **more : optional
        As for :func:`linear`.

    Examples
    --------
    >>> mass = second_order(2.0, None, 8.0, 1.0, q0=1.0, inputs="force", outputs=["x", "v"])
    >>> mass.inputs
    {'force': 1}
    """
    q = _vector("q0", q0)
    n = len(q)
    v = np.zeros(n) if v0 is None else _vector("v0", v0)
    if len(v) != n:
        raise SetupError(f"v0: {len(v)} velocities for {n} positions")
    mass, stiffness = _matrix("M", M, (n, n)), _matrix("K", K, (n, n))
    damping = np.zeros((n, n)) if C is None else _matrix("C", C, (n, n))
    load = _matrix("B", B, (n, None))
    try:
        per_mass = np.linalg.solve(mass, np.hstack([-stiffness, -damping, load]))
    except np.linalg.LinAlgError:
        raise SetupError("M: the mass matrix is singular; every coordinate needs a mass") from None
    a = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), per_mass[:, : 2 * n]])
    b = np.vstack([np.zeros_like(load), per_mass[:, 2 * n :]])
    ports = port_widths({"q": n, "v": n} if outputs is None else outputs, "outputs")
    positions_only = sum(ports.values()) == n
    select = np.eye(2 * n)[:n] if positions_only else None
    return linear(a, b, select, x0=np.concatenate([q, v]), inputs=inputs, outputs=ports, solver=solver, **more)


_UNDECLARED = "without feedthrough its output function gets NaN for u; if it reads u, pass feedthrough=True"


@recorded
def ode(
    rhs: RightHandSide | Any,
    x0: ArrayLike,
    *,
    inputs: PortSpec = (),
    outputs: PortSpec | None = None,
    output: RightHandSide | Any | None = None,
    feedthrough: bool | Iterable[tuple[str, str]] = False,
    solver: str = "ode45",
    defaults: Mapping[str, ArrayLike] | None = None,
    units: Mapping[str, str] | None = None,
    **options: float,
) -> NativeSubsystem:
    """Make a model ``dx/dt = rhs(t, x, u)``, ``y = output(t, x, u)``.

    Parameters
    ----------
    rhs : function or compiled function pointer
        A Python function ``rhs(t, x, u)`` that returns the n derivatives, or a pointer to
        ``void f(double t, const double *x, const double *u, double *dx)``: a numba ``cfunc``, a ctypes
        function, or an address. Each call overwrites the arrays x and u: copy them to keep them.
    x0 : array of shape (n,)
        Initial state.
    inputs : names, or name -> width
        Ports of u.
    outputs : names, or name -> width, optional
        Ports of y. Without ``output`` they are the states (default: one port ``x``).
    output : function or compiled function pointer, optional
        Like ``rhs``, but writes or returns y. One that changes with t alone limits the steps that the solver chooses
        to 1/500 of the run (``max_step`` sets another limit).
    feedthrough : bool or pairs (output, input)
        Whether ``output`` uses u. If not, it must not read u.
    solver : str
        One of :data:`SOLVERS`; ``ode45``, ``ode23`` and the stiff ``ode23s`` choose their own steps when none is
        given.
    defaults, units, **options
        As for :func:`linear`.

    Examples
    --------
    >>> import math
    >>> pendulum = ode(lambda t, x, u: [x[1], -9.81 * math.sin(x[0]) + u[0]], [0.1, 0.0],
    ...                inputs="torque", outputs=["angle", "speed"])
    >>> pendulum.outputs
    {'angle': 1, 'speed': 1}
    """
    x = _vector("x0", x0)
    n = len(x)
    input_ports = port_widths(inputs, "inputs")
    m = sum(input_ports.values())
    if output is None:
        output_ports = _named("outputs", outputs if outputs is not None else "x", n)
    elif outputs is None:
        raise SetupError("outputs: not given; expected the names of the values that the output function returns")
    else:
        output_ports = port_widths(outputs, "outputs")
    pairs = _feedthrough_pairs(feedthrough, input_ports, output_ports, output is not None)
    _check_solver(solver, n)
    settings = solver_options(options)
    _check_function("rhs", rhs)
    _check_function("output", output)

    def make() -> _core.Subsystem:  # new objects: several runs of one model may be active
        right = _make_right_hand_side(rhs, n, m)
        g = _make_output(output, n, m, sum(output_ports.values()), bool(pairs))
        moves = output is not None and made.own_pace and follows_time(g.evaluate, x.tolist(), m, made)
        given = with_longest_step(options, made) if moves else options
        chosen = solver_options(given) if moves else settings
        return _core.ode_subsystem(right, g, x.tolist(), solver, _handed_on(chosen, given, made))

    made = NativeSubsystem(
        "ode",
        make,
        inputs=input_ports,
        outputs=output_ports,
        feedthrough=pairs,
        defaults=defaults,
        units=units,
        own_pace=solver in VARIABLE_STEP,
        not_finite_hint=_UNDECLARED if output is not None and m > 0 and not pairs else "",
        runs_python=any(f is not None and compiled_address(f) is None for f in (rhs, output)),
    )

    def linear_model(t: float, u: NDArray[np.float64], at: Sequence[float] | None) -> LinearSubsystem:
        right = _make_right_hand_side(rhs, n, m)
        g = _make_output(output, n, m, sum(output_ports.values()), bool(pairs))
        here = x if at is None else np.asarray(at)
        a, b = jacobians(right.evaluate, t, here, u)
        c, d = jacobians(g.evaluate, t, here, u if pairs else np.full(m, np.nan))
        names = tuple(f"x[{k}]" for k in range(n)), tuple(columns(input_ports)), tuple(columns(output_ports))
        return LinearSubsystem("ode", a, b, c, d if pairs else np.zeros_like(d), *names, solver, dict(options))

    made.linear_model = linear_model
    return made


def jacobians(
    f: Callable[[float, list[float], list[float]], ArrayLike], t: float, x: ArrayLike, u: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the derivatives of ``f(t, x, u)`` by x and by u, by central differences.

    >>> dx, du = jacobians(lambda t, x, u: [x[0] ** 2 + 3.0 * u[0]], 0.0, [2.0], [1.0])
    >>> dx.round(6), du.round(6)
    (array([[4.]]), array([[3.]]))
    """
    at, beside = np.asarray(x, dtype=np.float64), np.asarray(u, dtype=np.float64)
    return (
        _differences(lambda varied: f(t, varied, beside.tolist()), at),
        _differences(lambda varied: f(t, at.tolist(), varied), beside),
    )


def _differences(f: Callable[[list[float]], ArrayLike], at: NDArray[np.float64]) -> NDArray[np.float64]:
    width = np.size(np.asarray(f(at.tolist())))
    made = np.empty((width, len(at)))
    for k, value in enumerate(at):
        h = 6e-6 * max(1.0, abs(value))  # the cube root of the rounding error: both errors are then the smallest
        sides = []
        for sign in (1.0, -1.0):
            varied = at.copy()
            varied[k] += sign * h
            sides.append(np.asarray(f(varied.tolist()), dtype=np.float64))
        made[:, k] = (sides[0] - sides[1]) / (2.0 * h)
    return made


def compiled_address(function: Any) -> int | None:
    """Address of a compiled function, or None for a Python function."""
    if isinstance(function, int):
        return function
    if isinstance(function, _CFUNCTION):
        pointer: Any = function
        return ctypes.cast(pointer, ctypes.c_void_p).value
    address = getattr(function, "address", None)  # numba's cfunc
    return address if isinstance(address, int) else None


def _check_function(where: str, function: Any) -> None:
    if function is not None and compiled_address(function) is None and not callable(function):
        raise SetupError(f"{where}: {function!r} is neither a function nor a compiled function pointer")
    if callable(function) and compiled_address(function) is None:
        _check_arguments(where, function)


def _check_arguments(where: str, function: Any) -> None:
    """Raise SetupError if a Python function cannot be called with time, states and inputs."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # its signature is not known
        return
    try:
        signature.bind(0.0, None, None)
    except TypeError:
        named = getattr(function, "__name__", type(function).__name__)
        raise SetupError(
            f"{where}: {named}{signature} cannot be called with (t, x, u); u is empty without inputs"
        ) from None


def _make_right_hand_side(rhs: Any, states: int, inputs: int) -> _core.RightHandSide:
    address = compiled_address(rhs)
    if address is not None:
        return _core.compiled_right_hand_side(address, states, inputs)
    return _core.python_right_hand_side(rhs, states, inputs)


def _make_output(output: Any, states: int, inputs: int, width: int, uses_inputs: bool) -> _core.OutputMap:
    if output is None:
        return _core.state_output(states)
    address = compiled_address(output)
    if address is not None:
        return _core.compiled_output(address, width, uses_inputs)
    return _core.python_output(output, states, inputs, width, uses_inputs)


def _feedthrough_pairs(
    feedthrough: bool | Iterable[tuple[str, str]],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    has_output: bool,
) -> list[tuple[str, str]]:
    if feedthrough is False:
        return []
    if not has_output:
        raise SetupError("feedthrough: outputs that are states have no feedthrough; give an output function")
    if feedthrough is True:
        return [(y, u) for y in outputs for u in inputs]
    pairs = list(feedthrough)
    problems = [f'feedthrough: no output "{y}"' + did_you_mean(y, outputs) for y, _ in pairs if y not in outputs]
    problems += [f'feedthrough: no input "{u}"' + did_you_mean(u, inputs) for _, u in pairs if u not in inputs]
    if problems:
        raise SetupError(problems)
    return pairs


def _linear_feedthrough(
    d: NDArray[np.float64], inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> list[tuple[str, str]]:
    if not d.any():
        return []
    rows, cols = offsets(outputs), offsets(inputs)
    return [
        (y, u)
        for y in outputs
        for u in inputs
        if np.any(d[rows[y] : rows[y] + outputs[y], cols[u] : cols[u] + inputs[u]])
    ]


def _named(where: str, spec: PortSpec, total: int) -> dict[str, int]:
    """Return ports with `total` scalars in all; a single name takes them all."""
    widths = port_widths({spec: total} if isinstance(spec, str) and total > 0 else spec, where)
    if total == 0 and isinstance(spec, str):
        return {}
    if sum(widths.values()) != total:
        raise SetupError(
            f"{where}: the names {list(widths)} stand for {sum(widths.values())} values; the model has {total}"
        )
    return widths


def _vector(where: str, value: ArrayLike) -> NDArray[np.float64]:
    vector = np.atleast_1d(_numbers(where, value))
    if vector.ndim != 1 or len(vector) == 0:
        raise SetupError(f"{where}: shape {vector.shape}; expected a list of numbers")
    return vector


def _matrix(where: str, value: ArrayLike, shape: tuple[int | None, int | None]) -> NDArray[np.float64]:
    array = _numbers(where, value)
    if array.ndim == 0:
        array = array.reshape(1, 1)
    if array.ndim == 1:  # a column where rows are known, else a row
        array = array.reshape(-1, 1) if shape[0] is not None and shape[0] == len(array) else array.reshape(1, -1)
    if array.ndim != 2 or shape[0] not in (None, array.shape[0]) or shape[1] not in (None, array.shape[1]):
        wanted = tuple("any" if s is None else s for s in shape)
        raise SetupError(f"{where}: shape {array.shape}; expected {wanted}")
    return np.ascontiguousarray(array)


def _numbers(where: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise SetupError(f"{where}: {value!r} is not an array of numbers") from None
    if not np.isfinite(array).all():
        raise SetupError(f"{where}: contains NaN or infinity; expected finite numbers")
    return array


def _check_solver(solver: str, states: int) -> None:
    if solver not in SOLVERS:
        raise SetupError(f'solver: no solver "{solver}"' + did_you_mean(solver, SOLVERS))
    if solver == "newmark" and states % 2:
        raise SetupError(f"solver: newmark needs as many velocities as positions; the model has {states} states")


_OPTIONS = {
    "rtol": "relative_tolerance",
    "atol": "absolute_tolerance",
    "first_step": "first_step",
    "max_step": "max_step",
    "beta": "beta",
    "gamma": "gamma",
}


_RANGES = {"beta": (0.0, 0.5), "gamma": (0.5, 1.0)}


def _handed_on(
    settings: _core.SolverOptions, options: Mapping[str, float], subsystem: NativeSubsystem
) -> _core.SolverOptions:
    """Return the options of a solver, whose tolerance is a tenth of that of the pace where none is given."""
    wanted = subsystem.pace_tolerance
    if wanted is None or "rtol" in options or 0.1 * wanted >= settings.relative_tolerance:
        return settings
    return solver_options({**options, "rtol": max(0.1 * wanted, 1e-13)})


def solver_options(options: Mapping[str, float], known: Iterable[str] = _OPTIONS) -> _core.SolverOptions:
    """Return the options of a solver for the core; raise SetupError for the first that is not allowed."""
    settings = _core.SolverOptions()
    for name, value in options.items():
        if name not in known:
            raise SetupError(f'solver option "{name}" is unknown' + did_you_mean(name, known))
        lowest, highest = _RANGES.get(name, (0.0, np.inf))
        if not isinstance(value, Real) or not lowest <= value <= highest or (name not in _RANGES and value == 0.0):
            allowed = f"a number from {lowest} to {highest}" if name in _RANGES else "a positive number"
            raise SetupError(f"{name}: {value!r}; expected {allowed}")
        setattr(settings, _OPTIONS[name], float(value))
    return settings
