"""The run file: HDF5 in SWMR mode, readable while the run goes on and after the process died.

See ``format.py`` for what is in it. Three rules keep a run from losing rows:

1. ``/rows`` is written after the data it counts. HDF5 may extend a dataset before its data arrive; what
   lies beyond ``/rows`` does not exist for a reader.
2. Room on the disk is reserved before HDF5 writes, with some to spare for the end of the run. HDF5 does not
   recover from a failed write (the process dies when it exits), so it must not meet one.
3. The file appears under its name only when its structure is complete.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from ..errors import OutputError
from .format import chunk_rows, group_name, padded, reason, structure, superblock
from .store import Array, Metadata, Rows, RunLayout, RunSummary, checked_block

if TYPE_CHECKING:
    from .reader import FileView


CHUNK_CACHE_BYTES = 1 << 17
SPARE_BYTES = 1 << 18
RESERVE_STEP = 1 << 20
RESERVES = hasattr(os, "posix_fallocate")


class Series:
    """One growing table of the file with the rows not yet written to it."""

    def __init__(self, parts: list[tuple[h5py.Dataset, slice | int]], width: int, chunk: int) -> None:
        self.parts = parts
        self.rows = 0
        self.dirty = False
        self.buffer = Rows(width, 16)
        self.chunk = chunk
        self.row_bytes = 8 * sum(padded(dataset.shape[1:]) for dataset, _ in parts)

    def room(self, rows: int) -> int:
        """Return the most bytes that `rows` more rows take: HDF5 allocates whole chunks."""
        return (rows + self.chunk) * self.row_bytes

    def write(self, block: Array) -> None:
        """Append a block to the datasets; the room for it must be reserved."""
        self.dirty = True
        end = self.rows + len(block)
        for dataset, columns in self.parts:
            dataset.resize(end, axis=0)
            dataset[self.rows : end] = block[:, columns]
        self.rows = end


class FileStore:
    """Write a run to an HDF5 file that others can read meanwhile.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    layout : RunLayout
        Names and units.
    metadata : mapping, optional
        What the run says about itself: ``name``, ``scheme``, ``until`` ...
    overwrite : bool
        Replace an existing run file. The old one stays until the new one has been set up.

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
    ) -> None:
        self.path = Path(path)
        self.layout = layout
        self._broken = False
        self._closed = False
        self._place(dict(metadata or {}), overwrite)
        with self._guard("cannot be opened for writing", during_run=False):
            # Locks are left out: readers need none, and some network file systems refuse them.
            self._file = h5py.File(self.path, "r+", libver="latest", locking=False, rdcc_nbytes=CHUNK_CACHE_BYTES)
            self._descriptor = os.open(self.path, os.O_RDWR)
        self._reserved = os.fstat(self._descriptor).st_size
        self._series = self._open_series()
        self._counts = self._file["rows"]
        self._summary = self._file["summary"]
        self._spare = SPARE_BYTES + 512 * len(self._series)
        self._start()

    def _start(self) -> None:
        """Reserve room for the end of the run and let readers in."""
        with self._guard("cannot be written", during_run=False):
            try:
                self._reserve(0)
                self._file.swmr_mode = True
            except BaseException:
                self._file.close()
                os.close(self._descriptor)
                raise

    def append(self, subsystem: int, block: Array) -> None:
        """Add rows of one subsystem, shape ``(n, 1 + columns)``, time first."""
        entry = self.layout.subsystems[subsystem]
        self._append(subsystem, checked_block(block, 1 + len(entry.columns), entry.name))

    def append_defects(self, connection: int, block: Array) -> None:
        """Add rows of one connection, shape ``(n, 3)``: time, assumed, arrived."""
        label = self.layout.connections[connection]
        self._append(len(self.layout.subsystems) + connection, checked_block(block, 3, label))

    def flush(self) -> None:
        """Make everything appended visible to readers; it survives the death of this process."""
        with self._guard("cannot be written"):
            for series in self._series:
                self._drain(series)
            self._commit()
            self._check_in_place()

    def close(self, summary: RunSummary) -> None:
        """Write what is left and the summary, and close the file; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            with self._guard("cannot be written"):
                if not self._broken:
                    for series in self._series:
                        self._drain(series)
        finally:
            self._finish(summary)

    def view(self) -> FileView:
        """Return a view of everything appended, during the run or after it."""
        from .reader import FileView

        if not self._closed and not self._broken:
            self.flush()
        return FileView(self.path)

    def _append(self, index: int, block: Array) -> None:
        series = self._series[index]
        series.buffer.extend(block)
        if series.buffer.count >= 4 * series.chunk:
            with self._guard("cannot be written"):
                self._drain(series)

    def _drain(self, series: Series) -> None:
        waiting = series.buffer.read()
        if len(waiting):
            self._reserve(series.room(len(waiting)))
            series.write(waiting)
            series.buffer.clear()

    def _commit(self) -> None:
        dirty = [series for series in self._series if series.dirty]
        if not dirty:
            return
        for series in dirty:
            for dataset, _ in series.parts:
                dataset.flush()
            series.dirty = False
        size = min(self._file.id.get_filesize(), self._reserved) if RESERVES else 0
        self._counts[...] = [*(series.rows for series in self._series), size]
        self._counts.flush()

    def _finish(self, summary: RunSummary) -> None:
        with self._guard("cannot be completed"), contextlib.ExitStack() as last:
            last.callback(os.close, self._descriptor)
            last.callback(self._give_back)
            last.callback(self._file.close)
            self._commit()
            text = json.dumps(asdict(summary), default=lambda number: number.item()).encode()
            self._summary.resize(len(text), axis=0)
            self._summary[...] = np.frombuffer(text, dtype=np.uint8)
            self._summary.flush()
            self._check_in_place()

    def _reserve(self, size: int) -> None:
        """Take the room that the next write needs from the disk, with the spare room for the end."""
        used = self._file.id.get_filesize()
        if used + size + self._spare <= self._reserved:
            return
        step = max(RESERVE_STEP, min(used // 8, 64 * RESERVE_STEP))
        for more in (step, 0):  # a nearly full disk: take the last room without looking ahead
            target = used + size + self._spare + more
            try:
                self._allocate(target)
            except OSError:
                if more == 0:
                    raise
            else:
                self._reserved = target
                return

    def _allocate(self, target: int) -> None:
        if RESERVES:
            os.posix_fallocate(self._descriptor, self._reserved, target - self._reserved)
        elif shutil.disk_usage(self.path.parent).free < target - self._reserved:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _give_back(self) -> None:
        """Cut off reserved room that was not used: the superblock says where the file ends."""
        if not RESERVES:
            return
        _, end = superblock(os.pread(self._descriptor, 64, 0))
        if 0 < end < os.fstat(self._descriptor).st_size:
            os.ftruncate(self._descriptor, end)

    def _check_in_place(self) -> None:
        """Notice a file that was removed or replaced while the run writes to it."""
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(self.path), os.fstat(self._descriptor)):
                return
        raise RuntimeError("it was removed or replaced during the run")

    def _place(self, metadata: dict[str, str | float], overwrite: bool) -> None:
        """Set the file up under another name, so that it appears complete and at once."""
        draft = self.path.with_name(f".{self.path.name[:200]}.{os.getpid()}.part")
        with self._guard("cannot be created", during_run=False):
            claimed = self._claim(overwrite)
            try:
                draft.write_bytes(structure(self.layout, metadata))
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
            if not overwrite:
                raise OutputError(
                    f"{self.path}: exists already; choose another name or allow overwriting", str(self.path)
                ) from None
            if self.path.is_dir() or (self.path.stat().st_size and not h5py.is_hdf5(self.path)):
                raise OutputError(
                    f"{self.path}: is not a run file and is not overwritten; choose another name",
                    str(self.path),
                ) from None
            return False
        return True

    def _open_series(self) -> list[Series]:
        layout = self.layout
        rows = chunk_rows(layout)
        series = []
        parts: list[tuple[h5py.Dataset, slice | int]]
        for entry in layout.subsystems:
            group = self._file["subsystems"][group_name(entry.name)]
            parts = [(group["time"], 0)]
            if entry.columns:
                parts.append((group["values"], slice(1, None)))
            series.append(Series(parts, 1 + len(entry.columns), rows))
        for position in range(len(layout.connections)):
            dataset = self._file["connections"][str(position)]["defect"]
            series.append(Series([(dataset, slice(None))], 3, rows))
        return series

    @contextlib.contextmanager
    def _guard(self, what: str, *, during_run: bool = True) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            self._broken = True
            kept = "; what was written before stays readable" if during_run else ""
            message = f"{self.path}: {what}: {reason(error)}{kept}"
            raise OutputError(message, str(self.path), during_run=during_run) from error
