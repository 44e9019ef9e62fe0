"""Compound matrices in closed form: Solcia (2010), section 3.5, with the misprints put right.

The state of the compound step is ``Y = (y_i, h f_i, y_{i-1}, h f_{i-1})`` of the fast and ``Z = (z_n, H g_n, z_{n-1},
H g_{n-1})`` of the slow variable. With BDF2, ``β = (2/3, 1, 0, 0)ᵀ`` and ``Λ_f = (I - B11)⁻¹ A``, ``Λ_s = (I - B22)⁻¹
A`` the schemes are

    DE: [ Λ_fʳ     G  ]     SF: [ Λ_fʳ + G Γ_s   G Λ_s ]     FF: [ Λ_fʳ        G         ]
        [ Γ_s     Λ_s ]         [ Γ_s            Λ_s   ]         [ Γ_s Λ_fʳ   Λ_s + Γ_s G ]

with ``G = Σ Λ_f^(r-j) Γ_fj``. All functions take arrays of h λ and return one matrix for each. What the print has
otherwise: ``(I + B)⁻¹``; second blocks without h and H; a held fast variable one small step too late.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Complex = NDArray[np.complex128]
Real = NDArray[np.float64]

#: BDF2: y+ = 4/3 y - 1/3 y_before + 2/3 h f+.
B = 2.0 / 3.0
A = np.array([[4 / 3, 0, -1 / 3, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
BETA = np.array([B, 1.0, 0.0, 0.0])
NOW, BEFORE = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])

SCHEMES = {"SF": "slowest-first", "FF": "fastest-first", "DE": "double extrapolation"}


def _value_slope_value(s: float) -> Real:
    """Parabola through z_n, g_n and z_{n-1}."""
    return np.array([1 - s * s, s + s * s, s * s, 0.0])


def _value_two_slopes(s: float) -> Real:
    """Parabola with z_n, g_n and g_{n-1}: the Taylor expansion of order 2."""
    return np.array([1.0, s + s * s / 2, 0.0, -s * s / 2])


def _line(s: float) -> Real:
    """Line through z_n and z_{n-1}."""
    return np.array([1 + s, 0.0, -s, 0.0])


def _hermite(s: float) -> Real:
    """Cubic through both values and slopes; s = 0 is the newest sample, s = -1 the one before."""
    t = 1.0 + s
    return np.array([3 * t**2 - 2 * t**3, t**3 - t**2, 1 - 3 * t**2 + 2 * t**3, t**3 - 2 * t**2 + t])


EXTRAPOLATIONS = {
    "value, slope, value before": _value_slope_value,
    "value, slope, slope before": _value_two_slopes,
    "line": _line,
}


@dataclass(frozen=True)
class Setting:
    """One scheme on the test equation.

    Attributes
    ----------
    scheme : str
        ``"SF"``, ``"FF"`` or ``"DE"``.
    ratio : int
        H / h.
    alpha, beta : float
        Ratio of frequencies; coupling ``β = μ ε / ((1 - α) Im λ / 2)²``.
    extrapolation : str
        Of the slow variable: a key of `EXTRAPOLATIONS`. Interpolation is Hermite's cubic.
    late : bool
        Whether the slow variable sees the fast one as the print has it, (3.5.13a): one small step before the end of
        the large one.
    """

    scheme: str
    ratio: int = 1
    alpha: float = 0.1
    beta: float = 0.1
    extrapolation: str = "value, slope, value before"
    late: bool = False


def compound_matrices(z: ArrayLike, setting: Setting) -> Complex:
    """Return the compound matrix for each h λ, shape (..., 8, 8)."""
    points = np.asarray(z, dtype=np.complex128)[..., None, None]
    r, alpha = setting.ratio, setting.alpha
    coupling = 0.5 * (1 - alpha) * np.abs(points.imag) * np.sqrt(abs(setting.beta))  # h μ, and h ε up to its sign
    fast = _inverse(points)
    slow = _inverse(r * alpha * points)
    lambda_f, lambda_s = fast @ A, slow @ A
    seen = BEFORE if setting.late else NOW
    into_slow = slow @ np.outer(BETA, seen) * coupling * r * np.sign(setting.beta)
    into_fast = fast @ BETA[:, None] * coupling
    driven = np.zeros_like(lambda_f)
    for j in range(1, r + 1):
        driven = lambda_f @ driven + into_fast * _weights(setting, j)[None, :]
    return _assembled(setting, np.linalg.matrix_power(lambda_f, r), driven, lambda_s, into_slow)


def _weights(setting: Setting, j: int) -> Real:
    """Return how the slow variable at the j-th small step is made: of Z_{n+1} in slowest-first, else of Z_n."""
    if setting.scheme == "SF":
        return _hermite(j / setting.ratio - 1.0)
    return EXTRAPOLATIONS[setting.extrapolation](j / setting.ratio)


def _inverse(z: Complex) -> Complex:
    """Return (I - β (z, 0, 0, 0))⁻¹."""
    made = np.broadcast_to(np.eye(4, dtype=np.complex128), (*z.shape[:-2], 4, 4)).copy()
    pole = 1 - B * z
    made[..., :, 0] += (
        BETA * (z / np.where(np.abs(pole) < 1e-12, 1e-12, pole))[..., 0]
    )  # at a pole: as good as infinite
    return made


def _assembled(setting: Setting, whole: Complex, driven: Complex, lambda_s: Complex, into_slow: Complex) -> Complex:
    if setting.scheme == "FF" or setting.late:
        blocks = [[whole, driven], [into_slow @ whole, lambda_s + into_slow @ driven]]
    elif setting.scheme == "DE":
        blocks = [[whole, driven], [into_slow, lambda_s]]
    else:
        blocks = [[whole + driven @ into_slow, driven @ lambda_s], [into_slow, lambda_s]]
    rows = [np.concatenate(row, axis=-1) for row in blocks]
    return np.concatenate(rows, axis=-2)


def radius(z: ArrayLike, setting: Setting) -> Real:
    """Return the spectral radius for each h λ."""
    return np.asarray(np.max(np.abs(np.linalg.eigvals(compound_matrices(z, setting))), axis=-1))


def bdf2_radius(z: ArrayLike, *, printed: bool = False) -> Real:
    """Return the spectral radius of BDF2 alone; ``printed``: with the sign of the print, (I + B11)⁻¹."""
    points = np.asarray(z, dtype=np.complex128)[..., None, None]
    made = _inverse_printed(points) if printed else _inverse(points)
    return np.asarray(np.max(np.abs(np.linalg.eigvals(made @ A)), axis=-1))


def _inverse_printed(z: Complex) -> Complex:
    made = np.broadcast_to(np.eye(4, dtype=np.complex128), (*z.shape[:-2], 4, 4)).copy()
    made[..., :, 0] += BETA * z[..., 0]
    return np.asarray(np.linalg.inv(made))
