"""How good a run is: by what it says about itself, and by error measures against a reference."""

from .defect import Quality, assess_defects
from .errors import hermite, relative_rms_error

__all__ = ["Quality", "assess_defects", "hermite", "relative_rms_error"]
