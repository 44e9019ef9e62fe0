"""Plain values exchanged with federates that are not of Counterpoint: doubles with units, the latest one counts.

Their samples carry no time, so nothing but holding is possible. A value that the other program publishes at t is used
by steps that begin at t or later; what we publish at t is seen by the other at times after t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._run.run import Run
from .session import Session


@dataclass(frozen=True)
class Subscription:
    """A value of another program that drives an input here.

    Attributes
    ----------
    key : str
        Name of its publication.
    target : str
        The input, ``subsystem.port``.
    unit : str
        Unit of the input; HELICS converts.
    initial : float
        Value before the first one has come.
    """

    key: str
    target: str
    unit: str = ""
    initial: float = 0.0


@dataclass(frozen=True)
class Publication:
    """An output here that other programs read.

    Attributes
    ----------
    source : str
        The output, ``subsystem.port``.
    key : str
        Name of the publication.
    unit : str
        Its unit.
    """

    source: str
    key: str
    unit: str = ""


@dataclass(frozen=True)
class Foreign:
    """What a part exchanges with programs that are not of Counterpoint."""

    subscriptions: Sequence[Subscription] = ()
    publications: Sequence[Publication] = ()

    def __bool__(self) -> bool:
        return bool(self.subscriptions or self.publications)


class ForeignValues:
    """The plain values of one federate."""

    def __init__(self, session: Session, foreign: Foreign) -> None:
        self._read: list[tuple[str, Callable[[], float]]] = [
            (one.target, session.subscribes(one.key, one.target, one.unit, one.initial))
            for one in foreign.subscriptions
        ]
        self._publish: list[tuple[str, Callable[[Any], None]]] = [
            (one.source, session.publishes(one.key, one.unit, vector=False)) for one in foreign.publications
        ]

    def now(self) -> list[tuple[str, float]]:
        """Return the latest value of each input."""
        return [(target, read()) for target, read in self._read]

    def exchange(self, run: Run) -> None:
        """Give inputs the latest values, and publish the latest outputs."""
        for target, value in self.now():
            run.set(target, value)
        for source, publish in self._publish:
            publish(float(np.asarray(run.value(source)).ravel()[0]))
