"""PathSim both ways: our interface as its block, its simulation as our subsystem; the same model gives the same numbers."""

import builtins
import math
from itertools import pairwise

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.adapters import pathsim as adapter
from counterpoint.studies.two_mass.experiment import Case, build

try:
    import pathsim
    from pathsim.blocks import Adder, Amplifier, Constant, Integrator, Scope
    from pathsim.events import ZeroCrossing
    from pathsim.solvers import RK4, RKDP54

    MISSING = False
except ImportError:
    MISSING = True

needs_pathsim = pytest.mark.skipif(MISSING, reason="PathSim is not installed: pip install 'counterpoint[pathsim]'")

H = 0.01


def others(case, slow=None):
    system = cp.System("others")
    system.add_host("host", inputs=["x2"], outputs=["x1"])
    system.add("slow", slow or build(case).subsystems["slow"].subsystem, step=case.slow_step)
    system.connect("slow.x2", "host.x2", cp.lagrange(case.order))
    system.connect("host.x1", "slow.x1", cp.lagrange(case.order))
    return system


def ours(case, until):
    a = case.problem().matrix
    model = cp.Diagram("fast")
    x = model.integrator(initial=float(case.problem().start[0]), name="x")
    v = model.integrator(name="v")
    v >> x
    block = model.cosimulation(others(case), x, scheme=case.scheme)
    v.connect(a[1, 0] * x + a[1, 2] * block["x2"])
    model.output("x", x)
    return model.run(until=until, step=H)["fast.x"].values


def fast_blocks(case, x2):
    """Blocks and connections of the fast mass driven by a port."""
    a = case.problem().matrix
    x, v = Integrator(float(case.problem().start[0])), Integrator(0.0)
    own, other, total = Amplifier(a[1, 0]), Amplifier(a[1, 2]), Adder()
    connections = [
        pathsim.Connection(v, x),
        pathsim.Connection(x, own),
        pathsim.Connection(x2, other),
        pathsim.Connection(own, total[0]),
        pathsim.Connection(other, total[1]),
        pathsim.Connection(total, v),
    ]
    return x, [x, v, own, other, total], connections


def theirs(case, until, solver=None, system=None, **options):
    block = adapter.interface_block(system or others(case), scheme=case.scheme)
    x, blocks, connections = fast_blocks(case, block["x2"])
    scope = Scope()
    connections += [pathsim.Connection(x, block["x1"], scope)]
    simulation = pathsim.Simulation(
        [*blocks, block, scope], connections, dt=H, Solver=solver or RK4, log=False, **options
    )
    simulation.run(until)
    times, values = scope.read()
    return times, values[0]


@needs_pathsim
@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first"])
@pytest.mark.parametrize(("fr", "order"), [(10.0, 0), (10.0, 3), (7.3, 2)])
def test_the_interface_inside_pathsim_gives_the_numbers_of_the_block_in_our_diagram(scheme, fr, order):
    case = Case(fr, scheme, order)
    times, found = theirs(case, 4.0)
    np.testing.assert_allclose(times, H * np.arange(401), atol=1e-9)
    # PathSim adds up its times: they differ by rounding, which the polynomials carry on.
    np.testing.assert_allclose(found, ours(case, 4.0), rtol=0, atol=1e-8)


class Counted(cp.Subsystem):
    """x2' = x1 - x2; notes its steps and cannot save."""

    inputs = ("x1",)
    outputs = ("x2",)

    def start(self, t):
        self.x, self.steps = 1.0, []

    def step(self, t, t_end, u):
        self.steps.append((t, t_end))
        self.x += (t_end - t) * (u(t)[0] - self.x)

    def output(self, t, u):
        return self.x


@needs_pathsim
def test_steps_that_an_adaptive_solver_rejects_do_not_advance_the_others():
    model = Counted()
    case = Case(2.0, "slowest-first", 1)
    times, _ = theirs(
        case, 2.0, solver=RKDP54, system=others(case, model), tolerance_lte_abs=1e-9, tolerance_lte_rel=1e-7
    )
    assert len(times) > 50
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(model.steps))
    assert model.steps[-1][0] <= times[-1] + 1e-9  # no step went further than one step beyond what was accepted


