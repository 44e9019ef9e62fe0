"""Units of a model file: numbers with a unit of their own, and the units that bare numbers have."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from ...units import ANGLE, FORCE, LENGTH, LONGEST, MASS, NUMBER, SYMBOLS, TIME, Unit, UnitProblem, factors, unit

__all__ = ["Given", "Unit", "UnitProblem", "Units", "given", "role_problem", "unit"]

_ROLES = {"length": LENGTH, "mass": MASS, "time": TIME, "angle": ANGLE, "force": FORCE}
"""Units that a model file chooses; everything else is put together from them."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Given:
    """A number as written in a file: with a unit of its own, or None for the unit of the file."""

    value: float
    unit: Unit | None = None


def given(text: str) -> Given:
    """Read a number with a unit.

    >>> given("12 mm").value, given("12 mm").unit.factor
    (12.0, 0.001)
    """
    stripped = text.strip()
    match = _NUMBER.match(stripped) if len(stripped) <= LONGEST else None
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
    >>> file.unit("force/length").name
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
        if number.unit.exponents != wanted.exponents:
            needed = f"a value in {wanted.name}" if wanted.name else "a number without unit"
            raise UnitProblem(f'"{number.value:g} {number.unit.name}": the unit does not fit; expected {needed}')
        return number.value * number.unit.factor


@lru_cache(maxsize=1000)
def _unit_of_role(units: Units, role: str) -> Unit:
    if not role:
        return Unit("", NUMBER)
    factor, total = 1.0, list(NUMBER)
    above: list[str] = []
    below: list[str] = []
    for name, power in factors(role):
        chosen = unit(getattr(units, name))
        factor *= chosen.factor**power
        total = [a + power * b for a, b in zip(total, chosen.exponents or NUMBER, strict=True)]
        (above if power > 0 else below).append(chosen.name + (f"^{abs(power)}" if abs(power) > 1 else ""))
    text = " ".join(above) or "1"
    return Unit("/".join([text, *below]), tuple(total), factor)


def role_problem(role: str, text: str) -> str | None:
    """Say why a text cannot be the unit of a role, or None when it can."""
    try:
        found = unit(text)
    except UnitProblem as problem:
        return str(problem)
    if found.exponents != _ROLES[role]:
        known = [name for name, (_, exponents) in SYMBOLS.items() if exponents == _ROLES[role]]
        return f'"{text}" is not a unit of {role}; known: ' + ", ".join(f'"{name}"' for name in known)
    return None
