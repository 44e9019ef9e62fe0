"""Other signals to exchange, where a bond leaves a choice: the side that gives the potential could give the flow."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from ..bonds import INTERFACES, Bond
from ..errors import CounterpointError
from ..system import System


def alternatives(system: System) -> Iterator[tuple[str, System]]:
    """Yield what could be exchanged instead, in words, with the system that does it; subsystems are shared.

    A potential-flow bond can be turned round where both sides have the ports for it, or carry the speed instead of the
    position (or the reverse) where both are there.
    """
    for bond in system.bonds:
        if bond.causality != "potential-flow" or bond.law is not None:
            continue
        interface = INTERFACES[bond.interface]
        text = f'at bond {bond.name} let "{bond.right.subsystem}" give the {interface.potential} and '
        text += f'"{bond.left.subsystem}" the {interface.flow}'
        turned = _without(system, bond)
        try:
            turned.bond(bond.interface, bond.right, bond.left, name=bond.name)
        except CounterpointError:
            pass  # the ports for it are not there
        else:
            yield text, turned
        yield from _with_one_signal(system, bond)


def _with_one_signal(system: System, bond: Bond) -> Iterator[tuple[str, System]]:
    """Yield the bond with only one of the signals that it exchanges beside the flow."""
    flow = INTERFACES[bond.interface].flow
    words = [word for word in bond.exchanged if word != flow]
    if len(words) < 2:
        return
    for word in words:
        others = [w for w in words if w != word]
        made = copy(system)
        made.connections = [
            c for c in system.connections if not any(_carries(system, c.target, bond, other) for other in others)
        ]
        if len(made.connections) < len(system.connections):
            yield f"at bond {bond.name} exchange the {word} without the {others[0]}", made


def _carries(system: System, target: str, bond: Bond, word: str) -> bool:
    owner, _, port = target.partition(".")
    return owner == bond.right.subsystem and port == bond.right.ports.get(word, word)


def _without(system: System, bond: Bond) -> System:
    """Return a system without a bond and its connections."""
    sides = {bond.left.subsystem, bond.right.subsystem}
    inputs = {port.input for port in bond.power}
    made = copy(system)
    made.bonds = [other for other in system.bonds if other is not bond]
    made.connections = [
        c
        for c in system.connections
        if c.target not in inputs
        and not (
            {c.target.partition(".")[0], *(s.partition(".")[0] for s in c.sources)} == sides
            and any(_carries(system, c.target, bond, word) for word in bond.exchanged)
        )
    ]
    return made
