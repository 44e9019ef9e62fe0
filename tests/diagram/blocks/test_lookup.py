"""Tables over signals against numpy and scipy."""

import numpy as np
import pytest

import counterpoint as cp

interpolate = pytest.importorskip("scipy.interpolate")

X = np.array([-1.0, 0.0, 0.4, 1.5, 2.0])
Y = np.array([1.0, 3.0, 2.0, 2.0, -1.0])
U = np.linspace(-2.0, 3.0, 101)


def looked_up(probe, u=U, **options):
    return probe(lambda m: m.lookup_1d(m.constant(u), x=X, y=Y, **options), until=0.1)[1][-1]


def test_a_linear_table_clips_or_goes_on(probe):
    assert looked_up(probe) == pytest.approx(np.interp(U, X, Y), abs=1e-14)
    line = np.select([U < -1, U > 2], [1 + 2 * (U + 1), -1 - 6 * (U - 2)], np.interp(U, X, Y))
    assert looked_up(probe, extrapolation="linear") == pytest.approx(line, abs=1e-13)


@pytest.mark.parametrize("extrapolation", ["clip", "linear"])
def test_located_corners_change_no_value(probe, extrapolation):
    located = looked_up(probe, extrapolation=extrapolation, locate_corners=True)
    assert located == pytest.approx(looked_up(probe, extrapolation=extrapolation), abs=1e-14)


def test_a_cubic_table_is_the_pchip_of_scipy(probe):
    reference = interpolate.PchipInterpolator(X, Y)
    assert looked_up(probe, interpolation="cubic") == pytest.approx(reference(np.clip(U, -1, 2)), abs=1e-13)
    ends = reference.derivative()(X[[0, -1]])
    line = np.select([U < -1, U > 2], [1 + ends[0] * (U + 1), -1 + ends[1] * (U - 2)], reference(U))
    assert looked_up(probe, interpolation="cubic", extrapolation="linear") == pytest.approx(line, abs=1e-13)


@pytest.mark.parametrize("count", [2, 3, 4, 12])
def test_cubic_tables_of_any_length_are_those_of_scipy(probe, count):
    rng = np.random.default_rng(count)
    x, y = np.cumsum(rng.uniform(0.1, 1.0, count)), rng.normal(size=count)
    u = np.linspace(x[0], x[-1], 50)
    _, values = probe(lambda m: m.lookup_1d(m.constant(u), x=x, y=y, interpolation="cubic"), until=0.1)
    assert values[-1] == pytest.approx(interpolate.PchipInterpolator(x, y)(u), abs=1e-13)


def test_held_and_nearest_values(probe):
    u = U[np.abs(U - 0.2) > 1e-9]
    held = Y[np.clip(np.searchsorted(X, u, side="right") - 1, 0, 4)]
    assert np.array_equal(looked_up(probe, u, interpolation="hold"), held)
    nearest = Y[np.argmin(abs(u[:, None] - X), axis=1)]
    u_between = np.abs(np.abs(u[:, None] - (X[1:] + X[:-1]) / 2)).min(axis=1) > 1e-9
    assert np.array_equal(looked_up(probe, u, interpolation="nearest")[u_between], nearest[u_between])


def test_the_jumps_of_a_held_table_are_located(probe):
    # Input t - 1 from -1 to 2: the integral is a sum of rectangles.
    _, y = probe(lambda m: m.integrator(m.lookup_1d(m.clock() - 1, x=X, y=Y, interpolation="hold")), 3.0, 3.0)
    assert y[-1] == pytest.approx(np.sum(Y[:-1] * np.diff(X)), abs=1e-8)


def test_the_corners_of_a_linear_table_are_located_when_asked(probe):
    exact = np.trapezoid(Y, X) if hasattr(np, "trapezoid") else np.trapz(Y, X)
    errors = []
    for locate in (True, False):
        _, y = probe(lambda m, k=locate: m.integrator(m.lookup_1d(m.clock() - 1, x=X, y=Y, locate_corners=k)), 3.0, 1.0)
        errors.append(abs(y[-1] - exact))
    assert errors[0] < 1e-9 < 1e-3 < errors[1]


