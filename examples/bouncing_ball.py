"""The speed of a ball jumps at the ground: the values before and after the jump are published at the same time."""

import counterpoint as cp


class Ball(cp.Subsystem):
    """A falling ball; a step ends when it hits the ground and bounces."""

    outputs = ("height", "speed")
    stops_early = True
    next_step = staticmethod(lambda: 0.1)

    def start(self, t):
        self.height, self.speed, self.before = 1.0, 0.0, None

    def step(self, t, t_end, u):
        h, self.before = t_end - t, None
        if self.height + h * self.speed < 4.905 * h * h:
            h = (self.speed + (self.speed**2 + 19.62 * self.height) ** 0.5) / 9.81
            self.before = 0.0, self.speed - 9.81 * h
            self.height, self.speed = 0.0, 0.8 * (9.81 * h - self.speed)
            return t + h
        self.height, self.speed = self.height + h * self.speed - 4.905 * h * h, self.speed - 9.81 * h

    def output(self, t, u):
        return self.height, self.speed

    def output_before_event(self):
        return self.before


system = cp.System("drop")
system.add("ball", Ball())
system.add("way", cp.ode(lambda t, x, speed: speed, [1.0], inputs="speed", outputs="height"), step=0.01)
system.connect("ball.speed", "way.speed")
result = system.run(until=2.0)
print("height, and integral of the speed:", *(result[f"{name}.height"].values[-1] for name in ("ball", "way")))
result.plot("ball.speed", "way.height", path="bouncing-ball.png")
