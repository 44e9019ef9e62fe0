import numpy as np
import pytest

from counterpoint.results import FileStore, MemoryStore, RunLayout, RunSummary, SubsystemLayout
from counterpoint.results.store import DefectSummary, HeldInput

ONE = RunLayout((SubsystemLayout("a", ("y",)),))


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    made = MemoryStore(ONE) if request.param == "memory" else FileStore(tmp_path / "run.h5", ONE)
    yield made
    made.close(RunSummary("finished"))


def test_a_store_copies_the_block_so_that_the_run_may_reuse_its_memory(store):
    block = np.array([[0.0, 1.0], [1.0, 2.0]])
    store.append(0, block)
    block[:] = 99.0
    store.append(0, block[:0])
    assert store.view().values(0)[:, 0].tolist() == [1.0, 2.0]


def test_rows_come_back_in_the_order_they_were_appended(store):
    for k in range(1000):
        store.append(0, np.array([[k, 2.0 * k]]))
    view = store.view()
    assert view.rows(0) == 1000
    assert view.times(0).tolist() == list(range(1000))
    assert view.values(0)[:, 0].tolist() == [2.0 * k for k in range(1000)]
    assert view.times(0, slice(3, 5)).tolist() == [3.0, 4.0]


def test_a_block_of_the_wrong_shape_is_refused_and_the_subsystem_named(store):
    with pytest.raises(ValueError, match=r"a: a block has shape \(2, 3\); \(n, 2\)"):
        store.append(0, np.zeros((2, 3)))


def test_memory_rows_cannot_be_changed_through_a_view():
    store = MemoryStore(ONE)
    store.append(0, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="read-only"):
        store.values(0)[0, 0] = 1.0


def test_units_may_be_left_out_but_not_half_given():
    assert SubsystemLayout("a", ("x", "y")).units == ("", "")
    with pytest.raises(ValueError, match="2 columns but 1 units"):
        SubsystemLayout("a", ("x", "y"), ("m",))


@pytest.mark.parametrize(
    ("rms", "scale", "magnitude", "relative"),
    [(0.1, 2.0, 0.0, 0.05), (0.0, 0.0, 0.0, 0.0), (0.1, 0.0, 0.0, np.inf), (1e-15, 1e-16, 5.0, 0.0)],
)
def test_the_relative_defect_tells_rounding_from_error(rms, scale, magnitude, relative):
    assert DefectSummary("c", "", 10, rms, 0.0, rms, scale, magnitude).relative == relative


TWO = RunLayout((SubsystemLayout("a", ("x", "y")),), ("a.y -> b.u", "a.x -> b.v"))


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_defects_of_held_inputs_follow_from_the_rows_of_their_source(kind, tmp_path):
    """However the rows come; what was assumed is the value before, after gain and offset."""
    store = MemoryStore(TWO) if kind == "memory" else FileStore(tmp_path / "two.h5", TWO)
    rows = np.column_stack([np.arange(7.0), np.arange(7.0) ** 2, np.arange(7.0) ** 3])
    store.follow(0, HeldInput(0, 1))
    store.follow(1, HeldInput(0, 0, gain=2.0, offset=1.0))
    for first, last in ((0, 1), (1, 4), (4, 4), (4, 7)):
        store.append(0, rows[first:last])
    view = store.view()
    expected = np.column_stack([rows[1:, 0], rows[:-1, 2], rows[1:, 2]])
    assert expected.tolist() == view.defects(0).tolist()
    assert expected[2:5].tolist() == view.defects(0, slice(2, 5)).tolist()
    assert view.defects(1)[:2].tolist() == [[1.0, 1.0, 3.0], [2.0, 3.0, 9.0]]
    store.close(RunSummary("finished"))


def test_an_input_whose_source_has_published_nothing_has_no_defects():
    store = MemoryStore(TWO)
    store.follow(0, HeldInput(0, 0))
    assert store.defects(0).shape == (0, 3)
