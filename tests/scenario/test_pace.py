"""Paces in scenario files: what they become, and mistakes with file, key and line."""

import pytest

import counterpoint as cp

MASSES = """
until = 2.0
scheme = "parallel"
{pace}

[subsystems.left]
type = "linear"
A = [[0, 1], [-15, -0.3]]
B = [[0], [5]]
C = [[1, 0]]
x0 = [1, 0]
outputs = "x"
{step}

[subsystems.right]
type = "linear"
A = [[0, 1], [-15, -0.3]]
B = [[0], [5]]
C = [[1, 0]]
x0 = [0, 0]
outputs = "x"
{step}

[[connections]]
from = "left.x"
to = "right.u"

[[connections]]
from = "right.x"
to = "left.u"
"""


def scenario(tmp_path, pace="", step=""):
    path = tmp_path / "masses.toml"
    path.write_text(MASSES.format(pace=pace, step=step))
    return cp.Scenario.read(path)


@pytest.mark.parametrize(
    ("pace", "made"),
    [
        ('{ kind = "fixed", step = "20 ms" }', cp.pace.fixed(0.02)),
        ('{ kind = "table", times = [0, 1], steps = [0.1, 0.2] }', cp.pace.table([0, 1], [0.1, 0.2])),
        ('{ kind = "table", times = [0, "1 s"], steps = ["100 ms", 0.2] }', cp.pace.table([0, 1], [0.1, 0.2])),
        (
            '{ kind = "gradient", signals = "left.x", smallest = 0.01, largest = "0.1 s", p1 = 1 }',
            cp.pace.gradient("left.x", smallest=0.01, largest=0.1, p1=1.0),
        ),
        ('{ kind = "gradient", tolerance = 1e-2 }', cp.pace.gradient(tolerance=1e-2)),
        (
            '{ kind = "defect", tolerance = 1e-2, first = "1 ms", absolute = { "left.x" = 1e-6 } }',
            cp.pace.defect(1e-2, first=1e-3, absolute={"left.x": 1e-6}),
        ),
        ('{ kind = "predictor-corrector" }', cp.pace.predictor_corrector()),
        ('{ kind = "doubling", growth = 1.5 }', cp.pace.doubling(growth=1.5)),
        ('{ kind = "energy", bonds = [["left.u", "right.u"]] }', cp.pace.energy(bonds=[("left.u", "right.u")])),
    ],
)
def test_a_pace_for_all(tmp_path, pace, made):
    described = scenario(tmp_path, f"pace = {pace}")
    assert described.options().pace == made
    assert described.run().status == "finished"


def test_a_pace_for_one_subsystem(tmp_path):
    described = scenario(tmp_path, step='pace = { kind = "table", times = [0], steps = [0.05] }')
    assert set(described.run().steps["left"].rule) == {"table"}


def test_a_pace_of_the_user(tmp_path):
    (tmp_path / "paces.py").write_text(
        "import counterpoint as cp\n\n\nclass Steady(cp.pace.Pace):\n"
        "    def __init__(self, length):\n        self.length = length\n\n"
        "    def next_step(self, step):\n        return self.length\n"
    )
    described = scenario(
        tmp_path, 'pace = { kind = "python", object = "paces.py:Steady", arguments = { length = 0.1 } }'
    )
    assert len(described.run().steps["left"]) == 20


@pytest.mark.filterwarnings("ignore::counterpoint.PaceWarning")  # the machine may be busy
def test_the_wall_clock(tmp_path):
    result = scenario(tmp_path, "real_time = 40.0", "step = 0.1").run()
    assert result.overruns.steps.tolist() == [20, 20]


@pytest.mark.parametrize(
    ("pace", "text"),
    [
        ('pace = { kind = "defekt" }', r'pace\.kind: "defekt": unknown kind; did you mean "defect"\? \(line 4\)'),
        ('pace = { kind = "defect", tolerence = 1 }', r"pace\.tolerence: unknown key; did you mean"),
        ('pace = { kind = "defect", tolerance = 0 }', r"pace\.tolerance"),
        ('pace = { kind = "defect", tolerance = nan }', r"pace\.tolerance"),
        (
            'pace = { kind = "defect", smallest = 1, largest = 0.1 }',
            r"toml: pace\.smallest: 1 s is longer than pace\.largest",
        ),
        (
            'pace = { kind = "gradient", signals = "left.y", smallest = 0.1, largest = 0.2 }',
            r'pace\.signals: "left\.y": "left" has no output "y"',
        ),
        ("real_time = -1", r"real_time"),
        (
            'pace = { kind = "table", times = [0, "1 kg"], steps = [0.1, 0.2] }',
            r"pace\.times\[1\]: .*kg is not a unit of time",
        ),
    ],
)
def test_mistakes_are_named_with_their_key(tmp_path, pace, text):
    with pytest.raises(cp.ScenarioError, match=text) as caught:
        scenario(tmp_path, pace, "step = 0.1" if "real" in pace else "").build()
    assert "is missing" not in str(caught.value)
