"""The event log of a run: what it did that a user may want to know afterwards, or see while it happens."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite, nan
from typing import TYPE_CHECKING

from .. import _core
from ..results import Event

if TYPE_CHECKING:
    from ..events import PlannedEvent
    from ..system import System
    from .plan import Plan

LOGGER = logging.getLogger("counterpoint")
"""Everything in the event log goes here, too: ``logging.getLogger("counterpoint").setLevel(logging.INFO)``.

Below it, at level DEBUG, how the run is planned and how it proceeds; this is not kept with the result.
"""

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_OF_FMI = {"warning": "warning", "discard": "warning", "error": "error", "fatal": "error"}


_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quietly() -> Iterator[None]:
    """Keep trial runs that begin inside out of the log."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


class EventLog:
    """Collects the events of one run and tells the logger of the package."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._quiet = _QUIET.get()
        self.events: list[Event] = []
        self._planned: list[PlannedEvent] = []

    def add(self, level: str, text: str, time: float = nan, source: str = "") -> None:
        """Note that something happened at a time in s."""
        self.events.append(Event(time, source, level, text))
        if not self._quiet and LOGGER.isEnabledFor(_LEVELS[level]):
            LOGGER.log(_LEVELS[level], "%s%s%s: %s", self._name, f".{source}" if source else "", _when(time), text)

    def debug(self, text: str, time: float = nan, source: str = "") -> None:
        """Tell the logger what only those want to know who look for a mistake."""
        if not self._quiet:
            LOGGER.debug("%s%s%s: %s", self._name, f".{source}" if source else "", _when(time), text)

    def plan(self, plan: Plan) -> None:
        """Tell how inputs are made and what is waited for."""
        if not LOGGER.isEnabledFor(logging.DEBUG):
            return
        for connection in plan.connections:
            way = "waits and interpolates" if connection.waits else "extrapolates"
            self.debug(f"{connection.source} -> {connection.target}: {way}", source="plan")

    def reached(self, time: float) -> None:
        """Tell how far the run is, when its results are written."""
        self.debug("results are written up to here", time)

    def spent(self, names: Sequence[str], steps: Sequence[int], seconds: Sequence[float]) -> None:
        """Tell what each subsystem took."""
        if not LOGGER.isEnabledFor(logging.DEBUG):
            return
        for name, count, wall in zip(names, steps, seconds, strict=True):
            self.debug(f"{count} steps in {wall:.3g} s", source=name)

    def begin(self, system: System, start: float, scheme: str) -> None:
        """Note how a run begins; at another time than 0 that is worth a sentence."""
        self._planned = list(system.events)  # a run is a plan: what is changed later does not count
        count = len(system.subsystems)
        text = f"begins with {count} subsystem{'s' if count != 1 else ''}, {scheme}"
        if start != 0.0:
            text += "; every subsystem has its initial state at this time, nothing is computed before it"
        self.add("info", text, start)

    def planned(self, records: Iterable[_core.EventRecord], tolerance: float = 0.0) -> None:
        """Note what planned events did, and from which communication point on where that came later."""
        for record in sorted(records, key=lambda record: (record.time, record.event, not record.begins)):
            event = self._planned[record.event]
            name = event.target.rpartition("->")[2].strip().partition(".")[0]
            text = str(event) if record.begins else f"{event} ends"
            if record.begins and event.condition is not None:
                text += f", for {event.condition.text}"
            if record.effective > record.time + tolerance:
                text += f"; from the communication point at t = {record.effective:.9g} s on"
            self.add("info", text, record.time, name)

    def end(self, system: System, status: str, message: str, time: float) -> None:
        """Note how a run ended, after what its components said."""
        for event in _component_messages(system):
            self.add(event.level, event.text, event.time, event.source)
        self.add("error" if status == "failed" else "info", f"{status}: {message}" if message else status, time)


def _when(time: float) -> str:
    return f" at t = {time:.9g} s" if isfinite(time) else ""


def _component_messages(system: System) -> Iterator[Event]:
    """Yield what FMUs have logged."""
    for name, participant in system.subsystems.items():
        for message in getattr(participant.subsystem, "messages", ()):
            level = _OF_FMI.get(message.status, "info")
            yield Event(message.time, name, level, f"{message.category}: {message.text}".lstrip(": "))
