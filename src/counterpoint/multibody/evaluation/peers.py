"""Programs that answer for dynamic terms: started here and spoken to through pipes, or found behind a socket."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..._common.byte_streams import ChildProcessStream, connect_to, socket_address
from ...errors import SetupError
from .streams import TermStream


def process(
    command: Sequence[str | os.PathLike[str]], *, deadline: float = 10.0, folder: str | os.PathLike[str] | None = None
) -> TermStream:
    """Return the terms of a program that reads questions from its standard input and writes answers to its output.

    Parameters
    ----------
    command : sequence of str
        Program and arguments; no shell is involved.
    deadline : float
        Wall-clock time within which each answer must come, s; then the program is killed.
    folder : path, optional
        Where it runs; default: here.

    Examples
    --------
    >>> process(["./double_pendulum"], deadline=1.0).name
    'double_pendulum'
    """
    words = [os.fspath(word) for word in command]
    if not words:
        raise SetupError("process: the command is empty; expected a program and its arguments")
    name = Path(words[0]).name
    return TermStream(name, lambda: ChildProcessStream(name, words, deadline, folder))


def connect(address: str, *, deadline: float = 10.0) -> TermStream:
    """Return the terms of a program that listens behind a socket (:func:`serve_terms` is one).

    Parameters
    ----------
    address : str
        ``tcp://host:port`` or ``unix:///path``.
    deadline : float
        Wall-clock time within which each answer must come, s.

    Examples
    --------
    >>> connect("tcp://127.0.0.1:5000").name
    'tcp://127.0.0.1:5000'
    """
    socket_address(address)
    return TermStream(address, lambda: connect_to(address, deadline))
