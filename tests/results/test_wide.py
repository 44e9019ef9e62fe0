"""Very many outputs: what is done per output is counted, not timed."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, load
from counterpoint.results.names import Catalog


class Name(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def make_source(names):
    return cp.source(lambda t: 0.0, outputs=names)


def make_catalog(names):
    return Catalog(RunLayout((SubsystemLayout("a", tuple(names)),)))


@pytest.mark.parametrize("use", [make_source, make_catalog])
def test_names_are_compared_as_often_as_there_are_names(use):
    def comparisons(count):
        Name.compared = 0
        use([Name(f"y{i}") for i in range(count)])
        return Name.compared

    assert comparisons(4000) <= 5 * max(comparisons(1000), 1000)


def test_a_few_rows_of_very_many_outputs_take_little_room(tmp_path):
    """Neither on the disk nor in memory: a row takes 0.8 MB."""
    count = 100_000
    layout = RunLayout((SubsystemLayout("wide", tuple(f"y{i}" for i in range(count))),))
    store = FileStore(tmp_path / "run.h5", layout)
    for k in range(40):
        store.append(0, np.full((1, 1 + count), float(k)))
        assert store._series[0].buffer.count <= 32
    store.close(RunSummary("finished"))
    assert (tmp_path / "run.h5").stat().st_size < 60e6  # 48 rows of numbers, and names
    with load(tmp_path / "run.h5") as result:
        assert result["wide.y77777"].values.tolist() == list(range(40))
