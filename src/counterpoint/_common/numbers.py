"""Numbers that a user gives."""

from __future__ import annotations

import math
from numbers import Real


def is_number(value: object) -> bool:
    """Whether a value is a finite real number (and not a truth value)."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
