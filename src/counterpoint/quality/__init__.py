"""How good a run is: error measures against a reference."""

from .errors import hermite, relative_rms_error

__all__ = ["hermite", "relative_rms_error"]
