"""Tables of the report: costs, hover, parameters."""

from __future__ import annotations

import numpy as np

from ..report import Table
from . import published
from .data import MAIN, MASS, TAIL, WASH, YAW_DAMPING, Rotor
from .findings import Findings
from .fuselage import stick_modes


def all_tables(found: Findings) -> list[Table]:
    """Return every table."""
    return [costs(found), steps(found), hover(found), parameters(), modes()]


def costs(found: Findings) -> Table:
    """Return table 6.2 with ours."""
    rows: list[list[str | float]] = []
    for k, flight in enumerate(found.layouts, 1):
        main, tail = published.COSTS[k]
        iterations = ", ".join(f"{n:.2f}" for n in flight.iterations.values())
        rows.append(
            [f"{k}: {flight.case.name}", main, tail, flight.seconds["helicopter"], flight.seconds.get("tail", 0.0),
             flight.seconds["control"], flight.until / flight.cpu, iterations]
        )  # fmt: skip
    columns = ("case", "source: main rotor, s", "source: tail rotor, s", "main rotor, s", "tail rotor, s", "control, s",
               "simulated s per s", "iterations per step")  # fmt: skip
    note = f"Source: 6 s on a processor of 2010. Ours: {found.multi.until:g} s, processor time, least of repetitions."
    return Table("Table 6.2: costs of the layouts", columns, rows, note)


def steps(found: Findings) -> Table:
    """Return what a step costs."""
    rows: list[list[str | float]] = [
        [c.model, float(c.coordinates), c.microseconds, c.per_coordinate] for c in found.steps
    ]
    return Table("Cost of a step alone", ("model", "coordinates", "µs per step", "µs per coordinate"), rows)


def hover(found: Findings) -> Table:
    """Return the hover beside theory and prototype."""
    theory, tail = found.theory(), found.tail_theory()
    pitch = found.hover("collective") + float(np.degrees(0.75 * MAIN.twist))
    rows: list[list[str | float]] = [
        ["thrust of the main rotor, N", found.hover("thrust"), "", published.PROTOTYPE["thrust"]],
        ["power of its shaft, kW", found.hover("power"), 1e-3 * theory.power, published.PROTOTYPE["power"]],
        ["induced velocity, m/s", found.hover("inflow"), theory.induced, ""],
        ["collective pitch at 0.75 R, deg", pitch, float(np.degrees(theory.pitch)), published.PROTOTYPE["collective"]],
        ["coning, deg", found.hover("coning"), float(np.degrees(theory.coning)), published.PROTOTYPE["coning"]],
        ["thrust of the tail rotor, N", found.hover("tail_thrust"), "", published.PROTOTYPE["tail_thrust"]],
        ["its pitch, deg", found.hover("pitch"), float(np.degrees(tail.pitch)), published.PROTOTYPE["tail_pitch"]],
        ["its power, kW", found.hover("tail_power"), 1e-3 * tail.power, published.PROTOTYPE["tail_power"]],
    ]
    note = "Closed form: uniform inflow at the thrust found; of the tail rotor without teeter, δ3 and downwash."
    return Table("Hover", ("quantity", "ours", "closed form", "prototype"), rows, note)


def parameters() -> Table:
    """Return the data of both rotors."""
    names = ("radius", "root", "chord", "blades", "speed", "lift_slope", "drag", "twist", "flap_inertia",
             "flap_stiffness", "delta3", "tip_loss", "hub_mass")  # fmt: skip
    rows: list[list[str | float]] = [[n.replace("_", " "), _of(MAIN, n), _of(TAIL, n)] for n in names]
    rows += [["take-off mass, kg", MASS, ""], ["yaw damping, N m s/rad", YAW_DAMPING, ""],
             ["downwash at the tail, m/s", "", WASH]]  # fmt: skip
    note = (
        "Padfield as quoted publicly; ours: root, hub masses, tail flap inertia, tail tip loss, yaw damping, downwash."
    )
    return Table("Parameters (SI units)", ("", "main rotor", "tail rotor"), rows, note)


def modes() -> Table:
    """Return the modes of the fuselage."""
    rows: list[list[str | float]] = [[f"{k}", m.frequency, m.mass] for k, m in enumerate(stick_modes(), 1)]
    return Table(
        "Modes of the fuselage (ours)", ("mode", "Hz", "modal mass, kg"), rows, "Largest displacement 1; damping 2 %."
    )


def _of(rotor: Rotor, name: str) -> float:
    return float(getattr(rotor, name))
