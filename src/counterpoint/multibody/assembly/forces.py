"""Force elements: what the user gives, checked, and the core's form of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ..._common.numbers import is_number
from ..modelling import time_values
from ..modelling.parts import ForcePart, array_of, not_finite
from . import elements
from .measures import between_points

if TYPE_CHECKING:
    from ..modelling.bookkeeping import Bookkeeping
    from .assembly import Assembly


def check(mechanism: Bookkeeping, where: str, kind: str, options: dict[str, Any]) -> list[str]:
    """Return what is wrong with the options of a force, as sentences."""
    problems = []
    if "measure" in options:
        problems += _check_measure(mechanism, where, options)
    for key in ("point",):
        if options.get(key) is not None:
            problems += mechanism._unknown(where, "point", [options[key]], mechanism.points)
    if options.get("body") is not None:
        problems += mechanism._unknown(where, "body", [options["body"]], mechanism._moving_bodies())
    for key in ("force",):
        if key in options:
            problems += time_values.problems(f"{where}: {key}", options[key])
    if "components" in options:
        wanted = 1 if kind == "torque" and mechanism.dimension == 2 else mechanism.dimension
        if len(options["components"]) != wanted:
            problems.append(f"{where}: {len(options['components'])} components; expected {wanted}")
        for k, value in enumerate(options["components"]):
            problems += time_values.problems(f"{where}: component {k}", value)
    return problems + _check_numbers(where, kind, options)


def _check_measure(mechanism: Bookkeeping, where: str, options: dict[str, Any]) -> list[str]:
    measure, between = options["measure"], options["between"]
    if (measure is None) == (between is None):
        return [f"{where}: give either a measure or between = two points"]
    if measure is not None:
        return mechanism._unknown(where, "measure", [measure], mechanism.measures)
    if len(between) != 2:
        return [f"{where}: between = {between!r}; expected two points"]
    if between[0] == between[1]:
        return [f'{where}: between: "{between[0]}" twice; expected two points']
    return mechanism._unknown(where, "point", list(between), mechanism.points)


def _check_numbers(where: str, kind: str, options: dict[str, Any]) -> list[str]:
    problems = not_finite(where, {"natural": options.get("natural")})
    for key in ("stiffness", "damping", "sliding", "breakaway"):
        value = options.get(key)
        if value is None or kind == "rotational spring":  # which has looked at its three values itself
            continue
        if not is_number(value) or value < 0:
            problems.append(f"{where}: {key} {value!r}; expected a number of at least 0")
    for key in ("rate", "stribeck"):
        if key in options and not (is_number(options[key]) and options[key] > 0):
            problems.append(f"{where}: {key} {options[key]!r}; expected a positive number")
    for key in ("curve", "damper_curve"):
        if options.get(key) is not None:
            table = array_of(options[key])
            is_table = table.ndim == 2 and table.shape[1] == 2 and len(table) > 1 and np.all(np.isfinite(table))
            if not is_table or not np.all(np.diff(table[:, 0]) > 0):
                problems.append(f"{where}: {key}: expected pairs (deflection, force) with increasing deflection")
    return problems


def build(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return the core's force for a part."""
    force = _BUILDERS[part.kind](assembly, part)
    force.name = part.name
    return force


def _measure_of(assembly: Assembly, part: ForcePart) -> tuple[_core.multibody.Measure, str]:
    if part.options["measure"] is not None:
        name = part.options["measure"]
        return assembly.native_measures[name], assembly.mechanism.measures[name].kind
    first, second = part.options["between"]
    return between_points(assembly, first, second, part.name), "distance"


def _spring(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    options = part.options
    measure, kind = _measure_of(assembly, part)
    law = _core.multibody.ScalarLaw()
    law.stiffness, law.damping = options["stiffness"], options["damping"]
    drawn = 0.0 if kind == "rotation" else measure.value(assembly.drawn_coordinates())
    law.natural = drawn if options["natural"] is None else options["natural"]
    for key, setter in (("curve", law.set_spring), ("damper_curve", law.set_damper)):
        if options[key] is not None:
            table = np.asarray(options[key], dtype=float)
            setter(table[:, 0].tolist(), table[:, 1].tolist())
    return _core.multibody.scalar_force(measure, law)


def _actuator(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    measure, _ = _measure_of(assembly, part)
    law = _core.multibody.ScalarLaw()
    law.set_actuator(time_values.build(part.options["force"], assembly.input_places))
    return _core.multibody.scalar_force(measure, law)


def _friction(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    options = part.options
    measure, _ = _measure_of(assembly, part)
    law = _core.multibody.ScalarLaw()
    law.friction, law.friction_rate, law.stribeck_rate = options["sliding"], options["rate"], options["stribeck"]
    law.breakaway = options["breakaway"] or 0.0
    return _core.multibody.scalar_force(measure, law)


def _components(assembly: Assembly, part: ForcePart) -> list[_core.multibody.TimeFunction]:
    return [time_values.build(value, assembly.input_places) for value in part.options["components"]]


def _force(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    point = assembly.place(part.options["point"]).native(assembly.offsets)
    axes = [] if part.options["body"] is None else assembly.axes(part.options["body"])
    return _core.multibody.point_force(point, _components(assembly, part), axes)


def _torque(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    axes = assembly.axes(part.options["body"])
    return _core.multibody.torque(axes, _components(assembly, part), part.options["turning"])


def _rotor_aerodynamics(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    from ..aerodynamics.rotor import build

    return build(assembly, part)


_BUILDERS: dict[str, Callable[[Assembly, ForcePart], _core.multibody.Force]] = {
    "spring": _spring,
    "actuator": _actuator,
    "friction": _friction,
    "force": _force,
    "torque": _torque,
    "rotor aerodynamics": _rotor_aerodynamics,
    **elements.BUILDERS,
}
