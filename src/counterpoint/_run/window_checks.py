"""What can be wrong with a system that is to run in windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._common.numbers import is_number
from ..windows import Window
from .problem import Problem

if TYPE_CHECKING:
    from ..system import Participant, System


def window_problems(system: System, window: object) -> Iterator[Problem]:
    """Say why a system cannot run in these windows."""
    if window is None:
        return
    if not isinstance(window, Window):
        yield Problem("window", f"{window!r}; write cp.window(length, repeats)")
        return
    for name, participant in system.subsystems.items():
        if not participant.subsystem.can_save:
            yield Problem(
                f"subsystems.{name}",
                "cannot save and restore its state, which a window that is repeated needs; "
                "give it save and restore, or run without window",
            )
        if participant.step is not None and is_number(participant.step) and participant.step > 0.0:
            yield from _step_problems(name, participant, float(participant.step), float(window.length))


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
