"""Cut a system into parts that run as federates, and say which part waits for which across the cut.

HELICS grants times; it knows nothing of steps. The rule of Counterpoint maps onto it as follows. A federate whose
subsystems wait for no other federate asks for the time at which its next step begins, one that waits for another asks
for the time at which it ends. Then what a granted time guarantees is what the step needs, for any steps, as long as
no federate waits for one that itself waits. Where a scheme has such a chain, the later link is cut: that subsystem
extrapolates instead. :attr:`Share.cut` tells where; the same run in one process is ``cp.custom(share.waits)``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._run.approximation_choice import chosen_approximation
from .._run.checks import feedthrough_edges
from .._run.feedthrough import as_input, as_port, longest_chain, tear_loops
from .._run.options import RunOptions
from .._run.plan import waiting
from .._run.precedence import to_scheme
from ..errors import SetupError, did_you_mean
from .fed import Fed

if TYPE_CHECKING:
    from ..system import System

Parts = Mapping[str, Sequence[str]]
"""Name of each part -> its subsystems."""


@dataclass(frozen=True)
class Export:
    """What a subsystem of this part sends to others.

    Attributes
    ----------
    name : str
        The subsystem.
    number : int
        Its number in the whole system.
    columns : tuple of int
        Scalars among its outputs that are used elsewhere.
    ports : tuple of str
        The outputs.
    receivers : tuple of str
        Parts that use them.
    slopes : bool
        Whether derivatives are sent as well.
    """

    name: str
    number: int
    columns: tuple[int, ...]
    ports: tuple[str, ...]
    receivers: tuple[str, ...]
    slopes: bool


@dataclass(frozen=True)
class Share:
    """One part of a system, ready to run as a federate.

    Attributes
    ----------
    part : str
        Its name.
    local : System
        Its subsystems, and those of others as :class:`~counterpoint.federation.fed.Fed`.
    waits : dict
        For each subsystem of the whole system those it waits for, in the federation.
    cut : tuple of (consumer, source)
        Who does not wait for whom though the scheme says so.
    exports : tuple of Export
        What is sent.
    imports : dict
        Number of a subsystem in the whole system -> its name here.
    sources : tuple of str
        Parts that send something to this one.
    later : frozenset of str
        Subsystems here that wait for another part, directly or through others of this part.
    passes : int
        How often initial outputs are exchanged.
    digest : bytes
        Of the scenario and its parts: all federates must have the same.
    """

    part: str
    local: System
    waits: dict[str, list[str]]
    cut: tuple[tuple[str, str], ...]
    exports: tuple[Export, ...]
    imports: dict[int, str]
    sources: tuple[str, ...]
    later: frozenset[str]
    passes: int
    digest: bytes


def one_each(system: System) -> dict[str, list[str]]:
    """Return parts of one subsystem each.

    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level"), step=0.1)
    >>> one_each(system)
    {'tank': ['tank']}
    """
    return {name: [name] for name in system.subsystems}


def owners(system: System, parts: Parts) -> dict[str, str]:
    """Return the part of each subsystem; raise SetupError when one is in none or in several."""
    found: dict[str, str] = {}
    problems = []
    for part, names in parts.items():
        if not names:
            problems.append(f"parts.{part}: has no subsystems")
        for name in names:
            if name not in system.subsystems:
                problems.append(f'parts.{part}: no subsystem "{name}"' + did_you_mean(name, system.subsystems))
            elif name in found:
                problems.append(f'parts.{part}: "{name}" is in the part "{found[name]}" already')
            found[name] = part
    problems += [f'parts: "{name}" is in no part' for name in system.subsystems if name not in found]
    if problems:
        raise SetupError(problems)
    return found


def waits_across(waits: Mapping[str, Iterable[str]], owner: Mapping[str, str]) -> dict[str, list[str]]:
    """Return which part waits for which: none waits for a part that itself waits for another.

    >>> scheme = {"a": [], "b": ["a"], "c": ["a", "b"]}
    >>> waits_across(scheme, {"a": "p", "b": "q", "c": "r"})
    {'a': [], 'b': ['a'], 'c': ['a']}
    """
    kept: dict[str, list[str]] = {name: [] for name in waits}
    for name in _sources_first(waits):
        for source in waits[name]:
            if owner[source] == owner[name] or not _reaches_another(source, kept, owner):
                kept[name].append(source)
    return kept


def _sources_first(waits: Mapping[str, Iterable[str]]) -> list[str]:
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        for source in waits[name]:
            visit(source)
        order.append(name)

    for name in waits:
        visit(name)
    return order


def _reaches_another(name: str, waits: Mapping[str, Iterable[str]], owner: Mapping[str, str]) -> bool:
    """Whether a subsystem waits for another part, directly or through others of its own part."""
    return any(owner[s] != owner[name] or _reaches_another(s, waits, owner) for s in waits[name])


def share_of(system: System, options: RunOptions, parts: Parts, part: str) -> Share:
    """Cut one part out of a system.

    Raises
    ------
    SetupError
        A subsystem is in no part, the settings of the run need one process, or initial values depend on each other
        across parts.
    """
    owner = owners(system, parts)
    if part not in parts:
        raise SetupError(f'part: "{part}": no such part' + did_you_mean(part, parts))
    _check_settings(options)
    scheme = waiting(system, to_scheme(options.scheme), options.start)
    waits = waits_across(scheme, owner)
    cut = tuple((name, source) for name in scheme for source in scheme[name] if source not in waits[name])
    mine = [name for name in system.subsystems if owner[name] == part]
    natives = {name: participant.subsystem._native() for name, participant in system.subsystems.items()}
    early = {name: native.stops_early for name, native in natives.items()}
    _check_early(system, owner, waits, early)
    wanting = _wanting_slopes(system, options, {name for name, native in natives.items() if native.offers_derivatives})
    used = {name: _used_ports(system, owner, name) for name in system.subsystems}
    feds = {
        name: Fed(
            system.subsystems[name].subsystem,
            used[name],
            slopes=name in wanting,
            stops_early=early[name],
            own_pace=system.subsystems[name].step is None or system.subsystems[name].pace is not None,
        )
        for name in _read_by(system, owner, part)
    }
    names = list(system.subsystems)
    exports = tuple(_exports(system, owner, used, wanting, mine))
    return Share(
        part,
        _local(system, mine, feds),
        waits,
        cut,
        exports,
        {names.index(name): name for name in feds},
        tuple(dict.fromkeys(owner[name] for name in feds)),
        frozenset(name for name in mine if _reaches_another(name, waits, owner)),
        _passes(system, owner, bool(wanting)),
        _digest(system, options, parts, waits),
    )


def _check_settings(options: RunOptions) -> None:
    problems = [
        f"{key}: {what} needs all subsystems in one process; remove it, or use counterpoint run"
        for key, what in (
            ("window", "a window" if options.window is not None else ""),
            ("pace", "a common pace" if options.pace is not None else ""),
            ("real_time", "keeping to the wall clock" if options.real_time is not None else ""),
            ("first_steps", "repeating the first steps" if options.first_steps == "repeat" else ""),
        )
        if what
    ]
    if problems:
        raise SetupError(problems)


def _pairs(system: System) -> list[tuple[str, str, str]]:
    """Return source subsystem, its output, and consumer of each connection; a condition of an event is like one."""
    ends = [(source, connection.target) for connection in system.connections for source in connection.sources]
    ends += [
        (output.partition("[")[0], event.target.rpartition("-> ")[2])
        for event in system.events
        for output in (event.condition.outputs if event.condition is not None else ())
    ]
    return [(s.partition(".")[0], s.partition(".")[2], target.partition(".")[0]) for s, target in ends]


def _used_ports(system: System, owner: Mapping[str, str], name: str) -> list[str]:
    used = {output for source, output, consumer in _pairs(system) if source == name and owner[consumer] != owner[name]}
    return [port for port in system.subsystems[name].subsystem.output_widths if port in used]


def _read_by(system: System, owner: Mapping[str, str], part: str) -> list[str]:
    """Return the subsystems of other parts that this one reads."""
    read = {source for source, _, consumer in _pairs(system) if owner[consumer] == part != owner[source]}
    return [name for name in system.subsystems if name in read]


def _exports(
    system: System, owner: Mapping[str, str], used: Mapping[str, list[str]], wanting: set[str], mine: Iterable[str]
) -> Iterable[Export]:
    names = list(system.subsystems)
    for name in mine:
        if not used[name]:
            continue
        receivers = {owner[consumer] for source, _, consumer in _pairs(system) if source == name} - {owner[name]}
        columns: list[int] = []
        place = 0
        for port, width in system.subsystems[name].subsystem.output_widths.items():
            columns += range(place, place + width) if port in used[name] else ()
            place += width
        yield Export(
            name, names.index(name), tuple(columns), tuple(used[name]), tuple(sorted(receivers)), name in wanting
        )


def _wanting_slopes(system: System, options: RunOptions, offering: set[str]) -> set[str]:
    """Return the subsystems whose derivatives are used somewhere, and which offer them."""
    found = set()
    for connection in system.connections:
        for k, source in enumerate(connection.sources):
            name = source.partition(".")[0]
            if name in offering and chosen_approximation(system, connection, k, options)._native().wants_derivatives:
                found.add(name)
    return found


def _check_early(
    system: System, owner: Mapping[str, str], waits: Mapping[str, list[str]], early: Mapping[str, bool]
) -> None:
    pairs = {(source, consumer) for source, _, consumer in _pairs(system) if owner[source] != owner[consumer]}
    both = [
        (a, b)
        for a, b in sorted(pairs)
        if a < b and (b, a) in pairs and early[a] and early[b] and a not in waits[b] and b not in waits[a]
    ]
    if both:
        raise SetupError(
            [
                f'parts: "{a}" and "{b}" both may end steps early (events) and extrapolate each other, so that each '
                "would wait for the other; put them in one part, or let one of them wait: scheme = { waits_for = ... }"
                for a, b in both
            ]
        )


def _local(system: System, mine: Sequence[str], feds: Mapping[str, Fed]) -> System:
    made = copy(system)
    made.subsystems = {name: system.subsystems[name] for name in mine}
    for name, fed in feds.items():
        participant = system.subsystems[name]
        step = None if participant.pace is not None else participant.step
        made.subsystems[name] = replace(participant, subsystem=fed, step=step, pace=None)
    made.connections = [c for c in system.connections if c.target.partition(".")[0] in mine]
    made.constants = {port: value for port, value in system.constants.items() if port.partition(".")[0] in mine}
    made.bonds = []
    made.events = [event for event in system.events if event.target.rpartition("-> ")[2].partition(".")[0] in mine]
    return made


def _passes(system: System, owner: Mapping[str, str], slopes: bool) -> int:
    edges = feedthrough_edges(system, at_start=True)
    chains, torn = tear_loops(edges, [as_input(connection.target) for connection in system.connections])
    across = [
        port
        for port in map(as_port, torn)
        for connection in system.connections
        if connection.target == port
        and any(owner[source.partition(".")[0]] != owner[port.partition(".")[0]] for source in connection.sources)
    ]
    if across:
        raise SetupError(
            [
                f'connections to "{port}": initial values depend on each other in a loop across parts; give the '
                "connection an initial value (initial = ...), or put both sides in one part"
                for port in across
            ]
        )
    passes = 1 + longest_chain(chains)
    return 2 * passes + 1 if slopes else passes


def _digest(system: System, options: RunOptions, parts: Parts, waits: Mapping[str, list[str]]) -> bytes:
    told = [
        [
            (name, p.step, str(p.pace), p.subsystem.output_widths, dict(p.subsystem.units))
            for name, p in system.subsystems.items()
        ],
        [(c.sources, c.target) for c in system.connections],
        {part: list(names) for part, names in parts.items()},
        dict(waits),
        (options.start, options.until),
    ]
    return hashlib.blake2b(repr(told).encode(), digest_size=16).digest()
