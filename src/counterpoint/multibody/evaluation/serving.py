"""The other side of the protocol, for a peer that is written in Python."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._common.byte_streams import listen_at, without_delay
from .evaluated import Terms, answers_of
from .streams import Sizes


def serve_terms(
    terms: Terms,
    address: str,
    *,
    coordinates: int,
    equations: int = 0,
    inputs: int = 0,
    rates: bool = False,
    rheonomic: bool = False,
    ready: Callable[[str], Any] | None = None,
) -> None:
    """Answer the questions of one :func:`connect` for dynamic terms; returns when it hangs up.

    Parameters
    ----------
    terms : function
        ``terms(t, q, v, u)`` returns ``(M, Phi, J, Q)`` and, where promised, ``c`` and ``Phi_t``.
    address : str
        ``tcp://127.0.0.1:0`` (any free port) or ``unix:///path``. It answers any program that can
        reach it: keep it local.
    coordinates, equations, inputs : int
        Sizes of the model.
    rates, rheonomic : bool
        Which further terms come, as for :class:`Evaluated`.
    ready : function, optional
        Called with the address as soon as a program may connect; default: it is printed.

    Examples
    --------
    >>> serve_terms(terms, "unix:///tmp/pendulum", coordinates=4, equations=2)  # doctest: +SKIP
    """
    sizes = Sizes(coordinates, equations, inputs, rates, rheonomic)
    listening, where = listen_at(address)
    with listening:
        try:
            (ready or print)(where)
            connected, _ = listening.accept()
        finally:
            if where.startswith("unix:"):
                os.unlink(listening.getsockname())
    hung_up = contextlib.suppress(BrokenPipeError, ConnectionResetError)
    with hung_up, without_delay(connected), connected.makefile("rwb") as stream:
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
