import math
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import counterpoint as cp
from counterpoint.sweeps.table import Table

ROOT = Path(__file__).parents[2]


def test_points_have_the_results_of_single_runs_bit_for_bit(two_mass):
    found = cp.sweep(
        two_mass,
        {"fast.x0[0]": [10.0, 11.0], "slow.step": [0.05, 0.1], "slow.x -> fast.u.approximation.order": [1, 3]},
        ["last(fast.x)", "steps"],
        until=5.0,
        workers=2,
    )
    for row in found.table.to_dict("records"):
        text = (
            two_mass.read_text()
            .replace("x0 = [11.0", f"x0 = [{row['fast.x0[0]']}")
            .replace("until = 100.0", "until = 5.0")
        )
        text = text.replace("step = 0.1", f"step = {row['slow.step']}")
        text = text.replace("order = 3", f"order = {row['slow.x -> fast.u.approximation.order']}")
        alone = two_mass.parent / "alone.toml"
        alone.write_text(text)
        result = cp.Scenario.read(alone).run()
        assert row["last(fast.x)"] == result["fast.x"].values[-1]
        assert row["steps"] == sum(result.summary.steps)


NAMES = {
    "scheme": "fastest-first",
    "slow.step": 0.05,
    "fast.A[1][0]": -30.0,
    "connections[0].gain": 0.5,
    "fast.x -> slow.u.offset": 0.1,
    "connections[1].approximation.kind": "taylor",
    "pace": {"kind": "gradient", "tolerance": 1e-2, "largest": 0.2, "smallest": 0.001},
    "window": {"length": 0.5, "repeats": 2},
    "first_steps": "once",
    "approximation": {"kind": "hold"},
}


@pytest.mark.parametrize("name", NAMES)
def test_building_only_what_changes_is_the_same_as_building_all(two_mass, name):
    from counterpoint.scenario.varying import VaryingScenario

    text = two_mass.read_text().replace("until = 100.0", "until = 3.0")
    two_mass.write_text(text)
    scenario = cp.Scenario.read(two_mass)
    varying = VaryingScenario(scenario, [name, "slow.x0[1]"])
    varying.prepare([NAMES[name], 0.9])  # an earlier point leaves nothing behind
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system, options = varying.prepare([NAMES[name], 0.2])
        result = scenario.run(
            system=system, **{k: getattr(options, k) for k in ("scheme", "pace", "window", "first_steps")}
        )
        whole, whole_options = varying._build_all(varying._with([NAMES[name], 0.2]))
        expected = scenario.run(
            system=whole, **{k: getattr(whole_options, k) for k in ("scheme", "pace", "window", "first_steps")}
        )
    np.testing.assert_array_equal(result["fast.x"].values, expected["fast.x"].values)
    np.testing.assert_array_equal(result["slow.x"].time, expected["slow.x"].time)


@pytest.mark.parametrize(
    ("name", "value"), [("fast.A[0]", 5.0), ("fast.outputs[0]", 2.0), ("fast.x0[0]", math.nan), ("fast.x0[0]", "much")]
)
def test_a_value_that_does_not_fit_is_refused_as_in_a_file(two_mass, name, value):
    from counterpoint.scenario.varying import VaryingScenario

    varying = VaryingScenario(cp.Scenario.read(two_mass), [name])
    with pytest.raises(cp.ScenarioError) as refused:
        varying.prepare([value])
    with pytest.raises(cp.ScenarioError) as expected:
        varying._build_all(varying._with([value]))
    assert str(refused.value) == str(expected.value)


def test_a_system_in_memory_is_swept_by_arguments_inputs_and_options(tank):
    found = cp.sweep(
        tank,
        {"tank.x0[0]": [1.0, 3.0], "tank.flow": [0.0, 0.5], "until": [0.5, 1.0], "tank.step": [0.05]},
        {"level": "last(tank.level)"},
    ).table
    # dx/dt = flow - x
    exact = found["tank.flow"] + (found["tank.x0[0]"] - found["tank.flow"]) * np.exp(-found["until"])
    np.testing.assert_allclose(found["level"], exact, rtol=1e-6)
    assert tank.constants == {"tank.flow": 0.0}


