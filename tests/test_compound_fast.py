"""Compound-fast, generalised and mixed: one implicit step of the whole, then the fast part with its own steps."""

import math

import numpy as np
import pytest

import counterpoint as cp


def equations(rates, couplings, large, ratio, approximation=None):
    """Two linear equations, each with the trapezoidal rule: y' = l1 y + mu z with the small step, z' = l2 z + eps y."""
    system = cp.System("test equation")
    for name, rate, gain, step in zip(("fast", "slow"), rates, couplings, (large / ratio, large), strict=True):
        part = cp.linear([[rate]], [[gain]], x0=[1.0], inputs="u", outputs="y", solver="trapezoidal")
        system.add(name, part, step=step)
    system.connect("fast.y", "slow.u", approximation or cp.lagrange(1))
    system.connect("slow.y", "fast.u", approximation or cp.lagrange(1))
    return system


def by_hand(rates, couplings, large, ratio, count, share, start=(1.0, 1.0)):
    """Return fast and slow values at the ends of compound steps."""
    (l1, l2), (mu, eps) = rates, couplings
    y, z = start
    found = [(y, z)]
    a, h = share * large, large / ratio
    for _ in range(count):
        matrix = [[1 - a / 2 * l1, -a / 2 * mu * share], [-large / 2 * eps / share, 1 - large / 2 * l2]]
        right = [
            y + a / 2 * (l1 * y + mu * z + mu * z * (1 - share)),
            z + large / 2 * (l2 * z + eps * y + eps * (y - y / share)),
        ]
        _, after = np.linalg.solve(matrix, right)
        for j in range(ratio):
            z0, z1 = (z + (after - z) * k / ratio for k in (j, j + 1))
            y = (y + h / 2 * (l1 * y + mu * z0 + mu * z1)) / (1 - h / 2 * l1)
        z = after
        found.append((y, z))
    return np.array(found)


CASES = [((-5.0, -0.5), (1.0, 1.5)), ((-20.0, -1.0), (4.0, -3.0)), ((-1.0, -0.1), (-0.5, 0.4))]


@pytest.mark.parametrize("share", [1.0, 0.5, "mixed"])
@pytest.mark.parametrize(("rates", "couplings"), CASES)
def test_compound_steps_are_those_of_the_formulas(rates, couplings, share):
    large, ratio, count = 0.5, 10, 12
    window = cp.compound_fast(share=share, tolerance=1e-13)
    result = equations(rates, couplings, large, ratio).run(until=count * large, window=window)
    expected = by_hand(rates, couplings, large, ratio, count, 1 / ratio if share == "mixed" else share)
    np.testing.assert_allclose(result["slow.y"].values, expected[:, 1], atol=1e-10)
    np.testing.assert_allclose(result["fast.y"].values[::ratio], expected[:, 0], atol=1e-10)
    assert result.summary.steps == [count * ratio, count]
    assert result.summary.windows.not_converged == 0


@pytest.mark.parametrize("share", [0.5, "mixed"])
def test_a_last_window_that_is_shorter_has_the_same_share_or_the_same_first_step(share):
    """Mixed compound-fast makes a step of the fast one's own length, however much of the window that is."""
    rates, couplings = CASES[0]
    window = cp.compound_fast(share=share, tolerance=1e-13)
    result = equations(rates, couplings, 0.5, 10).run(until=2.2, window=window)
    whole = by_hand(rates, couplings, 0.5, 10, 4, 0.1 if share == "mixed" else share)
    rest = by_hand(rates, couplings, 0.2, 4, 1, 0.25 if share == "mixed" else share, start=whole[-1])
    assert result["slow.y"].values[-1] == pytest.approx(rest[-1, 1], abs=1e-10)
    assert result["fast.y"].values[-1] == pytest.approx(rest[-1, 0], abs=1e-10)


