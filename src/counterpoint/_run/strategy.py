"""A strategy: everything that can be chosen about a coupling without changing its models."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..approximations import Approximation
from .options import FirstSteps, RunOptions
from .precedence import Scheme

if TYPE_CHECKING:
    from ..pace import Pace
    from ..system import System
    from ..windows import Window


@dataclass(frozen=True)
class Strategy(Scheme):
    """A scheme with approximations, steps and treatment of the start; give it to ``System.run`` as its scheme.

    Attributes
    ----------
    approximations : tuple of tuples
        For each connection one per source; None leaves what the connection says. Empty: all as they are.
    steps : mapping
        Subsystem -> fixed step, s; others keep theirs.
    first_steps : str
        As for :meth:`System.run`.
    window : Window or None
        As for :meth:`System.run`.
    pace : Pace or None
        Of all subsystems together, as for :meth:`System.run`; steps are then the first ones.
    paces : mapping
        Subsystem -> its own pace, as for :meth:`System.add`; others keep theirs.
    """

    approximations: tuple[tuple[Approximation | None, ...], ...] = ()
    steps: Mapping[str, float] = field(default_factory=dict)
    first_steps: FirstSteps = "once"
    window: Window | None = None
    pace: Pace | None = None
    paces: Mapping[str, Pace] = field(default_factory=dict)

    @property
    def scheme(self) -> Scheme:
        """Who waits for whom, alone."""
        return Scheme(self.name, self.order, self.waits)

    @property
    def options(self) -> dict[str, Any]:
        """Options of a run of the system that it was applied to."""
        return {
            "scheme": self.scheme, "first_steps": self.first_steps, "window": self.window, "pace": self.pace,
        }  # fmt: skip

    def applied(self, system: System) -> System:
        """Return the system with its approximations, steps and paces; the subsystems are shared."""
        made = copy(system)
        made.constants, made.bonds, made.events = dict(system.constants), list(system.bonds), list(system.events)
        made.subsystems = {
            name: replace(part, step=self.steps.get(name, part.step), pace=self.paces.get(name, part.pace))
            for name, part in system.subsystems.items()
        }
        given = self.approximations or tuple(c.approximations for c in system.connections)
        made.connections = [
            replace(
                connection,
                approximations=tuple(new or old for new, old in zip(chosen, connection.approximations, strict=True)),
            )
            for connection, chosen in zip(system.connections, given, strict=True)
        ]
        return made


def with_strategy(system: System, options: RunOptions) -> tuple[System, RunOptions]:
    """Return system and options of a run whose scheme may be a strategy; what the run itself says goes first."""
    given = options.scheme
    if not isinstance(given, Strategy):
        return system, options
    first_steps = given.first_steps if options.first_steps == RunOptions.first_steps else options.first_steps
    changed = replace(
        options, scheme=given.scheme, first_steps=first_steps, window=options.window or given.window,
        pace=options.pace or given.pace,
    )  # fmt: skip
    return given.applied(system), changed
