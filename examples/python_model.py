"""A model with its own step method: a digital speed controller with a sample time of 5 ms drives a motor."""

import counterpoint as cp


class Controller(cp.Subsystem):
    """A PI controller that samples its input once per step and holds its output in between."""

    inputs = ("wanted", "speed")
    outputs = ("voltage",)
    units = {"voltage": "V"}

    def start(self, t):
        self.sum = self.voltage = 0.0

    def step(self, t, t_end, u):
        wanted, speed = u(t)  # the values at the sample time
        error = wanted - speed
        self.sum += error * (t_end - t)
        self.voltage = min(max(0.3 * error + 4.0 * self.sum, -24.0), 24.0)

    def output(self, t, u):
        return self.voltage


A, B = [[-200, -12], [60, -1]], [[200], [0]]  # current in A and speed in rad/s
motor = cp.linear(A, B, x0=[0, 0], inputs="voltage", outputs=["current", "speed"], units={"speed": "rad/s"})
system = cp.System("speed control")
system.add("wanted", cp.table([0, 1, 2], [0, 100, 100], outputs="speed", units={"speed": "rad/s"}))
system.add("controller", Controller(), step=5e-3)
system.add("motor", motor, step=1e-3)
system.connect("wanted.speed", "controller.wanted", cp.lagrange(1))
system.connect("motor.speed", "controller.speed", cp.lagrange(1))
system.connect("controller.voltage", "motor.voltage", cp.hold("behind"))
result = system.run(until=2.0, scheme="slowest-first")
print(f"speed at the end: {result['motor.speed'].values[-1]:.2f} rad/s")
result.plot("wanted.speed", "motor.speed", "controller.voltage", path="speed-control.png")
