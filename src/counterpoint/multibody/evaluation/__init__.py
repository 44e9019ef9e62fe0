"""Function evaluation: our formulations, dynamic terms from a compiled function, a process, Octave, a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._common.lazy import loading

if TYPE_CHECKING:
    from .evaluated import Evaluated
    from .octave_terms import octave, octave_folder
    from .peers import connect, process
    from .serving import serve_terms
    from .streams import TermStream

_HOME = {
    "Evaluated": "evaluated",
    "TermStream": "streams",
    "connect": "peers",
    "octave": "octave_terms",
    "octave_folder": "octave_terms",
    "process": "peers",
    "serve_terms": "serving",
}

__all__ = ["Evaluated", "TermStream", "connect", "octave", "octave_folder", "process", "serve_terms"]

__getattr__, __dir__ = loading(__name__, _HOME)
