"""The broker: the program through which the federates of a federation find each other.

``python -m counterpoint.federation.broker tcp://127.0.0.1:23404 2`` runs one for two federates until they have left.
"""

from __future__ import annotations

import socket
import sys
import time
from typing import Any

from .session import Broker, load_helics


def free_port(host: str = "127.0.0.1") -> int:
    """Return a free port of this computer, with free ports next to it for HELICS."""
    for _ in range(64):
        with socket.socket() as one, socket.socket() as next_one:
            one.bind((host, 0))
            port: int = one.getsockname()[1]
            try:
                next_one.bind((host, port + 1))
            except OSError:
                continue
            if port < 60000:
                return port
    raise OSError("no free port was found")


def make_broker(address: Broker, federates: int, timeout: float = 10.0) -> Any:
    """Create a broker in this process for so many federates; return it."""
    h = load_helics()
    options = (
        f"-f {federates} --local_interface={address.host} --port={address.port} --timeout={timeout:g}s --tick=1s "
        "--loglevel=no_print"
    )
    return h.helicsCreateBroker(address.core, f"broker-{address.port}", options)


def main(address: str, federates: int) -> int:
    """Run a broker until all federates have left; return the exit code."""
    h = load_helics()
    broker = make_broker(Broker.read(address), federates)
    print("ready", flush=True)
    while h.helicsBrokerIsConnected(broker):
        h.helicsBrokerWaitForDisconnect(broker, 200)
        time.sleep(0.0)
    h.helicsBrokerFree(broker)
    h.helicsCloseLibrary()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
