"""The two masses of González et al. (2011) between three springs, cut at the middle spring."""

import numpy as np

import counterpoint as cp


def two_mass(ratio, approximation, fast_solver="ode4", slow_solver="trapezoidal"):
    """Return the system for a ratio of frequencies; steps 0.01 s and ratio times that."""
    d = (2 * np.pi) ** 2 * (1 - 1 / ratio**2)
    m1, m2, k1, k3 = 1.01 / d, 101 / d, 1.01 / (ratio**2 - 1), 101 / (ratio**2 - 1)
    system = cp.System("two masses")
    for name, m, k, x0, solver, step in (
        ("fast", m1, k1, 11.0, fast_solver, 0.01),
        ("slow", m2, k3, 9.99, slow_solver, 0.01 * ratio),
    ):
        mass = cp.linear(
            [[0, 1], [-(k + 1) / m, 0]],
            [[0], [1 / m]],
            [[1, 0]],
            x0=[x0, 0],
            inputs="u",
            outputs="x",
            solver=solver,
        )
        system.add(name, mass, step=step)
    system.connect("fast.x", "slow.u", approximation)
    system.connect("slow.x", "fast.u", approximation)
    return system
