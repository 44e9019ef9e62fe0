"""The layout of a run file.

::

    /                             attributes: format, format_version, created, and the run's metadata (meta.*)
    /subsystems/<name>            attributes: name, columns, units, position
    /subsystems/<name>/time       (n,) float64, s
    /subsystems/<name>/values     (n, columns) float64; absent without columns
    /connections/<position>       attribute: label
    /connections/<position>/defect  (n, 3) float64: time, assumed, arrived
    /rows                         (subsystems + connections + 1,) int64: rows that are complete on disk, and
                                  the bytes of the file they need (0 when not known)
    /summary                      (bytes,) uint8: JSON of RunSummary; empty until the run has ended

Group names are percent-encoded (``/``, ``%``, and names of dots only); the attribute has the true name.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import h5py
import numpy as np

from .store import RunLayout

FORMAT = "counterpoint-run"
FORMAT_VERSION = 1

CHUNK_COLUMNS = 8
FEWEST_CHUNK_ROWS = 512
MOST_CHUNK_ROWS = 4096
FIRST_CHUNKS_BYTES = 1 << 21


def group_name(name: str) -> str:
    """Return an HDF5 link name for any text.

    >>> group_name("a/b"), group_name("."), group_name("50 %")
    ('a%2Fb', '%2E', '50 %25')
    """
    if not name.strip("."):
        return name.replace(".", "%2E") or "%"
    return name.replace("%", "%25").replace("/", "%2F")


def superblock(head: bytes) -> tuple[bool, int]:
    """Return from the first bytes of a file whether it is marked as being written, and where it ends.

    HDF5 file format specification 3.0, II.A, versions 2 and 3; older ones are not ours and give nothing.
    """
    if len(head) < 36 or head[8] not in (2, 3):
        return False, 0
    return bool(head[11]), int.from_bytes(head[28:36], "little")


def chunk_rows(layout: RunLayout) -> int:
    """Return the rows of a chunk: long ones are fast, but a single row already takes a whole chunk."""
    width = sum(1 + len(s.columns) for s in layout.subsystems) + 3 * len(layout.connections)
    return int(np.clip(FIRST_CHUNKS_BYTES // (8 * max(width, 1)), FEWEST_CHUNK_ROWS, MOST_CHUNK_ROWS))


def reason(error: BaseException) -> str:
    """Say in a few words what the operating system or HDF5 complained about."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error).split("\n", maxsplit=1)[0].strip() or type(error).__name__


def structure(layout: RunLayout, metadata: dict[str, str | float]) -> bytes:
    """Return the file of a run without rows; made in memory, where no disk can be full."""
    with h5py.File("structure", "w", libver="latest", driver="core", backing_store=False) as file:
        write_structure(file, layout, metadata)
        file.flush()
        return bytes(file.id.get_file_image())


def write_structure(file: Any, layout: RunLayout, metadata: dict[str, str | float]) -> None:
    """Write everything whose size is known before the run: SWMR allows no new objects later."""
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = FORMAT_VERSION
    file.attrs["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    for key, value in metadata.items():
        file.attrs[f"meta.{key}"] = value
    rows = chunk_rows(layout)
    subsystems = file.create_group("subsystems")
    for position, entry in enumerate(layout.subsystems):
        group = subsystems.create_group(group_name(entry.name))
        group.attrs["name"] = entry.name
        group.attrs["position"] = position
        group.attrs.create("columns", list(entry.columns), (len(entry.columns),), h5py.string_dtype())
        group.attrs.create("units", list(entry.units), (len(entry.units),), h5py.string_dtype())
        _growing(group, "time", rows)
        if entry.columns:
            _growing(group, "values", rows, len(entry.columns))
    connections = file.create_group("connections")
    for position, label in enumerate(layout.connections):
        group = connections.create_group(str(position))
        group.attrs["label"] = label
        _growing(group, "defect", rows, 3)
    # Written at once, because a reader of a killed run does not accept data allocated after the set-up here.
    file.create_dataset("rows", data=np.zeros(len(layout.subsystems) + len(layout.connections) + 1, np.int64))
    file.create_dataset("summary", (0,), np.uint8, maxshape=(None,), chunks=(4096,))


def _chunk_columns(columns: int) -> int:
    """Split many columns evenly, so that reading one does not read all and little room stays empty."""
    return -(-columns // -(-columns // CHUNK_COLUMNS))


def padded(columns: tuple[int, ...]) -> int:
    """Return the columns that a dataset takes on disk, in whole chunks."""
    return sum(-(-n // _chunk_columns(n)) * _chunk_columns(n) for n in columns) or 1


def _growing(group: Any, name: str, rows: int, *columns: int) -> None:
    chunks = (rows, *(_chunk_columns(n) for n in columns))
    group.create_dataset(name, (0, *columns), np.float64, maxshape=(None, *columns), chunks=chunks, fillvalue=np.nan)
