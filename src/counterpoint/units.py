"""Units: the meaning of a text such as ``N*m/rad`` in SI base units, and conversions.

Units are described as in FMI and SSP: exponents of the base units, a factor and an offset. The angle is a
base unit, so that a torsion spring in N m/deg is not confused with one in N m/rad, nor a speed in rad/s with Hz.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from .errors import SetupError, did_you_mean

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")

Exponents = tuple[int, ...]
"""One integer per base unit, see :data:`BASE_UNITS`."""

SAME = 1e-6
"""Factors this close are the same unit, written with fewer digits: no two units in use are closer."""


_TIME_TEXT = re.compile(r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>.*)", re.ASCII)


class UnitProblem(ValueError):
    """A text is not a unit, or units do not match; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: ``base value = factor * value + offset`` in SI base units with these exponents.

    Attributes
    ----------
    name : str
        How it is written.
    exponents : tuple of int or None
        One per base unit kg, m, s, A, K, mol, cd, rad; None if unknown.
    factor, offset : float
        To the base unit: 1e-3 and 0 for mm, 1 and 273.15 for degC.
    difference : bool
        Whether values are differences, to which no offset applies: 10 degC are then 10 K.
    """

    name: str
    exponents: Exponents | None = None
    factor: float = 1.0
    offset: float = 0.0
    difference: bool = False

    @property
    def dimension(self) -> str:
        """The base units with their powers, ``"kg m2 s-2"``; ``"1"`` if dimensionless.

        >>> unit("kN").dimension
        'kg m s-2'
        """
        if self.exponents is None:
            return "unknown"
        powers = zip(BASE_UNITS, self.exponents, strict=True)
        return " ".join(f"{name}{'' if power == 1 else power}" for name, power in powers if power) or "1"


@dataclass(frozen=True, slots=True)
class Conversion:
    """From one unit to another: ``new value = gain * value + offset``."""

    gain: float = 1.0
    offset: float = 0.0

    @property
    def is_identity(self) -> bool:
        """Whether values stay unchanged."""
        return self.gain == 1.0 and self.offset == 0.0


def conversion(source: Unit, target: Unit) -> Conversion:
    """Return the conversion from one unit to another of the same dimension.

    Raises
    ------
    UnitProblem
        If the dimensions differ, or only one of the units is a temperature difference.

    Examples
    --------
    >>> conversion(unit("mm"), unit("m"))
    Conversion(gain=0.001, offset=0.0)
    >>> conversion(unit("degC"), unit("K"))
    Conversion(gain=1.0, offset=273.15)
    """
    if source.exponents is None or target.exponents is None or source.exponents != target.exponents:
        raise UnitProblem(
            f"{source.name} ({source.dimension}) cannot be converted to {target.name} ({target.dimension})"
        )
    if source.difference != target.difference:
        one, other = (source, target) if source.difference else (target, source)
        if other.offset:
            raise UnitProblem(f"one is a temperature difference ({one.name}), the other a temperature ({other.name})")
    gain = source.factor / target.factor
    if abs(gain - 1.0) <= SAME:
        gain = 1.0
    if source.difference or target.difference:
        return Conversion(gain)
    offset = (source.offset - target.offset) / target.factor
    same_zero = abs(offset) <= SAME * max(abs(source.offset), abs(target.offset)) / abs(target.factor)
    return Conversion(gain, 0.0 if same_zero else offset)


def _exponents(**powers: int) -> Exponents:
    return tuple(powers.get(name, 0) for name in BASE_UNITS)


NUMBER = _exponents()
LENGTH, MASS, TIME, ANGLE = (_exponents(**{name: 1}) for name in ("m", "kg", "s", "rad"))
FORCE = _exponents(kg=1, m=1, s=-2)
_AREA, _VOLUME, _RATE = _exponents(m=2), _exponents(m=3), _exponents(s=-1)
_ENERGY, _POWER = _exponents(kg=1, m=2, s=-2), _exponents(kg=1, m=2, s=-3)
_PRESSURE = _exponents(kg=1, m=-1, s=-2)
_CURRENT, _CHARGE = _exponents(A=1), _exponents(s=1, A=1)
_VOLTAGE = _exponents(kg=1, m=2, s=-3, A=-1)
_RESISTANCE, _CONDUCTANCE = _exponents(kg=1, m=2, s=-3, A=-2), _exponents(kg=-1, m=-2, s=3, A=2)
_CAPACITANCE, _INDUCTANCE = _exponents(kg=-1, m=-2, s=4, A=2), _exponents(kg=1, m=2, s=-2, A=-2)
_FLUX, _FLUX_DENSITY = _exponents(kg=1, m=2, s=-2, A=-1), _exponents(kg=1, s=-2, A=-1)
_TEMPERATURE = _exponents(K=1)
_ROTATION = _exponents(rad=1, s=-1)

_INCH, _POUND, _STANDARD_GRAVITY = 0.0254, 0.45359237, 9.80665
_POUND_FORCE = _POUND * _STANDARD_GRAVITY

SYMBOLS: dict[str, tuple[float, Exponents]] = {
    "m": (1.0, LENGTH), "mm": (1e-3, LENGTH), "cm": (1e-2, LENGTH), "dm": (1e-1, LENGTH), "km": (1e3, LENGTH),
    "um": (1e-6, LENGTH), "µm": (1e-6, LENGTH), "in": (_INCH, LENGTH), "ft": (12 * _INCH, LENGTH),
    "mi": (63360 * _INCH, LENGTH), "ha": (1e4, _AREA), "l": (1e-3, _VOLUME), "L": (1e-3, _VOLUME),
    "kg": (1.0, MASS), "g": (1e-3, MASS), "mg": (1e-6, MASS), "t": (1e3, MASS), "lb": (_POUND, MASS),
    "s": (1.0, TIME), "ms": (1e-3, TIME), "us": (1e-6, TIME), "µs": (1e-6, TIME), "min": (60.0, TIME),
    "h": (3600.0, TIME), "d": (86400.0, TIME), "Hz": (1.0, _RATE), "kHz": (1e3, _RATE),
    "mph": (0.44704, _exponents(m=1, s=-1)),
    "rad": (1.0, ANGLE), "mrad": (1e-3, ANGLE), "deg": (math.pi / 180, ANGLE), "°": (math.pi / 180, ANGLE),
    "rev": (2 * math.pi, ANGLE), "rpm": (2 * math.pi / 60, _ROTATION),
    "N": (1.0, FORCE), "mN": (1e-3, FORCE), "kN": (1e3, FORCE), "MN": (1e6, FORCE),
    "lbf": (_POUND_FORCE, FORCE), "kgf": (_STANDARD_GRAVITY, FORCE),
    "Nm": (1.0, _ENERGY), "kNm": (1e3, _ENERGY), "Nmm": (1e-3, _ENERGY), "J": (1.0, _ENERGY), "kJ": (1e3, _ENERGY),
    "cal": (4.184, _ENERGY), "Wh": (3600.0, _ENERGY), "W": (1.0, _POWER), "kW": (1e3, _POWER),
    "Pa": (1.0, _PRESSURE), "kPa": (1e3, _PRESSURE), "MPa": (1e6, _PRESSURE), "GPa": (1e9, _PRESSURE),
    "bar": (1e5, _PRESSURE), "atm": (101325.0, _PRESSURE), "psi": (_POUND_FORCE / _INCH**2, _PRESSURE),
    "A": (1.0, _CURRENT), "C": (1.0, _CHARGE), "V": (1.0, _VOLTAGE), "Ohm": (1.0, _RESISTANCE),
    "ohm": (1.0, _RESISTANCE), "Ω": (1.0, _RESISTANCE), "S": (1.0, _CONDUCTANCE), "F": (1.0, _CAPACITANCE),
    "H": (1.0, _INDUCTANCE), "Wb": (1.0, _FLUX), "T": (1.0, _FLUX_DENSITY),
    "K": (1.0, _TEMPERATURE), "degC": (1.0, _TEMPERATURE), "°C": (1.0, _TEMPERATURE),
    "degF": (5 / 9, _TEMPERATURE), "°F": (5 / 9, _TEMPERATURE),
    "delta_degC": (1.0, _TEMPERATURE), "delta_K": (1.0, _TEMPERATURE), "delta_degF": (5 / 9, _TEMPERATURE),
    "mol": (1.0, _exponents(mol=1)), "cd": (1.0, _exponents(cd=1)), "%": (1e-2, NUMBER), "ppm": (1e-6, NUMBER),
}  # fmt: skip
"""Factor to the base unit, and exponents."""

_ZEROS = {"degC": 273.15, "°C": 273.15, "degF": 459.67 * 5 / 9, "°F": 459.67 * 5 / 9}
"""Zero of the scale in base units; it applies only to a unit on its own, not in W/(m2.degC)."""
_PREFIXES = {
    "p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "h": 1e2, "k": 1e3,
    "M": 1e6, "G": 1e9, "T": 1e12,
}  # fmt: skip
_PREFIXABLE = {
    "m", "g", "s", "Hz", "rad", "N", "Nm", "J", "cal", "Wh", "W", "Pa", "bar", "A", "C", "V", "Ohm", "ohm", "Ω", "S",
    "F", "H", "Wb", "T", "K", "mol", "cd", "l", "L",
}  # fmt: skip

_SUPERSCRIPTS = str.maketrans("⁻¹²³⁴⁵⁶", "-123456")
_FACTOR = re.compile(r"(delta_[A-Za-z]+|°[CF]?|%|[^\W\d_⁻¹²³⁴⁵⁶]+)(?:(?:\^|\*\*)?(-?[1-9])|([⁻¹²³⁴⁵⁶]+))?")
_JOINT = re.compile(r"\s*([*·./])\s*|\s+")
_SHAPE = 'write it as "N m/rad", "kg m^2" or "m/s^2"'
LONGEST = 80
"""Longest text that is read as a unit."""


@lru_cache(maxsize=1000)
def unit(text: str) -> Unit:
    """Return the unit that a text means: ``"mm"``, ``"N.m/rad"``, ``"kg m^2"``, ``"m/s²"``, ``"J/(kg.K)"``, ``"degC"``.

    Products are written with a blank, ``*``, ``.`` or ``·``; divisors come last. ``"1"`` is dimensionless.

    >>> unit("km/h").factor
    0.2777777777777778
    >>> unit("N mm").exponents == unit("J").exponents
    True
    >>> unit("degC").offset, unit("W/(m2.degC)").offset, unit("delta_degC").difference
    (273.15, 0.0, True)
    """
    factor, total = 1.0, list(NUMBER)
    found = factors(text)
    for symbol, power in found:
        size, exponents = _symbol(symbol)
        factor *= size**power
        total = [a + power * b for a, b in zip(total, exponents, strict=True)]
    alone = found[0][0] if len(found) == 1 and found[0][1] == 1 else ""
    return Unit(text, tuple(total), factor, _ZEROS.get(alone, 0.0), alone.startswith("delta_"))


def _symbol(symbol: str) -> tuple[float, Exponents]:
    symbol = symbol.replace("μ", "µ")  # two characters look like the micro sign
    if symbol in SYMBOLS:
        return SYMBOLS[symbol]
    prefix, rest = symbol[:1], symbol[1:]
    if prefix in _PREFIXES and rest in _PREFIXABLE:
        size, exponents = SYMBOLS[rest]
        return _PREFIXES[prefix] * size, exponents
    raise UnitProblem(f'unit "{symbol}" is unknown{did_you_mean(symbol, SYMBOLS)}')


def factors(text: str) -> list[tuple[str, int]]:
    """Split a product such as ``N m/rad`` into symbols and their powers."""
    if len(text) > LONGEST:
        raise UnitProblem(f'"{text[:20]}...": too long for a unit')
    if text == "1":
        return []
    above, slash, below = text.partition("/(")
    if slash:
        if not below.endswith(")") or "/" in below or "(" in below:
            raise UnitProblem(f'"{text}": not a unit; {_SHAPE}')
        divisors = [(symbol, -power) for symbol, power in factors(below[:-1])]
        return divisors if above == "1" else factors(above) + divisors
    return _line_of_factors(text)


def _line_of_factors(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    place, divided = 0, False
    if text.startswith("1/"):
        place, divided = 2, True
    while True:
        match = _FACTOR.match(text, place)
        if match is None:
            raise UnitProblem(f'"{text}": not a unit; {_SHAPE}')
        power = _power(match[2] or (match[3] or "1").translate(_SUPERSCRIPTS), text)
        found.append((match[1], -power if divided else power))
        place = match.end()
        if place == len(text):
            return found
        joint = _JOINT.match(text, place)
        if joint is None:
            raise UnitProblem(f'"{text}": not a unit; {_SHAPE}')
        if divided and joint[1] != "/":
            raise UnitProblem(f'"{text}": the divisor is missing; write factors first, then divisors: "N s/m", "m/s/s"')
        divided = joint[1] == "/"
        place = joint.end()


def _power(text: str, whole: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UnitProblem(f'"{whole}": not a unit; {_SHAPE}') from None


def seconds(value: float | str) -> float:
    """Return a time in s: a number as it is, a text by its unit.

    >>> seconds("0.1 ms"), seconds("2 min"), seconds(0.5)
    (0.0001, 120.0, 0.5)
    """
    if not isinstance(value, str):
        return value
    found = _TIME_TEXT.fullmatch(value.strip()) if len(value) <= LONGEST else None
    if found is None:
        raise UnitProblem(f'"{value}": is not a time; write it as "0.1 ms", or as a number of seconds')
    if not found["unit"]:
        raise UnitProblem(f'"{value}": has no unit; write it as "0.1 ms", or as a number without quotes')
    chosen: Unit | None
    try:
        chosen = unit(found["unit"])
    except UnitProblem:
        chosen = None
    if chosen is None or chosen.exponents != TIME:
        raise UnitProblem(f'"{value}": {found["unit"]} is not a unit of time; use s, ms, us, min or h')
    # In decimals: 0.1 ms is the number that is written 1e-4.
    number = float(Decimal(found["number"]) * Decimal(repr(chosen.factor)))
    if not math.isfinite(number):
        raise UnitProblem(f'"{value}": is too large')
    return number


_Given = TypeVar("_Given", float, float | None)


def time_at(where: str, value: str | _Given) -> float | _Given:
    """Return a time in s that a user gave, ``0.001`` or ``"1 ms"``; raise SetupError that names ``where``."""
    if not isinstance(value, str):
        return value
    try:
        return seconds(value)
    except UnitProblem as problem:
        raise SetupError(f"{where}: {problem}") from None
