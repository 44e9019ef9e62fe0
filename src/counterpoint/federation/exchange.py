"""Move samples between the histories of a run and other federates.

    advance:   send what was published since the last time
               ask for the time that the next step needs
               hand in what has arrived

The requested time (see :mod:`.partition`): the next step of a subsystem that waits for another part needs what the
others have computed up to its end, that of any other subsystem what they have published up to its begin. The offsets of
some nanoseconds put those that are asked for at the same instant in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import PeerLost
from .fed import Fed
from .messages import SAMPLES, Message, Rows, read_message, write_message
from .partition import Export, Share
from .session import Session

SMALLEST_OFFSET = 4e-9
"""s; HELICS counts whole nanoseconds."""


def offset_for(span: float) -> float:
    """Return the time between what happens at one instant (s): a few nanoseconds, or what a double can hold.

    >>> offset_for(10.0)
    4e-09
    >>> round(offset_for(31_536_000.0) * 1e9)
    30
    """
    return max(SMALLEST_OFFSET, 8.0 * math.ulp(span))


class Exchange:
    """The other federates of a run, as :class:`~counterpoint._run.options.Outside`."""

    def __init__(self, share: Share, session: Session, start: float, until: float) -> None:
        self._share, self._session = share, session
        self._start, self._until = start, until
        self._offset = offset_for(until - start)
        self._feds: dict[str, Fed] = {}
        for name, participant in share.local.subsystems.items():
            fed = participant.subsystem
            if isinstance(fed, Fed):
                self._feds[name] = fed
                fed.ask(self.advance, self._initially(name))
        self._heard = dict.fromkeys(self._feds, start)
        self._sent = {export.name: 0 for export in share.exports}
        self._early: dict[tuple[str, int], Message] = {}
        self._passed = 0
        self._driver: Any = None
        self._places: dict[str, int] = {}
        self._mine: list[tuple[int, bool]] = []
        self._publish = {export.name: self._publications(export) for export in share.exports}
        self.requests = 0
        self.bytes_sent = 0

    def _publications(self, export: Export) -> list[Callable[[Any], None]]:
        units = self._share.local.subsystems[export.name].subsystem.units
        return [self._session.publishes(f"{export.name}.{p}", units.get(p, ""), vector=True) for p in export.ports]

    @property
    def passes(self) -> int:
        """How often initial outputs are exchanged."""
        return self._share.passes

    @property
    def wanted_slopes(self) -> frozenset[str]:
        """Subsystems of which derivatives are sent."""
        return frozenset(export.name for export in self._share.exports if export.slopes)

    def join(self, driver: Any, names: tuple[str, ...]) -> None:
        """Take the driver of the run that begins."""
        self._driver = driver
        self._places = {name: place for place, name in enumerate(names)}
        self._mine = [
            (place, name in self._share.later) for name, place in self._places.items() if name not in self._feds
        ]

    def _initially(self, name: str) -> Callable[[], None]:
        def ask() -> None:
            if name == next(iter(self._feds)) and self._passed < self.passes:
                self._exchange_initial()

        return ask

    def _exchange_initial(self) -> None:
        self._passed += 1
        self.send_initial(self._passed)
        self._request(self._passed * self._offset)
        for sender in self._share.sources:
            while (sender, self._passed) not in self._early:
                messages = [read_message(data, sender) for data in self._session.receive(sender)]
                if not messages:
                    raise PeerLost(f'"{sender}" has sent no initial values; is it the same version of Counterpoint?')
                for message in messages:
                    self._check(message, sender)
                    if message.number == SAMPLES:  # of one that needs nothing from us and has gone ahead
                        self._feed(message)
                    else:
                        self._early[sender, message.number] = message
            for number, rows in self._early.pop((sender, self._passed)).blocks:
                self._samples_of(number).feed_initial(rows)

    def send_initial(self, number: int) -> None:
        """Send the outputs at the start as they are in a pass."""
        self._send(number, lambda export: self._rows(export, 0)[-1:])

    def send_all_initial(self) -> None:
        """Send the outputs at the start, for a part that reads nothing from others."""
        if not self._feds:
            for number in range(1, self.passes + 1):
                self.send_initial(number)

    def skip_initial(self) -> None:
        """Note that the initial outputs are known to all: only what comes after them is sent."""
        for export in self._share.exports:
            self._rows(export, 0)
            self._sent[export.name] = 1

    def advance(self) -> None:
        """Send, wait until the next step of this part can be made, and take what has arrived."""
        self.flush()
        self._request(self._needed())
        self._take()

    def flush(self) -> None:
        """Send what was published since the last time."""

        def new_rows(export: Export) -> Rows:
            rows = self._rows(export, self._sent[export.name])
            self._sent[export.name] += len(rows)
            return rows

        self._send(SAMPLES, new_rows)

    def catch_up(self, t: float) -> None:
        """Send, and request a time of the run (s), for a part that nothing else keeps in step with the others."""
        self.flush()
        self._request(max(t - self._start + self._begins, self._session.granted))
        self._take()

    @property
    def _ends(self) -> float:
        return (self.passes + 2) * self._offset

    @property
    def _begins(self) -> float:
        return (self.passes + 3) * self._offset

    def _needed(self) -> float:
        """Return the HELICS time to request: what the earliest step of this part needs."""
        granted = self._session.granted
        times = []
        for place, waits in self._mine:
            end = self._driver.next_of(place)
            if end == math.inf:
                continue
            at = end + self._ends if waits else self._driver.time_of(place) + self._begins
            times.append(at - self._start)
        needed = min(times, default=self._until - self._start + self._begins + self._offset)
        if needed > granted + 0.5 * self._offset:
            return needed
        ahead = [fed for fed in self._heard.values() if fed - self._start + self._begins > granted]
        return max(granted + self._offset, min(ahead, default=self._until) - self._start + self._begins)

    def _request(self, t: float) -> None:
        self.requests += 1
        self._session.request(t, self._waits_for)

    def _waits_for(self) -> str:
        reached = min((self._driver.time_of(place) for place, _ in self._mine), default=self._start)
        late = sorted(self._heard, key=lambda name: self._heard[name])
        behind = [f'"{name}" (last sample at t = {self._heard[name]:.9g} s)' for name in late[:3]]
        behind += [f'the program that publishes "{key}"' for key in self._session.subscribed]
        who = ", ".join(behind) or ", ".join(f'"{name}"' for name in self._share.sources) or "the broker"
        return f'"{self._share.part}" at t = {reached:.9g} s waits for {who}'

    def _take(self) -> None:
        for sender in self._share.sources:
            for data in self._session.receive(sender):
                message = read_message(data, sender)
                self._check(message, sender)
                self._feed(message)

    def _feed(self, message: Message) -> None:
        for number, rows in message.blocks:
            if len(rows):
                self._heard[self._share.imports[number]] = float(rows[-1, 0])
                self._samples_of(number).feed(rows)

    def _samples_of(self, number: int) -> Any:
        samples = self._feds[self._share.imports[number]].samples
        assert samples is not None
        return samples

    def _check(self, message: Message, sender: str) -> None:
        if message.digest != self._share.digest:
            raise PeerLost(
                f'"{sender}" runs another scenario than "{self._share.part}": start all parts with the same scenario, '
                "plan and version"
            )

    def _rows(self, export: Export, first: int) -> Rows:
        """Return t, next t, outputs and their derivatives from a sample on."""
        place = self._places[export.name]
        kept: Rows = self._driver.samples_from(place, first)
        if not len(kept):
            return np.empty((0, 2 + len(export.columns) * (2 if export.slopes else 1)))
        width = sum(self._share.local.subsystems[export.name].subsystem.output_widths.values())
        columns = [1 + k for k in export.columns]
        if export.slopes:
            columns += [1 + width + k for k in export.columns]
        following = np.append(kept[1:, 0], self._driver.next_of(place))
        return np.column_stack([kept[:, 0], following, kept[:, columns]])

    def _send(self, number: int, rows_of: Callable[[Export], Rows]) -> None:
        blocks = {export.name: (export.number, rows_of(export)) for export in self._share.exports}
        for export in self._share.exports:
            self._publish_last(export, blocks[export.name][1])
        for receiver in dict.fromkeys(name for export in self._share.exports for name in export.receivers):
            chosen = [blocks[e.name] for e in self._share.exports if receiver in e.receivers and len(blocks[e.name][1])]
            if not chosen and number == SAMPLES:
                continue
            data = write_message(Message(self._share.digest, number, chosen))
            self.bytes_sent += len(data)
            self._session.send(receiver, data)

    def _publish_last(self, export: Export, rows: Rows) -> None:
        """Publish the latest sample of each output as a vector (t, y, dy/dt), for any federate that subscribes."""
        if not len(rows):
            return
        widths = self._share.local.subsystems[export.name].subsystem.output_widths
        place, slopes = 2, 2 + len(export.columns)
        for port, publish in zip(export.ports, self._publish[export.name], strict=True):
            width = widths[port]
            value = [rows[-1, 0], *rows[-1, place : place + width]]
            publish([*value, *rows[-1, slopes : slopes + width]] if export.slopes else value)
            place, slopes = place + width, slopes + width
