"""An inverted pendulum on a cart, kept up by a PD controller (Solcia 2010, section 4.3).

Cart 1 kg, thin rod of 0.2 kg and 1 m that starts 10 degrees from upright, force F = 40 θ + 8 θ' on the cart. The source
prints no numbers: masses, length and gains are ours, chosen for its figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import Diagram, Subsystem, System, hold
from ...multibody import Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Inverted:
    """Numbers of the problem, SI."""

    cart: float = 1.0
    rod: float = 0.2
    length: float = 1.0
    start: float = np.deg2rad(10.0)
    proportional: float = 40.0
    derivative: float = 8.0
    gravity: float = 9.81

    def linear(self, *, controlled: bool = True) -> Array:
        """Return A of x' = A x about upright, x = (θ, θ'); the cart's own motion does not act back."""
        total, half = self.cart + self.rod, self.length / 2.0
        # (4/3 half - m half / M) θ'' = g θ - F / M, thin rod, F pushes the cart under the fall.
        effective = 4.0 / 3.0 * half - self.rod * half / total
        gains = np.array([self.proportional, self.derivative]) if controlled else np.zeros(2)
        return np.array([[0.0, 1.0], [(self.gravity - gains[0] / total) / effective, -gains[1] / total / effective]])

    @property
    def least_gain(self) -> float:
        """Proportional gain that must be exceeded, N/rad."""
        return self.gravity * (self.cart + self.rod)

    def derivatives(self, t: float, x: Array, u: Array) -> list[float]:
        """Right-hand side of the whole, x = (position, θ, speed, θ'), from Lagrange's equations; no coupling in it."""
        _, angle, speed, rate = x
        force = self.proportional * angle + self.derivative * rate
        half, m = self.length / 2.0, self.rod
        sine, cosine = np.sin(angle), np.cos(angle)
        matrix = [[self.cart + m, m * half * cosine], [m * half * cosine, 4.0 / 3.0 * m * half**2]]
        right = [force + m * half * rate**2 * sine, m * self.gravity * half * sine]
        return [speed, rate, *np.linalg.solve(matrix, right)]


def plant(problem: Inverted) -> Subsystem:
    """Return cart and rod in natural coordinates: force -> angle from the horizontal, its rate, the cart's place."""
    top = problem.length * np.array([np.sin(problem.start), np.cos(problem.start)])
    model = Mechanism("inverted pendulum", dimension=2, gravity=(0.0, -problem.gravity))
    model.point("cart", (0.0, 0.0))
    model.point("tip", top)
    model.point("origin", (0.0, 0.0), fixed=True)
    model.point_mass("cart", problem.cart)
    model.body("rod", points=("cart", "tip"), mass=problem.rod)
    model.on_line("rail", "cart", through="origin", axis=(1.0, 0.0))
    model.angle("angle", "rod")
    model.displacement("place", "cart", along=(1.0, 0.0))
    model.input("force")
    model.force("push", "cart", ("input:force", 0.0))
    model.output("angle", "angle")
    model.output("rate", "angle", "velocity")
    model.output("place", "place")
    return model.subsystem()


def controller(problem: Inverted) -> Diagram:
    """Return the PD controller as a block diagram: angle from upright and its rate -> force."""
    diagram = Diagram("controller")
    lean, rate = diagram.input("lean", unit="rad"), diagram.input("lean_rate", unit="rad/s")
    diagram.output("force", problem.proportional * lean + problem.derivative * rate, unit="N")
    return diagram


def coupled(plant: Subsystem, controller: Subsystem | Diagram, step: float, plant_step: float | None = None) -> System:
    """Join both as the source does: single rate unless told, values held from one step to the next."""
    system = System("inverted pendulum")
    system.add("plant", plant, step=plant_step or step)
    system.add("controller", controller, step=step)
    # The mechanism counts the rod's angle from the horizontal, the controller the lean from upright.
    system.connect("plant.angle", "controller.lean", hold(), gain=-1.0, offset=np.pi / 2.0)
    system.connect("plant.rate", "controller.lean_rate", hold(), gain=-1.0)
    system.connect("controller.force", "plant.force", hold())
    return system
