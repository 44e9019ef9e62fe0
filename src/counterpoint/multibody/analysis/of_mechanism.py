"""From a mechanism to what the analyses work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..modelling import outputs, time_values
from ..modelling.outputs import MOTIONS
from ..modelling.parts import OutputPart
from .problem import Problem, Shown, start_state

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..modelling.mechanism import Mechanism


def problem_of(mechanism: Mechanism) -> Problem:
    """Return a mechanism as a problem; what it shows are its outputs, or else its points and measures."""
    assembly = mechanism.assembled()
    inputs = dict(mechanism.inputs)
    guiding = [name for g in mechanism.guides if (name := time_values.input_of(g.value)) is not None]
    return Problem(
        mechanism.name, assembly.model, start_state(assembly.model, assembly.q, assembly.v, inputs), assembly.length,
        inputs, guiding, _outputs(assembly), _guides(assembly), _measures(assembly), assembly,
    )  # fmt: skip


def _outputs(assembly: Assembly) -> dict[str, Shown]:
    mechanism = assembly.mechanism
    if mechanism.outputs:
        return {name: _shown(assembly, part) for name, part in mechanism.outputs.items()}
    made = {part.name: _shown(assembly, part) for part in assembly._shown()}
    for name in mechanism.measures:
        made[name] = _shown(assembly, _part(mechanism, name, name, "position"))
    return made


def motions(assembly: Assembly) -> dict[str, Shown]:
    """Return positions, velocities and accelerations of all moving points and all measures."""
    mechanism = assembly.mechanism
    of = [name for name, point in mechanism.points.items() if not point.fixed] + list(mechanism.measures)
    made = {}
    for name in of:
        for motion in MOTIONS:
            label = name if motion == "position" else f"{name}_{motion}"
            made[label] = _shown(assembly, _part(mechanism, label, name, motion))
    return made


def standard(assembly: Assembly) -> dict[str, Shown]:
    """Return what every mechanism shows: all free coordinates, energies, violation."""
    natives = outputs.standard(assembly)
    widths = {"q": assembly.free}
    return {name: Shown([native], widths.get(name, 1), outputs.STANDARD[name]) for name, native in natives.items()}


def _guides(assembly: Assembly) -> dict[str, Shown]:
    made = {}
    for guide in assembly.mechanism.guides:
        native = outputs.build(assembly, OutputPart("", "reaction", f"guide:{guide.measure}"))
        unit = "N m" if assembly.mechanism.measures[guide.measure].is_angular else "N"
        made[f"guide:{guide.measure}"] = Shown([native], 1, unit)
    return made


def _measures(assembly: Assembly) -> dict[str, tuple[Shown, Shown, Shown]]:
    mechanism = assembly.mechanism
    made = {}
    for name in mechanism.measures:
        position, velocity, acceleration = (
            _shown(assembly, _part(mechanism, name, name, motion)) for motion in MOTIONS
        )
        made[name] = (position, velocity, acceleration)
    return made


def _part(mechanism: Mechanism, name: str, of: str, motion: str) -> OutputPart:
    part = outputs.describe(mechanism, name, of, motion, [])
    assert part is not None
    return part


def _shown(assembly: Assembly, part: OutputPart) -> Shown:
    return Shown([outputs.build(assembly, part)], assembly.width(part), part.unit)
