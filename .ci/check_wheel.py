"""Check that a wheel has what it should and nothing else: ``check_wheel.py WHEEL``, in a clone or beside one."""

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
COMPILED = re.compile(r"counterpoint/(_core\.[^/]*(so|pyd)|counterpoint_fmu\.(so|dll|dylib)|counterpoint-host(\.exe)?)")
MADE = re.compile(r"counterpoint/(_core/\w+\.pyi|runtimes/[\w-]+\.(so|dll|dylib))|[^/]+\.(dist-info|libs)/.*")
"""What is made with the wheel: stubs, libraries of exported FMUs for other systems, descriptions."""
SOURCES = "counterpoint/_sources/"


def tracked() -> set[str]:
    """Return the files of the repository, or of the folder where there is no git."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return set(listed.stdout.split("\0"))
    return {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}


def problems(names: list[str], known: set[str]) -> list[str]:
    """Return what is wrong with the names of the files in a wheel, given the files of the repository."""
    compiled = [name for name in names if COMPILED.fullmatch(name)]
    found = [] if len(compiled) == 3 else [f"expected the module, the library and the program, there are {compiled}"]
    for name in names:
        origin = name.removeprefix(SOURCES) if name.startswith(SOURCES) else f"src/{name}"
        if name not in compiled and not MADE.fullmatch(name) and origin not in known:
            found.append(f"{name}: neither a file of the repository nor made with the wheel")
    return found


def main(wheel: str) -> int:
    """Print what is wrong; return the exit code."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        found = problems(names, tracked())
        for line in found:
            print(f"{wheel}: {line}")
        if not found:
            size = sum(info.compress_size for info in archive.infolist())
            print(f"{wheel}: {len(names)} files, {size / 1e6:.1f} MB, as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
