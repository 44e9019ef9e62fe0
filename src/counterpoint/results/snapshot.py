"""A run file opened for reading, also while it is being written or after its writer has died.

A file that is being written carries a mark, and HDF5 opens it in SWMR mode only. That mode waits for a writer to mend
what cannot be read, and never returns when there is none. So HDF5 is shown the file as if it were closed; what a writer
was just changing is read again by us, a few times.
"""

from __future__ import annotations

import os
import stat
import weakref
from pathlib import Path
from typing import Any

import h5py

from . import superblock
from .disk import Descriptor, FileObject, open_hdf5

CONTAINED = "run files hold everything themselves"
_SCENARIO = "; a scenario is read with cp.Scenario.read"
_READERS = {".toml": _SCENARIO, ".ssp": _SCENARIO, ".ssd": _SCENARIO, ".fmu": "; an FMU is read with cp.fmu"}


def problem_of(path: Path) -> str:
    """Return why a file is not a run file, as far as its first bytes and its size tell; empty when it may be one."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return "no such file"
    if stat.S_ISDIR(status.st_mode):
        return "is a folder; expected a run file"
    if not stat.S_ISREG(status.st_mode):  # a pipe would never answer
        return "is not a file"
    head = head_of(path)
    if not head.startswith(superblock.SIGNATURE):
        return f"is not a run file (expected HDF5){_READERS.get(path.suffix.lower(), '')}"
    if status.st_size < superblock.end_of_file(head):
        return f"is cut off after {status.st_size} bytes; copy it again"
    return ""


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(superblock.SIZE)


def open_for_reading(path: Path) -> tuple[h5py.File, bool]:
    """Open a run file; say whether it is marked as being written. What was read once may be kept until it is closed."""
    if superblock.is_marked(head_of(path)):
        return open_hdf5(Snapshot(path), "r"), True
    try:
        return h5py.File(path, "r"), False
    except OSError:
        return h5py.File(path, "r", locking=False), False  # some network file systems refuse locks


class Snapshot(FileObject):
    """A file object for HDF5 that shows a file under way as if it had been closed just now; it cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(Descriptor(path, os.O_RDONLY))
        weakref.finalize(self, self._raw.close)
        self._size = super().end()
        self._head = superblock.closed(self._raw.read(0, superblock.SIZE), self._size)

    def end(self) -> int:
        """Return the size at the time of opening."""
        return self._size

    def content(self, offset: int, length: int) -> bytearray:
        """Return `length` bytes."""
        content = super().content(offset, length)
        shown = self._head[offset : offset + length]
        content[: len(shown)] = shown
        return content


def member(group: h5py.Group, name: str, kind: type[Any]) -> Any:
    """Return a group or dataset that lies in the file itself.

    Raises
    ------
    ValueError
        When it lies in another file, or nowhere.
    """
    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f'"{name}" is a link, perhaps to another file, and is not followed; {CONTAINED}')
    found = group[name]
    if not isinstance(found, kind):
        raise ValueError(f'"{name}" is not a {kind.__name__.lower()}')
    if isinstance(found, h5py.Dataset):
        _check_contained(found, name)
    return found


def _check_contained(dataset: h5py.Dataset, name: str) -> None:
    settings = dataset.id.get_create_plist()
    if settings.get_layout() == h5py.h5d.VIRTUAL or settings.get_external_count():
        raise ValueError(f'"{name}" takes its data from another file and is not read; {CONTAINED}')
    filters = {settings.get_filter(k)[0] for k in range(settings.get_nfilters())}
    if filters - {h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE}:
        raise ValueError(f'"{name}" is compressed in a way that run files do not use')


def vector(group: h5py.Group, name: str, kind: str) -> Any:
    """Read a whole dataset with one dimension, of integers of this kind."""
    dataset = member(group, name, h5py.Dataset)
    if dataset.dtype != kind or dataset.ndim != 1:
        raise ValueError(f'"{name}" has shape {dataset.shape} and type {dataset.dtype}; expected (n,) of {kind}')
    if dataset.chunks is not None:  # read whole: it must not be larger than the file
        raise ValueError(f'"{name}" is not stored in one piece, as in run files')
    return dataset[...]


def table(group: h5py.Group, name: str, *columns: int) -> h5py.Dataset:
    """Return a dataset of float64 with so many columns."""
    dataset = member(group, name, h5py.Dataset)
    if dataset.dtype != "f8" or dataset.shape[1:] != columns:
        raise ValueError(
            f'"{name}" has shape {dataset.shape} and type {dataset.dtype}; expected (n, {columns}) of float64'
        )
    return dataset


def attribute(item: h5py.Group, name: str) -> Any:
    """Return an attribute: a number, a text or an array of texts, made so that it can be printed.

    Raises
    ------
    ValueError
        When it is of another kind; HDF5 may not come back from text of variable length that is damaged.
    """
    kind = h5py.h5a.open(item.id, name.encode()).get_type()
    if isinstance(kind, h5py.h5t.TypeIntegerID | h5py.h5t.TypeFloatID):
        return item.attrs[name]
    if not isinstance(kind, h5py.h5t.TypeStringID) or kind.is_variable_str():
        raise ValueError(f'"{name}" is neither a number nor a text of fixed length')
    value = item.attrs[name]
    return printable(value) if isinstance(value, str | bytes) else tuple(printable(part) for part in value)


def printable(text: str | bytes) -> str:
    r"""Return text without what cannot be encoded.

    >>> printable(b"speed"), printable("caf\udce9")
    ('speed', 'caf�')
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return content.decode("utf-8", "replace")
