"""The quality of a run: indicators, the estimated error, the verdict in words, and error measures."""

from .difference import Difference, Motion
from .errors import hermite, relative_rms_error
from .indicators import ConnectionIndicator
from .modes import CoupledMode, CoupledModes
from .oscillation import Oscillation
from .second_run import SecondRun
from .verdict import TOLERANCE, UNUSABLE, Quality, assess

__all__ = [
    "TOLERANCE",
    "UNUSABLE",
    "ConnectionIndicator",
    "CoupledMode",
    "CoupledModes",
    "Difference",
    "Motion",
    "Oscillation",
    "Quality",
    "SecondRun",
    "assess",
    "hermite",
    "relative_rms_error",
]
