"""Runs that do not reach their end: exit codes, and what is left on the disk."""

import resource
import signal
import time

import pytest

import counterpoint as cp
from counterpoint.errors import OutputError, SimulationError


def test_a_failing_model_exits_with_3_and_keeps_the_results(case, counterpoint, tmp_path):
    path = case(body="assert t < 0.55, 'too hot'")
    code, out, err = counterpoint("run", path)
    assert code == 3
    assert "error: " in err
    assert "model" in err
    assert "too hot" in err
    assert "kept case-run/case.h5" in out
    kept = cp.load(tmp_path / "case-run" / "case.h5")
    assert kept.status == "failed"
    assert kept["model.y"].values.ravel()[-1] == pytest.approx(0.6)


def test_a_dead_component_exits_with_its_code(case, counterpoint, monkeypatch):
    class Died(SimulationError):
        exit_code = 4

    def run(self, **options):
        raise Died('component "pump" died (SIGSEGV)', "pump", 1.0)

    monkeypatch.setattr(cp.Scenario, "run", run)
    code, _, err = counterpoint("run", case())
    assert code == 4
    assert 'component "pump" died' in err


@pytest.mark.parametrize("error", [MemoryError(), OutputError("case.h5: no room", "case.h5", during_run=True)])
def test_no_room_and_no_memory_exit_with_5(case, counterpoint, monkeypatch, error):
    def run(self, **options):
        raise error

    monkeypatch.setattr(cp.Scenario, "run", run)
    code, _, err = counterpoint("run", case())
    assert code == 5
    assert err.startswith("error: ")


def test_a_file_that_cannot_grow_exits_with_5_and_stays_readable(case, start, tmp_path, scenario_text):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))

    text = scenario_text.replace("until = 1.0", "until = 100000.0")
    process = start("run", case(text=text), "--no-plot", cwd=tmp_path, preexec_fn=limit)
    out, err = process.communicate()
    assert process.returncode == 5, err
    assert "case.h5" in err
    assert "Traceback" not in err
    assert "kept case-run/case.h5" in out
    assert len(cp.load(tmp_path / "case-run" / "case.h5")["model.y"].time) > 1


ENDINGS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("which", "expected"), ENDINGS)
def test_a_signal_keeps_the_results_and_says_where(case, start, tmp_path, which, expected, scenario_text, wait_for):
    body = "t < 0.25 or open('began', 'w').close(); time.sleep(0.05)"
    path = case(body, text=scenario_text.replace("1.0", "1000.0"))
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    process.send_signal(which)
    out, err = process.communicate()
    assert process.returncode == expected, err
    assert "Traceback" not in err
    assert "kept case-run/case.h5" in out
    kept = cp.load(tmp_path / "case-run" / "case.h5")
    assert kept.status == "interrupted"
    assert len(kept["model.y"].time) > 1


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_that_stays_in_the_core_can_be_interrupted(start, tmp_path, threads, examples, wait_for_rows):
    arguments = ("--until", "1e7", "--no-plot", "--threads", threads)
    process = start("run", examples / "two_mass.toml", *arguments, cwd=tmp_path)
    wait_for_rows(tmp_path / "two-mass-run" / "two-mass.h5", "fast.x", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "interrupted at t = " in out
    assert "results up to there are kept" in err


DIAGRAM = """\
[diagram]
name = "fine"
step = 1.0
[blocks]
one = { kind = "constant", value = 1.0 }
sampled = { kind = "unit_delay", sample_time = 1e-12, inputs = ["one"] }
[outputs]
y = { signal = "sampled" }
[run]
until = 10.0
"""


@pytest.mark.parametrize(("which", "expected"), ENDINGS)
def test_a_signal_ends_a_native_step_of_many_internal_ones(start, tmp_path, which, expected, wait_for):
    path = tmp_path / "fine.toml"
    path.write_text(DIAGRAM)
    process = start("run", path, "--no-plot", cwd=tmp_path)
    wait_for((tmp_path / "fine-run" / "fine.h5").exists)
    time.sleep(0.5)
    process.send_signal(which)
    out, err = process.communicate()
    assert process.returncode == expected, err
    assert "interrupted at t = 0 s" in out
    assert "waiting for" not in err
    assert cp.load(tmp_path / "fine-run" / "fine.h5").status == "interrupted"


def test_a_hangup_that_is_ignored_stays_ignored(case, start, tmp_path, scenario_text, wait_for):
    path = case(body="open('began', 'w').close(); time.sleep(0.05)", text=scenario_text.replace("1.0", "2.0"))
    process = start("run", path, cwd=tmp_path, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for((tmp_path / "began").exists)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert cp.load(tmp_path / "case-run" / "case.h5").status == "finished"


@pytest.mark.parametrize(("which", "expected"), ENDINGS)
def test_a_signal_ends_an_export_and_leaves_no_file(case, start, tmp_path, which, expected, wait_for):
    path = case()
    models = tmp_path / "models.py"
    models.write_text("open('began', 'w').close()\nimport time\ntime.sleep(60)\n" + models.read_text())
    process = start("export", path, "--out", "case.fmu", cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    process.send_signal(which)
    _, err = process.communicate()
    assert process.returncode == expected
    assert err.strip() == "interrupted"
    assert not (tmp_path / "case.fmu").exists()


@pytest.mark.parametrize(("which", "expected"), ENDINGS)
def test_a_signal_ends_a_study_and_says_where_its_files_are(start, tmp_path, which, expected, wait_for):
    process = start("study", "two-mass", "--out", "here", cwd=tmp_path)
    wait_for((tmp_path / "here").exists)
    time.sleep(0.3)
    process.send_signal(which)
    _, err = process.communicate()
    assert process.returncode == expected, err
    assert "interrupted; what was written so far is in here" in err
    assert "Traceback" not in err


def test_a_second_interrupt_exits_at_once(case, start, tmp_path, wait_for):
    path = case(body="open('began', 'w').close(); time.sleep(60)")
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert cp.load(tmp_path / "case-run" / "case.h5").signals == ["model.y"]


def test_an_interrupt_before_the_run_exits_with_130(case, start, tmp_path, wait_for):
    path = case()
    models = tmp_path / "models.py"
    models.write_text("open('began', 'w').close()\nimport time\ntime.sleep(60)\n" + models.read_text())
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.strip() == "interrupted"
