"""Reading run files: of finished, killed and still running runs, and only the parts that are asked for."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from ..errors import OutputError
from .format import FORMAT, FORMAT_VERSION, group_name, reason, superblock
from .store import ALL, Array, DefectSummary, Metadata, RunLayout, RunSummary, SubsystemLayout, WindowSummary

if TYPE_CHECKING:
    from .result import Result


def load(path: str | os.PathLike[str]) -> Result:
    """Open a run file; the numbers are read when they are asked for.

    Parameters
    ----------
    path : path-like
        File of a run that has finished, goes on, or was killed.

    Returns
    -------
    Result
        Its ``status`` is ``"unfinished"`` when the run goes on or was killed; ``refresh()`` takes notice of
        rows that came since. Use it as a context manager, or ``close()`` it, to release the file.

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


def grown(dataset: Any, rows: int) -> Any:
    """Return a dataset that has so many rows by now.

    While an earlier result of a file is open in this process, HDF5 opens the file with what it knew then.
    """
    if len(dataset) < rows and dataset.file.swmr_mode:
        dataset.refresh()
    return dataset


class FileView:
    """Read a run file as a store view.

    Parameters
    ----------
    path : path-like
        The file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file: Any = None
        self.refresh()

    def refresh(self) -> None:
        """Open the file anew and take notice of everything that was written since."""
        self.close()
        self._check_kind()
        with self._guard():
            self._file = self._open()
            try:
                self._check_format()
                self._counts = np.asarray(self._file["rows"][...])  # before any dataset: see file.py, rule 1
                self._check_size(int(self._counts[-1]))
                self.metadata = self._read_metadata()
                self.layout = self._read_layout()
                self.summary = self._read_summary()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Close the file; reading is not possible afterwards."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def rows(self, subsystem: int) -> int:
        """Return the number of rows of a subsystem."""
        return int(self._counts[subsystem])

    def times(self, subsystem: int, rows: slice = ALL) -> Array:
        """Return times in s, shape ``(n,)``."""
        first, last = self._range(subsystem, rows)
        with self._guard():
            return np.asarray(self._rows_of(subsystem, "time", last)[first:last], dtype=np.float64)

    def values(self, subsystem: int, columns: slice = ALL, rows: slice = ALL) -> Array:
        """Return values, shape ``(n, columns)``."""
        first, last = self._range(subsystem, rows)
        if not self.layout.subsystems[subsystem].columns:
            return np.empty((last - first, 0))
        with self._guard():
            return np.asarray(self._rows_of(subsystem, "values", last)[first:last, columns], dtype=np.float64)

    def defects(self, connection: int, rows: slice = ALL) -> Array:
        """Return time, assumed and arrived value, shape ``(n, 3)``."""
        first, last = self._range(len(self.layout.subsystems) + connection, rows)
        with self._guard():
            dataset = grown(self._opened()[f"connections/{connection}/defect"], last)
            return np.asarray(dataset[first:last], dtype=np.float64)

    def _range(self, index: int, rows: slice) -> tuple[int, int]:
        first, last, _ = rows.indices(int(self._counts[index]))
        return first, max(first, last)

    def _opened(self) -> Any:
        if self._file is None:
            raise OutputError(f"{self.path}: the result is closed; load the file again", str(self.path))
        return self._file

    def _rows_of(self, index: int, what: str, rows: int) -> Any:
        group = self._opened()["subsystems"][group_name(self.layout.subsystems[index].name)]
        return grown(group[what], rows)

    def _check_kind(self) -> None:
        problem = ""
        if not self.path.exists():
            problem = "no such file"
        elif self.path.is_dir():
            problem = "is a folder; expected a run file"
        elif os.access(self.path, os.R_OK) and not h5py.is_hdf5(self.path):
            problem = "is not a run file (HDF5 is expected)"
        if problem:
            raise OutputError(f"{self.path}: {problem}", str(self.path))
        with self._guard():
            self._check_size(superblock(self._head())[1])

    def _head(self) -> bytes:
        with self.path.open("rb") as file:
            return file.read(64)

    def _check_size(self, needed: int) -> None:
        """Refuse a file that is cut off: HDF5 would read zeros, or not come back."""
        if (size := self.path.stat().st_size) < needed:
            raise OutputError(f"{self.path}: is cut off after {size} bytes; copy it again", str(self.path))

    def _open(self) -> Any:
        """Open a finished file plainly, any other in SWMR mode, with or without locks as others do."""
        failure = OSError("cannot be opened")
        for locking in (None, False):
            try:
                file = h5py.File(self.path, "r", locking=locking)
                if "summary" not in file or len(file["summary"]):
                    return file
                file.close()
            except OSError as error:
                failure = error
                if not superblock(self._head())[0]:
                    continue  # SWMR mode would wait for a writer that does not exist
            try:
                return h5py.File(self.path, "r", swmr=True, libver="latest", locking=locking)
            except OSError as error:
                failure = error
        raise failure

    def _check_format(self) -> None:
        kind, version = self._file.attrs.get("format"), self._file.attrs.get("format_version", 0)
        if kind != FORMAT:
            raise OutputError(f"{self.path}: is an HDF5 file, but not of a Counterpoint run", str(self.path))
        if version > FORMAT_VERSION:
            raise OutputError(
                f"{self.path}: has format {version}, newer than {FORMAT_VERSION}; update Counterpoint",
                str(self.path),
            )

    def _read_metadata(self) -> Metadata:
        pairs = {k.removeprefix("meta."): v for k, v in self._file.attrs.items() if k.startswith("meta.")}
        pairs["created"] = self._file.attrs["created"]
        return {key: value if isinstance(value, str) else float(value) for key, value in pairs.items()}

    def _read_layout(self) -> RunLayout:
        groups = sorted(self._file["subsystems"].values(), key=lambda group: int(group.attrs["position"]))
        subsystems = tuple(
            SubsystemLayout(g.attrs["name"], tuple(g.attrs["columns"]), tuple(g.attrs["units"])) for g in groups
        )
        connections = self._file["connections"]
        labels = tuple(connections[str(i)].attrs["label"] for i in range(len(connections)))
        return RunLayout(subsystems, labels)

    def _read_summary(self) -> RunSummary:
        text = grown(self._file["summary"], 1)[...].tobytes()
        if not text:
            return self._unfinished()
        fields = json.loads(text)
        fields["defects"] = [DefectSummary(**defect) for defect in fields["defects"]]
        if fields.get("windows") is not None:
            fields["windows"] = WindowSummary(**fields["windows"])
        return RunSummary(**fields)

    def _unfinished(self) -> RunSummary:
        """Say what the rows themselves tell about a run that has not ended."""
        count = len(self.layout.subsystems)
        filled = [i for i in range(count) if self.rows(i)]
        return RunSummary(
            status="unfinished",
            message="the run is still going on, or its process was killed",
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
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            message = f"{self.path}: cannot be read: {reason(error)}"
            raise OutputError(message, str(self.path)) from error