@needs_pathsim
def test_a_pathsim_simulation_can_run_again_after_a_reset():
    case = Case(10.0, "slowest-first", 2)
    block = adapter.interface_block(others(case))
    x, blocks, connections = fast_blocks(case, block["x2"])
    simulation = pathsim.Simulation(
        [*blocks, block], [*connections, pathsim.Connection(x, block["x1"])], dt=H, Solver=RK4, log=False
    )
    simulation.run(1.0)
    first = float(x.outputs[0])
    assert block.interface.time("slow") == pytest.approx(1.0)
    simulation.run(1.0, reset=True)
    assert float(x.outputs[0]) == first


def slave(case, solver=None, **options):
    x2 = adapter.inlet()
    x, blocks, connections = fast_blocks(case, x2)
    simulation = pathsim.Simulation([*blocks, x2], connections, dt=H, Solver=solver or RK4, log=False, **options)
    return adapter.subsystem(simulation, inputs={"x2": x2}, outputs={"x1": x, "v1": blocks[1]}, units={"x1": "m"})


def coupled(case, fast, step=H, until=4.0):
    system = cp.System("two masses")
    system.add("fast", fast, step=step)
    system.add("slow", build(case).subsystems["slow"].subsystem, step=case.slow_step)
    system.connect("slow.x2", "fast.x2", cp.lagrange(case.order))
    system.connect("fast.x1", "slow.x1", cp.lagrange(case.order))
    return system.run(until=until, scheme=case.scheme, first_steps="once")["fast.x1"].values


@needs_pathsim
@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_a_pathsim_simulation_as_a_subsystem_gives_the_numbers_of_our_own_model(scheme):
    case = Case(10.0, scheme, 2)
    expected = coupled(case, build(case).subsystems["fast"].subsystem)
    # The same stages in another order of additions: rounding, times 400 steps.
    np.testing.assert_allclose(coupled(case, slave(case)), expected, rtol=0, atol=1e-10)


@needs_pathsim
def test_an_adaptive_pathsim_simulation_takes_its_own_steps_inside_ours():
    case = Case(10.0, "slowest-first", 3)
    expected = coupled(case, build(case).subsystems["fast"].subsystem, step=H)
    found = coupled(case, slave(case, RKDP54, tolerance_lte_abs=1e-10, tolerance_lte_rel=1e-8))
    # Both solvers are nearly exact at 100 steps a cycle: ode4 loses 5e-9 of the amplitude a step.
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-5)


@needs_pathsim
def test_steps_longer_than_dt_are_divided():
    case = Case(10.0, "slowest-first", 3)
    calls = []
    fast = slave(case)
    fast._simulation.timestep = lambda dt, adaptive, make=fast._simulation.timestep: (
        calls.append(dt) or make(dt, adaptive=adaptive)
    )
    coupled(case, fast, step=0.025, until=0.1)
    np.testing.assert_allclose(calls, [0.025 / 3] * 12)


@needs_pathsim
@pytest.mark.parametrize("solver", ["RK4", "RKDP54"])
def test_a_pathsim_simulation_saves_and_restores(solver):
    case = Case(10.0, "slowest-first", 1)
    fast = slave(case, {"RK4": RK4, "RKDP54": RKDP54}[solver])
    assert fast.can_save

    def u(t):
        return np.array([math.cos(t)])

    fast.start(0.0)
    fast.step(0.0, 0.1, u)
    state = fast.save()
    fast.step(0.1, 0.2, u)
    expected = fast.output(0.2, u)
    fast.step(0.2, 0.5, u)
    fast.restore(state)
    fast.step(0.1, 0.2, u)
    assert fast.output(0.2, u) == expected


