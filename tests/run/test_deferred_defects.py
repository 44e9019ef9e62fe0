"""Interface defects of results in memory, which are found when they are asked for."""

import pickle

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.results.defects import DeferredDefects

LABELS = ("mass.x -> wall.x", "wall.force -> mass.force")


def contact():
    """A mass that meets a stiff wall for some 60 ms."""

    def force(t, x, u):
        return [300.0 * (max(u[0], 0.0) - x[0])]

    system = cp.System("contact")
    mass = cp.linear([[0, 1], [0, 0]], [[0], [-2500.0]], [[1, 0]], x0=[-1.0, 2.0], inputs="force", outputs="x")
    system.add("mass", mass, step=1e-3)
    system.add("wall", cp.ode(force, [0.0], inputs="x", outputs="force", solver="ode4"), step=2e-3)
    system.connect(*LABELS[0].split(" -> "), cp.lagrange(1))
    system.connect(*LABELS[1].split(" -> "), cp.lagrange(1))
    return system


@pytest.mark.parametrize("window", [None, cp.window(8e-3, repeats=2)], ids=["once", "windows"])
@pytest.mark.parametrize("first_steps", ["once", "auto"])
@pytest.mark.parametrize("scheme", ["parallel", "slowest-first", "fastest-first"])
def test_a_short_contact_is_seen_as_in_a_run_that_compares_all_the_time(tmp_path, scheme, first_steps, window):
    """A run that goes to a file compares during the run. The contact lasts 60 of 1000 ms."""
    options = {"until": 1.0, "scheme": scheme, "first_steps": first_steps, "window": window, "check": "off"}
    later = contact().run(**options)
    during = contact().run(file=tmp_path / "run.h5", **options)
    assert isinstance(later.summary.defects, DeferredDefects)
    assert list(later.summary.defects) == list(during.summary.defects)
    for label in LABELS:
        ours, theirs = later.defect(label), during.defect(label)
        for column in ("time", "assumed", "arrived"):
            assert np.array_equal(getattr(ours, column), getattr(theirs, column)), (label, column)
    of_mass = later.defect(max(later.summary.defects, key=lambda one: one.count).connection)
    behind_start = of_mass.time > 0.1  # the first step has one sample only
    worst = np.argmax(np.abs(of_mass.values[behind_start]))
    assert 0.49 < of_mass.time[behind_start][worst] < 0.6


def test_a_result_can_be_given_away_before_its_defects_were_asked_for():
    result = contact().run(until=1.0, scheme="parallel", check="off")
    kept = pickle.loads(pickle.dumps((result._view, result.summary)))
    assert kept[1].defects == result.summary.defects
    assert np.array_equal(kept[0].defects(0), result.defect_rows(0))
