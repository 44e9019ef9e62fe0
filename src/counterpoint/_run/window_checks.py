"""What can be wrong with a system that is to run in windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._common.numbers import is_number
from ..errors import did_you_mean
from ..windows import REPEAT_ONCE, Window
from .options import RunOptions
from .problem import Problem
from .window_plan import fast_members, fixed_steps

if TYPE_CHECKING:
    from ..system import Participant, System


def window_problems(system: System, options: RunOptions) -> Iterator[Problem]:
    """Say why a system cannot run in these windows."""
    window: object = options.window
    if window is None:
        return
    if not isinstance(window, Window):
        yield Problem("window", f'{window!r}; write cp.window(length, repeats) or "{REPEAT_ONCE}"')
        return
    if window.length is None:
        yield Problem("window.length", "is missing, and no subsystem has a fixed step that could serve as the length")
        return
    if window.estimate is not None and str(options.scheme) != "parallel":
        yield Problem("window.estimate", f'estimated responses need the scheme "parallel", not "{options.scheme}"')
    if window.compound is not None:
        yield from _compound_problems(system, window, options.scheme)
    for name, participant in system.subsystems.items():
        if not participant.subsystem.can_save and window.estimate is None:
            yield Problem(
                f"subsystems.{name}",
                "cannot save and restore its state, which a repeated window needs; "
                "give it save and restore, use cp.estimated_response, or run without window",
            )
        if participant.step is not None and is_number(participant.step) and participant.step > 0.0:
            yield from _step_problems(name, participant, float(participant.step), float(window.length))


def _compound_problems(system: System, window: Window, scheme: object) -> Iterator[Problem]:
    assert window.length is not None
    if str(scheme) != "slowest-first":
        yield Problem("window.compound", f'compound steps need the scheme "slowest-first", not "{scheme}"')
    steps = fixed_steps(system)
    fast = fast_members(system, window)
    for name in fast:
        if name not in system.subsystems:
            yield Problem("window.fast", f'there is no subsystem "{name}"{did_you_mean(name, system.subsystems)}')
        elif name not in steps:
            yield Problem(f"subsystems.{name}", "needs a fixed step to be refined after a compound step")
        else:
            share = steps[name] / window.length if window.compound == "mixed" else float(window.compound or 1.0)
            texts = list(system.subsystems[name].subsystem.step_problems(share * window.length, math.inf))
            if texts:
                yield Problem(f"subsystems.{name}", f"cannot make the compound step: {texts[0]}")
    sources = {owner(source) for c in system.connections if owner(c.target) not in fast for source in c.sources}
    if not sources & set(fast):
        yield Problem("window.compound", _why_nothing_is_solved_together(system, window, fast))


def _why_nothing_is_solved_together(system: System, window: Window, fast: list[str]) -> str:
    if window.fast or (fast and len(fast) < len(system.subsystems)):
        return "no slow subsystem reads a fast one, so there is nothing to solve together; run without window"
    if not fast:
        return (
            f"no subsystem has a step shorter than the compound step, {window.length:g} s, so none is refined; "
            "name those that are, fast=[...], or use cp.window"
        )
    longest = max(fixed_steps(system).values())
    return (
        f"all subsystems have steps shorter than the compound step, {window.length:g} s, so none of them is slow; "
        f"use the longest step, {longest:g} s, or name the fast ones, fast=[...]"
    )


def owner(port: str) -> str:
    """Return the subsystem of a port."""
    return port.partition(".")[0]


def _step_problems(name: str, participant: Participant, step: float, length: float) -> Iterator[Problem]:
    if length < step * (1.0 - 1e-9):
        text = f'{length:g} s is shorter than the step of "{name}", {step:g} s; use at least that'
        yield Problem("window.length", text)
        return
    model = participant.subsystem
    always = set(model.step_problems(step, math.inf))
    ends_unequal = set(model.step_problems(step, length)) - always
    ends_inside = set(model.step_problems(length, math.inf)) - always
    if ends_unequal or ends_inside:
        near = max(round(length / step), 1) * step
        yield Problem(
            "window.length",
            f'{length:g} s is not a multiple of the step of "{name}", {step:g} s, which cannot shorten its last '
            f"step; use {near:g} s",
        )
