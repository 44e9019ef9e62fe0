"""The ring of FMUs of the benchmark `fmi` with FMPy's low-level functions: arrays are made once, calls are direct."""

import ctypes
import shutil
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from numpy.typing import NDArray

from benchmarks.fmu_ring import INPUTS, OUTPUTS, PARAMETERS, STEP, archive, parameters

Pair = ctypes.c_double * 2


class Ring:
    """FMUs that exchange the values of the last step, then step."""

    def __init__(self, count: int, steps: int, version: int) -> None:
        self._steps, self._version = steps, version
        self._folder = fmpy.extract(str(archive(version)))
        description = fmpy.read_model_description(self._folder)
        kind = FMU2Slave if version == 2 else FMU3Slave
        self._fmus = [
            kind(
                guid=description.guid,
                unzipDirectory=self._folder,
                modelIdentifier=description.coSimulation.modelIdentifier,
                instanceName=f"mass{i}",
            )
            for i in range(count)
        ]
        self._values = np.zeros((count, 2))
        self._y = [Pair.from_buffer(row) for row in self._values]
        for i, fmu in enumerate(self._fmus):
            self._start(fmu, parameters(i))
        for i in range(count):
            self._functions(i)[1]()
        for i, fmu in enumerate(self._fmus):
            self._functions(i)[0]()
            fmu.exitInitializationMode()

    def _start(self, fmu: Any, values: dict[str, float]) -> None:
        fmu.instantiate()
        references = [PARAMETERS[name] for name in values]
        if self._version == 2:
            fmu.setReal(references, list(values.values()))
            fmu.setupExperiment(startTime=0.0)
        else:
            fmu.setFloat64(references, list(values.values()))
        fmu.enterInitializationMode()

    def _functions(self, i: int) -> tuple[Any, Any, Any]:
        """Return what sets the inputs of FMU i, reads its outputs and makes a step from t."""
        fmu, y, u = self._fmus[i], self._y[i], self._y[i - 1]
        c = fmu.component
        references = ctypes.c_uint * 2
        inputs, outputs = references(*INPUTS.values()), references(*OUTPUTS.values())
        if self._version == 2:
            setter, getter, stepper = fmu.fmi2SetReal, fmu.fmi2GetReal, fmu.fmi2DoStep
            return (
                lambda: setter(c, inputs, 2, u),
                lambda: getter(c, outputs, 2, y),
                lambda t: stepper(c, t, STEP, True),
            )
        setter, getter, stepper = fmu.fmi3SetFloat64, fmu.fmi3GetFloat64, fmu.fmi3DoStep
        flags = [ctypes.c_bool() for _ in range(3)]
        pointers = [ctypes.byref(value) for value in (*flags, ctypes.c_double())]
        return (
            lambda: setter(c, inputs, 2, u, 2),
            lambda: getter(c, outputs, 2, y, 2),
            lambda t: stepper(c, t, STEP, True, *pointers),
        )

    def run(self) -> None:
        setters, getters, steppers = zip(*(self._functions(i) for i in range(len(self._fmus))), strict=True)
        values = self._values
        self.rows = rows = np.empty((self._steps, *values.shape))
        for n in range(self._steps):
            t = n * STEP
            for put in setters:
                put()
            for step in steppers:
                step(t)
            for get in getters:
                get()
            rows[n] = values

    def ends(self) -> NDArray[np.float64]:
        last: NDArray[np.float64] = self.rows[-1, :, 0]
        return last

    def close(self) -> None:
        for fmu in self._fmus:
            fmu.terminate()
            fmu.freeInstance()
        shutil.rmtree(self._folder)
