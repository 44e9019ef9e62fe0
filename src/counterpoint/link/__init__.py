"""Links: subsystems in other processes and on other hosts.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from .connecting import Listening, listen
    from .remote_subsystem import Remote, remote
    from .serving import Serving, serve

_HOME = {
    "Listening": "connecting",
    "Remote": "remote_subsystem",
    "Serving": "serving",
    "listen": "connecting",
    "remote": "remote_subsystem",
    "serve": "serving",
}

__all__ = ["Listening", "Remote", "Serving", "listen", "remote", "serve"]

__getattr__, __dir__ = loading(__name__, _HOME)
