"""What would make the recommended strategy better: a shorter step, other signals at a bond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

from .._run.strategy import Strategy
from .advice import Candidate
from .coupling_variables import alternatives
from .search import Search

HELPS = 0.8
"""Halving a step is worth a word when the error becomes this part of what it was, or less."""
OTHER_HELPS = 0.7
OTHER_SIGNALS_SECONDS = 1.0
"""Time of a run up to which other signals at bonds are tried."""


def improvements(search: Search, best: Candidate) -> list[str]:
    """Say what would make a candidate better."""
    return [*_halving(search, best), *_exchanging(search, best)]


def _halving(search: Search, best: Candidate) -> Iterator[str]:
    """Say which step to halve: the one whose halving helps most."""
    steps, tolerance = search.pilots.choices.steps, search.pilots.tolerance
    if best.strategy.pace is not None or best.strategy.paces:
        if not best.error <= tolerance:
            parts = search.pilots.parts
            yield (
                "to get closer to the tolerance, give shorter steps: what is tried is compared with a run whose steps "
                f"are {parts} times shorter than those given"
            )
        return
    if not steps or (search.by_pilots and best.error <= tolerance):
        return  # with real models only where it is needed
    before = _wrong(search, best.strategy)
    halves = {
        name: _wrong(search, replace(best.strategy, steps={**best.strategy.steps, name: best.strategy.steps[name] / 2}))
        for name in steps
    }
    name = min(halves, key=lambda key: halves[key])
    if isfinite(halves[name]) and halves[name] < HELPS * before:
        factor = f"{before / max(halves[name], 1e-12):.2g}" if isfinite(before) else "many"
        head = "to make it better" if best.error <= tolerance else "to get closer to the tolerance"
        yield f'{head}, halve the step of "{name}": the error becomes {factor} times smaller'
    elif not best.error <= tolerance:
        yield "halving the step of one subsystem alone does not help: reduce all of them"


def _wrong(search: Search, strategy: Strategy) -> float:
    """Return the error of a strategy, from a pilot or from the surrogates."""
    if search.by_pilots or search.surrogates is None:
        return search.pilots.outcome(strategy).error
    return search.surrogates.error(strategy, search.pilots.until)


def _exchanging(search: Search, best: Candidate) -> Iterator[str]:
    """Say where other signals at a bond would make the error smaller, each against a tight pilot of its own."""
    pilots = search.pilots
    others = list(alternatives(pilots.system))
    if not others or pilots.run_seconds > OTHER_SIGNALS_SECONDS or not isfinite(best.error):
        return
    before = pilots.alone(pilots.system, best.strategy)
    for text, system in others:
        after = pilots.alone(system, best.strategy)
        if after < OTHER_HELPS * before:
            yield f"to make it better, {text}: the error becomes {before / max(after, 1e-12):.2g} times smaller"
