"""The run file: HDF5 in SWMR mode, readable during the run and after the process died.

See ``format.py`` for what is in it. Four rules keep a run from losing rows:

1. ``/rows`` is written after the data it counts. HDF5 may extend a dataset before its data arrive; what
   lies beyond ``/rows`` does not exist for a reader.
2. Room on the disk is reserved before HDF5 writes, and HDF5 writes through
   :class:`~counterpoint.results.disk.Disk`: it never meets a write that fails.
3. ``/rows`` and ``/summary`` have their place on disk from the beginning and are written without HDF5: the
   end of the run needs no room, and can be told when HDF5 has been given up.
4. The file appears under its name only when its structure is complete.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import shutil
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from ..errors import OutputError
from .disk import Disk, open_hdf5, release, uninterrupted
from .format import Comparisons, group_name, reason, structure, summary_text
from .memory_store import Rows, checked_block
from .paces import STEP_COLUMNS
from .store import Array, LazyRows, Metadata, RunLayout, RunSummary

if TYPE_CHECKING:
    from .reader import FileView


CHUNK_SLOTS = 10
SPARE_BYTES = 1 << 18
"""Room that HDF5 needs beside the rows, and at the end of the run; reserved at the start, too."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Series:
    """One growing table of the file with the rows not yet written to it.

    Attributes
    ----------
    rows : int
        Rows given to HDF5.
    end : float
        Time of the last row that readers see, s.
    """

    def __init__(self, parts: list[tuple[h5py.Dataset, slice | int]], width: int) -> None:
        self.parts = parts
        self.rows = 0
        self.end = -math.inf
        self.buffer = Rows(width, 16)
        self.chunk = min(dataset.chunks[0] for dataset, _ in parts)
        self._on_disk = [(dataset.chunks[0], 8 * _columns_on_disk(dataset)) for dataset, _ in parts]
        self._written_to: float | None = None

    @property
    def room(self) -> int:
        """The most bytes that the rows that wait take: HDF5 allocates whole chunks."""
        waiting = self.buffer.count
        return sum((waiting + chunk) * row_bytes for chunk, row_bytes in self._on_disk) if waiting else 0

    def drain(self) -> None:
        """Give the rows that wait to HDF5."""
        waiting = self.buffer.read()
        if not len(waiting):
            return
        end = self.rows + len(waiting)
        for dataset, columns in self.parts:
            dataset.resize(end, axis=0)
            dataset[self.rows : end] = waiting[:, columns]
        self.rows, self._written_to = end, float(waiting[-1, 0])
        self.buffer.clear()

    @property
    def is_dirty(self) -> bool:
        """Whether HDF5 may hold rows that are not on disk."""
        return self._written_to is not None

    def flush(self) -> None:
        """Let HDF5 write what it holds."""
        for dataset, _ in self.parts:
            dataset.flush()

    def commit(self) -> None:
        """Take notice that readers see all rows."""
        if self._written_to is not None:
            self.end, self._written_to = self._written_to, None


