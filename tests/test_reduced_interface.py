"""The reduced interface model: a mass that follows the force of the fast side between the steps of the slow one."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.two_mass.experiment import Case
from counterpoint.studies.two_mass.measures import Trajectory, measure


def two_masses(ratio, mass_error=0.0):
    """The two masses of González et al. (2010); the reduced model is the slow mass without its spring."""
    case = Case(ratio)
    p = case.problem()
    x1, x2 = p.start
    system = cp.System("two masses")
    fast = cp.linear(
        [[0, 1], [-(p.k1 + p.k2) / p.m1, 0]], [[0], [p.k2 / p.m1]], [[1, 0], [0, 1], [p.k2, 0]], [[0], [0], [-p.k2]],
        x0=[x1, 0], inputs="x2", outputs=["x1", "v1", "force"],
    )  # fmt: skip
    slow = cp.linear(
        [[0, 1], [-p.k3 / p.m2, 0]], [[0], [1 / p.m2]], [[1, 0], [0, 1], [-p.k3 / p.m2, 0]], x0=[x2, 0], inputs="f",
        outputs=["x", "v", "a"], solver="trapezoidal",
    )  # fmt: skip
    system.add("fast", fast, step=0.01)
    system.add("mass", cp.reduced_interface(p.m2 * (1.0 + mass_error), reset=case.slow_step, x0=x2), step=0.01)
    system.add("slow", slow, step=case.slow_step)
    for name in "xva":
        system.connect(f"slow.{name}", f"mass.{name}", cp.hold())
    system.connect("fast.force", "mass.force", cp.lagrange(2))
    system.connect("mass.x", "fast.x2", cp.lagrange(3))
    system.connect("fast.force", "slow.f", cp.mean("time-weighted"))
    return p, system


def errors(ratio, mass_error=0.0):
    problem, system = two_masses(ratio, mass_error)
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
    [((-1.0, 0.1), "expected a positive definite one"), ((1.0, 0.0), "expected the step of the slow side")],
)
def test_what_cannot_be_is_told(arguments, text):
    with pytest.raises(cp.SetupError, match=text):
        cp.reduced_interface(*arguments)
