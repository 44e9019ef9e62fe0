"""Find out what a run costs, and how to spread it over several hosts."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .._run.options import RunOptions
from .._run.plan import waiting
from .._run.precedence import to_scheme
from .._run.run import run_to_end
from ..errors import SetupError
from .cost_model import Load, Network, Prediction, predict
from .messages import _BLOCK, _HEADER

if TYPE_CHECKING:
    from ..system import System

PILOT_STEPS = 200
"""The slowest subsystem makes so many steps, at most, to find out what a step costs."""
MOST_PILOTS = 10
PILOT_SECONDS = 0.5
"""Such a run is repeated so often at most, and not after so much wall time."""
MOST_TRIED = 8
"""Up to so many subsystems every way to cut the system is tried."""
MOST_MOVES = 200


def measure(system: System, options: RunOptions) -> Load:
    """Run the beginning of a scenario in this process, and return what its steps cost.

    Raises
    ------
    SetupError
        A subsystem has no fixed step, so that its number of steps is not known.
    """
    if options.until is None:
        raise SetupError("until: None; expected a finite time in s")
    steps = {name: participant.step for name, participant in system.subsystems.items()}
    problems = [f"subsystems.{name}.step: a prediction needs a fixed step" for name, h in steps.items() if h is None]
    if problems:
        raise SetupError(problems)
    fixed = {name: float(h) for name, h in steps.items() if h is not None}
    span = options.until - options.start
    pilot = min(span, PILOT_STEPS * max(fixed.values()))
    short = replace(options, until=options.start + pilot, first_steps="once", check="off", file=None)
    waits = waiting(system, to_scheme(options.scheme), options.start)
    pairs = [
        (source.partition(".")[0], connection.target.partition(".")[0])
        for connection in system.connections
        for source in connection.sources
    ]
    return Load(
        fixed,
        _step_costs(system, short),
        waits,
        {name: sorted({source for source, target in pairs if target == name}) for name in fixed},
        {name: _size(system, name) for name in fixed},
        span,
    )


def _step_costs(system: System, options: RunOptions) -> dict[str, float]:
    """Return what a step of each subsystem costs, s: the least of several short runs.

    The first steps of a process find nothing in its caches, and other programs disturb all of them.
    """
    costs: dict[str, float] = {}
    began = time.monotonic()
    for _ in range(MOST_PILOTS):
        summary = run_to_end(system, options).summary
        for name, seconds, steps in zip(system.subsystems, summary.seconds, summary.steps, strict=True):
            costs[name] = min(costs.get(name, math.inf), seconds / max(1, steps))
        if time.monotonic() - began > PILOT_SECONDS:
            break
    return costs


def _size(system: System, name: str) -> float:
    """Bytes of a message with one sample: t, next t, values."""
    width = sum(system.subsystems[name].subsystem.output_widths.values())
    return _HEADER.size + _BLOCK.size + 8.0 * (2 + width)


def best_cuts(load: Load, hosts: int, network: Network) -> list[Prediction]:
    """Return the best way found for each number of hosts from 1 to ``hosts``.

    >>> names = ["a", "b", "c", "d"]
    >>> load = Load(dict.fromkeys(names, 0.1), dict.fromkeys(names, 1e-2), {n: [] for n in names},
    ...             {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, dict.fromkeys(names, 24), 1.0)
    >>> [round(cut.speed_up, 1) for cut in best_cuts(load, 2, Network(request_cost=0.0))]
    [1.0, 2.0]
    """
    names = list(load.steps)
    best = [predict(load, [names], network)]
    for count in range(2, min(hosts, len(names)) + 1):
        tried = _all_cuts(names, count) if len(names) <= MOST_TRIED else iter([_balanced(load, count)])
        found = min((predict(load, cut, network) for cut in tried), key=lambda p: p.seconds)
        best.append(found if len(names) <= MOST_TRIED else _improved(load, found, network))
    return best


def _all_cuts(names: Sequence[str], count: int) -> Iterator[list[list[str]]]:
    """Yield every way to put the names into so many groups."""
    if count == 1:
        yield [list(names)]
    elif len(names) == count:
        yield [[name] for name in names]
    elif len(names) > count:
        first, rest = names[0], names[1:]
        for groups in _all_cuts(rest, count - 1):
            yield [[first], *groups]
        for groups in _all_cuts(rest, count):
            for place in range(count):
                yield [[first, *group] if k == place else list(group) for k, group in enumerate(groups)]


def _balanced(load: Load, count: int) -> list[list[str]]:
    """Return groups of about the same work: the costliest first, each to the group with the least."""
    work = {name: load.costs[name] / load.steps[name] for name in load.steps}
    groups: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for name in sorted(work, key=lambda name: -work[name]):
        place = sums.index(min(sums))
        groups[place].append(name)
        sums[place] += work[name]
    return groups


def _improved(load: Load, found: Prediction, network: Network) -> Prediction:
    """Move single subsystems to the hosts of those that they read, as long as that helps."""
    moves = 0
    for name in load.steps:
        for source in load.sources[name]:
            here = next(k for k, part in enumerate(found.parts) if name in part)
            there = next(k for k, part in enumerate(found.parts) if source in part)
            if here == there or len(found.parts[here]) == 1 or moves >= MOST_MOVES:
                continue
            moves += 1
            cut = [[n for n in part if n != name] for part in found.parts]
            cut[there].append(name)
            tried = predict(load, cut, network)
            found = min(found, tried, key=lambda p: p.seconds)
    return found


def plan_text(scenario: str, prediction: Prediction) -> str:
    """Return a launch plan for a cut, as TOML."""
    lines = [f'scenario = "{scenario}"', ""]
    for number, part in enumerate(prediction.parts, start=1):
        names = ", ".join(f'"{name}"' for name in part)
        title = part[0] if len(part) == 1 else f"host{number}"
        lines += [f"[parts.{title}]", f"subsystems = [{names}]", ""]
    return "\n".join(lines)
