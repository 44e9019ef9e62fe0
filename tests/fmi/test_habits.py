"""What FMUs of other programs do, one test per habit: harmless habits are accepted, with a remark where it helps."""

import gc
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case
from counterpoint.fmi import Archive, ArchiveError, ArchiveLimits, text_of
from counterpoint.fmi.case import StepWarning
from counterpoint.fmi.doctor import examine

from .models import MISBEHAVING, OSCILLATOR, model_of

ALL_VERSIONS = pytest.mark.parametrize("version", [1, 2, 3], ids=["FMI 1", "FMI 2", "FMI 3"])
ISOLATED = pytest.mark.parametrize("isolate", [False, True], ids=["in process", "isolated"])


def alone(model, until=1.0, **options):
    system = cp.System("trial")
    system.add("fmu", model, **options)
    return system.run(until=until)


def rewritten(path, folder, names=None, duplicates=()):
    """Copy an archive with other names of its members, and some of them twice."""
    made = folder / f"rewritten-{path.name}"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr((names or (lambda n: n))(name), old.read(name))
        for name, data in duplicates:
            with pytest.warns(UserWarning, match="Duplicate name"):
                new.writestr(name, data if data is not None else old.read(name))
    return made


@ALL_VERSIONS
@ISOLATED
def test_model_exchange_without_states_is_asked_for_no_states(built, version, isolate):
    path = built(model_of("pass-through", version), version, kinds=("ModelExchange",))
    model = cp.fmu(path, kind="model-exchange", start={"float64_in": 2.5}, isolate=isolate)
    assert alone(model, step=0.1)["fmu.float64_out"].values[-1] == 2.5


@ISOLATED
def test_an_fmu_ends_the_run_and_its_last_sample_is_kept(built, version, fault, isolate):
    parameters = {"fault": fault("terminates"), "fault_time": 0.45}
    result = alone(cp.fmu(built("misbehaving", version), parameters=parameters, isolate=isolate), step=0.1)
    assert result.status == "finished"
    assert 'the FMU "Misbehaving" ended the run at t = 0.4' in result.message
    assert result["fmu.y"].time[-1] == pytest.approx(0.45)


def test_an_early_end_is_a_remark_of_the_doctor(built, version, fault):
    parameters = {"fault": fault("terminates"), "fault_time": 0.45}
    found = examine(built("misbehaving", version), step=0.1, parameters=parameters)
    assert any("ended the run at t = 0.4" in finding.text for finding in found.remarks)


@ISOLATED
def test_an_fmu_ends_the_run_among_held_rounds(built, version, fault, isolate):
    parameters = {"fault": fault("terminates"), "fault_time": 0.45}
    system = cp.System("ring")
    for name, given in (("a", parameters), ("b", {})):
        model = cp.fmu(built("misbehaving", version), parameters=given, inputs_at="start", isolate=isolate)
        system.add(name, model, step=0.1)
    system.connect("a.y", "b.u", cp.hold())
    system.connect("b.y", "a.u", cp.hold())
    result = system.run(until=1.0, scheme="parallel")
    assert result.status == "finished"
    assert result["a.y"].time[-1] == pytest.approx(0.45)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_model_exchange_ends_the_run_at_an_event(built, version):
    path = built("sampler", version, kinds=("ModelExchange",))
    result = alone(cp.fmu(path, kind="model-exchange", parameters={"stop_after": 3}), step=0.05)
    assert result.status == "finished"
    assert result["fmu.x"].time[-1] == pytest.approx(0.3)


def test_values_that_an_fmu_forgets_when_its_experiment_is_set_up_are_set_again(built, monkeypatch):
    """Some tools begin with default values in fmi2SetupExperiment: what was set before would be silently ignored."""
    expected = alone(cp.fmu(built("oscillator", 2), parameters={"k": 50.0}, start={"x": 2.0}), step=0.1)
    monkeypatch.setenv("TEST_FMU_FORGETS_AT_SETUP", "1")
    result = alone(cp.fmu(built("oscillator", 2), parameters={"k": 50.0}, start={"x": 2.0}), step=0.1)
    assert result["fmu.x"].values[0] == 2.0
    assert np.array_equal(result["fmu.x"].values, expected["fmu.x"].values)


