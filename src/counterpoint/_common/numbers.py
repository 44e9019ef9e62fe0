"""Numbers that a user gives."""

from __future__ import annotations

import math
from numbers import Real

MOST_THREADS = 1024
"""Worker threads of a run; more than there are subsystems never have work."""
MOST_REPEATS = 1_000_000
"""Repeats of a window."""


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether a value is an integer (and not a truth value) within these limits."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_number(value: object) -> bool:
    """Whether a value is a finite real number (and not a truth value)."""
    if type(value) is float or type(value) is int:  # the usual ones, without asking the abstract class
        return math.isfinite(value)
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def number_text(value: float, digits: int = 2) -> str:
    """Return a number with so many digits that count, and without an exponent from 1e-4 to 1e6.

    >>> number_text(263.4), number_text(0.0512), number_text(2.5e9), number_text(1000.0, 3)
    ('260', '0.051', '2.5e+09', '1000')
    """
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 1e6 else text
