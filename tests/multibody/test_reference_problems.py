"""The benchmark problems A01 to A05 of the IFToMM and LIM libraries, and examples of the Modelica library.

A01 and A02 are compared with closed forms (their motion is that of one pendulum: Jacobi's amplitude), A03 with the published
solution of the test set for IVP solvers, A04 and A05 with references that two independent programs agree on, and the
Modelica examples with figures of the Modelica Association's reference results.
"""

import math

import numpy as np
import pytest

from counterpoint.multibody import Formulation, Mechanism
from counterpoint.multibody.library import andrews, bricard, flyball, four_bar, pendulum

G = 9.81


def amplitude(u, m):
    """Jacobi's am(u | m) by the arithmetic-geometric mean (Abramowitz and Stegun 16.4), and the quarter period K(m)."""
    a, b, ratios = 1.0, math.sqrt(1.0 - m), []
    while abs(a - b) > 1e-15 * a:
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        ratios.append(c / a)
    phi = 2.0 ** len(ratios) * a * np.asarray(u, dtype=float)
    for ratio in reversed(ratios):
        phi = (phi + np.arcsin(ratio * np.sin(phi))) / 2
    return phi, math.pi / (2 * a)


def swinging_pendulum(t):
    """x, y of a point on a rod of 1 m that was let go flat on the right."""
    _, quarter = amplitude(0.0, 0.5)
    phi, _ = amplitude(quarter - math.sqrt(G) * np.asarray(t), 0.5)
    half = np.sin(phi) * math.sqrt(0.5)  # sine of half the angle from the bottom
    return np.stack([2 * half * np.sqrt(1 - half**2), 2 * half**2 - 1], axis=-1)


def turning_crank(loops, t):
    """x, y of B0: all cranks turn as one pendulum that goes over the top, there with 1 rad/s."""
    k = G * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    energy = 0.5 + k
    m = 2 * k / (energy + k)
    _, quarter = amplitude(0.0, m)
    phi, _ = amplitude(quarter + math.sqrt((energy + k) / 2) * np.asarray(t), m)
    # The angle from the bottom grows clockwise: B0 goes from the top to the right.
    return np.stack([-np.sin(2 * phi), -np.cos(2 * phi)], axis=-1)


def lim_error(values, exact, threshold=1e-3):
    """Error measure of the LIM library (González et al. 2006)."""
    scaled = (values - exact) / np.maximum(np.abs(exact), threshold)
    return math.sqrt(np.mean(scaled**2))


def test_the_closed_forms_agree_with_the_published_figures():
    np.testing.assert_allclose(swinging_pendulum(2000.0), (-0.8146030686, -0.5800188278), atol=1e-9)
    np.testing.assert_allclose(turning_crank(2, 10.0), (0.3284581115, 0.9445185382), atol=2e-9)
    np.testing.assert_allclose(turning_crank(40, 20.0), (0.4109011538, 0.9116799010), atol=2e-9)