@ISOLATED
@pytest.mark.parametrize("habit", ["tells-outputs-late", "forbids-all-after-early-reading"])
def test_outputs_that_an_fmu_tells_only_after_its_initialisation(built, version, fault, isolate, habit):
    """Some tools call reading an output in initialisation mode an illegal call, although FMI allows it.

    Some of them then refuse every further call, so that it has to begin again.
    """
    model = cp.fmu(built("misbehaving", version), parameters={"fault": fault(habit)}, isolate=isolate)
    listener = cp.fmu(built("misbehaving", version), isolate=isolate)
    system = cp.System("pair")
    system.add("late", model, step=0.1)
    system.add("listener", listener, step=0.1)
    system.connect("late.y", "listener.u")
    result = system.run(until=1.0)
    assert result.status == "finished"
    usual = alone(cp.fmu(built("misbehaving", version)), step=0.1)
    assert np.array_equal(result["late.y"].values, usual["fmu.y"].values)
    assert any("does not provide its outputs in initialisation mode" in message.text for message in model.messages)


@ISOLATED
def test_an_output_that_is_undefined_from_the_start_on_and_that_nothing_reads(built, version, fault, isolate):
    """Some FMUs publish outputs that they compute in another configuration only: NaN all the time."""
    undefined = {"fault": fault("leaves-its-output-undefined")}
    system = cp.System("pair")
    for name, given in (("a", undefined), ("b", {})):
        model = cp.fmu(built("misbehaving", version), parameters=given, isolate=isolate, inputs_at="start")
        system.add(name, model, step=0.1)
    system.connect("b.y", "a.u", cp.hold())
    with pytest.warns(cp.UndefinedWarning, match='a: output "y" is NaN at the start; nothing reads it'):
        result = system.run(until=1.0, scheme="parallel")
    assert result.status == "finished"
    assert np.isnan(result["a.y"].values).all()
    assert result["b.y"].values[-1] == pytest.approx(1.0)
    assert result.events.to_string().count("is NaN at the start") == 1
    assert result.quality.verdict is not None


@ISOLATED
@pytest.mark.parametrize("window", [None, cp.window(0.2)])
def test_an_output_that_nothing_reads_becomes_undefined(built, version, fault, isolate, window):
    """Some FMUs lose an output that only displays use, at the end of its range; other tools go on."""
    gives_nan = {"fault": fault("gives-nan")}
    model = cp.fmu(
        built("misbehaving", version),
        parameters=gives_nan,
        outputs=["y", "fault_time"],
        isolate=isolate,
        inputs_at="start",
    )
    system = cp.System("pair")
    system.add("a", model, step=0.1)
    system.add("b", cp.fmu(built("misbehaving", version), isolate=isolate, inputs_at="start"), step=0.1)
    system.connect("a.fault_time", "b.u", cp.hold(), convert=False)
    with pytest.warns(
        cp.UndefinedWarning, match=r'a: output "y" became NaN or infinite at t = 0\.[56] s; nothing reads'
    ):
        result = system.run(until=1.0, scheme="parallel", window=window)
    assert result.status == "finished"
    assert np.isfinite(result["a.y"].values[:5]).all() and np.isnan(result["a.y"].values[7:]).all()
    assert result["b.y"].values[-1] == pytest.approx(1.5)  # y' = 1 + u
    assert result.events.to_string().count("became NaN") == 1


def test_an_undefined_output_is_a_remark_of_the_doctor(built, version, fault):
    undefined = {"fault": fault("leaves-its-output-undefined")}
    found = examine(built("misbehaving", version), step=0.1, parameters=undefined)
    assert any("is NaN at the start" in finding.text for finding in found.remarks)
    assert not any("NaN" in finding.text for finding in found.errors)


