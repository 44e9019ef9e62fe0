"""Which binary of an archive belongs to this computer."""

from __future__ import annotations

import platform
import sys

from ..errors import SetupError
from .archive import Archive
from .description import ModelDescription

_SYSTEMS = {
    "linux": ("linux", "linux", ".so"),
    "darwin": ("darwin", "darwin", ".dylib"),
    "win32": ("win", "windows", ".dll"),
}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}


def folders(major: int) -> list[str]:
    """Return the folders of ``binaries`` that may hold what runs here, the usual one first.

    >>> folders(2)[0].endswith(("64", "32"))
    True
    """
    short, long, _ = _SYSTEMS.get(sys.platform, (sys.platform, sys.platform, ".so"))
    machine = platform.machine().lower()
    modern = f"{_MACHINES.get(machine, machine)}-{long}"
    bits = 64 if sys.maxsize > 2**32 else 32
    return [modern, f"{short}{bits}"] if major == 3 else [f"{short}{bits}", modern]


def library_suffix() -> str:
    """Return how shared libraries of this platform end.

    >>> library_suffix() in (".so", ".dylib", ".dll")
    True
    """
    return _SYSTEMS.get(sys.platform, ("", "", ".so"))[2]


def _under_another_name(archive: Archive, folder: str, identifier: str) -> list[str]:
    """Return the libraries that may be meant: the one whose name differs in case, else all in the folder."""
    start, suffix = f"binaries/{folder}/", library_suffix()
    there = [n for n in archive.files if n.startswith(start) and n.endswith(suffix) and "/" not in n[len(start) :]]
    same = [n for n in there if n[len(start) : -len(suffix)].casefold() == identifier.casefold()]
    return same if len(same) == 1 else there


def find_binary(archive: Archive, description: ModelDescription, identifier: str) -> tuple[str, str]:
    """Return the folder and the name in the archive of the library to load; raise SetupError when there is none."""
    suffix = library_suffix()
    wanted = folders(description.major)
    for folder in wanted:
        name = f"binaries/{folder}/{identifier}{suffix}"
        if name in archive.files:
            return folder, name
        found = _under_another_name(archive, folder, identifier)
        if len(found) == 1:
            return folder, found[0]
        if found:
            others = ", ".join(found[:8])
            raise SetupError(f"{archive.path}: {name}: no such library; available: {others}; rename one of them")
    there = ", ".join(archive.platforms) or "none"
    build = "; it contains its sources: build it for this platform with FMPy (fmpy compile FILE)"
    hint = build if archive.has_sources else ""
    name = f"binaries/{wanted[0]}/{identifier}{suffix}"
    raise SetupError(f"{archive.path}: {name}: no binary for this platform; available: {there}{hint}")
