"""Run files that are compressed when the run has ended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import OutputError
from counterpoint.results import FileStore, compressing, load
from counterpoint.results.compressing import compress
from counterpoint.results.format import COMPRESSED_VERSION

from .conftest import LAYOUT, fill, finished

KILLED = """\
import os, signal, sys
from counterpoint.results import compressing
def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(compressing, sys.argv[2], die) if sys.argv[2] != "replace" else setattr(os, "replace", die)
compressing.compress(__import__("pathlib").Path(sys.argv[1]))
"""


def waves():
    system = cp.System("waves")
    system.add("wave", cp.source(lambda t: [np.sin(t), round(t)], outputs=["y", "count"]), step=1e-3)
    return system


def contents(path):
    """All tables, attributes and their types, but for what compressing changes."""
    found = {}
    with h5py.File(path) as file:

        def visit(name, item):
            data = None if isinstance(item, h5py.Group) else item[...].tobytes()
            attributes = {key: (str(item.attrs.get_id(key).dtype), str(item.attrs[key])) for key in item.attrs}
            found[name] = (data, attributes)

        file.visititems(visit)
        found["/"] = {key: str(file.attrs[key]) for key in file.attrs if key != "format_version"}
    found.pop("rows")
    return found


def test_a_compressed_run_file_is_smaller_and_holds_the_same(tmp_path):
    plain = waves().run(until=20.0, file=tmp_path / "plain.h5")
    small = waves().run(until=20.0, file=tmp_path / "small.h5", compress=True)
    assert (tmp_path / "small.h5").stat().st_size < 0.75 * (tmp_path / "plain.h5").stat().st_size
    assert np.array_equal(small["wave"].to_numpy(), plain["wave"].to_numpy())
    assert small.summary.status == "finished"
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["plain.h5", "small.h5"]


def test_compressing_keeps_every_table_and_attribute(tmp_path):
    store = FileStore(tmp_path / "run.h5", LAYOUT, {"name": "Überhöhung", "until": 2.0})
    fill(store)
    store.close(finished())
    before = contents(tmp_path / "run.h5")
    compress(tmp_path / "run.h5")
    assert contents(tmp_path / "run.h5") == before
    with load(tmp_path / "run.h5") as result:
        assert (result.layout, result.summary, result.name) == (LAYOUT, finished(), "Überhöhung")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["format_version"] == COMPRESSED_VERSION
        assert file["subsystems/fast/values"].compression == "gzip"


def test_while_the_run_goes_on_the_file_can_be_read(tmp_path):
    with waves().start(file=tmp_path / "run.h5", compress=True) as run:
        run.step_to(2.0)
        run._recorder.drain()
        run._store.flush()
        with load(tmp_path / "run.h5") as so_far:
            assert so_far.summary.status == "unfinished"
            assert len(so_far["wave.y"]) >= 2000
    assert load(tmp_path / "run.h5").summary.status == "finished"


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
@pytest.mark.parametrize("moment", ["_copy_attributes", "_copy_dataset", "replace"])
def test_a_process_killed_while_it_compresses_leaves_the_run_file(tmp_path, moment):
    path = tmp_path / "run.h5"
    expected = waves().run(until=2.0, file=path)["wave"].to_numpy()
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), moment], check=False)
    assert done.returncode == -signal.SIGKILL
    with load(path) as result:
        assert result.summary.status == "finished"
        assert np.array_equal(result["wave"].to_numpy(), expected)


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
def test_a_run_killed_before_its_end_is_readable(tmp_path, spawn):
    script = tmp_path / "endless.py"
    script.write_text(
        "import counterpoint as cp\n"
        "s = cp.System()\n"
        "s.add('clock', cp.source(lambda t: t, outputs='y'), step=1e-4)\n"
        f"s.run(until=1e6, file={str(tmp_path / 'run.h5')!r}, compress=True)\n",
        encoding="utf-8",
    )
    process = spawn([sys.executable, str(script)])
    path = tmp_path / "run.h5"
    for _ in range(600):
        with contextlib.suppress(OutputError):  # it is not there yet
            if load(path).rows("clock") > 10:
                break
        time.sleep(0.1)
    process.kill()
    process.wait()
    with load(path) as result:
        assert result.summary.status == "unfinished"
        assert np.array_equal(result["clock.y"].values, result["clock.y"].time)


def test_a_disk_without_room_leaves_the_file_uncompressed_with_a_warning(tmp_path, monkeypatch):
    from counterpoint.results.disk import Descriptor

    def write(self, offset, data, real=Descriptor.write):
        if os.fstat(self._number).st_ino == state["draft"] and offset > 4000:
            raise OSError(28, "No space left on device")
        return real(self, offset, data)

    state = {"draft": 0}

    def note(path, real=compressing.Disk):
        state["draft"] = Path(path).stat().st_ino
        return real(path)

    monkeypatch.setattr(compressing, "Disk", note)
    monkeypatch.setattr(Descriptor, "write", write)
    with pytest.warns(UserWarning, match="stays uncompressed: No space left"):
        result = waves().run(until=2.0, file=tmp_path / "run.h5", compress=True)
    assert len(result["wave.y"]) == 2001
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_other_filters_are_not_read(tmp_path):
    waves().run(until=1.0, file=tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        group = file["subsystems/wave"]
        data = group["time"][...]
        del group["time"]
        group.create_dataset("time", data=data, chunks=(100,), compression="lzf")
    with pytest.raises(OutputError, match="compressed in a way that run files do not use"):
        load(tmp_path / "run.h5")["wave.y"].time  # noqa: B018


def test_the_command_and_the_scenario_compress(tmp_path):
    from click.testing import CliRunner

    from counterpoint._cli.run import run

    scenario = tmp_path / "waves.toml"
    text = (Path(__file__).parents[2] / "examples" / "two_mass.toml").read_text(encoding="utf-8")
    text = text.replace('name = "two-mass"\n', "")
    scenario.write_text(text, encoding="utf-8")
    sizes = {}
    for name, options in (("plain", []), ("small", ["--compress"])):
        done = CliRunner().invoke(run, [str(scenario), "--out", str(tmp_path / name), "--no-plot", *options])
        assert done.exit_code == 0, done.output
        sizes[name] = (tmp_path / name / "waves.h5").stat().st_size
    assert sizes["small"] < sizes["plain"]
    scenario.write_text(f"compress = true\n{text}", encoding="utf-8")
    result = cp.Scenario.read(scenario).run(file=tmp_path / "third.h5")
    assert result.rows("fast") == 10001
    assert (tmp_path / "third.h5").stat().st_size < sizes["plain"]
