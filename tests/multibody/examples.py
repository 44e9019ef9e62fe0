"""Small mechanisms that several tests use."""

import numpy as np

from counterpoint.multibody import Mechanism


def pendulum(length=1.0, mass=1.0, angle=-np.pi / 2, **options):
    """A uniform rod in the plane, hanging by default."""
    made = Mechanism("pendulum", dimension=2, **options)
    made.point("A", (0, 0), fixed=True)
    made.point("B", (length * np.cos(angle), length * np.sin(angle)))
    made.body("rod", points=["A", "B"], mass=mass)
    made.angle("swing", "rod")
    return made


def double_pendulum(first=1.0, second=0.7, masses=(2.0, 1.5)):
    """Two point masses on massless rods (in the plane), hanging; the rods get no mass of their own."""
    made = Mechanism("double", dimension=2)
    made.point("O", (0, 0), fixed=True)
    made.point("P", (0, -first))
    made.point("R", (0, -first - second))
    made.distance_constraint("upper", "O", "P")
    made.distance_constraint("lower", "P", "R")
    made.point_mass("P", masses[0])
    made.point_mass("R", masses[1])
    return made


def four_bar(angle=1.0, guided=False):
    """Crank 0.4, coupler 1.0, rocker 0.8, ground 1.0 m."""
    made = Mechanism("fourbar", dimension=2)
    a = np.array([0.4 * np.cos(angle), 0.4 * np.sin(angle)])
    d = np.array([1.0, 0.0])
    gap = np.linalg.norm(d - a)
    along = (1.0**2 - 0.8**2 + gap**2) / (2 * gap)
    height = np.sqrt(1.0 - along**2)
    e = (d - a) / gap
    b = a + along * e + height * np.array([-e[1], e[0]])
    made.point("O", (0, 0), fixed=True)
    made.point("D", d, fixed=True)
    made.point("A", a)
    made.point("B", b)
    made.body("crank", points=["O", "A"], mass=1.0)
    made.body("coupler", points=["A", "B"], mass=2.0)
    made.body("rocker", points=["B", "D"], mass=1.5)
    made.angle("turn", "crank")
    if guided:
        made.guide("turn", [angle, 2.0])
    return made


def slider_crank(crank=0.2, rod=0.6, speed=10.0):
    """A crank that turns at a constant rate, a connecting rod and a piston of 0.5 kg; rod and crank have mass."""
    made = Mechanism("engine", dimension=2, gravity=(0, 0))
    made.point("O", (0, 0), fixed=True)
    made.point("A", (crank, 0))
    made.point("P", (crank + rod, 0))
    made.body("crank", points=["O", "A"], mass=1.0)
    made.body("rod", points=["A", "P"], mass=0.8)
    made.point_mass("P", 0.5)
    made.on_line("bore", "P", through="O", axis=(1, 0))
    made.angle("turn", "crank")
    made.displacement("stroke", "P", along=(1, 0))
    made.guide("turn", [0.0, speed])
    return made


def bricard(mass=1.0):
    """IFToMM A04: a loop of six rods of 1 m with hinges across them, one degree of freedom and one redundant equation."""
    made = Mechanism("bricard", dimension=3, gravity=(0, -9.81, 0))
    places = {"P0": (0, 0, 0), "P1": (1, 0, 0), "P2": (1, -1, 0), "P3": (1, -1, 1), "P4": (0, -1, 1), "P5": (0, 0, 1)}
    axes = {"e0": (0, 1, 0), "e1": (0, 0, 1), "e2": (1, 0, 0), "e3": (0, 1, 0), "e4": (0, 0, 1), "e5": (1, 0, 0)}
    for name, place in places.items():
        made.point(name, place, fixed=name in ("P0", "P5"))
    for name, axis in axes.items():
        made.vector(name, axis, fixed=name in ("e0", "e5"))
    for k in range(5):
        line = np.subtract(places[f"P{k + 1}"], places[f"P{k}"])
        tensor = mass / 12.0 * (np.eye(3) - np.outer(line, line)) + 1e-5 * np.eye(3)
        made.body(
            f"rod{k + 1}", points=[f"P{k}", f"P{k + 1}"], vectors=[f"e{k}", f"e{k + 1}"], mass=mass, inertia=tensor
        )
    return made


def spring_pendulum():
    """A point mass on a spring, hanging in space."""
    made = Mechanism("bungee", dimension=3)
    made.point("ceiling", (0, 0, 0), fixed=True)
    made.point("mass", (0.3, 0, -1.0))
    made.point_mass("mass", 2.0)
    made.spring("cord", between=("ceiling", "mass"), stiffness=200.0, damping=0.5, natural=1.0)
    return made
