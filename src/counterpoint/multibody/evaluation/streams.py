"""Dynamic terms over a stream of bytes: the protocol, our side of it.

All numbers are little-endian doubles. We open with ``version, coordinates, equations, inputs`` and the peer answers
with the same four as it knows them. Then, as often as needed, we ask ``t, q, v, u`` and the peer answers with the terms
of the version, matrices row by row: 1: ``M, Phi, J, Q``; 2: these and ``c``; 3: these and ``Phi_t``; 4: these, ``c``
and ``Phi_t``. Closing the stream ends the conversation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from ..._common.byte_streams import ByteStream
from ...errors import PeerLost, SetupError
from ..assembly.affine import Vector


@dataclass(frozen=True)
class Sizes:
    """How many numbers of each kind a model has, and which terms come besides ``M, Phi, J, Q``."""

    coordinates: int
    equations: int
    inputs: int
    rates: bool = False
    rheonomic: bool = False

    @classmethod
    def of_header(cls, header: Vector) -> Sizes:
        """Return what a peer opened the conversation with; PeerLost where the version is not known."""
        version, coordinates, equations, inputs = (int(number) for number in header)
        if version not in range(1, 5):
            raise PeerLost(f"the host speaks version {header[0]:g}; known are 1 to 4")
        return cls(coordinates, equations, inputs, rates=version in (2, 4), rheonomic=version in (3, 4))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The terms of an answer in their order."""
        n, m = self.coordinates, self.equations
        made: dict[str, tuple[int, ...]] = {"M": (n, n), "Phi": (m,), "J": (m, n), "Q": (n,)}
        return made | ({"c": (m,)} if self.rates else {}) | ({"Phi_t": (m,)} if self.rheonomic else {})

    @property
    def question(self) -> int:
        """Numbers in ``t, q, v, u``."""
        return 1 + 2 * self.coordinates + self.inputs

    @property
    def answer(self) -> int:
        """Numbers in all terms."""
        return sum(prod(shape) for shape in self.shapes.values())

    @property
    def version(self) -> float:
        """Version of the protocol: which terms an answer has."""
        return 1.0 + self.rates + 2.0 * self.rheonomic

    @property
    def header(self) -> Vector:
        """What opens a conversation."""
        return np.array([self.version, self.coordinates, self.equations, self.inputs])


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
        size, named = 8 * sizes.answer, ", ".join(sizes.shapes)
        # A peer of version 1 that agrees to anything sends less than is waited for.
        expected = f"; expected {sizes.answer} numbers: {named}" if sizes.version > 1.0 else ""

        def ask(question: Vector) -> Vector:
            if self._stream is None:
                raise PeerLost(f"{self.name}: was closed; make a new one for another run")
            self._stream.send(question.tobytes())
            try:
                return np.frombuffer(self._stream.receive(size))
            except PeerLost as lost:
                raise PeerLost(f"{lost}{expected}") from None

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
                    f"the model here has {sizes.header.tolist()}; make both the same "
                    f"(version {sizes.version:g}: {', '.join(sizes.shapes)})"
                )
            self._sizes = sizes
        if sizes != self._sizes:
            raise SetupError(f"{self.name}: serves {self._sizes} already; give each model a stream of its own")
