"""The command line."""

from __future__ import annotations

import os
import signal


def start() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as it does later."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ends at once: an exception raised inside an import could be swallowed there.
        signal.signal(signal.SIGINT, lambda number, frame: _interrupted())
    from .main import main

    main()


def _interrupted() -> None:
    os.write(2, b"interrupted\n")
    os._exit(128 + signal.SIGINT)