def test_an_undefined_output_that_is_read_stops_the_run(built, version, fault):
    undefined = {"fault": fault("leaves-its-output-undefined")}
    system = cp.System("pair")
    system.add("a", cp.fmu(built("misbehaving", version), parameters=undefined), step=0.1)
    system.add("b", cp.fmu(built("misbehaving", version)), step=0.1)
    system.connect("a.y", "b.u")
    with pytest.raises(cp.NotFiniteError, match='output "y" is NaN'):
        system.run(until=1.0)


@ALL_VERSIONS
@ISOLATED
@pytest.mark.parametrize("start", [0.0, 7.3])
def test_a_length_that_is_cut_off_to_nanoseconds_is_the_one_typed(built, version, fault, isolate, start):
    """The difference of two times may be less than the step by rounding: 0.01 - 9 * 0.001 has 999999 whole ns."""
    parameters = {"fault": fault("counts-nanoseconds"), "fault_time": 0.01}
    model = cp.fmu(built("misbehaving", version), parameters=parameters, isolate=isolate)
    system = cp.System("trial")
    system.add("fmu", model, step=0.001)
    assert system.run(until=start + 0.1, start=start).status == "finished"


@ALL_VERSIONS
@ISOLATED
def test_a_model_that_goes_on_while_it_is_before_the_end_makes_no_step_too_many(built, version, fault, isolate):
    """Start and length add up to no more than the end: else such a model makes a step more at some ends."""
    parameters = {"fault": fault("goes-on-before-the-end"), "fault_time": 0.001}
    system = cp.System("trial")
    system.add("fmu", cp.fmu(built("misbehaving", version), parameters=parameters, isolate=isolate), step=0.001)
    assert system.run(until=0.2)["fmu.y"].values.tolist() == list(range(201))


@pytest.mark.parametrize("inputs_at", ["start", "middle"])
def test_a_length_that_is_cut_off_to_nanoseconds_is_the_one_typed_in_a_ring(built, version, fault, inputs_at):
    parameters = {"fault": fault("counts-nanoseconds"), "fault_time": 0.01}
    system = cp.System("ring")
    for name in ("a", "b"):
        model = cp.fmu(built("misbehaving", version), parameters=parameters, inputs_at=inputs_at)
        system.add(name, model, step=0.001)
    system.connect("a.y", "b.u", cp.hold())
    system.connect("b.y", "a.u", cp.hold())
    assert system.run(until=0.3, scheme="parallel").status == "finished"


@ALL_VERSIONS
def test_a_table_of_inputs_jumps_where_two_rows_have_the_same_time(built, version, tmp_path):
    """So do tables that belong to FMUs of many tools write a step of an input."""
    (tmp_path / "inputs.csv").write_text("time,u\n0,0\n0.5,0\n0.5,2\n1,2\n")
    settings = CaseSettings(until=1.0, step=0.1, input=tmp_path / "inputs.csv")
    result = read_case(built("misbehaving", version), settings=settings).run()
    assert result["Misbehaving.y"].values[-1] == pytest.approx(1.0 + 2.0 * 0.5, abs=1e-9)


def test_a_table_of_inputs_may_change_tunable_parameters(built, version, tmp_path):
    (tmp_path / "inputs.csv").write_text("time,gain,float64_in\n0,1,2\n0.55,1,2\n0.55,3,2\n1,3,2\n")
    settings = CaseSettings(until=1.0, step=0.1, input=tmp_path / "inputs.csv")
    result = read_case(built("pass-through", version), settings=settings).run()
    name = next(name for name in result.signals if name.endswith(".float64_out"))
    assert result[name].values[5] == 2.0
    assert result[name].values[-1] == 6.0


def test_entries_that_begin_with_a_dot_are_read(built, tmp_path, version):
    path = rewritten(built("oscillator", version), tmp_path, lambda name: f"./{name}")
    assert alone(cp.fmu(path))["fmu.x"].values[0] == 1.0


