"""The ring of oscillator FMUs of the benchmark: in Counterpoint and by hand.

Each FMU is a mass on a spring that is tied to the mass before it: it gets position and speed of that one, so that in a
ring of two, two values go each way. A macro step of 1 ms is one Runge-Kutta step inside an FMU: the cheapest work that
is still one. The springs differ a little, or masses that start together would stay together.
"""

import ctypes
import functools
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import counterpoint as cp
from benchmarks.compiled import library

STEP = 1e-3
INPUTS = {"x_other": 8, "v_other": 9}
OUTPUTS = {"x": 10, "v": 11}
PARAMETERS = {"k": 2, "c": 3, "kc": 4}
"""Value references by name."""
BUILDER = Path(__file__).parents[1] / "tests" / "fmi" / "building.py"


def parameters(index: int) -> dict[str, float]:
    """Return the parameters of FMU ``index``; the damping keeps rings of any length from swinging up."""
    return {"k": 100.0 + index % 7, "c": 0.1, "kc": 1.0}


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="benchmark-fmi-")  # removed when the program ends


@functools.cache
def archive(version: int) -> Path:
    """Build the oscillator of the tests and return its path."""
    command = [sys.executable, str(BUILDER), "oscillator", "--version", str(version), "--out", _folder().name]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


@functools.cache
def binary(version: int) -> Path:
    """Return the library inside the archive."""
    with zipfile.ZipFile(archive(version)) as opened:
        (name,) = (name for name in opened.namelist() if name.startswith("binaries/") and not name.endswith("/"))
        return Path(opened.extract(name, Path(_folder().name) / f"fmi{version}"))


class Ring(Protocol):
    """What the benchmark asks of a contestant, ready for its first step."""

    def run(self) -> None:
        """Take all steps of ``STEP`` and keep the results; this is what is timed."""

    def ends(self) -> NDArray[np.float64]:
        """Return the last position of each mass, in m."""

    def close(self) -> None:
        """Let go of the FMUs."""


class HandWritten:
    """The loop of ``native/fmu_ring.cpp``; ``lines``: it gives each input its slope, too, as Counterpoint does."""

    def __init__(self, count: int, steps: int, version: int, lines: bool = False) -> None:
        self._library = library("fmu_ring")
        self._library.fmu_ring_new.restype = ctypes.c_void_p
        self._library.fmu_ring_run.restype = ctypes.c_int64
        values = [value for i in range(count) for value in parameters(i).values()]
        path = str(binary(version)).encode()
        made = self._library.fmu_ring_new(version, path, count, (ctypes.c_double * len(values))(*values))
        self._ring = ctypes.c_void_p(made)
        self._version, self._count, self._steps, self._lines = version, count, steps, lines

    def run(self) -> None:
        steps = self._steps
        self.rows = [np.empty((steps + 1, 3)) for _ in range(self._count)]
        addresses = (ctypes.c_void_p * self._count)(*(rows.ctypes.data for rows in self.rows))
        made = self._library.fmu_ring_run(
            self._version, self._ring, ctypes.c_int64(steps), ctypes.c_double(STEP), int(self._lines), addresses
        )
        if made != steps:
            raise RuntimeError(f"fmu_ring: {made} steps instead of {steps}")

    def ends(self) -> NDArray[np.float64]:
        return np.array([rows[-1, 1] for rows in self.rows])

    def close(self) -> None:
        self._library.fmu_ring_delete(self._version, self._ring)


class Ours:
    """Counterpoint: everybody steps at once, as in the loop by hand; inputs held, or as the FMU and we like it best."""

    def __init__(self, count: int, steps: int, version: int, lines: bool = False, **options: Any) -> None:
        system = cp.System("ring")
        for i in range(count):
            oscillator = cp.fmu(
                archive(version),
                parameters=parameters(i),
                inputs=INPUTS,
                outputs=OUTPUTS,
                inputs_at="auto" if lines else "start",
                **options,
            )
            system.add(f"mass{i}", oscillator, step=STEP)
        for i in range(count):
            before = f"mass{(i - 1) % count}"
            for output, target in zip(OUTPUTS, INPUTS, strict=True):
                system.connect(f"{before}.{output}", f"mass{i}.{target}", None if lines else cp.hold())
        self._count = count
        self._until = steps * STEP
        self._run = system.start(until=self._until, scheme="parallel")

    def run(self) -> None:
        self._run.step_to(self._until)
        self.result = self._run.finish()

    def ends(self) -> NDArray[np.float64]:
        return np.array([self.result[f"mass{i}.x"].values[-1] for i in range(self._count)])

    def close(self) -> None:
        self._run.finish()
