"""Scenarios of FMUs written as system structures that other tools read, and back again without a loss."""

import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint._files.toml_writing import scenario_toml

PAIR = """
until = 1.0
scheme = "parallel"

[subsystems.a]
type = "fmu"
file = "models/oscillator.fmu"
step = 0.01
parameters = { kc = 40.0, dc = 0.5 }

[subsystems.b]
type = "fmu"
file = "models/oscillator.fmu"
step = 0.025
inputs_at = "start"
parameters = { kc = 40.0, dc = 0.5, m = 2.0 }
start = { x = 0.5 }

[[connections]]
from = "a.x"
to = "b.x_other"
gain = 1.0

[[connections]]
from = "a.v"
to = "b.v_other"
approximation = { kind = "hold" }

[[connections]]
from = "b.x"
to = "a.x_other"
initial = 0.5

[[connections]]
from = "b.v"
to = "a.v_other"

[set]
"b.force" = 0.25
"""


@pytest.fixture
def folder(tmp_path, fmus):
    """A directory with FMUs."""
    (tmp_path / "models").mkdir()
    for name, path in fmus.items():
        (tmp_path / "models" / f"{name}.fmu").write_bytes(path.read_bytes())
    return tmp_path


@pytest.fixture
def write(folder):
    """Write a scenario file beside the FMUs and read it."""

    def make(text, name="pair.toml"):
        (folder / name).write_text(text, encoding="utf-8")
        return cp.Scenario.read(folder / name)

    return make


@pytest.mark.parametrize("ending", ["ssp", "ssd"])
def test_a_scenario_runs_the_same_as_a_structure(write, folder, ending):
    scenario = write(PAIR)
    made = cp.Scenario.read(scenario.write(folder / f"pair.{ending}"))
    ours, theirs = scenario.run(), made.run()
    for name in ("a.x", "b.x", "b.f"):
        assert np.array_equal(ours[name].time, theirs[name].time)
        assert np.array_equal(ours[name].values, theirs[name].values)


def test_there_and_back_nothing_is_lost(write, folder):
    scenario = write(PAIR)
    structure = cp.Scenario.read(scenario.write(folder / "pair.ssp"))
    (folder / "elsewhere").mkdir()
    back = cp.Scenario.read(structure.write(folder / "elsewhere" / "pair.toml"))
    assert back.tables() == scenario.tables()
    copied = folder / "elsewhere" / "models" / "oscillator.fmu"
    assert copied.read_bytes() == (folder / "models" / "oscillator.fmu").read_bytes()


def test_an_archive_becomes_an_ssd_with_its_fmus_beside_it(write, folder):
    archive = write(PAIR).write(folder / "pair.ssp")
    (folder / "elsewhere").mkdir()
    path = cp.Scenario.read(archive).write(folder / "elsewhere" / "pair.ssd")
    assert (folder / "elsewhere" / "resources" / "models" / "oscillator.fmu").exists()
    assert cp.Scenario.read(path).run().status == "finished"


def test_equal_scenarios_give_equal_bytes(write, folder):
    scenario = write(PAIR)
    one, other = scenario.write(folder / "one.ssp"), scenario.write(folder / "other.ssp")
    assert one.read_bytes() == other.read_bytes()


def test_the_schema_of_the_standard_is_kept(write, folder):
    ssd = pytest.importorskip("fmpy.ssp.ssd")
    path = write(PAIR).write(folder / "pair.ssp")
    structure = ssd.read_ssd(str(path), validate=True)
    assert [component.name for component in structure.system.elements] == ["a", "b"]
    assert [unit.name for unit in structure.units] == ["m", "m/s", "m/s2", "N"]
    assert [p.name for p in structure.system.elements[1].parameterBindings[0].parameterValues[0].parameters] == [
        "kc", "dc", "m", "x", "force",
    ]  # fmt: skip


def test_another_program_runs_what_we_write(write, folder):
    """FMPy holds inputs, begins with inputs of zero and stamps the end of a step with its start: first order in its step."""
    simulation = pytest.importorskip("fmpy.ssp.simulation")
    ssd = pytest.importorskip("fmpy.ssp.ssd")
    text = PAIR.replace("initial = 0.5\n", "").replace('approximation = { kind = "hold" }\n', "")
    scenario = write(text.replace("step = 0.025", "step = 0.001").replace("step = 0.01", "step = 0.001"))
    path = scenario.write(folder / "pair.ssp")
    values = {"a.kc": 40, "a.dc": 0.5, "b.kc": 40, "b.dc": 0.5, "b.m": 2.0, "b.x": 0.5, "b.force": 0.25}
    given = ssd.ParameterSet(parameters=[ssd.Parameter(name=name, value=value) for name, value in values.items()])
    ours = scenario.run()["a.x"].values[-1]
    errors = []
    for step in (2e-3, 1e-3):
        theirs = simulation.simulate_ssp(str(path), stop_time=1.0 - step / 2, step_size=step, parameter_set=given)
        errors.append(abs(theirs["a.x"][-1] - ours))
    assert errors[1] < 0.01
    assert errors[1] < 0.7 * errors[0]  # half the step, about half the difference


