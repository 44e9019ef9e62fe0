"""What other processes see of a run file: while it grows, after a kill, on a full disk."""

import signal

import numpy as np
import pytest

from counterpoint.errors import OutputError
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, load

ONE = RunLayout((SubsystemLayout("a", ("y", "z")),), ("a.y -> a.u",))

WRITER = """
import sys
import signal

import numpy as np
from counterpoint.errors import OutputError
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, load
layout = RunLayout((SubsystemLayout("a", ("y", "z")),), ("a.y -> a.u",))
store = FileStore(sys.argv[1], layout, {"name": "w", "until": 9.0, "scheme": "parallel"})
def rows(first, last):
    t = np.arange(first, last, dtype=float)
    return np.column_stack([t, 2 * t, -t])
"""

READER = """
import sys
from counterpoint.results import load
result = load(sys.argv[1])
for line in sys.stdin:
    result.refresh()
    y = result["a.y"]
    assert (y.values == 2 * y.time).all()
    print(len(y), result.status, flush=True)
"""


def kill_after(writer):
    """Wait for the writer's word, then end it as the kernel would."""
    word = writer.stdout.readline()
    writer.kill()
    _, errors = writer.communicate()
    assert word == "ready\n", errors


def test_another_process_reads_along_while_the_run_goes_on(tmp_path, python):
    store = FileStore(tmp_path / "run.h5", ONE, {"until": 9.0})
    reader = python(READER, tmp_path / "run.h5")

    def seen():
        reader.stdin.write("look\n")
        reader.stdin.flush()
        return reader.stdout.readline()

    assert seen() == "0 unfinished\n"
    for k in range(1, 6):
        t = np.arange(5000.0 * (k - 1), 5000.0 * k)
        store.append(0, np.column_stack([t, 2 * t, -t]))
        store.flush()
        assert seen() == f"{5000 * k} unfinished\n"
    store.append(0, np.array([[25000.0, 50000.0, 0.0]]))
    store.close(RunSummary("finished"))
    assert seen() == "25001 finished\n"
    _, errors = reader.communicate()
    assert (reader.returncode, errors) == (0, "")


LOADER = READER.replace("result.refresh()", "earlier, result = result, load(sys.argv[1])")
"""Loads the file anew each time while an earlier result of it is still open."""


def test_a_second_result_of_a_growing_file_sees_what_the_first_one_could_not(tmp_path, python):
    store = FileStore(tmp_path / "run.h5", ONE, {"until": 9.0})
    reader = python(LOADER, tmp_path / "run.h5")

    def seen():
        reader.stdin.write("look\n")
        reader.stdin.flush()
        return reader.stdout.readline() or reader.communicate()[1]

    assert seen() == "0 unfinished\n"
    for k in range(1, 4):
        t = np.arange(5000.0 * (k - 1), 5000.0 * k)
        store.append(0, np.column_stack([t, 2 * t, -t]))
        store.flush()
        assert seen() == f"{5000 * k} unfinished\n"
    store.close(RunSummary("finished"))
    assert seen() == "15000 finished\n"
    reader.communicate()


def test_the_process_that_writes_can_read_its_own_file_meanwhile(tmp_path):
    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.array([[0.0, 1.0, 2.0]]))
    store.flush()
    with load(tmp_path / "run.h5") as result:
        assert (result.status, result.rows("a")) == ("unfinished", 1)
        store.append(0, np.array([[1.0, 1.0, 2.0]]))
        assert result["a.y"].values.tolist() == [1.0]
        store.close(RunSummary("finished"))
        result.refresh()
        assert (result.status, result.rows("a")) == ("finished", 2)


def test_a_killed_run_leaves_every_flushed_row(tmp_path, python):
    writer = python(
        WRITER
        + """
for k in range(40):
    store.append(0, rows(1000 * k, 1000 * (k + 1)))
    store.append_defects(0, np.array([[k, 1.0 + k, 1.5 + k]]))
    store.flush()
store.append(0, rows(40000, 90000))
print("ready", flush=True)
sys.stdin.read()
""",
        tmp_path / "run.h5",
    )
    kill_after(writer)
    with load(tmp_path / "run.h5") as result:
        assert result.status == "unfinished"
        assert "killed" in result.message
        y = result["a.y"]
        assert np.array_equal(y.time, np.arange(40_000.0))  # the rows that were not flushed do not exist
        assert np.array_equal(y.values, 2 * y.time)
        assert (result.start, result.end, result.until, result.scheme) == (0.0, 39_999.0, 9.0, "parallel")
        assert result.defects.loc[0, "maximum"] == 0.5
        assert result.timing.loc[0, "steps"] == 39_999
        assert "unfinished" in str(result)
    content = (tmp_path / "run.h5").read_bytes()
    for length in (100, 2000, 9000, 400_000):
        (tmp_path / "cut.h5").write_bytes(content[:length])
        with pytest.raises(OutputError, match=f"is cut off after {length} bytes"):
            load(tmp_path / "cut.h5")


