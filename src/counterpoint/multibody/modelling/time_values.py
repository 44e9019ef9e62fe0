"""What a user may give as a function of time: numbers, tables of options, an input or a Python function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ... import _core
from ..._common.numbers import is_number
from .parts import not_finite

SINE_KEYS = ("amplitude", "frequency", "phase", "offset")
STEP_KEYS = ("start", "end", "before", "after")
DIFFERENCE_INTERVAL = 1e-4
"""Interval of the differences that give a Python function's derivatives, s."""


def problems(where: str, value: Any) -> list[str]:
    """Return what is wrong with a value, as sentences."""
    if callable(value) or input_of(value):
        return []
    if isinstance(value, Real):
        return [] if np.isfinite(float(value)) else [f"{where}: {value}; expected a finite number"]
    if isinstance(value, Mapping) and len(value) == 1:
        kind, options = next(iter(value.items()))
        if kind in _MAPPINGS and isinstance(options, Mapping):
            return _mapping_problems(f"{where}: {kind}", kind, options)
    if isinstance(value, Sequence) and not isinstance(value, str) and value and all(map(is_number, value)):
        return []
    return [
        f'{where}: {value!r}; expected a number, polynomial coefficients, {{"sine": ...}}, {{"step": ...}}, '
        '{"table": ...}, {"linear": ...}, "-input:NAME", "input:NAME" or a function of t'
    ]


_TABLE_KEYS = ("times", "values")
_MAPPINGS = {"sine": SINE_KEYS, "step": STEP_KEYS, "table": _TABLE_KEYS, "linear": _TABLE_KEYS}


def _mapping_problems(where: str, kind: str, options: Mapping[str, Any]) -> list[str]:
    known = _MAPPINGS[kind]
    found = [f"{where}: {key!r} is not known; known: {', '.join(known)}" for key in sorted(set(options) - set(known))]
    if kind != "sine":
        found += [f"{where}: {key!r} is missing" for key in known if key not in options]
    if known is not _TABLE_KEYS:
        found += not_finite(where, {key: options.get(key) for key in known})
    if not found and kind == "step" and not options["end"] > options["start"]:
        found.append(f"{where}: end {options['end']} s; expected a time after start {options['start']} s")
    if not found and known is _TABLE_KEYS:
        times = np.asarray(options["times"], dtype=float)
        if len(times) < 2 or len(times) != len(options["values"]) or not np.all(np.diff(times) > 0):
            found.append(f"{where}: expected increasing times and as many values, at least two")
    return found


def build(value: Any, inputs: Mapping[str, int], factor: float = 1.0) -> _core.multibody.TimeFunction:
    """Return the core's form; ``inputs`` gives the place of each input."""
    if callable(value):
        function = value if factor == 1.0 else lambda t: factor * value(t)
        return _core.multibody.python_time_function(function, DIFFERENCE_INTERVAL)
    if isinstance(value, str):
        return _core.multibody.following(inputs[str(input_of(value))], -factor if value.startswith("-") else factor)
    if isinstance(value, Real):
        return _core.multibody.polynomial([factor * float(value)])
    if isinstance(value, Mapping):
        return _build_mapping(value, factor)
    return _core.multibody.polynomial([factor * float(v) for v in value])


def _build_mapping(value: Mapping[str, Any], factor: float) -> _core.multibody.TimeFunction:
    kind, options = next(iter(value.items()))
    if kind == "step":
        before, after = factor * float(options["before"]), factor * float(options["after"])
        return _core.multibody.smooth_step(float(options["start"]), float(options["end"]), before, after)
    if kind in ("table", "linear"):
        make = _core.multibody.table_of_time if kind == "table" else _core.multibody.linear_table
        times = [float(t) for t in options["times"]]
        return make(times, [factor * float(v) for v in options["values"]])
    frequency = 2.0 * np.pi * float(options.get("frequency", 1.0))
    amplitude, offset = factor * float(options.get("amplitude", 1.0)), factor * float(options.get("offset", 0.0))
    return _core.multibody.harmonic(offset, amplitude, frequency, float(options.get("phase", 0.0)))


def input_of(value: Any) -> str | None:
    """Return the name of the input that a value follows, if any."""
    sign, found, name = value.partition("input:") if isinstance(value, str) else ("", "", "")
    return name if found and sign in ("", "-") else None


def at_start(value: Any, inputs: Mapping[str, float]) -> float:
    """Return the value at t = 0; an input has its default there."""
    if callable(value):
        return float(value(0.0))
    if isinstance(value, str):
        start = inputs[str(input_of(value))]
        return -start if value.startswith("-") else start
    if isinstance(value, Real):
        return float(value)
    return _mapping_at_start(value) if isinstance(value, Mapping) else float(value[0])


def _mapping_at_start(value: Mapping[str, Any]) -> float:
    kind, options = next(iter(value.items()))
    if kind == "step":
        return float(options["before"])
    if kind in ("table", "linear"):
        return float(np.interp(0.0, options["times"], options["values"]))
    amplitude, phase = float(options.get("amplitude", 1.0)), float(options.get("phase", 0.0))
    return float(options.get("offset", 0.0)) + amplitude * float(np.sin(phase))
