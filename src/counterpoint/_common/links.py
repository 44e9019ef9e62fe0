"""Whether links work on this system."""

from __future__ import annotations

from .. import _core

LINKS = hasattr(_core.link, "RemoteSubsystem")
NEEDS_LINUX = "links between processes need Linux"
