"""Libraries that exported FMUs run on, for this system and for others."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .. import _core
from .._display.console import console, say
from ..errors import SetupError, did_you_mean
from .platforms import folders, library_suffix


@dataclass(frozen=True)
class Target:
    """A system to compile for: its folder in FMI 3, how its libraries end, its name for the compiler."""

    folder: str
    suffix: str
    compiler_name: str


_LINUX = Target("x86_64-linux", ".so", "x86_64-linux-gnu.2.28")
_LINUX_ARM = Target("aarch64-linux", ".so", "aarch64-linux-gnu.2.28")
_WINDOWS = Target("x86_64-windows", ".dll", "x86_64-windows-gnu")
_MAC = Target("x86_64-darwin", ".dylib", "x86_64-macos")
_MAC_ARM = Target("aarch64-darwin", ".dylib", "aarch64-macos")

PLATFORMS = {
    "linux64": (_LINUX,),
    "win64": (_WINDOWS,),
    "darwin64": (_MAC, _MAC_ARM),
    "aarch64-linux": (_LINUX_ARM,),
}
"""Names of platforms for users; ``darwin64`` is for both processors of the Mac."""

_TOOLS = ("ziglang", "cmake", "ninja", "cmeel-eigen")
_INSTALL = "pip install 'counterpoint[cross]'"


def check_platforms(names: Iterable[str]) -> list[str]:
    """Return the names once each; raise SetupError for unknown ones.

    >>> check_platforms(["linux64", "win64", "linux64"])
    ['linux64', 'win64']
    """
    wanted = list(dict.fromkeys(names))
    problems = [
        f'platforms: "{name}": no such platform{did_you_mean(name, PLATFORMS)}'
        for name in wanted
        if name not in PLATFORMS
    ]
    if not wanted:
        problems = [f"platforms: none; expected some of {', '.join(PLATFORMS)}"]
    if problems:
        raise SetupError(problems)
    return wanted


def is_here(name: str) -> bool:
    """Whether a platform is the one that this program runs on, and no other."""
    return [target.folder for target in PLATFORMS[name]] == folders(3)


def runtime_here() -> bytes:
    """Return the library for this platform."""
    path = Path(_core.__file__ or "").with_name(f"counterpoint_fmu{library_suffix()}")
    if not path.exists():
        raise SetupError(f"{path}: missing; reinstall the package with the library for exported FMUs")
    return path.read_bytes()


def binaries(names: Iterable[str] | None, version: int) -> dict[str, bytes]:
    """Return the libraries by folder and suffix in the archive, ``x86_64-linux/.so``; default: for this platform."""
    if names is None:
        return {f"{folders(version)[0]}/{library_suffix()}": runtime_here()}
    found: dict[str, bytes] = {}
    for name in check_platforms(names):
        made = {target: _runtime(target, name) for target in PLATFORMS[name]}
        if version == 2:
            suffix = PLATFORMS[name][0].suffix
            found[f"{name}/{suffix}"] = universal(made.values()) if len(made) > 1 else next(iter(made.values()))
        else:
            found |= {f"{target.folder}/{target.suffix}": content for target, content in made.items()}
    return found


def universal(libraries: Iterable[bytes]) -> bytes:
    """Join libraries of the Mac for several processors in one, which FMI 2 has one folder for."""
    parts, align = list(libraries), 14  # pages of 2^14 bytes
    place = 1 << align
    head, body = struct.pack(">II", 0xCAFEBABE, len(parts)), b""
    for part in parts:
        _, processor, kind = struct.unpack_from("<III", part)
        head += struct.pack(">IIIII", processor, kind, place + len(body), len(part), align)
        body += part + bytes(-len(part) % place)
    return head.ljust(place, b"\0") + body


def _runtime(target: Target, name: str) -> bytes:
    """Return a library: that of this platform, one that came with the package, or one that is compiled now."""
    if target.folder == folders(3)[0]:
        return runtime_here()
    file = f"{target.folder}{target.suffix}"
    shipped = _shipped() / file
    if shipped.exists():
        return shipped.read_bytes()
    sources = _sources(name)
    kept = _cache() / _digest(sources) / file
    if not kept.exists():
        _compile(target, name, sources, kept)
    return kept.read_bytes()


def _shipped() -> Path:
    """Return where the libraries are that came with the package."""
    return Path(_core.__file__ or "").with_name("runtimes")


def _cache() -> Path:
    """Return where compiled libraries are kept."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(given) if given else Path.home() / ".cache") / "counterpoint"


def _sources(name: str) -> Path:
    """Return the folder of the core's sources: inside of the package, or around it in a clone."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_sources", package.parents[1]):
        if (folder / "CMakeLists.txt").exists() and (folder / "core" / "export").is_dir():
            return folder
    raise SetupError(
        f"platforms: {name}: this installation has neither its library nor the sources of the core; "
        "install a wheel, or export from a clone of the repository"
    )


def _digest(sources: Path) -> str:
    """Return what changes with the sources."""
    made = hashlib.sha256((sources / "CMakeLists.txt").read_bytes())
    for folder in ("cmake", "core"):
        for path in sorted((sources / folder).rglob("*")):
            if path.suffix in (".cmake", ".cpp", ".h", ".hpp"):
                made.update(path.read_bytes())
    return made.hexdigest()[:16]


def _missing_tools() -> list[str]:
    """Return the packages that compiling for another system needs and that are not installed."""
    missing = []
    for package in _TOOLS:
        try:
            distribution(package)
        except PackageNotFoundError:
            if package in ("ziglang", "cmeel-eigen") or shutil.which(package) is None:
                missing.append(package)
    return missing


def _compile(target: Target, name: str, sources: Path, kept: Path) -> None:
    """Compile the library for another system; it is kept for the next export."""
    missing = _missing_tools()
    if missing:
        raise SetupError(
            f"platforms: {name}: the library for {target.folder} is not part of this installation, and to compile it "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: {_INSTALL}"
        )
    say(f"compiling the library for {target.folder}: once, some minutes", console(stderr=True))
    build = kept.parent / f"build-{target.folder}"
    build.mkdir(parents=True, exist_ok=True)
    log = build / "build.log"
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    cmake, ninja = shutil.which("cmake", path=programs), shutil.which("ninja", path=programs)
    commands = [
        [cmake, "-S", sources, "-B", build, "-G", "Ninja", "--toolchain", sources / "cmake" / "zig.cmake",
         f"-DZIG_TARGET={target.compiler_name}", "-DCOUNTERPOINT_PYTHON=OFF", "-DCMAKE_BUILD_TYPE=Release",
         f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"],
        [cmake, "--build", build, "--target", "counterpoint_fmu"],
    ]  # fmt: skip
    with log.open("w", encoding="utf-8") as file:
        for command in commands:
            if subprocess.run([str(word) for word in command], stdout=file, stderr=file, check=False).returncode:
                raise SetupError(f"platforms: {name}: the library for {target.folder} could not be compiled; see {log}")
    (build / f"counterpoint_fmu{target.suffix}").replace(kept)
    shutil.rmtree(build)
