"""Vectors put together and taken apart."""

import numpy as np
import pytest

import counterpoint as cp


def test_mux_puts_signals_of_any_width_after_each_other(probe):
    t, y = probe(lambda m: m.mux(m.clock(), m.constant([1.0, 2.0]), 3.0))
    assert np.array_equal(y, np.c_[t, np.tile([1.0, 2.0, 3.0], (len(t), 1))])
    assert np.array_equal(probe(lambda m: m.concatenate([1.0, 2.0], 3.0))[1][0], [1, 2, 3])


def test_demux_takes_a_vector_apart(probe):
    def parts(m, **options):
        cut = m.demux(m.constant(np.arange(6.0)), **options)
        return m.mux(*(m.sum_of_components(cut[port]) for port in cut.outputs))

    assert probe(lambda m: parts(m, outputs=3))[1][0].tolist() == [1, 5, 9]
    assert probe(lambda m: parts(m, widths=[1, 3, 2]))[1][0].tolist() == [0, 6, 9]


@pytest.mark.parametrize(
    "place",
    [
        0,
        2,
        -1,
        slice(0, 3),
        slice(None),
        slice(1, None),
        slice(-2, None),
        slice(None, None, -1),
        slice(4, 0, -2),
        [3, 0, 3],
    ],
)
def test_components_are_selected_as_those_of_an_array(probe, place):
    u = np.array([3.0, 1.0, 4.0, 1.5, 9.0])
    _, y = probe(lambda m: m.constant(u)[place])
    assert np.array_equal(y[0], u[place])


def test_a_signal_cannot_be_iterated_over():
    with pytest.raises(TypeError):
        list(cp.Diagram().constant([1.0, 2.0]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.constant([1.0, 2.0])[2], "no component 2 in a signal of width 2.*comes from constant1.y"),
        (lambda m: m.constant([1.0, 2.0])[-3], "no component -3"),
        (lambda m: m.constant([1.0, 2.0])[2:], "selects nothing"),
        (lambda m: m.constant([1.0, 2.0])[0.5], '"indices": 0.5; expected integers'),
        (lambda m: m.constant([1.0, 2.0])[::0], '"step": 0'),
        (lambda m: m.demux(m.constant([1.0, 2.0]), outputs=3)["y1"], "3 equal parts.*width 2"),
        (lambda m: m.demux(m.constant([1.0, 2.0]), widths=[1, 2])["y1"], "add up to 3"),
        (lambda m: m.demux(widths=[0, 2]), '"widths": 0; expected integers of at least 1'),
        (lambda m: m.mux(), '"count": 0; expected 1 or more'),
    ],
)
def test_what_does_not_fit_is_refused(probe, make, message):
    with pytest.raises(cp.SetupError, match=message):
        probe(make)
