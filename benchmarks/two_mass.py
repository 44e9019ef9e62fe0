"""The two-mass, three-spring problem of the benchmark, and the hand-written loop that solves it.

The fast mass (1 Hz, ode4, 10 ms) and the slow one (1/FR Hz, trapezoidal rule, FR · 10 ms) exchange their
positions through the spring between them; amplitude ratios 0.1, 0.1 and -1000.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import counterpoint as cp
from benchmarks.compiled import library

FAST_STEP = 0.01
FAST_OMEGA = 2 * np.pi
X1, X2 = 11.0, 9.99

PRECEDENCE_DX = {
    (5, 0): 8.4017e-4,
    (5, 1): 1.5381e-3,
    (5, 3): 1.1860e-3,
    (10, 0): 1.7563e-3,
    (10, 1): 2.5115e-3,
    (10, 3): 1.7055e-3,
    (40, 0): 4.4093e-2,
    (40, 1): 5.4903e-2,
    (40, 3): 6.9142e-2,
}
"""Position error of slowest-first after 100 s, by (FR, order), from two independent programs."""


@dataclass(frozen=True)
class Parameters:
    """Masses in kg, stiffnesses in N/m, steps in s, for one frequency ratio."""

    m1: float
    m2: float
    k1: float
    k2: float
    k3: float
    h: float
    H: float


def parameters(ratio: int) -> Parameters:
    """Return the problem whose modes are 1 Hz and 1/ratio Hz."""
    difference = FAST_OMEGA**2 * (1 - 1 / ratio**2)
    excess = ratio**2 - 1
    return Parameters(
        m1=1.01 / difference,
        m2=101 / difference,
        k1=1.01 / excess,
        k2=1.0,
        k3=101 / excess,
        h=FAST_STEP,
        H=FAST_STEP * ratio,
    )


@dataclass(frozen=True)
class Motion:
    """Time histories of both masses, each (n,) on its own time axis: t in s, x in m, v in m/s."""

    t1: NDArray[np.float64]
    x1: NDArray[np.float64]
    v1: NDArray[np.float64]
    t2: NDArray[np.float64]
    x2: NDArray[np.float64]
    v2: NDArray[np.float64]


def hand_written(ratio: int, order: int, fast_steps: int, loop: str = "two_mass_loop") -> Motion:
    """Run a hand-written loop; fresh arrays for the results are part of its work."""
    p = parameters(ratio)
    given = (ctypes.c_double * 15)(p.m1, p.m2, p.k1, p.k2, p.k3, X1, X2, p.h, p.H)
    slow_steps = -(-fast_steps // ratio)
    fast = [np.empty(fast_steps + 1) for _ in range(3)]
    slow = [np.empty(slow_steps + 1) for _ in range(3)]
    defects = np.empty((slow_steps + 1, 3))
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (*fast, *slow, defects)]
    written = getattr(library(loop), loop)(order, ctypes.c_int64(fast_steps), given, *addresses)
    if written != slow_steps + 1:
        raise RuntimeError(f"{loop}: {written} slow samples for order {order}, not {slow_steps + 1}")
    return Motion(*fast, *slow)


def two_mass_system(ratio: int, order: int) -> cp.System:
    """Return the same problem as a Counterpoint system; outputs ``x`` and ``v`` of ``fast`` and ``slow``."""
    p = parameters(ratio)
    fast = cp.linear(
        [[0, 1], [-(p.k1 + p.k2) / p.m1, 0]],
        [[0], [p.k2 / p.m1]],
        x0=[X1, 0.0],
        outputs=("x", "v"),
        solver="ode4",
    )
    slow = cp.linear(
        [[0, 1], [-(p.k2 + p.k3) / p.m2, 0]],
        [[0], [p.k2 / p.m2]],
        x0=[X2, 0.0],
        outputs=("x", "v"),
        solver="trapezoidal",
    )
    system = cp.System("two-mass")
    system.add("fast", fast, step=p.h)
    system.add("slow", slow, step=p.H)
    system.connect("slow.x", "fast.u", cp.lagrange(order))
    system.connect("fast.x", "slow.u", cp.lagrange(order))
    return system


def coupled(ratio: int, order: int, fast_steps: int) -> Motion:
    """Run the problem with Counterpoint and return the same histories as the hand-written loop."""
    result = two_mass_system(ratio, order).run(until=fast_steps * FAST_STEP, scheme="slowest-first", first_steps="once")
    fast, slow = result["fast.x"], result["slow.x"]
    return Motion(
        fast.time,
        fast.values,
        result["fast.v"].values,
        slow.time,
        slow.values,
        result["slow.v"].values,
    )


def position_error(motion: Motion, ratio: int) -> float:
    """Return the relative position error of the fast mass, scaled by FR/N for N fast cycles."""
    t, x = motion.t1[1:], motion.x1[1:]
    exact = np.cos(FAST_OMEGA * t) + 10 * np.cos(FAST_OMEGA / ratio * t)
    relative = np.sqrt(np.mean((x - exact) ** 2) / np.mean(exact**2))
    return float(ratio / motion.t1[-1] * relative)
