"""A system near an operating point: linear subsystems with their solvers and steps, and gains between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..approximations import Approximation
from ..linear_model import LinearSubsystem, StateSpace
from ..subsystems import NativeSubsystem, linear
from ..system import Connection, System

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LinearConnection:
    """One or several outputs entering one input, near the operating point.

    Attributes
    ----------
    sources, target : names
        As in :class:`~counterpoint.system.Connection`.
    approximations : tuple
        One per source.
    gains : tuple of arrays
        One per source, shape (width of the input, width of the output).
    """

    sources: tuple[str, ...]
    target: str
    approximations: tuple[Approximation, ...]
    gains: tuple[Vector, ...]


@dataclass(frozen=True)
class LinearisedSystem:
    """A system near an operating point; made by :func:`counterpoint.linearise`.

    Attributes
    ----------
    name : str
    models : dict
        Subsystem -> its linear model with the solver that steps it.
    inputs, outputs : dict
        Subsystem -> ports with their widths.
    steps : dict
        Subsystem -> step, s; typical for one that chooses its own.
    connections : tuple of LinearConnection
    remarks : tuple of str
        What is neglected.
    """

    name: str
    models: dict[str, LinearSubsystem]
    inputs: dict[str, dict[str, int]]
    outputs: dict[str, dict[str, int]]
    steps: dict[str, float]
    connections: tuple[LinearConnection, ...]
    remarks: tuple[str, ...] = ()

    def with_steps(self, factor: float | Mapping[str, float]) -> LinearisedSystem:
        """Return the same system with all steps multiplied, or with other steps (s) for some subsystems."""
        if isinstance(factor, Mapping):
            return replace(self, steps={**self.steps, **factor})
        return replace(self, steps={name: factor * step for name, step in self.steps.items()})

    def system(self, x0: Mapping[str, ArrayLike] | None = None) -> System:
        """Return the deviations as a system to run; ``x0``: initial deviations of the states by subsystem."""
        start = x0 or {}
        made = System(self.name)
        for name, model in self.models.items():
            x = np.asarray(start.get(name, np.zeros(len(model.A))), dtype=np.float64)
            made.add(name, self.subsystem(name, x), step=self.steps[name])
        self.connect(made, 1)
        return made

    def subsystem(self, name: str, x0: Vector) -> NativeSubsystem:
        """Return a linear subsystem with the ports of another; ``x0``: its state, or k states as columns.

        With k columns every port is k times as wide: k motions side by side.
        """
        model = self.models[name]
        k = 1 if x0.ndim == 1 else x0.shape[1]
        a, b, solver = model.stepped(self.steps[name])
        c = model.C
        if len(a) == 0:  # the core's models have a state: one that does nothing
            a, b, c, solver = -np.eye(1), np.zeros((1, b.shape[1])), np.zeros((len(c), 1)), "ode1"
            x0 = np.zeros((1, k))
        same = np.eye(k)
        wide = {port: k * width for port, width in self.inputs[name].items()}
        options: dict[str, Any] = dict(model.options) if solver == model.solver else {}
        return linear(
            np.kron(a, same), np.kron(b, same), np.kron(c, same), np.kron(model.D, same), x0=x0.ravel(),
            inputs=wide, outputs={port: k * width for port, width in self.outputs[name].items()}, solver=solver,
            defaults=dict.fromkeys(wide, 0.0), **options,
        )  # fmt: skip

    def connect(self, system: System, k: int) -> None:
        """Add the connections to a system of subsystems that are k times as wide."""
        for connection in self.connections:
            system.connections.append(_widened(connection, k))

    @property
    def coupled(self) -> StateSpace:
        """The whole system without any error of coupling or of solvers; its states are named subsystem.state."""
        a, b, c, d = (_block([getattr(model, key) for model in self.models.values()]) for key in "ABCD")
        gains = self._gains(len(b.T), len(c))
        loop = np.eye(len(gains)) - gains @ d
        closed = a + b @ np.linalg.solve(loop, gains @ c)
        names = tuple(f"{name}.{state}" for name, model in self.models.items() for state in model.states)
        empty = np.zeros((len(a), 0))
        return StateSpace(self.name, closed, empty, np.eye(len(a)), empty, names, (), names)

    def answer_of_pass(self, waiting: Collection[tuple[str, str]]) -> tuple[StateSpace, list[tuple[str, int]]]:
        """Return how a pass of a window answers changes of what it reads from the pass before, and these signals.

        ``waiting``: connections (source, target) that read what is published in the same pass. Inputs and outputs of
        the answer are the same signals, each a subsystem and a column of its outputs.
        """
        a, b, c, d = (_block([getattr(model, key) for model in self.models.values()]) for key in "ABCD")
        same = self._gains(len(b.T), len(c), lambda source, target: (source, target) in waiting)
        before = self._gains(len(b.T), len(c)) - same
        out = _places(self.outputs)
        places = {
            place
            for connection in self.connections
            for source in connection.sources
            if (source, connection.target) not in waiting
            for place in range(out[source].start, out[source].stop)
        }
        read = sorted(places)
        loop = np.linalg.inv(np.eye(len(c)) - d @ same)
        made, through = loop @ c, loop @ d @ before
        columns = [(name, k) for name, widths in self.outputs.items() for k in range(sum(widths.values()))]
        signals = [columns[place] for place in read]
        names = tuple(f"{name}[{column}]" for name, column in signals)
        states = tuple(f"{name}.{state}" for name, model in self.models.items() for state in model.states)
        answer = StateSpace(
            self.name, a + b @ same @ made, b @ (before + same @ through)[:, read], made[read], through[read][:, read],
            states, names, names,
        )  # fmt: skip
        return answer, signals

    def _gains(
        self, inputs: int, outputs: int, counts: Callable[[str, str], bool] = lambda source, target: True
    ) -> Vector:
        """Return L of ``u = L y`` for all inputs and outputs, of those connections (source, target) that count."""
        made = np.zeros((inputs, outputs))
        into, out = _places(self.inputs), _places(self.outputs)
        for connection in self.connections:
            rows = into[connection.target]
            for source, gain in zip(connection.sources, connection.gains, strict=True):
                if counts(source, connection.target):
                    made[rows, out[source]] += gain
        return made


def _widened(connection: LinearConnection, k: int) -> Connection:
    """Return a connection between subsystems that are k times as wide."""
    count = len(connection.sources)
    plain = [float(gain[0, 0]) for gain in connection.gains]
    if all(
        gain.shape[0] == gain.shape[1] and np.array_equal(gain, factor * np.eye(len(gain)))
        for gain, factor in zip(connection.gains, plain, strict=True)
    ):
        return Connection(connection.sources, connection.target, connection.approximations, tuple(plain))

    def law(*signals: float | Vector) -> Vector:
        made = [
            gain @ np.reshape(signal, (gain.shape[1], k))
            for gain, signal in zip(connection.gains, signals, strict=True)
        ]
        return np.asarray(sum(made)).ravel()

    return Connection(connection.sources, connection.target, connection.approximations, (1.0,) * count, law=law)


def _block(parts: list[Vector]) -> Vector:
    made = np.zeros((sum(len(part) for part in parts), sum(part.shape[1] for part in parts)))
    row = column = 0
    for part in parts:
        made[row : row + len(part), column : column + part.shape[1]] = part
        row, column = row + len(part), column + part.shape[1]
    return made


def _places(ports: dict[str, dict[str, int]]) -> dict[str, slice]:
    """Return where each port is among the scalars of all subsystems."""
    made, position = {}, 0
    for name, widths in ports.items():
        for port, width in widths.items():
            made[f"{name}.{port}"] = slice(position, position + width)
            position += width
    return made
