import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism


def pair(left, right, step=0.01, **connection):
    system = cp.System("pair")
    system.add("left", left, step=step)
    system.add("right", right, step=step)
    system.connect("left.x", "right.u", **connection)
    system.connect("right.x", "left.u", **connection)
    return system


def mass(x0=0.0, **more):
    return cp.linear([[0, 1], [-15, -0.1]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x", **more)


def frequencies(system):
    return sorted({round(abs(pole.imag), 6) for pole in cp.linearise(system).coupled.poles})


def test_an_ode_is_linearised_where_it_starts_with_the_inputs_it_has_there():
    def cubic(t, x, u):
        return [x[1], -(x[0] ** 3) + u[0] ** 2]

    left = cp.ode(cubic, [2.0, 0.0], inputs="u", outputs="x", output=lambda t, x, u: [x[0]], solver="ode4")
    model = cp.linearise(pair(left, mass(3.0))).models["left"]
    np.testing.assert_allclose(model.A, [[0, 1], [-12, 0]], atol=1e-6)
    np.testing.assert_allclose(model.B, [[0], [6]], atol=1e-6)


def test_a_diagram_is_linearised_with_its_solver():
    diagram = cp.Diagram("lag", solver="ode3")
    x = diagram.integrator(name="x")
    _ = (5 * diagram.input("u") - 2 * x) >> x
    diagram.output("x", x)
    model = cp.linearise(pair(diagram, mass())).models["left"]
    assert model.solver == "ode3"
    np.testing.assert_allclose((model.A, model.B), ([[-2.0]], [[5.0]]), atol=1e-6)


def test_a_mechanism_is_linearised_with_its_integrator():
    pendulum = Mechanism("pendulum", dimension=2)
    pendulum.point("A", (0, 0), fixed=True)
    pendulum.point("B", (0, -1))
    pendulum.body("rod", points=["A", "B"], mass=1.0)
    pendulum.angle("swing", "rod")
    pendulum.output("x", "swing")
    pendulum.input("u")
    pendulum.force("push", "B", ("input:u", 0))
    model = cp.linearise(pair(pendulum, mass())).models["left"]
    assert model.solver == "newmark"
    assert sorted(abs(model.poles.imag)) == pytest.approx([np.sqrt(14.715)] * 2)
    found = cp.stability(pair(pendulum, mass()), "parallel")
    assert len(found.modes) == 4


def test_a_black_box_is_linearised_by_trying_its_steps():
    class Mass(cp.Subsystem):
        inputs, outputs = ("u",), ("x",)

        def start(self, t):
            self.x = np.array([0.3, 0.0])

        def step(self, t, t_end, u):
            force, h = u(t)[0], (t_end - t) / 50
            for _ in range(50):
                self.x = self.x + h * np.array([self.x[1], -15 * self.x[0] - 0.1 * self.x[1] + 5 * force])

        def output(self, t, u):
            return self.x[0]

    found = frequencies(pair(Mass(), mass()))
    assert found == pytest.approx(frequencies(pair(mass(), mass())), rel=3e-3)


def test_feedthrough_of_a_black_box_is_told_from_its_states():
    class Controller(cp.Subsystem):
        inputs, outputs, feedthrough = ("u",), ("x",), (("x", "u"),)

        def start(self, t):
            self.sum = 0.0

        def step(self, t, t_end, u):
            self.sum += 3.0 * (t_end - t) * u(t)[0]

        def output(self, t, u):
            return self.sum + 2.0 * u(t)[0]

    system = pair(Controller(), mass())
    model = cp.linearise(system).models["left"]
    assert model.D[0, 0] == pytest.approx(2.0)
    assert (model.C @ model.step_map[1])[0, 0] == pytest.approx(0.03)


def test_a_black_box_without_states_is_a_gain():
    """Its outputs follow its inputs at once: after the step in which an input was changed nothing is left of it."""

    class Gain(cp.Subsystem):
        inputs, outputs, feedthrough = ("u",), ("x",), (("x", "u"),)

        def start(self, t): ...
        def step(self, t, t_end, u): ...
        def output(self, t, u):
            return 0.5 * u(t)[0]

    system = pair(Gain(), mass())
    model = cp.linearise(system).models["left"]
    assert model.A.shape == (0, 0)
    assert model.D[0, 0] == pytest.approx(0.5)
    found = cp.stability(system, "parallel")
    assert [mode.frequency for mode in found.modes] == pytest.approx(
        [np.sqrt(15 - 5 * 0.5 - 0.05**2) / (2 * np.pi)] * 2
    )


def test_a_black_box_that_forgets_has_a_motion_that_ends_at_once():
    """A delay of two steps: both of its multipliers are 0."""

    class Delay(cp.Subsystem):
        inputs, outputs = ("u",), ("x",)

        def start(self, t):
            self.line = [0.0, 0.0]

        def step(self, t, t_end, u):
            self.line = [self.line[1], u(t)[0]]

        def output(self, t, u):
            return self.line[0]

    found = cp.stability(pair(Delay(), mass()), "parallel")
    assert not any(np.isnan(mode.deviation) for mode in found.modes)
    assert "nan" not in str(found)


def test_sampled_diagrams_are_known_by_their_steps():
    diagram = cp.Diagram("controller", solver="ode4")
    diagram.output("x", diagram.zero_order_hold(diagram.input("u"), sample_time=0.01))
    assert diagram.subsystem().linear_model is None
    model = cp.linearise(pair(diagram, mass())).models["left"]
    assert (model.A.shape, model.D[0, 0]) == ((0, 0), pytest.approx(1.0))


def test_units_are_converted_and_laws_differentiated():
    left = mass(1.0, units={"x": "mm", "u": "m"})
    right = mass(0.0, units={"x": "m", "u": "m"})
    system = cp.System("laws", convert=True)
    system.add("left", left, step=0.01)
    system.add("right", right, step=0.01)
    system.connect("left.x", "right.u")
    system.connect(["right.x", "left.x"], "left.u", law=lambda a, b: a * b, convert=False)
    gains = [c.gains for c in cp.linearise(system).connections]
    assert gains[0][0] == pytest.approx(1e-3)
    assert [float(gain[0, 0]) for gain in gains[1]] == pytest.approx([1.0, 0.0])


def test_a_linearised_system_runs_like_the_one_it_stands_for():
    system = pair(mass(1.0), mass())
    linear = cp.linearise(system).system({"left": [1.0, 0.0]})
    ours, theirs = (made.run(until=1.0, scheme="parallel")["right.x"].values for made in (system, linear))
    np.testing.assert_array_equal(ours, theirs)


def test_a_subsystem_without_a_step_needs_a_typical_one():
    system = cp.System()
    system.add("left", cp.ode(lambda t, x, u: [u[0] - x[0]], [0.0], inputs="u", outputs="x"))
    with pytest.raises(cp.SetupError, match=r"subsystems\.left: it chooses its own steps; pass typical"):
        cp.linearise(system)


class Cubic(cp.Subsystem):
    """x'' = -x³ + u by small Euler steps."""

    inputs, outputs = ("u",), ("x",)

    def start(self, t):
        self.x = np.array([2.0, 0.0])

    def step(self, t, t_end, u):
        force, h = u(t)[0], (t_end - t) / 50
        for _ in range(50):
            self.x = self.x + h * np.array([self.x[1], -(self.x[0] ** 3) - self.x[1] + force])

    def output(self, t, u):
        return self.x[0]


class SavedCubic(Cubic):
    def save(self):
        return self.x.copy()

    def restore(self, state):
        self.x = state.copy()


def cubic_ode():
    return cp.ode(
        lambda t, x, u: [x[1], -(x[0] ** 3) - x[1] + u[0]],
        [2.0, 0.0],
        inputs="u",
        outputs="x",
        output=lambda t, x, u: [x[0]],
        solver="ode4",
    )


def cubic_diagram():
    diagram = cp.Diagram("cubic", solver="ode4")
    v = diagram.integrator(name="v")
    x = diagram.integrator(v, initial=2.0, name="x")
    _ = (diagram.input("u") - x * x * x - v) >> v
    diagram.output("x", x)
    return diagram


@pytest.mark.parametrize("make", [cubic_ode, cubic_diagram, SavedCubic])
def test_a_system_is_linearised_where_a_run_is_at_a_time(make):
    system = pair(make(), mass(), step=0.005)
    there = system.run(until=0.5)["left.x"].values[-1]
    model = cp.linearise(system, at=0.5).models["left"]
    expected = np.roots([1.0, 1.0, 3.0 * there**2])
    tolerance = 0.2 if make is SavedCubic else 1e-3  # it moves while it is tried
    np.testing.assert_allclose(sorted(model.poles.imag)[-1], max(expected.imag), rtol=tolerance)


def test_a_mechanism_is_linearised_where_a_run_is_at_a_time():
    pendulum = Mechanism("pendulum", dimension=2)
    pendulum.point("A", (0, 0), fixed=True)
    pendulum.point("B", (1, 0))
    pendulum.body("rod", points=["A", "B"], mass=1.0)
    pendulum.angle("swing", "rod")
    pendulum.output("x", "swing")
    system = cp.System()
    system.add("pendulum", pendulum, step=0.001)
    state = pendulum.state(system.run(until=0.4), 0.3)
    model = cp.linearise(system, at=0.3).models["pendulum"]
    assert np.linalg.det(model.A) == pytest.approx(np.linalg.det(pendulum.linearise(state).A), rel=1e-3)


def test_a_model_that_cannot_save_is_linearised_at_the_start_only():
    with pytest.raises(cp.SetupError, match=r"subsystems\.left: it cannot save its state"):
        cp.linearise(pair(Cubic(), mass()), at=0.1)
