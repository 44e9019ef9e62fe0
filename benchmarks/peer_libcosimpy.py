"""The ring of FMUs (FMI 2) of the benchmark `fmi` in libcosim: one call for all steps, results in its time series."""

import numpy as np
from libcosimpy.CosimEnums import CosimVariableType
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
from numpy.typing import NDArray

from benchmarks.fmu_ring import INPUTS, OUTPUTS, PARAMETERS, STEP, archive, parameters


class Ring:
    """A fixed-step execution of libcosim."""

    def __init__(self, count: int, steps: int, version: int) -> None:
        if version != 2:
            raise ValueError(f"libcosim runs FMI 2; FMI {version} was asked for")
        log_output_level(CosimLogLevel.FATAL)
        self._steps = steps
        self._execution = CosimExecution.from_step_size(step_size=round(STEP * 1e9))
        self._slaves = [
            self._execution.add_local_slave(CosimLocalSlave(fmu_path=str(archive(2)), instance_name=f"mass{i}"))
            for i in range(count)
        ]
        self._observer = CosimObserver.create_time_series(buffer_size=steps + 1)
        self._execution.add_observer(observer=self._observer)
        for i, slave in enumerate(self._slaves):
            for name, value in parameters(i).items():
                self._execution.real_initial_value(slave, PARAMETERS[name], value)
            for source, target in zip(OUTPUTS.values(), INPUTS.values(), strict=True):
                self._execution.connect_real_variables(self._slaves[i - 1], source, slave, target)
            for reference in OUTPUTS.values():
                self._observer.start_time_series(slave, reference, CosimVariableType.REAL)

    def run(self) -> None:
        if not self._execution.step(step_count=self._steps):
            raise RuntimeError("libcosim: the steps failed")

    def ends(self) -> NDArray[np.float64]:
        return np.array([self._last(slave) for slave in self._slaves])

    def _last(self, slave: int) -> float:
        _, _, values = self._observer.time_series_real_samples(
            slave, OUTPUTS["x"], from_step=self._steps, sample_count=1
        )
        return float(values[-1])

    def close(self) -> None:
        self._execution.stop()
