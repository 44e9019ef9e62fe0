"""A subsystem that another program has."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self

from .. import _core
from ..approximations import Approximation
from ..errors import SetupError
from ..subsystems import Subsystem
from .approximation_words import IN_WORDS
from .connecting import check_address, connect, listen, read_token


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
    """Return a subsystem that another program has, such as ``counterpoint serve``.

    The run gives the same bits as one with the subsystem in this process. The connection lasts as long as the object,
    for one run after another.

    Parameters
    ----------
    address : str
        Where the other program listens: ``tcp://host:port``, ``unix:///path`` or ``shm:///path`` (shared memory).
    token : str, optional
        What the other program wants to see; default: that of ``token_file``, else of the environment variable
        ``COUNTERPOINT_TOKEN``.
    token_file : path, optional
        A file with the token.
    listening : bool
        Wait at the address for the other program to connect, instead of connecting to it.
    deadline : float
        Seconds of wall-clock time for each answer, e.g. of a step.
    wait : float
        Seconds to wait for the other program to be there.
    insecure : bool
        Allow an address beyond this computer: everything, the token too, is readable on the way.

    Raises
    ------
    SetupError
        When nobody is there, or the connection is refused.

    Examples
    --------
    >>> engine = remote("tcp://127.0.0.1:4711", token="0123456789abcdef")  # doctest: +SKIP
    >>> system.add("engine", engine, step=1e-4)  # doctest: +SKIP
    """
    if not deadline > 0.0:
        raise SetupError(f"deadline: {deadline!r}; a positive number of seconds is needed")
    if listening:
        shown = read_token(token, None) if token is not None else None
        with listen(address, token=shown, token_file=token_file, insecure=insecure) as place:
            return place.remote(wait=wait, deadline=deadline)
    check_address(address, insecure)
    return Remote(connect(address, read_token(token, token_file), wait), deadline)


class Remote(Subsystem):
    """A subsystem that another program has; made by :func:`remote` and :meth:`Listening.remote`.

    Attributes
    ----------
    name : str
        What it calls itself.
    peer : str
        Where it is.
    """

    def __init__(self, connection: _core.link.OpenLink, deadline: float) -> None:
        self.peer = connection.peer
        try:
            self._remote = _core.link.RemoteSubsystem(connection, deadline)
        except RuntimeError as error:
            raise SetupError(str(error)) from None
        ports = self._remote.ports
        self.name = ports.name
        self.inputs = {port.name: port.width for port in ports.inputs}
        self.outputs = {port.name: port.width for port in ports.outputs}
        self.units = {port.name: port.unit for port in (*ports.inputs, *ports.outputs) if port.unit}
        self.defaults = {port.name: port.start for port in ports.inputs if port.start}
        self.feedthrough = [pair for pair in ports.feedthrough if self._has(*pair)]
        self.initial_feedthrough = [pair for pair in ports.initial_feedthrough if self._has(*pair)]
        self.preferred_step = ports.step or None
        self.stops_early = ports.stops_early
        self.preferred_approximation = _approximation(self.peer, ports.approximation)
        single = ((output, _approximation(self.peer, words)) for output, words in ports.output_approximations)
        self.output_approximations = {output: chosen for output, chosen in single if chosen is not None}
        needed = ((name, _approximation(self.peer, words)) for name, words in ports.input_approximations)
        self.input_approximations = {name: chosen for name, chosen in needed if chosen is not None}

    def _has(self, output: str, given: str) -> bool:
        if output in self.output_widths and given in self.input_widths:
            return True
        raise SetupError(f'{self.peer}: feedthrough from "{given}" to "{output}", which it does not have')

    @property
    def can_save(self) -> bool:
        """Whether its state can be saved and restored."""
        return self._remote.ports.can_save

    @property
    def own_pace(self) -> bool:
        """Whether it can choose its steps itself."""
        return self._remote.ports.paces

    @property
    def messages(self) -> list[str]:
        """What it logged in its latest run, at most a thousand lines: time in s, status, category, text."""
        lines = (line.decode(errors="backslashreplace") for line in self._remote.messages)
        return ["".join(c if c.isprintable() else " " for c in line) for line in lines]

    def close(self) -> None:
        """Say goodbye to the other program; no run can follow."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ping(self) -> None:
        """Make a round trip that does nothing; SetupError when the other program is not there."""
        try:
            self._remote.ping()
        except RuntimeError as error:
            raise SetupError(str(error)) from None

    def _native(self) -> _core.Subsystem:
        return self._remote

    def __repr__(self) -> str:
        ports = f"{', '.join(self.input_widths) or 'no inputs'} -> {', '.join(self.output_widths)}"
        return f"<remote {self.name or 'subsystem'} at {self.peer}: {ports}>"


def _approximation(peer: str, words: str) -> Approximation | None:
    if words == "":
        return None
    if words not in IN_WORDS:
        known = ", ".join(f'"{known}"' for known in IN_WORDS)
        raise SetupError(f'{peer}: prefers the approximation "{words}", which is not known; known: {known}')
    return IN_WORDS[words]
