"""Linear parts that are connected, and the exact solution of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...approximations import Approximation
from ...quality.judged import judged
from ...subsystems import NativeSubsystem, linear
from ...system import System
from ..step_control.exact import linear_solution
from .trial import Array, Solution


@dataclass(frozen=True)
class Part:
    """A linear part ``x' = A x + B u``, ``y = C x + D u``."""

    a: Any
    b: Any
    c: Any
    x0: Sequence[float]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    d: Any = None
    solver: str = "ode4"

    def subsystem(self) -> NativeSubsystem:
        """Return it as a subsystem."""
        return linear(
            self.a, self.b, self.c, self.d, x0=self.x0, inputs=self.inputs, outputs=self.outputs, solver=self.solver
        )


@dataclass(frozen=True)
class Network:
    """Parts and connections: (source, target)."""

    parts: Mapping[str, Part]
    connections: Sequence[tuple[str, str]]
    name: str = "network"
    solvers: Mapping[str, str] = field(default_factory=dict)

    def system(self, steps: Mapping[str, float | None], approximation: Approximation) -> System:
        """Return the coupled system; a step of None: the solver chooses."""
        system = System(self.name)
        for name, part in self.parts.items():
            system.add(name, part.subsystem(), step=steps[name])
        for source, target in self.connections:
            system.connect(source, target, approximation)
        return system

    def solution(self) -> dict[str, Solution]:
        """Return the solution of each exchanged signal, and of the outputs of parts that send nothing."""
        a, b, c, d, start = self._blocks()
        inputs, outputs = self._ports("inputs"), self._ports("outputs")
        lead = np.zeros((len(inputs), len(outputs)))
        for source, target in self.connections:
            lead[inputs.index(target), outputs.index(source)] = 1.0
        to_inputs = np.linalg.solve(np.eye(len(inputs)) - lead @ d, lead @ c)
        whole, rows = a + b @ to_inputs, c + d @ to_inputs
        names = judged({name: part.outputs for name, part in self.parts.items()}, [s for s, _ in self.connections])
        return {name: linear_solution(whole, start, rows[outputs.index(name)].tolist()) for name in names}

    def _ports(self, kind: str) -> list[str]:
        return [f"{name}.{port}" for name, part in self.parts.items() for port in getattr(part, kind)]

    def _blocks(self) -> tuple[Array, Array, Array, Array, Array]:
        found = [
            (
                np.atleast_2d(part.a),
                np.atleast_2d(part.b),
                np.atleast_2d(part.c),
                np.zeros((len(part.outputs), len(part.inputs))) if part.d is None else np.atleast_2d(part.d),
            )
            for part in self.parts.values()
        ]
        a, b, c, d = (_diagonal([np.asarray(blocks[k], dtype=float) for blocks in found]) for k in range(4))
        return a, b, c, d, np.concatenate([np.asarray(part.x0, dtype=float) for part in self.parts.values()])


def _diagonal(blocks: Sequence[Array]) -> Array:
    made = np.zeros((sum(len(block) for block in blocks), sum(block.shape[1] for block in blocks)))
    row = column = 0
    for block in blocks:
        made[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return made
