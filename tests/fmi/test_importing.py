"""An FMU as a subsystem: the same numbers as another tool gets, for both versions of FMI."""

import numpy as np
import pytest

import counterpoint as cp

from .models import BOUNCING_BALL, OSCILLATOR, PASS_THROUGH
from .running import alone


def theirs(path, **options):
    fmpy = pytest.importorskip("fmpy")
    return fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", **options)


def test_an_oscillator_moves_as_another_tool_says(built, version):
    path = built("oscillator", version)
    result = alone(cp.fmu(path, parameters={"m": 2.0, "c": 0.3}, start={"x": 0.5, "force": 3.0}))
    start = {"m": 2.0, "c": 0.3, "x": 0.5, "force": 3.0}
    expected = theirs(path, stop_time=1.0, output_interval=0.01, start_values=start, output=["x", "v", "a"])
    for name in ("x", "v", "a"):  # the other tool gives lengths of steps as differences of times: rounded, not as typed
        assert np.allclose(expected[name], result[f"fmu.{name}"].values, rtol=0, atol=1e-12)
    assert np.allclose(expected["time"], result["fmu.x"].time, rtol=0, atol=1e-15)


def test_both_versions_give_the_same_bits(built):
    runs = [alone(cp.fmu(built("oscillator", version), inputs_at="middle", start={"force": 1.0})) for version in (2, 3)]
    assert np.array_equal(*(run["fmu.x"].values for run in runs))


def test_a_ball_bounces_as_another_tool_says(built, version):
    path = built("bouncing-ball", version)
    result = alone(cp.fmu(path, events=False), until=3.0)
    expected = theirs(path, stop_time=3.0, output_interval=0.01) if version == 2 else None
    assert result["fmu.bounces"].values[-1] == 11.0
    assert result["fmu.at_rest"].values[-1] == 1.0
    if expected is not None:
        assert np.allclose(expected["h"], result["fmu.h"].values, rtol=0, atol=1e-12)


def test_results_are_stamped_at_their_time(built, version):
    """Free fall until the first impact: h(t) = 1 - g t^2 / 2, with a sample at the start."""
    result = alone(cp.fmu(built("bouncing-ball", version)), until=0.4)
    time = result["fmu.h"].time
    assert time[0] == 0.0
    assert time[-1] == 0.4
    assert np.allclose(1.0 - 9.81 / 2 * time**2, result["fmu.h"].values, rtol=0, atol=1e-13)


def test_a_step_ends_at_an_event_and_the_states_before_and_after_it_are_published(built):
    result = alone(cp.fmu(built("bouncing-ball", 3)), until=1.0)
    impact = np.sqrt(2 / 9.81)
    k = int(np.searchsorted(result["fmu.h"].time, impact - 1e-9))
    assert result["fmu.h"].time[k] == pytest.approx(impact, abs=1e-12)
    assert result["fmu.v"].time[k + 1] == result["fmu.v"].time[k]
    assert result["fmu.v"].values[k] == pytest.approx(-9.81 * impact, abs=1e-12)
    assert result["fmu.v"].values[k + 1] == pytest.approx(0.7 * 9.81 * impact, abs=1e-12)
    assert list(result["fmu.bounces"].values[k : k + 2]) == [0.0, 1.0]
    assert result["fmu.h"].time[k + 2] == pytest.approx(0.46, abs=1e-12)  # back on its own grid


def test_another_tool_sees_the_same_events_between_steps(built):
    path = built("bouncing-ball", 3)
    result = alone(cp.fmu(path), until=1.5)
    options = {"early_return_allowed": True, "use_event_mode": True}
    expected = theirs(path, stop_time=1.5, output_interval=0.01, **options)
    for name in ("h", "v", "bounces"):
        assert expected[name][-1] == pytest.approx(result[f"fmu.{name}"].values[-1], abs=1e-12)


def test_a_neighbour_of_an_fmu_with_events_sees_them(built):
    system = cp.System()
    system.add("ball", cp.fmu(built("bouncing-ball", 3)))
    system.add("count", cp.ode(lambda t, x, u: u, [0.0], inputs="n", outputs="integral"), step=0.05)
    system.connect("ball.bounces", "count.n", cp.hold())
    result = system.run(until=1.0, scheme="fastest-first")
    assert result.status == "finished"
    assert len(result["ball.h"].time) > 101


