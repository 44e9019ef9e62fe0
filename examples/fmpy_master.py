"""An FMI program as master: FMPy runs the system of scheduler_master.py, exported as one FMU."""

import fmpy
from scheduler_master import system

import counterpoint as cp

file = cp.export_fmu(system, "positioning.fmu", version=2, scheme="slowest-first")
result = fmpy.simulate_fmu(str(file), stop_time=1.0, output_interval=0.02, output=["drive.shaft", "rotor.angle"])
print(f"shaft {result['drive.shaft'][-1]:.2f} rad, rotor {result['rotor.angle'][-1]:.2f} rad")
