"""FMUs for model exchange as the tests run them, and closed forms of what they do."""

import numpy as np
import pytest

import counterpoint as cp

VARIABLE = ("auto", "ode45", "ode23", "ode23s")
FIXED = ("ode2", "ode3", "ode4", "ode5", "trapezoidal")
G, E = 9.81, 0.7


def exchange(path, **options):
    return cp.fmu(path, kind="model-exchange", **options)


def theirs(path, **options):
    fmpy = pytest.importorskip("fmpy")
    return fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", **options)


def impacts(count, e=E):
    """Return when a ball dropped from 1 m hits the floor, s."""
    first = np.sqrt(2.0 / G)
    flights = 2.0 * first * e ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def changes(signal):
    """Return when a discrete signal changed."""
    return signal.time[1:][np.diff(signal.values) != 0.0]
