"""Units of a model file: numbers with a unit of their own, and the units that bare numbers have.

Angles are a dimension of their own, so that a torsion spring in N m/deg is not taken for one in N m/rad.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from ..errors import did_you_mean

Dimension = tuple[int, int, int, int]
"""Powers of length, mass, time and angle."""

_NONE: Dimension = (0, 0, 0, 0)
_LENGTH: Dimension = (1, 0, 0, 0)
_MASS: Dimension = (0, 1, 0, 0)
_TIME: Dimension = (0, 0, 1, 0)
_ANGLE: Dimension = (0, 0, 0, 1)
_RATE: Dimension = (0, 0, -1, 0)
_FORCE: Dimension = (1, 1, -2, 0)
_TORQUE: Dimension = (2, 1, -2, 0)
_PRESSURE: Dimension = (-1, 1, -2, 0)

_INCH, _POUND, _STANDARD_GRAVITY = 0.0254, 0.45359237, 9.80665


@dataclass(frozen=True)
class Unit:
    """A unit: how many of the SI unit it is, its dimension, and how it is written."""

    factor: float
    dimension: Dimension
    text: str


_SYMBOLS: dict[str, tuple[float, Dimension]] = {
    "m": (1.0, _LENGTH), "mm": (1e-3, _LENGTH), "cm": (1e-2, _LENGTH), "dm": (1e-1, _LENGTH), "km": (1e3, _LENGTH),
    "um": (1e-6, _LENGTH), "µm": (1e-6, _LENGTH), "in": (_INCH, _LENGTH), "ft": (12 * _INCH, _LENGTH),
    "kg": (1.0, _MASS), "g": (1e-3, _MASS), "mg": (1e-6, _MASS), "t": (1e3, _MASS), "lb": (_POUND, _MASS),
    "s": (1.0, _TIME), "ms": (1e-3, _TIME), "us": (1e-6, _TIME), "µs": (1e-6, _TIME), "min": (60.0, _TIME),
    "h": (3600.0, _TIME), "Hz": (1.0, _RATE), "kHz": (1e3, _RATE),
    "rad": (1.0, _ANGLE), "mrad": (1e-3, _ANGLE), "deg": (math.pi / 180, _ANGLE), "°": (math.pi / 180, _ANGLE),
    "rev": (2 * math.pi, _ANGLE), "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "N": (1.0, _FORCE), "mN": (1e-3, _FORCE), "kN": (1e3, _FORCE), "MN": (1e6, _FORCE),
    "lbf": (_POUND * _STANDARD_GRAVITY, _FORCE), "kgf": (_STANDARD_GRAVITY, _FORCE),
    "Nm": (1.0, _TORQUE), "kNm": (1e3, _TORQUE), "Nmm": (1e-3, _TORQUE), "J": (1.0, _TORQUE), "kJ": (1e3, _TORQUE),
    "W": (1.0, (2, 1, -3, 0)), "kW": (1e3, (2, 1, -3, 0)),
    "Pa": (1.0, _PRESSURE), "kPa": (1e3, _PRESSURE), "MPa": (1e6, _PRESSURE), "GPa": (1e9, _PRESSURE),
    "bar": (1e5, _PRESSURE),
}  # fmt: skip

_ROLES = {"length": _LENGTH, "mass": _MASS, "time": _TIME, "angle": _ANGLE, "force": _FORCE}
"""Units that a model file chooses; everything else is put together from them."""

_FACTOR = re.compile(r"([^\W\d_²³⁴]+|°)(?:(?:\^|\*\*)?(-?[1-9])|([²³⁴]))?")
_JOINT = re.compile(r"\s*([*·/])\s*|\s+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LONGEST = 80
"""Longest text that is read as a number with a unit."""


class UnitProblem(ValueError):
    """A text is no number with a unit, or its unit does not fit; the message is a sentence."""


@lru_cache(maxsize=1000)
def unit(text: str) -> Unit:
    """Return the unit that a text means: ``"mm"``, ``"N m/rad"``, ``"kg m^2"``, ``"m/s²"``.

    >>> unit("km/h").factor
    0.2777777777777778
    >>> unit("N mm").dimension == unit("J").dimension
    True
    """
    factor, total = 1.0, list(_NONE)
    for symbol, power in factors(text):
        if symbol not in _SYMBOLS:
            raise UnitProblem(f'unit "{symbol}" is not known{did_you_mean(symbol, _SYMBOLS)}')
        size, dimension = _SYMBOLS[symbol]
        factor *= size**power
        total = [a + power * b for a, b in zip(total, dimension, strict=True)]
    return Unit(factor, (total[0], total[1], total[2], total[3]), text)


def factors(text: str) -> list[tuple[str, int]]:
    """Split a product such as ``N m/rad`` into symbols and their powers."""
    if len(text) > _LONGEST:
        raise UnitProblem(f'"{text[:20]}...": too long for a unit')
    found: list[tuple[str, int]] = []
    place, divided = 0, False
    if text.startswith("1/"):
        place, divided = 2, True
    while True:
        match = _FACTOR.match(text, place)
        if match is None:
            raise UnitProblem(f'"{text}": not a unit; write it as "N m/rad", "kg m^2" or "m/s^2"')
        power = int(match[2] or " ¹²³⁴".find(match[3] or "¹"))
        found.append((match[1], -power if divided else power))
        place = match.end()
        if place == len(text):
            return found
        joint = _JOINT.match(text, place)
        if joint is None:
            raise UnitProblem(f'"{text}": not a unit; write it as "N m/rad", "kg m^2" or "m/s^2"')
        if divided and joint[1] != "/":
            raise UnitProblem(f'"{text}": what is divided by? Write factors first, then divisors: "N s/m", "m/s/s"')
        divided = joint[1] == "/"
        place = joint.end()


@dataclass(frozen=True)
class Given:
    """A number as it stands in a file: with a unit of its own, or None for the unit of the file."""

    value: float
    unit: Unit | None = None


def given(text: str) -> Given:
    """Read a number with a unit.

    >>> given("12 mm").value, given("12 mm").unit.factor
    (12.0, 0.001)
    """
    stripped = text.strip()
    match = _NUMBER.match(stripped) if len(stripped) <= _LONGEST else None
    if match is None:
        raise UnitProblem('not a number with a unit; write it as "12 mm" or "30 deg"')
    value = float(match[0])
    if not math.isfinite(value):
        raise UnitProblem("too large for a number")
    rest = stripped[match.end() :].strip()
    return Given(value, unit(rest) if rest else None)


@dataclass(frozen=True)
class Units:
    """Units of bare numbers; *roles* are products of ``length``, ``mass``, ``time``, ``angle`` and ``force``.

    >>> file = Units(length="mm", angle="deg")
    >>> file.unit("force/length").text
    'N/mm'
    >>> file.si(Given(3.0), "length"), file.si(given("3 cm"), "length")
    (0.003, 0.03)
    """

    length: str = "m"
    mass: str = "kg"
    time: str = "s"
    angle: str = "rad"
    force: str = "N"

    def unit(self, role: str) -> Unit:
        """Return the unit of bare numbers of a role."""
        return _unit_of_role(self, role)

    def si(self, number: Given, role: str) -> float:
        """Return a number in SI units, or raise UnitProblem when its unit does not fit the role."""
        wanted = self.unit(role)
        if number.unit is None:
            return number.value * wanted.factor
        if number.unit.dimension != wanted.dimension:
            needed = f"a value in {wanted.text}" if wanted.text else "a number without unit"
            raise UnitProblem(f'"{number.value:g} {number.unit.text}": the unit does not fit; {needed} is needed')
        return number.value * number.unit.factor


@lru_cache(maxsize=1000)
def _unit_of_role(units: Units, role: str) -> Unit:
    if not role:
        return Unit(1.0, _NONE, "")
    factor, total = 1.0, list(_NONE)
    above: list[str] = []
    below: list[str] = []
    for name, power in factors(role):
        chosen = unit(getattr(units, name))
        factor *= chosen.factor**power
        total = [a + power * b for a, b in zip(total, chosen.dimension, strict=True)]
        (above if power > 0 else below).append(chosen.text + (f"^{abs(power)}" if abs(power) > 1 else ""))
    text = " ".join(above) or "1"
    return Unit(factor, (total[0], total[1], total[2], total[3]), "/".join([text, *below]))


def role_problem(role: str, text: str) -> str | None:
    """Say why a text cannot be the unit of a role, or None when it can."""
    try:
        found = unit(text)
    except UnitProblem as problem:
        return str(problem)
    if found.dimension != _ROLES[role]:
        known = [name for name, (_, dimension) in _SYMBOLS.items() if dimension == _ROLES[role]]
        return f'"{text}" is not a unit of {role}; known: ' + ", ".join(f'"{name}"' for name in known)
    return None
