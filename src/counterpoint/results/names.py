"""From the name a user types to a subsystem and its columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import SetupError, did_you_mean

if TYPE_CHECKING:
    from .store import RunLayout, SubsystemLayout

COMPONENT = re.compile(r"(?P<vector>.+)\[(?P<index>\d+)\]")


class UnknownNameError(SetupError, KeyError):
    """A result has no signal, subsystem or connection of this name."""

    def __str__(self) -> str:
        return "\n".join(self.problems)


@dataclass(frozen=True)
class SignalColumns:
    """Where a signal lives: a subsystem and neighbouring columns; `scalar` when it is one number per row."""

    name: str
    unit: str
    subsystem: int
    columns: slice
    scalar: bool
    held: bool = False


class Catalog:
    """All names of a run: ``subsystem.output``, ``subsystem.vector[0]``, ``subsystem.vector``.

    Parameters
    ----------
    layout : RunLayout
        Names and units.
    """

    def __init__(self, layout: RunLayout) -> None:
        self.layout = layout
        self.scalars: list[str] = []
        self._pairs: dict[tuple[str, str], SignalColumns] = {}
        self._places: dict[str, list[SignalColumns]] = defaultdict(list)
        self._subsystems = {entry.name: i for i, entry in enumerate(layout.subsystems)}
        for index, entry in enumerate(layout.subsystems):
            columns = {name: slice(i, i + 1) for i, name in enumerate(entry.columns)}
            self.scalars += [f"{entry.name}.{name}" for name in columns]
            vectors = {name: part for name, part in _vectors(entry) if name not in columns}
            for name, part in (columns | vectors).items():
                units = set(entry.units[part])
                place = SignalColumns(
                    name=f"{entry.name}.{name}",
                    unit=units.pop() if len(units) == 1 else "",
                    subsystem=index,
                    columns=part,
                    scalar=name in columns,
                    held=all(column in entry.held for column in entry.columns[part]),
                )
                self._pairs[entry.name, name] = place
                self._places[place.name].append(place)

    def subsystem(self, name: str) -> int:
        """Return the position of a subsystem."""
        try:
            return self._subsystems[name]
        except KeyError:
            hint = did_you_mean(name, self._subsystems)
            raise UnknownNameError(f'"{name}": no such subsystem in the result{hint}') from None

    def signal(self, key: str | tuple[str, str]) -> SignalColumns:
        """Return the place of a signal, by ``"subsystem.output"`` or ``("subsystem", "output")``."""
        if isinstance(key, tuple):
            subsystem, name = key
            index = self.subsystem(subsystem)
            if (subsystem, name) not in self._pairs:
                hint = did_you_mean(name, self.layout.subsystems[index].columns)
                raise UnknownNameError(f'"{subsystem}": publishes no signal "{name}"{hint}')
            return self._pairs[subsystem, name]
        found = self._places.get(key, [])
        if len(found) > 1:
            pairs = [pair for pair, place in self._pairs.items() if place in found]
            raise UnknownNameError(f'"{key}": several signals have this name; use one of the pairs {pairs}')
        if not found:
            raise UnknownNameError(f'"{key}": no such signal in the result{self._hint(key)}')
        return found[0]

    def find(self, key: str | tuple[str, str]) -> SignalColumns | int:
        """Return the place of a signal, or the position of a subsystem."""
        if isinstance(key, tuple) or key not in self._subsystems:
            return self.signal(key)
        if key in self._places:
            raise UnknownNameError(
                f'"{key}": a subsystem and a signal have this name; use to_pandas("{key}") for the subsystem '
                f"and the pair {next(p for p, q in self._pairs.items() if q.name == key)} for the signal"
            )
        return self._subsystems[key]

    def _hint(self, key: str) -> str:
        subsystem = max((s for s in self._subsystems if key.startswith(f"{s}.")), key=len, default=None)
        if subsystem is None:
            return did_you_mean(key, [*self._places, *self._subsystems])
        known = self.layout.subsystems[self._subsystems[subsystem]].columns
        return did_you_mean(key, [f"{subsystem}.{column}" for column in known])


def _vectors(entry: SubsystemLayout) -> Iterator[tuple[str, slice]]:
    """Yield runs of columns ``p[0]``, ``p[1]``, ... as ``("p", slice)``."""
    first, vector = 0, None
    for i, column in enumerate([*entry.columns, ""]):
        match = COMPONENT.fullmatch(column)
        if vector is not None and (match is None or (match["vector"], int(match["index"])) != (vector, i - first)):
            yield vector, slice(first, i)
            vector = None
        if vector is None and match is not None and int(match["index"]) == 0:
            first, vector = i, match["vector"]