def test_a_function_that_makes_the_system_gets_its_arguments(tank):
    def make(rate=1.0):
        system = cp.System()
        system.add("tank", cp.ode(lambda t, x, u: -rate * x, [1.0], outputs="level", solver="ode4"), step=0.01)
        return system

    found = cp.sweep(
        make, {"rate": [1.0, 2.0], "tank.x0[0]": [1.0, 2.0]}, "last(tank.level)", until=1.0, workers=1
    ).table
    np.testing.assert_allclose(
        found["last(tank.level)"], [math.exp(-1), 2 * math.exp(-1), math.exp(-2), 2 * math.exp(-2)], rtol=1e-6
    )


def test_a_range_of_times_varies_steps_and_nothing_that_is_no_time(two_mass):
    steps = cp.sweeps.span("50 ms", "100 ms", 2)
    for what in (two_mass, cp.Scenario.read(two_mass).build()):
        found = cp.sweep(what, {"slow.step": steps}, "steps", until="1 s", workers=1).table
        assert found["slow.step"].tolist() == [0.05, 0.1]
        assert found["steps"].tolist() == [120.0, 110.0]
    with pytest.raises(cp.SetupError, match=r'connections\[0\].gain: "0.05 s"'):
        cp.sweep(two_mass, {"connections[0].gain": steps}, "steps", until=1.0)


def test_a_function_that_makes_the_system_gets_times_in_seconds():
    def make(step):
        system = cp.System()
        system.add("tank", cp.linear([[-1.0]], [], [[1.0]], x0=[1.0], outputs="level", solver="ode4"), step=step * 1.0)
        return system

    found = cp.sweep(make, {"step": cp.sweeps.span("50 ms", "100 ms", 2)}, "steps", until=1.0, workers=1).table
    assert found["steps"].tolist() == [20.0, 10.0]


def test_the_kind_of_an_approximation_is_varied_alone(two_mass):
    """Hold has no order: the one of the file goes with the polynomial that it belongs to."""
    names = ["lagrange", "hold", "hermite"]
    found = cp.sweep(two_mass, {"connections[0].approximation.kind": names}, "last(fast.x)", until=2.0, workers=1)
    assert found.table["status"].tolist() == ["done"] * 3, found.table["message"].tolist()
    whole = [{"kind": "lagrange", "order": 3}, {"kind": "hold"}, {"kind": "hermite"}]
    expected = cp.sweep(two_mass, {"connections[0].approximation": whole}, "last(fast.x)", until=2.0, workers=1)
    assert found.table["last(fast.x)"].tolist() == expected.table["last(fast.x)"].tolist()


def test_an_order_that_is_varied_beside_the_kind_is_not_dropped(two_mass):
    vary = {"connections[0].approximation.kind": ["taylor", "hold"], "connections[0].approximation.order": [1]}
    found = cp.sweep(two_mass, vary, "last(fast.x)", until=2.0, workers=1).table
    assert found["status"].tolist() == ["done", "failed"]
    assert "connections[0].approximation.order: unknown key" in found["message"][1]


def test_options_of_a_system_are_written_as_for_a_run(tank):
    vary = {"until": ["0.5 s"], "tank.step": ["50 ms"], "window": ["repeat-once", cp.window("0.1 s")]}
    found = cp.sweep(tank, vary, "end", workers=1).table
    assert found["status"].tolist() == ["done", "done"], found["message"].tolist()
    assert found["end"].tolist() == [0.5, 0.5]


def test_the_kind_of_an_approximation_of_a_system_is_refused_with_what_to_write(two_mass):
    system = cp.Scenario.read(two_mass).build()
    with pytest.raises(cp.SetupError, match=r'no argument "kind".*vary the whole of it: "approximation": \[cp.hold'):
        cp.sweep(system, {"connections[0].approximation.kind": ["hold"]}, "steps", until=1.0)