def test_backslashes_between_folders_are_read_with_a_remark(built, tmp_path, version):
    path = rewritten(built("oscillator", version), tmp_path, lambda name: name.replace("/", "\\"))
    assert alone(cp.fmu(path))["fmu.x"].values[0] == 1.0
    assert any("backslashes" in remark for remark in Archive(path).remarks)


def test_the_same_file_twice_is_a_remark(built, tmp_path, version):
    path = rewritten(built("oscillator", version), tmp_path, duplicates=[("resources/note.txt", None)])
    assert any("twice" in remark for remark in Archive(path).remarks)
    assert alone(cp.fmu(path))["fmu.x"].values[0] == 1.0


def test_two_files_of_one_name_are_refused(built, tmp_path):
    path = rewritten(built("oscillator", 2), tmp_path, duplicates=[("resources/note.txt", b"another")])
    with pytest.raises(ArchiveError, match="is the same file as"):
        Archive(path, ArchiveLimits())


def test_an_identifier_with_a_hyphen_is_accepted_where_the_library_exists(built, changed, tmp_path, version):
    renamed = rewritten(built("oscillator", version), tmp_path, lambda name: name.replace("oscillator.", "osc-2.0."))
    path = changed(
        renamed,
        {"modelDescription.xml": lambda data: data.replace(b'Identifier="oscillator"', b'Identifier="osc-2.0"')},
    )
    with pytest.warns(cp.DescriptionWarning, match="modelIdentifier"):
        model = cp.fmu(path)
    assert alone(model)["fmu.x"].values[0] == 1.0


@ALL_VERSIONS
def test_a_library_under_another_name_is_found_with_a_remark(built, tmp_path, version):
    path = rewritten(built("oscillator", version), tmp_path, lambda name: name.replace("oscillator.", "pendulum."))
    model = cp.fmu(path)
    assert alone(model, step=0.01)["fmu.x"].values[0] == 1.0
    assert "pendulum" in model.remarks[0]


def test_several_libraries_under_other_names_are_named(built, tmp_path):
    path = rewritten(built("oscillator", 2), tmp_path, lambda name: name.replace("oscillator.", "pendulum."))
    with zipfile.ZipFile(path, "a") as more:
        library = next(name for name in more.namelist() if "pendulum" in name)
        more.writestr(library.replace("pendulum", "rod"), b"")
    with pytest.raises(cp.SetupError, match=r"no such library; available: .*pendulum.*rod"):
        cp.fmu(path)


@ALL_VERSIONS
def test_end_of_the_run_and_tolerance_of_the_experiment_are_passed_on(built, changed, version):
    path = changed(
        built("oscillator", version),
        {"modelDescription.xml": lambda data: data.replace(b'stopTime="1"', b'stopTime="1" tolerance="0.002"')},
    )
    model = cp.fmu(path, logging=True)
    alone(model, until=0.5, step=0.01)
    expected = "tolerance 0, stop 0.5" if version == 1 else "tolerance 0.002, stop 0.5"
    assert [m.text for m in model.messages if "tolerance" in m.text] == [expected]


