"""Interface defects that are found when they are asked for, from what was recorded in memory or in a file."""

import pickle
import shutil

import h5py
import numpy as np
import pytest

import counterpoint as cp
from counterpoint.results.defects import DeferredDefects

LABELS = ("mass.x -> wall.x", "wall.force -> mass.force")


def stiff(t, x, u):
    return [300.0 * (max(u[0], 0.0) - x[0])]


def contact(force=stiff):
    """A mass that meets a stiff wall for some 60 ms."""
    system = cp.System("contact")
    mass = cp.linear([[0, 1], [0, 0]], [[0], [-2500.0]], [[1, 0]], x0=[-1.0, 2.0], inputs="force", outputs="x")
    system.add("mass", mass, step=1e-3)
    system.add("wall", cp.ode(force, [0.0], inputs="x", outputs="force", solver="ode4"), step=2e-3)
    system.connect(*LABELS[0].split(" -> "), cp.lagrange(1))
    system.connect(*LABELS[1].split(" -> "), cp.lagrange(1))
    return system


def assert_same_defects(ours, theirs):
    """Figures and rows, to the last bit."""
    assert list(ours.summary.defects) == list(theirs.summary.defects)
    for label in LABELS:
        one, other = ours.defect(label), theirs.defect(label)
        for column in ("time", "assumed", "arrived"):
            assert np.array_equal(getattr(one, column), getattr(other, column)), (label, column)


@pytest.mark.parametrize("window", [None, cp.window(8e-3, repeats=2)], ids=["once", "windows"])
@pytest.mark.parametrize("first_steps", ["once", "auto"])
@pytest.mark.parametrize("scheme", ["parallel", "slowest-first", "fastest-first"])
def test_a_short_contact_is_seen_as_in_a_run_that_compares_all_the_time(tmp_path, scheme, first_steps, window):
    """A run that records chosen signals compares during the run. The contact lasts 60 of 1000 ms."""
    options = {"until": 1.0, "scheme": scheme, "first_steps": first_steps, "window": window, "check": "off"}
    later = contact().run(**options)
    during = contact().run(record=["mass.x", "wall.force"], **options)
    contact().run(file=tmp_path / "run.h5", **options).close()
    assert isinstance(later.summary.defects, DeferredDefects)
    assert_same_defects(later, during)
    with cp.load(tmp_path / "run.h5") as loaded:
        assert_same_defects(loaded, during)
    of_mass = later.defect(max(later.summary.defects, key=lambda one: one.count).connection)
    behind_start = of_mass.time > 0.1  # the first step has one sample only
    worst = np.argmax(np.abs(of_mass.values[behind_start]))
    assert 0.49 < of_mass.time[behind_start][worst] < 0.6


def test_a_result_can_be_given_away_before_its_defects_were_asked_for():
    result = contact().run(until=1.0, scheme="parallel", check="off")
    kept = pickle.loads(pickle.dumps((result._view, result.summary)))
    assert kept[1].defects == result.summary.defects
    assert np.array_equal(kept[0].defects(0), result.defect_rows(0))


def rows_written(file):
    with h5py.File(file) as opened:
        return [len(opened["connections"][str(k)]["defect"]) for k in range(len(LABELS))]


def test_a_file_does_not_hold_defects_that_follow_from_its_rows(tmp_path):
    options = {"until": 1.0, "scheme": "parallel", "check": "off", "first_steps": "once"}
    contact().run(file=tmp_path / "run.h5", **options).close()
    contact().run(file=tmp_path / "chosen.h5", record=["mass.x", "wall.force"], **options).close()
    assert rows_written(tmp_path / "run.h5") == [0, 0]
    assert min(rows_written(tmp_path / "chosen.h5")) > 400


def test_a_compressed_file_has_the_defects_of_its_run(tmp_path):
    options = {"until": 1.0, "scheme": "slowest-first", "check": "off"}
    in_memory = contact().run(**options)
    contact().run(file=tmp_path / "run.h5", compress=True, **options).close()
    with cp.load(tmp_path / "run.h5") as loaded:
        assert_same_defects(loaded, in_memory)


