"""MBDyn as a subsystem, through its streams: raw doubles over two blocking sockets.

MBDyn sends a row of doubles at the end of each of its steps (`stream output`, `stream motion output`) and reads a row
at the beginning of each (file driver `stream`). MBDyn needs no plug-in, only these elements in its input file.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.byte_streams import SocketStream, connect_to, listen_at, socket_address, without_delay
from .._common.ports import PortSpec, port_widths
from ..errors import PeerLost, SetupError
from ..subsystems import Subsystem
from ..subsystems.base import InputFunction

_RETRY = 0.01
"""Pause between two attempts to connect, s."""


class MBDyn(Subsystem):
    """A model run by MBDyn with a fixed step; its streams are its ports.

    Parameters
    ----------
    motion : str
        Address of MBDyn's ``stream output``: ``unix:///path`` (``local``) or ``tcp://host:port``.
    drive : str
        Address of MBDyn's file driver ``stream``.
    step : float
        MBDyn's time step, s; both must be equal, because MBDyn does not send the time.
    outputs : names or mapping
        Contents of a row of the output stream, in its order: name -> number of doubles.
    inputs : names or mapping
        Contents of a row of the drive.
    created_by : str
        Which program creates the sockets: ``"mbdyn"`` (``create, yes``) or ``"counterpoint"`` (``create, no``).
    sends_first : bool
        MBDyn sends a row before its first step (its default; ``no send first`` switches it off). Without it the outputs
        are `initial` until the first step.
    receives_first : bool
        MBDyn also waits for a row before its first step (its default ``receive first, yes``). It gets
        `first_drive`, because it needs this row before it sends its initial state.
    initial, first_drive : mapping, optional
        Initial outputs if MBDyn does not send first, and inputs of that first row; default: zeros.
    command : sequence of str, optional
        Starts MBDyn, e.g. ``["mbdyn", "-f", "cart.mbd"]``; it ends with the run. By default start it yourself.
    deadline : float
        Wall time within which MBDyn must connect, and send each row, s.

    Examples
    --------
    >>> plant = MBDyn(
    ...     "unix:///tmp/cart.motion", "unix:///tmp/cart.force", step=0.01, outputs={"position": 3}, inputs=["force"]
    ... )
    >>> plant.outputs
    {'position': 3}
    """

    repeatable = False

    def __init__(
        self,
        motion: str,
        drive: str,
        *,
        step: float,
        outputs: PortSpec,
        inputs: PortSpec = (),
        created_by: str = "mbdyn",
        sends_first: bool = True,
        receives_first: bool = True,
        initial: Mapping[str, ArrayLike] | None = None,
        first_drive: Mapping[str, ArrayLike] | None = None,
        command: Sequence[str | os.PathLike[str]] | None = None,
        deadline: float = 30.0,
    ) -> None:
        self.inputs = port_widths(inputs, "MBDyn.inputs")
        self.outputs = port_widths(outputs, "MBDyn.outputs")
        self.preferred_step = step
        self._addresses = {"motion": motion, "drive": drive}
        self._created_by = created_by
        self._sends_first, self._receives_first = sends_first, receives_first
        self._command, self._deadline = command, deadline
        self._streams: dict[str, SocketStream] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._initial, self._first_drive = dict(initial or {}), dict(first_drive or {})
        self._row: NDArray[np.float64] = np.zeros(0)
        self._check()

    def start(self, t: float) -> None:
        """Start MBDyn if a command is given, and connect both streams."""
        self.finish()
        self._streams = self._listen() if self._created_by == "counterpoint" else self._connect()
        if self._receives_first:
            self._send(_row(self.input_widths, self._first_drive))
        self._row = self._receive() if self._sends_first else _row(self.output_widths, self._initial)

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        """Send the inputs at the end of the step, where MBDyn evaluates its drives, and wait for its row."""
        self._send(u(t_end))
        self._row = self._receive()

    def output(self, t: float, u: InputFunction) -> NDArray[np.float64]:
        """Return the last row that MBDyn sent."""
        return self._row

    def finish(self) -> None:
        """Close the streams, which ends MBDyn, and kill it if it does not end."""
        for stream in self._streams.values():
            stream.close()
        self._streams = {}
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout=1.0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()
            self._child = None

    def step_problems(self, step: float, span: float) -> Iterator[str]:
        """Yield a problem if the step is not MBDyn's."""
        own = self.preferred_step
        if own and abs(step - own) > 1e-9 * own:
            yield f"step: {step:g} s; MBDyn runs with {own:g} s, and does not send its step; make both equal"

    def _check(self) -> None:
        problems = [f'initial: "{name}" is not an output' for name in self._initial if name not in self.outputs]
        problems += [f'first_drive: "{name}" is not an input' for name in self._first_drive if name not in self.inputs]
        if self._created_by not in ("mbdyn", "counterpoint"):
            problems.append(f'created_by: {self._created_by!r}; expected "mbdyn" or "counterpoint"')
        for address in self._addresses.values():
            try:
                socket_address(address)
            except SetupError as error:
                problems += error.problems
        if problems:
            raise SetupError([f"MBDyn: {problem}" for problem in problems])

    def _send(self, values: ArrayLike) -> None:
        self._streams["drive"].send(np.asarray(values, dtype="<f8").tobytes())

    def _receive(self) -> NDArray[np.float64]:
        size = 8 * sum(self.output_widths.values())
        return np.frombuffer(self._streams["motion"].receive(size), dtype="<f8").copy()

    def _launch(self) -> None:
        if self._command is None:
            return
        try:
            # A session of its own, so that what it started (it may be a script) ends with it.
            self._child = subprocess.Popen(
                [os.fspath(word) for word in self._command], stdin=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise PeerLost(f"MBDyn: could not be started: {error}") from None

    def _connect(self) -> dict[str, SocketStream]:
        """Connect to both sockets in the order of MBDyn, which waits at one before it creates the other."""
        self._launch()
        made: dict[str, SocketStream] = {}
        end = time.monotonic() + self._deadline
        while len(made) < len(self._addresses):
            for kind in self._addresses.keys() - made.keys():
                try:
                    made[kind] = connect_to(self._addresses[kind], self._deadline, f"MBDyn's {kind} stream")
                except PeerLost as error:
                    self._give_up_when(time.monotonic() > end, made, str(error))
            time.sleep(_RETRY)
        return made

    def _listen(self) -> dict[str, SocketStream]:
        made: dict[str, SocketStream] = {}
        with contextlib.ExitStack() as stack:
            listening = {kind: listen_at(address)[0] for kind, address in self._addresses.items()}
            for open_socket in listening.values():
                stack.enter_context(open_socket)
                if open_socket.family == socket.AF_UNIX:
                    stack.callback(os.unlink, open_socket.getsockname())
                open_socket.settimeout(self._deadline)
            self._launch()
            for kind, open_socket in listening.items():
                try:
                    connected, _ = open_socket.accept()
                except TimeoutError:
                    self._give_up_when(True, made, f"its {kind} stream did not connect")
                made[kind] = SocketStream(f"MBDyn's {kind} stream", without_delay(connected), self._deadline)
        return made

    def _give_up_when(self, late: bool, made: dict[str, SocketStream], reason: str) -> None:
        code = self._child.poll() if self._child is not None else None
        if not late and code is None:
            return
        for stream in made.values():
            stream.close()
        ended = f"ended with exit code {code}" if code is not None else f"did not answer within {self._deadline:g} s"
        raise PeerLost(f"MBDyn: {ended}: {reason}")


def _row(ports: Mapping[str, int], values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    parts = [np.broadcast_to(np.asarray(values.get(name, 0.0), dtype=float), width) for name, width in ports.items()]
    return np.concatenate(parts) if parts else np.zeros(0)
