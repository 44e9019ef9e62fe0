import resource
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

from counterpoint.errors import OutputError
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, load
from counterpoint.results.format import group_name

from .conftest import LAYOUT, fast_rows, fill, finished

ONE = RunLayout((SubsystemLayout("a", ("y",)),))
STRANGE = [
    "a/b",
    "a%2Fb",
    ".",
    "..",
    "x.y",
    "Überhöhung µ",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    " ",
    "",
]


def test_a_finished_run_comes_back_as_it_was(tmp_path):
    store = FileStore(tmp_path / "run.h5", LAYOUT, {"name": "two-mass", "until": 2.0, "threads": 1})
    fill(store)
    store.close(finished())
    with load(tmp_path / "run.h5") as result:
        assert result.layout == LAYOUT
        assert result.summary == finished()
        assert (result.name, result.metadata["threads"]) == ("two-mass", 1.0)
        assert np.array_equal(np.column_stack([result["fast"].index, result["fast"]]), fast_rows())
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["subsystems/fast/values"].shape == (201, 2)


def test_numbers_of_numpy_fit_into_the_summary(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.close(RunSummary("finished", end=np.float64(2.0), steps=[np.int64(3)], seconds=[np.float64(0.5)]))
    assert load(tmp_path / "run.h5").summary.steps == [3]


def test_nothing_is_in_the_file_beyond_what_the_run_wrote(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.zeros((100_000, 2)))
    store.close(RunSummary("finished"))
    reserved = 1 << 16  # for the summary and the error estimate
    assert (tmp_path / "run.h5").stat().st_size < 1.1 * 100_000 * 2 * 8 + reserved
    assert [p.name for p in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.parametrize("name", STRANGE)
def test_any_text_is_a_name(tmp_path, name):
    layout = RunLayout((SubsystemLayout(name, (name, f"{name}[0]"), (name, "")),), (name,))
    store = FileStore(tmp_path / "run.h5", layout, {"name": name})
    store.append(0, np.array([[0.0, 1.0, 2.0]]))
    store.close(RunSummary("finished"))
    with load(tmp_path / "run.h5") as result:
        assert result.layout == layout
        assert result.name == name
        assert result[name, name].values.tolist() == [1.0]


def test_strange_names_stay_apart_in_the_file():
    assert len({group_name(name) for name in STRANGE}) == len(STRANGE)
    assert not any("/" in group_name(name) or group_name(name) in ("", ".") for name in STRANGE)


def test_a_subsystem_without_outputs_has_a_time_axis(tmp_path):
    store = FileStore(tmp_path / "run.h5", RunLayout((SubsystemLayout("sink", ()),)))
    store.append(0, np.array([[0.0], [1.0]]))
    store.close(RunSummary("finished"))
    with load(tmp_path / "run.h5") as result:
        assert result["sink"].shape == (2, 0)
        assert result["sink"].index.tolist() == [0.0, 1.0]


def test_many_columns_are_stored_and_one_is_read(tmp_path):
    columns = tuple(f"y{i}" for i in range(1000))
    store = FileStore(tmp_path / "run.h5", RunLayout((SubsystemLayout("wide", columns),)))
    store.append(0, np.tile(np.arange(1001.0), (600, 1)))
    store.close(RunSummary("finished"))
    with load(tmp_path / "run.h5") as result:
        assert set(result["wide.y998"].values) == {999.0}


def test_loading_reads_no_rows_until_they_are_asked_for(tmp_path, monkeypatch):
    store = FileStore(tmp_path / "run.h5", LAYOUT)
    fill(store)
    store.close(finished())
    read = []
    original = h5py.Dataset.__getitem__
    monkeypatch.setattr(h5py.Dataset, "__getitem__", lambda d, key: (read.append((d.name, key)), original(d, key))[1])
    result = load(tmp_path / "run.h5")
    repr(result), result.signals, result.quality, result.timing
    assert {name for name, _ in read} == {"/rows", "/summary", "/check"}
    read.clear()
    result["slow.p[1]"].values.sum()
    assert read == [("/subsystems/slow/values", (slice(0, 21), slice(2, 3)))]


def test_an_existing_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "run.h5"
    FileStore(path, ONE, {"name": "first"}).close(RunSummary("finished"))
    with pytest.raises(OutputError, match=r"run\.h5: already exists; choose another name") as caught:
        FileStore(path, ONE)
    assert (caught.value.path, caught.value.exit_code) == (str(path), 2)
    assert load(path).name == "first"


def test_overwriting_replaces_the_run_while_a_reader_keeps_the_old_one(tmp_path):
    path = tmp_path / "run.h5"
    store = FileStore(path, ONE, {"name": "first"})
    store.append(0, np.array([[0.0, 1.0]]))
    store.close(RunSummary("finished"))
    old = load(path)
    FileStore(path, ONE, {"name": "second"}, overwrite=True).close(RunSummary("finished"))
    assert old["a.y"].values.tolist() == [1.0]
    assert load(path).name == "second"


def test_overwriting_spares_what_is_no_run_file(tmp_path):
    (tmp_path / "model.py").write_text("precious")
    with pytest.raises(OutputError, match="is not a run file and is not overwritten"):
        FileStore(tmp_path / "model.py", ONE, overwrite=True)
    with pytest.raises(OutputError, match="is a folder; name a file in it"):
        FileStore(tmp_path, ONE, overwrite=True)
    assert (tmp_path / "model.py").read_text() == "precious"


@pytest.mark.parametrize("place", ["missing/run.h5", "file/run.h5", "/proc/run.h5"])
def test_a_folder_that_cannot_be_written_is_an_error_before_the_run(tmp_path, place):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OutputError, match=r"run\.h5: cannot be created: ") as caught:
        FileStore(tmp_path / place, ONE)
    assert caught.value.exit_code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_name_that_hdf5_cannot_hold_leaves_no_file_behind(tmp_path):
    with pytest.raises(OutputError, match="cannot be created"):
        FileStore(tmp_path / "run.h5", RunLayout((SubsystemLayout("a\0b", ("y",)),)))
    assert list(tmp_path.iterdir()) == []


def test_a_write_error_names_the_file_and_keeps_what_was_flushed(tmp_path, monkeypatch):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.array([[0.0, 1.0]]))
    store.flush()
    store.append(0, np.array([[1.0, 2.0]]))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("counterpoint.results.disk.Descriptor.write", full)
        with pytest.raises(
            OutputError, match=r"run\.h5: cannot be written: No space left on device \(\d+ bytes"
        ) as caught:
            store.flush()
    assert str(caught.value).endswith("bytes free); what was written before stays readable")
    assert caught.value.exit_code == 5
    store.close(RunSummary("failed", "the disk is full"))
    with load(tmp_path / "run.h5") as result:
        assert (result.status, result.message) == ("failed", "the disk is full")
        assert result["a.y"].values.tolist() == [1.0]