def answer_to_a_jump(other):
    """Our diagram is master, with ode45; the jump makes it reject attempts in which the other was advanced."""
    system = cp.System("others")
    system.add_host("host", inputs=["x"], outputs=["u"])
    system.add("other", other, step=0.005)
    system.connect("host.u", "other.u", cp.lagrange(2))
    system.connect("other.x", "host.x", cp.lagrange(2))
    model = cp.Diagram("master", solver="ode45", rtol=1e-7, atol=1e-9)
    v = model.integrator(initial=0.0, name="v")
    block = model.cosimulation(system, v)
    v.connect(30.0 * (model.step(0.52) - v) + 0.1 * block["x"])
    model.output("v", v)
    return model.run(until=1.0, step=0.5)["master.v"].values[-1]


@needs_pathsim
def test_a_pathsim_simulation_inside_a_variable_step_diagram_is_taken_back():
    u, x, total = adapter.inlet(), Integrator(1.0), Adder("+-")
    links = [pathsim.Connection(u, total[0]), pathsim.Connection(x, total[1]), pathsim.Connection(total, x)]
    simulation = pathsim.Simulation([u, x, total], links, dt=0.005, Solver=RK4, log=False)
    theirs = adapter.subsystem(simulation, inputs={"u": u}, outputs={"x": x})
    restored = []
    theirs.restore = lambda state, restore=theirs.restore: restored.append(state) or restore(state)
    # x' = u - x by the same method and step: rounding only.
    ours = cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x", solver="ode4")
    assert answer_to_a_jump(theirs) == pytest.approx(answer_to_a_jump(ours), abs=1e-10)
    assert restored


@needs_pathsim
def test_direct_feedthrough_reaches_the_initial_output():
    u, gain = adapter.inlet(2), Amplifier(3.0)
    simulation = pathsim.Simulation([u, gain], [pathsim.Connection(u[1], gain)], dt=0.1, Solver=RK4, log=False)
    model = adapter.subsystem(simulation, inputs={"u": u}, outputs={"y": gain}, feedthrough=[("y", "u")])
    system = cp.System()
    system.add("gain", model, step=0.1)
    system.set("gain.u", [1.0, 2.0])
    np.testing.assert_allclose(system.run(until=0.3)["gain.y"].values, 6.0)


@needs_pathsim
def test_events_of_pathsim_survive_a_restore():
    x, rate = Integrator(-0.25), Constant(1.0)
    hits = []
    event = ZeroCrossing(func_evt=lambda t: float(x.outputs[0]), func_act=hits.append)
    simulation = pathsim.Simulation([x, rate], [pathsim.Connection(rate, x)], [event], dt=0.1, Solver=RK4, log=False)
    model = adapter.subsystem(simulation, outputs={"x": x})
    model.start(0.0)
    model.step(0.0, 0.2, None)
    state = model.save()
    for _ in range(2):
        model.restore(state)
        model.step(0.2, 0.4, None)
    np.testing.assert_allclose(hits, [0.25, 0.25], atol=1e-9)


@needs_pathsim
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": {"u": "no block"}}, "inputs.u"),
        ({"outputs": {"y": "no block"}}, "outputs.y"),
    ],
)
def test_ports_that_are_not_in_the_simulation_are_named(change, message):
    x = Integrator(0.0)
    simulation = pathsim.Simulation([x], [], log=False)
    with pytest.raises(cp.SetupError, match=message):
        adapter.subsystem(simulation, **{"outputs": {"x": x}, **change})


@needs_pathsim
def test_something_else_than_a_simulation_is_refused():
    with pytest.raises(cp.SetupError, match=r"list is not a pathsim\.Simulation"):
        adapter.subsystem([], outputs={})


@pytest.mark.parametrize("call", [adapter.inlet, lambda: adapter.subsystem(None, outputs={})])
def test_without_pathsim_the_command_that_installs_it_is_named(call, monkeypatch):
    def refuse(name, *arguments, find=builtins.__import__, **options):
        if name.partition(".")[0] == "pathsim":
            raise ImportError(name)
        return find(name, *arguments, **options)

    adapter._class.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(cp.MissingExtraError, match=r"pip install 'counterpoint\[pathsim\]'"):
        call()
