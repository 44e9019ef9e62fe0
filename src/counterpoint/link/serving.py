"""Serve a subsystem to a master in another program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np

from .. import _core
from .._common.signals import DeferredInterrupt, NativeWatch, say_at_once
from ..approximations import Approximation
from ..errors import SetupError
from ..subsystems import Subsystem
from .approximation_words import IN_WORDS
from .connecting import check_address, connect, read_token
from .joining import listen

HEARTBEAT = 1.0
"""Seconds between two signs of life while a step is under way."""

SILENCE = 60.0
"""Seconds after which a master that sends neither commands nor signs of life is given up."""


class Serving:
    """A subsystem that waits for masters; created by :func:`serve`.

    Attributes
    ----------
    address, token : str
        What the master needs to connect.
    """

    def __init__(
        self, name: str, subsystem: Subsystem, place: Any, step: float | None, constants: Mapping[str, Any]
    ) -> None:
        self._subsystem = subsystem
        self._place = place
        self.ports = describe(name, subsystem, step, constants)

    @property
    def address(self) -> str:
        """The address for masters."""
        return str(self._place.address)

    @property
    def token(self) -> str:
        """The token that the next master must send."""
        return str(self._place.token)

    def session(self, wait: float = float("inf")) -> str:
        """Serve one master until it closes the connection; return how it ended.

        Parameters
        ----------
        wait : float
            Seconds to wait for it.
        """
        connection = self._place.wait(wait)
        try:
            return host(connection, self._subsystem, self.ports)
        finally:
            self._place.renew()

    def close(self) -> None:
        """Stop listening for masters."""
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def serve(
    subsystem: Subsystem,
    address: str = "tcp://127.0.0.1:0",
    *,
    name: str = "",
    token: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    step: float | None = None,
    constants: Mapping[str, Any] | None = None,
    insecure: bool = False,
    report: Callable[[str], None] | None = None,
) -> Serving:
    """Serve a subsystem to masters in other programs, which connect with :func:`counterpoint.remote`.

    Parameters
    ----------
    subsystem : Subsystem
        The subsystem to serve.
    address : str
        Where: ``tcp://host:port`` (port 0: any free one), ``unix:///path`` or ``shm:///path`` (shared memory).
    name : str
        Its name.
    token, token_file : optional
        The token that masters must send; default: a new random token per connection.
    step : float, optional
        Preferred step in s; default: that of the subsystem.
    constants : mapping, optional
        Values of unconnected inputs, by name.
    insecure : bool
        Allow an address that other computers can reach.
    report : callable, optional
        Called with one line per rejected program.

    Examples
    --------
    >>> import counterpoint as cp
    >>> clock = cp.source(lambda t: 2.0 * t, outputs="twice")
    >>> with serve(clock, step=0.25) as serving:
    ...     print(serving.address)  # doctest: +ELLIPSIS
    tcp://127.0.0.1:...
    """
    place = listen(address, token=token, token_file=token_file, insecure=insecure, report=report)
    try:
        return Serving(name, subsystem, place, step, constants or {})
    except BaseException:
        place.close()
        raise


def join(
    subsystem: Subsystem,
    address: str,
    *,
    name: str = "",
    token: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    step: float | None = None,
    constants: Mapping[str, Any] | None = None,
    wait: float = 10.0,
    insecure: bool = False,
) -> str:
    """Connect to a master that listens, and serve it until it closes the connection; return how it ended."""
    check_address(address, insecure)
    ports = describe(name, subsystem, step, constants or {})
    return host(connect(address, read_token(token, token_file), wait), subsystem, ports)


def host(connection: _core.link.OpenLink, subsystem: Subsystem, ports: _core.link.Ports) -> str:
    """Answer the master at the other end of a connection; return how it ended."""
    peer = connection.peer
    subsystem.free_inputs = frozenset()  # the master gives all of them values, whatever an earlier run here did
    native = subsystem._native()
    where = _core.Whereabouts(f'"{ports.name}" to answer {peer}')
    try:
        with DeferredInterrupt(), NativeWatch(where, lambda number: say_at_once(f"abandoned {peer}")) as watch:
            watch.call(lambda: _core.link.serve(connection, native, ports))
    except RuntimeError as error:
        return f"{peer}: {error}"
    return f"{peer}: closed the connection"


def describe(name: str, subsystem: Subsystem, step: float | None, constants: Mapping[str, Any]) -> _core.link.Ports:
    """Return the description of a subsystem for a master."""
    ports = _core.link.Ports()
    ports.name = name
    ports.inputs = [
        _core.link.LinkPort(port, width, subsystem.units.get(port, ""), _start(subsystem, constants, port, width))
        for port, width in subsystem.input_widths.items()
    ]
    ports.outputs = [
        _core.link.LinkPort(port, width, subsystem.units.get(port, ""), [])
        for port, width in subsystem.output_widths.items()
    ]
    ports.feedthrough = list(subsystem.feedthrough)
    ports.initial_feedthrough = list(subsystem.initial_feedthrough)
    ports.step = step or subsystem.preferred_step or 0.0
    ports.heartbeat = HEARTBEAT
    ports.silence = SILENCE
    ports.can_save = subsystem.can_save
    ports.repeats_unasked = subsystem.repeats_unasked
    ports.paces = subsystem.own_pace
    ports.requests = ports.begins = True
    if subsystem.preferred_approximation is not None:
        ports.approximation = _words(subsystem, subsystem.preferred_approximation)
    single = subsystem.output_approximations.items()
    ports.output_approximations = [(output, _words(subsystem, chosen)) for output, chosen in single]
    needed = subsystem.input_approximations.items()
    ports.input_approximations = [(name, _words(subsystem, chosen)) for name, chosen in needed]
    return ports


def _start(subsystem: Subsystem, constants: Mapping[str, Any], port: str, width: int) -> list[float]:
    given = constants.get(port, subsystem.defaults.get(port))
    if given is None:
        return []
    values: list[float] = np.broadcast_to(np.asarray(given, dtype=np.float64), (width,)).tolist()
    return values


def _words(subsystem: Subsystem, approximation: Approximation) -> str:
    """Return the words for an approximation that a subsystem prefers."""
    words = str(getattr(approximation, "name", ""))
    if words in IN_WORDS:
        return words
    raise SetupError(f"{subsystem!r}: prefers {approximation!r}, which cannot be sent over a link")
