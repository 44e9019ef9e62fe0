"""Reading run files: of finished, killed and still running runs, and only the parts that are asked for."""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OutputError
from .defects import DeferredDefects
from .deferred import UNKNOWN, Deferred, completed, component
from .format import COMPRESSED_VERSION, FORMAT, MOST_COMPRESSED, reason, summary_from
from .paces import STEP_COLUMNS, StepsLayout
from .snapshot import attribute, member, open_for_reading, printable, problem_of, table, vector
from .store import ALL, Array, DefectSummary, Metadata, RunLayout, RunSummary, SubsystemLayout

if TYPE_CHECKING:
    from .result import Result

_T = TypeVar("_T")

PAUSES = (0.001, 0.003, 0.01, 0.03, 0.1)
"""How long to wait, in s, before reading again what a writer may just have been changing."""


def load(path: str | os.PathLike[str]) -> Result:
    """Open a run file; the numbers are read when they are asked for.

    Parameters
    ----------
    path : path-like
        File of a run that has finished, is in progress, or was killed.

    Returns
    -------
    Result
        Its ``status`` is ``"unfinished"`` while the run is in progress or if it was killed; ``refresh()`` reads the
        rows written since. Use it as a context manager, or ``close()`` it, to release the file.

    Raises
    ------
    OutputError
        When the file does not exist, is damaged, or is not a run file.
    """
    from .result import Result

    view = FileView(path)
    try:
        return Result(view, view.layout, view.summary)
    except BaseException:
        view.close()
        raise


@dataclass(frozen=True)
class Part(Generic[_T]):
    """A subsystem or connection: the name of its group, its place in ``/rows``, and what a result says about it."""

    group: str
    index: int
    entry: _T


