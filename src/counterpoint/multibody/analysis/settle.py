"""A mechanism that starts where it rests."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from .equilibrium import equilibrium
from .of_mechanism import problem_of

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism


def settled(mechanism: Mechanism) -> Mechanism:
    """Return a copy that starts at rest in its static equilibrium; the drawing stays, so natural lengths do, too."""
    found = equilibrium(problem_of(mechanism))
    assembly = mechanism.assembled()
    made = copy.copy(mechanism)
    for key, value in vars(mechanism).items():
        if isinstance(value, (dict, list)):
            setattr(made, key, copy.copy(value))
    made.start_position = {
        name: found.state.q[offset : offset + assembly.sizes[name]].copy() for name, offset in assembly.offsets.items()
    }
    made.coordinates = {name: replace(coordinate, rate=0.0) for name, coordinate in mechanism.coordinates.items()}
    made.points = {name: copy.copy(point) for name, point in mechanism.points.items()}
    for point in made.points.values():
        point.velocity = 0.0 * point.velocity
    made.initial_values = []
    made._changed()
    return made