def test_values_of_a_vector_are_compared_one_by_one(tmp_path):
    def system():
        made = cp.System("vectors")
        pair = cp.ode(lambda t, x, u: [x[1] - u[0], -x[0] + u[1]], [1.0, 0.0], inputs={"u": 2}, outputs={"y": 2})
        other = cp.ode(lambda t, x, u: [u[1] - x[0], -u[0]], [0.0, 1.0], inputs={"u": 2}, outputs={"y": 2})
        made.add("pair", pair, step=0.01)
        made.add("other", other, step=0.02)
        made.connect("pair.y", "other.u", cp.lagrange(2))
        made.connect("other.y", "pair.u", cp.lagrange(1))
        return made

    in_memory = system().run(until=1.0, scheme="parallel", check="off")
    to_file = system().run(until=1.0, scheme="parallel", check="off", file=tmp_path / "run.h5")
    assert list(to_file.summary.defects) == list(in_memory.summary.defects)
    assert len(to_file.summary.defects) == 4
    for k in range(4):
        assert np.array_equal(to_file.defect_rows(k), in_memory.defect_rows(k)), k
        assert len(to_file.defect_rows(k)) > 10


def test_the_file_of_a_killed_run_tells_the_defects_of_its_rows(tmp_path):
    """What a reader sees of a run under way is what a process leaves that is killed there."""
    whole = contact().run(until=1.0, scheme="parallel", check="off", first_steps="once")
    with contact().start(
        until=1.0, scheme="parallel", check="off", first_steps="once", file=tmp_path / "run.h5"
    ) as run:
        run.step_to(0.6)
        run._recorder.flush()
        shutil.copy(tmp_path / "run.h5", tmp_path / "killed.h5")
    with cp.load(tmp_path / "killed.h5") as killed:
        assert killed.status == "unfinished"
        for k, label in enumerate(LABELS):
            rows = killed.defect_rows(k)
            assert 0.59 < rows[-1, 0] <= 0.61, label
            assert np.array_equal(rows, whole.defect_rows(k)[: len(rows)]), label
        assert killed.quality is not None


def test_a_run_that_fails_has_the_same_defects_in_memory_and_in_a_file(tmp_path):
    def failing():
        def force(t, x, u):
            if t > 0.55:
                raise ValueError("broken")
            return stiff(t, x, u)

        return contact(force)

    results = []
    for file in ({}, {"file": tmp_path / "run.h5"}):
        with pytest.raises(cp.ModelError) as caught:
            failing().run(until=1.0, scheme="slowest-first", check="off", **file)
        results.append(caught.value.result)
    assert_same_defects(*results)
    with cp.load(tmp_path / "run.h5") as loaded:
        assert_same_defects(loaded, results[0])


def test_an_approximation_written_in_python_is_compared_during_the_run(tmp_path):
    class Latest(cp.Approximation):
        points = 1

        def evaluate(self, times, values, t):
            return values[-1]

    def system():
        made = cp.System("python")
        for name, x0 in (("a", 1.0), ("b", 0.0)):
            model = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
            made.add(name, model, step=0.01)
        made.connect("a.x", "b.u", Latest())
        made.connect("b.x", "a.u", cp.lagrange(1))
        return made

    in_memory = system().run(until=1.0, scheme="parallel", check="off", first_steps="once")
    to_file = system().run(until=1.0, scheme="parallel", check="off", first_steps="once", file=tmp_path / "run.h5")
    assert list(to_file.summary.defects) == list(in_memory.summary.defects)
    assert rows_written(tmp_path / "run.h5")[0] == len(in_memory.defect_rows(0)) > 0
    assert rows_written(tmp_path / "run.h5")[1] == 0


def test_a_file_whose_comparison_is_damaged_says_which_defects_are_missing(tmp_path):
    contact().run(until=1.0, scheme="parallel", check="off", file=tmp_path / "run.h5").close()
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["connections"]["0"].attrs["comparison"] = np.zeros(40, np.uint8)
    with cp.load(tmp_path / "run.h5") as loaded:
        assert f'defects of "{LABELS[0]}"' in loaded.summary.message
        assert len(loaded.defect_rows(1)) > 400
        assert loaded["mass.x"].values.shape == (1001,)