class FileView:
    """Read a run file as a store view.

    A subsystem or connection of a damaged file that cannot be read is left out, and the summary's message says so;
    rows that cannot be read are an error when they are asked for.

    Parameters
    ----------
    path : path-like
        The file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file: Any = None
        self._release: Callable[[], object] = bool
        self.refresh()

    def refresh(self) -> None:
        """Open the file anew and take notice of everything that was written since."""
        with self._guard():
            if problem := problem_of(self.path):
                raise OutputError(f"{self.path}: {problem}", str(self.path))
        self._reopen()
        try:
            self._patiently(self._read_all)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; reading is not possible afterwards."""
        self._release()
        self._file = None

    def rows(self, subsystem: int) -> int:
        """Return the number of rows of a subsystem."""
        return int(self._counts[self._subsystems[subsystem].index])

    def times(self, subsystem: int, rows: slice = ALL) -> Array:
        """Return times in s, shape ``(n,)``."""
        part = self._subsystems[subsystem]
        return self._rows_of("subsystems", part, "time", rows, ALL)

    def values(self, subsystem: int, columns: slice = ALL, rows: slice = ALL) -> Array:
        """Return values, shape ``(n, columns)``."""
        part = self._subsystems[subsystem]
        if not part.entry.columns:
            first, last = self._range(part.index, rows)
            return np.empty((last - first, 0))
        return self._rows_of("subsystems", part, "values", rows, columns, len(part.entry.columns))

    def defects(self, connection: int, rows: slice = ALL) -> Array:
        """Return time, assumed and arrived value, shape ``(n, 3)``."""
        part = self._connections[connection]
        if part.index not in self._deferred:
            return self._rows_of("connections", part, "defect", rows, ALL, 3)
        if part.index not in self._found:
            written = self._rows_of("connections", part, "defect", ALL, ALL, 3)
            by, place = self._deferred[part.index]
            self._found[part.index] = np.concatenate([written, component(self._compared(by)[0], place)])
        return self._found[part.index][rows]

    def _compared(self, by: Deferred) -> tuple[Array, _core.DefectFigures]:
        places = {part.index: place for place, part in enumerate(self._subsystems)}
        with self._guard():
            return by.made(
                lambda index: self.times(places[index]), lambda index, columns: self.values(places[index], columns)
            )

    def steps(self, place: int) -> Array:
        """Return a table of chosen steps, shape ``(n, 6)``."""
        return self._rows_of("steps", self._steps[place], "chosen", ALL, ALL, STEP_COLUMNS)

    def kept_check(self) -> bytes:
        """Return the stored error estimate; empty if there is none."""
        with contextlib.suppress(OutputError, OSError, RuntimeError, ValueError, KeyError):
            return bytes(vector(self._opened(), "check", "u1").tobytes()).strip()
        return b""

    def keep_check(self, make: Callable[[int], bytes]) -> None:
        """Write the error estimate of a run that has ended into the place that its file has for it.

        Nothing else of the file changes, and where it cannot be written the file stays as it is.
        """
        with contextlib.suppress(OutputError, OSError, RuntimeError, ValueError, KeyError):
            file = self._opened()
            place = member(file, "check", h5py.Dataset)
            offset, room = place.id.get_offset(), len(place)
            if self._is_running or offset is None:
                return
            with self.path.open("r+b") as raw:
                if os.path.sameopenfile(raw.fileno(), file.id.get_vfd_handle()):
                    raw.seek(offset)
                    raw.write(make(room).ljust(room))

    def _rows_of(self, kind: str, part: Part[Any], name: str, rows: slice, columns: slice, *width: int) -> Array:
        first, last = self._range(part.index, rows)

        def read() -> Array:
            group = member(member(self._opened(), kind, h5py.Group), part.group, h5py.Group)
            dataset = table(group, name, *width)
            if len(dataset) < last:
                raise ValueError(f'"{part.group}" has {len(dataset)} rows; {last} were counted')
            asked = slice(first, last)
            return np.asarray(dataset[asked, columns] if width else dataset[asked], dtype=np.float64)

        return self._patiently(read)

    def _range(self, index: int, rows: slice) -> tuple[int, int]:
        first, last, _ = rows.indices(int(self._counts[index]))
        return first, max(first, last)

    def _opened(self) -> Any:
        if self._file is None:
            raise OutputError(f"{self.path}: the result is closed; load the file again", str(self.path))
        return self._file

    def _reopen(self) -> None:
        self.close()
        with self._guard():
            self._file, self._is_running = open_for_reading(self.path)
        self._release = weakref.finalize(self, self._file.close)  # at the latest when Python exits

    def _patiently(self, read: Callable[[], _T]) -> _T:
        """Read, and read again when a writer may have been changing just that."""
        for pause in PAUSES:
            try:
                with self._guard():
                    return read()
            except OutputError:
                if self._file is None or not self._is_running:
                    raise
            time.sleep(pause)
            self._reopen()
        with self._guard():
            return read()

    def _read_all(self) -> None:
        """Read everything but rows."""
        file = self._opened()
        self._check_format()
        self._counts = self._read_counts()  # before any dataset: see file.py, rule 1
        self.metadata = self._read_metadata()
        groups = [member(file, name, h5py.Group) for name in ("subsystems", "connections")]
        if "steps" in file:
            groups.append(member(file, "steps", h5py.Group))
        tables = [len(group) for group in groups]
        if len(self._counts) != sum(tables) + 1:
            raise ValueError(f"{len(self._counts)} counts of rows for {' and '.join(map(str, tables))} tables")
        self._left_out: list[str] = []
        self._subsystems = self._parts(groups[0], _subsystem)
        self._connections = self._parts(groups[1], _connection(len(groups[0])))
        self._steps = self._parts(groups[2], _steps(tables[0] + tables[1])) if len(groups) > 2 else []
        self._first_connection = tables[0]
        self._deferred = self._read_deferred(groups[1])
        self._found: dict[int, Array] = {}
        self.layout = RunLayout(
            tuple(part.entry for part in self._subsystems),
            tuple(part.entry for part in self._connections),
            tuple(part.entry for part in self._steps),
        )
        self.summary = self._read_summary()

    def _parts(self, group: h5py.Group, read: Callable[[h5py.Group, str], tuple[int, _T]]) -> list[Part[_T]]:
        """Read what describes subsystems or connections; leave out what is damaged."""
        parts = []
        for name in group:
            try:
                index, entry = read(member(group, name, h5py.Group), name)
                self._counts[index]
            except Exception as error:
                if self._is_running:
                    raise  # perhaps it is being written
                self._left_out.append(f'"{printable(name)}" ({reason(error)})')
            else:
                parts.append(Part(name, index, entry))
        if self._left_out and not parts:
            raise ValueError(f"all parts are damaged: {', '.join(self._left_out[:3])}")
        return sorted(parts, key=lambda part: part.index)

    def _read_deferred(self, connections: h5py.Group) -> dict[int, tuple[Deferred, int]]:
        """Return how to find defects that were not written, by index, and which of several values it is."""
        found: dict[int, tuple[Deferred, int]] = {}
        for part in self._connections if "deferred" in self._file else ():
            try:
                group = member(connections, part.group, h5py.Group)
                if "comparison" not in group.attrs:
                    continue
                first, count = attribute(group, "deferred").tolist()
                numbers = vector(self._file, "deferred", "f8")[first : first + count]
                by = Deferred(attribute(group, "comparison").tobytes(), numbers)
            except Exception as error:
                if self._is_running:
                    raise  # perhaps it is being written
                self._left_out.append(f'defects of "{printable(part.entry)}" ({reason(error)})')
            else:
                found |= {part.index + place: (by, place) for place in range(by.width if by.is_used else 0)}
        return found

    def _check_format(self) -> None:
        if "format" not in self._file.attrs or attribute(self._file, "format") != FORMAT:
            raise OutputError(f"{self.path}: is an HDF5 file, but not of a Counterpoint run", str(self.path))
        version = int(attribute(self._file, "format_version"))
        if version > COMPRESSED_VERSION:
            raise OutputError(
                f"{self.path}: has format {version}, newer than {COMPRESSED_VERSION}; update Counterpoint",
                str(self.path),
            )

    def _read_counts(self) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = vector(self._file, "rows", "i8")
        size = self.path.stat().st_size
        if size < counts[-1]:
            raise OutputError(f"{self.path}: is cut off after {size} bytes; copy it again", str(self.path))
        packed = int(attribute(self._file, "format_version")) == COMPRESSED_VERSION
        most = size * MOST_COMPRESSED if packed else size
        if counts.min() < 0 or 8 * counts[:-1].max(initial=0) > most:
            raise ValueError("the counts of rows are impossible")
        return counts

    def _read_metadata(self) -> Metadata:
        names = [name for name in self._file.attrs if name.startswith("meta.")]
        pairs = {name.removeprefix("meta."): attribute(self._file, name) for name in names}
        pairs["created"] = attribute(self._file, "created")
        return {name: value if isinstance(value, str) else float(value) for name, value in pairs.items()}

    def _read_summary(self) -> RunSummary:
        note = ""
        try:
            content = vector(self._file, "summary", "u1").tobytes().strip()
            summary = self._completed(summary_from(content)) if content else self._unfinished()
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            summary = replace(self._unfinished(), message="")
            note = f"the summary is damaged ({reason(error)}); these figures were computed from the rows"
        if self._left_out:
            note += f"{'; ' if note else ''}the file is damaged and lacks {', '.join(self._left_out[:12])}"
        return replace(summary, message="; ".join(filter(None, [summary.message, note])))

    def _completed(self, summary: RunSummary) -> RunSummary:
        """Return a summary that finds figures of defects in the rows when they are asked for."""
        if all(defect.count != UNKNOWN for defect in summary.defects):
            return summary

        def make() -> list[DefectSummary]:
            by = [self._deferred.get(self._first_connection + k) for k in range(len(summary.defects))]
            figures = [None if one is None else self._compared(one[0])[1] for one in by]
            return [completed(d, found) for d, found in zip(summary.defects, figures, strict=True)]

        return replace(summary, defects=DeferredDefects(len(summary.defects), make))

    def _unfinished(self) -> RunSummary:
        """Say what the rows themselves tell about a run that has not ended."""
        count = len(self.layout.subsystems)
        filled = [i for i in range(count) if self.rows(i)]
        return RunSummary(
            status="unfinished",
            message="the run is still in progress, or its process was killed",
            start=min((float(self.times(i, slice(0, 1))[0]) for i in filled), default=nan),
            end=min((float(self.times(i, slice(self.rows(i) - 1, None))[0]) for i in filled), default=nan),
            until=float(self.metadata.get("until", nan)),
            scheme=str(self.metadata.get("scheme", "")),
            steps=[max(0, self.rows(i) - 1) for i in range(count)],
            seconds=[nan] * count,
        )

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (OutputError, MemoryError):
            raise
        except Exception as error:  # damage shows itself in any form
            message = f"{self.path}: cannot be read: {reason(error)}"
            if getattr(error, "errno", None) is None:
                message += "; the file seems damaged: copy it again from where it was written"
            raise OutputError(message, str(self.path)) from error


def _subsystem(group: h5py.Group, name: str) -> tuple[int, SubsystemLayout]:
    columns, units = attribute(group, "columns"), attribute(group, "units")
    held, minor = (attribute(group, key) if key in group.attrs else () for key in ("held", "minor"))
    return int(attribute(group, "position")), SubsystemLayout(attribute(group, "name"), columns, units, held, minor)


def _connection(first: int) -> Callable[[h5py.Group, str], tuple[int, str]]:
    return lambda group, name: (first + int(name), str(attribute(group, "label")))


def _steps(first: int) -> Callable[[h5py.Group, str], tuple[int, StepsLayout]]:
    def read(group: h5py.Group, name: str) -> tuple[int, StepsLayout]:
        whose, kind = (str(attribute(group, key)) for key in ("name", "kind"))
        return first + int(name), StepsLayout(whose, kind, tuple(attribute(group, "signals")))

    return read
