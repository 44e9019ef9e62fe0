"""Notes on connections for a result: the approximation, its order, and whether held values are exact."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..subsystems import NativeSubsystem
from .approximation_choice import chosen_approximation
from .options import RunOptions
from .pacing import order_of

if TYPE_CHECKING:
    from ..system import System


def coupling_text(system: System, options: RunOptions) -> str:
    """Return the connections of a system for its result, as JSON, one entry per source."""
    sampled = sampled_subsystems(system, options)
    return json.dumps(
        [
            {
                "source": source,
                "target": connection.target,
                "approximation": (chosen := chosen_approximation(system, connection, k, options)).name,
                "order": order_of(chosen),
                "sampled": source.partition(".")[0] in sampled or is_held(system, source),
            }
            for connection in system.connections
            for k, source in enumerate(connection.sources)
        ]
    )


def is_held(system: System, source: str) -> bool:
    """Whether an output is declared to keep its value from sample to sample."""
    owner, _, port = source.partition(".")
    preferred = system.subsystems[owner].subsystem.approximation_of(port)
    return preferred is not None and preferred.name.startswith("hold")


def sampled_subsystems(system: System, options: RunOptions) -> frozenset[str]:
    """Return the subsystems whose step belongs to the model: it says so, or everything it sends is held.

    A model with its own step method, of which nothing but held values are taken, is a sampled controller. The models
    of the core have continuous states: holding their outputs is an approximation like any other.
    """
    held: dict[str, list[bool]] = {}
    for connection in system.connections:
        for k, source in enumerate(connection.sources):
            name = chosen_approximation(system, connection, k, options).name
            held.setdefault(source.partition(".")[0], []).append(name.startswith("hold"))
    return frozenset(
        name
        for name, part in system.subsystems.items()
        if part.subsystem.sampled
        or (part.step is not None and all(held.get(name, [False])) and _has_own_step_method(part.subsystem))
    )


def _has_own_step_method(subsystem: object) -> bool:
    return not isinstance(subsystem, NativeSubsystem) and not getattr(subsystem, "copied_for_runs", False)
