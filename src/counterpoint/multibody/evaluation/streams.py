"""Dynamic terms over a stream of bytes: the protocol, our side of it.

All numbers are little-endian doubles. We open with ``1, coordinates, equations, inputs`` (1 is the version) and the
peer answers with the same four as it knows them. Then, as often as needed, we ask ``t, q, v, u`` and the peer
answers ``M, Phi, J, Q``, matrices row by row. Closing the stream ends the conversation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._common.byte_streams import ByteStream
from ...errors import PeerLost, SetupError
from ..assembly.affine import Vector

VERSION = 1.0


@dataclass(frozen=True)
class Sizes:
    """How many numbers of each kind a model has."""

    coordinates: int
    equations: int
    inputs: int

    @property
    def question(self) -> int:
        """Numbers in ``t, q, v, u``."""
        return 1 + 2 * self.coordinates + self.inputs

    @property
    def answer(self) -> int:
        """Numbers in ``M, Phi, J, Q``."""
        return (self.coordinates + self.equations) * (self.coordinates + 1)

    @property
    def header(self) -> Vector:
        """What opens a conversation."""
        return np.array([VERSION, self.coordinates, self.equations, self.inputs])


class TermStream:
    """A program elsewhere that answers for the dynamic terms; opened at the first question, closed by ``close``.

    Examples
    --------
    >>> from counterpoint.multibody.evaluation import process
    >>> with process(["./double_pendulum"]) as terms:  # doctest: +SKIP
    ...     Evaluated(terms, coordinates=4, equations=2).run(until=1.0, step=1e-3)
    """

    def __init__(self, name: str, open_stream: Callable[[], ByteStream]) -> None:
        self.name = name
        self._open = open_stream
        self._stream: ByteStream | None = None
        self._sizes: Sizes | None = None

    def answers(self, sizes: Sizes) -> Callable[[Vector], Vector]:
        """Return the function from questions to answers, both flat."""
        self._connect(sizes)

        def ask(question: Vector) -> Vector:
            if self._stream is None:
                raise PeerLost(f"{self.name}: was closed; make a new one for another run")
            self._stream.send(question.tobytes())
            return np.frombuffer(self._stream.receive(8 * sizes.answer))

        return ask

    def close(self) -> None:
        """End the conversation and the program, if it was started for it."""
        if self._stream is not None:
            self._stream.close()
        self._stream = self._sizes = None

    def __enter__(self) -> TermStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _connect(self, sizes: Sizes) -> None:
        if self._stream is None:
            self._stream = self._open()
            self._stream.send(sizes.header.tobytes())
            heard = np.frombuffer(self._stream.receive(8 * 4))
            if not np.array_equal(heard, sizes.header):
                self.close()
                raise SetupError(
                    f"{self.name}: it answered version, coordinates, equations, inputs = {heard.tolist()}; "
                    f"the model here has {sizes.header.tolist()}; make both the same"
                )
            self._sizes = sizes
        if sizes != self._sizes:
            raise SetupError(f"{self.name}: serves {self._sizes} already; give each model a stream of its own")
