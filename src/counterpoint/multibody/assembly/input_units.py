"""Units of the inputs of a mechanism, from what they do in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..modelling.time_values import input_of

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism
    from ..modelling.parts import ForcePart


def input_units(mechanism: Mechanism) -> dict[str, str]:
    """Return the unit of every input that does one kind of thing: a force, a torque, an angle, a length or a speed.

    >>> from counterpoint.multibody import Mechanism
    >>> crank = Mechanism("crank", dimension=2)
    >>> crank.point("O", (0, 0), fixed=True)
    >>> crank.point("A", (1, 0))
    >>> crank.body("arm", points=["O", "A"], mass=1.0)
    >>> crank.force("push", "A", ["input:push", 0.0])
    >>> crank.torque("drive", "arm", "input:drive")
    >>> input_units(crank)
    {'push': 'N', 'drive': 'N*m'}
    """
    found: dict[str, set[str]] = {}
    for value, unit in _uses(mechanism):
        name = input_of(value)
        if name is not None:
            found.setdefault(name, set()).add(unit)
    return {name: next(iter(units)) for name, units in found.items() if len(units) == 1}


def _uses(mechanism: Mechanism) -> Iterator[tuple[Any, str]]:
    """Yield values that may be inputs, with the unit they are in."""
    for guide in mechanism.guides:
        yield guide.value, "rad" if mechanism.measures[guide.measure].is_angular else "m"
    for part in mechanism.forces.values():
        yield from _uses_in(mechanism, part)


def _uses_in(mechanism: Mechanism, part: ForcePart) -> Iterator[tuple[Any, str]]:
    options = part.options
    if part.kind == "actuator":
        measure = options["measure"]
        yield options["force"], "N*m" if measure and mechanism.measures[measure].is_angular else "N"
    elif part.kind == "force":
        yield from ((value, "N") for value in options["components"])
    elif part.kind == "torque":
        yield from ((value, "N*m") for value in options["components"])
    elif part.kind == "aerodynamic strip":
        yield from ((value, "m/s") for value in options["wind"])
    elif part.kind == "rotor aerodynamics":
        yield from ((value, "m/s") for value in options["wind"].velocity)
