"""Claims about the models of figures 5 and 6: the mechanism as slave, memory blocks, unit delays."""

from __future__ import annotations

from ..claims import Claim
from ..report import Table
from .diagram import DiagramCase, Loop, run_diagram
from .experiment import Case
from .measures import Measures
from .sweep import Sweep

SLOW_FIRST = "slowest-first"
MEMORY = ((10.0, 3), (20.0, 3), (40.0, 3), (20.0, 0))
"""FR and order at which memory blocks are compared."""
MECHANISM = ((10.0, SLOW_FIRST, 3), (30.0, "fastest-first", 2), (40.0, SLOW_FIRST, 0))
"""FR, scheme and order at which the mechanism is compared with the linear form."""

Runs = dict[DiagramCase, Measures]


def run_diagrams() -> Runs:
    """Run every model of figures 5 and 6."""
    cases = [
        DiagramCase(fr, scheme, order, mechanism=kind) for fr, scheme, order in MECHANISM for kind in (False, True)
    ]
    cases += [DiagramCase(fr, SLOW_FIRST, order, loop) for fr, order in MEMORY for loop in Loop]
    for fr in (2.0, 5.0):
        cases += [DiagramCase(fr, SLOW_FIRST, 3), DiagramCase(fr, SLOW_FIRST, 3, Loop.FORCE, all_forces=True)]
    return {case: run_diagram(case) for case in dict.fromkeys(cases)}


def diagram_claims(runs: Runs, sweep: Sweep) -> list[Claim]:
    """Compare the models of the source with each other and with the linear form of the sweeps."""
    return [*_mechanism(runs), *_memory(runs, sweep), *_beside(runs)]


def _mechanism(runs: Runs) -> list[Claim]:
    made = []
    for fr, scheme, order in MECHANISM:
        linear, mechanism = (runs[DiagramCase(fr, scheme, order, mechanism=kind)].dx for kind in (False, True))
        made.append(
            Claim.near(f"Fig. 5: the slow mass as mechanism gives the dx of the linear form, {scheme}, order {order}, "
                       f"FR = {fr:g}", linear, mechanism, relative=1e-6, origin="ours",
                       remark="Natural coordinates, index 3 and trapezoidal rule, behind the diagram's block.")
        )  # fmt: skip
    return made


def _memory(runs: Runs, sweep: Sweep) -> list[Claim]:
    """Check that the model with memory blocks is practically equivalent."""
    made = []
    for fr, order in MEMORY:
        plain = sweep.at(Case(fr, SLOW_FIRST, order)).dx
        memory = runs[DiagramCase(fr, SLOW_FIRST, order, Loop.FORCE)].dx
        reason = (
            "Held, the force of k2 is that at the start of the slow step: the slow mass gets its own displacement a "
            "step late, and the coupling becomes explicit in x2."
        )
        made.append(
            Claim.magnitude(f"3.4, Fig. 6: a memory block on the force gives equivalent results: dx with over without, "
                            f"SF-O{order}, FR = {fr:g}", 1, memory / plain, factor=1.25, origin="derived",
                            remark=f"{memory:.3g} against {plain:.3g}.", reason=reason)
        )  # fmt: skip
    return made


def _beside(runs: Runs) -> list[Claim]:
    """Say what time behind a memory, unit delays and the force of k3 change."""
    fr = 10.0

    def dx(loop: Loop) -> float:
        return runs[DiagramCase(fr, SLOW_FIRST, 3, loop)].dx

    whole = {each: runs[DiagramCase(each, SLOW_FIRST, 3, Loop.FORCE, all_forces=True)].dx for each in (2.0, 5.0)}
    return [
        Claim.magnitude("3.4, Fig. 6: memory blocks on force and time are equivalent, too: dx with over without, "
                        "SF-O3, FR = 10", 1, dx(Loop.FORCE_AND_TIME) / dx(Loop.NONE), factor=1.25, origin="derived",
                        reason="Behind a memory the interface answers for the time of the step before, the same in all "
                        "four stages of ode4: x2 reaches the fast mass one step late. The source does not say what its "
                        "interface does with the time of minor steps."),
        Claim.magnitude("unit delay instead of memory on the force: dx over that of the memory, SF-O3, FR = 10", 1,
                        dx(Loop.UNIT_DELAY) / dx(Loop.FORCE), factor=1.5, origin="ours",
                        remark="Both delay by one step; the unit delay changes at its sample times only."),
        *(
            Claim.magnitude(f"3.4, Fig. 6: the forces of k2 and k3 pass a memory block: dx with over without, SF-O3, "
                            f"FR = {each:g}", 1, value / runs[DiagramCase(each, SLOW_FIRST, 3)].dx, factor=1.25,
                            origin="derived")
            for each, value in whole.items()
        ),
    ]  # fmt: skip


def diagram_table(runs: Runs) -> Table:
    """Return dx of every model."""
    rows = []
    for fr, order in MEMORY:
        found = [runs[DiagramCase(fr, SLOW_FIRST, order, loop)].dx for loop in Loop]
        rows.append((fr, float(order), *found))
    columns = ("FR", "order", *(loop.value for loop in Loop))
    note = "Slowest-first, the diagram as master with ode4; in figure 6 the force of k2 is evaluated in the diagram."
    return Table("Figures 5 and 6: dx of x1", columns, rows, note)