@pytest.mark.parametrize("isolate", [(False, False), (True, False), (False, True), (True, True)])
def test_strings_and_binary_values_are_connected(built, version, isolate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = built("pass-through", version)
    texts = {"string_in": "slow"} | ({"binary_in": b"\x00\xff"} if version == 3 else {})
    first, second = cp.fmu(path, start=texts, isolate=isolate[0]), cp.fmu(path, isolate=isolate[1])
    system = cp.System("texts")
    system.add("first", first, step=0.1)
    system.add("second", second, step=0.1)
    for port in texts:
        system.connect(f"first.{port.removesuffix('in')}out", f"second.{port}")
    with system.start(until=1.0) as run:
        run.step_to(0.5)
        assert second.read("string_out") == "slow"
        if version == 3:
            assert second.read("binary_out") == b"\x00\xff"
        result = run.finish()
    assert text_of(result["first.string_out"].values[-1]) == b"slow"
    del first, second, system, run
    gc.collect()
    assert list(tmp_path.iterdir()) == []  # what processes shared is gone


def test_a_number_is_not_a_text(built):
    system = cp.System("texts")
    system.add("pump", cp.fmu(built("pass-through", 3)), step=0.1)
    system.add("numbers", cp.table([0.0, 1.0], [[1.5], [2.5]], outputs="y"))
    system.connect("numbers.y", "pump.string_in", convert=False)
    with pytest.raises(cp.ComponentError, match="which is not a text"):
        system.run(until=1.0)


def test_a_step_follows_from_the_default_experiment(built, version):
    model = cp.fmu(built(OSCILLATOR.changed(step=""), version))
    assert model.preferred_step == 0.002
    assert alone(model)["fmu.x"].time[1] == pytest.approx(0.002)


def test_without_experiment_the_message_names_a_step(built, changed, version):
    def without(data):
        start = data.index(b"<DefaultExperiment")
        return data[:start] + data[data.index(b"/>", start) + 2 :]

    model = cp.fmu(changed(built("oscillator", version), {"modelDescription.xml": without}))
    with pytest.raises(cp.SetupError, match=r"is missing; give a step in s.*: for example step=0.01"):
        alone(model)


def test_a_fixed_internal_step_is_a_remark_of_the_doctor(built):
    model = OSCILLATOR.changed(fmi3=OSCILLATOR.fmi3 | {"fixedInternalStepSize": "0.01"})
    found = examine(built(model, 3))
    assert found.errors == []
    assert any("fixed internal step of 0.01 s" in finding.text for finding in found.remarks)


def test_the_verdict_on_an_fmu_with_a_fixed_internal_step(built):
    """Alone, whatever its steps are, the solver inside makes the same error: the verdict says so, and what tells it."""
    path = built(OSCILLATOR.changed(fmi3=OSCILLATOR.fmi3 | {"fixedInternalStepSize": "0.01"}), 3)
    for step in (0.01, 0.04):
        told = alone(cp.fmu(path), step=step).quality
        assert told.verdict == "cannot tell"
        assert '"fmu" computes with a fixed step of its own, so smaller steps do not show its error' in str(told)
        assert "--set kind=model-exchange" in str(told)


def test_the_verdict_on_a_single_fmu_says_that_the_solver_inside_is_unknown(built, version, tmp_path):
    """Some FMUs integrate with a fixed step and declare nothing: smaller communication steps change nothing."""
    for inputs in ("", "time,force\n0,1\n1,1\n"):
        (tmp_path / "table.csv").write_text(inputs)
        settings = CaseSettings(until=1.0, step=0.1, input=tmp_path / "table.csv" if inputs else None)
        case = read_case(built("oscillator", version), settings=settings)
        result = case.run(file=tmp_path / f"{len(inputs)}.h5")
        for told in (result.quality, cp.load(tmp_path / f"{len(inputs)}.h5").quality):
            assert told.verdict == "cannot tell"
            assert "only a coupling can be checked" in str(told)
            assert 'the error of the solver inside "Oscillator" is not known' in str(told)
            assert "estimated error" not in str(told)


def test_the_verdict_on_a_single_fmu_whose_outputs_follow_the_communication_step(built):
    system = cp.System("alone")
    slow = cp.fmu(built("oscillator", 2), parameters={"internal_step": 0.2}, inputs_at="start")
    system.add("fmu", slow, step=0.2)
    assert system.run(until=5.0).quality.verdict == "do not use"


@pytest.mark.parametrize(("step", "words"), [(0.01, "a quarter of"), (0.02, "half"), (0.04, "a quarter of")])
def test_the_coupling_of_an_fmu_with_a_fixed_internal_step_is_checked_with_steps_that_it_takes(built, step, words):
    """Of 0.01 s it keeps its steps, and only those of the other one are divided."""
    path = built(OSCILLATOR.changed(fmi3=OSCILLATOR.fmi3 | {"fixedInternalStepSize": "0.01"}), 3)
    system = cp.System("pair")
    system.add("coarse", cp.fmu(path), step=step)
    system.add("free", cp.fmu(built("oscillator", 3)), step=0.01)
    system.connect("coarse.x", "free.force", convert=False)
    told = system.run(until=1.0).quality
    assert told.verdict != "cannot tell"
    assert f"a second run with {words} the steps" in str(told)


def test_a_harmless_violation_is_a_warning_and_a_remark(built, changed, version):
    path = changed(
        built("oscillator", version), {"modelDescription.xml": lambda data: data.replace(b'start="100"', b"", 1)}
    )
    with pytest.warns(cp.DescriptionWarning, match='"k": the start value is missing'):
        cp.fmu(path)
    cp.fmu(path, lenient=True)
    found = examine(path)
    assert found.errors == []
    assert any("the start value is missing" in finding.text for finding in found.remarks)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'start="100"', b'start="100" min="none"'),
        (b'<Unknown index="11" dependencies=""/>', b'<Unknown index="99" dependencies=""/>'),
        (b'canInterpolateInputs="true"', b'canInterpolateInputs="True"'),
    ],
    ids=["limit", "index of an output", "truth value"],
)
def test_a_detail_that_a_run_does_not_need_may_be_wrong(built, changed, old, new):
    path = changed(built("oscillator", 2), {"modelDescription.xml": lambda data: data.replace(old, new, 1)})
    assert alone(cp.fmu(path, lenient=True))["fmu.x"].values[0] == 1.0


