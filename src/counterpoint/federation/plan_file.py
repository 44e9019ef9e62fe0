"""Launch plans: a TOML file that says which subsystems of a scenario run as which federate, and where.

::

    scenario = "plant.toml"

    [parts.engine]
    subsystems = ["engine"]

    [parts.vehicle]
    subsystems = ["chassis", "wheels"]
    publish = [{ from = "chassis.speed", key = "vehicle/speed", unit = "m/s" }]
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from .._cases.registry import LAUNCH_PLAN, check_kind
from .._files.document import read_document
from .._files.problems import KeyPath, Mistakes, Vocabulary
from .._files.tables import Duration, Name, OneOrMore, Table, keys_of
from .._files.validation import validate
from .foreign import Foreign, Publication, Subscription
from .session import DEFAULT_GRANT_TIMEOUT


class SubscribeTable(Table):
    """A value of a program that is not of Counterpoint."""

    key: str
    to: str
    unit: str = ""
    initial: float = 0.0


class PublishTable(Table):
    """An output for programs that are not of Counterpoint."""

    source: str = Field(alias="from")
    key: str
    unit: str = ""


class PartTable(Table):
    """One federate."""

    subsystems: OneOrMore
    host: str | None = None
    subscribe: tuple[SubscribeTable, ...] = Field(default=(), strict=False)
    publish: tuple[PublishTable, ...] = Field(default=(), strict=False)


class PlanTable(Table):
    """The whole file."""

    scenario: str
    broker: str | None = None
    core: Literal["tcp", "zmq", "tcpss"] = "tcp"
    federates_beside: int = Field(default=0, ge=0)
    grant_timeout: Duration = DEFAULT_GRANT_TIMEOUT
    parts: dict[Name, PartTable] = Field(min_length=1)


def _keys_at(path: KeyPath, values: Any) -> list[str]:
    if not path:
        return keys_of(PlanTable)
    if path[0] != "parts" or len(path) < 2:
        return []
    inner: dict[str, type[Table]] = {"subscribe": SubscribeTable, "publish": PublishTable}
    return keys_of(PartTable if len(path) == 2 else inner.get(str(path[2]), PartTable))


_WORDS = Vocabulary(_keys_at, lambda path, key: [])


@dataclass(frozen=True)
class LaunchPlan:
    """Which subsystems of a scenario run as which federate.

    Attributes
    ----------
    path, scenario : Path
        The plan, and the scenario that it is about.
    parts : dict
        Part -> its subsystems.
    hosts : dict
        Part -> the host on which it runs; None: this computer.
    foreign : dict
        Part -> plain values that it exchanges with programs that are not of Counterpoint.
    broker : str or None
        Address of a broker that runs already; None: one is started.
    core : str
        Transport of the broker that is started.
    federates_beside : int
        Programs that are not of Counterpoint, for which the broker waits as well.
    grant_timeout : float
        How long a grant may take, s of wall time.
    """

    path: Path
    scenario: Path
    parts: dict[str, list[str]]
    hosts: dict[str, str | None]
    foreign: dict[str, Foreign]
    broker: str | None = None
    core: str = "tcp"
    federates_beside: int = 0
    grant_timeout: float = DEFAULT_GRANT_TIMEOUT

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> LaunchPlan:
        """Read and check a launch plan; raise ScenarioError with all problems."""
        path = Path(path)
        check_kind(path, LAUNCH_PLAN)
        document = read_document(path)
        mistakes = Mistakes(document)
        table, _ = validate(PlanTable, document, mistakes, _WORDS, whole=lambda section: True)
        if table is not None and not (path.parent / table.scenario).is_file():
            mistakes.add(("scenario",), f'"{table.scenario}": no such file')
        mistakes.raise_if_any()
        assert table is not None  # without mistakes there is a table
        return cls(
            path,
            path.parent / table.scenario,
            {name: list(part.subsystems) for name, part in table.parts.items()},
            {name: part.host for name, part in table.parts.items()},
            {name: _foreign(part) for name, part in table.parts.items()},
            table.broker,
            table.core,
            table.federates_beside,
            table.grant_timeout,
        )


def _foreign(part: PartTable) -> Foreign:
    return Foreign(
        tuple(Subscription(one.key, one.to, one.unit, one.initial) for one in part.subscribe),
        tuple(Publication(one.source, one.key, one.unit) for one in part.publish),
    )
