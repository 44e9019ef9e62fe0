"""Couple two models of your own: a motor circuit with a step of 0.1 ms drives a fan with a step of 1 ms."""

from math import sin

import counterpoint as cp


def motor(t, current, speed):  # in A and rad/s; 24 V with a ripple on 1 ohm and 5 mH
    return (24 + 6 * sin(314 * t) - current - 0.06 * speed) / 5e-3


def fan(t, speed, current):
    return (0.06 * current - 1e-5 * speed**2) / 1e-3


system = cp.System("drive")
system.add("motor", cp.ode(motor, [0], inputs="speed", outputs="current"), step=1e-4)
system.add("fan", cp.ode(fan, [0], inputs="current", outputs="speed"), step=1e-3)
system.connect("motor.current", "fan.current", cp.lagrange(2))
system.connect("fan.speed", "motor.speed", cp.lagrange(2))
result = system.run(until=0.5, scheme="fastest-first")
print(result.quality)
result.plot(path="drive.png")