@pytest.mark.parametrize("approximation", [cp.lagrange(1), cp.taylor(1), cp.hermite()], ids=str)
def test_two_coupled_fmus_follow_the_exact_solution(built, version, approximation):
    """Held inputs are an error of order 1; values at the middle, lines and inner steps are much better."""
    from scipy.linalg import expm

    matrix = np.array([[0, 1, 0, 0], [-15, -0.3, 5, 0.2], [0, 0, 0, 1], [5, 0.2, -15, -0.3]])
    exact = expm(10.0 * matrix) @ [1.0, 0.0, 0.0, 0.0]
    errors = {}
    for style in ("start", "middle", "auto"):
        system = pair(built("oscillator", version), approximation, inputs_at=style)
        result = system.run(until=10.0, scheme="parallel")
        errors[style] = abs(result["a.x"].values[-1] - exact[0]) + abs(result["b.v"].values[-1] - exact[3])
    assert errors["middle"] < errors["start"] / 20
    assert errors["auto"] < errors["start"] / 20


def pair(path, approximation=None, steps=(0.01, 0.01), **options):
    parameters = {"m": 1.0, "k": 10.0, "c": 0.1, "kc": 5.0, "dc": 0.2}
    system = cp.System("pair")
    system.add("a", cp.fmu(path, parameters=parameters, **options), step=steps[0])
    system.add("b", cp.fmu(path, parameters=parameters, start={"x": 0.0}, **options), step=steps[1])
    for source, target in (("a", "b"), ("b", "a")):
        system.connect(f"{source}.x", f"{target}.x_other", approximation)
        system.connect(f"{source}.v", f"{target}.v_other", approximation)
    return system


def test_steps_need_no_common_multiple(built, version):
    fine = pair(built("oscillator", version), cp.lagrange(2), (1e-4, 1e-4)).run(until=2.0)
    result = pair(built("oscillator", version), cp.lagrange(2), (0.001, 0.0073)).run(until=2.0)
    assert result["a.x"].values[-1] == pytest.approx(fine["a.x"].values[-1], abs=2e-5)


def test_threads_change_no_bit(built, version):
    runs = [pair(built("oscillator", version)).run(until=1.0, scheme="parallel", threads=n) for n in (1, 2)]
    assert np.array_equal(*(run["a.x"].values for run in runs))


def test_a_system_runs_twice_with_the_same_bits(built, version):
    system = pair(built("oscillator", version))
    runs = [system.run(until=1.0) for _ in range(2)]
    assert np.array_equal(*(run["b.x"].values for run in runs))


SIGNALS = {
    2: {"float64": 2.5, "int32": -7.0, "boolean": 1.0, "mode": 3.0},
    3: {
        "float64": 2.5, "float32": 0.5, "int8": -128.0, "uint8": 255.0, "int16": -300.0, "uint16": 65535.0,
        "int32": -7.0, "uint32": 4e9, "int64": -(2.0**53), "uint64": 2.0**53, "boolean": 1.0, "mode": 3.0,
    },
}  # fmt: skip


def test_every_type_of_signal_passes_through(built, version):
    system = cp.System()
    system.add("fmu", cp.fmu(built("pass-through", version)))
    for name, value in SIGNALS[version].items():
        system.set(f"fmu.{name}_in", value)
    result = system.run(until=0.1)
    for name, value in SIGNALS[version].items():
        assert result[f"fmu.{name}_out"].values[[0, -1]].tolist() == [value, value], name


@pytest.mark.parametrize(("name", "value"), [("int8", 128.0), ("uint8", -1.0), ("int64", 2.0**63), ("uint64", 2.0**64)])
def test_a_signal_that_does_not_fit_its_type_stops_the_run(built, name, value):
    system = cp.System()
    system.add("fmu", cp.fmu(built("pass-through", 3)))
    system.set(f"fmu.{name}_in", value)
    with pytest.raises(cp.SimulationError, match=f'input "{name}_in" is .* does not fit the integer type'):
        system.run(until=0.1)


