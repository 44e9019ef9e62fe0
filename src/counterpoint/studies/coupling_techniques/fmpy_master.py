"""A foreign master: FMPy steps both sides as FMUs that we exported, from a Python script, as a user would."""

from __future__ import annotations

import shutil
import tempfile
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ... import Diagram
from ...fmi import export_fmu
from ...multibody import Mechanism
from .linkage import STEP, THROTTLE


class FmpyMaster:
    """Linkage and engine as FMI 2 FMUs in FMPy's low-level interface; values are held over a step."""

    def __init__(self, mechanism: Mechanism, engine: Diagram) -> None:
        import fmpy  # an extra; without it the other techniques run

        self._folder = tempfile.mkdtemp(prefix="linkage-fmpy-")
        self._units: dict[str, Any] = {}
        self._references: dict[tuple[str, str], list[int]] = {}
        for name, model in (("linkage", mechanism), ("engine", engine)):
            path = export_fmu(model, f"{self._folder}/{name}.fmu", version=2, step=STEP)
            self._load(fmpy, name, str(path))

    def run(self, span: float) -> NDArray[np.float64]:
        """Step both, the linkage first; return the crank's speed after each step, rad/s clockwise."""
        linkage, engine = self._units["linkage"], self._units["engine"]
        torque, speed = self._references["linkage", "torque"], self._references["linkage", "speed"]
        drive = [*self._references["engine", "throttle"], *self._references["engine", "wheel_speed"]]
        axle = self._references["engine", "axle_torque"]
        times = STEP * np.arange(round(span / STEP) + 1)
        throttle = np.interp(times, *THROTTLE)
        (rate,) = linkage.getReal(speed)
        made = [-rate]
        engine.setReal(drive, [throttle[0], -rate])
        for i, t in enumerate(times[:-1]):
            (moment,) = engine.getReal(axle)
            linkage.setReal(torque, [-moment])
            linkage.doStep(currentCommunicationPoint=t, communicationStepSize=STEP)
            (rate,) = linkage.getReal(speed)
            engine.setReal(drive, [throttle[i], -rate])
            engine.doStep(currentCommunicationPoint=t, communicationStepSize=STEP)
            made.append(-rate)
        return np.array(made)

    def close(self) -> None:
        """End both FMUs and remove their files."""
        for unit in self._units.values():
            unit.terminate()
            unit.freeInstance()
        self._units = {}
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, fmpy: Any, name: str, path: str) -> None:
        from fmpy.fmi2 import FMU2Slave

        description = fmpy.read_model_description(path)
        for variable in description.modelVariables:
            self._references[name, variable.name] = [variable.valueReference]
        unit = FMU2Slave(
            guid=description.guid,
            unzipDirectory=fmpy.extract(path, unzipdir=f"{self._folder}/{name}"),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        unit.instantiate()
        unit.setupExperiment(startTime=0.0)
        unit.enterInitializationMode()
        unit.exitInitializationMode()
        self._units[name] = unit
