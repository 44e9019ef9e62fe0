"""Run files that are damaged, or made by others to lead elsewhere."""

import random
import subprocess
import sys

import h5py
import numpy as np
import pytest

import counterpoint
from counterpoint.errors import OutputError
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, load

LAYOUT = RunLayout((SubsystemLayout("a", ("y", "z")), SubsystemLayout("b", ("y",))), ("a.y -> b.u",))


def write(path):
    store = FileStore(path, LAYOUT, {"name": "victim", "until": 9.0})
    for k in range(3):
        t = np.arange(3000.0 * k, 3000.0 * (k + 1))
        store.append(0, np.column_stack([t, 2 * t, 3 * t]))
        store.append(1, np.column_stack([t, 2 * t]))
        store.append_defects(0, np.column_stack([t, t, t + 0.1]))
        store.flush()
    return store


def finished(path):
    write(path).close(RunSummary("finished", end=9.0, until=9.0, steps=[8999, 8999], seconds=[1.0, 1.0]))
    return path


def unfinished(path):
    """As a killed process leaves it."""
    store = write(path)
    content = path.read_bytes()
    store.close(RunSummary("failed"))
    path.write_bytes(content)
    return path


LOOKER = """
import pathlib, sys
from counterpoint.errors import OutputError
from counterpoint._display.console import console
from counterpoint.results.information import show_file
from counterpoint.results import load
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.h5")):
    try:
        with load(path) as result:
            str(result), result.quality, result.defects
            show_file(result, console())
            for name in result.signals:
                result[name].values
    except OutputError as error:
        assert str(path) in str(error), error
    print("done", path.name)
"""


def mutations(content, count):
    """Flipped bits, zeros and foreign bytes, mostly in the metadata at the beginning; and files that are cut off."""
    chance = random.Random(7)
    for _ in range(count):
        damaged = bytearray(content)
        at = chance.randrange(chance.choice([len(content), 8000, 8000]))
        kind = chance.choice(["flip", "flip", "zeros", "noise", "cut"])
        if kind == "flip":
            damaged[at] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del damaged[at:]
        else:
            length = min(chance.choice([8, 64, 512]), len(content) - at)
            damaged[at : at + length] = bytes(length) if kind == "zeros" else chance.randbytes(length)
        yield bytes(damaged)


@pytest.mark.parametrize("make", [finished, unfinished])
def test_damaged_files_are_answered_within_seconds_and_by_name(tmp_path, make):
    content = make(tmp_path / "whole").read_bytes()
    for k, damaged in enumerate(mutations(content, 120)):
        (tmp_path / f"{k:03}.h5").write_bytes(damaged)
    source = counterpoint.__path__[0].removesuffix("counterpoint")
    program = f"import sys; sys.path.insert(0, {source!r})\n" + LOOKER
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert child.stdout.count("done") == 120


def test_what_is_left_of_a_damaged_file_is_read(tmp_path):
    path = finished(tmp_path / "run.h5")
    with h5py.File(path) as file:
        header = h5py.h5o.get_info(file["subsystems/b"].id).addr
    content = bytearray(path.read_bytes())
    content[header + 20] ^= 0xFF
    path.write_bytes(content)
    with load(path) as result:
        assert (result.subsystems, result.rows("a"), result.status) == (["a"], 9000, "finished")
        assert 'the file is damaged and lacks "b"' in result.message
        assert result["a.z"].values[-1] == 3 * 8999
        assert len(result.defect("a.y -> b.u")) == 9000


def test_a_damaged_summary_is_replaced_by_what_the_rows_say(tmp_path):
    path = finished(tmp_path / "run.h5")
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"status": "finished"', b'"status": "finisheX"'))
    with load(path) as result:
        assert (result.status, result.end) == ("unfinished", 8999.0)
        assert "the summary is damaged" in result.message
    path.write_bytes(content.replace(b'"end": 9.0', b'"end": "9"'))
    assert load(path).status == "unfinished"


def test_rows_that_are_not_there_are_an_error_and_not_memory(tmp_path):
    path = finished(tmp_path / "run.h5")
    with h5py.File(path, "r+") as file:
        file["rows"][0] = 1 << 50
    with pytest.raises(
        OutputError, match=r"run\.h5: cannot be read: the counts of rows are impossible; .* copy it again"
    ):
        load(path)
    with h5py.File(path, "r+") as file:
        file["rows"][0] = 9001
    with pytest.raises(OutputError, match='"a" has 9000 rows; 9001 were counted'):
        load(path)["a.y"].values.sum()


def test_a_pipe_is_not_waited_for(tmp_path):
    import os

    os.mkfifo(tmp_path / "run.h5")
    with pytest.raises(OutputError, match="is not a file"):
        load(tmp_path / "run.h5")


def external_link(file, other):
    del file["subsystems/a"]
    file["subsystems/a"] = h5py.ExternalLink(other, "/subsystems/a")


def external_group(file, other):
    del file["subsystems"]
    file["subsystems"] = h5py.ExternalLink(other, "/subsystems")


def soft_link(file, other):
    del file["subsystems/a/time"]
    file["subsystems/a/time"] = h5py.SoftLink("/subsystems/b/time")


def virtual(file, other):
    layout = h5py.VirtualLayout((9000,), "f8")
    layout[:] = h5py.VirtualSource(other, "/subsystems/a/time", (9000,))
    del file["subsystems/a/time"]
    file["subsystems/a"].create_virtual_dataset("time", layout)


def external_storage(file, other):
    del file["subsystems/a/time"]
    file["subsystems/a"].create_dataset("time", (9000,), "f8", external=[(str(other), 0, 72000)])


def compressed(file, other):
    del file["subsystems/a/time"]
    file["subsystems/a"].create_dataset("time", data=np.arange(9000.0), compression="lzf")


def variable_text(file, other):
    file["subsystems/a"].attrs["name"] = "text in a heap"


@pytest.mark.parametrize(
    "change", [external_link, external_group, soft_link, virtual, external_storage, compressed, variable_text]
)
def test_nothing_is_read_from_outside_of_the_file(tmp_path, change):
    path, other = finished(tmp_path / "run.h5"), finished(tmp_path / "other.h5")
    with h5py.File(path, "r+") as file:
        change(file, other)
    try:
        with load(path) as result:
            if "a" in result.subsystems:
                with pytest.raises(OutputError, match=r"run\.h5: cannot be read: \"time\" (is|takes)"):
                    result["a.y"].time.sum()
            else:
                assert 'lacks "a"' in result.message
            assert len(result["b.y"].values) == 9000
    except OutputError as error:
        assert change is external_group
        assert "is a link, perhaps to another file, and is not followed" in str(error)