def test_arrays_are_vector_signals_whose_length_is_a_parameter(built):
    model = cp.fmu(
        built("pass-through", 3),
        parameters={"n": 5},
        start={"vector_in": [5, 4, 3, 2, 1], "matrix_in": [[1, 2], [3, 4.5]]},
    )
    assert (model.inputs["vector_in"], model.outputs["matrix_out"]) == (5, 4)
    result = alone(model)
    assert result["fmu.vector_out"].values[-1].tolist() == [5, 4, 3, 2, 1]
    assert result["fmu.matrix_out"].values[-1].tolist() == [1, 2, 3, 4.5]


def test_texts_are_start_values_and_can_be_read_while_a_run_is_under_way(built, version):
    start = {"string_in": "grün", "mode_in": "on"} | ({"binary_in": b"\0\x01\xff"} if version == 3 else {})
    model = cp.fmu(built("pass-through", version), start=start, parameters={"gain": 4})
    system = cp.System()
    system.add("fmu", model)
    with system.start() as run:
        run.step_to(0.05)
        assert model.read("string_out") == "grün"
        assert model.read("mode_out") == 3
        assert model.read("bias") == 8.0
        assert model.read("boolean_out") is False
        if version == 3:
            assert model.read("binary_out") == b"\0\x01\xff"
            assert model.read("matrix_out").tolist() == [[1, 2], [3, 4]]
    with pytest.raises(cp.SetupError, match="not running"):
        model.read("bias")


def test_outputs_may_be_any_number_and_inputs_a_choice(built, version):
    model = cp.fmu(built("oscillator", version), outputs=["der(v)", "m"], inputs="force")
    assert (list(model.inputs), list(model.outputs)) == (["force"], ["der(v)", "m"])
    assert alone(model)["fmu.der(v)"].values[0] == -100.0
    assert model.units == {"force": "N", "der(v)": "m/s2", "m": "kg"}
    assert model.unit_definitions["force"].exponents == (1, 1, -2, 0, 0, 0, 0, 0)


def test_names_with_dots_are_ports(built, changed, version):
    path = changed(
        built("oscillator", version),
        {
            "modelDescription.xml": lambda data: data.replace(b'name="force"', b'name="axle.force[1]"').replace(
                b'name="x"', b'name="body.x"'
            )
        },
    )
    system = cp.System()
    system.add("car", cp.fmu(path), step=0.01)
    system.add("road", cp.source(lambda t: 1.0, outputs="push.force", units={"push.force": "N"}), step=0.01)
    system.connect("road.push.force", "car.axle.force[1]")
    assert system.run(until=0.1)["car.body.x"].values[0] == 1.0


def test_wrong_values_are_told_all_at_once(built, version):
    with pytest.raises(cp.SetupError) as refused:
        cp.fmu(
            built("pass-through", version),
            parameters={"gian": 1.0, "gain": "two", "int32_in": 1},
            start={
                "int32_in": 2**31,
                "float64_in": float("nan"),
                "mode_in": "idel",
                "boolean_in": 2,
                "gain": 1,
                "float64_out": 1.0,
            },
            outputs=["float64"],
            inputs_at="midle",
            logging=["logStatusEror"],
        )
    text = str(refused.value)
    for expected in (
        'parameters."gian": no such variable; did you mean "gain"?',
        "parameters.\"gain\": 'two'; expected a number",
        'parameters."int32_in": is not a parameter (input); give it in start',
        'start."int32_in": 2147483648; Int32 has the range -2147483648 to 2147483647',
        'start."float64_in": nan; expected a finite number',
        'start."mode_in": \'idel\'; no such item; did you mean "idle"?',
        'start."boolean_in": 2; expected true or false',
        'start."gain": is a parameter; give it in parameters',
        'start."float64_out": has no start value; the FMU calculates it',
        'outputs: "float64": no such output; did you mean "float64_out"?',
        'inputs_at: "midle"; did you mean "middle"?',
        'logging: "logStatusEror": no such category; did you mean "logStatusError"?',
    ):
        assert expected in text, text


def test_wrong_shapes_are_told(built):
    with pytest.raises(cp.SetupError, match=r'start."vector_in": 2 values; expected 3'):
        cp.fmu(built("pass-through", 3), start={"vector_in": [1, 2]})
    with pytest.raises(cp.SetupError, match=r'start."matrix_in": 4 values; expected 2 x 2'):
        cp.fmu(built("pass-through", 3), start={"matrix_in": [[1, 2, 3, 4]]})


