"""Diagrams in TOML files."""

import numpy as np
import pytest

import counterpoint as cp

CONTROL = """
[diagram]
step = 0.01

[inputs]
set_point = { default = 1.0, unit = "m" }

[blocks]
error = { kind = "sum", signs = "+-", inputs = ["set_point", "plant.x"] }
integral = { kind = "integrator", inputs = ["error"] }
force = { kind = "sum", signs = "++-", inputs = ["p", "i", "plant.v"] }
p = { kind = "gain", gain = 4, inputs = ["error"] }
i = { kind = "gain", gain = 2, inputs = ["integral"] }
plant = { superblock = "plant", inputs = { force = "force" } }

[outputs]
position = { signal = "plant.x", unit = "m" }
error = "error"

[superblocks.plant.inputs]
force = {}

[superblocks.plant.blocks]
v = { kind = "integrator", inputs = ["a"] }
x = { kind = "integrator", inputs = ["v"] }
a = { kind = "sum", signs = "+-", inputs = ["force", "k"] }
k = { kind = "gain", gain = 2.0, inputs = ["x"] }

[superblocks.plant.outputs]
x = "x"
v = "v"

[run]
until = 10
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "control.toml"
    path.write_text(CONTROL, encoding="utf-8")
    return path


def position(model):
    return model.run(until=5.0)[f"{model.name}.position"].values


def test_a_file_means_the_same_as_python(file):
    plant = cp.Diagram("plant")
    force = plant.input("force")
    v, x = plant.integrator(name="v"), plant.integrator(name="x")
    v >> x
    plant.sum(force, plant.gain(2.0, x), signs="+-") >> v
    plant.output("x", x)
    plant.output("v", v)
    model = cp.Diagram("control", step=0.01)
    set_point = model.input("set_point", 1.0)
    block = model.superblock(plant, name="plant")
    error = model.sum(set_point, block["x"], signs="+-")
    integral = model.integrator(error)
    model.sum(model.gain(4.0, error), model.gain(2.0, integral), block["v"], signs="++-") >> block
    model.output("position", block["x"])
    assert np.array_equal(position(model), position(cp.diagram.load(file)))


def test_what_is_saved_is_read_again(file, tmp_path):
    model = cp.diagram.load(file)
    again = cp.diagram.load(model.save(tmp_path / "again.toml", until=5.0))
    assert np.array_equal(position(model), position(again))
    assert again.units == {"set_point": "m", "position": "m"}
    with pytest.raises(cp.OutputError, match="already exists"):
        model.save(tmp_path / "again.toml")


def test_gates_and_constants_survive_saving(tmp_path):
    inner = cp.Diagram("inner")
    inner.output("y", inner.integrator(1.0))
    model = cp.Diagram("gated", step=0.1)
    model.output("position", model.superblock(inner, enable=model.step(1.0) - 0.5, restarts=True))
    again = cp.diagram.load(model.save(tmp_path / "gated.toml"))
    assert np.array_equal(position(model), position(again))


def test_all_mistakes_are_told_at_once_with_their_lines(file):
    text = file.read_text(encoding="utf-8")
    text = text.replace('kind = "gain", gain = 4', 'kind = "gian", gain = 4')
    text = text.replace('"plant.v"]', '"plant.w"]').replace("gain = 2.0", "gain = 2.0, colour = 3")
    text = text.replace("step = 0.01", "stp = 0.01").replace('error = "error"', 'error = "eror"')
    file.write_text(text, encoding="utf-8")
    with pytest.raises(cp.ScenarioError) as error:
        cp.diagram.load(file)
    problems = [problem.removeprefix(f"{file}: ") for problem in error.value.problems]
    assert problems == [
        'diagram.stp: unknown key; did you mean "step"? (line 3)',
        'blocks.force.inputs[2]: no output "w"; known: "v", "x" (line 11)',
        'blocks.p.kind: "gian": no such kind of block; did you mean "gain"? (line 12)',
        'superblocks.plant.blocks.k: "colour": no such parameter of gain; it has: gain (line 27)',
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('superblock = "plant"', 'superblock = "plnt"', 'did you mean "plant"'),
        ('superblock = "plant"', 'file = "none.toml"', "no such file"),
        ('superblock = "plant"', 'file = "control.toml"', "contains itself"),
        ('kind = "gain", gain = 2.0', 'superblock = "plant"', "contains itself"),
        ('inputs = ["error"] }\nforce', 'inputs = ["error", "p"] }\nforce', "no free input"),
        ('inputs = { force = "force" }', 'inputs = { forse = "force" }', 'did you mean "force"'),
        (', inputs = { force = "force" }', "", 'plant: nothing is connected to input "force"'),
        ("[diagram]", "[diagram]\nsolver = 4", "must be a valid string"),
        ('"+-", inputs = ["set_point", "plant.x"]', '"+-", inputs = ["set_point", "plant"]', "2 outputs"),
    ],
)
def test_mistakes_are_named(file, old, new, message):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match=message):
        cp.diagram.load(file)


def test_a_diagram_of_another_file_is_a_superblock(tmp_path, file):
    (tmp_path / "outer.toml").write_text(
        '[diagram]\nstep = 0.01\n[blocks]\nloop = { file = "control.toml", inputs = { set_point = 2.0 } }\n'
        '[outputs]\nposition = "loop.position"\n',
        encoding="utf-8",
    )
    twice = position(cp.diagram.load(tmp_path / "outer.toml"))
    assert twice == pytest.approx(2.0 * position(cp.diagram.load(file)), abs=1e-12)  # it is linear


def test_the_command_line_runs_a_diagram_and_draws_it(file, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from counterpoint._cli.main import cli

    monkeypatch.chdir(tmp_path)
    outcome = CliRunner().invoke(cli, ["run", "control.toml", "--no-progress"])
    assert outcome.exit_code == 0, outcome.output
    assert {path.name for path in (tmp_path / "control-run").iterdir()} == {"control.h5", "control.png", "control.svg"}
    shown = CliRunner().invoke(cli, ["info", "control.toml"]).output
    assert "superblock" in shown
    assert "ode4" in shown


def test_a_scenario_can_use_a_diagram(file, tmp_path):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('until = 5.0\n[subsystems.loop]\ntype = "diagram"\nfile = "control.toml"\n', encoding="utf-8")
    result = cp.Scenario.read(scenario).run()
    # Its own pace adds steps up, a fixed step counts them: times differ by rounding.
    assert result["loop.position"].values == pytest.approx(position(cp.diagram.load(file)), abs=1e-12)


FUNCTION = """
[diagram]
step = 0.01
[blocks]
x = { kind = "integrator", initial = 1.0, inputs = ["f"] }
f = { kind = "function", function = "model.py:decay", inputs = ["x", 2.0] }
[outputs]
x = "x"
"""


def test_a_block_can_be_a_python_function_of_a_file_beside_it(tmp_path):
    (tmp_path / "model.py").write_text("def decay(t, x, rate):\n    return -rate * x\n", encoding="utf-8")
    path = tmp_path / "decay.toml"
    path.write_text(FUNCTION, encoding="utf-8")
    result = cp.diagram.load(path).run(until=1.0)
    assert result["decay.x"].values[-1] == pytest.approx(np.exp(-2.0), abs=1e-9)
    path.write_text(FUNCTION.replace("model.py:decay", "model.py:decoy"), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match=r'blocks.f: "model.py:decoy": model.py has no "decoy"'):
        cp.diagram.load(path)
    path.write_text(FUNCTION.replace("model.py:decay", "../model.py:decay"), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match="lies outside"):
        cp.diagram.load(path)
