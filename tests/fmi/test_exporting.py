"""Exported FMUs give the numbers of our own runs, in FMPy and in ourselves."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.registry import read_case
from counterpoint.fmi.archive import Archive
from counterpoint.fmi.description_reading import read_description
from counterpoint.fmi.exporting import export_case

from . import exported
from .exported import MODELS

fmpy = pytest.importorskip("fmpy")
from .leading import Led  # noqa: E402 - needs FMPy

# Communication points are n h in one program and sums or products rounded otherwise in another; at a point that is a
# sample's time up to rounding, an output is its value up to rounding: slopes (below 1e4 of the values) times 1e-16 s.
ROUNDING = 1e-11


def problems(path):
    from fmpy.validation import validate_fmu

    return validate_fmu(str(path))


def simulated(path, until, interval, **options):
    return fmpy.simulate_fmu(str(path), stop_time=until, output_interval=interval, **options)


def imported(path, until, interval, **options):
    system = cp.System("host")
    system.add("fmu", cp.fmu(path, **options), step=interval)
    return system.run(until=until)


def close(expected, actual):
    expected, actual = np.asarray(expected), np.asarray(actual)
    assert expected.shape == actual.shape
    scale = max(np.abs(expected).max(), 1.0)
    assert np.abs(expected - actual).max() <= ROUNDING * scale


@pytest.mark.parametrize("name", MODELS)
def test_an_exported_model_moves_as_in_our_own_run(written, name, version):
    build, until, step, interval = MODELS[name]
    path = written(name, version)
    assert problems(path) == []
    model = build()
    own = model.run(until=until, step=step)
    theirs = simulated(path, until, interval)
    ours = imported(path, until, interval)
    stride = round(interval / step)
    for port, width in model.subsystem().outputs.items():
        on_grid = own[f"{model.name}.{port}"].values[::stride]
        if width == 1 or version == 3:
            close(on_grid, theirs[port])
            close(on_grid, ours[f"fmu.{port}"].values)
        else:
            for k in range(width):
                close(on_grid[:, k], theirs[f"{port}[{k}]"])


def test_a_coupled_system_runs_multirate_inside(written, version):
    path = written("two_mass", version)
    assert problems(path) == []
    own = exported.two_mass().run(until=10.0, first_steps="once")
    theirs = simulated(path, 10.0, 0.5)
    ours = imported(path, 10.0, 0.5)
    for name, stride in (("fast.x", 50), ("slow.x", 5)):
        close(own[name].values[::stride], theirs[name])
        close(own[name].values[::stride], ours[f"fmu.{name}"].values)


@pytest.mark.parametrize("scheme", ["fastest-first", "parallel", "sequential"])
def test_every_scheme_is_kept(scheme, tmp_path):
    own = exported.two_mass().run(until=5.0, scheme=scheme, first_steps="once")
    path = cp.export_fmu(exported.two_mass(), tmp_path / "pair.fmu", scheme=scheme)
    close(own["fast.x"].values[::50], simulated(path, 5.0, 0.5)["fast.x"])


def test_steps_stay_on_their_grid_when_the_master_asks_more_often(written):
    """Communication every 30 ms, steps of 10 ms and 100 ms: where both meet, the numbers are those of our own run."""
    own = exported.two_mass().run(until=9.0, first_steps="once")
    theirs = simulated(written("two_mass", 3), 9.0, 0.03)
    close(own["fast.x"].values[::3], theirs["fast.x"])
    close(own["slow.x"].values[::3], theirs["slow.x"][::10])
    # Between its samples the slow one is interpolated by a straight line: h^2 / 8 x'' = 1.25e-3 * 8 m/s^2.
    between = own["slow.x"].at(theirs["time"])
    assert np.abs(between - theirs["slow.x"]).max() < 1e-9


def test_an_fmu_inside_comes_along(built, version, tmp_path):
    def system():
        made = cp.System("pair")
        made.add("fmu", cp.fmu(built("oscillator", 2), parameters={"m": 2.0}, start={"x": 0.5}), step=0.01)
        units = {"u": "m", "y": "N"}
        made.add("filter", cp.linear([[-5.0]], [[5.0]], x0=[0.0], inputs="u", outputs="y", units=units), step=0.002)
        made.connect("fmu.x", "filter.u")
        made.connect("filter.y", "fmu.force", gain=-1.0)
        return made

    own = system().run(until=2.0, first_steps="once")
    path = cp.export_fmu(system(), tmp_path / "pair.fmu", version=version)
    assert problems(path) == []
    theirs = simulated(path, 2.0, 0.1)
    close(own["fmu.x"].values[::10], theirs["fmu.x"])
    close(own["filter.y"].values[::50], theirs["filter.y"])
    close(own["fmu.x"].values[::10], imported(path, 2.0, 0.1)["fmu.fmu.x"].values)


def test_a_table_and_a_diagram_in_one_fmu(tmp_path):
    def system():
        made = cp.System("house")
        made.add("weather", cp.table([0, 3600, 7200], [0.0, 10.0, 5.0], outputs="outside"))
        plant = cp.Diagram("plant", step=10.0)
        outside = plant.input("outside")
        inside = plant.integrator(initial=20.0, name="inside")
        ((outside - inside) / 3600.0) >> inside
        plant.output("inside", inside)
        made.add("plant", plant, step=10.0)
        made.connect("weather.outside", "plant.outside")
        return made

    own = system().run(until=7200.0, first_steps="once")
    theirs = simulated(cp.export_fmu(system(), tmp_path / "house.fmu"), 7200.0, 600.0)
    close(own["plant.inside"].values[::60], theirs["plant.inside"])


def test_a_solver_of_variable_step_ends_its_steps_at_the_communication_points(tmp_path):
    path = cp.export_fmu(exported.thermostat(step=None, solver="ode45", rtol=1e-8), tmp_path / "variable.fmu")
    theirs = simulated(path, 6 * 3600.0, 600.0)
    own = exported.thermostat().run(until=6 * 3600.0, step=60.0)
    # Both find the switching times to far below a millisecond; what is left is ode4 with steps of a minute.
    assert np.abs(theirs["temperature"] - own["thermostat.temperature"].values[::10]).max() < 1e-6


def test_inputs_are_held_or_follow_the_slope_that_a_master_gives(tmp_path):
    """dx/dt = u with u = t^2: the sum of held values, or of trapezoids beside the tangents; both in closed form."""
    tracker = cp.linear([[0.0]], [[1.0]], x0=[0.0], inputs="u", outputs="x")
    path = cp.export_fmu(tracker, tmp_path / "tracker.fmu", version=2, step=0.01)
    with Led(path) as fmu:
        held = slope = 0.0
        for k in range(10):
            t = 0.1 * k
            fmu.set("u", t * t)
            fmu.step(t, 0.1)
            held += 0.1 * t * t
        assert fmu.get("x") == pytest.approx(held, abs=1e-13)
    with Led(path) as fmu:
        for k in range(10):
            t = 0.1 * k
            fmu.set("u", t * t)
            fmu.fmu.setRealInputDerivatives([fmu.references["u"]], [1], [2 * t])
            fmu.step(t, 0.1)
            slope += 0.1 * t * t + 0.01 * t
        assert fmu.get("x") == pytest.approx(slope, abs=1e-13)
    line = cp.export_fmu(tracker, tmp_path / "line.fmu", version=2, step=0.01, input_approximation=cp.lagrange(1))
    with Led(line) as fmu:
        for k in range(10):
            fmu.set("u", 0.1 * k)
            fmu.step(0.1 * k, 0.1)
        # The line through the last two values is right for u = t; only the first step had one value, 0, and lost 0.005.
        assert fmu.get("x") == pytest.approx(0.5 - 0.005, abs=1e-13)


def test_the_force_of_a_guide_that_follows_an_input_needs_a_parabola(tmp_path):
    """A crank of 1 m and 1 kg follows 0.5 cos 2t: its torque has the part J phi'' = -2/3 cos 2t, which lines do not know."""
    crank = exported.Mechanism("crank", dimension=2)
    crank.point("A", (0, 0), fixed=True)
    crank.point("B", (1, 0))
    crank.body("rod", points=["A", "B"], mass=1.0)
    crank.angle("phi", "rod")
    crank.input("target", 0.5)
    crank.guide("phi", "input:target")
    crank.output("torque", "guide:phi")

    def error(approximation):
        path = cp.export_fmu(
            crank, tmp_path / "crank.fmu", step=1e-3, input_approximation=approximation, overwrite=True
        )
        system = cp.System("led")
        system.add("plan", cp.source(lambda t: 0.5 * np.cos(2 * t), outputs="phi"), step=1e-2)
        system.add("crank", cp.fmu(path, inputs_at="start"), step=1e-2)
        system.connect("plan.phi", "crank.target", convert=False)
        torque = system.run(until=4.0)["crank.torque"]
        angle = 0.5 * np.cos(2 * torque.time)
        return np.abs(torque.values - (-4 / 3 * angle + 9.81 / 2 * np.cos(angle)))[20:].max()

    assert error(cp.lagrange(1)) > 0.6
    assert error(cp.lagrange(2)) < 0.05  # the second difference is that of the last two intervals: 10 ms late


@pytest.mark.parametrize("name", ["motor", "thermostat", "engine", "four-bar", "two_mass"])
def test_a_saved_state_comes_back_bit_for_bit(written, name):
    """n steps, save, n steps, restore, the same n steps; and a second restore of the same state."""
    length = {"thermostat": 600.0}.get(name, 0.07)
    with Led(written(name, 2)) as fmu:
        outputs = [n for n, v in fmu.references.items() if n.partition("[")[0] in PORTS[name]]
        for k in range(5):
            fmu.step(k * length, length)
        state = fmu.fmu.getFMUState()
        runs = []
        for _ in range(3):
            for k in range(5, 10):
                fmu.step(k * length, length)
            runs.append([fmu.get(n) for n in outputs])
            fmu.fmu.setFMUState(state)
        fmu.fmu.freeFMUState(state)
    assert runs[0] == runs[1] == runs[2]
    assert np.all(np.isfinite(runs[0]))


PORTS = {
    "motor": {"speed", "voltage"},
    "thermostat": {"temperature", "heater"},
    "engine": {"speed", "torque", "throttle"},
    "four-bar": {"angle", "C", "bearing", "energy"},
    "two_mass": {"fast.x", "slow.x"},
}


def test_at_a_communication_point_where_something_jumps_the_master_sees_what_comes_after(version, tmp_path):
    diagram = cp.Diagram("step", solver="ode45", publish_events=True)
    diagram.output("y", diagram.step(time=0.2, before=1.0, after=3.0))
    system = cp.System("jump")
    system.add("source", diagram.subsystem())
    system.add("filter", cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="u", outputs="y"), step=0.05)
    system.connect("source.y", "filter.u", cp.lagrange(1))
    with Led(cp.export_fmu(system, tmp_path / "jump.fmu", version=version)) as fmu:
        seen = []
        for k in range(3):
            fmu.step(0.1 * k, 0.1)
            seen.append(fmu.outputs()["source.y"])
    assert seen == [1.0, 3.0, 3.0]


def test_several_fmus_and_instances_live_in_one_process(written):
    system = cp.System("all")
    for k in range(2):
        for version in (2, 3):
            system.add(f"motor{k}{version}", cp.fmu(written("motor", version)), step=0.01)
            system.add(f"pair{k}{version}", cp.fmu(written("two_mass", version)), step=0.1)
    result = system.run(until=1.0, threads=2)
    for name in ("motor", "pair"):
        port = "speed" if name == "motor" else "fast.x"
        runs = [result[f"{name}{k}{version}.{port}"].values for k in range(2) for version in (2, 3)]
        assert all(np.array_equal(runs[0], run) for run in runs)


def test_the_same_model_gives_the_same_file(tmp_path):
    first, second = (cp.export_fmu(exported.motor(), tmp_path / f"{k}" / "motor.fmu") for k in made_folders(tmp_path))
    assert first.read_bytes() == second.read_bytes()


def made_folders(folder):
    for k in range(2):
        (folder / f"{k}").mkdir()
        yield k


@pytest.mark.parametrize("name", ["motor", "four-bar", "two_mass"])
def test_inputs_and_parameters_have_start_values_and_outputs_have_none(written, name, version):
    """As FMI wants it, and importers check: start for inputs and all that is exact, none for what is calculated."""
    for variable in cp.fmi.read_description(written(name, version)).variables:
        is_given = variable.causality in ("input", "parameter")
        assert (variable.start is not None) == is_given, variable
        assert variable.initial == {"parameter": "exact", "output": "calculated"}.get(
            variable.causality, variable.initial
        )


def test_ports_can_be_chosen(tmp_path):
    path = cp.export_fmu(exported.two_mass(), tmp_path / "one.fmu", inputs=[], outputs=["slow.x"])
    made = cp.fmu(path)
    assert dict(made.inputs) == {}
    assert dict(made.outputs) == {"slow.x": 1}


def test_feedthrough_at_the_start_is_told(version, tmp_path):
    model = cp.Diagram("sum", step=0.1)
    a, b = model.input("a", 1.0), model.input("b", 2.0)
    x = model.integrator(b, name="x")
    model.output("direct", a + x)
    model.output("state", x)
    path = cp.export_fmu(model, tmp_path / "sum.fmu", version=version)
    made = cp.fmu(path)
    assert made.initial_feedthrough == [("direct", "a")]
    assert imported(path, 0.5, 0.1, start={"a": 5.0})["fmu.direct"].values[0] == 5.0


@pytest.mark.parametrize("version", [2, 3])
def test_the_default_experiment_has_a_stop_time(tmp_path, version):
    spring = cp.linear([[0, 1], [-9, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"])
    made = cp.export_fmu(spring, tmp_path / "spring.fmu", step=1e-3, version=version, until=2.5)
    experiment = read_description(Archive(made)).experiment
    assert (experiment.start, experiment.stop, experiment.step) == (0.0, 2.5, 1e-3)


def test_an_exported_scenario_stops_where_the_scenario_does(tmp_path):
    text = """
    until = 3.0
    subsystems.mass = { type = "linear", A = [[-1]], B = [[1]], x0 = [1], inputs = "u", outputs = "x", step = 0.1 }
    set."mass.u" = 0
    """
    (tmp_path / "mass.toml").write_text(text, encoding="utf-8")
    case = read_case(tmp_path / "mass.toml")
    made = export_case(case, tmp_path / "mass.fmu", version=3, overwrite=False)
    assert read_description(Archive(made)).experiment.stop == 3.0


@pytest.mark.parametrize("until", [0.0, -1.0, float("inf"), "soon"])
def test_a_wrong_stop_time_is_refused(tmp_path, until):
    spring = cp.linear([[-1]], [[1]], x0=[1], inputs="u", outputs="x")
    with pytest.raises(cp.SetupError, match=r"until: .*greater than 0"):
        cp.export_fmu(spring, tmp_path / "spring.fmu", step=1e-3, until=until)
