"""General error measures against values known by hand."""

import numpy as np
import pytest

from counterpoint.quality.errors import hermite, relative_rms_error


def test_the_relative_error_needs_equal_shapes():
    with pytest.raises(ValueError, match=r"shape \(2,\), reference \(3,\)"):
        relative_rms_error([1.0, 2.0], [1.0, 2.0, 3.0])


def test_the_relative_error_to_a_zero_reference_is_zero_or_infinite():
    assert relative_rms_error([0.0, 0.0], [0.0, 0.0]) == 0
    assert relative_rms_error([0.0, 1.0], [0.0, 0.0]) == np.inf


def test_hermite_reproduces_cubics_on_any_grid():
    nodes = np.array([0.0, 0.3, 1.1, 2.0])
    times = np.linspace(0.0, 2.2, 45)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(
        hermite(times, nodes, cubic(nodes), cubic.deriv()(nodes)), cubic(times), rtol=1e-12, atol=1e-12
    )
