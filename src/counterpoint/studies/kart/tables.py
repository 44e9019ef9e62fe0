"""Tables of the kart study: parameters and whose they are, tables 2 and 3, masters, clocked variant, events, costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...multibody.library.vehicle import Axle, KartData
from ..report import Table
from . import gearbox, published
from .costs import Costs
from .experiment import FINE_STEP, START_SPEED, Case
from .runs import (
    BEYOND,
    BY_SPEED,
    BY_TIME,
    CAPACITIES,
    CURVES,
    HOSTED,
    LARGEST,
    LOCATED,
    REFERENCE,
    TABLE_2,
    UNSTABLE,
    Runs,
    clocked,
)

OURS = "ours"
TYRE_UNITS = {
    "stiffness": "N/m",
    "damping": "N s/m",
    "longitudinal_relaxation": "m",
    "lateral_relaxation": "m",
    "nominal_load": "N",
    "rolling_resistance": "1",
    "standstill_damping": "N s/m",
}


def all_tables(runs: Runs, costs: Costs) -> list[Table]:
    """Return every table that can be made of these runs."""
    return [
        parameters(), table_2(runs), table_3(runs), masters(runs), stiffness(runs), clocked_variant(runs),
        located_events(runs), cost_of_steps(runs, costs),
    ]  # fmt: skip


def parameters() -> Table:
    """Return every parameter and whose it is."""
    return Table(
        "Parameters, and whose they are", ("parameter", "value", "unit", "from"), list(_parameters(KartData())),
        "The source prints the number of variables, the steps and the integrators, and no other number of the model. "
        "Hard points are in counterpoint.multibody.library.vehicle, all ours.",
    )  # fmt: skip


def _parameters(data: KartData) -> Iterator[tuple[str, str | float, str, str]]:
    yield "variables of the vehicle", 163.0, "1", "source"
    yield "step of the drive, ode4", FINE_STEP, "s", "source"
    yield "step of the vehicle, trapezoidal rule, index 3", "1e-4 to 1e-2", "s", "source"
    yield "engine (polynomials, inertia, spark, mixture)", "as published", "", "Crossley and Cook 1991; Modelica"
    yield (
        "gear ratios; final drive; converter",
        "2.393, 1.45, 1, 0.677; 3.23; table",
        "1",
        "classical automatic gearbox",
    )
    yield "sprung mass", data.sprung, "kg", OURS
    yield "Ixx, Iyy, Izz of it", ", ".join(f"{value:g}" for value in data.inertia), "kg m²", OURS
    yield "height of its centre", data.centre_height, "m", OURS
    for name, axle in (("front", data.front), ("rear", data.rear)):
        yield from _axle_parameters(name, axle)
    yield "track, between wheel centres", 1.4, "m", OURS
    yield "wheel radius under load", data.wheel_radius, "m", OURS
    for key, value in data.tyre.items():
        yield f"tyre: {key.replace('_', ' ')}", value, TYRE_UNITS[key], OURS
    for name, formula in (("longitudinal", data.longitudinal), ("lateral", data.lateral)):
        yield f"tyre, {name}: B, C, E, mu", ", ".join(f"{value:g}" for value in formula.values()), "1", OURS
    yield "Cd A; density of air", f"{data.drag_area:g}; {data.air_density:g}", "m²; kg/m³", OURS
    yield "rack per angle of the column", data.rack_ratio, "m/rad", OURS
    yield "factor on the converter's K", gearbox.CAPACITY_SCALE, "1", OURS
    yield "shifts up at", ", ".join(f"{v:g}" for v in gearbox.SHIFT_SPEEDS[:2]), "m/s", OURS
    law = ", ".join(f"{t:g}: {a:g}" for t, a in zip(gearbox.THROTTLE_TIME, gearbox.THROTTLE_ANGLE, strict=True))
    yield "throttle over time (figure 13 has no numbers)", law, "s: deg", OURS
    start = f"{START_SPEED:g}; {gearbox.START.speed:g}; {gearbox.START.pressure:g}"
    yield "speed; engine speed; manifold at the start", start, "m/s; rad/s; bar", OURS


def _axle_parameters(name: str, axle: Axle) -> Iterator[tuple[str, str | float, str, str]]:
    yield f"{name} axle: from the centre of mass", axle.x, "m", OURS
    yield f"{name} corner: unsprung mass; wheel", f"{axle.unsprung:g}; {axle.wheel:g}", "kg", OURS
    yield f"{name} wheel: inertia about its axis, also of its gyroscopic moment", axle.spin, "kg m²", OURS
    yield f"{name} strut: stiffness; damping", f"{axle.stiffness:g}; {axle.damping:g}", "N/m; N s/m", OURS
    yield f"{name} strut, tyre: load at rest", f"{axle.strut_force:g}; {axle.tyre_load:g}", "N", OURS


def table_2(runs: Runs) -> Table:
    """Return elapsed times and differences over FR beside the source's."""
    rows = []
    for case in runs.present(TABLE_2):
        fr, outcome = case.ratio, runs[case]
        theirs = published.DIFFERENCE.get(fr, 0.0)
        rows.append((
            float(fr), published.ELAPSED[fr], outcome.wall, outcome.cpu, round(published.speed_up(fr), 2),
            runs.speed_up(case), theirs, runs.error(case), outcome.error_at_steps(runs[REFERENCE]),
        ))  # fmt: skip
    columns = (
        "FR", "elapsed, source, s", "elapsed, ours, s", "processor, ours, s", "times faster, source",
        "times faster, ours", "Δψ, source, deg", "Δψ, ours, deg", "Δψ at the vehicle's steps, deg",
    )  # fmt: skip
    return Table("Table 2: slowest-first, order 0 in both directions", columns, rows)