def test_a_run_killed_at_a_random_moment_is_readable(tmp_path, python):
    for k in range(5):
        path = tmp_path / f"run{k}.h5"
        writer = python(
            WRITER
            + """
print("ready", flush=True)
for k in range(1000000):
    store.append(0, rows(777 * k, 777 * (k + 1)))
    store.flush()
""",
            path,
        )
        assert writer.stdout.readline() == "ready\n"
        with pytest.raises(Exception, match="timed out"):
            writer.wait(0.05 + 0.05 * k)
        writer.kill()
        writer.communicate()
        with load(path) as result:
            y = result["a.y"]
            assert len(y) % 777 == 0
            assert np.array_equal(y.values, 2 * np.arange(len(y)))


def test_a_run_killed_before_its_first_row_is_readable(tmp_path, python):
    writer = python(WRITER + 'print("ready", flush=True)\nsys.stdin.read()', tmp_path / "run.h5")
    kill_after(writer)
    with load(tmp_path / "run.h5") as result:
        assert (result.status, result.rows("a"), len(result["a.y"])) == ("unfinished", 0, 0)
        assert np.isnan(result.end)
        assert "cannot tell" in str(result.quality)
        repr(result), str(result), result._repr_html_()
        result.plot(path=tmp_path / "empty.png")


def test_a_full_disk_ends_the_run_with_a_readable_and_closed_file(tmp_path, python):
    writer = python(
        WRITER
        + """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
try:
    for k in range(1000000):
        store.append(0, rows(1000 * k, 1000 * (k + 1)))
        if k % 10 == 9:
            store.flush()
except OutputError as error:
    assert error.exit_code == 5 and error.path == sys.argv[1]
    print(error)
store.close(RunSummary("failed", "disk full"))
print(load(sys.argv[1]).rows("a"))
""",
        tmp_path / "run.h5",
    )
    output, errors = writer.communicate()
    assert (writer.returncode, errors) == (0, "")
    assert "run.h5: cannot be written: File too large; what was written before stays readable" in output
    with load(tmp_path / "run.h5") as result:
        y = result["a.y"]
        assert len(y) > 80_000  # of the 125 000 that fit into 3 MB without any overhead
        assert np.array_equal(y.values, 2 * np.arange(len(y)))
        assert (result.status, result.message) == ("failed", "disk full")


def test_a_disk_that_is_full_already_is_an_error_before_the_run(tmp_path, python):
    for limit in (100, 20_000):
        program = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n" + WRITER
        writer = python(program, tmp_path / "run.h5")
        _, errors = writer.communicate()
        assert writer.returncode == 1
        assert "run.h5: cannot be" in errors.splitlines()[-1]
        assert "File too large" in errors.splitlines()[-1]
        (tmp_path / "run.h5").unlink(missing_ok=True)
        assert list(tmp_path.iterdir()) == []


PLAIN_READER = """
import sys
import h5py
for line in sys.stdin:
    with h5py.File(sys.argv[1], "r", swmr=True) as file:
        rows = int(file["rows"][0])
        time = file["subsystems/a/time"][:rows]
        print(rows, float(time.sum()), bytes(file["summary"][:]).strip()[:20].decode(), flush=True)
"""


def test_any_reader_of_hdf5_reads_along(tmp_path, python):
    store = FileStore(tmp_path / "run.h5", ONE, {"until": 9.0})
    reader = python(PLAIN_READER, tmp_path / "run.h5")
    for k in range(1, 4):
        t = np.arange(5000.0 * (k - 1), 5000.0 * k)
        store.append(0, np.column_stack([t, 2 * t, -t]))
        store.flush()
        reader.stdin.write("look\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == f"{5000 * k} {float(np.arange(5000.0 * k).sum())} \n"
    store.close(RunSummary("finished"))
    output, errors = reader.communicate("look\n")
    assert (output.split(maxsplit=2)[2], errors) == ('{"status": "finished\n', "")


@pytest.mark.parametrize("ending", ["pass", "sys.exit(3)", "raise KeyboardInterrupt", "os.fork() or sys.exit()"])
def test_a_process_that_forgets_its_files_exits_as_it_should(tmp_path, python, ending):
    """With a store that is not closed, and a result of an unfinished run that is open."""
    writer = python(
        WRITER + "import os\nstore.append(0, rows(0, 100))\nstore.flush()\nresult = load(sys.argv[1])\n" + ending,
        tmp_path / "run.h5",
    )
    writer.communicate()
    assert writer.returncode == {"pass": 0, "sys.exit(3)": 3, "raise KeyboardInterrupt": -2}.get(ending, 0)
    with load(tmp_path / "run.h5") as result:
        assert (result.status, result.rows("a")) == ("unfinished", 100)


def test_a_signal_during_a_write_waits_for_its_end(tmp_path, monkeypatch):
    from counterpoint.results.disk import Descriptor

    store = FileStore(tmp_path / "run.h5", ONE)
    store.append(0, np.array([[0.0, 1.0, 2.0]]))
    write = Descriptor.write

    def interrupted(self, offset, data):
        signal.raise_signal(signal.SIGINT)
        return write(self, offset, data)

    with monkeypatch.context() as disk, pytest.raises(KeyboardInterrupt):
        disk.setattr(Descriptor, "write", interrupted)
        store.flush()
    store.append(0, np.array([[1.0, 1.0, 2.0]]))
    store.close(RunSummary("finished"))
    assert (load(tmp_path / "run.h5").status, load(tmp_path / "run.h5").rows("a")) == ("finished", 2)
