"""Parameters of blocks as files write them: those of the method of the same name in Python.

The core has other names for some, and flags for inputs that a block need not have; files that spell these out are read
as well.
"""

from __future__ import annotations

import inspect
from typing import Any

from ... import _core
from ...errors import SetupError, did_you_mean
from ..block import parameters
from ..blocks.family import limit_values
from ..diagram import Diagram
from .tables import BlockTable, Signals

_FLAGS = {
    "initial": "initial_is_input",
    "setpoint": "has_setpoint",
    "measurement": "has_setpoint",
    "tracking": "tracks",
    "lower": "by_signals",
    "upper": "by_signals",
}
"""Input -> the core's flag that a block has it, for blocks whose method has such a parameter."""
_PORTS = {"external_initial": "initial"}
"""Inputs that the core calls otherwise."""
_EDGES = ("rising", "falling", "either", "level")
_INTERNAL = frozenset((*_FLAGS.values(), "count"))


def documented(kind: str) -> tuple[str, ...]:
    """Return the names of the parameters and inputs that Python documents for a kind; none where it has no method.

    >>> documented("gain")
    ('gain', 'u')
    """
    method = getattr(Diagram, kind, None)
    if method is None:
        return ()
    return tuple(name for name in inspect.signature(method).parameters if name not in ("self", "name"))


def in_core_terms(entry: BlockTable) -> tuple[dict[str, Any], Signals]:
    """Return parameters and inputs of a block as the core names them."""
    known = documented(entry.kind)
    values, inputs = entry.parameters, entry.inputs
    if isinstance(inputs, dict):
        inputs = {_PORTS.get(port, port) if port in known else port: signal for port, signal in inputs.items()}
    ports = set(inputs) if isinstance(inputs, dict) else set()
    for port in ports & set(_FLAGS):
        if port in known or any(mine == port and outside in known for outside, mine in _PORTS.items()):
            values.setdefault(_FLAGS[port], True)
    if "limits" in known and "limits" in values:
        values |= limit_values(values.pop("limits"))
    if {"reset", "edge"} <= set(known):
        _set_reset(values, ports)
    return values, inputs


def _set_reset(values: dict[str, Any], ports: set[str]) -> None:
    """Find the core's word for the edge at which a block begins anew."""
    edge = values.pop("edge", None)
    if edge is not None and "reset" not in ports:
        raise SetupError('"edge": there is no reset signal; name it: inputs = { reset = "signal", ... }')
    if edge is not None and edge not in _EDGES:
        raise SetupError(f'"edge": "{edge}" is not one of {", ".join(_EDGES)}')
    if "reset" in ports:
        values.setdefault("reset", "rising" if edge is None else edge)


def check_parameters(kind: str, values: dict[str, Any]) -> None:
    """Raise SetupError with all that is wrong with the parameters of a block; names are those of the file."""
    mistakes, asked = _core.diagram.mistakes(kind, *parameters(values))
    names = _written(kind, asked)
    problems = [
        f'"{name}": no such parameter of {kind}{_hint(name, names)}' if is_unknown else text
        for name, text, is_unknown in mistakes
    ]
    if problems:
        raise SetupError(problems)


def _hint(name: str, names: list[str]) -> str:
    nearest = did_you_mean(name, names)
    return nearest if "did you mean" in nearest else f"; it has: {', '.join(names)}"


def _written(kind: str, names: list[str]) -> list[str]:
    known = set(documented(kind))
    hidden = set(_INTERNAL - known)
    if "limits" in known:
        hidden |= {"lower", "upper"}
    if {"reset", "edge"} <= known:
        hidden |= {"reset"}
    added = {"limits", "edge"} & known
    return sorted({name for name in names if name not in hidden} | added)