def table_3(runs: Runs) -> Table:
    """Return differences of schemes and orders at FR = 100 beside the source's."""
    rows = []
    for case in runs.present([*(Case(LARGEST, *curve) for curve in CURVES), *BEYOND]):
        theirs = None if case in BEYOND else published.TABLE_3.get((case.scheme, case.vehicle_order))
        torque = "mean over the step" if case.smoothed else f"order {case.drive_order}"
        rows.append((
            case.scheme, f"order {case.vehicle_order}", torque, "–" if theirs is None else theirs,
            _number(runs.error(case)), _number(runs[case].error_at_steps(runs[REFERENCE])), _ending(runs, case),
        ))  # fmt: skip
    columns = (
        "scheme", "vehicle's data", "drive's torque", "Δψ, source, deg", "Δψ, ours, deg", "at the vehicle's steps, deg",
        "",
    )  # fmt: skip
    note = (
        "Δψ is that of the pitch as the drive has it: with fastest-first and "
        "order 0 most of it is the holding itself, for up to 10 ms of a pitch that changes by 8 deg/s."
    )
    return Table("Table 3: FR = 100", columns, rows, note)


def _number(value: float) -> str | float:
    return value if np.isfinite(value) else "–"


def _ending(runs: Runs, case: Case) -> str:
    outcome = runs[case]
    if outcome.failure:
        return f"unstable, solver gives up at {outcome.time[-1]:.2f} s"
    return "unstable" if runs.error(case) > UNSTABLE else ""


def masters(runs: Runs) -> Table:
    """Return both directions of mastership, and the scheduler."""
    rows = []
    for case in runs.present(HOSTED[1:]):
        diagram = Case(case.ratio)
        if diagram in runs and runs.reference(case).case != case:
            rows.append((
                float(case.ratio), runs[diagram].error_at_steps(runs[REFERENCE]),
                runs[case].error_at_steps(runs.reference(case)), runs[diagram].cpu, runs[case].cpu,
            ))  # fmt: skip
    columns = (
        "FR", "Δψ, diagram as master, deg", "Δψ, vehicle as host, deg", "processor, diagram, s",
        "processor, vehicle, s",
    )  # fmt: skip
    note = (
        "Slowest-first, order 0, at the vehicle's own steps, each against its own run with the smallest step. As host "
        "the vehicle stores its data at its own steps and the drive is advanced when it asks, without a memory block."
    )
    return Table("Who is master", columns, rows, note)


