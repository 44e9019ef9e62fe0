"""The other side of the protocol, for a peer that is written in Python."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import SetupError
from .evaluated import Terms, answers_of
from .peers import socket_address
from .streams import Sizes


def serve_terms(
    terms: Terms,
    address: str,
    *,
    coordinates: int,
    equations: int = 0,
    inputs: int = 0,
    ready: Callable[[str], Any] | None = None,
) -> None:
    """Answer the questions of one :func:`connect` for dynamic terms; returns when it hangs up.

    Parameters
    ----------
    terms : function
        ``terms(t, q, v, u)`` returns ``(M, Phi, J, Q)``.
    address : str
        ``tcp://127.0.0.1:0`` (any free port) or ``unix:///path``. Whoever can reach it is answered: keep it local.
    coordinates, equations, inputs : int
        Sizes of the model.
    ready : function, optional
        Called with the address as soon as somebody may connect; default: it is printed.

    Examples
    --------
    >>> serve_terms(terms, "unix:///tmp/pendulum", coordinates=4, equations=2)  # doctest: +SKIP
    """
    family, place = socket_address(address)
    sizes = Sizes(coordinates, equations, inputs)
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        try:
            listening.bind(place)
        except OSError as error:
            raise SetupError(f"{address}: cannot listen there: {error.strerror or error}; choose another") from None
        listening.listen(1)
        if not isinstance(place, str):
            address = f"tcp://{place[0]}:{listening.getsockname()[1]}"
        (ready or print)(address)
        try:
            connected, _ = listening.accept()
        finally:
            if isinstance(place, str):
                os.unlink(place)
    with connected, connected.makefile("rwb") as stream:
        if family != socket.AF_UNIX:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            _answer_all(stream, answers_of(terms, sizes), sizes)


def _answer_all(stream: Any, answer: Callable[[Any], Any], sizes: Sizes) -> None:
    heard = stream.read(8 * 4)
    stream.write(sizes.header.tobytes())
    stream.flush()
    if heard != sizes.header.tobytes():
        return
    while len(question := stream.read(8 * sizes.question)) == 8 * sizes.question:
        stream.write(answer(np.frombuffer(question)).tobytes())
        stream.flush()
