"""Derivatives along a direction by differences of fourth order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..assembly.affine import Vector
from .problem import Direction, Problem, State

_POSITION_STEP = 1e-4
"""Of the size of the mechanism, at most of 1 m (unit vectors turn by it): cancellation 1e-12, truncation 1e-16."""
_VELOCITY_STEP = 1e-5
"""m/s for a mechanism of 1 m: below the rates at which dry friction is smoothed."""
_INPUT_STEP = 1e-3
"""Of the value, at least of 1: inputs mostly enter linearly."""

Evaluate = Callable[[State], Vector]


def along(problem: Problem, evaluate: Evaluate, state: State, direction: Direction) -> Vector:
    """Return the derivative of ``evaluate`` along a direction of states."""
    return derivative(lambda step: evaluate(state.moved(step, direction)), step_size(problem, state, direction))


def derivative(function: Callable[[float], Vector], h: float) -> Vector:
    """Return the derivative of a function of one number at 0: central differences of fourth order."""
    near = function(h) - function(-h)
    far = function(2.0 * h) - function(-2.0 * h)
    return np.asarray((8.0 * near - far) / (12.0 * h))


def step_size(problem: Problem, state: State, direction: Direction) -> float:
    """Return how far to go along a direction: as far as position, velocity and inputs each allow."""
    limits = [
        (direction.q, _POSITION_STEP * min(problem.length, 1.0)),
        (direction.v, _VELOCITY_STEP * problem.length),
        (direction.u, _INPUT_STEP * (1.0 + float(np.abs(state.u).max(initial=0.0)))),
        (direction.du, _INPUT_STEP),
        (direction.ddu, _INPUT_STEP),
    ]
    steps = [limit / size for change, limit in limits if (size := float(np.abs(change).max(initial=0.0))) > 0.0]
    return min(steps, default=1.0)