def test_a_measure_that_fails_is_named(tank):
    measures = {"broken": lambda result: 1 / 0, "long": lambda result: result["tank.level"].values}
    messages = [
        cp.sweep(tank, {"until": [1.0]}, {name: f}, workers=1).table["message"][0] for name, f in measures.items()
    ]
    assert messages[0] == 'measures."broken": ZeroDivisionError: division by zero'
    assert messages[1] == 'measures."long": returned ndarray of shape (11,); expected a number'
    with pytest.raises(cp.SetupError, match="broken"):  # a mistake in a function is no run that failed
        cp.function(tank, "tank.x0[0]", {"broken": measures["broken"]}, until=1.0, failed="nan")(1.0)


def test_connections_of_a_system_are_swept():
    system = cp.System()
    system.add("a", cp.source(lambda t: t, outputs="y"), step=0.1)
    system.add("b", cp.linear([[0.0]], [[1.0]], x0=[0.0], solver="ode4", outputs="z"), step=0.1)
    system.connect("a.y", "b.u", cp.lagrange(1))
    found = cp.sweep(
        system,
        {"connections[0].gain": [1.0, 2.0], "a.y -> b.u.approximation.order": [0, 1]},
        "last(b.z)",
        until=1.0,
        workers=1,
    ).table
    # The integral of gain · t; a constant through the nearest later sample is half a step ahead: 0.5 + 0.1 / 2.
    np.testing.assert_allclose(found["last(b.z)"], [0.55, 0.5, 1.1, 1.0], atol=1e-12)


def test_variants_are_files(two_mass):
    other = two_mass.with_name("other.toml")
    other.write_text(two_mass.read_text().replace("9.99", "5.0"))
    found = cp.sweep(None, {"slow.step": [0.1]}, "first(slow.x)", variants=[two_mass, other], until=1.0)
    assert found.table["first(slow.x)"].tolist() == [9.99, 5.0]
    assert found.table["variant"].tolist() == [str(two_mass), str(other)]


def test_error_is_measured_against_a_reference_run(two_mass):
    given = {"measures": "error(slow.x)", "until": 10.0}
    found = cp.sweep(two_mass, {"slow.step": [0.05, 0.1, 0.2]}, reference={"slow.step": 0.005}, **given).table
    errors = found["error(slow.x)"].to_numpy()
    # The trapezoidal rule is of order 2: half the step, a quarter of the error. Extrapolation of order 2 has an error
    # of order 3, an eighth: what is measured lies between.
    assert 3.0 < errors[1] / errors[0] < 8.0
    assert 3.0 < errors[2] / errors[1] < 8.0
    reference = cp.Scenario.read(two_mass).run(until=10.0)
    same = cp.sweep(two_mass, {"slow.step": [0.1]}, reference=reference, **given).table
    assert same["error(slow.x)"].tolist() == [0.0]


def test_any_function_of_the_result_is_a_measure(tank):
    found = cp.sweep(tank, {"tank.x0[0]": [1.0, 2.0]}, {"rows": lambda r: len(r["tank.level"].time)}, until=1.0)
    assert found.table["rows"].tolist() == [11, 11]


def test_a_failed_point_has_its_message_and_the_others_go_on(fragile):
    found = cp.sweep(fragile, {"model.act": ["nothing", "raise", "print"]}, {"y": "last(model.y)"}, workers=1).table
    assert found["status"].tolist() == ["done", "failed", "done"]
    assert "ValueError: too much" in found["message"][1] and "model" in found["message"][1]
    assert found["y"].tolist()[::2] == [0.25, 0.25] and math.isnan(found["y"][1])


def test_a_killed_or_hanging_point_is_lost_alone(fragile):
    acts = ["nothing", "die", "exit", "hang", "print"]
    found = cp.sweep(fragile, {"model.act": acts}, {"y": "last(model.y)"}, workers=2, deadline=1.5).table
    assert found["status"].tolist() == ["done", "killed", "killed", "late", "done"]
    assert "SIGKILL" in found["message"][1] and "exit code 7" in found["message"][2]
    assert "deadline of 1.5 s" in found["message"][3]


