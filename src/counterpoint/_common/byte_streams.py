"""A stream of raw bytes to another program, with a deadline: a socket, or the pipes of a child process."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit

from ..errors import PeerLost, SetupError

_LAST_WORDS = 400
"""Characters of a child's error output that a message shows."""

Address = tuple[str, int] | str
"""Where a socket is: host and port, or a path."""


class ByteStream(Protocol):
    """A two-way stream of bytes with a deadline; both methods raise PeerLost when the peer is gone or too slow."""

    def send(self, data: bytes) -> None:
        """Send all of it."""

    def receive(self, size: int) -> bytes:
        """Return exactly that many bytes."""

    def close(self) -> None:
        """End the conversation; may be called twice."""


def socket_address(address: str) -> tuple[socket.AddressFamily, Address]:
    """Return family and place of an address text."""
    parts = urlsplit(address)
    with contextlib.suppress(ValueError):
        if parts.scheme == "tcp" and "@" not in parts.netloc and parts.hostname and parts.port is not None:
            return socket.AF_INET6 if ":" in parts.hostname else socket.AF_INET, (parts.hostname, parts.port)
        if parts.scheme == "unix" and parts.path and not parts.netloc:
            return socket.AF_UNIX, parts.path
    raise SetupError(f'address: "{address}"; expected "tcp://host:port" or "unix:///path"')


def connect_to(address: str, deadline: float, name: str = "") -> SocketStream:
    """Return a connection to the program that listens at ``tcp://host:port`` or ``unix:///path``."""
    family, place = socket_address(address)
    made = socket.socket(family, socket.SOCK_STREAM)
    made.settimeout(deadline)
    try:
        made.connect(place)
    except OSError as error:
        made.close()
        raise PeerLost(f"{address}: cannot be reached: {error.strerror or error}; is the program running?") from None
    return SocketStream(name or address, without_delay(made), deadline)


def listen_at(address: str) -> tuple[socket.socket, str]:
    """Return a listening socket and its address with the port that was chosen (``tcp://127.0.0.1:0``: any free one)."""
    family, place = socket_address(address)
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.bind(place)
        made.listen(1)
    except OSError as error:
        made.close()
        raise SetupError(f"{address}: cannot listen there: {error.strerror or error}; choose another") from None
    return made, address if isinstance(place, str) else f"tcp://{place[0]}:{made.getsockname()[1]}"


def without_delay(connected: socket.socket) -> socket.socket:
    """Send small messages at once."""
    if connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


class SocketStream(ByteStream):
    """A connected socket; `name` is what messages call the peer, `deadline` in s."""

    def __init__(self, name: str, connected: socket.socket, deadline: float) -> None:
        self._name, self._socket, self._deadline = name, connected, deadline

    def send(self, data: bytes) -> None:
        """Send all of it."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise PeerLost(f"{self._name}: hung up: {error}") from None

    def receive(self, size: int) -> bytes:
        """Return exactly that many bytes."""
        end = time.monotonic() + self._deadline
        parts = bytearray()
        while len(parts) < size:
            try:
                self._socket.settimeout(max(1e-3, end - time.monotonic()))
                part = self._socket.recv(size - len(parts))
            except TimeoutError:
                raise PeerLost(f"{self._name}: no answer within {self._deadline:g} s") from None
            except OSError as error:
                raise PeerLost(f"{self._name}: hung up: {error}") from None
            if not part:
                raise PeerLost(f"{self._name}: hung up after {len(parts)} of {size} bytes of an answer")
            parts += part
        return bytes(parts)

    def close(self) -> None:
        """End the conversation; may be called twice."""
        self._socket.close()


class ChildProcessStream(ByteStream):
    """A child process, its standard input and output; what it writes to its error output is kept for messages."""

    def __init__(
        self, name: str, command: Sequence[str], deadline: float, folder: str | os.PathLike[str] | None
    ) -> None:
        self._name, self._deadline = name, deadline
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        try:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder, bufsize=0
            )
        except OSError as error:
            self._errors.close()
            raise PeerLost(f"{name}: cannot be started: {error}") from None
        assert self._child.stdin is not None and self._child.stdout is not None
        self._input: BinaryIO = self._child.stdin  # type: ignore[assignment]
        self._output: BinaryIO = self._child.stdout  # type: ignore[assignment]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)

    def send(self, data: bytes) -> None:
        """Send all of it."""
        try:
            self._input.write(data)
        except OSError:
            raise PeerLost(self._reason_of_loss()) from None

    def receive(self, size: int) -> bytes:
        """Return exactly that many bytes."""
        end = time.monotonic() + self._deadline
        parts = bytearray()
        while len(parts) < size:
            if not self._selector.select(max(0.0, end - time.monotonic())):
                self._child.kill()
                self._child.wait()
                raise PeerLost(f"{self._name}: no answer within {self._deadline:g} s; it was killed{self._words()}")
            part = self._output.read(size - len(parts))
            if not part:
                raise PeerLost(self._reason_of_loss())
            parts += part
        return bytes(parts)

    def close(self) -> None:
        """End the conversation; may be called twice."""
        self._selector.close()
        for pipe in (self._input, self._output):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self._child.wait(timeout=1.0)  # the end of its input tells it to go
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._errors.close()

    def _reason_of_loss(self) -> str:
        try:
            code = self._child.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return f"{self._name}: closed its output{self._words()}"
        return f"{self._name}: ended with {_ending(code)} instead of an answer{self._words()}"

    def _words(self) -> str:
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        return f"; it said: {text[-_LAST_WORDS:]}" if text else ""


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
