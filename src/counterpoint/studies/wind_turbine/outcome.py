"""Everything that the study computes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...multibody.library import cart
from ..report import Progress
from .awt import AwtRun, frequencies, run_awt, run_others
from .cart_runs import COARSE, FULL, QUICK, CartRun, Plan, simulate
from .costs import Costs, measure
from .performance import Map, maps
from .uae import UaeRun, run_uae

Array = NDArray[np.float64]
_PICTURED = 4.0
"""Of the animation, s."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was run and computed; ``plan`` says how long."""

    quick: bool
    plan: Plan
    awt: AwtRun
    maps: list[Map]
    run: CartRun
    costs: Costs
    single: CartRun
    multirate: CartRun
    pictured: CartRun
    blade: Array
    tower: Array
    others: dict[str, pd.DataFrame]
    uae: UaeRun


def compute(quick: bool, progress: Progress | None = None) -> Outcome:
    """Run everything; the quick form is short and coarse."""
    plan = QUICK if quick else FULL

    def tell(what: str, done: int) -> None:
        if progress is not None:
            progress(what, done, 5)

    tell("AWT-27", 0)
    awt = run_awt(quick)
    others = {} if quick else run_others()
    tell("power of the rotor", 1)
    coefficients = maps(quick)
    tell("one rate and two", 2)
    costs, single, multirate = measure(plan if quick else _running(plan), 2.0 if quick else 10.0)
    tell("wind in steps", 3)
    run = simulate(plan, COARSE, plan.until)
    pictured = simulate(_running(plan), COARSE, _PICTURED, pictures=True)
    tell("frequencies", 4)
    data = cart()
    top = data.nacelle.mass + data.shaft.mass + data.hub.mass + 2 * data.blade.mass
    blade, tower = frequencies(data.blade, 8, 0.0), frequencies(data.tower, 8, top)
    tell("done", 5)
    return Outcome(
        quick, plan, awt, coefficients, run, costs, single, multirate, pictured, blade, tower, others, run_uae()
    )


def _running(plan: Plan) -> Plan:
    """Return the plan of the compared runs: at rated speed from the start, with a step of the wind."""
    return Plan(((0.0, 13.5), (20.0, 15.0)), plan.until, QUICK.speed, 0.0, QUICK.pitch, plan.compared)
