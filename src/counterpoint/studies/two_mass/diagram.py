"""The problem as the source built it: a block diagram as master, the slow mass behind it; figures 5 and 6.

Figure 5: x1 crosses to the slow mass, which evaluates the springs that act on it. Figure 6: the forces are evaluated in
the diagram; since they need x2, the output of the interface, an algebraic loop appears, which memory blocks on force
and time break. The slow mass is a mechanism of our multibody program, or the linear model of the sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ... import Diagram, Subsystem, System, lagrange, linear
from ...diagram.cosimulation import Cosimulation
from ...multibody import Mechanism
from .measures import CYCLES, Measures, Trajectory, measure
from .problem import Ratios, TwoMass

FAST_STEP = 0.01


class Loop(StrEnum):
    """What breaks the loop of figure 6; figure 5 has none."""

    NONE = "figure 5, no loop"
    FORCE = "memory on the force"
    FORCE_AND_TIME = "memory on force and time"
    UNIT_DELAY = "unit delay on the force"


@dataclass(frozen=True)
class DiagramCase:
    """One run of figure 5 or 6.

    Attributes
    ----------
    frequency_ratio : float
        FR; also the ratio of the steps.
    scheme : str
        ``"slowest-first"`` or ``"fastest-first"``.
    order : int
        Polynomial order of both directions.
    loop : Loop
    mechanism : bool
        The slow mass is a mechanism in natural coordinates; otherwise a linear model.
    all_forces : bool
        Figure 6: the force contains that of the spring k3, too.
    """

    frequency_ratio: float
    scheme: str = "slowest-first"
    order: int = 3
    loop: Loop = Loop.NONE
    mechanism: bool = False
    all_forces: bool = False

    def problem(self) -> TwoMass:
        """Return the masses and springs of this case."""
        return TwoMass.from_ratios(Ratios(self.frequency_ratio))


def run_diagram(case: DiagramCase) -> Measures:
    """Run a case for 100 cycles of the fast mode and return its errors."""
    model, block = build(case)
    result = model.run(until=float(CYCLES), step=FAST_STEP)
    inside, x1, v1 = block.result(), result["fast.x1"], result["fast.v1"]
    x2, v2 = inside["slow.x2"], inside["slow.v2"]
    run = Trajectory(x1.time, x1.values, v1.values, x2.time, x2.values, v2.values)
    return measure(case.problem(), run)


def build(case: DiagramCase) -> tuple[Diagram, Cosimulation]:
    """Return the diagram and its co-simulation block."""
    problem = case.problem()
    model = Diagram("fast")
    v1 = model.integrator(initial=0.0, name="v1")
    x1 = model.integrator(v1, initial=float(problem.start[0]), name="x1")
    block = _interface(model, case, problem, x1)
    spring = problem.k2 * (x1 - block["x2"])
    ((-problem.k1) * x1 - spring) * (1.0 / problem.m1) >> v1
    if case.loop is not Loop.NONE:
        force = spring - problem.k3 * block["x2"] if case.all_forces else spring
        block.connect(force=_delayed(model, case, force, problem))
    model.output("x1", x1)
    model.output("v1", v1)
    return model, block


def _interface(model: Diagram, case: DiagramCase, problem: TwoMass, x1: object) -> Cosimulation:
    name = "x1" if case.loop is Loop.NONE else "force"
    others = System("slow side")
    others.add_host("fast", inputs=["x2"], outputs=[name])
    others.add("slow", _slow(case, problem), step=FAST_STEP * case.frequency_ratio)
    # Figure 5: what the spring k2 does at its far end is k2 x1; its near end is in the slow model.
    others.connect(f"fast.{name}", "slow.force", lagrange(case.order), gain=problem.k2 if name == "x1" else 1.0)
    others.connect("slow.x2", "fast.x2", lagrange(case.order))
    signals = (x1,) if name == "x1" else ()
    time = model.memory(model.clock(), name="time_memory") if case.loop is Loop.FORCE_AND_TIME else None
    return model.cosimulation(others, *signals, scheme=case.scheme, time=time, name="interface")


def _delayed(model: Diagram, case: DiagramCase, force: object, problem: TwoMass) -> object:
    x1, x2 = (float(x) for x in problem.start)
    first = problem.k2 * (x1 - x2) - (problem.k3 * x2 if case.all_forces else 0.0)
    if case.loop is Loop.UNIT_DELAY:
        return model.unit_delay(force, sample_time=FAST_STEP, initial=first, name="delay")
    return model.memory(force, initial=first, name="force_memory")


def _slow(case: DiagramCase, problem: TwoMass) -> Subsystem:
    """Return the slow mass with a force as input and the springs that are not part of it inside."""
    inside = 0.0 if case.all_forces else problem.k3
    stiffness = inside + (problem.k2 if case.loop is Loop.NONE else 0.0)
    x2 = float(problem.start[1])
    if case.mechanism:
        return _slow_mechanism(problem.m2, stiffness, x2)
    return linear(
        [[0.0, 1.0], [-stiffness / problem.m2, 0.0]], [[0.0], [1 / problem.m2]], x0=[x2, 0.0], inputs=("force",),
        outputs=("x2", "v2"), solver="trapezoidal",
    )  # fmt: skip


def _slow_mechanism(mass: float, stiffness: float, x2: float) -> Subsystem:
    """Return a point that slides on a line, held by a spring, in natural coordinates: index 3, trapezoidal rule."""
    model = Mechanism("slow mass", dimension=2, gravity=(0.0, 0.0))
    model.point("O", (0.0, 0.0), fixed=True)
    model.point("P", (x2, 0.0))
    model.point_mass("P", mass)
    model.on_line("rail", "P", through="O", axis=(1.0, 0.0))
    model.displacement("x2", "P", along=(1.0, 0.0))
    if stiffness:
        model.spring("springs", "x2", stiffness=stiffness, natural=0.0)
    model.input("force")
    model.force("push", "P", ("input:force", 0.0))
    model.output("x2", "x2")
    model.output("v2", "x2", "velocity")
    model.standard_outputs = ()
    return model.subsystem()
