"""Advice before a run: strategies with their predicted errors and costs, and the one to use.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from .advice import Advice, Candidate
    from .advising import advise
    from .surrogate import Surrogate

__all__ = ["Advice", "Candidate", "Surrogate", "advise"]

__getattr__, __dir__ = loading(
    __name__, {"Advice": "advice", "Candidate": "advice", "Surrogate": "surrogate", "advise": "advising"}
)
