"""The ring of oscillator FMUs of the benchmark: in Counterpoint and by hand.

Each FMU is a mass on a spring that is tied to the mass before it: it gets position and speed of that one, so that in a
ring of two, two values go each way. The springs differ a little, or masses that start together would stay together.
"""

import ctypes
import functools
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import counterpoint as cp
from benchmarks.compiled import library, shared_object

STEP = 1e-3
PARAMETERS = {"k": 1, "c": 2, "kc": 3}
INPUTS = {"x_other": 5, "v_other": 6}
OUTPUTS = {"x": 7, "v": 8}
"""Value references by name."""
TOKEN = "{counterpoint-benchmark-oscillator}"
PLATFORMS = {2: "linux64", 3: "x86_64-linux"}
DESCRIPTIONS = {
    2: """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Oscillator" guid="{token}">
<CoSimulation modelIdentifier="oscillator" canHandleVariableCommunicationStepSize="true"
 canInterpolateInputs="true"{more}/>
<ModelVariables>
{variables}</ModelVariables>
<ModelStructure><Outputs><Unknown index="6"/><Unknown index="7"/></Outputs></ModelStructure>
</fmiModelDescription>
""",
    3: """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Oscillator" instantiationToken="{token}">
<CoSimulation modelIdentifier="oscillator" canHandleVariableCommunicationStepSize="true"{more}/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
{variables}</ModelVariables>
<ModelStructure><Output valueReference="7"/><Output valueReference="8"/></ModelStructure>
</fmiModelDescription>
""",
}

STATES = {2: ' canGetAndSetFMUstate="true"', 3: ' canGetAndSetFMUState="true"'}
"""What an FMU says that can be taken back."""


def parameters(index: int) -> dict[str, float]:
    """Return the parameters of FMU ``index``; the damping keeps rings of any length from swinging up."""
    return {"k": 100.0 + index % 7, "c": 0.1, "kc": 1.0}


def _variables(version: int) -> str:
    rows = [(name, reference, "parameter", "fixed", parameters(0)[name]) for name, reference in PARAMETERS.items()]
    rows += [(name, reference, "input", "continuous", 0.0) for name, reference in INPUTS.items()]
    starts = {"x": 1.0, "v": 0.0}
    rows += [(name, reference, "output", "continuous", starts[name]) for name, reference in OUTPUTS.items()]
    made = ""
    for name, reference, causality, variability, start in rows:
        head = f'name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"'
        exact = ' initial="exact"' if causality == "output" else ""
        if version == 2:
            made += f'<ScalarVariable {head}{exact}><Real start="{start}"/></ScalarVariable>\n'
        else:
            made += f'<Float64 {head}{exact} start="{start}"/>\n'
    return made


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="benchmark-fmi-")  # removed when the program ends


@functools.cache
def archive(version: int, states: bool = False) -> Path:
    """Build the oscillator and return its path; ``states``: it says that its state can be saved and restored."""
    path = Path(_folder().name) / f"Oscillator{version}{'States' if states else ''}.fmu"
    more = STATES[version] if states else ""
    text = DESCRIPTIONS[version].format(token=TOKEN, variables=_variables(version), more=more)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("modelDescription.xml", text)
        made.write(binary(), f"binaries/{PLATFORMS[version]}/oscillator.so")
    return path


def binary() -> Path:
    """Return the library of the oscillator, of FMI 2 and of FMI 3."""
    return shared_object("oscillator_fmu", "unsupported")


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
        path = str(binary()).encode()
        made = self._library.fmu_ring_new(version, path, count, (ctypes.c_double * len(values))(*values))
        self._ring = ctypes.c_void_p(made)
        self._version, self._count, self._steps, self._lines = version, count, steps, lines
        # Touched beforehand: what the system does for new memory is not the loop's.
        self.rows = [np.full((steps + 1, 3), np.nan) for _ in range(count)]

    def run(self) -> None:
        steps = self._steps
        addresses = (ctypes.c_void_p * self._count)(*(rows.ctypes.data for rows in self.rows))
        made = self._library.fmu_ring_run(
            self._version, self._ring, ctypes.c_int64(steps), ctypes.c_double(STEP), int(self._lines), addresses
        )
        if made != steps:
            raise RuntimeError(f"fmu_ring: {made} steps instead of {steps}")

    def save_and_restore(self, times: int) -> None:
        """Save and restore all FMUs so many times."""
        self._library.fmu_ring_save_and_restore.restype = ctypes.c_int64
        if self._library.fmu_ring_save_and_restore(self._version, self._ring, ctypes.c_int64(times)) != times:
            raise RuntimeError("fmu_ring: a state was not saved or restored")

    def ends(self) -> NDArray[np.float64]:
        return np.array([rows[-1, 1] for rows in self.rows])

    def close(self) -> None:
        self._library.fmu_ring_delete(self._version, self._ring)


class Ours:
    """Counterpoint: all step at once, as in the loop by hand; inputs held, or as the FMU and we like it best."""

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
