"""Units of connections: checked before a run, converted on request.

What happens to a source and the input it enters:

===================================  =================  ===========================  ==================
units                                ``convert = true`` not said                     ``convert = false``
===================================  =================  ===========================  ==================
the same                             as it is           as it is                     as it is
of one dimension                     converted          refused, ``convert`` offered as it is
of different dimensions              refused            refused                      as it is
one is missing or not known          refused [1]_       as it is, one warning [2]_   as it is
===================================  =================  ===========================  ==================

.. [1] If the connection itself says ``convert = true``; if the system says it for all, as if nothing was said.
.. [2] A missing unit is worth a warning where the other inputs (or outputs) of that model have units, or an FMU is
   connected; an unknown one always is. Two unknown units with the same name are the same.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import UnitWarning
from ..units import Conversion, Unit, UnitProblem, conversion, unit

if TYPE_CHECKING:
    from ..system import Connection, System

_MOST_NAMED = 8
"""Connections that one warning names."""

NO_CONVERSION = Conversion()


def conversion_of(system: System, connection: Connection, source: str) -> Conversion:
    """Return how a source becomes a value in the unit of the input; the system must have no problems."""
    if connection.law is not None or not _wanted(system, connection):
        return NO_CONVERSION
    given, needed = _units(system, source, connection.target)
    if isinstance(given, str) or isinstance(needed, str):
        return NO_CONVERSION
    return conversion(given, needed)


def unit_problems(system: System, connection: Connection) -> Iterator[str]:
    """Say which sources have a unit that the input cannot take."""
    wanted = _wanted(system, connection)
    if wanted is False or not _is_complete(system, connection):
        return
    if connection.law is not None:
        if connection.convert:
            yield "convert: a coupling law gets its signals in their own units; convert them in the law"
        return
    for source in connection.sources:
        given, needed = _units(system, source, connection.target)
        if isinstance(given, Unit) and isinstance(needed, Unit):
            problem = _mismatch(source, given, connection.target, needed, bool(wanted))
            if problem:
                yield problem
        elif connection.convert and given != needed:
            unclear = f'"{source}" has {_said(given)}, "{connection.target}" has {_said(needed)}'
            yield f"convert: {unclear}, so nothing can be converted; declare both units, or give gain and offset"


def warn_about_units(system: System) -> None:
    """Warn, once for a system, of connections whose units cannot be compared."""
    found = []
    for connection in system.connections:
        if _wanted(system, connection) is False or connection.law is not None:
            continue
        for source in connection.sources:
            given, needed = _units(system, source, connection.target)
            if (isinstance(given, Unit) and isinstance(needed, Unit)) or given == needed:
                continue
            if given == "" and not _is_expected(system, source, "outputs", connection.target):
                continue
            if needed == "" and not _is_expected(system, connection.target, "inputs", source):
                continue
            found.append(f'"{source}" ({_said(given)}) to "{connection.target}" ({_said(needed)})')
    new = [text for text in found if text not in system.unit_warnings]
    if not new:
        return
    system.unit_warnings.update(new)
    more = f", and {len(new) - _MOST_NAMED} more" if len(new) > _MOST_NAMED else ""
    warnings.warn(
        f"{system.name}: units are not checked from {', '.join(new[:_MOST_NAMED])}{more}; "
        "declare the units on both sides, or set convert = false to use the numbers as they are",
        UnitWarning,
        stacklevel=level_of_the_caller(),
    )


def _is_expected(system: System, port: str, kind: str, other: str) -> bool:
    """Whether the unit that a port has not is worth a warning: models often name units of outputs only, for plots."""
    model, opposite = (system.subsystems[name.partition(".")[0]].subsystem for name in (port, other))
    names_units = any(model.units.get(name) for name in getattr(model, kind))
    return names_units or model.units_expected or opposite.units_expected


def level_of_the_caller() -> int:
    """Return how far up the stack the user's own code is, so that the warning names a line of it."""
    ours = f"{__package__.partition('.')[0]}."
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(ours):
        level, frame = level + 1, frame.f_back
    return level


def _wanted(system: System, connection: Connection) -> bool | None:
    return system.convert if connection.convert is None else connection.convert


def _is_complete(system: System, connection: Connection) -> bool:
    """Whether all ports exist; missing ones are reported elsewhere."""
    return all(_exists(system, port, "outputs") for port in connection.sources) and _exists(
        system, connection.target, "inputs"
    )


def _exists(system: System, port: str, kind: str) -> bool:
    name, _, port_name = port.partition(".")
    participant = system.subsystems.get(name)
    return participant is not None and port_name in getattr(participant.subsystem, kind)


def _units(system: System, source: str, target: str) -> tuple[Unit | str, Unit | str]:
    return port_unit(system, source), port_unit(system, target)


def port_unit(system: System, port: str) -> Unit | str:
    """Return the unit of ``subsystem.port``; its text, possibly empty, when that says nothing to us."""
    name, _, port_name = port.partition(".")
    subsystem = system.subsystems[name].subsystem
    defined = subsystem.unit_definitions.get(port_name)
    if defined is not None and defined.exponents is not None:
        return defined
    text = subsystem.units.get(port_name, "")
    try:
        return unit(text.strip()) if text.strip() else ""
    except UnitProblem:
        return text


def _mismatch(source: str, given: Unit, target: str, needed: Unit, converts: bool) -> str:
    """Say why a source cannot enter an input; empty when it can."""
    as_it_is = "convert = false takes the numbers as they are"
    if given.exponents != needed.exponents:
        return (
            f'"{source}" is in {given.name} ({given.dimension}), "{target}" takes {needed.name} ({needed.dimension}): '
            f"the dimensions differ; connect another port, or declare the right units; {as_it_is}"
        )
    try:
        found = conversion(given, needed)
    except UnitProblem as problem:
        return f'"{source}" cannot become "{target}": {problem}; give gain and offset, and {as_it_is}'
    if converts or found.is_identity:
        return ""
    return (
        f'"{source}" is in {given.name}, "{target}" takes {needed.name}, of the same dimension ({needed.dimension}); '
        f"convert = true converts by {formula(found)}, {as_it_is}"
    )


def formula(found: Conversion) -> str:
    """Write a conversion.

    >>> formula(conversion(unit("degC"), unit("degF")))
    '1.8 x + 32'
    """
    text = "x" if found.gain == 1.0 else f"{found.gain:.6g} x"
    return text if found.offset == 0.0 else f"{text} {'-' if found.offset < 0 else '+'} {abs(found.offset):.6g}"


def _said(given: Unit | str) -> str:
    if isinstance(given, Unit):
        return given.name
    return f'the unknown unit "{given}"' if given else "no unit"
