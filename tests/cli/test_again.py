"""Runs that are run again from their run file, watched and animated."""

import json
import shutil

import pytest

import counterpoint as cp
from counterpoint.results.watching import sparkline


@pytest.fixture
def mechanism(tmp_path, monkeypatch, examples):
    """A scenario with a mechanism."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(examples / "four-bar.toml", tmp_path)
    path = tmp_path / "pair.toml"
    path.write_text('until = 0.05\n[subsystems.bar]\ntype = "multibody"\nfile = "four-bar.toml"\n', encoding="utf-8")
    return path


def test_a_run_file_says_where_it_comes_from(case, counterpoint, tmp_path):
    assert counterpoint("run", case(), "--quiet", "--until", "0.3", "--step", "model=50ms")[0] == 0
    told = cp.load(tmp_path / "case-run" / "case.h5").metadata
    assert told["version"] == cp.__version__
    assert told["case"] == str(tmp_path / "case.toml")
    assert told["text"] == (tmp_path / "case.toml").read_text(encoding="utf-8")
    assert json.loads(told["settings"]) == {"until": 0.3, "steps": {"model": 0.05}}
    assert sorted(json.loads(told["files"])) == [str(tmp_path / "case.toml"), str(tmp_path / "models.py")]
    assert told["until"] == 0.3
    assert {"platform", "python", "command"} <= set(told)


def test_a_run_file_is_run_again_with_its_settings(case, counterpoint, tmp_path):
    assert counterpoint("run", case(), "--quiet", "--until", "0.3", "--step", "model=50ms")[0] == 0
    first = tmp_path / "case-run" / "case.h5"
    assert counterpoint("run", first, "--quiet", "--out", "again")[:2] == (0, "")
    assert cp.compare(first, tmp_path / "again" / "case.h5").within(0.0)
    assert counterpoint("run", first, "--quiet", "--out", "longer", "--until", "0.4")[:2] == (0, "")
    longer = cp.load(tmp_path / "longer" / "case.h5")
    assert (longer.end, longer.rows("model")) == (pytest.approx(0.4), 9)


@pytest.mark.filterwarnings("default::UserWarning")
def test_what_has_changed_since_the_run_is_told(case, counterpoint, tmp_path, scenario_text):
    path = case()
    counterpoint("run", path, "--quiet")
    first = tmp_path / "case-run" / "case.h5"
    case("pass; pass")
    code, _, err = counterpoint("run", first, "--out", "again", "--no-plot")
    assert code == 0
    assert "models.py: has changed since the run" in err
    path.write_text(scenario_text + "# changed\n", encoding="utf-8")
    code, _, err = counterpoint("run", first, "--out", "third")
    assert code == 2
    assert "case.toml: has changed since the run" in err
    assert counterpoint("info", first, "--text")[:2] == (0, scenario_text)
    path.unlink()
    code, _, err = counterpoint("run", first, "--out", "third")
    assert code == 2
    assert "which no longer exists" in err


def test_a_run_of_a_system_made_in_python_cannot_be_run_again(tmp_path, counterpoint):
    system = cp.System()
    system.add("clock", cp.source(lambda t: t, outputs="t"), step=0.1)
    system.run(until=0.3, file=tmp_path / "clock.h5")
    code, _, err = counterpoint("run", tmp_path / "clock.h5")
    assert code == 2
    assert "was not made from a file" in err


def test_tokens_are_not_kept_in_results(tmp_path):
    from counterpoint._cases.provenance import provenance

    path = tmp_path / "link.toml"
    path.write_text('[subsystems.a]\ntoken = "secret"\naddress = "tcp://x"\n', encoding="utf-8")
    assert "secret" not in json.dumps(provenance(path))


def test_the_mechanisms_of_a_scenario_are_animated(mechanism, counterpoint, tmp_path):
    code, out, err = counterpoint("run", mechanism)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "wrote pair-run/pair-bar.html"
    code, out, err = counterpoint("animate", "pair-run/pair.h5", "--out", "films", "--trace", "C")
    assert (code, out, err) == (0, "wrote films/pair-bar.html\n", "")
    assert (tmp_path / "films" / "pair-bar.html").read_text(encoding="utf-8").startswith("<!")
    assert counterpoint("animate", "pair-run/pair.h5", "--strip", "3")[0] == 0
    code, _, err = counterpoint("animate", "pair-run/pair.h5", "--subsystem", "baz")
    assert code == 2
    assert 'did you mean "bar"' in err


def test_a_run_without_mechanisms_has_nothing_to_animate(case, counterpoint):
    counterpoint("run", case(), "--quiet")
    code, _, err = counterpoint("animate", "case-run/case.h5")
    assert code == 2
    assert "nothing to animate" in err


def test_default_plots_show_declared_outputs_of_mechanisms(mechanism):
    result = cp.Scenario.read(mechanism).run()
    drawn = {line.get_gid() for ax in result.plot() for line in ax.lines}
    assert "bar.q[0]" not in drawn
    assert "bar.crank_angle" in drawn


def test_a_run_is_watched_until_it_ends(case, start, counterpoint, tmp_path):
    path = case("time.sleep(0.05)")
    process = start("run", path, "--no-plot", "--quiet")
    code, out, err = counterpoint("watch", tmp_path / "case-run" / "case.h5", "--wait", "300", "--interval", "50ms")
    assert (code, err) == (0, "")
    assert "case: finished, t = 1 s of 1 s, 11 rows" in out
    assert "model.y" in out
    assert process.wait() == 0


def test_a_look_at_a_finished_run(case, counterpoint):
    counterpoint("run", case(), "--quiet")
    code, out, _ = counterpoint("watch", "case-run/case.h5", "model", "--once")
    assert code == 0
    assert "█" in out
    code, _, err = counterpoint("watch", "nothing.h5")
    assert code == 2
    assert "no such file" in err


def test_a_constant_or_broken_signal_has_a_flat_line():
    assert sparkline(cp.results.Samples("x", [0, 1], [1.0, 1.0]).values, 5) == "▁▁"


def test_a_scenario_starts_with_its_scheme_window_and_threads(case, scenario_text):
    text = scenario_text.replace("until = 1.0", 'until = 1.0\nscheme = "parallel"\nthreads = 2')
    scenario = cp.Scenario.read(case(text=text))
    with scenario.start() as run:
        run.step_to(0.5)
    result = run.finish()
    assert (result.scheme, result.end) == ("parallel", 0.5)


def test_what_is_recorded_is_chosen_and_kept_when_run_again(case, counterpoint, tmp_path):
    assert counterpoint("run", case(), "--quiet", "--record", "model.y", "--record-every", "200ms")[0] == 0
    first = tmp_path / "case-run" / "case.h5"
    assert cp.load(first).rows("model") == 6
    assert counterpoint("run", first, "--quiet", "--out", "again")[0] == 0
    assert cp.load(tmp_path / "again" / "case.h5").rows("model") == 6
    code, _, err = counterpoint("run", case(), "--record", "model.z", "--out", "bad")
    assert code == 2
    assert 'record: "model.z": no such output; did you mean "model.y"' in err


def test_a_run_that_keeps_some_signals_draws_those(counterpoint, examples, tmp_path):
    for record in ("slow.x", "slow"):
        out = tmp_path / record
        file = examples / "two_mass.toml"
        code, _, err = counterpoint("run", file, "--record", record, "--until", "1", "--check", "off", "--out", out)
        assert code == 0
        assert "incomplete" not in err
        assert (out / "two-mass.png").exists()


def test_a_mechanism_that_keeps_some_signals_draws_those(counterpoint, examples, tmp_path):
    kept = ["--record", "four-bar.violation", "--until", "0.1", "--check", "off"]
    code, _, err = counterpoint("run", examples / "four-bar.toml", *kept, "--out", tmp_path / "run")
    assert code == 0
    assert "incomplete" not in err
    # Without coordinates there is no motion to show.
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "four-bar.h5",
        "four-bar.png",
        "four-bar-checks.png",
    }


def test_a_shell_completes_schemes_studies_and_signals(case, counterpoint):
    from click.shell_completion import ShellComplete

    from counterpoint._cli.main import cli

    counterpoint("run", case(), "--quiet")
    complete = ShellComplete(cli, {}, "counterpoint", "_COUNTERPOINT_COMPLETE").get_completions
    assert [item.value for item in complete(["run", "x.toml", "--scheme"], "s")] == ["slowest-first", "sequential"]
    assert [item.value for item in complete(["study"], "tw")] == ["two-mass", "two-mass-oscillator"]
    assert [item.value for item in complete(["plot", "case-run/case.h5"], "model.")] == ["model.y"]
    assert [item.value for item in complete(["plot", "nothing.h5"], "model.")] == []
