"""What a diagram file may contain, one pydantic model a table.

The parameters of a block are checked by the block itself when it is made; here they only have to be values.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from ..._files.tables import Duration, FileName, Name, Numbers, Positive, Table, Time, keys_of

Signals = list[str | float] | dict[str, str | float]
"""What enters a block: names of signals or numbers, in order or by port."""


class SettingsTable(Table):
    """``[diagram]``: name and solver; steps in s."""

    name: FileName | None = None
    solver: str | None = None
    step: Duration | None = None
    inner_step: Duration | None = None
    locate_events: bool | None = None
    publish_events: bool | None = None
    algebraic_loops: Literal["error", "solve"] | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    first_step: Duration | None = None
    max_step: Duration | None = None


class RunTable(Table):
    """``[run]``: times and step in s, outputs to plot."""

    until: Time | None = None
    start: Time = 0.0
    step: Duration | None = None
    plot: list[str] | None = None


class InputTable(Table):
    """An input of the diagram; without a default something has to be connected to it."""

    default: Numbers | None = None
    width: Annotated[int, Field(gt=0)] = 1
    unit: str = ""


class OutputTable(Table):
    """An output of the diagram."""

    signal: str
    unit: str = ""


class BlockTable(Table):
    """A block: its kind, what enters it, and the parameters of the kind."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, allow_inf_nan=False)

    kind: str
    inputs: Signals = Field(default_factory=list)

    @property
    def parameters(self) -> dict[str, Any]:
        """Everything else."""
        return dict(self.__pydantic_extra__ or {})


class SuperblockTable(Table):
    """Another diagram as a block: ``superblock`` names one of this file, ``file`` one of another file."""

    superblock: str | None = None
    file: str | None = None
    inputs: Signals = Field(default_factory=list)
    enable: str | None = None
    trigger: str | None = None
    edge: Literal["rising", "falling", "either"] = "rising"
    restarts: bool = False


def _is_superblock(value: Any) -> str:
    return (
        "super"
        if isinstance(value, dict) and ("superblock" in value or "file" in value) and "kind" not in value
        else "block"
    )


def _is_table(value: Any) -> str:
    return "table" if isinstance(value, dict) else "name"


AnyBlock = Annotated[
    Annotated[BlockTable, Tag("block")] | Annotated[SuperblockTable, Tag("super")], Discriminator(_is_superblock)
]
AnyOutput = Annotated[Annotated[OutputTable, Tag("table")] | Annotated[str, Tag("name")], Discriminator(_is_table)]


class ContentTable(Table):
    """What a diagram or superblock consists of."""

    inputs: dict[Name, InputTable] = Field(default_factory=dict)
    blocks: dict[Name, AnyBlock] = Field(default_factory=dict)
    outputs: dict[Name, AnyOutput] = Field(default_factory=dict)


class FileTable(ContentTable):
    """A whole diagram file."""

    diagram: SettingsTable
    superblocks: dict[Name, ContentTable] = Field(default_factory=dict)
    run: RunTable = Field(default_factory=RunTable)


_SECTIONS: dict[str, type[Table]] = {"inputs": InputTable, "blocks": BlockTable, "outputs": OutputTable}
_WHOLE: dict[str, type[Table]] = {"diagram": SettingsTable, "run": RunTable}


def keys_at(path: tuple[str | int, ...], values: Any) -> list[str]:
    """Return the keys allowed in the table at ``path``.

    >>> keys_at(("run",), {})
    ['until', 'start', 'step', 'plot']
    """
    if not path:
        return keys_of(FileTable)
    if path[0] == "superblocks":
        return keys_of(ContentTable) if len(path) == 2 else keys_at(path[2:], {})
    if path[0] in _WHOLE and len(path) == 1:
        return keys_of(_WHOLE[str(path[0])])
    if path[0] in _SECTIONS and len(path) == 2:
        return [*keys_of(_SECTIONS[str(path[0])]), *(keys_of(SuperblockTable) if path[0] == "blocks" else [])]
    return []


def tags_at(path: tuple[str | int, ...], key: str) -> list[str]:
    """Return the values of a key that tells tables apart; diagram files have none."""
    return []
