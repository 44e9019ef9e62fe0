"""Which parameter matters? Sobol indices of a quarter car on a bump, with SALib (pip install SALib)."""

import numpy as np
from SALib.analyze import sobol as indices
from SALib.sample import sobol as sample

import counterpoint as cp


def quarter_car() -> cp.System:
    """Return a wheel (40 kg) with its tyre on a road with a bump, and the body (300 kg) on a spring and a damper."""
    system = cp.System("quarter car")
    system.add("road", cp.table([0.0, 0.2, 0.25, 0.3, 2.0], [0.0, 0.0, 0.05, 0.0, 0.0], outputs="height"))
    body = cp.second_order(300.0, 1200.0, 15000.0, [[15000.0, 1200.0]], q0=0.0, inputs=["px", "pv"], outputs=["x", "v"])
    wheel = cp.second_order(
        40.0, 1200.0, 165000.0, [[150000.0, 15000.0, 1200.0]], q0=0.0, inputs=["road", "px", "pv"], outputs=["x", "v"]
    )
    system.add("body", body, step=5e-3)
    system.add("wheel", wheel, step=1e-3)
    system.connect("road.height", "wheel.road")
    for port in ("x", "v"):
        system.connect(f"wheel.{port}", f"body.p{port}", cp.lagrange(2))
        system.connect(f"body.{port}", f"wheel.p{port}", cp.lagrange(2))
    return system


if __name__ == "__main__":
    inputs = {"body mass": "body.M", "wheel mass": "wheel.M", "height of the bump": "connections[0].gain"}
    lift = cp.function(quarter_car(), inputs, "peak(body.x)", until=1.0, workers=2)
    problem = {"num_vars": 3, "names": list(lift.inputs), "bounds": [[250.0, 350.0], [30.0, 50.0], [0.8, 1.2]]}
    points = sample.sample(problem, 32, seed=1)
    found = indices.analyze(problem, lift(points), seed=1)
    for name, total in zip(problem["names"], found["ST"], strict=True):
        print(f"{name}: total index {total:.2f}")
    print(f"{len(points)} runs; the peak varies by {np.ptp(lift(points)) * 1e3:.1f} mm")
