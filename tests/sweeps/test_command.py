import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

import counterpoint as cp

PLAN = """
    scenario = "two_mass.toml"
    [set]
    until = 5.0
    [vary]
    "slow.step" = { from = 0.05, to = 0.2, count = 3 }
    "connections[0].approximation.order" = [0, 1, 2]
    [measures]
    error = "error(fast.x)"
    steps = "steps"
    rows = { object = "own.py:rows" }
    [reference]
    set = { "slow.step" = 0.01, "fast.step" = 0.005, "connections[0].approximation.order" = 3 }
    [plots]
    surface = [["slow.step", "connections[0].approximation.order", "error"]]
    parallel = true
    pareto = [["error", "steps", "slow.step"]]
"""

OWN = {
    "function": "import beside\ndef rows(result):\n    return beside.factor * len(result['fast.x'].time)\n",
    "class": "class rows(float):\n    def __new__(cls, result):\n        return float(2 * len(result['fast.x'].time))\n",
    "instance": "class Rows:\n    def __call__(self, result):\n        return 2 * len(result['fast.x'].time)\nrows = Rows()\n",
}


@pytest.fixture
def plan(two_mass, write):
    (two_mass.parent / "own.py").write_text("def rows(result):\n    return len(result['fast.x'].time)\n")
    return write(PLAN, "plan.toml")


def command(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    given = {"env": environment, "capture_output": True, "text": True, "timeout": 100, **options}
    return subprocess.run([sys.executable, "-m", "counterpoint", "sweep", *map(str, arguments)], check=False, **given)


def test_a_plan_is_run_drawn_and_resumed_from_the_command_line(plan):
    done = command(plan, "--workers", "1", cwd=plan.parent)
    assert done.returncode == 0, done.stderr
    assert "9 points done, 0 failed" in done.stdout
    out = plan.parent / "plan-sweep"
    assert {path.name for path in out.iterdir()} == {
        "sweep.json", "table.parquet", "surface-0.png", "parallel.png", "pareto-0.png"
    }  # fmt: skip
    table = pd.read_parquet(out / "table.parquet")
    assert table["rows"].tolist() == [501.0] * 9 and (table["error"] > 0).all()
    again = command(plan, cwd=plan.parent)
    assert again.returncode == 2 and "--resume unfinished" in again.stderr


@pytest.mark.parametrize(
    ("kind", "where"),
    [*((kind, ["--kind", "processes"]) for kind in OWN), ("function", ["--cluster", "local"])],
    ids=[*OWN, "cluster"],
)
def test_measures_from_a_file_reach_other_processes(plan, where, kind):
    (plan.parent / "beside.py").write_text("factor = 2\n")
    (plan.parent / "own.py").write_text(OWN[kind])
    done = command(plan, "--workers", "2", "--no-plot", *where, cwd=plan.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert pd.read_parquet(plan.parent / "plan-sweep" / "table.parquet")["rows"].tolist() == [1002.0] * 9


def test_reading_a_plan_tells_all_mistakes_with_their_lines(two_mass, write):
    path = write("""
        scenario = "two_mas.toml"
        sampel = "grid"
        [vary]
        "slow.step" = { from = 0.05, to = 0.2, conut = 3 }
        "fast.step" = { from = "5 ms", to = "10 kg", count = 3 }
        [measures]
        error = "eror(fast.x)"
    """, "plan.toml")  # fmt: skip
    with pytest.raises(cp.ScenarioError) as caught:
        cp.sweeps.SweepFile.read(path)
    text = str(caught.value)
    for words in (
        'did you mean "two_mass.toml"',
        "sampel: unknown key",
        "unknown key 'conut'",
        "(line 5)",
        'vary."fast.step": to: "10 kg": kg is not a unit of time',
        'did you mean "error"',
    ):
        assert words in text


@pytest.mark.parametrize("sample", ["latin-hypercube", "sobol"])
def test_a_plan_says_how_many_points_are_drawn(two_mass, write, sample):
    path = write(f"""
        scenario = "two_mass.toml"
        sample = "{sample}"
        points = 8
        seed = 3
        [set]
        until = 5.0
        [vary]
        "fast.x0[0]" = {{ from = 10.0, to = 12.0 }}
        "slow.step" = {{ from = 0.05, to = 0.2, scale = "log" }}
        [measures]
        x = "last(fast.x)"
    """, "plan.toml")  # fmt: skip
    found = cp.sweeps.SweepFile.read(path).run(workers=1)
    assert found.progress.done == 8 and found.table["fast.x0[0]"].between(10.0, 12.0).all()


def test_a_dry_run_prints_the_points(plan):
    done = command(plan, "--dry-run", cwd=plan.parent)
    assert done.returncode == 0 and "9 points, grid" in done.stdout


def _long_sweep(plan, spawn):
    text = plan.read_text().replace("count = 3", "count = 30000").replace("own.py:rows", "own.py:rows")
    plan.write_text(text.split("[plots]")[0])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = spawn(
        [sys.executable, "-m", "counterpoint", "sweep", str(plan), "--workers", "1"], cwd=plan.parent, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    folder = plan.parent / "plan-sweep" / "table.parquet"
    while not (folder.exists() and list(folder.glob("part-*.parquet"))):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process, folder.parent


def test_ctrl_c_keeps_what_is_there_and_says_how_to_go_on(plan, spawn):
    process, folder = _long_sweep(plan, spawn)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "what has ended is kept" in err and "--resume unfinished" in err
    assert (cp.sweeps.read_table(folder)["status"] == "done").all()


def test_a_table_is_readable_after_kill_9_and_resume_does_the_rest_only(plan, spawn):
    process, folder = _long_sweep(plan, spawn)
    process.kill()
    process.wait()
    found = cp.sweeps.read_table(folder)
    assert len(found) and (found["status"] == "done").all()
    file = cp.sweeps.SweepFile.read(plan)

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(cp.SweepInterrupted) as caught:
        file.run(out=folder, resume="unfinished", progress=stop, workers=1)
    assert caught.value.sweep.progress.total == 90_000 - len(found)
