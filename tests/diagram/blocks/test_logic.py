"""Comparison, logic, edges and latches."""

import itertools

import numpy as np
import pytest

import counterpoint as cp

U, V = np.array([-1.0, 0.0, 0.0, 1.0, 2.0]), np.array([0.0, 0.0, -1.0, 1.5, 2.0])


@pytest.mark.parametrize(
    ("relation", "function"),
    [
        ("<", np.less),
        ("<=", np.less_equal),
        (">", np.greater),
        (">=", np.greater_equal),
        ("==", np.equal),
        ("!=", np.not_equal),
    ],
)
def test_a_comparison_is_its_relation(probe, relation, function):
    _, y = probe(lambda m: m.compare(m.constant(U), relation, m.constant(V)), until=0.1)
    assert np.array_equal(y[-1], function(U, V))
    _, y = probe(lambda m: m.compare(m.constant(U), relation, 0.0), until=0.1)
    assert np.array_equal(y[-1], function(U, 0.0))


def test_equality_may_have_a_tolerance(probe):
    # |t - 0.5| <= 0.2 holds for 0.4 s, found inside one step of 1 s.
    _, y = probe(lambda m: m.integrator(m.clock().equal_to(0.5, tolerance=0.2)), step=1.0)
    assert y[-1] == pytest.approx(0.4, abs=1e-9)
    _, y = probe(lambda m: m.integrator(m.clock().not_equal_to(0.5, tolerance=0.2)), step=1.0)
    assert y[-1] == pytest.approx(0.6, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("logical_and", all),
        ("logical_or", any),
        ("logical_nand", lambda u: not all(u)),
        ("logical_nor", lambda u: not any(u)),
        ("logical_xor", lambda u: sum(map(bool, u)) % 2 == 1),
    ],
)
def test_a_logical_block_has_its_truth_table(probe, kind, function):
    rows = np.array(list(itertools.product([0.0, -2.0], repeat=3)))  # all that is not zero is true
    _, y = probe(lambda m: getattr(m, kind)(*(m.constant(column) for column in rows.T)), until=0.1)
    assert y[-1].tolist() == [float(function(row)) for row in rows]


def test_not_turns_around(probe):
    _, y = probe(lambda m: m.logical_not(m.constant([0.0, 3.0])), until=0.1)
    assert y[-1].tolist() == [1.0, 0.0]


def test_the_time_during_which_a_condition_holds_is_exact(probe):
    def build(m):
        u = m.sine(1.0)
        return m.integrator((u > 0.5) & ~(u > 0.8) | (u < -0.5))

    _, y = probe(build, until=2 * np.pi, step=2 * np.pi / 7)
    exact = 2 * (np.arcsin(0.8) - np.arcsin(0.5)) + (np.pi - 2 * np.arcsin(0.5))
    assert y[-1] == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(("kind", "moments"), [("detect_rise", [0.5, 2.5]), ("detect_fall", [1.5, 3.5])])
def test_edges_of_a_truth_value_are_detected_at_their_instant(probe, kind, moments):
    t, y = probe(lambda m: getattr(m, kind)(m.pulse(2.0, start=0.5)), until=4.0, step=0.25)
    assert t[y == 1.0].tolist() == moments
    assert set(y) == {0.0, 1.0}


def test_an_edge_triggers_once(probe):
    ticks = cp.Diagram("ticks")
    ticks.output("now", ticks.clock())

    def build(m):
        return m.superblock(ticks, trigger=m.detect_fall(m.pulse(2.0, start=0.5)))

    t, y = probe(build, until=4.0, step=0.1)
    assert y == pytest.approx(np.select([t < 1.5 - 1e-9, t < 3.5 - 1e-9], [0.0, 1.5], 3.5), abs=1e-9)


def test_a_latch_remembers_what_was_last(probe):
    def build(m):
        latch = m.latch(m.sine(1.0) > 0.5, m.sine(1.0) < -0.5)
        return m.mux(latch["q"], latch["not_q"])

    t, y = probe(build, until=12.0, step=0.3)
    phase = np.mod(t, 2 * np.pi)
    expected = (phase > np.pi / 6) & (phase < 7 * np.pi / 6)
    assert np.array_equal(y[:, 0], expected)
    assert np.array_equal(y[:, 1], 1 - y[:, 0])


@pytest.mark.parametrize(("priority", "q"), [("set", 1.0), ("reset", 0.0)])
def test_the_latch_says_which_input_wins(probe, priority, q):
    _, y = probe(lambda m: m.latch(1.0, 1.0, priority=priority)["q"])
    assert np.array_equal(y, np.full(11, q))


def test_a_latch_begins_as_told(probe):
    _, y = probe(lambda m: m.latch(0.0, 0.0, initial=True)["q"])
    assert np.array_equal(y, np.ones(11))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.compare(m.clock(), "=>", 1.0), '"=>" is not one of'),
        (lambda m: m.compare(m.clock(), "<", 1.0, tolerance=0.1), "applies only with == and !="),
        (lambda m: m.compare(m.clock(), "==", 1.0, tolerance=-0.1), '"tolerance": -0.1; expected 0 or more'),
        (lambda m: m.logical_and(), '"count": 0; 1 to 10000'),
        (lambda m: m.latch(priority="none"), "not one of set, reset"),
        (lambda m: m.latch(m.constant([1.0, 2.0]), 0.0)["q"], "expected a scalar"),
    ],
)
def test_what_does_not_fit_is_refused(probe, make, message):
    with pytest.raises(cp.SetupError, match=message):
        probe(make)
