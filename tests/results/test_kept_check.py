"""The error estimate that a run file keeps: the verdict is the same when the file is read later, without the models."""

import os

import h5py
import pytest

import counterpoint as cp


def ring(parts=2, **options):
    """A ring of first-order lags; the coupling is good or bad with the step."""
    system = cp.System("ring")
    for k in range(parts):
        system.add(f"s{k}", cp.linear([[-1.0]], [[0.5]], [[1.0]], x0=[1.0 + k]), step=0.05 if k % 2 else 0.01)
    for k in range(parts):
        system.connect(f"s{k}.y", f"s{(k + 1) % parts}.u", **options)
    return system


@pytest.mark.parametrize("compress", [False, True])
def test_a_run_file_gives_the_verdict_of_the_run(tmp_path, compress):
    path = tmp_path / "ring.h5"
    first = ring().run(until=3.0, file=path, compress=compress)
    said = first.quality
    assert said.verdict == "trustworthy"
    with cp.load(path) as loaded:
        again = loaded.quality
        assert str(again) == str(said)
        assert (again.error, again.confidence, again.worst, again.span) == (
            said.error, said.confidence, said.worst, said.span,
        )  # fmt: skip
        assert again.modes.equals(said.modes)
        assert list(again.indicators["connection"]) == list(said.indicators["connection"])
        assert str(loaded.assess(1e-9)) == str(first.assess(1e-9)) != str(said)


def test_a_bad_run_stays_bad_in_its_file(tmp_path):
    path = tmp_path / "bad.h5"
    system = cp.System("bad")
    system.add("fast", cp.linear([[0, 1], [-400, 0]], [[0], [1]], [[1, 0]], x0=[1, 0]), step=0.002)
    system.add("slow", cp.linear([[0, 1], [-100, -1]], [[0], [300]], [[100, 0]], x0=[0, 0]), step=0.05)
    system.connect("fast.y", "slow.u")
    system.connect("slow.y", "fast.u")
    said = system.run(until=5.0, file=path).quality
    assert said.verdict in ("do not use", "look here")
    with cp.load(path) as loaded:
        assert str(loaded.quality) == str(said)


def test_a_file_whose_run_was_not_checked_says_so(tmp_path):
    ring().run(until=1.0, file=tmp_path / "a.h5")
    with cp.load(tmp_path / "a.h5") as loaded:
        assert "the run file has no error estimate" in str(loaded.quality)
    assert "check" in str(ring().run(until=1.0, file=tmp_path / "b.h5", check="off").quality)
    with cp.load(tmp_path / "b.h5") as loaded:
        assert "check" in str(loaded.quality)


def test_a_file_that_cannot_be_written_any_more_is_left_as_it_is(tmp_path):
    path = tmp_path / "ring.h5"
    result = ring().run(until=1.0, file=path)
    os.replace(path, tmp_path / "elsewhere.h5")
    assert result.quality.verdict == "trustworthy"
    assert not path.exists()


def test_a_damaged_estimate_is_as_good_as_none(tmp_path):
    path = tmp_path / "ring.h5"
    assert ring().run(until=1.0, file=path).quality.verdict == "trustworthy"
    for damage in (b'{"parts": "x"', b'{"parts": [2], "covered": {}}', b"\xff\xfe", b"[]", b'{"differences": 3}'):
        with h5py.File(path, "r+") as file:
            room = len(file["check"])
            file["check"][:] = list(damage.ljust(room))
        with cp.load(path) as loaded:
            assert loaded.quality.verdict == "cannot tell"
            assert "the run file has no error estimate" in str(loaded.quality)


def test_the_worst_signals_are_kept_when_there_is_no_room_for_all(tmp_path, monkeypatch):
    monkeypatch.setattr("counterpoint.results.format.CHECK_ROOM", 6000)
    path = tmp_path / "large.h5"
    said = ring(12).run(until=0.5, file=path).quality
    assert len(said.differences) == 12
    with cp.load(path) as loaded:
        again = loaded.quality
        assert 2 < len(again.differences) < 12
        assert again.error == said.error
        assert again.verdict == said.verdict


def test_a_run_that_goes_on_keeps_no_estimate(tmp_path):
    path = tmp_path / "ring.h5"
    run = ring().start(until=1.0, file=path)
    run.step_to(0.5)
    with cp.load(path) as loaded:
        assert loaded.quality.verdict == "cannot tell"
    run.finish()
