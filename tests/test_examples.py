"""Every example runs, in a directory of its own, within seconds."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MECHANISMS = sorted(path for path in EXAMPLES.glob("*.toml") if "[mechanism]" in path.read_text(encoding="utf-8"))
SWEEPS = sorted(path for path in EXAMPLES.glob("*.toml") if "[vary]" in path.read_text(encoding="utf-8"))
SCENARIOS = sorted(set(EXAMPLES.glob("*.toml")) - set(MECHANISMS) - set(SWEEPS))
SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "heater_models.py")
GALLERY = EXAMPLES.parent / "docs" / "make_notebooks.py"
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
NEEDS = {
    "fmpy_master.py": "fmpy",
    "pathsim_master.py": "pathsim",
    "sensitivity.py": "SALib",
    "calibration.py": "scipy",
    "optimisation.py": "optuna",
}
HOSTS = ("diagram_master.py", "fmpy_master.py", "pathsim_master.py", "scheduler_master.py")


def run(folder, *command):
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "error"}
    command = [sys.executable, *command]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_runs_and_says_something(script, tmp_path):
    if script.name in NEEDS:
        pytest.importorskip(NEEDS[script.name], reason=f"needs {NEEDS[script.name]}")
    done = run(tmp_path, str(script))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    # One model under four masters. The closed form is 1.0224 and 1.5792, the rotor's steps of 20 ms leave 1.577.
    assert script.name not in HOSTS or done.stdout.startswith("shaft 1.02 rad, rotor 1.58 rad")


@pytest.mark.parametrize("plan", SWEEPS, ids=lambda path: path.name)
def test_a_sweep_runs_all_its_points(plan, tmp_path):
    done = run(tmp_path, "-m", "counterpoint", "sweep", str(plan), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "points done, 0 failed" in done.stdout


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_something_in_each_cell(notebook, tmp_path):
    """In a process of its own: a notebook draws."""
    code = f"import runpy; made = runpy.run_path({str(GALLERY)!r}); made['run'](made['read']({str(notebook)!r}), '.')"
    done = run(tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in runpy.run_path(str(GALLERY))["read"](notebook)["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in cells), "run: python docs/make_notebooks.py"


def test_every_notebook_is_in_the_gallery():
    page = (GALLERY.parent / "gallery.md").read_text(encoding="utf-8")
    assert [path.name for path in NOTEBOOKS if f"`{path.name}`" not in page] == []


@pytest.mark.skipif(not (shutil.which("cc") or shutil.which("gcc")), reason="no C compiler")
def test_one_command_builds_the_fmus_of_the_pages(tmp_path):
    done = run(tmp_path, str(EXAMPLES / "make_fmus.py"))
    assert done.returncode == 0, done.stderr
    pages = [EXAMPLES.parent / "README.md", *(EXAMPLES.parent / "docs").rglob("*.md")]
    fmu = runpy.run_path(str(GALLERY.parent / "make_images.py"))["FMU"]
    named = {match[0] for page in pages for match in fmu.finditer(page.read_text(encoding="utf-8"))}
    assert named
    assert named <= {path.name for path in tmp_path.glob("*.fmu")}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
def test_a_scenario_runs_and_leaves_a_run_file_and_a_picture(scenario, tmp_path):
    done = run(tmp_path, "-m", "counterpoint", "run", str(scenario), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".h5", ".png"}


@pytest.mark.parametrize("model", MECHANISMS, ids=lambda path: path.name)
def test_a_mechanism_runs_and_leaves_a_run_file_and_pictures(model, tmp_path):
    done = run(tmp_path, "-m", "counterpoint", "run", str(model), "--out", "out")
    assert done.returncode == 0, done.stderr
    left = {path.name.removeprefix(model.stem) for path in (tmp_path / "out").iterdir()}
    assert left == {".h5", ".png", "-checks.png", ".html"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short_enough_to_read_at_once(script):
    assert len(script.read_text(encoding="utf-8").splitlines()) < 40
