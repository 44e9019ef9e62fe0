"""The inverted pendulum as a program of its own that speaks MBDyn's streams: what MBDyn was in the source.

``python -m counterpoint.studies.pendulums.streamed_plant MOTION DRIVE STEP UNTIL`` listens at two Unix sockets, reads a
force before each step and sends angle, rate and place after it.
"""

from __future__ import annotations

import contextlib
import os
import sys

import numpy as np

from ... import ComponentDied, Subsystem, System, hold
from ..._common.byte_streams import SocketStream, listen_at
from ...subsystems.base import InputFunction
from .inverted import Inverted, plant

DEADLINE = 60.0
"""Longest silence of the controller, s."""


class Drive(Subsystem):
    """Reads the force of the next step; blocks until it is there."""

    outputs = ("force",)

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream

    def start(self, t: float) -> None:
        """Read the row before the first step, as MBDyn does by default."""
        self._force = self._read()

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        """Read the force that acts until `t_end`."""
        self._force = self._read()

    def output(self, t: float, u: InputFunction) -> float:
        """Return it, N."""
        return self._force

    def _read(self) -> float:
        return float(np.frombuffer(self._stream.receive(8))[0])


class Motion(Subsystem):
    """Sends angle, rate and place at the end of each step."""

    inputs = ("angle", "rate", "place")

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        """Send the row."""
        self._stream.send(u(t_end).tobytes())

    def output(self, t: float, u: InputFunction) -> tuple[()]:
        """Return nothing: it only sends."""
        return ()


def serve(motion: str, drive: str, step: float, until: float) -> None:
    """Accept both streams, then step with them until they are closed."""
    streams = []
    for path in (drive, motion):
        listening, _ = listen_at(f"unix://{path}")
        with listening:
            connected, _ = listening.accept()
        os.unlink(path)
        streams.append(SocketStream("controller", connected, DEADLINE))
    system = System("plant")
    system.add("drive", Drive(streams[0]), step=step)
    system.add("plant", plant(Inverted()), step=step)
    system.add("motion", Motion(streams[1]), step=step)
    system.connect("drive.force", "plant.force", hold("ahead"))
    for name in ("angle", "rate", "place"):
        system.connect(f"plant.{name}", f"motion.{name}", hold("ahead"))
    with contextlib.suppress(ComponentDied):  # the controller hung up: the run is over
        system.run(until=until, scheme="sequential", first_steps="once")


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
