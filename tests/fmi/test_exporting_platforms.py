"""FMUs for other systems: what the archive holds, what is said when a library is missing, Windows under wine."""

import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.fmi import runtimes
from counterpoint.fmi.platforms import folders

from . import exported
from .building import CORE, HERE

ROOT = HERE.parents[1]
WINDOWS_RUNTIME = "x86_64-windows.dll"


def spring():
    return cp.linear([[0, 1], [-9, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"])


def mac_library(processor):
    return struct.pack("<III", 0xFEEDFACF, processor, 3) + bytes([processor % 251]) * 5000


def fake_runtime(target, name):
    return mac_library(len(target.folder)) if target.suffix == ".dylib" else f"{name} {target.folder}".encode()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (2, {"linux64/spring.so", "win64/spring.dll", "darwin64/spring.dylib", "aarch64-linux/spring.so"}),
        (
            3,
            {
                "x86_64-linux/spring.so",
                "x86_64-windows/spring.dll",
                "x86_64-darwin/spring.dylib",
                "aarch64-darwin/spring.dylib",
                "aarch64-linux/spring.so",
            },
        ),
    ],
)
def test_an_archive_holds_a_library_for_each_platform(tmp_path, monkeypatch, version, expected):
    monkeypatch.setattr(runtimes, "_runtime", fake_runtime)
    path = cp.export_fmu(
        spring(), tmp_path / "spring.fmu", step=1e-3, version=version, platforms=list(runtimes.PLATFORMS)
    )
    with zipfile.ZipFile(path) as archive:
        names = {name.removeprefix("binaries/") for name in archive.namelist() if name.startswith("binaries/")}
    assert names == expected


def test_both_processors_of_the_mac_share_a_file():
    parts = [mac_library(0x01000007), mac_library(0x0100000C)]
    joined = runtimes.universal(parts)
    magic, count = struct.unpack_from(">II", joined)
    assert (magic, count) == (0xCAFEBABE, 2)
    for k, part in enumerate(parts):
        processor, _, place, size, align = struct.unpack_from(">IIIII", joined, 8 + 20 * k)
        assert processor == struct.unpack_from("<I", part, 4)[0]
        assert place % (1 << align) == 0
        assert joined[place : place + size] == part


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["win65"], 'platforms: "win65": no such platform; did you mean "win64"'),
        ([], "platforms: .*linux64, win64, darwin64"),
        (["linux64", "solaris"], 'platforms: "solaris": no such platform; known: .*"linux64", "win64"'),
    ],
)
def test_unknown_platforms_are_named(tmp_path, names, said):
    with pytest.raises(cp.SetupError, match=said):
        cp.export_fmu(spring(), tmp_path / "spring.fmu", step=1e-3, platforms=names)
    assert not list(tmp_path.iterdir())


def test_an_fmu_inside_is_for_this_platform_only(tmp_path):
    inner = cp.export_fmu(spring(), tmp_path / "inner.fmu", step=1e-3)
    system = cp.System("pair")
    system.add("spring", cp.fmu(inner), step=1e-3)
    other = "win64" if sys.platform != "win32" else "linux64"
    with pytest.raises(cp.SetupError, match='"spring" is an FMU'):
        cp.export_fmu(system, tmp_path / "outer.fmu", platforms=[other])


def test_a_library_that_cannot_be_made_here_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(runtimes, "_shipped", lambda: tmp_path / "none")
    monkeypatch.setattr(runtimes, "_sources", lambda name: ROOT)
    monkeypatch.setattr(runtimes, "_missing_tools", lambda: ["ziglang"])
    other = "win64" if sys.platform != "win32" else "linux64"
    with pytest.raises(cp.SetupError, match=rf"{other}.*ziglang is missing: pip install 'counterpoint\[cross\]'"):
        cp.export_fmu(spring(), tmp_path / "spring.fmu", step=1e-3, platforms=[other])


