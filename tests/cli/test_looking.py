"""Commands that look at results: plot, compare, schema."""

import json
import tomllib

import pytest

import counterpoint as cp


@pytest.fixture
def run_file(case, counterpoint, tmp_path):
    """A run file."""
    assert counterpoint("run", case(), "--quiet")[0] == 0
    return tmp_path / "case-run" / "case.h5"


def test_a_run_file_is_plotted(run_file, counterpoint, tmp_path):
    picture = tmp_path / "y.png"
    code, out, err = counterpoint("plot", run_file, "model.y", "--from", "200ms", "--to", "0.5", "--out", picture)
    assert (code, err) == (0, "")
    assert out == f"wrote {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_is_not_overwritten_unasked(run_file, counterpoint):
    code, _, err = counterpoint("plot", run_file)
    assert code == 2
    assert "already exists; add --overwrite" in err
    assert counterpoint("plot", run_file, "--overwrite")[0] == 0


def test_an_unknown_signal_is_named(run_file, counterpoint, tmp_path):
    code, _, err = counterpoint("plot", run_file, "model.x", "--out", tmp_path / "x.png")
    assert code == 2
    assert 'did you mean "model.y"' in err


def test_two_run_files_are_compared(run_file, counterpoint, case, tmp_path):
    assert counterpoint("run", case(), "--step", "model=50ms", "--out", "fine", "--quiet")[0] == 0
    picture = tmp_path / "cmp.png"
    code, out, err = counterpoint("compare", run_file, "fine/case.h5", "--tolerance", "1e-9", "--plot", picture)
    assert (code, err) == (0, "")
    assert "model.y" in out
    assert picture.exists()


def test_results_beyond_the_tolerance_end_with_1(case, counterpoint):
    code, out, err = counterpoint("compare", case("self.x = 1"), "--halve", "--tolerance", "1e-3")
    assert (code, err) == (0, "")  # y = t, whatever the step
    path = case("self.z = getattr(self, 'z', 0.0) + (t_end - t) ** 2; t_end = self.z")
    code, out, err = counterpoint("compare", path, "--halve", "--tolerance", "1e-3")
    assert code == 1
    assert "differs by more than 0.001" in err
    assert "steps / 2" in out


@pytest.mark.parametrize("arguments", [["a.h5"], ["a.h5", "b.h5", "--halve"]])
def test_compare_needs_two_files_or_halve(counterpoint, arguments):
    code, _, err = counterpoint("compare", *arguments)
    assert code == 2
    assert "two run files, or one scenario or model with --halve" in err


@pytest.mark.parametrize("kind", ["scenario", "mechanism", "diagram"])
def test_schemas_are_json(counterpoint, kind, tmp_path):
    code, out, _ = counterpoint("schema", kind)
    assert code == 0
    assert json.loads(out)["title"] == f"Counterpoint {kind}"
    assert counterpoint("schema", kind, "--out", tmp_path / "s.json")[0] == 0
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == json.loads(out)


@pytest.mark.parametrize("file", ["two_mass", "heater", "four-bar", "slider-crank"])
def test_examples_fulfil_the_schemas(counterpoint, examples, file):
    jsonschema = pytest.importorskip("jsonschema")
    values = tomllib.loads((examples / f"{file}.toml").read_text(encoding="utf-8"))
    kind = "mechanism" if "mechanism" in values else "scenario"
    schema = json.loads(counterpoint("schema", kind)[1])
    jsonschema.Draft202012Validator(schema).validate(values)
    values["untill"] = 1
    assert not jsonschema.Draft202012Validator(schema).is_valid(values)


def test_times_are_written_with_units_everywhere(case, counterpoint, tmp_path, scenario_text):
    text = scenario_text.replace("until = 1.0", 'until = "500 ms"').replace("step = 0.1", 'step = "0.1 s"')
    assert counterpoint("run", case(text=text), "--quiet", "--no-plot")[0] == 0
    assert cp.load(tmp_path / "case-run" / "case.h5").until == 0.5
    code, _, err = counterpoint("run", case(text=text.replace("500 ms", "500 mm")))
    assert code == 2
    assert "mm is not a unit of time" in err
    code, _, err = counterpoint("run", case(), "--until", "soon")
    assert code == 2
    assert '"0.1 ms"' in err