class FileStore:
    """Write a run to an HDF5 file that others can read meanwhile.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    layout : RunLayout
        Names and units.
    metadata : mapping, optional
        Description of the run: ``name``, ``scheme``, ``until`` ...
    overwrite : bool
        Replace an existing run file. The old one stays until the new one has been set up.
    compress : bool
        Compress the file when it is closed; a warning says why that was not possible.
    comparisons : mapping, optional
        For connections whose defects may follow from the rows: how, and how many numbers that needs.

    Raises
    ------
    OutputError
        When the file exists or cannot be created; with exit code 5 when writing fails during the run.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: RunLayout,
        metadata: Metadata | None = None,
        overwrite: bool = False,
        compress: bool = False,
        *,
        comparisons: Comparisons | None = None,
    ) -> None:
        self.path = Path(path)
        self.comparisons = comparisons or {}
        self.layout = layout
        self._compress = compress
        self._failure: OutputError | None = None
        self._closed = False
        self._place(dict(metadata or {}), overwrite)
        with self._guard("cannot be opened for writing", during_run=False):
            try:
                self._open()
            except BaseException:
                self.path.unlink(missing_ok=True)  # holds nothing yet
                raise

    def _open(self) -> None:
        """Open the file for HDF5 and let readers in."""
        self._disk = Disk(self.path)
        try:
            self._file = open_hdf5(self._disk, "r+", libver="latest")
        except BaseException:
            self._disk.close()
            raise
        self._release = weakref.finalize(self, release, self._file, self._disk)
        try:
            self._series = self._open_series()
            self._counts_at = self._file["rows"].id.get_offset()
            self._summary_at = self._file["summary"].id.get_offset()
            self._summary_room = len(self._file["summary"])
            self._numbers: Array | None = None
            if self.comparisons:
                self._deferred_at = self._file["deferred"].id.get_offset()
            self._file.swmr_mode = True
            self._disk.check()
            self._spare = SPARE_BYTES + 512 * len(self._series)
            self._disk.reserve(self._spare)
        except BaseException:
            self._release()
            raise

    def append(self, subsystem: int, block: Array) -> None:
        """Add rows of one subsystem, shape ``(n, 1 + columns)``, time first."""
        entry = self.layout.subsystems[subsystem]
        self._append(subsystem, checked_block(block, 1 + len(entry.columns), entry.name))

    def append_defects(self, connection: int, block: Array | LazyRows) -> None:
        """Add rows of one connection, shape ``(n, 3)``: time, assumed, arrived."""
        label = self.layout.connections[connection]
        self._append(len(self.layout.subsystems) + connection, checked_block(block, 3, label))

    def defer_defects(self, numbers: Mapping[int, Sequence[float]]) -> None:
        """Let all later defects of these connections be found in the rows, from these numbers on."""
        unknown = {position: [math.nan] * count for position, (_, count) in self.comparisons.items()}
        self._numbers = np.concatenate([np.asarray(numbers.get(p, none)) for p, none in unknown.items()])

    def append_steps(self, place: int, block: Array) -> None:
        """Add rows of a table of chosen steps, shape ``(n, 6)``."""
        first = len(self.layout.subsystems) + len(self.layout.connections)
        self._append(first + place, checked_block(block, STEP_COLUMNS, self.layout.steps[place].kind))

    def flush(self) -> None:
        """Make everything appended visible to readers; it survives the death of this process."""
        self._check_works()
        with self._guard("cannot be written"):
            self._write_all()
            self._check_in_place()

    def close(self, summary: RunSummary) -> None:
        """Write the remaining rows and the summary, and close the file; a second call does nothing.

        The file never says more than its rows: when some could not be written, a run that finished has failed.

        Raises
        ------
        OutputError
            When anything fails now; what failed before has been raised before.
        """
        if self._closed:
            return
        self._closed = True
        failures: list[OutputError] = []
        if self._failure is None:
            failures += self._attempt("cannot be written", self._write_all)
        if self._failure is not None and self._disk.error is None:
            failures += self._attempt("cannot be written", self._commit)  # there was no room for more
        failures += self._attempt("cannot be completed", lambda: self._complete(self._honest(summary)))
        if failures:
            raise failures[0]
        if self._compress:
            self._make_smaller()

    def _make_smaller(self) -> None:
        from .compressing import compress

        try:
            with uninterrupted():
                compress(self.path)
        except (OSError, RuntimeError) as error:
            warnings.warn(f"{self.path}: stays uncompressed: {reason(error)}", UserWarning, stacklevel=2)

    def view(self) -> FileView:
        """Return a view of everything appended, during the run or after it."""
        from .reader import FileView

        if not self._closed and self._failure is None:
            self.flush()
        return FileView(self.path)

    def _append(self, index: int, block: Array) -> None:
        self._check_works()
        series = self._series[index]
        series.buffer.extend(block)
        if series.buffer.count >= 2 * series.chunk:
            with self._guard("cannot be written"):
                self._drain(series)

    def _check_works(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _drain(self, series: Series) -> None:
        if series.buffer.count:
            self._disk.reserve(series.room + self._spare)
            series.drain()
            self._disk.check()

    def _write_all(self) -> None:
        for series in self._series:
            self._drain(series)
        self._commit()

    def _commit(self) -> None:
        """Write all rows that HDF5 has to the disk, then their counts."""
        if self._numbers is not None:  # before the rows of which they speak
            self._disk.place(self._deferred_at, self._numbers.astype("<f8").tobytes())
            self._numbers = None
        dirty = [series for series in self._series if series.is_dirty]
        if not dirty:
            return
        for series in dirty:
            series.flush()
        self._disk.check()
        self._disk.settle()
        counts = [*(series.rows for series in self._series), self._disk.size]
        self._disk.place(self._counts_at, np.array(counts, dtype="<i8").tobytes())
        self._disk.settle()
        for series in dirty:
            series.commit()

    def _complete(self, summary: RunSummary) -> None:
        """Close HDF5, write the summary and mark the file as closed."""
        with contextlib.ExitStack() as last:
            last.callback(self._release)
            self._file.close()
            text = summary_text(summary, self._summary_room)
            # The first letter comes last: until then readers see no summary.
            self._disk.place(self._summary_at + 1, text[1:])
            self._disk.place(self._summary_at, text[:1])
            self._disk.seal()
            self._disk.settle()
            self._check_in_place()

    def _honest(self, summary: RunSummary) -> RunSummary:
        if self._failure is None:
            return summary
        seen = min((series.end for series in self._series[: len(self.layout.subsystems)]), default=summary.end)
        summary = replace(summary, end=min(summary.end, max(seen, summary.start)))
        if summary.status != "finished":
            return summary
        return replace(summary, status="failed", message=str(self._failure))

    def _attempt(self, what: str, work: Callable[[], None]) -> Iterator[OutputError]:
        try:
            with self._guard(what):
                work()
        except OutputError as error:
            yield error

    def _has_gone(self) -> bool:
        """Whether the file was removed or replaced."""
        return hasattr(self, "_disk") and not self._disk.is_at(self.path)

    def _check_in_place(self) -> None:
        """Notice a file that was removed or replaced while the run writes to it."""
        if self._has_gone():
            raise RuntimeError("it was removed or replaced during the run")

    def _place(self, metadata: dict[str, str | float], overwrite: bool) -> None:
        """Set the file up under another name, so that it appears complete and at once."""
        draft = self.path.with_name(f".{self.path.name[:200]}.{os.getpid()}.part")
        with self._guard("cannot be created", during_run=False):
            claimed = self._claim(overwrite)
            try:
                draft.write_bytes(structure(self.layout, metadata, self.comparisons))
                os.replace(draft, self.path)
            except BaseException:
                for leftover in (draft, self.path) if claimed else (draft,):
                    leftover.unlink(missing_ok=True)
                raise

    def _claim(self, overwrite: bool) -> bool:
        """Create the file when it does not exist yet; say whether it was created."""
        try:
            self.path.open("xb").close()
        except FileExistsError:
            if self.path.is_dir():
                raise OutputError(f"{self.path}: is a folder; name a file in it", str(self.path)) from None
            if not overwrite:
                raise OutputError(
                    f"{self.path}: already exists; choose another name or allow overwriting", str(self.path)
                ) from None
            if self.path.stat().st_size and not h5py.is_hdf5(self.path):
                raise OutputError(
                    f"{self.path}: is not a run file and is not overwritten; choose another name",
                    str(self.path),
                ) from None
            return False
        return True

    def _open_series(self) -> list[Series]:
        layout = self.layout
        series = []
        parts: list[tuple[h5py.Dataset, slice | int]]
        for entry in layout.subsystems:
            group = self._file["subsystems"][group_name(entry.name)]
            parts = [(_cached(group, "time"), 0)]
            if entry.columns:
                parts.append((_cached(group, "values"), slice(1, None)))
            series.append(Series(parts, 1 + len(entry.columns)))
        for position in range(len(layout.connections)):
            dataset = _cached(self._file["connections"][str(position)], "defect")
            series.append(Series([(dataset, slice(None))], 3))
        for position in range(len(layout.steps)):
            dataset = _cached(self._file["steps"][str(position)], "chosen")
            series.append(Series([(dataset, slice(None))], STEP_COLUMNS))
        return series

    @contextlib.contextmanager
    def _guard(self, what: str, *, during_run: bool = True) -> Iterator[None]:
        try:
            with uninterrupted():
                yield
        except OutputError:
            raise
        except Exception as failed:
            error = getattr(getattr(self, "_disk", None), "error", None) or failed
            kept = "; what was written before stays readable" if during_run and not self._has_gone() else ""
            message = f"{self.path}: {what}: {reason(error)}{self._room_left(error)}{kept}"
            failure = OutputError(message, str(self.path), during_run=during_run)
            self._failure = self._failure or failure
            raise failure from failed

    def _room_left(self, error: BaseException) -> str:
        """Say how much room there is and how much the rows at hand need, when that is the matter."""
        if getattr(error, "errno", None) not in NO_ROOM:
            return ""
        needed = sum(series.room for series in getattr(self, "_series", []))
        with contextlib.suppress(OSError):
            free = shutil.disk_usage(self.path.parent).free
            return f" ({needed} bytes required, {free} bytes free)"
        return ""


def _columns_on_disk(dataset: h5py.Dataset) -> int:
    """Return the columns that a dataset takes in whole chunks."""
    return math.prod(-(-n // chunk) * chunk for n, chunk in zip(dataset.shape[1:], dataset.chunks[1:], strict=True))


def _cached(group: h5py.Group, name: str) -> h5py.Dataset:
    """Return a dataset whose last chunks stay in memory until they are full; HDF5 would write them row by row."""
    chunk, columns = group[name].chunks, group[name].shape[1:]
    abreast = -(-columns[0] // chunk[1]) if columns else 1
    access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
    access.set_chunk_cache(CHUNK_SLOTS * abreast + 1, 8 * math.prod(chunk) * (abreast + 1), 1.0)
    return h5py.Dataset(h5py.h5d.open(group.id, name.encode(), access))
