"""Objects of installed packages in scenarios, and studies of theirs."""

import sys

import pytest

import counterpoint as cp
from counterpoint.studies import descriptions, run_study

ENTRY_POINTS = """\
[counterpoint.subsystems]
ramp = guests:Ramp
[counterpoint.approximations]
last = guests:Last
[counterpoint.studies]
guests = guest_study
"""

MODULE = """\
import counterpoint as cp

class Ramp(cp.Subsystem):
    inputs = ("u",)
    outputs = ("y",)
    def __init__(self, slope=1.0):
        self.slope = slope
    def start(self, t):
        self.y = 0.0
    def step(self, t, t_end, u):
        self.y = self.slope * t_end + u(t)[0]
    def output(self, t, u):
        return self.y

class Last(cp.Approximation):
    points = 1
    def evaluate(self, times, values, t):
        return values[-1]
"""

SCENARIO = """\
until = 1.0
[subsystems.ramp]
type = "python"
object = "plugin:ramp"
arguments = { slope = 3.0 }
step = 0.1
[subsystems.zero]
type = "table"
times = [0, 1]
values = [0, 0]
outputs = "y"
[[connections]]
from = "zero.y"
to = "ramp.u"
approximation = { kind = "python", object = "plugin:last" }
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An installed package that offers objects."""
    site = tmp_path / "site"
    info = site / "guests-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (site / "guests.py").write_text(MODULE, encoding="utf-8")
    (site / "guest_study.py").write_text("def run(out, quick, progress):\n    return (out, quick)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    yield
    for name in ("guests", "guest_study"):
        sys.modules.pop(name, None)


def test_a_scenario_uses_what_packages_offer(installed, tmp_path):
    path = tmp_path / "ramp.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    result = cp.Scenario.read(path).run()
    assert result["ramp.y"].values[-1] == pytest.approx(3.0)


WORDS = SCENARIO.replace(
    'type = "python"\nobject = "plugin:ramp"\narguments = { slope = 3.0 }', 'type = "ramp"\nslope = 3.0'
).replace('{ kind = "python", object = "plugin:last" }', '{ kind = "last" }')


def test_the_names_of_plugins_are_words_of_scenarios(installed, tmp_path):
    path = tmp_path / "ramp.toml"
    path.write_text(WORDS, encoding="utf-8")
    assert "plugin:" not in WORDS
    result = cp.Scenario.read(path).run()
    assert result["ramp.y"].values[-1] == pytest.approx(3.0)


def test_a_wrong_argument_of_a_plugin_and_a_wrong_word_are_told(installed, tmp_path):
    path = tmp_path / "ramp.toml"
    path.write_text(WORDS.replace("slope", "slop"), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match=r"unexpected keyword argument 'slop'"):
        cp.Scenario.read(path).build()
    path.write_text(WORDS.replace('"ramp"', '"rampp"'), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match=r'"rampp".*did you mean "ramp"'):
        cp.Scenario.read(path)


def test_set_changes_an_argument_of_a_plugin(installed, tmp_path):
    from counterpoint._cases.case import CaseSettings
    from counterpoint._cases.registry import read_case

    path = tmp_path / "ramp.toml"
    path.write_text(WORDS, encoding="utf-8")
    result = read_case(path, settings=CaseSettings(set={"ramp.slope": 5.0}, steps={"ramp": 0.25})).run()
    assert result["ramp.y"].values[-1] == pytest.approx(5.0)
    assert result["ramp.y"].time[1] == 0.25


def test_an_unknown_plugin_is_named_with_the_nearest(installed, tmp_path):
    path = tmp_path / "ramp.toml"
    path.write_text(SCENARIO.replace("plugin:ramp", "plugin:rump"), encoding="utf-8")
    with pytest.raises(cp.ScenarioError, match=r'"plugin:rump": no installed package offers it; did you mean "ramp"'):
        cp.Scenario.read(path).build()


def test_studies_of_packages_are_listed_and_run(installed, tmp_path):
    assert descriptions()["guests"] == "of the package guest_study"
    assert run_study("guests", tmp_path / "out", quick=True) == (tmp_path / "out", True)
