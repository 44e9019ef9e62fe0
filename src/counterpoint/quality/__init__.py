"""The quality of a run: the coupling quality from its defects, and error measures against a reference."""

from .bonds import with_bonds
from .defect import Quality, assess_defects
from .errors import hermite, relative_rms_error

__all__ = ["Quality", "assess_defects", "hermite", "relative_rms_error", "with_bonds"]
