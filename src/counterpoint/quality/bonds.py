"""What the energy of bonds adds to the quality of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from .defect import Quality

if TYPE_CHECKING:
    from ..results.bonds import BondEnergy


def with_bonds(quality: Quality, bonds: Sequence[BondEnergy]) -> Quality:
    """Return a quality whose text names the bond that created or lost most energy, relative to what it exchanged."""
    known = [bond for bond in bonds if isfinite(bond.relative)]
    if not known:
        return quality
    worst = max(known, key=lambda bond: abs(bond.relative))
    verb = "created" if worst.residual >= 0 else "lost"
    text = (
        f"Bond {worst.bond}: the coupling {verb} {abs(worst.residual):.2g} J of {worst.exchanged:.2g} J exchanged "
        f"({100 * abs(worst.relative):.2g} %)."
    )
    return replace(quality, text=f"{quality.text} {text}")
