"""Compare schemes and orders: two masses on springs against the exact motion."""

import matplotlib.pyplot as plt
import numpy as np

import counterpoint as cp

FAST = [[0, 1], [-39.09145093675036, 0]], [[0], [38.69666676070679]]
SLOW = [[0, 1], [-0.7817508436506422, 0]], [[0], [0.38696666760706794]]


def run(scheme, order):
    system = cp.System("two masses")
    system.add("fast", cp.linear(*FAST, x0=[11, 0], outputs=["x", "v"], solver="ode4"), step=0.01)
    system.add("slow", cp.linear(*SLOW, x0=[9.99, 0], outputs=["x", "v"], solver="trapezoidal"), step=0.1)
    system.connect("slow.x", "fast.u", cp.lagrange(order))
    system.connect("fast.x", "slow.u", cp.lagrange(order))
    return system.run(until=100.0, scheme=scheme)


def error(result):
    x = result["fast.x"]
    exact = np.cos(2 * np.pi * x.time) + 10 * np.cos(0.2 * np.pi * x.time)
    return np.sqrt(np.mean((x.values - exact) ** 2) / np.mean(exact**2))


orders = range(5)
print("scheme         " + "".join(f"   order {order}" for order in orders))
for scheme in ("slowest-first", "fastest-first", "parallel"):
    errors = [error(run(scheme, order)) for order in orders]
    print(f"{scheme:15}" + "".join(f"{value:10.4f}" for value in errors))
    plt.semilogy(orders, errors, "o-", label=scheme)
plt.gca().set(xlabel="order of the polynomials", ylabel="relative error of the fast mass", xticks=orders)
plt.legend()
plt.savefig("compare-schemes.png", dpi=120, bbox_inches="tight")
