"""FMU archives: checked before anything is written, unpacked to a private directory that is always removed.

An archive is rejected when its directory contains anything that does not belong in an FMU: paths that lead
elsewhere, links, devices, names that collide on some file systems, encryption, excessive sizes.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import unicodedata
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from .._files.folder import similar_files
from ..errors import SetupError

DESCRIPTION = "modelDescription.xml"
_PREFIX = "counterpoint-fmu-"
_LEFT_PACKED = ("documentation/", "sources/")
"""Nothing in there is needed to run."""
_DRIVE = re.compile(r"^[A-Za-z]:")


class ArchiveError(SetupError):
    """An FMU archive cannot be used or is not safe to unpack; every problem found is listed."""


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of an archive.

    Attributes
    ----------
    members : int
        Largest number of files.
    total_bytes : int
        Largest total size unpacked, in bytes.
    ratio : float
        Largest ratio of unpacked to packed bytes, checked above ``ratio_from`` bytes; real models are far below.
    """

    members: int = 50_000
    total_bytes: int = 4 << 30
    ratio: float = 250.0
    ratio_from: int = 64 << 20


class Archive:
    """An archive of an FMU or a system of FMUs that has been checked and is safe to unpack.

    Parameters
    ----------
    path : path
        The ``.fmu`` or ``.ssp`` file.
    limits : ArchiveLimits, optional
        Its limits.
    main : str
        The file that must be at the top level; default: the model description of an FMU; "": any.

    Attributes
    ----------
    files : dict
        Members by name, with ``/`` between folders and without ``./``.
    remarks : list of str
        Entries that are unusual and harmless: backslashes, the same file twice.

    Raises
    ------
    ArchiveError
        With every problem found; nothing has been written.
    """

    def __init__(
        self, path: str | os.PathLike[str], limits: ArchiveLimits | None = None, *, main: str = DESCRIPTION
    ) -> None:
        self.path = Path(path)
        self.main = main
        self.limits = limits or ArchiveLimits()
        with self._opened() as archive:
            infos = archive.infolist()
        names = [_normal_name(info.orig_filename) for info in infos]
        problems = list(_directory_problems(infos, names, self.limits))
        if problems:
            raise ArchiveError([f"{self.path}: {problem}" for problem in problems])
        self.remarks = list(_remarks(infos, names))
        self.files = {name: info for name, info in zip(names, infos, strict=True) if not _is_folder(info)}
        if main and main not in self.files:
            raise ArchiveError(f"{self.path}: {self._missing_main()}")

    @property
    def platforms(self) -> list[str]:
        """Folders of ``binaries/``, such as ``linux64`` (FMI 2) or ``x86_64-linux`` (FMI 3)."""
        parts = (PurePosixPath(name).parts for name in self.files)
        return sorted({part[1] for part in parts if len(part) > 2 and part[0] == "binaries"})

    @property
    def has_sources(self) -> bool:
        """Whether the archive contains the C sources."""
        return any(name.startswith("sources/") for name in self.files)

    def read(self, name: str, most: int) -> bytes:
        """Return a file of the archive that is not larger than ``most`` bytes."""
        with self._opened() as archive, self._reading(name), archive.open(self.files[name]) as member:
            data = member.read(most + 1)
        if len(data) > most:
            raise ArchiveError(f"{self.path}: {name} is larger than {most} bytes")
        return data

    def unpack(self, platform: str | None = None) -> Unpacked:
        """Write what is needed to run on a platform to a private temporary directory.

        Documentation, sources and the binaries of other platforms stay packed; without a platform all is written.
        """
        remove_stale_directories()
        unpacked = Unpacked()
        try:
            with self._opened() as archive:
                left = self.limits.total_bytes
                for name, info in self.files.items():
                    if platform is not None and not _wanted(name, platform):
                        continue
                    with self._reading(name), archive.open(info) as member:
                        left -= _write(member, unpacked.root / name, left)
                    _set_mode(unpacked.root / name, name, info)
        except BaseException:
            unpacked.close()
            raise
        return unpacked

    def unpack_shared(self, platform: str) -> Unpacked:
        """Unpack, or share the directory of the same archive that this process has already unpacked.

        A hundred instances of one FMU then need one directory, and one copy of its code in memory and caches.
        """
        members = tuple((name, info.CRC, info.file_size) for name, info in self.files.items())
        key = (os.getpid(), os.path.realpath(self.path), platform, members)
        unpacked = _SHARED.get(key)
        if unpacked is None:
            unpacked = _SHARED[key] = self.unpack(platform)
        return unpacked

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            archive = zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError) as error:
            raise ArchiveError(f"{self.path}: not a valid ZIP archive ({error}); expected an FMU or SSP file") from None
        except IsADirectoryError:
            raise ArchiveError(f"{self.path}: is a directory; name the .fmu or .ssp file") from None
        except FileNotFoundError:
            raise ArchiveError(f"{self.path}: no such file{similar_files(self.path)}") from None
        except OSError as error:
            raise ArchiveError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        with archive:
            yield archive

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Report which file is damaged, or why it cannot be written."""
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise ArchiveError(f"{self.path}: {name} is damaged: {error}") from None
        except _TooLarge:
            text = f"unpacks to more than {self.limits.total_bytes} bytes, at file {name}"
            raise ArchiveError(f"{self.path}: {text}") from None

    def _missing_main(self) -> str:
        elsewhere = [name for name in self.files if PurePosixPath(name).name == self.main]
        if elsewhere:
            return f"{self.main} is not at the top level of the archive, but at {elsewhere[0]}"
        top = sorted({PurePosixPath(name).parts[0] for name in self.files})[:8]
        return f"{self.main} is missing at the top level of the archive; found: {', '.join(top) or 'nothing'}"


class Unpacked:
    """A private directory with an unpacked FMU; removed by ``close``, with its last user, or with the process."""

    def __init__(self) -> None:
        root = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
        self.root = Path(root)
        # A forked child that ends must not remove what its parent uses.
        self._finalizer = weakref.finalize(self, _remove, root, os.getpid())

    def close(self) -> None:
        """Remove the directory."""
        self._finalizer()


_SHARED: weakref.WeakValueDictionary[tuple[object, ...], Unpacked] = weakref.WeakValueDictionary()


def _remove(root: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(root, ignore_errors=True)


def remove_stale_directories() -> None:
    """Remove the directories of processes that were killed before they could clean up."""
    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            process = entry.name.removeprefix(_PREFIX).partition("-")[0]
            if not entry.name.startswith(_PREFIX) or not process.isdigit() or not entry.is_dir(follow_symlinks=False):
                continue
            if not _is_running(int(process)) and _is_ours(entry):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_running(process: int) -> bool:
    if os.name == "nt":
        return True  # a signal of 0 would end the process there; Windows empties its temporary folder by itself
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_ours(entry: os.DirEntry[str]) -> bool:
    get_user: Callable[[], int] | None = getattr(os, "getuid", None)
    return get_user is None or entry.stat(follow_symlinks=False).st_uid == get_user()


def _normal_name(name: str) -> str:
    r"""Return the name of a member with ``/`` between folders and without ``.``, as archives of other programs lack it.

    >>> _normal_name("./binaries\\linux64/a.so")
    'binaries/linux64/a.so'
    """
    return "/".join(part for part in name.replace("\\", "/").split("/") if part != ".").rstrip("/")


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.orig_filename.endswith(("/", "\\"))


def _remarks(infos: list[zipfile.ZipInfo], names: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for info, name in zip(infos, names, strict=True):
        if "\\" in info.orig_filename:
            yield f"{_shown(info)}: backslashes are read as slashes"
        if name in seen and not _is_folder(info):
            yield f"{_shown(info)}: is in the archive twice, with the same contents"
        seen.add(name)


def _directory_problems(infos: list[zipfile.ZipInfo], names: list[str], limits: ArchiveLimits) -> Iterator[str]:
    """Yield the problems in the directory of an archive."""
    if len(infos) > limits.members:
        yield f"contains {len(infos)} files; the limit is {limits.members}"
        return
    total = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if total > limits.total_bytes:
        yield f"unpacks to {total} bytes; the limit is {limits.total_bytes}"
    elif total > limits.ratio_from and total > limits.ratio * max(packed, 1):
        yield f"{packed} bytes unpack to {total}; the limit is {limits.ratio:g} times the packed size"
    seen: dict[str, tuple[str, zipfile.ZipInfo]] = {}
    keys = [unicodedata.normalize("NFC", name).casefold() for name in names]
    for info, name, key in zip(infos, names, keys, strict=True):
        yield from _member_problems(info, name)
        first, other = seen.setdefault(key, (name, info))
        if other is not info and not (first == name and _is_same(info, other)):
            shown = other.orig_filename
            yield f"{_shown(info)} is the same file as {shown!r} on some systems; use different names"
    folders = {part for key in seen for part in map(str, PurePosixPath(key).parents) if part != "."}
    for info, key in zip(infos, keys, strict=True):
        if not _is_folder(info) and key in folders:
            yield f"{_shown(info)} is both a file and a folder"


def _is_same(one: zipfile.ZipInfo, other: zipfile.ZipInfo) -> bool:
    """Return whether two members with one name are the same folder, or files with the same contents."""
    if _is_folder(one) or _is_folder(other):
        return _is_folder(one) and _is_folder(other)
    return (one.CRC, one.file_size) == (other.CRC, other.file_size)


def _member_problems(info: zipfile.ZipInfo, name: str) -> Iterator[str]:
    parts = name.split("/") if name else []
    if not info.orig_filename or any(not c.isprintable() for c in info.orig_filename):
        yield f"{_shown(info)}: the file name contains control characters, which is not allowed"
    elif name.startswith("/") or _DRIVE.match(name) or ":" in name:
        yield f"{_shown(info)}: the file name is absolute, which is not allowed"
    elif any(part in ("", "..") for part in parts) or not (parts or _is_folder(info)):
        yield f"{_shown(info)}: the file name leads out of the archive's folder, which is not allowed"
    elif len(name.encode()) > 1000 or any(len(part.encode()) > 250 for part in parts):
        yield f"{_shown(info)}: the file name is too long"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield f"{_shown(info)}: is a {'link' if kind == stat.S_IFLNK else 'special file'}, which is not allowed"
    if info.flag_bits & 0x41:
        yield f"{_shown(info)}: is encrypted, which is not allowed"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield f"{_shown(info)}: is compressed with method {info.compress_type}; expected deflate"


def _shown(info: zipfile.ZipInfo) -> str:
    return ascii(info.orig_filename[:200])


def _wanted(name: str, platform: str) -> bool:
    if name.startswith("binaries/"):
        return name.startswith(f"binaries/{platform}/")
    return not name.startswith(_LEFT_PACKED)


class _TooLarge(Exception):
    """A file unpacks to more bytes than the directory of the archive states."""


def _write(member: IO[bytes], path: Path, most: int) -> int:
    """Write a file and return the number of bytes actually unpacked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("xb") as file:
        while block := member.read(1 << 20):
            count += len(block)
            if count > most:
                raise _TooLarge
            file.write(block)
    return count


def _set_mode(path: Path, name: str, info: zipfile.ZipInfo) -> None:
    """Keep programs in the archive executable; give no permissions to other users."""
    executable = (info.external_attr >> 16) & 0o100 or name.startswith("binaries/")
    path.chmod(0o700 if executable else 0o600)