def test_the_command_takes_platforms(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from counterpoint._cli.export import export

    monkeypatch.setattr(runtimes, "_runtime", fake_runtime)
    out = tmp_path / "pair.fmu"
    scenario = ROOT / "examples" / "two_mass.toml"
    done = CliRunner().invoke(export, [str(scenario), "--out", str(out), "--platforms", "linux64, win64"])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(out) as archive:
        assert {"binaries/x86_64-linux/pair.so", "binaries/x86_64-windows/pair.dll"} <= set(archive.namelist())


# Windows


def wine():
    found = shutil.which("wine64") or shutil.which("wine")
    if found is None:
        pytest.skip("wine is not installed: apt-get install wine64 wine")
    return found


def windows_library():
    for folder in (runtimes._shipped(), ROOT / "build" / "runtimes"):
        if (folder / WINDOWS_RUNTIME).exists():
            return folder / WINDOWS_RUNTIME
    pytest.skip("no library for Windows was compiled: make cross CROSS_SYSTEMS=x86_64-windows")


def drivers(folder):
    """Compile the driver for this system and for Windows."""
    pytest.importorskip("ziglang", reason="the driver for Windows is compiled with ziglang: pip install ziglang")
    source = HERE / "models" / "driver.c"
    here, windows = folder / "driver", folder / "driver.exe"
    options = ["-std=c11", "-O1", f"-I{CORE}", str(source), "-o"]
    subprocess.run([os.environ.get("CC", "cc"), *options, str(here), "-ldl"], check=True)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
    subprocess.run([*zig, *options, str(windows)], check=True)
    return here, windows


def unpacked(path):
    folder = path.with_suffix("")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def numbers(command, environment=None):
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return np.array([[float(word) for word in line.split()] for line in done.stdout.splitlines()])


@pytest.fixture(scope="module")
def windows_folder(tmp_path_factory):
    """A folder with Windows in it, which ends with the tests."""
    program = wine()
    folder = tmp_path_factory.mktemp("wine")
    environment = os.environ | {"WINEPREFIX": str(folder / "prefix"), "WINEDEBUG": "-all", "DISPLAY": ""}
    yield program, environment
    server = shutil.which("wineserver") or "/usr/lib/wine/wineserver64"
    if Path(server).exists():
        subprocess.run([server, "-k"], env=environment, check=False)
        subprocess.run([server, "-w"], env=environment, check=False)


MODELS = {
    "spring": (spring, 1e-3, 0.01),
    "motor": (exported.motor, 1e-3, 0.01),
    "four_bar": (exported.four_bar, 1e-3, 0.01),
}


@pytest.mark.skipif(folders(3)[0] != "x86_64-linux", reason="wine runs here on x86_64 Linux only")
@pytest.mark.timeout(300)
def test_windows_gives_the_numbers_of_linux(tmp_path, monkeypatch, windows_folder, capsys):
    program, environment = windows_folder
    library = windows_library()
    monkeypatch.setattr(runtimes, "_shipped", lambda: library.parent)
    here, windows = drivers(tmp_path)
    for name, (build, step, interval) in MODELS.items():
        path = tmp_path / f"{name}.fmu"
        cp.export_fmu(build(), path, step=step, version=2, platforms=["linux64", "win64"])
        description = cp.fmi.read_description(path)
        outputs = [str(v.reference) for v in description.variables if v.causality == "output"]
        folder = unpacked(path)
        rest = [description.token, str(interval), "100", *outputs]
        linux = numbers([here, folder / f"binaries/linux64/{name}.so", (folder / "resources").as_uri(), *rest])
        resources = f"file:///Z:{(folder / 'resources').as_posix()}"
        loaded = f"Z:{folder.as_posix()}/binaries/win64/{name}.dll"
        there = numbers([program, str(windows), loaded, resources, *rest], environment)
        assert there.shape == linux.shape == (101, len(outputs))
        difference = (np.abs(there - linux) / np.maximum(np.abs(linux).max(axis=0), 1.0)).max()
        with capsys.disabled():
            print(f"\n{name}: win64 under wine and linux64 differ by {difference:.1e} of an output's largest value")
        assert difference < 1e-12