def test_an_integer_may_be_written_as_a_decimal_number(built, changed):
    path = changed(
        built("misbehaving", 2),
        {"modelDescription.xml": lambda data: data.replace(b'Integer start="0"', b'Integer start="0.0"')},
    )
    assert cp.fmu(path).description.by_name["fault"].start == (0,)


def listening(path, output, **options):
    system = cp.System("listening")
    system.add("fmu", cp.fmu(path, **options), step=0.01)
    listener = cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="u", outputs="y")
    system.add("listener", listener, step=0.01)
    system.connect(f"fmu.{output}", "listener.u", cp.taylor(1), convert=False)
    return system


def test_derivatives_are_asked_of_connected_outputs_only(built, version):
    result = listening(built("oscillator", version), "x", parameters={"dc": -1.0}).run(until=0.1)
    assert np.isfinite(result["listener.y"].values).all()


def test_a_refused_derivative_names_the_variable(built, version):
    with pytest.raises(cp.ComponentError, match=r'refuses the derivative of "f".*lagrange\(1\)'):
        listening(built("oscillator", version), "f", parameters={"dc": -1.0}).run(until=0.1)


@pytest.mark.parametrize("version", [1, 2])
def test_refused_derivatives_of_inputs_are_held_with_a_message(built, version):
    model = cp.fmu(built(MISBEHAVING.changed(fmi2={"canInterpolateInputs": "true"}), version))
    system = cp.System("trial")
    system.add("fmu", model, step=0.1)
    system.add("table", cp.table([0.0, 1.0], [[0.0], [1.0]], outputs="y"))
    system.connect("table.y", "fmu.u", convert=False)
    system.run(until=1.0)
    assert any("refuses derivatives of inputs" in message.text for message in model.messages)


@ALL_VERSIONS
def test_an_experiment_that_is_no_multiple_of_the_step_ends_with_a_whole_step(built, version):
    """Where an FMU needs equal steps: a run that covers the experiment is better than a refusal."""
    path = built(OSCILLATOR.changed(co_simulation={}), version)
    with pytest.warns(StepWarning, match=r"the run of 1 s is not a multiple of 0.3 s; it ends at 1.2 s"):
        result = read_case(path, settings=CaseSettings(step=0.3)).run()
    assert (result.status, result.end) == ("finished", pytest.approx(1.2))


