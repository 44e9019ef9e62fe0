"""The table of a sweep on disk: a folder of Parquet files that grows while points finish.

``pandas.read_parquet(folder)`` reads it at any time. A file is written under another name and renamed when it is whole,
so that what is there can be read after any end of the program; small files are merged as they become many.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError, OutputError
from .plan import Plan
from .worker import Row

if TYPE_CHECKING:
    import pandas as pd

FLUSH_SECONDS = 0.5
MERGED_PARTS = 32
LARGEST_PART = 10_000
"""Rows of a file beyond which it is not merged with others: merging takes memory for all of them."""


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("a table on disk", "sweep") from None
    return pyarrow


class Table:
    """Collects rows and writes them, a file at a time.

    Parameters
    ----------
    folder : Path
        Where the files are; made if it is not there.
    plan : Plan
        Gives the columns of parameters.
    measures : sequence of str
        Names of the columns of measures.
    """

    def __init__(self, folder: Path, plan: Plan, measures: Sequence[str]) -> None:
        self._arrow = _arrow()
        self._folder = folder
        self._plan = plan
        self._measures = list(measures)
        self._waiting: list[Row] = []
        self._flushed = 0.0
        self._small: dict[Path, Any] = {}  # files that were written here and have few rows, with these
        self._next = 1 + max((_number(path) for path in self.parts()), default=-1)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.glob(".writing-*"):
                path.unlink()
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written: {error.strerror or error}", str(folder)) from None

    @property
    def schema(self) -> Any:
        """Columns: point, parameters, measures, how it ended."""
        pa = self._arrow
        columns = [("point", pa.int64())]
        columns += [(axis.name, pa.float64() if axis.is_numeric else pa.string()) for axis in self._plan.axes]
        columns += [(name, pa.float64()) for name in self._measures]
        return pa.schema([*columns, ("status", pa.string()), ("message", pa.string()), ("wall_seconds", pa.float64())])

    def parts(self) -> list[Path]:
        """Return the files that are whole, oldest first."""
        return sorted(self._folder.glob("part-*.parquet"), key=_number)

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows; what has waited for half a second is written, and the very first row at once."""
        self._waiting += rows
        now = time.monotonic()
        if self._waiting and now - self._flushed > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        self._flushed = time.monotonic()
        if not self._waiting:
            return
        rows, self._waiting = self._waiting, []
        self._write(self._to_arrow(rows))
        self._merge()

    def _to_arrow(self, rows: Sequence[Row]) -> Any:
        points = [self._plan.point(row.point) for row in rows]
        columns: list[Any] = [[row.point for row in rows]]
        columns += [[_cell(values[k], axis.is_numeric) for values in points] for k, axis in enumerate(self._plan.axes)]
        columns += [[row.measures[k] for row in rows] for k in range(len(self._measures))]
        columns += [[row.status for row in rows], [row.message for row in rows], [row.seconds for row in rows]]
        schema = self.schema
        arrays = [_to_array(self._arrow, column, field.type) for column, field in zip(columns, schema, strict=True)]
        return self._arrow.Table.from_arrays(arrays, schema=schema)

    def _write(self, table: Any, replaced: Sequence[Path] = ()) -> None:
        number, self._next = self._next, self._next + 1
        writing = self._folder / f".writing-{number}"
        try:
            self._arrow.parquet.write_table(table, writing)
            with writing.open("rb") as file:
                os.fsync(file.fileno())
            # A reader between these lines sees rows twice, never too few; reading drops repeated points.
            made = self._folder / f"part-{number:06d}.parquet"
            writing.replace(made)
            for path in replaced:
                path.unlink(missing_ok=True)
                self._small.pop(path, None)
            if len(table) < LARGEST_PART:
                self._small[made] = table
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(
                f"{self._folder}: cannot be written: {reason}", str(self._folder), during_run=True
            ) from error

    def _merge(self) -> None:
        """Merge files as they become many; large ones stay as they are."""
        if len(self._small) > MERGED_PARTS:
            self._join(self._small)
            self._arrow.default_memory_pool().release_unused()  # which it would keep in a long sweep

    def _join(self, parts: Mapping[Path, Any]) -> None:
        """Write one file instead of several."""
        self._write(self._arrow.concat_tables(list(parts.values())).combine_chunks(), list(parts))

    def _is_small(self, path: Path) -> bool:
        return path in self._small or self._arrow.parquet.read_metadata(path).num_rows < LARGEST_PART

    def _read(self, path: Path) -> Any:
        with self._arrow.parquet.ParquetFile(path) as file:
            return file.read(use_threads=False)

    def close(self) -> None:
        """Write what is waiting, and small files as one."""
        self.flush()
        small = [path for path in self.parts() if self._is_small(path)]
        if len(small) > 1:
            self._join({path: self._small[path] if path in self._small else self._read(path) for path in small})

    def finished(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return for each point whether it is done, and whether it has failed, was killed or late."""
        done, failed = np.zeros(self._plan.count, dtype=bool), np.zeros(self._plan.count, dtype=bool)
        for path in self.parts():
            table = self._arrow.parquet.read_table(path, columns=["point", "status"])
            points = table["point"].to_numpy()
            good = np.asarray(table["status"].to_pylist(), dtype=object) == "done"
            done[points[good]] = True
            failed[points[~good]] = True
        return done, failed & ~done

    def keep_done(self) -> None:
        """Drop the rows of points that failed: they are run again."""
        for path in self.parts():
            table = self._read(path)
            good = np.asarray(table["status"].to_pylist(), dtype=object) == "done"
            if not good.all():
                self._write(table.filter(self._arrow.array(good)), [path])

    def clear(self) -> None:
        """Remove all rows."""
        for path in self.parts():
            path.unlink()
        self._small.clear()


def _number(path: Path) -> int:
    return int(path.stem.removeprefix("part-"))


def _to_array(pa: Any, values: Sequence[Any], kind: Any) -> Any:
    """Return a column without missing values; ``pyarrow.array`` would import pandas first, for half a second."""
    if kind != pa.string():
        data = np.asarray(values, dtype=kind.to_pandas_dtype())
        return pa.Array.from_buffers(kind, len(data), [None, pa.py_buffer(data)])
    texts = [value.encode() for value in values]
    ends = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in texts], out=ends[1:])
    return pa.Array.from_buffers(kind, len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])


def _cell(value: Any, numeric: bool) -> Any:
    if numeric:
        return float(value) if value is not None else nan
    return value if isinstance(value, str) else json.dumps(value, default=str)


def read_table(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the table of a sweep that goes on or has ended, one row per point, in the order of the points.

    Parameters
    ----------
    folder : path
        The folder given as ``out``, or its ``table.parquet``.
    """
    import pandas as pd

    path = Path(folder)
    path = path / "table.parquet" if (path / "table.parquet").is_dir() else path
    _arrow()
    if not path.is_dir():
        raise OutputError(f"{path}: no such table of a sweep", str(path))
    for _ in range(10):  # files that are merged while they are read are gone
        try:
            made = pd.read_parquet(path)
            break
        except FileNotFoundError:
            time.sleep(0.02)
    else:
        made = pd.read_parquet(path)
    return made.drop_duplicates("point", keep="last").sort_values("point", ignore_index=True)


class MemoryTable:
    """The same in memory: for sweeps without a table on disk."""

    def __init__(self, plan: Plan, measures: Sequence[str]) -> None:
        self._plan = plan
        self._measures = list(measures)
        self._rows: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Keep rows."""
        self._rows += rows

    def close(self) -> None:
        """Nothing is left to do."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows in the order of the points."""
        import pandas as pd

        rows = sorted(self._rows)
        points = [self._plan.point(row.point) for row in rows]
        data: dict[str, Any] = {"point": [row.point for row in rows]}
        data |= {axis.name: [values[k] for values in points] for k, axis in enumerate(self._plan.axes)}
        data |= {name: [row.measures[k] for row in rows] for k, name in enumerate(self._measures)}
        data |= {"status": [row.status for row in rows], "message": [row.message for row in rows]}
        return pd.DataFrame({**data, "wall_seconds": [row.seconds for row in rows]})
