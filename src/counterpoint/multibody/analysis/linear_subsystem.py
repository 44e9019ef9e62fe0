"""A mechanism near its start as a linear subsystem, with the integrator of its formulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..._common.ports import columns
from ...linear_model import LinearSubsystem
from ..assembly.affine import Vector
from .linearise import linearise
from .of_mechanism import problem_of, standard

if TYPE_CHECKING:
    from ..modelling.formulations import Formulation
    from ..modelling.mechanism import Mechanism

_EXPLICIT = {"rk2": "ode2", "rk4": "ode4"}


def linear_subsystem(
    mechanism: Mechanism, ports: dict[str, int], t: float, u: Vector, at: Sequence[float] | None = None
) -> LinearSubsystem:
    """Return a mechanism near a state: positions, then velocities of all coordinates; default: its start.

    ``ports``: its outputs with their widths, ``u``: all its inputs there.
    """
    problem = problem_of(mechanism)
    assert problem.assembly is not None
    problem.outputs = {**standard(problem.assembly), **problem.outputs}
    there = replace(problem.start, t=t, u=np.array(u, dtype=np.float64))
    if at is not None:
        q, v = np.split(np.array(at), 2)
        there = problem.remembered(replace(there, q=q, v=v))
    model = linearise(problem, there, outputs=list(ports))
    inputs = tuple(mechanism.inputs)
    places = [model.inputs.index(name) for name in inputs]
    solver, options, remark = _solver(mechanism.formulation)
    if len(places) < len(model.inputs):
        remark = "the rates of inputs that guide it are neglected"
    return LinearSubsystem(
        mechanism.name, model.A, model.B[:, places], model.C, model.D[:, places], model.states, inputs,
        tuple(columns(ports)), solver, options, None, remark,
    )  # fmt: skip


def _solver(formulation: Formulation) -> tuple[str, dict[str, float], str]:
    """Return the solver of ordinary equations that makes the same steps, and where it does not."""
    kind = formulation.integrator
    if kind in _EXPLICIT:
        return _EXPLICIT[kind], {}, ""
    if kind == "newmark":
        return "newmark", {"beta": formulation.beta, "gamma": formulation.gamma}, ""
    if kind == "trapezoidal":
        return "newmark", {"beta": 0.25, "gamma": 0.5}, ""
    return "newmark", {"beta": 0.25, "gamma": 0.5}, f'its integrator "{kind}" is treated as the trapezoidal rule'