def test_an_fmu_with_equal_steps_says_so_before_the_run(built, version):
    model = OSCILLATOR.changed(co_simulation={"canHandleVariableCommunicationStepSize": "false"})
    system = cp.System()
    system.add("fmu", cp.fmu(built(model, version)), step=0.03)
    with pytest.raises(
        cp.SetupError,
        match=r"subsystems.fmu.step: the run of 1 s is not a multiple of the step 0.03 s.* use a run of 0.99 s",
    ):
        system.run(until=1.0)
    assert system.run(until=0.99).status == "finished"


def test_equal_steps_are_equal_to_the_bit(built, version):
    """0.1 is no binary number: without care the steps between 0, 0.1, 0.2, ... differ in their last bits."""
    model = OSCILLATOR.changed(co_simulation={"canHandleVariableCommunicationStepSize": "false"})
    assert alone(cp.fmu(built(model, version)), until=30.0, step=0.1).status == "finished"


def test_an_internal_step_is_told(built):
    model = OSCILLATOR.changed(fmi3={"fixedInternalStepSize": "0.004"})
    system = cp.System()
    system.add("fmu", cp.fmu(built(model, 3)), step=0.01)
    with pytest.raises(
        cp.SetupError, match=r"0.01 s is not a multiple of the FMU's fixed internal step, 0.004 s; use 0.008 s"
    ):
        system.run(until=1.0)


@pytest.mark.parametrize("until", [1.0, None], ids=["a run of 1 s", "an open run"])
@pytest.mark.parametrize("whose", ["all", "its own"])
def test_a_pace_whose_steps_an_fmu_refuses_is_named_before_the_run(built, whose, until):
    """One FMU needs equal steps, the other one multiples of an inner step: a pace that changes steps suits neither."""
    equal = OSCILLATOR.changed(co_simulation={"canHandleVariableCommunicationStepSize": "false"})
    inner = OSCILLATOR.changed(fmi3={"fixedInternalStepSize": "0.004"})
    pace = cp.pace.defect(1e-3, first=0.008, smallest=0.001, largest=0.1)
    for model, version, why in ((equal, 2, "equal steps"), (inner, 3, "multiple of the FMU's fixed internal step")):
        system = cp.System()
        system.add("pump", cp.fmu(built(model, version)), step=0.008, pace=pace if whose == "its own" else None)
        system.add("other", cp.fmu(built("oscillator", version)), step=0.008)
        system.connect("other.x", "pump.force", cp.lagrange(1), convert=False)
        system.connect("pump.x", "other.force", cp.lagrange(1), convert=False)
        with pytest.raises(cp.SetupError, match=f'pace: changes the steps of "pump", which it refuses.*{why}'):
            system.start(until=until, scheme="parallel", pace=pace if whose == "all" else None)


def test_the_suggested_step_is_taken_and_can_be_changed(built, version):
    assert cp.fmu(built("oscillator", version)).preferred_step == 0.01
    result = alone(cp.fmu(built("oscillator", version), step=0.05))
    assert len(result["fmu.x"].time) == 21


def test_directional_derivatives_are_those_of_the_equations(built, version):
    model = cp.fmu(built("oscillator", version), parameters={"m": 2.0, "k": 50.0})
    system = cp.System()
    system.add("fmu", model)
    with system.start() as run:
        run.step_to(0.05)
        assert model.jacobian("a", ["x", "force"]).tolist() == [[-25.0, 0.5]]


def test_an_fmu_is_a_host_and_has_one(built, version):
    system = pair(built("oscillator", version))
    hosted = system.run(until=1.0, host="a", scheme="slowest-first")
    assert hosted["a.x"].values[-1] == pytest.approx(system.run(until=1.0)["a.x"].values[-1], abs=1e-3)
    outside = cp.System()
    outside.add("fmu", cp.fmu(built("pass-through", version), outputs="float64_out", inputs="float64_in"), step=0.1)
    outside.add_host("host", inputs="y", outputs="u")
    outside.connect("host.u", "fmu.float64_in", cp.hold())
    outside.connect("fmu.float64_out", "host.y", cp.hold())
    interface = outside.embed("host")
    assert interface.evaluate(0.0, [5.0], True)[0] == 5.0  # begins with what the host has published


