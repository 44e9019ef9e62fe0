"""Which strategies are tried: scheme, approximation per direction, steps, windows, treatment of the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from .._run.coupling_notes import is_held, sampled_subsystems
from .._run.options import RunOptions
from .._run.strategy import Strategy
from ..approximations import Approximation, energy_corrected, lagrange
from ..system import System
from ..windows import window

SCHEMES = ("slowest-first", "fastest-first", "parallel")
ORDERS = (0, 1, 2, 3)
FEW_ORDERS = (0, 1, 2)
"""Where each candidate is a run of the real models."""


class Orders(NamedTuple):
    """Approximations of a candidate, and whether its steps are repeated.

    Attributes
    ----------
    faster, slower : int
        Order of what the faster side of a connection gets, and of what the slower side gets.
    corrected : bool
        With the nearly energy-preserving correction where it is extrapolated.
    repeated : bool
        In windows of the longest step that are repeated once.
    """

    faster: int
    slower: int
    corrected: bool = False
    repeated: bool = False


@dataclass(frozen=True)
class Choices:
    """What may be chosen for a system.

    Attributes
    ----------
    system : System
    steps : mapping
        Subsystem -> its step, s, of those whose steps may be changed.
    schemes : sequence of str
    """

    system: System
    steps: Mapping[str, float]
    all_steps: Mapping[str, float]
    schemes: Sequence[str] = SCHEMES

    @classmethod
    def of(cls, system: System, steps: Mapping[str, float], schemes: Sequence[str] | None) -> Choices:
        """Return the choices for a system with these steps (s), typical ones for those that choose their own."""
        kept = sampled_subsystems(system, RunOptions())
        free = {
            name: steps[name]
            for name, part in system.subsystems.items()
            if name not in kept and part.subsystem.inputs and part.pace is None and part.step is not None
        }
        distinct = len(set(steps.values())) > 1
        # With equal steps slowest-first and fastest-first are the order of the list; sequential says it plainly.
        default = SCHEMES if distinct else ("sequential", "parallel")
        return cls(system, free, steps, tuple(schemes) if schemes else default)

    def strategy(self, scheme: str, orders: Orders, factor: float = 1.0, slow_only: bool = False) -> Strategy:
        """Return a strategy; factor: on all steps, or on those that are longer than the shortest."""
        shortest = min(self.all_steps.values())
        steps = {name: step * factor for name, step in self.steps.items() if not slow_only or step > 1.001 * shortest}
        chosen = tuple(
            tuple(self._approximation(source, connection.target, orders) for source in connection.sources)
            for connection in self.system.connections
        )
        made = Strategy(scheme, approximations=chosen, steps={**self.steps, **steps}, first_steps="auto")
        return self.repeating(made) if orders.repeated else made

    def repeating(self, strategy: Strategy) -> Strategy:
        """Return a strategy with windows of its longest step, each repeated once."""
        longest = max({**self.all_steps, **strategy.steps}.values())
        return replace(strategy, window=window(longest, repeats=1), first_steps="once")

    def _approximation(self, source: str, target: str, orders: Orders) -> Approximation | None:
        owner, receiver = source.partition(".")[0], target.partition(".")[0]
        if is_held(self.system, source) or owner in sampled_subsystems(self.system, RunOptions()):
            return None
        order = orders.slower if self.all_steps[receiver] > self.all_steps[owner] else orders.faster
        return energy_corrected(order) if orders.corrected else lagrange(order)

    def label(self, strategy: Strategy, orders: Orders) -> str:
        """Return a strategy in words."""
        a, b = orders.faster, orders.slower
        order = f"order {a}" if a == b else f"orders {a} and {b}"
        order += ", energy-corrected" if orders.corrected else ""
        factors = {name: strategy.steps[name] / step for name, step in self.steps.items()}
        distinct = set(map(_rounded, factors.values()))
        if distinct <= {1.0}:
            steps = ""
        elif len(distinct) == 1:
            steps = f", all steps × {distinct.pop():.3g}"
        else:
            steps = ", steps " + ", ".join(f"{name} × {f:.3g}" for name, f in factors.items() if _rounded(f) != 1.0)
        window = "" if strategy.window is None else f", windows of {strategy.window.length:.3g} s, repeated once"
        return f"{strategy.name}, {order}{steps}{window}"

    def plain(self, orders: Sequence[int] = ORDERS) -> Iterator[tuple[str, Orders]]:
        """Yield schemes with equal orders in both directions."""
        for scheme, order in product(self.schemes, orders):
            yield scheme, Orders(order, order)

    def mixed(self, scheme: str) -> Iterator[Orders]:
        """Yield pairs of different orders, where there are two directions."""
        if len(set(self.all_steps.values())) > 1:
            yield from (Orders(a, b) for a, b in product(ORDERS, ORDERS) if a != b and abs(a - b) <= 2)

    def special(self) -> Iterator[tuple[str, Orders]]:
        """Yield what is tried once the plain ones are known: corrected polynomials, repeated steps."""
        for scheme in self.schemes:
            yield from ((scheme, Orders(order, order, corrected=True)) for order in (0, 1, 2))
        yield from ((self.schemes[0], Orders(order, order, repeated=True)) for order in (1, 2))


def _rounded(factor: float) -> float:
    return float(f"{factor:.4g}")
