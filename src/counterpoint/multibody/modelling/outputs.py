"""Outputs of a mechanism: the standard ones, and those that the user declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _core
from ...errors import did_you_mean
from .parts import OutputPart

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from .mechanism import Mechanism

MOTIONS = ("position", "velocity", "acceleration")
STANDARD = {"q": "", "kinetic_energy": "J", "potential_energy": "J", "energy": "J", "violation": "m"}
"""Outputs that every mechanism has, with their units."""


def describe(mechanism: Mechanism, name: str, of: str, motion: str, problems: list[str]) -> OutputPart | None:
    """Return the part for an output, or note what is wrong."""
    where = f'output "{name}"'
    if name in STANDARD:
        problems.append(f"{where}: every mechanism already has an output of this name; reserved: {', '.join(STANDARD)}")
        return None
    if motion not in MOTIONS:
        problems.append(f'{where}: motion "{motion}"{did_you_mean(motion, MOTIONS)}')
        return None
    if of.startswith("support:"):
        point = of.removeprefix("support:")
        fixed = {n: p for n, p in mechanism.points.items() if p.fixed}
        problems += mechanism._unknown(where, "fixed point", [point], fixed)
        return OutputPart(name, "support", point, unit="N")
    for kind, table in (
        ("point", mechanism.points), ("vector", mechanism.vectors), ("measure", mechanism.measures),
        ("force", mechanism.forces), ("reaction", mechanism.joints), ("reaction", mechanism.links),
        ("reaction", mechanism.relations),
    ):  # fmt: skip
        if of in table:
            return OutputPart(name, kind, of, motion, _unit(mechanism, kind, of, motion))
    if of.startswith("guide:"):
        measure = of.removeprefix("guide:")
        problems += mechanism._unknown(where, "guided measure", [measure], {g.measure: g for g in mechanism.guides})
        angular = measure in mechanism.measures and mechanism.measures[measure].is_angular
        return OutputPart(name, "reaction", of, unit="N*m" if angular else "N")
    known = [
        *mechanism.points,
        *mechanism.vectors,
        *mechanism.measures,
        *mechanism.forces,
        *mechanism.joints,
        *mechanism.links,
    ]
    problems.append(f'{where}: there is no "{of}"{did_you_mean(of, known)}')
    return None


def _unit(mechanism: Mechanism, kind: str, of: str, motion: str) -> str:
    if kind not in ("point", "vector", "measure"):
        return ""
    angular = kind == "measure" and mechanism.measures[of].is_angular
    base = "rad" if angular else "" if kind == "vector" else "m"
    return {"position": base, "velocity": f"{base or '1'}/s", "acceleration": f"{base or '1'}/s²"}[motion]


def problems(assembly: Assembly) -> list[str]:
    """Return which outputs cannot show what they are to: reactions of joints that others carry."""
    found = []
    for part in assembly.mechanism.outputs.values():
        if part.kind == "reaction" and assembly.is_held_by_ground(part.of):
            found.append(
                f'output "{part.name}": joint "{part.of}" is at a fixed point, which carries its force: use '
                '"support:POINT", or give the body its own point there that is not fixed'
            )
        elif assembly.width(part) == 0:
            found.append(
                f'output "{part.name}": the bodies of "{part.of}" share their points, so the joint has no '
                "reaction; give each body its own point there"
            )
    return found


def build(assembly: Assembly, part: OutputPart) -> _core.multibody.Output:
    """Return the core's output for a part."""
    native = _core.multibody
    if part.kind in ("point", "vector"):
        return native.point_output(assembly.place(part.of).native(assembly.offsets), part.motion)
    if part.kind == "measure":
        return native.measure_output(assembly.native_measures[part.of], part.motion)
    if part.kind == "force":
        return native.force_output(assembly.native_forces[part.of])
    if part.kind == "support":
        return native.support_output(assembly.offsets[part.of], assembly.dimension)
    first, count = assembly.equations_of(part.of)
    return native.reaction_output(first, count)


def standard(assembly: Assembly) -> dict[str, _core.multibody.Output]:
    """Return the outputs that every mechanism has."""
    made: dict[str, _core.multibody.Output] = {
        "q": _core.multibody.coordinates_output(assembly.model.coordinates, "position")
    }
    for name in STANDARD:
        if name != "q":
            made[name] = _core.multibody.scalar_output(name)
    return made
