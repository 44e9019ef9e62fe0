"""Force elements with laws of their own: contact, tyre, aerodynamic strip, rotational spring, user's force."""

from __future__ import annotations

import ctypes
from _ctypes import CFuncPtr  # what all functions of ctypes are; it has no public name
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ..._common.numbers import is_number
from ...errors import SetupError, did_you_mean
from ..modelling import time_values
from ..modelling.parts import ForcePart
from .affine import Affine
from .frames import across, unit

if TYPE_CHECKING:
    from .assembly import Assembly

_ABOVE, _FROM, _ANY = "a number above 0", "a number from 0", "a finite number"
MAGIC_KEYS = {"B": _ABOVE, "C": _ABOVE, "E": _ANY, "mu": _FROM}
"""What each number of the magic formula has to be; so for contacts and tyres."""
CONTACT_KEYS = {
    "stiffness": _ABOVE, "exponent": _ABOVE, "damping": _FROM, "friction": _FROM, "friction_speed": _ABOVE,
    "radius": _FROM,
}  # fmt: skip
TYRE_KEYS = {
    "radius": _ABOVE, "stiffness": _FROM, "damping": _FROM, "longitudinal_relaxation": _ABOVE,
    "lateral_relaxation": _ABOVE, "nominal_load": _ABOVE, "load_sensitivity": _ANY, "camber_slip": _ANY,
    "rolling_resistance": _ANY, "rolling_speed": _ABOVE, "trail": _ANY, "trail_fall": _ANY,
    "standstill_damping": _FROM, "standstill_speed": _ABOVE, "largest_slip": _ABOVE,
    "gyroscopic_inertia": _FROM,
}  # fmt: skip


def law_problems(where: str, given: Mapping[str, Any], known: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the numbers of a law, as sentences."""
    problems = []
    for key, value in given.items():
        if key not in known:
            problems.append(f'{where}: "{key}" is not known{did_you_mean(key, known)}')
        elif not _is(known[key], value):
            problems.append(f"{where}: {key} {value!r}; expected {known[key]}")
    return problems


def _is(wanted: str, value: Any) -> bool:
    return is_number(value) and (value > 0 or wanted == _ANY or (value == 0 and wanted == _FROM))


def _fill(law: Any, given: Mapping[str, Any]) -> Any:
    for key, value in given.items():
        setattr(law, key, float(value))
    return law


def _in_space(values: np.ndarray[Any, Any]) -> list[float]:
    return [*map(float, values), 0.0][:3] if len(values) == 2 else [float(x) for x in values]


def _native(assembly: Assembly, *affines: Affine) -> list[_core.multibody.Combination]:
    return [affine.native(assembly.offsets) for affine in affines]


def contact(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return the contact of a point with a plane."""
    options = part.options
    law = _fill(_core.multibody.ContactLaw(), options["law"])
    point = assembly.place(options["point"]).native(assembly.offsets)
    return _core.multibody.contact(point, _in_space(options["plane"]), _in_space(unit(options["normal"])), law)


def tyre(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return a tyre on a flat road."""
    options = part.options
    law = _fill(_core.multibody.TyreLaw(), options["law"])
    law.longitudinal = _fill(_core.multibody.MagicFormula(), options["longitudinal"])
    law.lateral = _fill(_core.multibody.MagicFormula(), options["lateral"])
    wheel = assembly.bodies[options["body"]]
    axis = unit(options["axis"])
    name = options["angle"]
    spoke, angle = (wheel.vector(across(axis)[0]), Affine(1)) if name is None else (Affine(3), Affine.of(1, name))
    centre, spin, arm, turn = _native(assembly, assembly.place(options["centre"]), wheel.vector(axis), spoke, angle)
    road, normal = _in_space(options["road"]), _in_space(unit(options["normal"]))
    return _core.multibody.tyre(centre, spin, arm, turn, road, normal, law)


def aerodynamic_strip(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return a strip of a blade or wing."""
    options = part.options
    law = _core.multibody.StripLaw()
    law.span, law.chord, law.density = options["span"], options["chord_length"], options["density"]
    polar = np.asarray(options["polar"], dtype=float)
    moment = polar[:, 3].tolist() if polar.shape[1] > 3 else []
    law.set_polar(polar[:, 0].tolist(), polar[:, 1].tolist(), polar[:, 2].tolist(), moment)
    wind = [time_values.build(value, assembly.input_places) for value in options["wind"]]
    law.set_wind(wind, options["reference_height"], options["shear_exponent"], 0.0)
    body = assembly.bodies[options["body"]]
    chord = unit(options["chord"])
    normal = options["normal"] - chord * float(chord @ options["normal"])
    if not normal.any():
        raise SetupError(f'{assembly.mechanism.name}: aerodynamic strip "{part.name}": normal is along the chord')
    point, along, lift = _native(
        assembly, assembly.place(options["point"]), body.vector(chord), body.vector(unit(normal))
    )
    return _core.multibody.aerodynamic_strip(point, along, lift, law)


def rotational_spring(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return a spring about three axes between two bodies that are parallel as drawn when it is relaxed."""
    options = part.options
    first, second = (
        [assembly.carrier(name).vector(e).native(assembly.offsets) for e in options["axes"]]
        for name in options["bodies"]
    )
    return _core.multibody.rotational_spring(first, second, _three(options["stiffness"]), _three(options["damping"]))


def _three(value: Any) -> list[float]:
    return [float(x) for x in np.broadcast_to(np.asarray(value, dtype=float), 3)]


def user_force(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return a user's force on points, by a Python or a compiled function."""
    options = part.options
    points = [assembly.place(name).native(assembly.offsets) for name in options["points"]]
    function = options["function"]
    address = address_of(function)
    differences = (options["position_difference"], options["velocity_difference"])
    if address is not None:
        return _core.multibody.compiled_user_force(address, points, *differences)
    shape = (len(points), assembly.dimension)

    def on_points(t: float, x: Any, v: Any, u: Any) -> Any:
        return np.asarray(function(t, x.reshape(shape), v.reshape(shape), u), dtype=float).reshape(-1)

    return _core.multibody.python_user_force(on_points, points, len(assembly.input_places), *differences)


def address_of(function: Any) -> int | None:
    """Return the address of a compiled function (numba's cfunc, ctypes), None for a Python function."""
    if hasattr(function, "address"):
        return int(function.address)
    if isinstance(function, CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


BUILDERS = {
    "contact": contact,
    "tyre": tyre,
    "aerodynamic strip": aerodynamic_strip,
    "rotational spring": rotational_spring,
    "user force": user_force,
}
