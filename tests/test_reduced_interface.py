"""The reduced interface model: a mass that follows the force of the fast side between the steps of the slow one."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.two_mass.experiment import Case
from counterpoint.studies.two_mass.measures import Trajectory, measure


def two_masses(ratio, mass_error=0.0, includes_force=False):
    """The two masses of González et al. (2010); the reduced model is the slow mass without its spring.

    ``includes_force``: the slow side publishes its whole acceleration.
    """
    case = Case(ratio)
    p = case.problem()
    x1, x2 = p.start
    system = cp.System("two masses")
    fast = cp.linear(
        [[0, 1], [-(p.k1 + p.k2) / p.m1, 0]], [[0], [p.k2 / p.m1]], [[1, 0], [0, 1], [p.k2, 0]], [[0], [0], [-p.k2]],
        x0=[x1, 0], inputs="x2", outputs=["x1", "v1", "force"],
    )  # fmt: skip
    slow = cp.linear(
        [[0, 1], [-p.k3 / p.m2, 0]], [[0], [1 / p.m2]], [[1, 0], [0, 1], [-p.k3 / p.m2, 0]],
        [[0], [0], [1 / p.m2 if includes_force else 0]], x0=[x2, 0], inputs="f", outputs=["x", "v", "a"],
        solver="trapezoidal",
    )  # fmt: skip
    system.add("fast", fast, step=0.01)
    mass = p.m2 * (1.0 + mass_error)
    reduced = cp.reduced_interface(mass, reset=case.slow_step, x0=x2, includes_force=includes_force)
    system.add("mass", reduced, step=0.01)
    system.add("slow", slow, step=case.slow_step)
    for name in "xva":
        system.connect(f"slow.{name}", f"mass.{name}", cp.hold())
    system.connect("fast.force", "mass.force", cp.lagrange(2))
    system.connect("mass.x", "fast.x2", cp.lagrange(3))
    system.connect("fast.force", "slow.f", cp.mean("time-weighted"))
    return p, system


def errors(ratio, mass_error=0.0, includes_force=False):
    problem, system = two_masses(ratio, mass_error, includes_force)
    result = system.run(until=100.0, scheme=cp.custom({"slow": ["mass", "fast"], "fast": ["mass"]}))
    x1, v1, x2, v2 = (result[name] for name in ("fast.x1", "fast.v1", "slow.x", "slow.v"))
    return measure(problem, Trajectory(x1.time, x1.values, v1.values, x2.time, x2.values, v2.values))


@pytest.mark.parametrize(("ratio", "expected"), [(10, 1.31e-3), (20, 4.32e-3), (40, 2.06e-2)])
def test_errors_of_position_are_those_of_an_independent_program(ratio, expected):
    """Smaller than those of every polynomial: 1.59e-3, 6.35e-3 and 4.46e-2."""
    found = errors(ratio)
    assert found.dx == pytest.approx(expected, rel=0.01)
    assert found.amplitude < 1.0  # the reset damps the fast motion


def test_ten_per_cent_more_mass_change_little():
    assert errors(10, 0.1).dx == pytest.approx(errors(10).dx, rel=0.15)


@pytest.mark.parametrize("ratio", [10, 20])
def test_accelerations_may_include_the_force(ratio):
    """Its mean over the last slow step is taken out."""
    assert errors(ratio, includes_force=True).dx == pytest.approx(errors(ratio).dx, rel=0.1)


def crane():
    """A trolley on rails with a load on a rope; a force pushes the trolley."""
    from counterpoint.multibody import Mechanism

    made = Mechanism("crane", dimension=2)
    made.point("F", (0, 0), fixed=True)
    made.point("C", (0, 0))
    made.point("L", (0.3, -1.47))
    made.point_mass("C", 4.0)
    made.point_mass("L", 6.0)
    made.distance_constraint("rope", "C", "L")
    made.on_line("rail", "C", through="F", axis=(1, 0))
    made.displacement("x", "C", along=(1, 0))
    made.input("f")
    made.force("push", "C", ("input:f", 0))
    for name, motion in (("x", "position"), ("v", "velocity"), ("a", "acceleration")):
        made.output(name, "x", motion=motion)
    return made


def tool(mass, frequency):
    """A small mass on a spring and a damper between it and the trolley."""
    k, c = mass * (2.0 * np.pi * frequency) ** 2, 0.04 * np.pi * mass * frequency
    return cp.linear(
        [[0, 1], [-k / mass, -c / mass]], [[0, 0], [k / mass, c / mass]], [[k, c], [1, 0]], [[-k, -c], [0, 0]],
        x0=[0.03, 0], inputs=["x", "v"], outputs=["F", "q"],
    )  # fmt: skip


def coupled_crane(slow_step, fast_step, reduced):
    slow = crane()
    system = cp.System("crane")
    mass = cp.interface_mass(slow, "f", "a")
    system.add("slow", slow, step=slow_step)
    system.add("fast", tool(0.05 * float(mass[0, 0]), 8.0), step=fast_step)
    system.connect("fast.F", "slow.f", cp.mean("time-weighted") if slow_step > fast_step else cp.lagrange(3))
    if reduced:
        system.add("mass", cp.reduced_interface(mass, slow_step, includes_force=True), step=fast_step)
        for name in "xva":
            system.connect(f"slow.{name}", f"mass.{name}", cp.hold())
        system.connect("fast.F", "mass.force", cp.lagrange(2))
    for name in "xv":
        system.connect(f"{'mass' if reduced else 'slow'}.{name}", f"fast.{name}", cp.lagrange(3))
    return system


def test_a_tool_on_a_crane_follows_the_whole_with_order_two():
    """With polynomials of order 3 the error at the longest step is 10 times as large."""
    fine = coupled_crane(5e-4, 5e-4, reduced=False)
    exact = fine.run(until=1.0, scheme="parallel", window=cp.window(5e-4, 20, 1e-10), check="off")["fast.q"]

    def error(slow_step, scheme, reduced):
        q = coupled_crane(slow_step, 1e-3, reduced).run(until=1.0, scheme=scheme, check="off")["fast.q"]
        return np.max(np.abs(q.values - np.interp(q.time, exact.time, exact.values)))

    waits = cp.custom({"slow": ["mass", "fast"], "fast": ["mass"]})
    found = [error(step, waits, True) for step in (0.04, 0.02, 0.01)]
    assert found[0] < 0.15 * error(0.04, "fastest-first", False)
    assert found[0] / found[2] > 8.0


def test_directions_may_be_the_components_of_vectors():
    from counterpoint.multibody import Mechanism

    free = Mechanism("free", dimension=2)
    free.point("A", (1, 2))
    free.point_mass("A", 3.0)
    for axis in "xy":
        free.input(f"f{axis}")
    free.force("hand", "A", ("input:fx", "input:fy"))
    free.output("a", "A", motion="acceleration")
    expected = pytest.approx(np.array([[3.0, 0.0], [0.0, 3.0]]))
    for model in (free, free.linearise()):
        assert cp.interface_mass(model, ["fx", "fy"], "a") == expected
        assert cp.interface_mass(model, ["fx", "fy"], ["a[0]", "a[1]"]) == expected
    assert cp.interface_mass(free, "fy", "a[1]") == pytest.approx(np.array([[3.0]]))
    with pytest.raises(cp.SetupError, match="1 forces and 2 accelerations"):
        cp.interface_mass(free, "fx", "a")


def test_accelerations_of_the_last_step_of_an_fmu_tell_nothing(tmp_path):
    path = tmp_path / "crane.fmu"
    cp.export_fmu(crane(), path, step=0.01)
    model = cp.fmu(path)
    system = cp.System()
    system.add("crane", model, step=0.01)
    with system.start(until=1.0), pytest.raises(cp.SetupError, match="take the mass from the mechanism itself"):
        cp.interface_mass(model, "f", "a")


def test_the_reset_may_have_a_unit():
    one, other = (cp.reduced_interface(2.0, reset=given) for given in ("10 ms", 0.01))
    assert one._reset == other._reset


def test_the_state_can_be_saved():
    """Windows restore it, though they are not meant for it."""
    model = cp.reduced_interface(2.0, reset=0.1)
    model.start(0.0)
    state = model.save()
    model.step(0.0, 0.1, lambda t: [1.0, 2.0, 3.0, 4.0])
    assert list(model.output(0.1, None)) == pytest.approx([1.0 + 0.2 + 0.5 * 0.01 * 5.0, 2.0 + 0.1 * 5.0])
    model.restore(state)
    assert list(model.output(0.0, None)) == [0.0, 0.0]


def test_several_directions_are_vectors():
    model = cp.reduced_interface([[2.0, 0.5], [0.5, 1.0]], reset=1.0, x0=[1.0, 2.0])
    assert model.input_widths == {"x": 2, "v": 2, "a": 2, "force": 2}
    model.start(0.0)
    model.step(0.0, 0.1, lambda t: [1, 2, 0, 0, 0, 0, 1, 0])
    acceleration = np.linalg.solve([[2.0, 0.5], [0.5, 1.0]], [1.0, 0.0])
    assert list(model.output(0.1, None)) == pytest.approx([*([1, 2] + 0.005 * acceleration), *(0.1 * acceleration)])


def test_the_mass_at_the_tip_of_a_pendulum_is_that_across_its_rod():
    from counterpoint.multibody import Mechanism

    pendulum = Mechanism("pendulum", dimension=2)
    pendulum.point("O", (0, 0), fixed=True)
    pendulum.point("A", (0, -2))
    pendulum.point_mass("A", 3.0)
    pendulum.distance_constraint("rod", "O", "A", 2.0)
    pendulum.displacement("x", "A", along=(1, 0))
    pendulum.displacement("y", "A", along=(0, 1))
    for axis in "xy":
        pendulum.input(f"force_{axis}")
        pendulum.output(f"a{axis}", axis, motion="acceleration")
    pendulum.force("hand", "A", ("input:force_x", "input:force_y"))
    near = pendulum.linearise(outputs=["ax", "ay"])
    assert cp.interface_mass(near, "force_x", "ax") == pytest.approx(np.array([[3.0]]))
    assert cp.interface_mass(pendulum, "force_x", "ax") == pytest.approx(np.array([[3.0]]))
    with pytest.raises(cp.SetupError, match="expected a mechanism, its linear model or an FMU in a run"):
        cp.interface_mass(3.0, "force_x", "ax")
    with pytest.raises(cp.SetupError, match="do not move ax, ay in all directions"):
        cp.interface_mass(near, ["force_x", "force_y"], ["ax", "ay"])
    with pytest.raises(cp.SetupError, match='no output "bx"'):
        cp.interface_mass(near, "force_x", "bx")


def test_the_mass_of_an_fmu_comes_from_its_directional_derivatives(tmp_path):
    path = tmp_path / "cart.fmu"
    cart = cp.linear(
        [[0, 1], [-2, 0]], [[0], [0.25]], [[1, 0], [-2, 0]], [[0], [0.25]], x0=[1, 0], inputs="f", outputs=["x", "a"]
    )
    cp.export_fmu(cart, path, step=0.01)
    model = cp.fmu(path)
    assert model.interface.provides_directional_derivatives
    system = cp.System()
    system.add("cart", model, step=0.01)
    with system.start(until=1.0) as run:
        run.step_to(0.1)
        assert cp.interface_mass(model, "f", "a") == pytest.approx(np.array([[4.0]]))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((-1.0, 0.1), "expected a positive definite one"),
        ((1.0, 0.0), "expected the step of the slow side"),
        ((1.0, "0.1 kg"), r"reduced_interface\.reset"),
        (("heavy", 0.1), "expected a positive number or a square matrix"),
        (([[1.0, 0.5], [0.2, 1.0]], 0.1), "expected a symmetric matrix"),
        ((1.0, 0.1, [1.0, 2.0]), r"reduced_interface\.x0: \[1.0, 2.0\]; expected a number"),
        ((1.0, 0.1, 0.0, np.nan), r"reduced_interface\.v0: nan; expected a number"),
        ((np.eye(2), 0.1, "left"), "x0: 'left'; expected a number, or one for each of 2 directions"),
    ],
)
def test_what_cannot_be_is_told(arguments, text):
    with pytest.raises(cp.SetupError, match=text):
        cp.reduced_interface(*arguments)
