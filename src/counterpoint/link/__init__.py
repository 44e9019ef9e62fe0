"""Links: subsystems in other processes and on other hosts.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from . import serving as serving
    from .joining import Listening, listen, remote
    from .remote_subsystem import Remote
    from .serving import Serving, join, serve

_HOME = {
    "Listening": "joining",
    "Remote": "remote_subsystem",
    "Serving": "serving",
    "join": "serving",
    "listen": "joining",
    "remote": "joining",
    "serve": "serving",
}

__all__ = ["Listening", "Remote", "Serving", "join", "listen", "remote", "serve"]

_MODULES = ("serving",)

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)
