"""Small mechanisms of the literature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..modelling.mechanism import Mechanism


def four_bar(loops: int = 1) -> Mechanism:
    """Return the four-bar linkage with any number of loops: benchmark A02 of the IFToMM library.

    ``2 * loops + 1`` uniform rods of 1 m and 1 kg under gravity. Cranks ``A0 B0``, ``A1 B1``, ... stand upright on the
    ground, couplers join their tops ``B0``, ``B1``, ...; all tops start with 1 m/s to the right. Each time the cranks
    lie flat, the mechanism is in a singular position: its degrees of freedom jump from 1 to ``loops + 1``.

    Parameters
    ----------
    loops : int
        Number of loops; 2 in the IFToMM problem (10 s), 40 in the older LIM one (20 s).

    Examples
    --------
    >>> four_bar(2).assembled().degrees_of_freedom
    1
    """
    mechanism = Mechanism("four-bar", dimension=2)
    for i in range(loops + 1):
        mechanism.point(f"A{i}", (i, 0), fixed=True)
        mechanism.point(f"B{i}", (i, 1), velocity=(1, 0))
        mechanism.body(f"crank{i}", points=[f"A{i}", f"B{i}"], mass=1.0)
    for i in range(loops):
        mechanism.body(f"coupler{i}", points=[f"B{i}", f"B{i + 1}"], mass=1.0)
    return mechanism


def pendulum(start: float = 1.0) -> Mechanism:
    """Return a point mass of 1 kg on a massless rod: benchmark A01.

    It starts at rest with the rod flat and swings under gravity with a period of 2.367841947576 s (1 m). The older LIM
    problem starts on the right and runs 2000 s; the IFToMM problem starts on the left, at -1 m, and runs 10 s.

    Parameters
    ----------
    start : float
        Where ``B`` starts to the right of ``A``, m; negative: to the left. The rod is that long.
    """
    mechanism = Mechanism("pendulum", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (start, 0))
    mechanism.distance_constraint("rod", "A", "B")
    mechanism.point_mass("B", 1.0)
    return mechanism


def andrews() -> Mechanism:
    """Return Andrews' squeezing mechanism: benchmark A03, seven bodies driven by a constant torque.

    Data of Hairer and Wanner, Solving Ordinary Differential Equations II, VII.7 (also in the test set for IVP solvers):
    tiny masses at high speed, to be run for 0.05 s with steps of some microseconds. The bodies have geometries of their
    own; the points are drawn to a millimetre only and are put in place by the assembly at the crank angle ``beta`` of
    the literature.
    """
    mechanism = Mechanism("andrews", dimension=2, gravity=(0, 0))
    for name, place in {
        "O": (0, 0), "A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273), "C": (0.014, 0.072),
    }.items():  # fmt: skip
        mechanism.point(name, place, fixed=True)
    for name, place in {
        "F": (0.007, 0.0), "E": (-0.021, 0.001), "D": (-0.010, 0.025), "G": (-0.034, 0.017), "H": (-0.032, -0.016),
    }.items():  # fmt: skip
        mechanism.point(name, place)
    # Name: points in the frame of the body, mass, centre of mass, inertia about it.
    for name, local, mass, centre, inertia in (
        ("K1", {"O": (0, 0), "F": (0.007, 0)}, 0.04325, (0.00092, 0), 2.194e-6),
        ("K2", {"F": (0, 0), "E": (-0.028, 0)}, 0.00365, (-0.0115, 0), 4.410e-7),
        ("K3", {"B": (0, 0), "E": (0, -0.035), "D": (0.02, -0.018)}, 0.02373, (0.01043, -0.01874), 5.255e-6),
        ("K4", {"G": (0, 0), "E": (0, -0.02)}, 0.00706, (0, 0.01421 - 0.02), 5.667e-7),
        ("K5", {"A": (0, 0), "G": (0.04, 0)}, 0.07050, (0.02308, 0.00916), 1.169e-5),
        ("K6", {"H": (0, 0), "E": (0.02, 0)}, 0.00706, (0.02 - 0.01421, 0), 5.667e-7),
        ("K7", {"A": (0, 0), "H": (0, -0.04)}, 0.05498, (-0.00449, -0.01228), 1.912e-5),
    ):
        mechanism.body(name, points=list(local), local=local, mass=mass, centre=centre, inertia=inertia)
    mechanism.angle("beta", "K1")
    mechanism.initial("beta", -0.0617138900142764)
    mechanism.spring("spring", between=("C", "D"), stiffness=4530.0, natural=0.07785)
    mechanism.torque("motor", "K1", 0.033)
    return mechanism


def bricard() -> Mechanism:
    """Return Bricard's mechanism: benchmark A04, mobile only because of its special geometry.

    Five rods of 1 m and 1 kg (square section, 0.1 m) and the ground are joined by six hinges to a closed loop. Counting
    equations gives no motion, yet it moves: constraints are redundant in every position. It starts at rest; the output
    of the benchmark is ``P2``, which starts at (1, -1, 0), over 10 s.
    """
    mechanism = Mechanism("bricard", dimension=3, gravity=(0, -9.81, 0))
    places = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    for k, (place, axis) in enumerate(zip(places, axes, strict=True)):
        on_ground = k in (0, 5)
        mechanism.point(f"P{k}", place, fixed=on_ground)
        mechanism.vector(f"axis{k}", axis, fixed=on_ground)
    for k in range(5):
        along = [a != b for a, b in zip(places[k], places[k + 1], strict=True)]
        inertia = [(0.1**2 + 0.1**2) / 12.0 if here else (1.0 + 0.1**2) / 12.0 for here in along]
        mechanism.body(
            f"rod{k}", points=[f"P{k}", f"P{k + 1}"], vectors=[f"axis{k}", f"axis{k + 1}"], mass=1.0, inertia=inertia,
            shape={"kind": "box", "size": [1.0 if here else 0.1 for here in along]},
        )  # fmt: skip
    return mechanism


def flyball() -> Mechanism:
    """Return the flyball governor: benchmark A05, stiff springs and dampers.

    A shaft turns about z at 2 pi rad/s to begin with; two rods hang on its top with 5 kg at their ends; a slider on the
    shaft is held by a stiff spring-damper from the middle of each rod. The output of the benchmark is the height ``s``
    of the slider over 10 s.
    """
    mechanism = Mechanism("flyball", dimension=3)
    mechanism.point("base", (0, 0, 0), fixed=True)
    mechanism.vector("z", (0, 0, 1), fixed=True)
    mechanism.vector("y", (0, 1, 0))
    thin, slender = 0.3 * (0.01**2 + 0.01**2) / 12.0, 0.3 * (1.0 + 0.01**2) / 12.0
    sides = (("right", 1.0), ("left", -1.0))
    for side, sign in sides:
        for name, x, z in (
            ("hinge", 0.05, 1), ("ball", 0.05 + _COS30, 0.5), ("middle", 0.05 + 0.5 * _COS30, 0.75), ("eye", 0.05, 0.5),
        ):  # fmt: skip
            mechanism.point(f"{side}-{name}", (sign * x, 0, z), velocity=(0, sign * x * 2.0 * np.pi, 0))
    mechanism.body(
        "shaft", points=["base", "right-hinge", "left-hinge"], vectors=["z", "y"], mass=0.3, centre=(0, 0, 0.5),
        inertia=[slender, slender, thin], shape={"kind": "box", "size": (0.01, 0.01, 1.0)},
    )  # fmt: skip
    mechanism.point("S", (0, 0, 0.5))
    mechanism.body(
        "slider", points=["S", "right-eye", "left-eye"], mass=3.0, inertia=[0.005] * 3,
        shape={"kind": "box", "size": (0.1, 0.1, 0.1)},
    )  # fmt: skip
    mechanism.joint("guide", "prismatic", "shaft", "slider", at="S", axis=(0, 0, 1))
    for side, sign in sides:
        mechanism.body(
            f"{side}-rod", points=[f"{side}-hinge", f"{side}-ball", f"{side}-middle"], vectors=["y"], mass=0.3,
            centre=((0.05 + 0.5 * _COS30) * sign, 0, 0.75), inertia=_turned_rod(thin, slender, sign),
        )  # fmt: skip
        mechanism.point_mass(f"{side}-ball", 5.0)
        mechanism.spring(
            f"{side}-spring", between=(f"{side}-middle", f"{side}-eye"), stiffness=8e5, damping=4e4, natural=0.5
        )
    mechanism.angle("psi", "shaft", axis=(0, 0, 1))
    mechanism.displacement("s", "S", along=(0, 0, 1))
    mechanism.output("s", "s")
    mechanism.output("psi", "psi")
    return mechanism


_COS30 = float(np.cos(np.pi / 6.0))


def _turned_rod(along: float, across: float, sign: float) -> NDArray[np.float64]:
    """Return the inertia of a rod that points 30 degrees below the horizontal, kg m²."""
    axis = np.array([sign * _COS30, 0.0, -0.5])
    return np.asarray(across * np.eye(3) + (along - across) * np.outer(axis, axis))