def test_derivatives_are_taken_of_a_connected_state_whatever_other_outputs_offer(built):
    """A force depends on inputs, so that its derivative is not known; that of the position is a state's."""
    system = cp.System("pair")
    path = built("oscillator", 3)
    for name in ("first", "second"):
        system.add(name, cp.fmu(path, kind="model-exchange"), step=0.05)
    system.connect("first.x", "second.force", cp.hermite(), convert=False, gain=10.0)
    fine = cp.System("fine")
    for name in ("first", "second"):
        fine.add(name, cp.fmu(path, kind="model-exchange"), step=0.001)
    fine.connect("first.x", "second.force", cp.lagrange(1), convert=False, gain=10.0)
    made, expected = (one.run(until=1.0)["second.x"].values[-1] for one in (system, fine))
    assert made == pytest.approx(expected, rel=2e-4)


@ALL_VERSIONS
@ISOLATED
@pytest.mark.parametrize("kind", ["co-simulation", "model-exchange"])
def test_an_input_without_a_start_value_keeps_what_the_fmu_gives_it(built, version, isolate, kind):
    """FMI 1 does not ask for start values of inputs, and some tools forget those that FMI 2 and 3 ask for."""
    variables = tuple(replace(v, start=None) if v.name == "force" else v for v in OSCILLATOR.variables)
    offered = {"kinds": ("CoSimulation" if kind == "co-simulation" else "ModelExchange",)}
    path = built(OSCILLATOR.changed(variables=variables), version, **offered)
    other = built("oscillator", version, **offered)
    kinds = {"kind": kind, "isolate": isolate, "lenient": True}
    usual = {"kind": kind, "isolate": isolate, "start": {"force": 20.0}}
    assert "force" not in cp.fmu(path, **kinds).inputs
    untouched = alone(cp.fmu(path, **kinds), step=0.1)
    without_force = alone(cp.fmu(other, kind=kind, isolate=isolate), step=0.1)
    assert np.array_equal(untouched["fmu.x"].values, without_force["fmu.x"].values)
    system = cp.System("set")
    system.add("fmu", cp.fmu(path, **kinds), step=0.1)
    system.set("fmu.force", 20.0)
    pushed = system.run(until=1.0)
    expected = alone(cp.fmu(other, **usual), step=0.1)
    assert np.array_equal(pushed["fmu.x"].values, expected["fmu.x"].values)


def test_a_table_drives_an_input_without_a_start_value(built, tmp_path):
    variables = tuple(replace(v, start=None) if v.name == "force" else v for v in OSCILLATOR.variables)
    given = tmp_path / "in.csv"
    given.write_text("time,force\n0,20\n1,20\n")
    settings = CaseSettings(until=1.0, step=0.1, input=given, lenient=True)
    result = read_case(built(OSCILLATOR.changed(variables=variables), 2), settings=settings).run()
    expected = read_case(built("oscillator", 2), settings=settings).run()
    assert np.array_equal(result["Oscillator.x"].values, expected["Oscillator.x"].values)
    assert result["Oscillator.x"].values[-1] != 1.0


@ISOLATED
def test_an_fmu_of_fmi_1_that_never_says_that_an_event_is_over(built, isolate):
    """It was asked for final results: one update is enough."""
    path = built("bouncing-ball", 1, kinds=("ModelExchange",))
    ball = {"kind": "model-exchange", "isolate": isolate}
    expected = alone(cp.fmu(path, **ball))["fmu.h"]
    made = alone(cp.fmu(path, name="never converged", **ball))["fmu.h"]
    assert np.array_equal(made.values, expected.values)


@ISOLATED
def test_an_fmu_that_offers_event_mode_and_refuses_it_handles_its_events_itself(built, monkeypatch, isolate):
    monkeypatch.setenv("TEST_FMU_LICENCE", "refuse event mode")
    model = cp.fmu(built(MISBEHAVING.changed(fmi3={"hasEventMode": "true"}), 3), isolate=isolate)
    result = alone(model, step=0.1)
    assert result["fmu.y"].values == pytest.approx(result["fmu.y"].time)
    assert [message.text for message in model.messages if "refuses event mode" in message.text]
