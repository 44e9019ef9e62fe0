"""FMUs in scenario files and on the command line."""

import shutil

import pytest

import counterpoint as cp
from counterpoint._cli.main import main

SCENARIO = """\
until = 1.0
scheme = "parallel"
approximation = {kind = "lagrange", order = 1}

[subsystems.left]
type = "fmu"
file = "oscillator.fmu"
step = 0.01
parameters = {kc = 5.0, k = 10}
start = {x = 0.5}
outputs = ["x", "v"]

[subsystems.right]
type = "fmu"
file = "oscillator.fmu"
parameters = {kc = 5.0, k = 10.0}
inputs = ["x_other"]
logging = ["logEvents"]

[[connections]]
from = "left.x"
to = "right.x_other"

[[connections]]
from = "right.x"
to = "left.x_other"
"""


@pytest.fixture
def scenario(built, version, tmp_path):
    shutil.copy(built("oscillator", version), tmp_path / "oscillator.fmu")

    def write(text=SCENARIO):
        path = tmp_path / "case.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_scenario_with_fmus_runs(scenario):
    result = cp.Scenario.read(scenario()).run()
    assert result.status == "finished"
    assert result["left.x"].values[0] == 0.5
    assert result["left.x"].unit == "m"
    assert result.signals[:3] == ["left.x", "left.v", "right.x"]


def test_mistakes_in_a_scenario_are_told_with_key_and_line(scenario):
    text = SCENARIO.replace("kc = 5.0, k = 10}", 'kcc = 5.0, k = "stiff"}').replace(
        'file = "oscillator.fmu"\nparam', 'file = "oscilator.fmu"\nparam'
    )
    with pytest.raises(cp.ScenarioError) as refused:
        cp.Scenario.read(scenario(text)).build()
    found = str(refused.value)
    assert 'parameters."kcc": no such variable; did you mean "kc"?' in found
    assert "parameters.\"k\": 'stiff'; expected a number" in found
    assert '"oscilator.fmu": no such file; did you mean "oscillator.fmu"?' in found
    assert found.count("(line ") == 3


def test_an_unknown_key_of_an_fmu_gets_a_suggestion(scenario):
    with pytest.raises(cp.ScenarioError, match=r'parameter: unknown key; did you mean "parameters"\?'):
        cp.Scenario.read(
            scenario(SCENARIO.replace("parameters = {kc = 5.0, k = 10}", "parameter = {kc = 5.0}"))
        ).build()


def test_a_failing_fmu_on_the_command_line_keeps_its_results(built, version, tmp_path, monkeypatch, capsys, fault):
    shutil.copy(built("misbehaving", version), tmp_path / "pump.fmu")
    text = f'name = "pump"\nuntil = 1.0\n[subsystems.pump]\ntype = "fmu"\nfile = "pump.fmu"\nstep = 0.1\nparameters = {{fault = {fault("errs")}}}\n'
    (tmp_path / "pump.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["run", "pump.toml", "--no-plot"])
    assert end.value.code == 3
    assert "the valve is stuck" in capsys.readouterr().err
    assert cp.load(tmp_path / "pump-run" / "pump.h5")["pump.y"].time[-1] == pytest.approx(0.4)


def test_model_exchange_in_a_scenario(scenario):
    text = SCENARIO.replace(
        'logging = ["logEvents"]', 'kind = "model-exchange"\nsolver = "ode45"\nrtol = 1e-8\nmax_step = 0.01'
    )
    result = cp.Scenario.read(scenario(text)).run()
    assert result.status == "finished"
    assert result["right.x"].values[-1] == pytest.approx(
        cp.Scenario.read(scenario()).run()["right.x"].values[-1], abs=5e-3
    )


def test_info_shows_both_kinds_and_which_one_is_run(scenario, capsys):
    folder = scenario().parent
    with pytest.raises(SystemExit) as end:
        main(["info", str(folder / "oscillator.fmu")])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    for expected in ("Co-simulation", "Model exchange", "2: x, v", "directional derivatives", "completed-step calls",
                     'unless kind = "model-exchange" is given'):  # fmt: skip
        assert expected in shown


def test_info_names_the_items_of_an_enumeration(built, version, capsys):
    with pytest.raises(SystemExit):
        main(["info", str(built("pass-through", version))])
    assert "Enumeration: 1 off, 2 idle, 3 on" in capsys.readouterr().out
