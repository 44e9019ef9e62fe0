"""Find stiffness and damping of a shaft from a measured motion, with SciPy's least squares."""

import numpy as np
from scipy.optimize import least_squares

import counterpoint as cp


def drive(stiffness: float = 50.0, damping: float = 0.2) -> cp.System:
    """Return a motor that is let go and a load, joined by a shaft; each has its own solver and step."""
    system = cp.System("drive")
    shaft, own, other = [[stiffness, damping]], ["angle", "speed"], ["other_angle", "other_speed"]
    motor = cp.second_order(0.5, damping, stiffness, shaft, q0=0.2, inputs=other, outputs=own)
    load = cp.second_order(2.0, damping, stiffness, shaft, q0=0.0, inputs=other, outputs=own)
    system.add("motor", motor, step=2e-3)
    system.add("load", load, step=1e-2)
    for port in own:
        system.connect(f"motor.{port}", f"load.other_{port}", cp.lagrange(2))
        system.connect(f"load.{port}", f"motor.other_{port}", cp.lagrange(2))
    return system


times = np.linspace(0.0, 1.0, 41)
truth = drive(63.0, 0.35).run(until=1.0)["load.angle"].at(times)
measured = truth + np.random.default_rng(1).normal(0.0, 2e-4, len(times))

outputs = {f"t = {t:.3f}": lambda result, t=t: result["load.angle"].at(t) for t in times}
model = cp.function(drive, ["stiffness", "damping"], outputs, until=1.0)
found = least_squares(lambda x: model(x) - measured, x0=[40.0, 0.1], x_scale=[50.0, 0.2])
print(f"stiffness {found.x[0]:.1f} N·m/rad, damping {found.x[1]:.3f} N·m·s/rad, {found.nfev} iterations")
