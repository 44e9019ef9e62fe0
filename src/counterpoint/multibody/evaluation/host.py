"""The reverse: a script of a host (GNU Octave, anything with pipes) starts us, and we integrate its model.

``python -m counterpoint.multibody.evaluation.host FORMULATION``. The host writes ``version, coordinates, equations,
step, until, q, v``; we ask it with ``0, t, q, v`` for the terms of the version (as in streams.py) as often as needed,
and end with ``1, rows, (t, q, v) ...`` or, when something failed, ``2, length, characters``. All numbers are
little-endian doubles.
"""

from __future__ import annotations

import contextlib
import sys
from typing import BinaryIO

import numpy as np

from ..._common.byte_streams import ByteStream
from ...errors import CounterpointError, PeerLost
from ..assembly.affine import Vector
from ..modelling.formulations import Formulation
from .evaluated import Evaluated
from .streams import Sizes, TermStream

_QUESTION, _ROWS, _FAILURE = 0.0, 1.0, 2.0


class _Host(ByteStream):
    """Requests to the host, marked as such; it knows the sizes, so that they are not requested."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO) -> None:
        self._reading, self._writing = reading, writing
        self._header: bytes | None = None
        self._opened = False

    def send(self, data: bytes) -> None:
        if not self._opened:
            self._opened, self._header = True, data
            return
        self.write(np.array([_QUESTION]).tobytes() + data)

    def receive(self, size: int) -> bytes:
        if self._header is not None:
            heard, self._header = self._header, None
            return heard
        return self.read(size)

    def close(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        try:
            self._writing.write(data)
            self._writing.flush()
        except OSError:
            raise PeerLost("the host hung up") from None

    def read(self, size: int) -> bytes:
        data = self._reading.read(size)
        if len(data) < size:
            raise PeerLost("the host hung up")
        return data

    def numbers(self, count: int) -> Vector:
        return np.frombuffer(self.read(8 * count))


def integrate(host: _Host, formulation: str) -> Vector:
    """Return the rows ``t, q, v`` of the model that the host describes and evaluates."""
    *header, step, until = host.numbers(5)
    sizes = Sizes.of_header(np.array([*header, 0.0]))
    n = sizes.coordinates
    model = Evaluated(
        TermStream("host", lambda: host),
        coordinates=n,
        equations=sizes.equations,
        rates=sizes.rates,
        rheonomic=sizes.rheonomic,
        standard_outputs=(),
        position=host.numbers(n),
        velocity=host.numbers(n),
        name="host",
    )
    everything = tuple(range(n))
    result = model.run(
        until=until,
        step=step,
        formulation=Formulation(formulation),
        outputs={"position": everything, "velocity": ("velocity", everything)},
        progress=False,
    )
    position, velocity = (result[f"host.{key}"] for key in ("position", "velocity"))
    return np.column_stack([position.time, position.values, velocity.values])


def main() -> None:
    """Serve the host that started us."""
    host = _Host(sys.stdin.buffer, sys.stdout.buffer)
    try:
        rows = integrate(host, sys.argv[1] if len(sys.argv) > 1 else "index-3")
        host.write(np.concatenate([[_ROWS, len(rows)], rows.reshape(-1)]).tobytes())
    except (CounterpointError, ValueError) as error:
        text = str(error).encode("ascii", errors="replace")
        with contextlib.suppress(PeerLost):
            host.write(np.array([_FAILURE, len(text), *text], dtype=float).tobytes())
        sys.exit(getattr(error, "exit_code", 3))


if __name__ == "__main__":
    main()
