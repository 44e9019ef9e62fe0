"""Mechanisms of the literature, ready to run: for a first look, for tests and for measurements.

Each function returns a new :class:`~counterpoint.multibody.Mechanism` that may be changed before it runs.
"""

from __future__ import annotations

from .mechanism import Mechanism


def four_bar(loops: int = 1) -> Mechanism:
    """Return the four-bar linkage with any number of loops: benchmark A02 of the IFToMM library.

    ``2 * loops + 1`` uniform rods of 1 m and 1 kg under gravity. Cranks ``A0 B0``, ``A1 B1``, ... stand upright on the ground,
    couplers join their tops ``B0``, ``B1``, ...; all tops start with 1 m/s to the right. Each time the cranks lie
    flat, the mechanism is in a singular position: its degrees of freedom jump from 1 to ``loops + 1``.

    Parameters
    ----------
    loops : int
        Number of loops; 2 in the IFToMM problem (10 s), 40 in the older LIM one (20 s).

    Examples
    --------
    >>> four_bar(2).assembled().degrees_of_freedom
    1
    """
    mechanism = Mechanism("four-bar", dimension=2)
    for i in range(loops + 1):
        mechanism.point(f"A{i}", (i, 0), fixed=True)
        mechanism.point(f"B{i}", (i, 1), velocity=(1, 0))
        mechanism.body(f"crank{i}", points=[f"A{i}", f"B{i}"], mass=1.0)
    for i in range(loops):
        mechanism.body(f"coupler{i}", points=[f"B{i}", f"B{i + 1}"], mass=1.0)
    return mechanism
