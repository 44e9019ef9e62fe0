"""The variant with an algebraic loop that memory blocks break: a force crosses to the slow side, not x1.

A memory block gives the value its input had at the previous step, ``y_n = u_{n-1}``. Force and time both pass
one on their way into the interface. In the step from t_i the interface therefore sees the pair
(t_{i-1}, F_{i-1}) and answers with x2(t_{i-1}), the same in all four stages. Seen from the interface the
host's clock is one step late, and so it is modelled here: at interface time t the host's own time is t + h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import Subsystem, linear

if TYPE_CHECKING:
    from ...subsystems.base import InputFunction
    from .problem import TwoMass

Array = NDArray[np.float64]


class MemoryHost(Subsystem):
    """The fast mass as host of an interface behind memory blocks.

    Parameters
    ----------
    problem : TwoMass
        Masses, springs and dampers.
    step : float
        Step h in s.
    all_forces : bool
        The force sent is all that acts on the slow mass, not only that of k2.

    Attributes
    ----------
    motion : list of (float, float)
        x1 in m and v1 in m/s at 0, h, 2h, ... of the host's time.
    """

    inputs = ("x2",)
    outputs = ("force",)
    feedthrough = ()

    def __init__(self, problem: TwoMass, step: float, *, all_forces: bool) -> None:
        self.problem = problem
        self.all_forces = all_forces
        self.motion: list[tuple[float, float]] = [(float(problem.start[0]), 0.0)]
        self._force = 0.0
        self._free, self._forced = ode4_maps(problem.matrix[:2, :2], [0.0, problem.matrix[1, 2]], step)

    def start(self, t: float) -> None:
        """Make the host's first step: the memory blocks hold the time 0, the interface answers x2(0)."""
        self.motion = [(float(self.problem.start[0]), 0.0)]
        self._advance(float(self.problem.start[1]))

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        """Make the host's step from t + h to t_end + h with the slow displacement of time t held."""
        self._advance(float(u(t)[0]))

    def output(self, t: float, u: InputFunction) -> float:
        """Return the force in N that the memory block holds."""
        return self._force

    def _advance(self, x2: float) -> None:
        x1, v1 = self.motion[-1]
        self._force = self.problem.k2 * (x1 - x2) - (self.problem.k3 * x2 if self.all_forces else 0.0)
        new = self._free @ (x1, v1) + self._forced * x2
        self.motion.append((float(new[0]), float(new[1])))


def force_driven_mass(problem: TwoMass, all_forces: bool) -> Subsystem:
    """Return the slow mass with a force as input; the spring k3 is inside unless it is part of the force."""
    k3 = 0.0 if all_forces else problem.k3
    return linear(
        [[0.0, 1.0], [-k3 / problem.m2, -problem.c3 / problem.m2]],
        [[0.0], [1 / problem.m2]],
        x0=[float(problem.start[1]), 0.0],
        inputs=("force",),
        outputs=("x2", "v2"),
        solver="trapezoidal",
    )


def ode4_maps(a: Array, b: list[float], h: float) -> tuple[Array, Array]:
    """Return matrix and vector of one ode4 step of x' = a x + b u, u held: x ← matrix x + vector u."""
    z = h * np.asarray(a)
    eye = np.eye(z.shape[0])
    series = eye + z @ (eye / 2 + z @ (eye / 6 + z / 24))
    return eye + z @ series, h * series @ np.asarray(b)