def test_only_the_categories_asked_for_are_logged(built, version):
    def categories(logging):
        model = cp.fmu(built("sampler", version), kind="model-exchange", logging=logging)
        assert alone(model, step=0.1).status == "finished"
        return {(message.category, message.status) for message in model.messages}

    assert categories(True) == {("logEvents", "ok")}
    assert categories(["logEvents"]) == {("logEvents", "ok")}
    assert categories(["logStatusDiscard"]) == categories(False) == set()


def test_the_bouncing_ball_handles_events_by_itself_when_told(built):
    model = cp.fmu(built(BOUNCING_BALL.changed(fmi3={"hasEventMode": "true"}), 3))
    assert len(alone(model)["fmu.h"].time) == 101


def test_paths_with_blanks_and_other_letters_work(built, version, tmp_path, monkeypatch, nothing_left_behind):
    import shutil
    import tempfile

    folder = tmp_path / "mit Blank ü 日本"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    model = cp.fmu(shutil.copy(built("pass-through", version), folder / "Öl 油.fmu"))
    system = cp.System()
    system.add("fmu", model)
    with system.start() as run:
        run.step_to(0.05)
        assert model.read("note") == "a file that the model might read\n"  # among its resources
    assert PASS_THROUGH.name == "PassThrough"


def test_the_largest_integers_are_read_as_far_as_doubles_reach(built):
    model = cp.fmu(built("pass-through", 3), start={"uint64_in": 2**63, "int64_in": -(2**63)})
    system = cp.System()
    system.add("fmu", model, step=0.1)
    with system.start(until=1.0) as run:
        run.step_to(0.5)
        assert model.read("uint64_out") == 2**63
        assert model.read("int64_out") == -(2**63)


@pytest.mark.parametrize("kind", ["co-simulation", "model-exchange"])
def test_a_discrete_output_is_held_so_that_its_change_is_not_seen_early(built, version, kind):
    """Without an approximation of its own: a line between two values of a counter would be no value of it."""
    system = cp.System("bounces")
    system.add("ball", cp.fmu(built("bouncing-ball", version), kind=kind), step=0.1)
    system.add("seen", cp.fmu(built("pass-through", version)), step=0.01)
    system.connect("ball.bounces", "seen.float64_in")
    result = system.run(until=1.0, approximation=cp.lagrange(2))
    counted, seen = result["ball.bounces"], result["seen.float64_out"]
    assert set(seen.values) == {0.0, 1.0}
    assert seen.time[seen.values == 1.0][0] > counted.time[counted.values == 1.0][0]


def test_a_chosen_approximation_of_a_discrete_output_is_used(built, version):
    system = cp.System("bounces")
    system.add("ball", cp.fmu(built("bouncing-ball", version)), step=0.1)
    system.add("seen", cp.fmu(built("pass-through", version)), step=0.01)
    system.connect("ball.bounces", "seen.float64_in", cp.lagrange(1))
    values = len(set(system.run(until=1.0)["seen.float64_out"].values))
    # Lines, but through no jump: with event mode it is known where one is.
    assert values == 2 if version == 3 else values > 2


@pytest.mark.parametrize("isolate", [False, True])
def test_a_tunable_parameter_is_changed_by_an_event(built, version, isolate):
    model = cp.fmu(
        built("pass-through", version), parameters={"gain": 2.0}, start={"float64_in": 3.0},
        outputs=["float64_out"], isolate=isolate,
    )  # fmt: skip
    system = cp.System("amplifier", convert=False)
    system.add("fmu", model, step=0.1)
    system.at(0.5, "fmu.gain", cp.events.scale(5.0), until=0.8)
    values = system.run(until=1.0)["fmu.float64_out"].values
    assert values.tolist() == [6.0] * 6 + [30.0] * 3 + [6.0] * 2


def test_a_parameter_that_is_not_tunable_is_refused_with_those_that_are(built, version):
    system = cp.System("oscillator", convert=False)
    system.add("fmu", cp.fmu(built("pass-through", version)), step=0.1)
    system.at(0.5, "fmu.gian", 2.0)
    with pytest.raises(cp.SetupError, match='parameters that can change during a run: "gain"'):
        system.run(until=1.0)