def test_points_that_wait_in_a_process_that_dies_are_run_by_the_next_one(fragile):
    # Short runs are given to a process some at a time: two that follow each other die, and one hangs.
    acts = ["nothing"] * 80
    acts[40] = acts[41] = "die"
    acts[60] = "hang"
    found = cp.sweep(fragile, {"model.act": acts}, {"y": "last(model.y)"}, workers=1, kind="processes", deadline=0.5)
    table = found.table
    expected = ["done"] * 80
    expected[40] = expected[41] = "killed"
    expected[60] = "late"
    assert table["point"].tolist() == list(range(80)) and table["status"].tolist() == expected
    assert (table["y"][table["status"] == "done"] == 0.25).all()


def test_short_runs_that_threads_make_together_are_those_made_one_by_one(two_mass):
    starts = [1.0 + k / 40 for k in range(41)]
    starts[17] = 1e308  # which overflows
    vary, measures = {"fast.x0[0]": starts}, ["last(fast.x)", "max(slow.x)", "steps"]
    together = cp.sweep(two_mass, vary, measures, until=10.0, workers=2, kind="threads").table
    one_by_one = cp.sweep(two_mass, vary, measures, until=10.0, workers=1, kind="processes").table
    assert together["status"].tolist() == ["done"] * 17 + ["failed"] + ["done"] * 23
    columns = [name for name in together.columns if name != "wall_seconds"]
    pd.testing.assert_frame_equal(together[columns], one_by_one[columns], check_exact=True)


def test_runs_that_are_made_together_each_count_their_own_time(two_mass):
    found = cp.sweep(two_mass, {"fast.x0[0]": cp.sweeps.span(1, 2, 40)}, "seconds", workers=2, kind="threads").table
    assert (found["seconds"] > 0.0).all()
    assert (found["seconds"] <= found["wall_seconds"]).all()  # the time of a run is a part of that of its point


def test_a_native_point_stops_at_its_deadline(two_mass):
    found = cp.sweep(two_mass, {"until": [1.0, 1e9]}, "end", deadline=0.5, workers=1).table
    assert found["status"].tolist() == ["done", "late"]


def test_models_in_python_get_processes_and_others_threads(two_mass, fragile):
    from counterpoint.sweeps.recipes import is_native

    assert is_native(cp.Scenario.read(two_mass).build())
    assert not is_native(cp.Scenario.read(fragile).build())


def test_the_table_grows_and_can_be_read_meanwhile(two_mass, tmp_path):
    seen, out = [], tmp_path / "out"

    def look(progress):
        if progress.ended and (out / "table.parquet").exists():
            seen.append(len(cp.sweeps.read_table(out)))

    made = cp.sweep(
        two_mass, {"fast.x0[0]": cp.sweeps.span(1, 2, 500)}, "last(fast.x)", until=10.0, out=out, progress=look
    )
    assert seen and 0 < seen[0] < 500
    assert len(pd.read_parquet(out / "table.parquet")) == 500 == made.progress.done
    assert made.table["point"].tolist() == list(range(500))


def test_a_table_is_written_and_merged_without_pandas(two_mass, run_python, tmp_path):
    # Importing it would take longer than the first points, and 60 MB.
    script = """
        import sys
        import counterpoint as cp
        from counterpoint.sweeps import table
        table.FLUSH_SECONDS, table.MERGED_PARTS = 0.0, 2
        vary = {"fast.x0[0]": cp.sweeps.span(1, 2, 200)}
        found = cp.sweep(sys.argv[1], vary, "last(fast.x)", until=5.0, out=sys.argv[2], workers=1)
        print(found.progress.done, "pandas" in sys.modules)
    """
    out, err = run_python(script, str(two_mass), str(tmp_path / "out")).communicate()
    assert out.split() == ["200", "False"], err


def test_many_small_files_are_merged_and_nothing_is_lost(tmp_path):
    from counterpoint.sweeps.plan import make_plan
    from counterpoint.sweeps.worker import Row

    plan = make_plan({"a": list(range(200)), "word": ["x"]})
    table = Table(tmp_path / "t", plan, ["m"])
    for k in range(200):
        table.add([Row(k, "done", "", 0.1, [2.0 * k])])
        table.flush()
    assert len(table.parts()) < 40
    table.close()
    found = cp.sweeps.read_table(tmp_path / "t")
    assert found["m"].tolist() == [2.0 * k for k in range(200)] and found["a"].tolist() == list(range(200))


