"""C++ beside the package, compiled on first use by the system's compiler: loops to compare with, parts of the core."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CORE = HERE.parent / "core"
WARNINGS = ("-std=c++20", "-ffp-contract=off", "-Wall", "-Wextra")
LIBRARY_FLAGS = ("-O3", *WARNINGS, "-shared", "-fPIC")
PROGRAM_FLAGS = ("-O2", *WARNINGS)
"""What is measured in a program is our own core: compiled as CMakeLists.txt compiles it."""


def library(name: str) -> ctypes.CDLL:
    """Load ``native/NAME.cpp``, compiling it if this source has not been compiled before.

    Parameters
    ----------
    name : str
        Name of the source file without its ending.
    """
    return ctypes.CDLL(str(shared_object(name)))


def shared_object(*names: str) -> Path:
    """Return the shared library of ``native/NAME.cpp``, of one or more of them, compiled if they have changed."""
    sources = [HERE / "native" / f"{name}.cpp" for name in names]
    return _built(f"{names[0]}.so", (compiler(), *LIBRARY_FLAGS, *map(str, sources)), sources)


def shared_object_of(name: str, text: str) -> Path:
    """Return the shared library of a source that was written just now, compiled if it has changed."""
    source = HERE / "_build" / f"{name}.cpp"
    source.parent.mkdir(exist_ok=True)
    source.write_text(text, encoding="utf-8")
    return _built(f"{name}.so", (compiler(), *LIBRARY_FLAGS, str(source)), [source])


def program(name: str, part: str) -> Path:
    """Return the program of ``native/NAME.cpp`` with one part of the core, compiled if any of it has changed.

    Parameters
    ----------
    name : str
        Name of the source file without its ending.
    part : str
        Folder of ``core`` whose sources belong to it.
    """
    sources = [HERE / "native" / f"{name}.cpp", *sorted((CORE / part).glob("*.cpp"))]
    folders = (CORE / part, HERE.parent / "tests" / "core", HERE / "native")
    headers = [header for folder in folders for header in sorted(folder.glob("*.hpp"))]
    command = (compiler(), *PROGRAM_FLAGS, f"-I{CORE}", "-isystem", str(_eigen()), *map(str, sources), "-ldl")
    return _built(name, command, [*sources, *headers])


def compiler() -> str:
    """Return the C++ compiler: ``$CXX``, else the first of c++, g++, clang++ on the path."""
    for candidate in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if candidate and (found := shutil.which(candidate)):
            return found
    raise RuntimeError("no C++ compiler found: install one, or name it in the environment variable CXX")


def _eigen() -> Path:
    for folder in dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib")):
        headers = Path(folder) / "cmeel.prefix" / "include" / "eigen3"
        if headers.is_dir():
            return headers
    raise RuntimeError("Eigen's headers not found: pip install 'cmeel-eigen>=3.4,<4'")


def _built(name: str, command: tuple[str, ...], files: list[Path]) -> Path:
    """Return what the command makes of the files, from the last time if nothing has changed since."""
    digest = hashlib.sha256(repr(command).encode() + b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    built = HERE / "_build" / f"{digest}-{name}"
    if not built.exists():
        _compile(command, built)
    return built


def _compile(command: tuple[str, ...], built: Path) -> None:
    built.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        # Moved into place in one go, so that two runs at the same time never load half a file.
        fresh = Path(folder) / built.name
        done = subprocess.run([*command, "-o", str(fresh)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{built.name}: {command[0]} failed:\n{done.stderr}")
        fresh.replace(built)
