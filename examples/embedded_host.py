"""Your own program as master: a Runge-Kutta loop that asks Counterpoint for its input at every stage."""

import counterpoint as cp

system = cp.System("two masses, embedded")
system.add_host("host", inputs=["x2"], outputs=["x1"])
A, B = [[0, 1], [-0.78175, 0]], [[0], [0.38697]]
system.add("slow", cp.linear(A, B, x0=[9.99, 0], outputs=["x", "v"], solver="trapezoidal"), step=0.1)
system.connect("host.x1", "slow.u", cp.lagrange(2))
system.connect("slow.x", "host.x2", cp.lagrange(3))
interface = system.embed("host", "slowest-first")


def slope(t, x, v, is_major=False):
    (x2,) = interface.evaluate(t, [x], is_major)
    return v, -39.09145 * x + 38.69667 * x2


x, v, h = 11.0, 0.0, 0.01
for k in range(10_000):
    t = k * h
    a = slope(t, x, v, is_major=True)  # an accepted step: x is published
    b = slope(t + h / 2, x + h / 2 * a[0], v + h / 2 * a[1])
    c = slope(t + h / 2, x + h / 2 * b[0], v + h / 2 * b[1])
    d = slope(t + h, x + h * c[0], v + h * c[1])
    x += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
    v += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
print(f"x1 after 100 s: {x:.3f} m (exact: 11 m); the slow side stands at {interface.time('slow'):g} s")
