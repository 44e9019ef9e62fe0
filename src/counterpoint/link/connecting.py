"""How two programs find each other: addresses, tokens, who connects to whom."""

from __future__ import annotations

import atexit
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .. import _core
from ..errors import SetupError
from .availability import LINKS, NEEDS_LINUX

if TYPE_CHECKING:
    from .remote_subsystem import Remote

TOKEN_VARIABLE = "COUNTERPOINT_TOKEN"
MOST_HANDSHAKES = 32
"""Visitors who may be about to say hello at the same time; more are sent away."""


def check_address(address: str, insecure: bool) -> None:
    """Raise SetupError when an address is none, or leads out of this computer and nobody insists on it."""
    if not LINKS:
        raise SetupError(f"{address}: {NEEDS_LINUX}")
    try:
        local = _core.link.check_address(address)
    except ValueError as error:
        raise SetupError(str(error)) from None
    if not local and not insecure:
        raise SetupError(
            f"{address}: can be reached from other computers, and nothing on a link is encrypted; use an ssh tunnel "
            "(ssh -L 4711:127.0.0.1:4711 host) and tcp://127.0.0.1:4711, or insist with insecure=True (--insecure)"
        )


def make_token() -> str:
    """Return a new random token."""
    return secrets.token_hex(16)


def read_token(token: str | None, token_file: str | os.PathLike[str] | None) -> str:
    """Return the token to show: the one given, that of a file, or that of the environment."""
    if token is None and token_file is not None:
        try:
            token = Path(token_file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SetupError(f"{token_file}: the token cannot be read: {error.strerror or error}") from None
    token = token or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise SetupError(f"token: none given; the other program prints it, or set {TOKEN_VARIABLE} or token_file")
    if len(token) > 256 or not token.isprintable() or " " in token:
        raise SetupError("token: at most 256 printable characters without blanks are allowed")
    return token


def shared_token(token_file: str | os.PathLike[str]) -> str:
    """Return the token of a file; a file that is not there is made, for its owner only."""
    path = Path(token_file)
    with suppress(FileExistsError):
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise SetupError(f"{path}: the token cannot be written: {error.strerror or error}") from None
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(make_token() + "\n")
    return read_token(None, path)


def connect(address: str, token: str, wait: float) -> _core.link.OpenLink:
    """Connect to a program that listens; SetupError when that fails."""
    try:
        return _core.link.connect(address, token, wait)
    except RuntimeError as error:
        raise SetupError(str(error)) from None


class Listening:
    """A place where other programs may connect; made by :func:`listen`.

    Attributes
    ----------
    address : str
        Where it is, with the port.
    token : str
        What a program has to show. A random one opens the door once.
    refused : list of str
        Who was sent away, and why.
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
        self._handshakes = threading.Semaphore(MOST_HANDSHAKES)
        self._closed = False
        self.token = token or make_token()
        self._tokens = _core.link.TokenCheck(self.token, not self._lasting)
        self._thread = threading.Thread(target=self._accept, name=f"listening at {self.address}", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # the thread must not wake up in an interpreter that is half gone

    def renew(self) -> None:
        """Make another random token; the old one is of no use any more."""
        if not self._lasting:
            self.token = make_token()
            self._tokens = _core.link.TokenCheck(self.token, True)

    def wait(self, seconds: float) -> _core.link.OpenLink:
        """Return the connection of the next program that shows the token."""
        end = time.monotonic() + seconds
        while True:
            with suppress(queue.Empty):
                return self._arrived.get(timeout=0.2)
            if time.monotonic() > end:
                raise SetupError(f"{self.address}: nobody has joined within {seconds:g} s" + self._last_refused())

    def remote(self, *, wait: float = 60.0, deadline: float = 60.0) -> Remote:
        """Wait for a program to join (at most ``wait`` s) and return the subsystem it brings."""
        from .remote_subsystem import Remote

        return Remote(self.wait(wait), deadline)

    def close(self) -> None:
        """Let nobody in any more."""
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
        while not self._closed:
            visitor = self._listener.accept(0.2)
            if visitor is None:
                continue
            if not self._handshakes.acquire(blocking=False):
                self._refuse(f"{visitor.name}: too many programs knock at the same time")
                continue
            threading.Thread(target=self._admit, args=(visitor,), daemon=True).start()

    def _admit(self, visitor: _core.link.PendingConnection) -> None:
        name = visitor.name
        try:
            self._arrived.put(_core.link.accept(visitor, self._tokens))
        except RuntimeError as error:
            self._refuse(str(error) if str(error).startswith(name) else f"{name}: {error}")
        finally:
            self._handshakes.release()

    def _refuse(self, text: str) -> None:
        if len(self.refused) < 1000:
            self.refused.append(text)
        if self._report is not None:
            self._report(text)

    def _last_refused(self) -> str:
        return f"; sent away: {self.refused[-1]}" if self.refused else ""


def listen(
    address: str = "tcp://127.0.0.1:0",
    *,
    token: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    report: Callable[[str], None] | None = None,
) -> Listening:
    """Open a place where other programs may join as subsystems.

    Parameters
    ----------
    address : str
        ``tcp://host:port`` (port 0: any free one), ``unix:///path`` or ``shm:///path`` (shared memory).
    token : str, optional
        What programs have to show, as often as they like; default: a random one that is good for one connection.
    token_file : path, optional
        A file with the token; made with a random one when it is not there.
    insecure : bool
        Allow an address that other computers can reach: everything is readable on the way.
    report : callable, optional
        Called with a line for each program that is sent away.

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
