"""Run one part of a system as a federate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._run.options import RunOptions
from .._run.precedence import custom
from .._run.run import Run
from ..errors import CounterpointError, SetupError
from .exchange import Exchange
from .fed import Fed
from .foreign import Foreign, ForeignValues
from .partition import Parts, Share, one_each, share_of
from .session import DEFAULT_GRANT_TIMEOUT, Broker, Joining, Session

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System

FEWEST_CHUNKS = 500
"""A part that reads nothing from others sends its samples so often at least."""


@dataclass(frozen=True)
class FederateRun:
    """What came of one part.

    Attributes
    ----------
    result : Result
        Its own subsystems, and what it read from others.
    requests : int
        Number of its time requests to HELICS.
    bytes_sent : int
        In messages to other federates.
    """

    result: Result
    requests: int
    bytes_sent: int


def federate(
    system: System,
    part: str,
    broker: str,
    options: RunOptions,
    *,
    parts: Parts | None = None,
    foreign: Foreign | None = None,
    grant_timeout: float = DEFAULT_GRANT_TIMEOUT,
    say: Callable[[str], None] | None = None,
) -> FederateRun:
    """Run one part of a system as a federate of HELICS, together with the other parts in other processes.

    Parameters
    ----------
    system : System
        The whole system. Subsystems of other parts are looked at, not started.
    part : str
        Name of the part, or of a subsystem when ``parts`` is not given.
    broker : str
        Where the federation meets, ``"tcp://127.0.0.1:23404"``.
    options : RunOptions
        Settings of the run, the same in all parts.
    parts : mapping, optional
        Part -> its subsystems; default: each subsystem is a part.
    foreign : Foreign, optional
        Plain values exchanged with programs that are not of Counterpoint.
    grant_timeout : float
        How long HELICS may take to grant a time, s of wall time.
    say : function, optional
        Told in words what differs from a run in one process.

    Raises
    ------
    SetupError
        Before anything ran.
    PeerLost, ComponentDied
        Another federate or the broker failed, died or is silent: the message names it; results so far are kept.
    """
    chosen = one_each(system) if parts is None else parts
    if options.until is None:
        raise SetupError("until: None; expected a finite time in s")
    share = share_of(system, options, chosen, part)
    for consumer, source in share.cut:
        (say or _say_nothing)(
            f'"{consumer}" does not wait for "{source}", which waits for another part itself: it extrapolates it; '
            "the same in one process: scheme = { waits_for = ... } without this"
        )
    session = Session(Joining(part, Broker.read(broker), [name for name in chosen if name != part], grant_timeout))
    try:
        return _run(share, session, options, options.until, foreign or Foreign())
    except CounterpointError as error:
        session.fail(f'"{part}" stopped: {error}')
        raise
    except BaseException as error:
        session.fail(f'"{part}" was interrupted: {type(error).__name__}')
        raise


def _say_nothing(text: str) -> None:
    pass


def _run(share: Share, session: Session, options: RunOptions, until: float, foreign: Foreign) -> FederateRun:
    exchange = Exchange(share, session, options.start, until)
    values = ForeignValues(session, foreign)
    for other in dict.fromkeys(name for export in share.exports for name in export.receivers):
        session.sends_to(other)
    for other in share.sources:
        session.reads_from(other)
    session.enter()
    share.local.constants |= {one.target: one.initial for one in foreign.subscriptions}
    run = Run(share.local, _local_options(share, options, exchange))
    exchange.send_all_initial()
    exchange.skip_initial()
    for target, value in values.now():
        run.set(target, value)
    for t in _stops(share, options.start, until, foreign):
        run.step_to(t)
        exchange.catch_up(t)
        values.exchange(run)
    run.step_to(until)
    exchange.flush()
    result = run.finish()
    session.leave()
    return FederateRun(result, exchange.requests, exchange.bytes_sent)


def _local_options(share: Share, options: RunOptions, exchange: Exchange) -> RunOptions:
    mine = list(share.local.subsystems)
    waits = {
        name: [source for source in share.waits[name] if source in mine]
        for name in mine
        if not isinstance(share.local.subsystems[name].subsystem, Fed)
    }
    record = None if options.record is None else [port for port in options.record if port.partition(".")[0] in mine]
    note: dict[str, str | float] = {"part": share.part, **(options.metadata or {})}
    return replace(
        options, scheme=custom(waits), first_steps="once", check="off", record=record, outside=exchange, metadata=note,
        driven=True,
    )  # fmt: skip


def _stops(share: Share, start: float, until: float, foreign: Foreign) -> list[float]:
    """Return the times (s) at which a part requests a time although no sample is missing."""
    own = [p.step for p in share.local.subsystems.values() if not isinstance(p.subsystem, Fed) and p.step is not None]
    if foreign:
        chunk = min(own, default=(until - start) / FEWEST_CHUNKS)
    elif not share.sources:
        chunk = max([*own, (until - start) / FEWEST_CHUNKS])
    else:
        return []
    count = int((until - start) / chunk * (1.0 - 1e-12))
    return [start + k * chunk for k in range(1, count + 1)]
