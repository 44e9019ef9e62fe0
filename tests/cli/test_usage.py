"""What happens before anything runs: help, usage, mistakes, places to write to."""

import errno
import subprocess
import sys
import tempfile

import pytest

HEAVY = {"h5py", "matplotlib", "numpy", "pandas", "pydantic", "rich"}


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_nothing_heavy(arguments):
    """How long it takes is measured by ``python -m benchmarks coupling --work start-up``."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from counterpoint._cli import start; start()"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "counterpoint._cli.main" in loaded
    assert not HEAVY & loaded


def test_the_version_is_told(counterpoint):
    code, out, _ = counterpoint("--version")
    assert code == 0
    assert out.startswith("counterpoint 0.")


@pytest.mark.parametrize(
    "arguments", [["rnu"], ["run"], ["run", "x.toml", "--threads", "0"], ["run", "x.toml", "--untl", "3"]]
)
def test_bad_usage_exits_with_2(counterpoint, arguments):
    code, _, err = counterpoint(*arguments)
    assert code == 2
    assert "Usage: counterpoint" in err


def test_a_missing_scenario_exits_with_2(case, counterpoint):
    case()
    code, _, err = counterpoint("run", "cas.toml")
    assert code == 2
    assert 'cas.toml: no such file; did you mean "case.toml"?' in err


def test_all_mistakes_of_a_scenario_are_printed_and_nothing_is_written(case, counterpoint, tmp_path, scenario_text):
    path = case(text=scenario_text.replace("step = 0.1", "stpe = 0.1").replace("until = 1.0", "until = nan"))
    code, out, err = counterpoint("run", path)
    assert code == 2
    assert out == ""
    assert "case.toml: until: nan: must be a finite number (line 2)" in err
    assert "case.toml: subsystems.model.stpe: unknown key" in err
    assert not (tmp_path / "case-run").exists()


@pytest.mark.parametrize("until", ["nan", "inf", "0", "-1"])
def test_a_bad_end_on_the_command_line_exits_with_2(case, counterpoint, until):
    code, _, err = counterpoint("run", case(), f"--until={until}")
    assert code == 2
    assert "until: " in err


def test_an_unknown_scheme_on_the_command_line_exits_with_2(case, counterpoint):
    code, _, err = counterpoint("run", case(), "--scheme", "paralel")
    assert code == 2
    assert 'did you mean "parallel"?' in err


def test_a_traceback_is_shown_when_asked(case, counterpoint):
    case(body="pass")
    for arguments in (["--traceback", "run", "no.toml"], ["run", "no.toml", "--traceback"]):
        code, _, err = counterpoint(*arguments)
        assert code == 2
        assert "Traceback" in err
        assert "error: no.toml: no such file" in err


def test_results_already_there_are_not_replaced_unless_told(case, counterpoint, tmp_path):
    path = case()
    assert counterpoint("run", path)[0] == 0
    before = (tmp_path / "case-run" / "case.h5").stat().st_mtime_ns
    code, _, err = counterpoint("run", path)
    assert code == 2
    assert "case.h5" in err
    assert "--overwrite" in err
    assert (tmp_path / "case-run" / "case.h5").stat().st_mtime_ns == before
    assert counterpoint("run", path, "--overwrite")[0] == 0


def test_an_unwritable_place_exits_with_2_before_the_run(case, counterpoint, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = counterpoint("run", case(), "--out", tmp_path / "file" / "sub")
    assert code == 2
    assert "cannot write results there" in err
    assert "--out" in err
    code, _, err = counterpoint("run", case(), "--out", tmp_path / "file")
    assert code == 2
    assert "file: cannot write results there: it is a file, not a folder; choose another place with --out" in err


def test_a_full_disk_exits_with_5(case, counterpoint, monkeypatch):
    def full(**options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    code, _, err = counterpoint("run", case())
    assert code == 5
    assert "No space left on device" in err


def test_files_outside_need_leave(tmp_path, case, counterpoint, monkeypatch, scenario_text):
    path = case(text=scenario_text.replace("models.py", "../models.py"))
    inner = tmp_path / "inner"
    inner.mkdir()
    path = path.rename(inner / "case.toml")
    code, _, err = counterpoint("run", path)
    assert code == 2
    assert "--allow-outside" in err
    assert counterpoint("run", path, "--allow-outside")[0] == 0
