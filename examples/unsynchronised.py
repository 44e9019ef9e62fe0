"""Steps of 1 ms and 7.3 ms that coincide only every 73 ms: steps need not be equidistant or synchronised."""

from math import sin

import counterpoint as cp


def pendulum(t, x, torque):  # x: angle and speed
    return [x[1], -25.0 * sin(x[0]) + torque[0]]


def damper(t, torque, speed):  # responds with a lag of 50 ms
    return (-2.0 * speed - torque) / 0.05


def build():
    system = cp.System("unsynchronised")
    fast = cp.ode(pendulum, [1.0, 0.0], inputs="torque", outputs=["angle", "speed"], solver="ode4")
    system.add("pendulum", fast, step=0.001)
    system.add("damper", cp.ode(damper, [0.0], inputs="speed", outputs="torque", solver="ode4"), step=0.0073)
    system.connect("pendulum.speed", "damper.speed", cp.lagrange(2))
    system.connect("damper.torque", "pendulum.torque", cp.lagrange(2))
    return system


one, two = (build().run(until=5.0, threads=n) for n in (1, 2))
print(f"{len(one['pendulum'])} and {len(one['damper'])} samples; {one.quality.verdict}")
same = (one["pendulum.angle"].values == two["pendulum.angle"].values).all()
print("same bits with one and two threads:", bool(same))
one.plot("pendulum.angle", "damper.torque", path="unsynchronised.png")