def test_only_fmus_can_be_written_and_the_others_are_named(write, folder):
    other = '\n[subsystems.wall]\ntype = "table"\ntimes = [0.0]\nvalues = [0.0]\noutputs = "x"\n'
    with pytest.raises(cp.ScenarioError, match=r'subsystems.wall: is of type "table".*counterpoint export') as caught:
        write(PAIR + other).write(folder / "x.ssp")
    assert len(caught.value.problems) == 1
    assert not (folder / "x.ssp").exists()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('from = "a.x"', 'from = ["a.x", "a.v"]', r"connections\[0\]: 2 outputs feed one input; SSP connects one"),
        ("gain = 1.0", 'law = "laws.py:f"', r"connections\[0\]: a coupling law; SSP connects one"),
        (
            '{ kind = "hold" }',
            '{ kind = "python", object = "a.py:A" }',
            r"connections\[1\].approximation: is code in a",
        ),
        ("step = 0.025", 'state = "x.bin"', r"subsystems.b.state: a system structure cannot contain a saved state"),
        ('to = "b.x_other"', 'to = "b.x_oter"', r'the FMU has no variable "x_oter"; did you mean "x_other"'),
        ('to = "b.x_other"', 'to = "c.x_other"', r'"c.x_other": no subsystem "c"'),
        ("kc = 40.0, dc = 0.5 }", 'kc = "much" }', r"subsystems.a.\"kc\": 'much'; expected a number"),
        ("models/oscillator.fmu", "models/none.fmu", r"subsystems.a.file: .*no such file"),
    ],
)
def test_what_a_structure_cannot_hold_is_refused(write, folder, old, new, expected):
    with pytest.raises(cp.ScenarioError, match=expected):
        write(PAIR.replace(old, new)).write(folder / "x.ssp")


def test_arrays_are_refused(write, folder):
    from ..fmi.building import build

    build("pass-through", 3, folder, file="arrays.fmu")
    part = '[subsystems.{}]\ntype = "fmu"\nfile = "arrays.fmu"\n'
    text = f"until = 1.0\n{part.format('p')}start = {{ vector_in = [1.0, 2.0, 3.0] }}\n{part.format('q')}"
    text += '[[connections]]\nfrom = "p.vector_out"\nto = "q.vector_in"\n'
    with pytest.raises(cp.ScenarioError) as caught:
        write(text).write(folder / "x.ssp")
    assert all("array, which SSP 1.0 does not support" in problem for problem in caught.value.problems)
    assert len(caught.value.problems) == 3


def test_files_that_are_there_are_kept_unless_asked(write, folder):
    scenario = write(PAIR)
    path = scenario.write(folder / "pair.ssp")
    before = path.read_bytes()
    with pytest.raises(cp.OutputError, match=r"pair.ssp: already exists"):
        scenario.changed(until=2.0).write(path)
    assert path.read_bytes() == before
    scenario.changed(until=2.0).write(path, overwrite=True)
    structure = cp.Scenario.read(path)
    assert structure.until == 2.0
    target = folder / "out"
    (target / "models").mkdir(parents=True)
    (target / "models" / "oscillator.fmu").write_bytes(b"something else")
    with pytest.raises(cp.OutputError, match=r"oscillator.fmu: already exists with different contents"):
        structure.write(target / "pair.toml")
    assert not (target / "pair.toml").exists()


def test_a_scenario_file_is_not_written_as_one(write, folder):
    with pytest.raises(cp.SetupError, match=r"other.toml: pair.toml can be written as .ssp or .ssd"):
        write(PAIR).write(folder / "other.toml")


def test_two_fmus_of_one_name_are_kept_apart(write, folder, fmus):
    (folder / "x" / "models").mkdir(parents=True)
    (folder / "x" / "models" / "oscillator.fmu").write_bytes(fmus["oscillator3"].read_bytes())
    (folder / "x" / "pair.toml").write_text(PAIR.replace("models/", "../models/", 1))
    scenario = cp.Scenario.read(folder / "x" / "pair.toml", allow_outside=True)
    path = scenario.write(folder / "pair.ssp")
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) == {
            "SystemStructure.ssd", "resources/oscillator.fmu", "resources/models/oscillator.fmu",
        }  # fmt: skip
    assert cp.Scenario.read(path).run().status == "finished"


