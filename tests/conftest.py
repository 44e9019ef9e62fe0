"""What tests of several rooms use."""

import contextlib
import signal
import textwrap

import numpy as np
import pytest

from counterpoint import _core

# A shell starts programs in the background with Ctrl-C ignored, which child processes would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def write(tmp_path):
    """Write a file, its text without the indent of the test; return its path."""

    def write(text, name="case.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def recorded(result):
    """Return all bits of a result: rows of all subsystems, rows and figures of all defects."""
    frames = result.to_pandas()
    parts = [array.tobytes() for frame in frames.values() for array in (frame.index.to_numpy(), frame.to_numpy())]
    for label in result.defects["connection"]:
        defect = result.defect(label)
        parts += [np.ascontiguousarray(column).tobytes() for column in (defect.time, defect.assumed, defect.arrived)]
    return [*parts, result.defects.select_dtypes("number").to_numpy().tobytes()]


class DefinedRun(_core.RunSpec):
    """A run without fast paths: inputs as they are defined, one step after the other."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.fast_paths = _core.FastPaths.none()


@pytest.fixture
def without_fast_paths(monkeypatch):
    """Return a context in which runs use the definition alone."""

    @contextlib.contextmanager
    def context():
        with monkeypatch.context() as patch:
            patch.setattr(_core, "RunSpec", DefinedRun)
            yield

    return context


@pytest.fixture
def check_fast_paths(without_fast_paths):
    """Run a system, made anew each time, with fast paths and without; every bit is the same."""

    def check(make, **options):
        fast = recorded(make().run(**options))
        with without_fast_paths():
            defined = recorded(make().run(**options))
        assert fast == defined
        assert sum(map(len, fast)) > 500

    return check
