"""Whatever the disk does, at whatever moment: flushed rows stay, the status is honest, and nothing crashes."""

import os
import subprocess
import sys

import numpy as np
import pytest

from counterpoint.errors import OutputError
from counterpoint.results import FileStore, RunLayout, RunSummary, SubsystemLayout, disk, load

LAYOUT = RunLayout((SubsystemLayout("a", ("y", "z")), SubsystemLayout("b", ("y",))), ("a.y -> b.u",))
ROWS, FLUSHES = 3000, 4
CALLS = ("read", "write", "truncate", "settle", "allocate", "status", "close")


class Faulty(disk.Descriptor):
    """Fails at the n-th call of one kind: once, from then on, or after half of the work."""

    call, when, how = "", 0, "once"
    count = 0

    @classmethod
    def meets(cls, call):
        if call == cls.call:
            cls.count += 1
        return call == cls.call and (cls.count == cls.when or (cls.how == "lasting" and cls.count > cls.when))

    def write(self, offset, data):
        if self.meets("write"):
            if self.how == "half" and len(data) > 1:
                super().write(offset, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return super().write(offset, data)

    def close(self):
        super().close()
        if self.meets("close"):
            raise OSError(5, "Input/output error")


def failing(name):
    def call(self, *arguments):
        if self.meets(name):
            raise OSError(5, "Input/output error")
        return getattr(super(Faulty, self), name)(*arguments)

    return call


for name in set(CALLS) - {"write", "close"}:
    setattr(Faulty, name, failing(name))


def table(first, last, columns):
    t = np.arange(first, last, dtype=float)
    return np.column_stack([t, *((k + 2) * t for k in range(columns))])


def run(path):
    """Write a run as a run is written; return the rows that were promised and what the caller was told."""
    flushed, told = 0, "finished"
    try:
        store = FileStore(path, LAYOUT, {"until": 9.0})
    except OutputError:
        return None, "refused"
    try:
        for k in range(FLUSHES):
            for first in range(ROWS * k, ROWS * (k + 1), 1000):
                store.append(0, table(first, first + 1000, 2))
                store.append(1, table(first, first + 1000, 1))
                store.append_defects(0, table(first, first + 1000, 2))
            store.flush()
            flushed = ROWS * (k + 1)
        store.append(0, table(ROWS * FLUSHES, ROWS * FLUSHES + 10, 2))
    except OutputError:
        told = "failed"
    try:
        store.close(RunSummary(told, end=ROWS * FLUSHES + 10))
    except OutputError:
        told = "failed"
    return flushed, told


def check(path, flushed, told):
    """What was flushed is there and right; the file does not say more than it holds."""
    if told == "refused":
        assert not path.exists()
        return
    with load(path) as result:
        counts = [result.rows("a"), result.rows("b"), len(result.defect("a.y -> b.u"))]
        for signal_name, factor in (("a.y", 2), ("a.z", 3), ("b.y", 2)):
            found = result[signal_name]
            assert len(found) >= flushed, (signal_name, len(found), flushed)
            assert np.array_equal(found.values, factor * np.arange(len(found)))
        assert counts[2] >= flushed
        assert result.status in ("finished", "failed", "unfinished")
        if result.status == "finished":
            assert counts == [ROWS * FLUSHES + 10, ROWS * FLUSHES, ROWS * FLUSHES]
        else:
            assert told == "failed"
            assert not result.end > (result["a.y"].time[-1] if counts[0] else 0.0)
    if told == "finished":
        assert result.status == "finished"


def sweep(folder, call, how):
    """Let the n-th call fail, for all n, until a run is through without a failure."""
    disk.Descriptor, original = Faulty, disk.Descriptor
    Faulty.call, Faulty.how = call, how
    for n in range(1, 10_000):
        path = folder / f"{call}-{how}-{n}.h5"
        Faulty.count, Faulty.when = 0, n
        flushed, told = run(path)
        met = Faulty.count >= n
        Faulty.when = 10**9
        check(path, flushed, told)
        path.unlink(missing_ok=True)
        if not met:
            break
    disk.Descriptor = original
    return n - 1


@pytest.mark.parametrize(
    ("call", "how"), [("write", "half"), *((call, how) for call in CALLS for how in ("once", "lasting"))]
)
def test_every_call_to_the_disk_may_fail_and_flushed_rows_stay(tmp_path, call, how):
    """In a process of its own: what HDF5 cannot bear shows when it exits."""
    program = (
        "import sys, pathlib; sys.path[:0] = sys.argv[4].split(chr(58))\n"
        "from test_disk import sweep; print(sweep(pathlib.Path(sys.argv[1]), *sys.argv[2:4]))"
    )
    here = os.path.dirname(__file__)
    ours = os.path.dirname(os.path.dirname(os.path.dirname(disk.__file__)))
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, tmp_path, call, how, f"{here}:{ours}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert int(child.stdout) > {"write": 50, "read": 10, "status": 5, "settle": 5}.get(call, 0)
