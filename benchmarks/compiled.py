"""Hand-written C++ for comparison, compiled on first use by the system's compiler and loaded with ctypes."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = ("-O3", "-std=c++20", "-ffp-contract=off", "-Wall", "-Wextra", "-shared", "-fPIC")


def library(name: str) -> ctypes.CDLL:
    """Load ``native/NAME.cpp``, compiling it if this source has not been compiled before.

    Parameters
    ----------
    name : str
        Name of the source file without its ending.
    """
    source = HERE / "native" / f"{name}.cpp"
    command = (compiler(), *FLAGS)
    digest = hashlib.sha256(repr(command).encode() + source.read_bytes()).hexdigest()[:16]
    built = HERE / "_build" / f"{name}-{digest}.so"
    if not built.exists():
        _compile(command, source, built)
    return ctypes.CDLL(str(built))


def compiler() -> str:
    """Return the C++ compiler: ``$CXX``, else the first of c++, g++, clang++ on the path."""
    for candidate in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if candidate and (found := shutil.which(candidate)):
            return found
    raise RuntimeError("no C++ compiler found: install one, or name it in the environment variable CXX")


def _compile(command: tuple[str, ...], source: Path, built: Path) -> None:
    built.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        # Moved into place in one go, so that two runs at the same time never load half a file.
        fresh = Path(folder) / built.name
        done = subprocess.run([*command, str(source), "-o", str(fresh)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{source.name}: {command[0]} failed:\n{done.stderr}")
        fresh.replace(built)