def test_a_sweep_goes_on_where_it_was(fragile, tmp_path):
    out = tmp_path / "out"
    given = {"vary": {"model.act": ["nothing", "raise"], "model.level": [1.0, 2.0]}, "measures": "last(model.y)"}
    cp.sweep(fragile, **given, out=out, workers=1)
    with pytest.raises(cp.OutputError, match="holds a sweep"):
        cp.sweep(fragile, **given, out=out)
    assert cp.sweep(fragile, **given, out=out, resume="unfinished", workers=1).progress.total == 0
    (fragile.parent / "fragile.py").write_text(
        (fragile.parent / "fragile.py").read_text().replace("raise ValueError", "str")
    )
    again = cp.sweep(fragile, **given, out=out, resume="failed", workers=1)
    assert again.progress.total == 2 and again.progress.done == 2
    assert again.table["status"].tolist() == ["done"] * 4
    assert cp.sweep(fragile, **given, out=out, resume="all", workers=1).progress.total == 4
    with pytest.raises(cp.OutputError, match="another sweep"):
        cp.sweep(fragile, {"model.level": [1.0]}, "last(model.y)", out=out, resume="unfinished")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"until": 9.0}, "options of the run"),
        ({"scheme": "parallel"}, "options of the run"),
        ({"set": {"slow.step": 0.05}}, "options of the run"),
        ({"measures": {"m": "max(fast.x)"}}, "measures"),
        ({"measures": {"m": lambda result: result.end}}, "measures"),
        ({"reference": {"slow.step": 0.02}}, "the reference"),
    ],
)
def test_points_of_other_runs_are_not_taken_for_those_of_a_sweep(two_mass, tmp_path, change, text):
    given = {
        "vary": {"fast.x0[0]": [10.0, 11.0]}, "measures": {"m": "error(fast.x)"}, "reference": {"slow.step": 0.01},
        "until": 5.0, "scheme": "slowest-first", "workers": 1, "out": tmp_path / "out",
    }  # fmt: skip
    cp.sweep(two_mass, **given)
    assert cp.sweep(two_mass, **given, resume="unfinished").progress.total == 0
    with pytest.raises(cp.OutputError, match=f"another sweep: .*{text}"):
        cp.sweep(two_mass, **{**given, **change}, resume="unfinished")
    assert cp.sweep(two_mass, **{**given, **change}, resume="all").progress.total == 2


def test_a_system_in_memory_is_told_from_another_of_its_name(tank, tmp_path):
    given = {"vary": {"until": [1.0, 2.0]}, "measures": "last(tank.level)", "out": tmp_path / "out", "workers": 1}
    cp.sweep(tank, **given)
    assert cp.sweep(tank, **given, resume="unfinished").progress.total == 0
    tank.set("tank.flow", 5.0)
    with pytest.raises(cp.OutputError, match="another sweep: what is run"):
        cp.sweep(tank, **given, resume="unfinished")


@pytest.mark.parametrize(("name", "values"), [("adapt", [False, True]), ("energy_correction", ["off"])])
def test_options_that_choose_the_coupling_are_given_and_varied(two_mass, tank, name, values):
    for what in (two_mass, tank):
        given = cp.sweep(what, {"until": [2.0]}, "end", workers=1, **{name: values[-1]}).table
        varied = cp.sweep(what, {name: values}, "end", until=2.0, workers=1).table
        assert {*given["status"], *varied["status"]} == {"done"}, varied["message"].tolist()


def test_a_mechanism_is_swept_by_its_keys_and_options_of_the_run(tmp_path):
    text = (ROOT / "examples" / "four-bar.toml").read_text()
    path = tmp_path / "four-bar.toml"
    path.write_text(text.partition("[run]")[0])  # no end of the run in the file
    vary = {"until": ["100 ms", 0.2], "formulation.integrator": ["hermite", "trapezoidal"]}
    found = cp.sweep(path, vary, ["end", "steps"], workers=1).table
    assert found["end"].tolist() == [0.1, 0.1, 0.2, 0.2] and found["steps"].tolist() == [100, 100, 200, 200]
    found = cp.sweep(path, {"crank.mass": [1.0, 2.0]}, ["end"], set={"until": 0.1, "run.step": 0.01}, workers=1).table
    assert found["end"].tolist() == [0.1, 0.1]
    assert cp.function(path, "crank.mass", "last(four-bar.crank_speed)", until=0.1)(2.0) != 0.0


