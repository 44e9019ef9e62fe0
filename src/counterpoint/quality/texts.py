"""Sizes in words, as the verdict tells them."""

from __future__ import annotations

from math import isfinite

from .._common.numbers import number_text

MOST, LEAST = 1e6, 1e-4
"""Factors beyond these say no more than that nothing is left of what was."""


def times_text(factor: float) -> str:
    """Return how many times larger something has become.

    >>> times_text(104.0), times_text(1e9)
    ('100 times', 'more than a million times')
    """
    return f"{number_text(factor)} times" if factor < MOST else "more than a million times"


def part_text(ratio: float) -> str:
    """Return to which part something has been attenuated.

    >>> part_text(0.25), part_text(0.0)
    ('0.25', 'less than 0.0001')
    """
    return number_text(ratio) if ratio >= LEAST else f"less than {LEAST:g}"


def percent_text(error: float) -> str:
    """Return a relative error in per cent.

    >>> percent_text(0.0512), percent_text(2.63), percent_text(1e9)
    ('5.1 %', '260 %', 'more than 1000 %')
    """
    return f"{number_text(100 * error)} %" if isfinite(error) and error < 10 else "more than 1000 %"
