"""A quarter car drives over a step of 0.1 m: steps that follow the motion against fixed steps of equal cost."""

import numpy as np

import counterpoint as cp

BODY, WHEEL = 400.0, 40.0  # kg
SPRING, DAMPER, TYRE = 15e3, 1e3, 150e3  # N/m, N s/m, N/m


def quarter_car(step=None):
    """Return the system; the wheel has the suspension. A pace keeps to steps with which ode4 is stable."""
    system = cp.System("quarter car")
    a = [[0, 1, 0], [-(TYRE + SPRING) / WHEEL, -DAMPER / WHEEL, SPRING / WHEEL], [0, 0, 0]]
    b, c = [[0], [DAMPER / WHEEL], [1]], [[SPRING, DAMPER, -SPRING]]
    wheel = cp.linear(a, b, c, [[-DAMPER]], x0=[-0.1, 0, -0.1], inputs="v", outputs="force")
    chassis = cp.linear([[0, 1], [0, 0]], [[0], [1 / BODY]], x0=[-0.1, 0], inputs="force", outputs=["z", "v"])
    system.add("wheel", wheel, step=step)
    system.add("chassis", chassis, step=step)
    system.connect("wheel.force", "chassis.force", cp.lagrange(3))
    system.connect("chassis.v", "wheel.v", cp.hermite())
    return system


order = cp.sequential(["wheel", "chassis"])
reference = quarter_car(step=1e-5).run(until=2.0, scheme=order)


def error(result):  # the largest one of the height of the chassis, relative to the step of the road
    exact = reference["chassis.z"].at(result["chassis.z"].time)
    return np.abs(result["chassis.z"].values - exact).max() / 0.1


for tolerance in (1e-2, 1e-3, 1e-4):
    result = quarter_car().run(until=2.0, scheme=order, pace=cp.pace.defect(tolerance, first=1e-3))
    count = len(result.steps["wheel"])
    fixed = quarter_car(step=2.0 / count).run(until=2.0, scheme=order)
    print(f"tolerance {tolerance:g}: {count} steps, error {error(result):.1e}; fixed steps: {error(fixed):.1e}")
result.plot_steps("wheel", path="quarter-car-steps.png")
