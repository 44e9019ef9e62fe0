"""Many cases on all cores, and the curves over the frequency ratio that they make."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from itertools import product
from queue import SimpleQueue
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..._common.signals import signals_held_back
from ...errors import NotFiniteError
from ..report import Progress
from .experiment import Case, run_case
from .measures import Measures

Array = NDArray[np.float64]
_Item = TypeVar("_Item")
_T = TypeVar("_T")

SCHEMES = ("slowest-first", "fastest-first")
ORDERS = (0, 1, 2, 3, 4)
DAMPING = (0.0, 0.05, 0.1, 0.2, 0.5)
DAMPED_ORDERS = (0, 3)
LOW = 25.0
"""Below this FR the source recommends slowest-first with order 3."""


def frequency_ratios(quick: bool) -> Array:
    """Return the values of FR from 1.5 to 99.5: every half, or about thirty that include the landmarks.

    Halves and quarters make the two time grids unsynchronised on purpose. At FR = 100 the slow step is one fast period:
    it samples the fast motion as a constant, which no method could tell from a slow one.
    """
    if not quick:
        return np.arange(1.5, 99.75, 0.5)
    below = [1.5, 2, 3.5, 5, 7.5, 10, 12.25, 15, 17.5, 20, 22.5, 24.5]
    middle = [26.5, 30, 33, 35, 36.5, 38.5, 40, 42.5, 45, 48]
    above = [51, 54, 60, 65, 70, 75, 80, 85, 90, 94, 97, 99.5]
    return np.array([*below, *middle, *above])


def polynomial_cases(ratios: Array) -> list[Case]:
    """Return both schemes with all orders at every frequency ratio."""
    return [Case(float(fr), scheme, order) for fr, scheme, order in product(ratios, SCHEMES, ORDERS)]


def accurate_cases(ratios: Array) -> list[Case]:
    """Return the same below FR = 25 with ode4 on the slow side: what is left is the error of the coupling."""
    return [replace(case, slow_solver="ode4") for case in polynomial_cases(ratios[ratios < LOW])]


def damped_cases(ratios: Array) -> list[Case]:
    """Return both schemes with orders 0 and 3 and every damping ratio."""
    combinations = product(ratios, SCHEMES, DAMPED_ORDERS, DAMPING)
    return [Case(float(fr), scheme, order, damping_ratio=zeta) for fr, scheme, order, zeta in combinations]


def run_cases(cases: Iterable[Case], progress: Progress | None = None, what: str = "cases") -> dict[Case, Measures]:
    """Run every different case once, on all cores; the core works without holding Python's lock.

    A run that leaves the range of numbers counts with infinite errors. An exception (Ctrl-C) waits for the cases that
    are being run; the others are not begun.
    """
    different = list(dict.fromkeys(cases))
    results: dict[Case, Measures] = {}
    with closing(_in_threads(_run_or_diverge, different)) as finished:
        for case, measures in finished:
            results[case] = measures
            if progress:
                progress(what, len(results), len(different))
    return results


def _in_threads(work: Callable[[_Item], _T], items: Sequence[_Item]) -> Generator[tuple[_Item, _T], None, None]:
    """Give each item with what `work` makes of it, in the order in which they are finished.

    Not by `concurrent.futures`: a KeyboardInterrupt that is raised while it holds the locks of its futures leaves some
    of them locked, and its threads wait for ever. Nothing here holds a lock that an exception could leave behind.
    """
    waiting = deque(items)
    finished: SimpleQueue[tuple[_Item, _T] | BaseException] = SimpleQueue()

    def take_turns() -> None:
        try:
            while True:
                try:
                    item = waiting.popleft()
                except IndexError:
                    return
                finished.put((item, work(item)))
        except BaseException as error:
            finished.put(error)

    threads = [threading.Thread(target=take_turns) for _ in range(min(os.cpu_count() or 1, len(items)))]
    try:
        with signals_held_back():  # starting a thread takes locks as well
            for thread in threads:
                thread.start()
        for _ in items:
            done = finished.get()
            if isinstance(done, BaseException):
                raise done
            yield done
    finally:
        waiting.clear()
        for thread in threads:
            if thread.is_alive():  # one that was never started cannot be joined
                thread.join()


def _run_or_diverge(case: Case) -> Measures:
    try:
        return run_case(case)
    except NotFiniteError:
        return Measures(**{field.name: float("inf") for field in fields(Measures)})


@dataclass(frozen=True)
class Sweep:
    """Results of cases, looked up by what they are.

    Attributes
    ----------
    ratios : ndarray
        Values of FR of the curves, rising, shape (n,).
    results : dict
        Measures of every case that was run.
    """

    ratios: Array
    results: dict[Case, Measures]

    def at(self, case: Case) -> Measures:
        """Return the measures of one case."""
        return self.results[case]

    def curve(self, case: Case, name: str = "dx") -> Array:
        """Return the measure `name` of `case` at every FR of `ratios`, shape (n,)."""
        at_each = (replace(case, frequency_ratio=float(fr)) for fr in self.ratios)
        return np.array([getattr(self.results[c], name) for c in at_each])

    def share(self, condition: NDArray[np.bool_], where: NDArray[np.bool_] | None = None) -> float:
        """Return the part of the FR axis (within `where`) on which a condition holds, 0 to 1.

        Every FR counts with the stretch it stands for, so that coarse and fine sweeps agree.
        """
        return self._average(condition.astype(float), where)

    def geometric_mean(self, values: Array, where: NDArray[np.bool_] | None = None) -> float:
        """Return the geometric mean of a curve over the FR axis (within `where`)."""
        return float(np.exp(self._average(np.log(values), where)))

    def _average(self, values: Array, where: NDArray[np.bool_] | None) -> float:
        stretch = np.gradient(self.ratios)
        if where is not None:
            stretch = np.where(where, stretch, 0.0)
        return float(np.average(values, weights=stretch))

    def between(self, low: float, high: float) -> NDArray[np.bool_]:
        """Mark the FR of `ratios` with low < FR < high."""
        return (self.ratios > low) & (self.ratios < high)

    def best(self, name: str) -> Array:
        """Return the smallest `name` of both schemes and all orders at every FR, shape (n,)."""
        return np.asarray(np.min(list(self.polynomials(name).values()), axis=0))

    def polynomials(self, name: str) -> dict[tuple[str, int], Array]:
        """Return the curves of both schemes and all orders."""
        return {(s, o): self.curve(Case(0.0, s, o), name) for s, o in product(SCHEMES, ORDERS)}