def stiffness(runs: Runs) -> Table:
    """Return orders of extrapolation over the stiffness of the converter."""
    rows = []
    for capacity in (*CAPACITIES, gearbox.CAPACITY_SCALE):
        cases = runs.present(Case(LARGEST, "fastest-first", order, capacity=capacity) for order in (1, 2, 3))
        if not cases:
            continue
        errors = [runs.error(case) for case in cases]
        rows.append((capacity, *("unstable" if error > UNSTABLE else error for error in errors)))
    columns = ("factor on the converter's K", *(f"Δψ, order {order}, deg" for order in (1, 2, 3)))
    note = "Fastest-first, FR = 100. The smaller the factor, the steeper the torque over the speed of the wheels."
    return Table("Where high orders stop being stable", columns, rows, note)


def clocked_variant(runs: Runs) -> Table:
    """Return the counter-example: differences when the drive shifts at times and at speeds."""
    rows = []
    for case in dict.fromkeys(clocked(BY_TIME, quick=False)):
        other = replace(case, shifting=BY_SPEED.shifting)
        if case in runs and other in runs and runs.reference(case).case != case:
            rows.append((case.label, *(_unless_unstable(runs.error(each)) for each in (case, other))))
    note = (
        "A drive that shifts by a clock keeps its events to itself. A shift at a speed is an event that depends on the "
        "other subsystem: it moves by up to a step of it, and with it everything that follows. Its converter is steep: "
        "high orders are unstable."
    )
    return Table("The clocked variant", ("case", "Δψ by time, deg", "Δψ by speed, deg"), rows, note)


def _unless_unstable(error: float) -> str | float:
    return error if error < 1.0 else "unstable"


def located_events(runs: Runs) -> Table:
    """Return what locating engine events buys."""
    rows, truth = [], runs.truth
    for case in runs.present([REFERENCE, *LOCATED]):
        outcome = runs[case]
        mine = np.interp(truth.drive["time"], outcome.drive["time"], outcome.drive["rpm"])
        rows.append((
            case.drive_step, case.vehicle_step, "yes" if case.located else "no", float(case.vehicle_order),
            outcome.error_at_steps(truth), float(np.sqrt(np.mean((mine - truth.drive["rpm"]) ** 2))), outcome.cpu,
        ))  # fmt: skip
    columns = (
        "step of the drive, s", "step of the vehicle, s", "events located", "order, both ways", "Δψ, deg",
        "engine speed, rms error, rpm", "processor, s",
    )  # fmt: skip
    note = (
        "Errors against a run with both steps "
        f"{truth.case.drive_step:g} and {truth.case.vehicle_step:g} s, order 1, events located; at the vehicle's steps."
    )
    return Table("Engine events located or not, and larger steps of the drive", columns, rows, note)


def cost_of_steps(runs: Runs, costs: Costs) -> Table:
    """Return what a step of each subsystem costs: what one has to know to choose steps."""
    rows: list[tuple[str | float, ...]] = [("drive", FINE_STEP, costs.drive, "–", costs.drive * 1e-6 / FINE_STEP)]
    for case in runs.present(TABLE_2):
        each = costs.vehicle[case.ratio]
        rows.append(("vehicle", case.vehicle_step, each, runs[case].iterations, each * 1e-6 / case.vehicle_step))
    columns = (
        "subsystem",
        "step, s",
        "processor time per step, µs",
        "iterations per step",
        "processor s per simulated s",
    )
    note = (
        "The drive is measured alone, the vehicle is what is left of the coupled runs. No step of the vehicle can make "
        f"the whole more than {runs[REFERENCE].cpu / (costs.drive * 1e-6 * runs.until / FINE_STEP):.0f} times faster "
        "than FR = 1: then the drive alone is left, and only a larger step of the drive helps, with located events."
    )
    return Table("Cost of a step", columns, rows, note)
