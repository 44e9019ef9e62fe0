"""Run files made smaller once their run has ended.

During a run its file is not compressed: a chunk that is filled row by row would have to be packed again, and
would move in the file, with each flush. A copy is packed instead when the run has ended, and takes the place of the
file when it is complete; wherever the process dies, one of the two is there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .disk import Disk, open_hdf5, release
from .format import COMPRESSED_VERSION, FEWEST_COMPRESSED

ROWS_AT_ONCE = 1 << 16


def compress(path: Path) -> None:
    """Replace a closed run file by a compressed one with the same rows, to the last bit.

    Raises
    ------
    OSError
        When there is no room for the copy; the file stays as it was.
    """
    draft = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        draft.write_bytes(_empty())
        with h5py.File(path, "r") as source:
            _write(source, draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _empty() -> bytes:
    with h5py.File("empty", "w", libver="latest", driver="core", backing_store=False) as file:
        file.flush()
        return bytes(file.id.get_file_image())


def _write(source: h5py.File, draft: Path) -> None:
    """Fill the draft; a failing disk is detected here and not by HDF5, which does not recover from it."""
    disk = Disk(draft)
    try:
        target = open_hdf5(disk, "r+", libver="latest")
    except BaseException:
        disk.close()
        raise
    try:
        _copy(source, target, disk)
        target.attrs["format_version"] = COMPRESSED_VERSION
        target["rows"][-1] = 0  # bytes that the uncompressed file needed
        target.close()
        disk.check()
        disk.seal()
        disk.settle()
    finally:
        release(target, disk)


def _copy(source: Any, target: Any, disk: Disk) -> None:
    _copy_attributes(source, target)
    for name, item in source.items():
        if isinstance(item, h5py.Group):
            _copy(item, target.create_group(name), disk)
        else:
            _copy_dataset(item, target, name, disk)


def _copy_attributes(source: Any, target: Any) -> None:
    """Copy attributes with their types: text has a fixed length in run files."""
    for name in source.attrs:
        old = h5py.h5a.open(source.id, name.encode())
        kind, data = old.get_type(), np.empty(old.shape, old.dtype)
        old.read(data, mtype=kind)
        h5py.h5a.create(target.id, name.encode(), kind, old.get_space()).write(data, mtype=kind)


def _copy_dataset(source: h5py.Dataset, target: h5py.Group, name: str, disk: Disk) -> None:
    packed = source.chunks is not None and source.size >= FEWEST_COMPRESSED
    settings = {"chunks": source.chunks, "shuffle": True, "compression": "gzip", "compression_opts": 4}
    made = target.create_dataset(
        name, source.shape, source.dtype, maxshape=source.maxshape if packed else None,
        fillvalue=source.fillvalue, **(settings if packed else {}),
    )  # fmt: skip
    _copy_attributes(source, made)
    for first in range(0, len(source), ROWS_AT_ONCE):
        made[first : first + ROWS_AT_ONCE] = source[first : first + ROWS_AT_ONCE]
        disk.check()
