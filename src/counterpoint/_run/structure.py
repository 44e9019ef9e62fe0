"""What follows from the structure of a system alone: found once, and again for another structure.

Many runs differ in values only: initial states, parameters, matrices. Checks, places of ports, who waits for whom and
the layout of the result are the same for all of them, and take longer than a short run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from .options import RunOptions

if TYPE_CHECKING:
    from ..system import Connection, System

_T = TypeVar("_T")
MOST_KEPT = 8
"""Structures that are remembered."""
LARGEST_KEPT = 100
"""Subsystems of a system up to which its structure is remembered: runs of larger ones take longer than planning them,
and the memory would be missed."""


class Once(Protocol):
    """Returns what a function returns, or what it returned before."""

    def __call__(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """Return what ``find`` returns."""


def find_again(what: Hashable, find: Callable[[], _T]) -> _T:
    """Return what a function returns: where nothing is remembered."""
    return find()


class Structure:
    """The structure of a system in a kind of run, and what is known to follow from it.

    Parameters
    ----------
    key : tuple or None
        What it is compared by; None: it cannot be compared, and serves one run.
    """

    def __init__(self, key: tuple[Any, ...] | None) -> None:
        self.key = key
        self._found: dict[Hashable, Any] = {}

    def once(self, what: Hashable, find: Callable[[], _T]) -> _T:
        """Return what ``find`` returns, which must depend on nothing but the structure, and hold no model."""
        try:
            return cast(_T, self._found[what])
        except KeyError:
            found = self._found[what] = find()
            return found


class _Memory:
    """The structures of the latest runs, newest first; replaced as a whole, for other threads read them."""

    kept: tuple[Structure, ...] = ()


MEMORY = _Memory()


def structure_of(system: System, options: RunOptions) -> Structure:
    """Return the structure of a system in a run, with all that is known of it."""
    key = _key(system, options)
    if key is not None:
        for known in MEMORY.kept:
            if _is_same(key, known.key):
                return known
    return Structure(key)


def remember(structure: Structure, system: System, options: RunOptions) -> None:
    """Keep what was found for further runs; the checks may have opened ports."""
    if structure.key is None or system.unit_warnings:  # which each system says once
        return
    structure.key = _key(system, options)
    MEMORY.kept = (structure, *MEMORY.kept[: MOST_KEPT - 1])


def _is_same(one: tuple[Any, ...], other: tuple[Any, ...] | None) -> bool:
    try:
        return one == other
    except ValueError:  # of arrays
        return False


def _key(system: System, options: RunOptions) -> tuple[Any, ...] | None:
    """Return all that the plan of a run reads; None where it may read more than can be compared.

    Whatever chooses steps, repeats or changes anything is planned anew for each run, and so are models that are no
    plain list of facts.
    """
    special = (options.pace, options.window, options.host, options.outside, options.real_time)
    large = len(system.subsystems) > LARGEST_KEPT or len(system.connections) > 4 * LARGEST_KEPT
    if special != (None,) * len(special) or system.events or system.bonds or large:
        return None
    models = []
    for name, part in system.subsystems.items():
        facts = part.subsystem._facts()
        if facts is None or part.step is None or part.pace is not None:
            return None
        models.append((name, part.step, part.typical_step, part.record, facts))
    connections = [_facts_of(connection) for connection in system.connections if connection.law is None]
    if len(connections) < len(system.connections):
        return None
    if not all(isinstance(value, float | int) for value in system.constants.values()):
        return None  # arrays change without being replaced
    default = options.approximation
    run = (
        options.until, options.start, options.scheme, options.threads, options.first_steps, options.driven,
        default and (getattr(default, "made_by", None) or default),  # what is none is told by the checks
    )  # fmt: skip
    return run, models, connections, dict(system.constants), system.convert


def _facts_of(connection: Connection) -> tuple[Any, ...]:
    made = [given and (given.made_by or given) for given in connection.approximations]
    return (
        connection.sources, connection.target, made, connection.gains, connection.offset, connection.initial,
        connection.convert,
    )  # fmt: skip
