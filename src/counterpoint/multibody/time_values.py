"""What a user may give as a function of time: a number, a polynomial, a sine, an input, a Python function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .. import _core

SINE_KEYS = ("amplitude", "frequency", "phase", "offset")
DIFFERENCE_INTERVAL = 1e-4
"""Interval of the differences that give a Python function's derivatives, s."""


def problems(where: str, value: Any) -> list[str]:
    """Return what is wrong with a value, as sentences."""
    if callable(value) or (isinstance(value, str) and value.startswith("input:") and len(value) > len("input:")):
        return []
    if isinstance(value, Real):
        return [] if np.isfinite(float(value)) else [f"{where}: {value}; a finite number is needed"]
    if isinstance(value, Mapping) and set(value) == {"sine"}:
        wrong = set(value["sine"]) - set(SINE_KEYS)
        return [f"{where}: sine: {key!r} is not known; known: {', '.join(SINE_KEYS)}" for key in sorted(wrong)]
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(v, Real) for v in value):
        return []
    return [f'{where}: {value!r}; a number, polynomial coefficients, {{"sine": ...}}, "input:NAME" or a function of t is needed']


def build(value: Any, inputs: Mapping[str, int], factor: float = 1.0) -> _core.multibody.TimeFunction:
    """Return the core's form; ``inputs`` gives the place of each input."""
    if callable(value):
        function = value if factor == 1.0 else lambda t: factor * value(t)
        return _core.multibody.python_time_function(function, DIFFERENCE_INTERVAL)
    if isinstance(value, str):
        return _core.multibody.following(inputs[value.removeprefix("input:")], factor)
    if isinstance(value, Real):
        return _core.multibody.polynomial([factor * float(value)])
    if isinstance(value, Mapping):
        sine = value["sine"]
        frequency = 2.0 * np.pi * float(sine.get("frequency", 1.0))
        amplitude = factor * float(sine.get("amplitude", 1.0))
        offset = factor * float(sine.get("offset", 0.0))
        return _core.multibody.harmonic(offset, amplitude, frequency, float(sine.get("phase", 0.0)))
    return _core.multibody.polynomial([factor * float(v) for v in value])


def input_of(value: Any) -> str | None:
    """Return the name of the input that a value follows, if any."""
    return value.removeprefix("input:") if isinstance(value, str) else None
