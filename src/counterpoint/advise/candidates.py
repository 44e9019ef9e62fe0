"""Which strategies are tried: scheme, approximation per direction, steps and paces, windows, treatment of the start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from .._run.coupling_notes import is_held, sampled_subsystems
from .._run.options import FirstSteps, RunOptions
from .._run.precedence import Scheme, to_scheme
from .._run.strategy import Strategy
from ..approximations import Approximation, energy_corrected, lagrange
from ..pace import Pace, defect, gradient
from ..system import System
from ..windows import window

SCHEMES = ("slowest-first", "fastest-first", "parallel")
REVERSED = "sequential in reverse"
ORDERS = (0, 1, 2, 3)
PACES: Mapping[str, Callable[..., Pace]] = {"defect": defect, "gradient": gradient}
"""Paces that any subsystem can follow, with a tolerance."""


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


class Pacing(NamedTuple):
    """A pace: defect or gradient, its tolerance, the first step in s; of one subsystem, or of all together."""

    kind: str
    tolerance: float
    first: float
    subsystem: str | None = None

    def pace(self) -> Pace:
        """Return it as a run takes it."""
        return PACES[self.kind](tolerance=self.tolerance, first=self.first)

    def __str__(self) -> str:
        return f"pace{'' if self.subsystem is None else f' of {self.subsystem}'}: {self.pace()}"


class Point(NamedTuple):
    """A strategy as the search knows it.

    Attributes
    ----------
    scheme : str
        A key of :attr:`Choices.schemes`.
    orders : Orders
    factors : tuple of float
        On the step of each subsystem that may be changed.
    first_steps : str
        As for :meth:`System.run`.
    pacing : Pacing or None
        Steps are chosen during the run; the factors then mean nothing for the subsystems that it is for.
    """

    scheme: str
    orders: Orders
    factors: tuple[float, ...]
    first_steps: FirstSteps = "auto"
    pacing: Pacing | None = None

    @property
    def special(self) -> int:
        """How much of it is neither scheme nor order nor step."""
        return sum((*self.orders[2:], self.first_steps != "auto", self.pacing is not None))

    @property
    def costs_more(self) -> bool:
        """Whether its steps cost more than others of these lengths."""
        return any(self.orders[2:]) or self.pacing is not None

    def scaled(self, factor: float, only: Sequence[int] | None = None) -> Point:
        """Return it with all factors multiplied, or some of them."""
        chosen = range(len(self.factors)) if only is None else only
        return self._replace(factors=tuple(f * factor if k in chosen else f for k, f in enumerate(self.factors)))


@dataclass(frozen=True)
class Choices:
    """What may be chosen for a system.

    Attributes
    ----------
    system : System
    steps : mapping
        Subsystem -> its step, s, of those whose steps may be changed.
    all_steps : mapping
        Of all subsystems; typical ones where they choose their own.
    schemes : mapping
        Name -> scheme.
    """

    system: System
    steps: Mapping[str, float]
    all_steps: Mapping[str, float]
    schemes: Mapping[str, Scheme]
    approximated: frozenset[str]  #: outputs whose approximation may be chosen
    own_steps: tuple[str, ...] = ()  #: subsystems whose solvers choose their steps

    @classmethod
    def of(cls, system: System, steps: Mapping[str, float], schemes: Sequence[str] | None) -> Choices:
        """Return the choices for a system with these steps (s), typical ones for those that choose their own."""
        kept = sampled_subsystems(system, RunOptions())
        free = {
            name: steps[name]
            for name, part in system.subsystems.items()
            if name not in kept and part.subsystem.inputs and part.pace is None and part.step is not None
        }
        sources = dict.fromkeys(source for connection in system.connections for source in connection.sources)
        chosen = frozenset(s for s in sources if not is_held(system, s) and s.partition(".")[0] not in kept)
        if schemes:
            named = {name: to_scheme(name) for name in schemes}
        elif len(set(steps.values())) > 1:
            named = {name: to_scheme(name) for name in SCHEMES}
        else:  # the order of the list is what slowest-first and fastest-first would be; the other one may be better
            named = {"sequential": to_scheme("sequential"), "parallel": to_scheme("parallel")}
            named[REVERSED] = Scheme("sequential", order=tuple(reversed(system.subsystems)))
        own = tuple(
            name
            for name, part in system.subsystems.items()
            if name not in kept and part.subsystem.inputs and part.pace is None and part.step is None
        )
        return cls(system, free, steps, named, chosen, own)

    @property
    def orders(self) -> tuple[Orders, ...]:
        """Equal orders for both directions; one where no approximation may be chosen."""
        return tuple(Orders(k, k) for k in (ORDERS if self.approximated else (1,)))

    def point(self, scheme: str, orders: Orders, factor: float = 1.0) -> Point:
        """Return a point with one factor on all steps."""
        return Point(scheme, orders, (factor,) * len(self.steps))

    def steps_at(self, point: Point) -> dict[str, float]:
        """Return the steps (s) of the subsystems whose steps may be changed."""
        return {name: f * step for (name, step), f in zip(self.steps.items(), point.factors, strict=True)}

    @property
    def slower(self) -> list[int]:
        """Places, among the steps that may be changed, of those that are longer than the shortest."""
        shortest = min(self.all_steps.values())
        return [k for k, step in enumerate(self.steps.values()) if step > 1.001 * shortest]

    def strategy(self, point: Point) -> Strategy:
        """Return the strategy of a point."""
        steps = self.steps_at(point)
        chosen = tuple(
            tuple(self._approximation(source, connection.target, point.orders) for source in connection.sources)
            for connection in self.system.connections
        )
        scheme, pacing = self.schemes[point.scheme], point.pacing
        common = pacing.pace() if pacing is not None and pacing.subsystem is None else None
        single = {pacing.subsystem: pacing.pace()} if pacing is not None and pacing.subsystem is not None else {}
        made = Strategy(
            scheme.name, scheme.order, scheme.waits, approximations=chosen, steps=steps,
            first_steps=point.first_steps, pace=common, paces=single,
        )  # fmt: skip
        if not point.orders.repeated:
            return made
        longest = max({**self.all_steps, **steps}.values())
        return replace(made, window=window(longest, repeats=1), first_steps="once")

    def _approximation(self, source: str, target: str, orders: Orders) -> Approximation | None:
        if source not in self.approximated:
            return None
        owner, receiver = source.partition(".")[0], target.partition(".")[0]
        order = orders.slower if self.all_steps[receiver] > self.all_steps[owner] else orders.faster
        return energy_corrected(order) if orders.corrected else lagrange(order)

    def label(self, point: Point) -> str:
        """Return a point in words."""
        a, b, corrected, repeated = point.orders
        words = [point.scheme]
        if self.approximated:
            words.append(f"order {a}" if a == b else f"orders {a} and {b}")
        words += ["energy-corrected"] if corrected else []
        if point.pacing is None:
            words.append(self._factors(point))
        elif point.pacing.subsystem is None:
            words.append(str(point.pacing))
        else:
            words += [self._factors(point, but=point.pacing.subsystem), str(point.pacing)]
        if repeated:
            longest = max({**self.all_steps, **self.steps_at(point)}.values())
            words.append(f"windows of {longest:.3g} s, repeated once")
        words += ["first steps made once"] if point.first_steps == "once" else []
        return ", ".join(word for word in words if word)

    def _factors(self, point: Point, but: str | None = None) -> str:
        """Return the factors on steps in words; not of one that has a pace."""
        factors = dict(zip(self.steps, map(_rounded, point.factors), strict=True))
        factors = {name: factor for name, factor in factors.items() if name != but}
        distinct = set(factors.values())
        if distinct <= {1.0}:
            return ""
        if len(distinct) == 1 and but is None:
            return f"all steps × {distinct.pop():.3g}"
        return "steps " + ", ".join(f"{name} × {f:.3g}" for name, f in factors.items() if f != 1.0)

    def mixed(self) -> Iterator[Orders]:
        """Yield pairs of different orders, where there are two directions."""
        if self.approximated and len(set(self.all_steps.values())) > 1:
            yield from (Orders(a, b) for a, b in product(ORDERS, ORDERS) if a != b and abs(a - b) <= 2)


def _rounded(factor: float) -> float:
    return float(f"{factor:.4g}")