FINITE = st.floats(-1e6, 1e6, allow_nan=False)
POSITIVE = st.floats(1e-6, 1e3)
APPROXIMATIONS = st.one_of(
    st.just({"kind": "hold"}),
    st.just({"kind": "hold", "side": "ahead"}),
    st.integers(0, 4).map(lambda order: {"kind": "lagrange", "order": order}),
    st.just({"kind": "mean", "weighting": "time-weighted"}),
)
NAMES = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, blacklist_characters=".", blacklist_categories=("C", "Z")),
    min_size=1,
    max_size=8,
)


def optional(**fields):
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def scenarios(draw):
    """Tables of any scenario of oscillators and pass-throughs that a structure can hold."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    subsystems = {name: draw(subsystem()) for name in names}
    oscillators = [n for n, table in subsystems.items() if "oscillator" in table["file"]]
    ends = [(a, b, x) for a in oscillators for b in oscillators if a != b for x in "xv"]
    chosen = draw(st.lists(st.sampled_from(ends), unique_by=lambda e: (e[1], e[2]), max_size=6)) if ends else []
    values = {"until": draw(st.floats(1.0, 100.0)), "subsystems": subsystems, "connections": []}
    for a, b, x in chosen:
        more = draw(
            optional(gain=FINITE, offset=FINITE, initial=FINITE, convert=st.booleans(), approximation=APPROXIMATIONS)
        )
        values["connections"].append({"from": [f"{a}.{x}"], "to": f"{b}.{x}_other", **more})
    free = [f"{name}.force" for name in oscillators if "force" not in subsystems[name].get("start", {})]
    constants = draw(st.dictionaries(st.sampled_from(free), FINITE)) if free else {}
    if constants:
        values["set"] = constants
    schemes = st.one_of(
        st.sampled_from(["slowest-first", "parallel"]),
        st.permutations(names).map(lambda order: {"sequential": list(order)}),
        st.just({"waits_for": {names[0]: names[1:]}}),
    )
    return values | draw(
        optional(
            name=st.sampled_from(["a run", "Röhre-2"]), start=st.floats(-1.0, 0.5), scheme=schemes,
            threads=st.integers(1, 8), approximation=APPROXIMATIONS, convert=st.booleans(),
            window=st.fixed_dictionaries({"length": st.floats(1.0, 9.0)}, optional={"repeats": st.integers(1, 3)}),
            plot=st.just([f"{names[0]}.x"]),
        )
    )  # fmt: skip


def subsystem():
    shared = {
        "step": POSITIVE, "name": NAMES, "inputs_at": st.sampled_from(["auto", "start"]), "tolerance": POSITIVE,
        "logging": st.booleans() | st.just(["logEvents"]), "events": st.booleans(), "lenient": st.booleans(),
        "kind": st.just("co-simulation"), "redo_discarded": st.booleans(), "visible": st.booleans(), "deadline": POSITIVE,
        "isolate": st.booleans() | st.just({"memory": 1e9, "environment": ["LICENCE"]}),
    }  # fmt: skip
    oscillator = optional(
        parameters=st.dictionaries(st.sampled_from(["m", "k", "c", "kc"]), FINITE, min_size=1),
        start=st.dictionaries(st.sampled_from(["x", "v", "force"]), FINITE, min_size=1),
        inputs=st.just(["force", "x_other", "v_other"]), outputs=st.just(["v", "x", "der(x)"]), **shared,
    )  # fmt: skip
    values = {
        "int32_in": st.integers(-(2**31), 2**31 - 1), "boolean_in": st.booleans(), "mode_in": st.sampled_from(["off", "on"]),
        "string_in": st.text(st.characters(min_codepoint=32, blacklist_categories=("Cs",)).filter(lambda c: c not in "\x7f\ufffe\uffff")),
    }  # fmt: skip
    other = optional(
        start=optional(**values).filter(bool), parameters=st.fixed_dictionaries({"gain": FINITE}), **shared
    )
    return st.one_of(
        oscillator.map(lambda more: {"type": "fmu", "file": "models/oscillator.fmu", **more}),
        other.map(lambda more: {"type": "fmu", "file": "models/pass.fmu", **more}),
    )


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory, fmus):
    """A directory with FMUs that all examples use."""
    made = tmp_path_factory.mktemp("shared")
    (made / "models").mkdir()
    for name, path in fmus.items():
        (made / "models" / f"{name}.fmu").write_bytes(path.read_bytes())
    return made


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=scenarios())
def test_any_scenario_of_fmus_survives_the_round_trip(shared_folder, values):
    file = shared_folder / "any.toml"
    file.write_text(scenario_toml(values), encoding="utf-8")
    scenario = cp.Scenario.read(file)
    path = scenario.write(shared_folder / "any.ssp", overwrite=True)
    structure = cp.Scenario.read(path)
    back = cp.Scenario.read(structure.write(shared_folder / "back.toml", overwrite=True))
    assert back.tables() == scenario.tables()
    assert structure.write(shared_folder / "again.ssp", overwrite=True).read_bytes() == path.read_bytes()
