"""Where other programs join as subsystems: places that wait for them, and programs that wait for us."""

from __future__ import annotations

import atexit
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from .. import _core
from ..errors import SetupError
from .connecting import check_address, connect, make_token, read_token, shared_token
from .remote_subsystem import Remote

MOST_HANDSHAKES = 64
"""Visitors who may be about to say hello at the same time; each further one takes the place of the oldest."""


class Listening:
    """An address where other programs may connect; created by :func:`listen`.

    Attributes
    ----------
    address : str
        The address, with the port.
    token : str
        The token that a program must send. A random token is valid for one connection.
    refused : list of str
        Rejected programs, with the reason.
    """

    def __init__(self, address: str, token: str | None, report: Callable[[str], None] | None = None) -> None:
        try:
            self._listener = _core.link.Listener(address)
        except RuntimeError as error:
            raise SetupError(str(error)) from None
        self.address = self._listener.address
        self.refused: list[str] = []
        self._report = report
        self._lasting = token is not None
        self._arrived: queue.Queue[_core.link.OpenLink] = queue.Queue()
        self._visitors: dict[int, socket.socket] = {}  # about to say hello, the oldest first
        self._visitors_lock = threading.Lock()
        self._closed = False
        self.token = token or make_token()
        self._tokens = _core.link.TokenCheck(self.token, not self._lasting)
        self._thread = threading.Thread(target=self._accept, name=f"listening at {self.address}", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # the thread must not wake up in an interpreter that is half gone

    def renew(self) -> None:
        """Make another random token; the old one becomes invalid."""
        if not self._lasting:
            self.token = make_token()
            self._tokens = _core.link.TokenCheck(self.token, True)

    def wait(self, seconds: float) -> _core.link.OpenLink:
        """Return the connection of the next program that sends the token."""
        end = time.monotonic() + seconds
        while True:
            with suppress(queue.Empty):
                return self._arrived.get(timeout=0.2)
            if time.monotonic() > end:
                raise SetupError(f"{self.address}: no program connected within {seconds:g} s" + self._last_refused())

    def remote(self, *, wait: float = 60.0, deadline: float = 60.0) -> Remote:
        """Wait for a program to connect (at most ``wait`` s) and return its subsystem."""
        return Remote(self.wait(wait), deadline)

    def close(self) -> None:
        """Stop listening."""
        atexit.unregister(self.close)
        self._closed = True
        self._thread.join()
        del self._listener

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self) -> None:
        count = 0
        while not self._closed:
            visitor = self._listener.accept(0.2)
            if visitor is None:
                continue
            number, count = count, count + 1
            self._make_room(number, visitor)
            threading.Thread(target=self._admit, args=(number, visitor), daemon=True).start()

    def _make_room(self, number: int, visitor: _core.link.PendingConnection) -> None:
        """Note a visitor; of too many, send away who has said nothing for longest: who has a token says so at once."""
        with self._visitors_lock:
            self._visitors[number] = socket.socket(fileno=socket.dup(visitor.descriptor))
            if len(self._visitors) > MOST_HANDSHAKES:
                oldest = self._visitors.pop(next(iter(self._visitors)))
                with oldest, suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)

    def _admit(self, number: int, visitor: _core.link.PendingConnection) -> None:
        name = visitor.name
        try:
            self._arrived.put(_core.link.accept(visitor, self._tokens))
        except RuntimeError as error:
            self._refuse(str(error) if str(error).startswith(name) else f"{name}: {error}")
        finally:
            with self._visitors_lock:
                known = self._visitors.pop(number, None)
            if known is not None:
                known.close()

    def _refuse(self, text: str) -> None:
        if len(self.refused) < 1000:
            self.refused.append(text)
        if self._report is not None:
            self._report(text)

    def _last_refused(self) -> str:
        return f"; rejected: {self.refused[-1]}" if self.refused else ""


def listen(
    address: str = "tcp://127.0.0.1:0",
    *,
    token: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    report: Callable[[str], None] | None = None,
) -> Listening:
    """Listen for other programs that take part as subsystems.

    Parameters
    ----------
    address : str
        ``tcp://host:port`` (port 0: any free one), ``unix:///path`` or ``shm:///path`` (shared memory).
    token : str, optional
        The token that programs must send, valid for any number of connections; default: a random one, valid once.
    token_file : path, optional
        A file with the token; created with a random one if it does not exist.
    insecure : bool
        Allow an address that other computers can reach; links are not encrypted.
    report : callable, optional
        Called with one line per rejected program.

    Examples
    --------
    >>> with listen() as place:
    ...     print(place.address)  # doctest: +ELLIPSIS
    tcp://127.0.0.1:...
    """
    check_address(address, insecure)
    if token is not None:
        token = read_token(token, None)
    elif token_file is not None:
        token = shared_token(token_file)
    return Listening(address, token, report)


def remote(
    address: str,
    *,
    token: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    listening: bool = False,
    deadline: float = 60.0,
    wait: float = 10.0,
    insecure: bool = False,
) -> Remote:
    """Return a subsystem in another program, such as ``counterpoint serve``.

    Results are bit-for-bit the same as with the subsystem in this process. The connection lasts as long as the object,
    for one run after another.

    Parameters
    ----------
    address : str
        Where the other program listens: ``tcp://host:port``, ``unix:///path`` or ``shm:///path`` (shared memory).
    token : str, optional
        The token that the other program expects; default: that of ``token_file``, otherwise of the environment
        variable ``COUNTERPOINT_TOKEN``.
    token_file : path, optional
        A file with the token.
    listening : bool
        Listen at the address for the other program, instead of connecting to it.
    deadline : float
        Wall time in s for each answer, for example to a step.
    wait : float
        Seconds to wait for the other program.
    insecure : bool
        Allow an address of another computer; links are not encrypted, not even the token.

    Raises
    ------
    SetupError
        If no program answers, or the connection is rejected.

    Examples
    --------
    >>> engine = remote("tcp://127.0.0.1:4711", token="0123456789abcdef")  # doctest: +SKIP
    >>> system.add("engine", engine, step=1e-4)  # doctest: +SKIP
    """
    if not deadline > 0.0:
        raise SetupError(f"deadline: {deadline!r}; expected a positive number of seconds")
    if listening:
        shown = read_token(token, None) if token is not None else None
        with listen(address, token=shown, token_file=token_file, insecure=insecure) as place:
            return place.remote(wait=wait, deadline=deadline)
    check_address(address, insecure)
    return Remote(connect(address, read_token(token, token_file), wait), deadline)
