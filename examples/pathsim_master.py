"""PathSim as master: it integrates the drive of diagram_master.py; a Counterpoint block simulates the load."""

import numpy as np
from pathsim import Connection, Simulation
from pathsim.blocks import ODE, StepSource
from pathsim.solvers import RK4

import counterpoint as cp
from counterpoint.adapters.pathsim import interface_block

others = cp.System("load")
others.add_host("drive", inputs=["angle"], outputs=["shaft"])
A, B = [[0.0, 1.0], [-40.0, -0.5]], [[0.0], [40.0]]
others.add(
    "rotor", cp.linear(A, B, x0=[0, 0], inputs="shaft", outputs=["angle", "speed"], solver="trapezoidal"), step=0.02
)
others.connect("drive.shaft", "rotor.shaft", cp.lagrange(2))
others.connect("rotor.angle", "drive.angle", cp.lagrange(3))


def slope(x, u, t):
    shaft, speed = x
    wanted, angle = u
    return np.array([speed, 200.0 * (wanted - shaft) - 20.0 * speed - 30.0 * (shaft - angle)])


load, wanted, drive = interface_block(others), StepSource(tau=0.5), ODE(slope, [0.0, 0.0])
links = [Connection(wanted, drive[0]), Connection(load["angle"], drive[1]), Connection(drive[0], load["shaft"])]
Simulation([wanted, drive, load], links, dt=0.002, Solver=RK4, log=False).run(1.0)
print(f"shaft {drive.outputs[0]:.2f} rad, rotor {load.interface.values('rotor')[0]:.2f} rad")
