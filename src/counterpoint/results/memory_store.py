"""The store that keeps rows in memory, and the tables of rows that other stores use as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from .paces import STEP_COLUMNS
from .store import ALL, Array, LazyRows, Metadata, RunLayout, RunSummary


def checked_block(block: Array | LazyRows, width: int, who: str) -> Array:
    """Return the block as a float array after checking that it has `width` columns."""
    array = np.asarray(block, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{who}: a block has shape {array.shape}; expected (n, {width}), time first")
    return array


class Rows:
    """A table of fixed width that grows at its end; doubling keeps the cost of a row constant."""

    def __init__(self, width: int, capacity: int = 64) -> None:
        self._data: Array = np.empty((capacity, width))
        self.count = 0

    def extend(self, block: Array) -> None:
        """Copy the rows of `block` to the end."""
        end = self.count + len(block)
        if end > len(self._data):
            grown: Array = np.empty((max(end, 2 * len(self._data)), self._data.shape[1]))
            grown[: self.count] = self._data[: self.count]
            self._data = grown
        self._data[self.count : end] = block
        self.count = end

    def read(self) -> Array:
        """Return a read-only view of all rows."""
        view = self._data[: self.count]
        view.flags.writeable = False
        return view

    def clear(self) -> None:
        """Forget all rows and keep the memory."""
        self.count = 0


class Blocks:
    """Rows kept in the blocks in which they came, joined when they are first read."""

    LARGE = 1024
    FEW = 16
    """Beyond the first few, a block with fewer rows is copied to its neighbours: many small arrays would cost more than
    their rows."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._parts: list[Array | LazyRows] = []
        self._tail: Rows | None = None  # most runs are short, or publish large blocks
        self.count = 0

    def extend(self, block: Array) -> None:
        """Add the rows of `block`, which is not changed any more."""
        if len(block) >= self.LARGE or len(self._parts) < self.FEW:
            return self.add(block)
        if self._tail is None:
            self._tail = Rows(self._width, 8)
        self._tail.extend(block)
        self.count += len(block)

    def add(self, part: Array | LazyRows) -> None:
        """Add rows as they are; they may become an array when they are first read."""
        if self._tail is not None:
            self._seal()
        self._parts.append(part)
        self.count += len(part)

    def read(self) -> Array:
        """Return a read-only array of all rows."""
        self._seal()
        if not self._parts:
            return Rows(self._width, 0).read()
        parts = [np.asarray(part) for part in self._parts]
        joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
        self._parts = [joined]
        view = joined[:]
        view.flags.writeable = False
        return view

    def _seal(self) -> None:
        if self._tail is not None and self._tail.count:
            self._parts.append(self._tail.read().copy())
            self._tail.clear()


class MemoryStore:
    """Keep the rows of a run in memory; it is its own view.

    Parameters
    ----------
    layout : RunLayout
        Names and units.
    metadata : mapping, optional
        Description of the run: ``name``, ``scheme``, ``until`` ...

    Examples
    --------
    >>> from counterpoint.results.store import SubsystemLayout
    >>> layout = RunLayout((SubsystemLayout("engine", ("speed",), ("rad/s",)),))
    >>> store = MemoryStore(layout)
    >>> store.append(0, np.array([[0.0, 10.0], [0.1, 11.0]]))
    >>> store.values(0)[:, 0].tolist()
    [10.0, 11.0]
    """

    def __init__(self, layout: RunLayout, metadata: Metadata | None = None) -> None:
        self.layout = layout
        self.metadata: Metadata = dict(metadata or {})
        self._rows = [Blocks(1 + len(s.columns)) for s in layout.subsystems]
        self._defects = [Blocks(3) for _ in layout.connections]
        self._steps = [Blocks(STEP_COLUMNS) for _ in layout.steps]
        self._deferred: dict[int, Callable[[MemoryStore, int], Array]] = {}

    def append(self, subsystem: int, block: Array) -> None:
        """Add rows of one subsystem, shape ``(n, 1 + columns)``, time first."""
        entry = self.layout.subsystems[subsystem]
        self._rows[subsystem].extend(checked_block(block, 1 + len(entry.columns), entry.name))

    def append_defects(self, connection: int, block: Array | LazyRows) -> None:
        """Add rows of one connection, shape ``(n, 3)``: time, assumed, arrived.

        A block that is not an array yet, but becomes one when it is read, is kept as it is until then.
        """
        if not isinstance(block, np.ndarray):
            self._defects[connection].add(block)
        else:
            self._defects[connection].extend(checked_block(block, 3, self.layout.connections[connection]))

    def defer_defects(self, connections: Iterable[int], make: Callable[[MemoryStore, int], Array]) -> None:
        """Let the last rows of each of these connections, shape ``(n, 3)``, be made when they are first read."""
        self._deferred.update(dict.fromkeys(connections, make))

    def append_steps(self, place: int, block: Array) -> None:
        """Add rows of a table of chosen steps, shape ``(n, 6)``."""
        self._steps[place].extend(checked_block(block, STEP_COLUMNS, self.layout.steps[place].kind))

    def flush(self) -> None:
        """Do nothing: memory is visible at once."""

    def close(self, summary: RunSummary | None = None) -> None:
        """Do nothing: the rows stay readable as long as the store lives."""

    def kept_check(self) -> bytes:
        """Return nothing: a result in memory keeps its verdict itself."""
        return b""

    def keep_check(self, make: Callable[[int], bytes]) -> None:
        """Do nothing: a result in memory keeps its verdict itself."""

    def refresh(self) -> None:
        """Do nothing: the view always shows everything."""

    def view(self) -> MemoryStore:
        """Return the store itself."""
        return self

    def rows(self, subsystem: int) -> int:
        """Return the number of rows of a subsystem."""
        return self._rows[subsystem].count

    def table(self, subsystem: int) -> Array:
        """Return times in s and values, shape ``(n, 1 + columns)``."""
        return self._rows[subsystem].read()

    def times(self, subsystem: int, rows: slice = ALL) -> Array:
        """Return times in s, shape ``(n,)``."""
        return self._rows[subsystem].read()[rows, 0]

    def values(self, subsystem: int, columns: slice = ALL, rows: slice = ALL) -> Array:
        """Return values, shape ``(n, columns)``."""
        return self._rows[subsystem].read()[rows, 1:][:, columns]

    def defects(self, connection: int, rows: slice = ALL) -> Array:
        """Return time, assumed and arrived value, shape ``(n, 3)``."""
        if connection in self._deferred:
            self._defects[connection].add(self._deferred.pop(connection)(self, connection))
        return self._defects[connection].read()[rows]

    def __getstate__(self) -> dict[str, object]:
        for connection in list(self._deferred):
            self.defects(connection)
        return self.__dict__

    def steps(self, place: int) -> Array:
        """Return a table of chosen steps, shape ``(n, 6)``."""
        return self._steps[place].read()
