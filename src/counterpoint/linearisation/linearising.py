"""From a system to its linear models."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.numbers import is_number
from .._run.approximation_choice import chosen_approximation
from .._run.connection_units import conversion_of
from .._run.free_inputs import free_inputs
from .._run.options import RunOptions
from .._run.precedence import Scheme
from ..approximations import Approximation
from ..errors import SetupError
from ..linear_model import LinearSubsystem
from ..subsystems.models import jacobians
from ..system import Connection, Participant, System
from ..units import time_at
from .linearised import LinearConnection, LinearisedSystem
from .operating_point import OperatingPoint, as_law_sees
from .step_map import identified

Vector = NDArray[np.float64]


def linearise(
    system: System,
    *,
    approximation: Approximation | None = None,
    models: Mapping[str, LinearSubsystem] | None = None,
    at: float | str = 0.0,
    scheme: str | Scheme = "slowest-first",
    try_steps: bool = True,
) -> LinearisedSystem:
    """Return a system near a state: each subsystem as a linear model with its own solver and step.

    Models of :func:`counterpoint.linear` are exact, those of mechanisms, diagrams and :func:`counterpoint.ode` by their
    derivatives at the start, with inputs as they are there. So are FMUs with directional derivatives. Everything else
    is tried: from the start, each input is changed for one step, and the outputs of the following steps tell the model.

    Parameters
    ----------
    system : System
    approximation : Approximation, optional
        Of connections that name none, as in :meth:`System.run`.
    models : mapping, optional
        Models for some subsystems, instead of those found.
    at : float or str
        Time in s, or with its unit: a run with this ``scheme`` leads there. 0: the start.
    scheme : str or Scheme
        Of this run; where ``at`` is 0 nothing is run.
    try_steps : bool
        Whether subsystems that do not tell their linear model are tried: some hundred steps for each of their inputs.
        False: such a subsystem cannot be linearised.

    Raises
    ------
    SetupError
        A subsystem cannot be linearised, or has no step.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> mass = dict(inputs="u", outputs="x", solver="ode4")
    >>> system.add("a", cp.linear([[0, 1], [-2, 0]], [[0], [1]], [[1, 0]], x0=[1, 0], **mass), step=0.1)
    >>> system.add("b", cp.linear([[0, 1], [-2, 0]], [[0], [1]], [[1, 0]], x0=[0, 0], **mass), step=0.1)
    >>> system.connect("a.x", "b.u")
    >>> system.connect("b.x", "a.u")
    >>> sorted(linearise(system).coupled.poles.imag.round(3).tolist())
    [-1.732, -1.0, 1.0, 1.732]
    """
    given = models or {}
    point = OperatingPoint(system, _checked(system, approximation, at), scheme)
    if point.t > 0.0:
        point.find()
    problems: list[str] = []
    found: dict[str, LinearSubsystem] = {}
    for name, participant in system.subsystems.items():
        try:
            found[name] = given[name] if name in given else _model(name, participant, point, try_steps)
        except SetupError as error:
            problems.append(str(error))
    if problems:
        raise SetupError(problems)
    options = RunOptions(approximation=approximation)
    subsystems = {name: part.subsystem for name, part in system.subsystems.items()}
    return LinearisedSystem(
        system.name,
        found,
        {name: dict(subsystem.input_widths) for name, subsystem in subsystems.items()},
        {name: dict(subsystem.output_widths) for name, subsystem in subsystems.items()},
        {name: _step(name, part) for name, part in system.subsystems.items()},
        tuple(_linear_connection(system, connection, point, options) for connection in system.connections),
        tuple(f"{name}: {model.remark}" for name, model in found.items() if model.remark),
    )


def _checked(system: object, approximation: object, at: float | str) -> float:
    """Return the time in s at which a system is linearised; raise SetupError for what cannot be."""
    if not isinstance(system, System):
        raise SetupError(f"linearise: {system!r}; expected a System, or what cp.linearise(system) has returned")
    time = time_at("at", at)
    problems = [] if system.subsystems else [f'linearise: "{system.name}" has no subsystems; add some']
    if not (is_number(time) and time >= 0.0):
        problems.append(f"at: {at!r}; expected a time of a run in s, from 0")
    if not isinstance(approximation, Approximation | None):
        problems.append(f"approximation: {approximation!r}; expected an approximation such as cp.lagrange(1)")
    if problems:
        raise SetupError(problems)
    return float(time)


def _model(name: str, participant: Participant, at: OperatingPoint, try_steps: bool) -> LinearSubsystem:
    subsystem = participant.subsystem
    needs_inputs = getattr(subsystem, "kind", "") != "linear"
    u = at.inputs(name) if needs_inputs else np.zeros(sum(subsystem.input_widths.values()))
    if name in at.models:
        return at.models[name]
    if subsystem.keeps_free_inputs:
        subsystem.free_inputs = free_inputs(at.system, name)
    if subsystem.linear_model is not None and (at.t == 0.0 or name in at.states or not needs_inputs):
        made = subsystem.linear_model(at.t, u, at.states.get(name))
        if made is not None:
            return made
    if not try_steps:
        raise SetupError(
            f"subsystems.{name}: it provides no linear model; try_steps=True identifies one from its steps"
        )
    if at.t > 0.0 and name not in at.saved:
        raise SetupError(
            f"subsystems.{name}: it cannot save its state, so it can be linearised at the start only; "
            f'give its model: models={{"{name}": ...}}'
        )
    return identified(name, subsystem, _step(name, participant), at.t, u, saved=at.saved.get(name))


def _step(name: str, participant: Participant) -> float:
    step = participant.step or participant.typical_step or participant.subsystem.typical_step
    if step is None:
        raise SetupError(f"subsystems.{name}: it chooses its own steps; pass typical_step=... (s) when you add it")
    return float(step)


def _linear_connection(
    system: System, connection: Connection, at: OperatingPoint, options: RunOptions
) -> LinearConnection:
    count = range(len(connection.sources))
    approximations = tuple(chosen_approximation(system, connection, k, options) for k in count)
    widths = [system.port_width(source, "outputs") for source in connection.sources]
    factors = [
        gain * conversion_of(system, connection, source).gain
        for gain, source in zip(connection.gains, connection.sources, strict=True)
    ]
    if connection.law is None:
        gains = tuple(factor * np.eye(width) for factor, width in zip(factors, widths, strict=True))
    else:
        gains = _law_gains(connection.law, at.signals(connection), factors)
    return LinearConnection(connection.sources, connection.target, approximations, gains)


def _law_gains(law: Callable[..., ArrayLike], signals: list[Vector], factors: list[float]) -> tuple[Vector, ...]:
    """Return the derivative of a coupling law by each of its sources."""
    ends = np.cumsum([len(signal) for signal in signals])[:-1]

    def evaluate(t: float, together: list[float], nothing: list[float]) -> Vector:
        parts = np.split(np.asarray(together), ends)
        return np.atleast_1d(np.asarray(law(*map(as_law_sees, parts)), dtype=np.float64))

    whole = jacobians(evaluate, 0.0, np.concatenate(signals), [])[0]
    return tuple(factor * part for factor, part in zip(factors, np.split(whole, ends, axis=1), strict=True))
