"""Other orders of approximations during a run (``adapt = true``): when, which, and how they are reported.

It listens to what was assumed of each extrapolated signal against what arrived. An instability of the coupling begins
in the highest band that the interface resolves. Where that band grows and has become visible, the growth is compared
with what the linearised system predicts, and the order is chosen with which the prediction grows least. A change is
made between steps, when all subsystems have reached the same time, and acts from the next step of each receiver on.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite, log, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._common.provided import provided
from ..approximations import Approximation, lagrange
from ..errors import SetupError
from .approximation_choice import chosen_approximation
from .events import EventLog, quietly

if TYPE_CHECKING:
    from .. import _core
    from ..system import System
    from .options import RunOptions
    from .plan import Plan

LOOKS = 50
"""How often a run is looked at."""
STRETCH = 24
"""Comparisons in each of the two stretches between which growth is measured: the first ones and the last ones."""
GROWN, VISIBLE = 1.5, 0.005
"""The highest band counts when it has grown by the factor and is this share of the signal."""
SURE_GROWN, SURE_VISIBLE = 4.0, 0.2
"""The same where the linearised system predicts no growth: motions may grow by themselves."""
ORDERS = (0, 1, 2, 3)
CHANGED = "approximations are changed"
"""What the log says when it was done."""

Array = NDArray[np.float64]


def check_adapt(options: RunOptions) -> RunOptions:
    """Return the options of a run that may adapt; raise SetupError where another part of the run decides the same."""
    if not isinstance(options.adapt, bool):
        raise SetupError(f"adapt: {options.adapt!r}; expected true or false")
    if not options.adapt:
        return options
    taken = {"window": options.window, "pace": options.pace, "host": options.host}
    problems = [f"adapt: not together with {key}" for key, value in taken.items() if value is not None]
    if options.first_steps == "repeat":
        problems.append('adapt: not together with first_steps = "repeat"')
    if problems:
        raise SetupError(problems)
    return replace(options, first_steps="once")


@dataclass
class _Watched:
    """One extrapolated signal: what has arrived lately, and the approximation in use."""

    number: int
    label: str
    connection: int
    source: int
    order: int
    time: list[Array] = field(default_factory=list)
    arrived: list[Array] = field(default_factory=list)
    first: tuple[float, float] | None = None  #: middle in s and rms of the highest band of the first stretch

    def told(self, rows: Array) -> None:
        """Keep times, assumed and arrived values (first component)."""
        width = (rows.shape[1] - 1) // 2
        self.time.append(rows[:, 0])
        self.arrived.append(rows[:, 1 + width])

    def forget(self) -> None:
        """Begin anew: another order is in use."""
        self.time, self.arrived, self.first = [], [], None

    def growth(self) -> tuple[float, float, float]:
        """Return factor and rate (1/s) by which the highest band has grown, and its share of the signal."""
        values, times = (np.concatenate(part or [np.empty(0)]) for part in (self.arrived, self.time))
        if self.first is None and len(values) >= STRETCH + 2:
            self.first = _band(times[: STRETCH + 2], values[: STRETCH + 2])
        newest = slice(len(values) - STRETCH - 2, None)
        if self.first is None or len(values) < 2 * STRETCH:
            return nan, nan, 0.0
        values, times = values[newest], times[newest]
        self.time, self.arrived = [times], [values]
        (begin, before), (end, after) = self.first, _band(times, values)
        scale = float(np.std(values))
        if not (before > 0 and scale > 0 and end > begin and isfinite(after)):
            return nan, nan, 0.0
        return after / before, log(max(after / before, 1e-12)) / (end - begin), after / scale


def _band(times: Array, values: Array) -> tuple[float, float]:
    """Return the middle of a stretch and the rms of the upper half of the frequencies that its samples resolve."""
    high = (2 * values[1:-1] - values[:-2] - values[2:]) / 4
    return float(times[len(times) // 2]), float(np.sqrt(np.mean(high**2)))


class Adaptation:
    """Watches a run and chooses other orders."""

    def __init__(self, system: System, options: RunOptions, plan: Plan, log_: EventLog) -> None:
        self._system, self._options, self._log = system, options, log_
        self._watched = {one.number: one for one in _watched(system, options, plan)}
        self._span = plan.until - plan.start
        self._start = plan.start
        self._predictions: dict[tuple[int, ...], float] = {}

    def next_look(self, t: float) -> float:
        """Return when to look again, s."""
        if not isfinite(self._span):
            return float("inf")
        done = int((t - self._start) / self._span * LOOKS + 1e-6)
        return self._start + (done + 1) * self._span / LOOKS

    def told(self, connection: int, rows: Any) -> None:
        """Listen to what was assumed and what arrived."""
        if connection in self._watched:
            self._watched[connection].told(np.asarray(rows, dtype=np.float64))

    def look(self, t: float, driver: _core.Scheduler) -> None:
        """At a time that all subsystems have reached: change orders where the coupling has become unstable."""
        suspicious = [(one, *one.growth()) for one in self._watched.values()]
        suspicious = [found for found in suspicious if found[1] > GROWN and found[3] > VISIBLE]
        if not suspicious:
            return
        one, factor, rate, share = max(suspicious, key=lambda found: found[2])
        predicted = self._predicted(tuple(w.order for w in self._watched.values()))
        expected = isfinite(predicted) and predicted * self._span > 0.1
        if not expected and not (factor > SURE_GROWN and share > SURE_VISIBLE):
            return
        chosen = self._chosen(one)
        text = (
            f"{one.label}: the highest band has grown {factor:.2g} times to {100 * share:.2g} % of the signal "
            f"({rate:.2g} per second; predicted {predicted:.2g})"
        )
        changed = {
            w.label: (w.order, new) for w, new in zip(self._watched.values(), chosen, strict=True) if w.order != new
        }
        if not changed:
            self._log.add("warning", f"{text}; no other order is expected to be better: reduce the steps", t)
        for watched, new in zip(self._watched.values(), chosen, strict=True):
            if watched.order != new:
                driver.change_approximation(watched.number, lagrange(new)._native())
                watched.order = new
            watched.forget()
        if changed:
            told = ", ".join(f"{label} from order {old} to {new}" for label, (old, new) in changed.items())
            self._log.add("warning", f"{text}; {CHANGED}: {told}", t)

    def _chosen(self, worst: _Watched) -> tuple[int, ...]:
        """Return the orders with the smallest predicted growth; where nothing is predicted, the next lower one."""
        now = tuple(w.order for w in self._watched.values())
        lowered = tuple(max(w.order - 1, 0) if w is worst else w.order for w in self._watched.values())
        candidates = {(order,) * len(now): self._predicted((order,) * len(now)) for order in ORDERS}
        known = {orders: growth for orders, growth in candidates.items() if isfinite(growth)}
        if not known or not isfinite(self._predicted(now)) or self._predicted(now) * self._span < 0.1:
            return lowered  # what grows is not what the linearised system knows
        # Of those that hardly grow over the run the highest order.
        calm = [orders for orders, growth in known.items() if growth * self._span < 0.1]
        return max(calm) if calm else min(known, key=lambda orders: known[orders])

    def _predicted(self, orders: tuple[int, ...]) -> float:
        """Return the growth, 1/s, of the worst motion beyond that of the exact system; NaN: not known."""
        if orders not in self._predictions:
            self._predictions[orders] = self._analysed(orders)
        return self._predictions[orders]

    def _analysed(self, orders: tuple[int, ...]) -> float:
        made = copy(self._system)
        made.connections = list(self._system.connections)
        for watched, order in zip(self._watched.values(), orders, strict=True):
            connection = made.connections[watched.connection]
            chosen: list[Approximation | None] = list(connection.approximations)
            chosen[watched.source] = lagrange(order)
            made.connections[watched.connection] = replace(connection, approximations=tuple(chosen))
        analyse = provided("stability")
        try:
            with quietly():
                found = analyse(made, self._options.scheme, approximation=self._options.approximation)
        except Exception:  # whatever keeps a model from being linearised is no problem of the run
            return nan
        return float(found.growth_rate - found.exact_growth)


def _watched(system: System, options: RunOptions, plan: Plan) -> list[_Watched]:
    """Return the signals that are extrapolated with plain polynomials, in the order in which the core numbers them."""
    places = [(c, k) for c, connection in enumerate(system.connections) for k in range(len(connection.sources))]
    found = []
    for number, ((c, k), planned) in enumerate(zip(places, plan.connections, strict=True)):
        word, _, order = chosen_approximation(system, system.connections[c], k, options).name.partition(" ")
        if not planned.waits and word == "lagrange" and order.isdecimal():
            found.append(_Watched(number, f"{planned.source} -> {planned.target}", c, k, int(order)))
    return found
