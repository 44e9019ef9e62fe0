"""Which approximation a connection gets that may name none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..approximations import Approximation
from .options import RunOptions

if TYPE_CHECKING:
    from ..system import Connection, System


def chosen_approximation(system: System, connection: Connection, k: int, options: RunOptions) -> Approximation:
    """Return the approximation of source ``k``: its own, what the output or the input prefers, or the run's."""
    owner, _, output = connection.sources[k].partition(".")
    target, _, port = connection.target.partition(".")
    return (
        connection.approximations[k]
        or system.subsystems[owner].subsystem.approximation_of(output)
        or system.subsystems[target].subsystem.input_approximations.get(port)
        or options.default_approximation
    )
