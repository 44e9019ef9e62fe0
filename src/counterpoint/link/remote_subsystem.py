"""A subsystem in another program."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from .. import _core
from ..approximations import Approximation
from ..errors import SetupError
from ..subsystems import Subsystem
from .approximation_words import IN_WORDS


class Remote(Subsystem):
    """A subsystem in another program; created by :func:`remote` and :meth:`Listening.remote`.

    Attributes
    ----------
    name : str
        Its name in the other program.
    peer : str
        Its address.
    """

    repeatable = False

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
        raise SetupError(f'{self.peer}: feedthrough from "{given}" to "{output}", but the subsystem has no such ports')

    @property
    def can_save(self) -> bool:
        """Whether its state can be saved and restored."""
        return self._remote.ports.can_save

    @property
    def repeats_unasked(self) -> bool:
        """Whether its first steps may be repeated from a saved state without being asked for, as it says."""
        return bool(self.can_save and self._remote.ports.repeats_unasked)

    @property
    def own_pace(self) -> bool:
        """Whether it can choose its own steps."""
        return self._remote.ports.paces

    @property
    def messages(self) -> list[str]:
        """Log of its latest run, at most a thousand lines: time in s, status, category, text."""
        lines = (line.decode(errors="backslashreplace") for line in self._remote.messages)
        return ["".join(c if c.isprintable() else " " for c in line) for line in lines]

    def close(self) -> None:
        """Close the connection to the other program; no run can follow."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ping(self) -> None:
        """Make an empty round trip; raise SetupError if the other program does not answer."""
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
        raise SetupError(f'{peer}: prefers the approximation "{words}", which is unknown; known: {known}')
    return IN_WORDS[words]