def test_compound_steps_are_stable_where_explicit_schemes_are_not():
    """Two masses with a stiff spring between them, an energy-conserving coupling with a large step of half its period and more."""

    def build():
        system = cp.System("stiff")
        for name, x0, step in (("fast", 1.0, 0.05), ("slow", 0.0, 0.5)):
            mass = cp.linear(
                [[0, 1], [-51, -0.1]], [[0], [50]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x",
                solver="trapezoidal",
            )  # fmt: skip
            system.add(name, mass, step=step)
        system.connect("fast.x", "slow.u", cp.lagrange(1))
        system.connect("slow.x", "fast.u", cp.lagrange(1))
        return system

    for scheme in ("slowest-first", "fastest-first", "parallel"):
        grown = build().run(until=50.0, scheme=scheme)["fast.x"].values
        assert np.abs(grown).max() > 4.0
    result = build().run(until=50.0, window=cp.compound_fast())
    assert np.abs(result["fast.x"].values[-100:]).max() < 1.0
    assert result.summary.windows.not_converged == 0


def test_fast_steps_change_little_where_one_large_step_is_as_good():
    """With ratio 1 a compound step is the implicit step of the whole."""
    system = equations((-2.0, -0.5), (1.0, 1.5), 0.1, 1)
    whole = cp.window(0.1, acceleration="iqn-ils", tolerance=1e-13)
    compound = cp.compound_fast(0.1, fast=["fast"], tolerance=1e-13)
    ends = [system.run(until=2.0, window=window)["slow.y"].values for window in (whole, compound)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-11)


def test_the_order_in_the_large_step_is_that_of_the_rules():
    errors = []
    for large in (0.2, 0.1, 0.05):
        result = equations((-5.0, -0.5), (1.0, 1.5), large, 10).run(until=2.0, window=cp.compound_fast(tolerance=1e-12))
        matrix = np.array([[-5.0, 1.0], [1.5, -0.5]])
        values, vectors = np.linalg.eig(matrix)
        exact = (vectors @ np.diag(np.exp(2.0 * values)) @ np.linalg.inv(vectors) @ [1.0, 1.0])[1]
        errors.append(abs(result["slow.y"].values[-1] - exact))
    assert math.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("share", [1.0, "mixed"])
def test_defects_are_those_of_the_samples_that_count(tmp_path, share):
    """The slow one has read the large step of the fast one; what that publishes is what its own steps gave."""
    window = cp.compound_fast(share=share, tolerance=1e-12)
    system = equations((-5.0, -0.5), (1.0, 1.5), 0.5, 10)
    seen = []
    for options in ({}, {"file": tmp_path / "run.h5"}):
        result = system.run(until=5.0, window=window, **options)
        defect = result.defect("fast.y -> slow.u")
        ends = np.isin(result["fast.y"].time.round(9), defect.time.round(9))
        np.testing.assert_array_equal(np.ravel(defect.arrived), result["fast.y"].values[ends])
        assert np.max(np.abs(defect.assumed - defect.arrived)) > 1e-4
        seen.append([np.ravel(column).tolist() for column in (defect.time, defect.assumed, defect.arrived)])
    assert seen[0] == seen[1]


def test_threads_change_no_bit():
    runs = [
        equations((-5.0, -0.5), (1.0, 1.5), 0.5, 10).run(until=5.0, window=cp.compound_fast(share=0.5), threads=n)
        for n in (1, 3)
    ]
    assert np.array_equal(runs[0]["fast.y"].values, runs[1]["fast.y"].values)


@pytest.mark.parametrize(
    ("options", "window", "text"),
    [
        ({"scheme": "parallel"}, {}, 'compound steps need the scheme "slowest-first"'),
        ({}, {"fast": ["fsat"]}, 'no subsystem "fsat"; did you mean "fast"'),
        ({}, {"fast": ["slow", "fast"]}, "no slow subsystem reads a fast one"),
        ({}, {"length": 1.0}, r"all subsystems have steps shorter than the compound step, 1 s, .* use .* 0\.5 s, or"),
        ({}, {"share": 2.0}, "window.compound: 2.0; expected a number above 0, at most 1"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told(options, window, text):
    with pytest.raises(cp.SetupError, match=text):
        equations((-5.0, -0.5), (1.0, 1.5), 0.5, 10).run(until=5.0, window=cp.compound_fast(**window), **options)


def test_equal_steps_need_names_of_those_that_are_refined():
    with pytest.raises(cp.SetupError, match=r"no subsystem has a step shorter than the compound step, 0\.1 s"):
        equations((-2.0, -0.5), (1.0, 1.5), 0.1, 1).run(until=2.0, window=cp.compound_fast())