def test_leaving_a_table_fails_at_that_very_instant(probe):
    message = '"lookup_1d1" at t = 2 s: input "u" is 2, outside of the table from -1 to 2'
    with pytest.raises(cp.SimulationError, match=message):
        probe(lambda m: m.integrator(m.lookup_1d(m.clock(), x=X, y=Y, extrapolation="error")), 3.0, 0.7)


A, B = np.array([0.0, 1.0, 2.5, 3.0, 4.0]), np.array([-1.0, 0.0, 0.5, 2.0])
TABLE = np.random.default_rng(0).normal(size=(5, 4))
POINTS = np.random.default_rng(1).uniform([-1.0, -2.0], [5.0, 3.0], (200, 2))


def looked_up_2d(probe, points=POINTS, **options):
    u, v = points.T
    build = lambda m: m.lookup_2d(m.constant(u), m.constant(v), x=A, y=B, table=TABLE, **options)  # noqa: E731
    return probe(build, until=0.1)[1][-1]


def test_a_table_over_two_signals_is_bilinear(probe):
    reference = interpolate.RegularGridInterpolator((A, B), TABLE, bounds_error=False, fill_value=None)
    clipped = np.clip(POINTS, [0, -1], [4, 2])
    assert looked_up_2d(probe) == pytest.approx(reference(clipped), abs=1e-13)
    assert looked_up_2d(probe, extrapolation="linear") == pytest.approx(reference(POINTS), abs=1e-12)


def test_a_cubic_table_over_two_signals_is_pchip_after_pchip(probe):
    def reference(u, v):
        rows = [interpolate.PchipInterpolator(B, row)(v) for row in TABLE]
        return interpolate.PchipInterpolator(A, rows)(u)

    clipped = np.clip(POINTS, [0, -1], [4, 2])
    expected = [reference(u, v) for u, v in clipped]
    assert looked_up_2d(probe, interpolation="cubic") == pytest.approx(np.array(expected), abs=1e-12)


def test_a_cubic_table_goes_on_with_its_slope(probe):
    h = 1e-6
    edge, inside, far = looked_up_2d(
        probe, np.array([[4.0, 0.7], [4.0 - h, 0.7], [4.5, 0.7]]), interpolation="cubic", extrapolation="linear"
    )
    assert far == pytest.approx(edge + 0.5 * (edge - inside) / h, abs=1e-4)


def test_held_and_nearest_values_over_two_signals(probe):
    reference = interpolate.RegularGridInterpolator((A, B), TABLE, method="nearest")
    clipped = np.clip(POINTS, [0, -1], [4, 2])
    assert np.array_equal(looked_up_2d(probe, interpolation="nearest"), reference(clipped))
    i = np.clip(np.searchsorted(A, POINTS[:, 0], side="right") - 1, 0, 4)
    j = np.clip(np.searchsorted(B, POINTS[:, 1], side="right") - 1, 0, 3)
    assert np.array_equal(looked_up_2d(probe, interpolation="hold"), TABLE[i, j])


def test_leaving_a_table_over_two_signals_names_the_input(probe):
    with pytest.raises(
        cp.SimulationError, match=r'at t = 2\S* s: input "v" is 2\S*, outside of the table from -1 to 2'
    ):
        probe(lambda m: m.lookup_2d(1.0, m.clock(), x=A, y=B, table=TABLE, extrapolation="error"), 3.0, 0.7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.lookup_1d(x=[0.0, 1.0, 1.0], y=[1, 2, 3]), r'"x": 1 \(place 2\) follows 1; points must increase'),
        (lambda m: m.lookup_1d(x=[0.0], y=[1]), '"x": expected at least two points'),
        (lambda m: m.lookup_1d(x=[0.0, 1.0], y=[1, 2, 3]), '"y": 3 values, but "x" has 2'),
        (lambda m: m.lookup_1d(x=[0.0, 1.0], y=[1, np.inf]), '"y": must be finite'),
        (lambda m: m.lookup_1d(x=[0.0, 1.0], y=[1, 2], extrapolation="none"), "not one of clip, linear, error"),
        (lambda m: m.lookup_1d(x=[0.0, 1.0], y=[1, 2], interpolation="cubic", locate_corners=True), "linear"),
        (lambda m: m.lookup_2d(x=[0, 1], y=[0, 1, 2], table=[[1, 2], [3, 4]]), '"table": 2 x 2 values.*require 2 x 3'),
    ],
)
def test_wrong_tables_are_refused(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram())