def test_a_folder_that_vanishes_is_noticed_at_the_next_flush(tmp_path):
    (tmp_path / "out").mkdir()
    store = FileStore(tmp_path / "out" / "run.h5", ONE)
    shutil.rmtree(tmp_path / "out")
    store.append(0, np.array([[0.0, 1.0]]))
    with pytest.raises(OutputError, match="removed or replaced during the run") as caught:
        store.flush()
    assert caught.value.exit_code == 5
    assert "stays readable" not in str(caught.value)  # there is nothing to read
    with pytest.raises(OutputError, match="removed or replaced"):
        store.close(RunSummary("failed"))


def test_closing_twice_is_harmless(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.close(RunSummary("finished"))
    store.close(RunSummary("failed"))
    assert load(tmp_path / "run.h5").status == "finished"


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read the Linux way")
def test_two_million_rows_pass_through_flat_memory(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    block = np.zeros((10_000, 2))

    def write(blocks):
        for _ in range(blocks):
            store.append(0, block)
        store.flush()

    write(20)
    before = resident_bytes()
    write(180)
    growth = resident_bytes() - before
    store.close(RunSummary("finished"))
    assert growth < 4_000_000  # the rows take 28 MB
    assert load(tmp_path / "run.h5").rows("a") == 2_000_000


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "no such file"), (b"", "is not a run file"), (b"time,y\n0,1\n", "is not a run file")],
)
def test_what_is_not_a_run_file_is_said_so(tmp_path, content, problem):
    path = tmp_path / "run.h5"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(OutputError, match=problem):
        load(path)


def test_a_scenario_is_no_run_file_and_the_error_says_how_to_read_it(tmp_path):
    path = tmp_path / "plant.toml"
    path.write_text("until = 1.0\n")
    with pytest.raises(OutputError, match=r"cp\.Scenario\.read"):
        load(path)


def test_other_hdf5_files_newer_formats_and_folders_are_refused(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    with pytest.raises(OutputError, match="not of a Counterpoint run"):
        load(tmp_path / "other.h5")
    with h5py.File(tmp_path / "newer.h5", "w") as file:
        file.attrs.update({"format": np.bytes_("counterpoint-run"), "format_version": 99})
    with pytest.raises(OutputError, match="has format 99"):
        load(tmp_path / "newer.h5")
    with pytest.raises(OutputError, match="is a folder"):
        load(tmp_path)


def test_a_cut_off_copy_is_an_error_and_not_a_crash(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.zeros((50_000, 2)))
    store.close(RunSummary("finished"))
    content = (tmp_path / "run.h5").read_bytes()
    for length in (100, 2000, len(content) // 2):
        (tmp_path / "cut.h5").write_bytes(content[:length])
        with pytest.raises(OutputError, match=r"cut\.h5: "):
            load(tmp_path / "cut.h5")["a.y"].values.sum()


def test_a_closed_result_says_so_but_keeps_what_was_read(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.array([[0.0, 1.0]]))
    store.close(RunSummary("finished"))
    with load(tmp_path / "run.h5") as result:
        signal = result["a.y"]
        assert signal.at(0.0) == 1.0
    assert signal.values.tolist() == [1.0]
    with pytest.raises(OutputError, match="the result is closed"):
        result["a.y"].values.sum()
