"""The command line."""

from __future__ import annotations

import os
import signal


def start() -> None:
    """Run the command line; a signal while it is still being loaded ends it as later."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        which = getattr(signal, name, None)
        if which is not None and signal.getsignal(which) in (signal.default_int_handler, signal.SIG_DFL):
            # Ends at once: an exception raised inside an import could be swallowed there.
            signal.signal(which, lambda number, frame: _interrupted(number))
    from .main import main

    main()


def _interrupted(number: int) -> None:
    os.write(2, b"interrupted\n")
    os._exit(128 + number)
