"""Models of the tests of paces."""

import counterpoint as cp


def mass(x0=1.0, solver="ode4", **options):
    return cp.linear(
        [[0, 1], [-15, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"], solver=solver, **options
    )


def masses(approximation=None, **options):
    system = cp.System("two masses")
    system.add("left", mass(1.0), **options)
    system.add("right", mass(0.0), **options)
    system.connect("left.x", "right.u", approximation or cp.lagrange(2))
    system.connect("right.x", "left.u", approximation or cp.lagrange(2))
    return system


def rows(result):
    return [result[name].to_numpy().tobytes() + result[name].index.to_numpy().tobytes() for name in result.subsystems]


class Black(cp.Subsystem):
    """A black box that cannot save."""

    inputs = ("u",)
    outputs = ("y",)

    def start(self, t):
        self.y = 1.0

    def step(self, t, t_end, u):
        self.y += (t_end - t) * (u(t)[0] - self.y)

    def output(self, t, u):
        return self.y
