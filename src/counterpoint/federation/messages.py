"""What federates send each other: samples (t, next t, y, dy/dt) of several subsystems, as bytes.

A message is a header (magic number, kind, number of the pass, blocks) and blocks. A block is the number of a subsystem
in the whole system, the shape of its rows, and the rows themselves as little-endian doubles.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import PeerLost

Rows = NDArray[np.float64]

_MAGIC = b"CPF1"
_HEADER = struct.Struct("<4s16sii")
_BLOCK = struct.Struct("<iii")

SAMPLES = 0
"""Number of the pass of a message that is not about initial values."""


@dataclass(frozen=True)
class Message:
    """Samples of some subsystems.

    Attributes
    ----------
    digest : bytes
        Of the scenario and its parts: 16 bytes.
    number : int
        Pass in which initial values were computed, from 1; 0: samples of the run.
    blocks : tuple of (int, array)
        Number of a subsystem, and rows of t, next t, outputs and their derivatives.

    Examples
    --------
    >>> message = Message(bytes(16), 0, ((3, np.array([[0.1, 0.2, 5.0]])),))
    >>> read_message(write_message(message), "engine").blocks[0][1]
    array([[0.1, 0.2, 5. ]])
    """

    digest: bytes
    number: int
    blocks: Sequence[tuple[int, Rows]]


def write_message(message: Message) -> bytes:
    """Return a message as bytes."""
    parts = [_HEADER.pack(_MAGIC, message.digest, message.number, len(message.blocks))]
    for subsystem, rows in message.blocks:
        parts += [_BLOCK.pack(subsystem, *rows.shape), np.ascontiguousarray(rows, dtype="<f8").tobytes()]
    return b"".join(parts)


def read_message(data: bytes, sender: str) -> Message:
    """Return the message in bytes; raise PeerLost, which names the sender, when it is none of ours."""
    try:
        magic, digest, number, count = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise ValueError("another beginning")
        place, blocks = _HEADER.size, []
        for _ in range(count):
            subsystem, height, width = _BLOCK.unpack_from(data, place)
            place += _BLOCK.size
            rows = np.frombuffer(data, "<f8", height * width, place).reshape(height, width)
            place += rows.nbytes
            blocks.append((subsystem, rows))
    except (struct.error, ValueError) as error:
        raise PeerLost(
            f'"{sender}" sent {len(data)} bytes that are not a message of a Counterpoint federate ({error}); '
            "is it the same version?"
        ) from error
    return Message(digest, number, tuple(blocks))
