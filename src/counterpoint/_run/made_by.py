"""What made a run file: version, platform and command."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Mapping
from functools import lru_cache

from .._common.version import VERSION


def made_by() -> Mapping[str, str]:
    """Return what ran, for the run file."""
    return _made_by(tuple(getattr(sys, "argv", ())))


@lru_cache(maxsize=1)
def _made_by(words: tuple[str, ...]) -> Mapping[str, str]:
    command = shlex.join(word for word in words if "token=" not in word)  # results are given away
    machine = f"{sys.platform} {platform.machine()}"
    return {"version": VERSION, "python": platform.python_version(), "platform": machine, "command": command}
