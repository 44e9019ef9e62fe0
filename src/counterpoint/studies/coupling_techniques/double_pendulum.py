"""The double pendulum of section 5.3: 1 kg, 1 m, 10 s, with its dynamic terms written in four languages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...multibody import Mechanism

Array = NDArray[np.float64]

GRAVITY = 9.81
START = (1.0, 0.0, 2.0, 0.0)
"""Both rods level, m: the source's figure shows no numbers; this start is ours."""


def mechanism() -> Mechanism:
    """Return it as two points and two rods: the standalone multibody program. It shows what the others show."""
    model = Mechanism("pendulum", dimension=2, gravity=(0.0, -GRAVITY))
    model.point("O", (0.0, 0.0), fixed=True)
    for name, pivot, place in (("A", "O", START[:2]), ("B", "A", START[2:])):
        model.point(name, place)
        model.point_mass(name, 1.0)
        model.distance_constraint(f"rod {name}", pivot, name, 1.0)
    model.standard_outputs = ("q",)
    return model


def python_terms(
    t: float, q: Array, v: Array, u: Array
) -> tuple[Array, list[float], list[list[float]], list[float], list[float]]:
    """Return M, Phi, J, Q and c of Phi'' = J a + c."""
    upper, lower = q[:2], q[2:] - q[:2]
    turning, swinging = v[:2], v[2:] - v[:2]
    phi = [float(upper @ upper - 1.0) / 2.0, float(lower @ lower - 1.0) / 2.0]
    rates = [float(turning @ turning), float(swinging @ swinging)]
    return np.eye(4), phi, [[*upper, 0.0, 0.0], [*-lower, *lower]], [0.0, -GRAVITY, 0.0, -GRAVITY], rates


C_TERMS = """
void terms(double t, const double *q, const double *v, const double *u,
           double *M, double *Phi, double *J, double *Q, double *rates) {
  const double a = q[0], b = q[1], c = q[2] - q[0], d = q[3] - q[1], e = v[2] - v[0], f = v[3] - v[1];
  for (int i = 0; i < 4; ++i) M[5 * i] = 1.0;
  Phi[0] = (a * a + b * b - 1.0) / 2.0;
  Phi[1] = (c * c + d * d - 1.0) / 2.0;
  J[0] = a; J[1] = b; J[4] = -c; J[5] = -d; J[6] = c; J[7] = d;
  Q[1] = Q[3] = -9.81;
  rates[0] = v[0] * v[0] + v[1] * v[1];
  rates[1] = e * e + f * f;
}
"""

M_TERMS = """
function [M, Phi, J, Q, c] = double_pendulum(t, q, v, u)
  M = eye(4);
  upper = q(1:2);
  lower = q(3:4) - q(1:2);
  Phi = [(upper.' * upper - 1) / 2; (lower.' * lower - 1) / 2];
  J = [upper.', 0, 0; -lower.', lower.'];
  Q = [0; -9.81; 0; -9.81];
  c = [v(1:2).' * v(1:2); (v(3:4) - v(1:2)).' * (v(3:4) - v(1:2))];
end
"""
