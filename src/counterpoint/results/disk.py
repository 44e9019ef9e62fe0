"""The disk under a run file: HDF5 writes through here, and never hears of a failure.

HDF5 does not recover from a write that fails: closing the file fails too, the process dies when it exits, and the file
is cut at an end that is out of date. So a failure is remembered here, and from then on nothing reaches the disk, just
as if the process had been killed at that write; what HDF5 writes afterwards stays in memory until it has closed the
file. SWMR mode orders the writes in such a way that the file is readable wherever they stop.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py

from .._common.signals import SIGNALS
from . import superblock

LARGE = 1 << 14
"""What is larger is data, not metadata: data that are half overwritten still hold all rows from before."""

RESERVE_STEP = 1 << 20


class Descriptor:
    """The system calls on a file; each raises OSError when it fails."""

    def __init__(self, path: Path, mode: int = os.O_RDWR) -> None:
        self._number = os.open(path, mode | getattr(os, "O_BINARY", 0))

    def read(self, offset: int, length: int) -> bytes:
        """Read up to `length` bytes; fewer when the file ends."""
        if hasattr(os, "pread"):  # leaves the position alone, which a forked process shares
            return os.pread(self._number, length, offset)
        os.lseek(self._number, offset, os.SEEK_SET)
        return os.read(self._number, length)

    def write(self, offset: int, data: memoryview) -> int:
        """Write some bytes, at least one; say how many."""
        if hasattr(os, "pwrite"):
            return os.pwrite(self._number, data, offset)
        os.lseek(self._number, offset, os.SEEK_SET)
        return os.write(self._number, data)

    def truncate(self, size: int) -> None:
        """Set the size of the file."""
        os.ftruncate(self._number, size)

    def allocate(self, offset: int, length: int) -> None:
        """Take room from the disk for bytes that will be written."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._number, offset, length)

    def settle(self) -> None:
        """Wait for a file system that says only when a file is closed whether it has room (NFS); others do nothing."""
        os.close(os.dup(self._number))

    def status(self) -> os.stat_result:
        """Return what the system knows about the file."""
        return os.fstat(self._number)

    def close(self) -> None:
        """Close the file."""
        os.close(self._number)


class FileObject:
    """What HDF5 asks of a file object; who derives from it says what is read."""

    def __init__(self, raw: Descriptor) -> None:
        self._raw = raw
        self._position = 0

    def end(self) -> int:
        """Return the size that HDF5 sees."""
        return self._raw.status().st_size

    def content(self, offset: int, length: int) -> bytearray:
        """Return `length` bytes, with zeros beyond the end of the file."""
        return bytearray(_read(self._raw, offset, length).ljust(length, b"\0"))

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place in the file."""
        self._position = offset + (self.end() if whence == os.SEEK_END else 0)
        return self._position

    def tell(self) -> int:
        """Return the place in the file."""
        return self._position

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer."""
        buffer[:] = self.content(self._position, len(buffer))
        return len(buffer)

    def read(self, length: int) -> bytes:
        """Return so many bytes."""
        return bytes(self.content(self._position, length))

    def flush(self) -> None:
        """Do nothing: the system has it already."""


