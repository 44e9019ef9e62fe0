"""The L-loop four-bar of the benchmark, its reference and the hand-written step that solves it.

2 L + 1 uniform rods of 1 m and 1 kg: L + 1 cranks on the ground at (k, 0), upright at the start, and L links
between their tips B0 ... BL, which all move at 1 m/s along +x; gravity 9.81 m/s² along -y. One degree of
freedom, except when the cranks are horizontal: there the constraints are redundant and it has L + 1.
"""

import ctypes
from typing import Protocol

from benchmarks.compiled import library

STEP = 1e-3
GRAVITY = 9.81


class Mechanism(Protocol):
    """What the benchmark asks of a contestant, ready at its initial state."""

    def run(self, steps: int) -> None:
        """Take ``steps`` steps of ``STEP``; this is what is timed."""

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        """Return the position of B0 in m after 1, 2, ... ``seconds`` s."""


class HandWritten:
    """The single-purpose C++ step of ``native/four_bar_step.cpp``."""

    def __init__(self, loops: int) -> None:
        self._library = library("four_bar_step")
        self._library.four_bar_new.restype = ctypes.c_void_p
        self._library.four_bar_run.restype = ctypes.c_int64
        self._mechanism = ctypes.c_void_p(self._library.four_bar_new(loops))
        self.corrections = 0

    def __del__(self) -> None:
        self._library.four_bar_delete(self._mechanism)

    def run(self, steps: int) -> None:
        made = self._library.four_bar_run(self._mechanism, ctypes.c_int64(steps))
        if made < 0:
            raise RuntimeError("four_bar_step: the corrections of a step do not converge")
        self.corrections += made

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        return [self._after_a_second() for _ in range(seconds)]

    def _after_a_second(self) -> tuple[float, float]:
        self.run(round(1 / STEP))
        xy = (ctypes.c_double * 2)()
        self._library.four_bar_point(self._mechanism, 0, xy)
        return xy[0], xy[1]


def reference(loops: int, seconds: int) -> list[tuple[float, float]]:
    """Return B0 after 1, 2, ... s from the cranks' angle: ((L+1)/3 + L) θ″ = -g ((L+1)/2 + L) cos θ."""
    import numpy as np
    from scipy.integrate import solve_ivp

    factor = GRAVITY * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    solution = solve_ivp(
        lambda _, y: [y[1], -factor * np.cos(y[0])],
        (0.0, seconds),
        [np.pi / 2, -1.0],
        method="DOP853",
        t_eval=np.arange(1.0, seconds + 1),
        max_step=1e-2,  # the dense output between steps is of a lower order
        rtol=1e-13,
        atol=1e-13,
    )
    return [(float(np.cos(angle)), float(np.sin(angle))) for angle in solution.y[0]]
