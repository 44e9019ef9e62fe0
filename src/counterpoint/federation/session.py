"""One federate of HELICS: join, send, request times, leave; every wait has a limit and a name.

Why it is set up in this way (HELICS 3.6.1): a tick of 1 s, or a dead partner is noticed after 24 s instead of 5 s; no
period, so that any time is granted as asked; not interruptible, so that a time is granted only when it is reached; real
times only, never "the end of time"; one federate per process.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MissingExtraError, PeerLost, SetupError, did_you_mean

CORES = ("tcp", "zmq", "tcpss")
"""Transports between hosts that are tested; the first is the default, for it is the fastest."""
INSIDE = "inproc"
"""Transport between threads of one process, for measurements: federates must be created one after another."""
DEFAULT_GRANT_TIMEOUT = 60.0
"""s"""
WARN_AFTER = 5.0
"""s; after this a federate says whom it waits for."""
LAST_WAIT = 8.0
"""s; how long HELICS may take to end a call after a request to stop."""


def load_helics() -> Any:
    """Import HELICS, late: it takes a tenth of a second."""
    try:
        import helics
    except ImportError as error:
        raise MissingExtraError("A federation on HELICS", "helics") from error
    return helics


@dataclass(frozen=True)
class Broker:
    """Where a federation meets: ``tcp://host:port``.

    >>> Broker.read("tcp://127.0.0.1:23404")
    Broker(core='tcp', host='127.0.0.1', port=23404)
    """

    core: str
    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Broker:
        """Return the address in a text; raise SetupError when it is none."""
        core, _, rest = text.partition("://")
        host, _, port = rest.rpartition(":")
        if core not in CORES or not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise SetupError(f'broker: "{text}"; expected CORE://HOST:PORT with one of {", ".join(CORES)}')
        return cls(core, host, int(port))

    @property
    def options(self) -> str:
        """The address for HELICS; inside one process (core ``inproc``) it has a name instead of an address."""
        if self.core == INSIDE:
            return f"--broker={self.host}"
        return f"--broker_address={self.host} --brokerport={self.port}"

    def __str__(self) -> str:
        return f"{self.core}://{self.host}:{self.port}"


@dataclass(frozen=True)
class Joining:
    """How a federate joins.

    Attributes
    ----------
    name : str
        Of the federate.
    broker : Broker
        Whom it joins.
    others : sequence of str
        Federates that must be there before the run starts.
    grant_timeout : float
        How long a grant may take before the run is given up, s of wall time.
    """

    name: str
    broker: Broker
    others: Sequence[str]
    grant_timeout: float = DEFAULT_GRANT_TIMEOUT


class Watchdog:
    """Watches calls of HELICS that may not come back: says whom we wait for, then gives up."""

    def __init__(self, limit: float, give_up: Callable[[str], None]) -> None:
        self._limit, self._give_up = limit, give_up
        self._since: float | None = None
        self._waits_for: Callable[[], str] = str
        self._wake = threading.Event()
        self._said = self._gave_up = False
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def watch(self, work: Callable[[], Any], waits_for: Callable[[], str]) -> Any:
        """Call ``work``; if it takes long, ``waits_for`` tells for whom it waits."""
        self._waits_for, self._said, self._since = waits_for, False, time.monotonic()
        try:
            return work()
        finally:
            self._since = None

    def end(self) -> None:
        """Stop watching."""
        self._wake.set()

    @property
    def gave_up(self) -> bool:
        """Whether it has ended the federation."""
        return self._gave_up

    def _run(self) -> None:
        while not self._wake.wait(0.25):
            since = self._since
            waited = 0.0 if since is None else time.monotonic() - since
            if waited > min(WARN_AFTER, self._limit) and not self._said:
                self._said = True
                print(f"{self._waits_for()}; waited {waited:.0f} s so far", file=sys.stderr, flush=True)
            if waited > self._limit and not self._gave_up:
                self._gave_up = True
                self._give_up(f"{self._waits_for()}; gave up after {waited:.0f} s")
            if waited > self._limit + LAST_WAIT:  # HELICS itself hangs: what reached the disk stays
                print(f"error: {self._waits_for()}; HELICS does not return", file=sys.stderr, flush=True)
                os._exit(PeerLost.exit_code)


class Session:
    """A federate that has joined a federation.

    1. Make it, then register what it sends and reads: :meth:`sends_to`, :meth:`reads_from`, :meth:`publishes`, ...
    2. :meth:`enter`: all have joined, and the time is 0.
    3. :meth:`send`, :meth:`request`, :meth:`receive` in turns.
    4. :meth:`leave` or, when something went wrong here, :meth:`fail`: all others are told and stop.
    """

    def __init__(self, joining: Joining) -> None:
        self._h = load_helics()
        self.name, self._joining = joining.name, joining
        self.granted = 0.0
        self._sending: dict[str, Any] = {}
        self._reading: dict[str, Any] = {}
        self._subscribed: list[str] = []
        self._left = False
        self._watchdog = Watchdog(joining.grant_timeout, self._give_up)
        self._federate = self._guarded(self._create, lambda: f'"{self.name}" waits for the broker {joining.broker}')

    def _create(self) -> Any:
        h, broker = self._h, self._joining.broker
        info = h.helicsCreateFederateInfo()
        h.helicsFederateInfoSetCoreTypeFromString(info, broker.core)
        seconds = max(2, min(20, int(self._joining.grant_timeout)))
        h.helicsFederateInfoSetCoreInitString(
            info, f"--federates=1 {broker.options} --timeout={seconds}s --tick=1s --loglevel=no_print"
        )
        for flag in (h.HELICS_FLAG_UNINTERRUPTIBLE, h.HELICS_FLAG_TERMINATE_ON_ERROR):
            h.helicsFederateInfoSetFlagOption(info, flag, True)
        h.helicsFederateInfoSetIntegerProperty(info, h.HELICS_PROPERTY_INT_LOG_LEVEL, h.HELICS_LOG_LEVEL_NO_PRINT)
        return h.helicsCreateCombinationFederate(self.name, info)

    def sends_to(self, other: str) -> None:
        """Register that messages go to another federate."""
        end = self._h.helicsFederateRegisterGlobalTargetedEndpoint(self._federate, f"{self.name}>{other}", "samples")
        self._h.helicsEndpointAddDestinationTarget(end, f"{other}<{self.name}")
        self._sending[other] = end

    def reads_from(self, other: str) -> None:
        """Register that messages come from another federate."""
        self._reading[other] = self._h.helicsFederateRegisterGlobalTargetedEndpoint(
            self._federate, f"{self.name}<{other}", "samples"
        )

    def publishes(self, key: str, unit: str, *, vector: bool) -> Callable[[Any], None]:
        """Register a publication and return the function that publishes a value."""
        h = self._h
        kind = h.HELICS_DATA_TYPE_VECTOR if vector else h.HELICS_DATA_TYPE_DOUBLE
        made = h.helicsFederateRegisterGlobalPublication(self._federate, key, kind, unit)
        publish = h.helicsPublicationPublishVector if vector else h.helicsPublicationPublishDouble
        return lambda value: publish(made, value)

    def subscribes(self, key: str, target: str, unit: str, default: float) -> Callable[[], float]:
        """Register a subscription of plain values for an input and return the function that reads the latest one."""
        h = self._h
        made = h.helicsFederateRegisterTypeInput(self._federate, target, "double", unit)
        h.helicsInputAddTarget(made, key)
        h.helicsInputSetDefaultDouble(made, default)
        self._subscribed.append(key)
        return lambda: float(h.helicsInputGetDouble(made))

    def enter(self) -> None:
        """Wait until all federates are there, and begin."""
        missing = list(self._joining.others)
        deadline = time.monotonic() + self._joining.grant_timeout
        pause = 0.02
        while missing:
            joined = self._federates()
            missing = [name for name in self._joining.others if name not in joined]
            if missing and time.monotonic() > deadline:
                text = f"{self._waits_to_start(missing)}; gave up after {self._joining.grant_timeout:g} s"
                self.fail(text)
                raise PeerLost(text)
            if missing:
                time.sleep(pause)
                pause = min(0.3, 1.5 * pause)
        who = [*self._joining.others, *(["other HELICS programs"] if self._subscribed else [])]
        self._guarded(
            lambda: self._h.helicsFederateEnterInitializingMode(self._federate), lambda: self._waits_to_start(who)
        )
        self._check_subscribed()
        self._guarded(
            lambda: self._h.helicsFederateEnterExecutingMode(self._federate), lambda: self._waits_to_start(who)
        )

    def _check_subscribed(self) -> None:
        """Raise SetupError for values that no program publishes: they would keep their initial values."""
        known = self._asked("publications") if self._subscribed else []
        wrong = [
            f'subscribe: no program of the federation publishes "{key}"{did_you_mean(key, known)}'
            for key in self._subscribed
            if key not in known
        ]
        if wrong:
            raise SetupError(wrong)

    def _waits_to_start(self, names: Sequence[str]) -> str:
        who = ", ".join(f'"{name}"' if name in self._joining.others else name for name in names) or "the broker"
        return f'"{self.name}" waits for {who} to join the federation at {self._joining.broker}'

    @property
    def subscribed(self) -> Sequence[str]:
        """Keys of the plain values that it reads."""
        return self._subscribed

    def _federates(self) -> list[str]:
        return self._asked("federates")

    def _asked(self, what: str) -> list[str]:
        """Return what the broker knows: names of federates, keys of publications."""
        query = self._h.helicsCreateQuery("broker", what)
        try:
            text = self._h.helicsQueryExecute(query, self._federate)
        except self._h.HelicsException:
            return []
        finally:
            self._h.helicsQueryFree(query)
        found = json.loads(text) if isinstance(text, str) and text.startswith("[") else text
        return list(found) if isinstance(found, list) else []

    def send(self, other: str, data: bytes) -> None:
        """Send bytes to another federate; they arrive when it is granted a later time than ours."""
        self._h.helicsEndpointSendBytes(self._sending[other], data)

    def receive(self, other: str) -> list[bytes]:
        """Return what has arrived from another federate, in order."""
        h, end = self._h, self._reading[other]
        found = []
        while h.helicsEndpointHasMessage(end):
            found.append(bytes(h.helicsMessageGetBytes(h.helicsEndpointGetMessage(end))))
        return found

    def request(self, t: float, waits_for: Callable[[], str]) -> float:
        """Ask for a time (s) and wait until it is granted.

        Raises
        ------
        PeerLost
            Another federate or the broker has died or failed, or the grant took too long; the message says for whom
            we waited.
        """
        self.granted = self._guarded(lambda: self._h.helicsFederateRequestTime(self._federate, t), waits_for)
        state = self._h.helicsFederateGetState(self._federate)
        if state != self._h.HELICS_STATE_EXECUTION:
            raise PeerLost(f"{waits_for()}; the federation has ended")
        return self.granted

    def _guarded(self, work: Callable[[], Any], waits_for: Callable[[], str]) -> Any:
        try:
            return self._watchdog.watch(work, waits_for)
        except self._h.HelicsException as error:
            reason = str(error).partition("] ")[2] or str(error)
            if self._watchdog.gave_up:
                reason = f"no grant within {self._joining.grant_timeout:g} s of wall time"
            raise PeerLost(f"{waits_for()}: {reason}") from error

    def _give_up(self, text: str) -> None:
        with_error = getattr(self, "_federate", None)
        if with_error is not None:
            self._h.helicsFederateGlobalError(with_error, PeerLost.exit_code, text)

    def fail(self, text: str) -> None:
        """Tell all federates why this one stops, and leave."""
        if self._left:
            return
        self._left = True
        with contextlib.suppress(self._h.HelicsException):  # they may know already
            self._h.helicsFederateGlobalError(self._federate, 3, text)
        self._close()

    def leave(self) -> None:
        """Leave; the others continue."""
        if self._left:
            return
        self._left = True
        self._close()

    def _close(self) -> None:
        h = self._h
        with contextlib.suppress(h.HelicsException):  # the federation may have gone before us
            self._watchdog.watch(lambda: h.helicsFederateDisconnect(self._federate), lambda: f'"{self.name}" leaves')
            h.helicsFederateFree(self._federate)
            if self._joining.broker.core != INSIDE:
                h.helicsCloseLibrary()
        self._watchdog.end()
