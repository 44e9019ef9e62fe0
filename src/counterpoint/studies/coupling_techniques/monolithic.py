"""The linkage and its engine as one block diagram with one solver: no coupling at all.

Twice. `by_hand` uses what a clever engineer sees: all cranks turn alike, so the linkage is one degree of freedom; it
is exact and serves as the reference. `by_blocks` does what a general mechanical library inside a block diagram does:
all coordinates are states of the diagram, and their accelerations are solved for at every stage (a Python function
with NumPy here).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import Diagram
from .linkage import DAMPING, GRAVITY, START_SPEED, STEP, THROTTLE, drive

Array = NDArray[np.float64]

FREQUENCY = 400.0
"""Natural frequency and damping of constraint errors, rad/s: ode4 with 1 ms is stable up to some 2000."""


def by_hand(loops: int) -> Diagram:
    """Return the linkage as θ'' = (T - c θ' + g m r sin θ) / J, θ clockwise from upright."""
    cranks, couplers = loops + 1.0, float(loops)
    inertia = cranks / 3.0 + couplers
    weight = GRAVITY * (cranks / 2.0 + couplers)
    model = Diagram("whole", step=STEP)
    speed = model.integrator(initial=START_SPEED, name="speed")
    angle = model.integrator(speed, name="angle")
    engine = _engine(model, speed)
    torque = engine["axle_torque"] - DAMPING * speed + weight * model.sin(angle)
    torque * (1.0 / inertia) >> speed
    model.output("speed", speed, unit="rad/s")
    return model


def by_blocks(loops: int) -> Diagram:
    """Return the linkage as 2 (L + 1) coordinates of its tops, with constraints, inside the diagram."""
    n = 2 * (loops + 1)
    model = Diagram("whole", step=STEP)
    velocity = model.integrator(initial=np.tile([START_SPEED, 0.0], loops + 1), name="velocity")
    place = model.integrator(velocity, initial=np.ravel([(float(i), 1.0) for i in range(loops + 1)]), name="place")
    speed = model.function(_crank_speed, place, velocity, name="speed")
    engine = _engine(model, speed)
    accelerations = model.function(
        _accelerations(loops), place, velocity, engine["axle_torque"], outputs=n, name="mechanism"
    )
    accelerations >> velocity
    model.output("speed", speed, unit="rad/s")
    return model


def _engine(model: Diagram, speed: Any) -> Any:
    angle = model.table(*THROTTLE, name="throttle")
    return model.superblock(drive(), throttle=angle, wheel_speed=speed, name="engine")


def _crank_speed(t: float, q: Array, v: Array) -> float:
    return float(q[1] * v[0] - q[0] * v[1])  # clockwise; A0 is the origin, the crank 1 m


def _accelerations(loops: int) -> Callable[[float, Array, Array, float], Array]:
    """Return q'' as a function of time, q, v and torque: index 1 with constraints stabilised."""
    count = loops + 1
    mass = _mass_matrix(count)
    weight = np.zeros(2 * count)
    weight[1::2] = -GRAVITY * mass.sum(axis=1)[1::2]
    anchors = np.arange(count, dtype=float)
    pairs = np.arange(loops)

    def accelerations(t: float, q: Array, v: Array, torque: float) -> Array:
        tops, speeds = q.reshape(-1, 2), v.reshape(-1, 2)
        arms, rates = tops.copy(), speeds
        arms[:, 0] -= anchors
        rods, rod_rates = np.diff(tops, axis=0), np.diff(speeds, axis=0)
        jacobian = np.zeros((count + loops, 2 * count))
        for axis in range(2):
            jacobian[np.arange(count), 2 * np.arange(count) + axis] = arms[:, axis]
            jacobian[count + pairs, 2 * pairs + axis] = -rods[:, axis]
            jacobian[count + pairs, 2 * pairs + 2 + axis] = rods[:, axis]
        vectors, changes = np.vstack([arms, rods]), np.vstack([rates, rod_rates])
        error = ((vectors**2).sum(axis=1) - 1.0) / 2.0
        error_rate = (vectors * changes).sum(axis=1)
        wanted = -(changes**2).sum(axis=1) - 2.0 * FREQUENCY * error_rate - FREQUENCY**2 * error
        force = weight.copy()
        moment = torque - DAMPING * _crank_speed(t, q, v)
        force[:2] += moment * np.array([arms[0, 1], -arms[0, 0]])
        zero = np.zeros((len(wanted), len(wanted)))
        zero[np.diag_indices_from(zero)] = -1e-12  # flat cranks make constraints dependent for an instant
        matrix = np.block([[mass, jacobian.T], [jacobian, zero]])
        return np.asarray(np.linalg.solve(matrix, np.concatenate([force, wanted]))[: 2 * count])

    return accelerations


def _mass_matrix(count: int) -> Array:
    """Return M of thin rods of 1 kg in the coordinates of their ends, fixed ends left out."""
    small = np.eye(count) / 3.0  # one end of a crank
    for i in range(count - 1):
        small[i : i + 2, i : i + 2] += np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    return np.asarray(np.kron(small, np.eye(2)), dtype=np.float64)
