import numpy as np
import pytest

from counterpoint.results import FileStore, MemoryStore, RunLayout, RunSummary, SubsystemLayout
from counterpoint.results.store import DefectSummary

ONE = RunLayout((SubsystemLayout("a", ("y",)),))


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    made = MemoryStore(ONE) if request.param == "memory" else FileStore(tmp_path / "run.h5", ONE)
    yield made
    made.close(RunSummary("finished"))


def test_a_store_may_keep_a_block_but_never_writes_to_it(store):
    blocks = [np.array([[2.0 * k, 1.0], [2.0 * k + 1, 2.0]]) for k in range(40)]
    for block in blocks:
        block.flags.writeable = False
        store.append(0, block)
        assert store.view().values(0)[-2:, 0].tolist() == [1.0, 2.0]
    assert store.view().times(0).tolist() == list(range(80))
    assert [block[:, 1].tolist() for block in blocks] == [[1.0, 2.0]] * 40


def test_rows_come_back_in_the_order_they_were_appended(store):
    for k in range(1000):
        store.append(0, np.array([[k, 2.0 * k]]))
    view = store.view()
    assert view.rows(0) == 1000
    assert view.times(0).tolist() == list(range(1000))
    assert view.values(0)[:, 0].tolist() == [2.0 * k for k in range(1000)]
    assert view.times(0, slice(3, 5)).tolist() == [3.0, 4.0]


def test_a_block_of_the_wrong_shape_is_refused_and_the_subsystem_named(store):
    with pytest.raises(ValueError, match=r"a: a block has shape \(2, 3\); expected \(n, 2\)"):
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


class Later:
    """Rows that are made when they are first read."""

    def __init__(self, rows):
        self.rows, self.made = rows, 0
        self.shape = rows.shape

    def __len__(self):
        return len(self.rows)

    def __array__(self, dtype=None, copy=None):
        self.made += 1
        return self.rows


@pytest.mark.parametrize("kind", ["memory", "file"])
@pytest.mark.parametrize("count", [7, 3000])
def test_defects_that_are_made_when_they_are_read_are_ordinary_ones(kind, count, tmp_path):
    store = MemoryStore(TWO) if kind == "memory" else FileStore(tmp_path / "two.h5", TWO)
    time = np.arange(float(count))
    first, second = np.column_stack([time, time**2, time**3]), np.column_stack([time + count, -time, time])
    blocks = [Later(first), second]
    for block in blocks:
        store.append_defects(0, block)
    assert blocks[0].made == (0 if kind == "memory" else 1)
    view = store.view()
    if kind == "file":
        store.flush()
        view.refresh()
    expected = np.concatenate([first, second])
    assert expected.tolist() == view.defects(0).tolist()
    assert expected[2:5].tolist() == view.defects(0, slice(2, 5)).tolist()
    assert blocks[0].made == 1
    store.close(RunSummary("finished"))


def test_a_connection_without_rows_has_no_defects():
    assert MemoryStore(TWO).defects(0).shape == (0, 3)