def test_an_option_that_is_varied_is_not_the_one_given_for_all(two_mass, tank):
    for what in (two_mass, tank):
        found = cp.sweep(what, {"until": [1.0, 2.0]}, "end", until=5.0, workers=1).table
        assert found["end"].tolist() == [1.0, 2.0]


def test_results_are_kept_on_disk_if_asked(two_mass, tmp_path):
    made = cp.sweep(
        two_mass, {"slow.step": [0.05, 0.1]}, "last(fast.x)", until=2.0, out=tmp_path / "o", keep_results=True
    )
    with made.result(1) as result:
        assert len(result["slow.x"].time) == 21
        assert result["fast.x"].values[-1] == made.table["last(fast.x)"][1]


def test_what_a_run_warns_of_is_in_the_row(two_mass):
    found = cp.sweep(
        two_mass, {"window": [{"length": 1.0, "repeats": 1, "tolerance": 1e-15}]}, "end", until=2.0, workers=1
    ).table
    assert found["status"].tolist() == ["done"]
    assert found["message"][0] == "" or "window" in found["message"][0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"vary": {"fsat.x0[0]": [1.0]}}, 'did you mean "fast"'),
        ({"vary": {"connections[5].gain": [1.0]}}, "below 2"),
        ({"vary": {"fast.x0[7]": [1.0]}}, "index from 0 to 1"),
        ({"vary": {"slow.x -> fast.u.gian": [1.0]}}, 'did you mean "gain"'),
        ({"measures": "lats(fast.x)"}, 'did you mean "last"'),
        ({"measures": "last(fast.y)"}, 'did you mean "fast.x"'),
        ({"measures": "error(fast.x)"}, "needs a reference"),
        ({"untl": 3.0}, 'did you mean "until"'),
        ({"workers": 0}, "workers: 0"),
        ({"deadline": -1.0}, "deadline: -1.0"),
        ({"deadline": "5 kg"}, "deadline: .*kg"),
        ({"resume": "unfinished"}, "needs the folder"),
    ],
)
def test_mistakes_are_told_before_anything_runs(two_mass, change, text):
    given = {"vary": {"fast.x0[0]": [1.0]}, "measures": "last(fast.x)", **change}
    with pytest.raises(cp.SetupError, match=text):
        cp.sweep(two_mass, **given)


def test_an_interrupted_sweep_keeps_what_has_ended(two_mass, tmp_path):
    def stop(progress):
        if progress.ended >= 5:
            raise KeyboardInterrupt

    with pytest.raises(cp.SweepInterrupted, match="what has ended is kept") as caught:
        cp.sweep(
            two_mass,
            {"fast.x0[0]": cp.sweeps.span(1, 2, 100_000)},
            "last(fast.x)",
            until=5.0,
            out=tmp_path / "o",
            progress=stop,
        )
    assert 5 <= len(caught.value.sweep.table) < 100_000
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sweep-")]


def test_progress_knows_the_time_left():
    half = cp.sweeps.SweepProgress(done=1, failed=0, total=3, wall_seconds=2.0)
    assert half.eta_seconds == 4.0
    assert cp.sweeps.SweepProgress(0, 0, 3, 2.0).eta_seconds == math.inf


def test_a_missing_extra_names_the_command(two_mass, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(cp.MissingExtraError, match=r"pip install 'counterpoint\[sweep\]'"):
        cp.sweep(two_mass, {"slow.step": [0.1]}, "end", cluster="local", until=1.0)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(cp.MissingExtraError, match="sweep"):
        cp.sweep(two_mass, {"slow.step": cp.sweeps.span(0.1, 0.2)}, "end", sample="sobol", points=4, until=1.0)
