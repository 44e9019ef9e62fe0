"""Numbers that the source prints, and those of an independent model."""

from __future__ import annotations

COORDINATES = 163
#: Pitch of figure 14, degrees (text below table 2).
PITCH = (-2.5, 0.5)
#: Between which times the first gear change is, and about when the second, s (text below figure 14).
FIRST_SHIFT = (4.0, 5.0)
SECOND_SHIFT = 8.0
#: Table 2: FR -> elapsed time in s, largest difference in pitch in degrees; slowest-first, order 0.
ELAPSED = {1: 158.4, 5: 44.8, 10: 30.4, 50: 19.0, 100: 17.1}
DIFFERENCE = {5: 0.0031, 10: 0.0055, 50: 0.0252, 100: 0.0398}
#: Table 3, FR = 100: scheme and order for the vehicle's data -> largest difference in pitch, degrees.
TABLE_3 = {
    ("slowest-first", 0): 0.0398,
    ("fastest-first", 0): 0.0385,
    ("fastest-first", 1): 0.0078,
    ("fastest-first", 2): 0.0086,
    ("fastest-first", 3): 0.0303,
}
#: The same as DIFFERENCE from an independent pitch-plane model with our parameters (17 degrees of throttle at 1.2 s):
#: not printed, a check of our vehicle.
PITCH_PLANE = {5: 0.0027, 10: 0.0060, 50: 0.0329, 100: 0.0661}


def speed_up(ratio: int) -> float:
    """Return how many times shorter a run of table 2 took than that with FR = 1.

    >>> round(speed_up(100), 1)
    9.3
    """
    return ELAPSED[1] / ELAPSED[ratio]