class Disk(FileObject):
    """A file object for HDF5, on a file that exists.

    1. Until the first failure every write reaches the disk, in the order in which HDF5 makes them.
    2. A write that fails leaves what it should have replaced, as far as the disk lets it.
    3. ``read`` returns what was written, wherever it is.

    Attributes
    ----------
    size : int
        Bytes that the file has on disk.
    error : OSError or None
        The first failure.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(Descriptor(path))
        self.size = self._reserved = super().end()
        self._owner = os.getpid()
        # HDF5 does not bear a superblock that it cannot read.
        self._kept = [(0, self._head())]
        self._stopped = False
        self.error: OSError | None = None

    def _head(self) -> bytes:
        try:
            return _read(self._raw, 0, superblock.SIZE)
        except OSError:
            self._raw.close()
            raise

    def check(self) -> None:
        """Raise the first failure, if there was one."""
        if self.error is not None:
            raise OSError(*self.error.args)

    def give_up(self, error: BaseException) -> None:
        """Remember a failure and let nothing that HDF5 writes reach the disk any more."""
        if not self._stopped:
            self.error = OSError(*error.args)  # without a traceback, which would hold objects of HDF5
        self._stopped = True

    def stop(self) -> None:
        """Let nothing that HDF5 writes reach the disk any more, because it is not wanted."""
        self._stopped = True

    def end(self) -> int:
        """Return the size that HDF5 sees."""
        return max([self.size, *(start + len(data) for start, data in self._kept)])

    def content(self, offset: int, length: int) -> bytearray:
        """Return what was written; zeros beyond it, and where the disk cannot be read."""
        try:
            content = super().content(offset, length)
        except OSError as error:
            self.give_up(error)
            content = bytearray(length)
        for start, data in self._kept:
            _lay_over(content, offset, start, data)
        return content

    def write(self, data: memoryview) -> int:
        """Write to the disk, or to memory once the disk has failed."""
        if self._works():
            try:
                self._overwrite(
                    self._position, data if self._position else memoryview(superblock.readable(bytes(data)))
                )
            except BaseException as error:
                self.give_up(error)
        if self._stopped:
            self._kept.append((self._position, bytes(data)))
        elif self._position < superblock.SIZE:
            self._kept = [(self._position, bytes(data))]
        return len(data)

    def truncate(self, size: int) -> None:
        """Set the size of the file."""
        if self._works():
            try:
                self._raw.truncate(size)
                self.size = self._reserved = size
            except OSError as error:
                self.give_up(error)

    def place(self, offset: int, data: bytes) -> None:
        """Write to a place that HDF5 leaves alone, whatever happened before.

        Raises
        ------
        OSError
            When the disk does not take it.
        """
        self._overwrite(offset, memoryview(data))

    def settle(self) -> None:
        """Wait until the file system has said whether it has room for what was written."""
        self._raw.settle()

    def reserve(self, size: int) -> None:
        """Take room for so many bytes more, so that no write has to fail.

        Raises
        ------
        OSError
            When there is none; HDF5 can go on with what it has.
        """
        if self.size + size <= self._reserved:
            return
        ahead = min(max(self.size // 8, RESERVE_STEP), 64 * RESERVE_STEP)
        for length in (size + ahead, size):  # a nearly full disk: take the last room without looking ahead
            try:
                self._raw.allocate(self.size, length)
            except OSError:
                if length == size:
                    raise
            else:
                self._reserved = self.size + length
                return

    def is_at(self, path: Path) -> bool:
        """Say whether the file is still found under its name."""
        with contextlib.suppress(OSError):
            return os.path.samestat(os.stat(path), self._raw.status())
        return False

    def seal(self) -> None:
        """Give back room that was not used, and mark the file as closed, with its true end, where HDF5 could not."""
        if self.error is None:
            with contextlib.suppress(OSError):  # a file that is too long does no harm
                self._raw.truncate(self.size)
        head, size = _read(self._raw, 0, superblock.SIZE), super().end()
        if superblock.is_marked(head) or superblock.end_of_file(head) > size:
            self.place(0, superblock.closed(head, size))

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def _works(self) -> bool:
        if os.getpid() != self._owner:
            self.give_up(OSError("the run file belongs to the process from which this one was forked"))
        return not self._stopped

    def _overwrite(self, offset: int, data: memoryview) -> None:
        before = _read(self._raw, offset, len(data)) if len(data) < LARGE else b""
        try:
            _write(self._raw, offset, data)
            self.size = max(self.size, offset + len(data))
        except BaseException:
            with contextlib.suppress(OSError):
                _write(self._raw, offset, memoryview(before))
            raise


def open_hdf5(source: FileObject, mode: str, **settings: Any) -> h5py.File:
    """Open a file object."""
    try:
        return h5py.File(source, mode, **settings)
    except BaseException as error:
        # The frames hold objects that HDF5 cannot free any more when Python has exited.
        traceback.clear_frames(error.__traceback__)
        raise


def release(file: h5py.File, disk: Disk) -> None:
    """Close a run file without a word to the disk: for a store that was not closed, at the latest when Python exits."""
    disk.stop()
    with contextlib.suppress(Exception):
        file.close()
    disk.close()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let signals wait for the end: an exception inside of a write would look like a failing disk to HDF5."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled by the main thread
        return
    received: set[int] = set()
    handlers = {}
    try:
        for which in SIGNALS:
            if callable(handler := signal.getsignal(which)):
                handlers[which] = handler
                signal.signal(which, lambda number, frame: received.add(number))
        yield
    finally:
        for which, handler in handlers.items():
            signal.signal(which, handler)
        for number in received:
            signal.raise_signal(number)


def _read(raw: Descriptor, offset: int, length: int) -> bytes:
    parts: list[bytes] = []
    while length > 0 and (part := raw.read(offset, length)):
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return b"".join(parts)


def _write(raw: Descriptor, offset: int, data: memoryview) -> None:
    while len(data):
        done = raw.write(offset, data)
        offset, data = offset + done, data[done:]


def _lay_over(content: bytearray, begin: int, start: int, data: bytes) -> None:
    """Put the part of `data`, written at `start`, into the content that begins at `begin`."""
    first, last = max(begin, start), min(begin + len(content), start + len(data))
    if first < last:
        content[first - begin : last - begin] = data[first - start : last - start]
