"""Models written by hand: the same motion as the same mechanism drawn, with every formulation."""

from types import MappingProxyType

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Formulation, HandWritten

from ..examples import double_pendulum

G = 9.81
FORMULATIONS = [
    Formulation(),
    Formulation(system="kkt"),
    Formulation(integrator="generalised-alpha"),
    Formulation(integrator="newmark", beta=0.3, gamma=0.6),
    Formulation("augmented-lagrangian"),
    Formulation("augmented-lagrangian", integrator="rk4"),
    Formulation("augmented-lagrangian", iteration="fixed-point"),
    Formulation("penalty", penalty=1e9),
    Formulation("penalty", penalty=1e7, integrator="rk4"),
    Formulation("penalty", penalty=1e7, integrator="rk2"),
]


class Double(HandWritten):
    """Two point masses on rods of 1 m and 0.7 m; constraints scaled as the mechanism scales its own."""

    name = "double"
    coordinates, equations = 4, 2
    position = (1.0, 0.0, 1.7, 0.0)
    constant_mass = True
    length = 1.7
    equation_names = ("upper", "lower")
    masses = np.array([2.0, 2.0, 1.5, 1.5])

    def mass(self, t, q):
        return np.diag(self.masses)

    def constraints(self, t, q):
        p, d = q[:2], q[2:] - q[:2]
        return [(p @ p - 1.0) / 2.0, (d @ d - 0.49) / 1.4]

    def jacobian(self, t, q):
        p, d = q[:2], q[2:] - q[:2]
        made = np.zeros((2, 4))
        made[0, :2] = p
        made[1, :2], made[1, 2:] = -d / 0.7, d / 0.7
        return made

    def forces(self, t, q, v, u):
        return self.masses * np.array([0.0, -G, 0.0, -G])

    def potential_energy(self, t, q):
        return G * (2.0 * q[1] + 1.5 * q[3])


class SparseDouble(Double):
    mass_pattern = ((3, 3), (0, 0), (1, 1), (2, 2))  # in an order of its own
    jacobian_pattern = ((0, 0), (0, 1), (1, 2), (1, 3), (1, 0), (1, 1))

    def mass(self, t, q):
        return [1.5, 2.0, 2.0, 1.5]

    def jacobian(self, t, q):
        d = (q[2:] - q[:2]) / 0.7
        return [q[0], q[1], d[0], d[1], -d[0], -d[1]]


def drawn():
    made = double_pendulum()
    made.points["P"].position = np.array([1.0, 0.0])
    made.points["R"].position = np.array([1.7, 0.0])
    return made


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: f"{f.name} {f.system} {f.integrator} {f.iteration}")
def test_a_model_written_by_hand_moves_as_the_mechanism_drawn(formulation):
    mechanism = drawn()
    mechanism.formulation = formulation
    expected = mechanism.run(until=1.0, step=1e-3)["double.q"].values
    actual = Double().run(until=1.0, step=1e-3, formulation=formulation)["double.q"].values
    # The same equations in another order of summation; the motion is not yet chaotic after 1 s.
    assert actual == pytest.approx(expected, abs=1e-8)


def test_sparse_and_dense_matrices_give_the_same_motion():
    dense, sparse = (kind().run(until=0.5, step=1e-3)["double.q"].values for kind in (Double, SparseDouble))
    assert sparse == pytest.approx(dense, abs=1e-10)


def test_energy_is_kept_and_shown():
    energy = Double().run(until=1.0, step=1e-3)["double.energy"].values
    assert np.ptp(energy) < 1e-4 * G


class Moved(HandWritten):
    """A mass of 1 kg that a constraint moves: x = 0.2 sin 3t; and a second one on a spring to it, with an input force."""

    name = "shaker"
    coordinates, equations = 2, 1
    inputs = MappingProxyType({"force": 0.0})
    constant_mass = True

    def mass(self, t, q):
        return np.eye(2)

    def constraints(self, t, q):
        return [q[0] - 0.2 * np.sin(3.0 * t)]

    def jacobian(self, t, q):
        return [[1.0, 0.0]]

    def velocity_terms(self, t, q):
        return [-0.6 * np.cos(3.0 * t)]

    def forces(self, t, q, v, u):
        pull = 100.0 * (q[1] - q[0])
        return [pull, u[0] - pull]

    def stiffness(self, t, q, v):
        return 100.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])


def test_constraints_may_depend_on_time_and_default_terms_follow():
    result = Moved().run(until=2.0, step=1e-3, outputs={"x": 0, "a": ("acceleration", 0), "shaking": ("reaction", 0)})
    t = result["shaker.x"].time
    assert result["shaker.x"].values == pytest.approx(0.2 * np.sin(3 * t), abs=1e-8)
    assert result["shaker.a"].values == pytest.approx(-1.8 * np.sin(3 * t), abs=1e-4)
    q = result["shaker.q"].values
    expected = -1.8 * np.sin(3 * t) - 100.0 * (q[:, 1] - q[:, 0])
    assert result["shaker.shaking"].values == pytest.approx(expected, abs=1e-3)


def test_an_input_drives_the_model_in_a_system():
    class Push(Moved):
        inputs = MappingProxyType({"force": 5.0})

    still = Push().run(until=0.1, step=1e-3)["shaker.q"].values[-1, 1]
    system = cp.System("pushed")
    system.add("source", cp.table([0.0, 1.0], [5.0, 5.0]))
    system.add("shaker", Moved().subsystem(), step=1e-3)
    system.connect("source.y", "shaker.force")
    assert system.run(until=0.1)["shaker.q"].values[-1, 1] == pytest.approx(still, abs=1e-9)


def test_a_stiff_force_converges_with_its_stiffness_written():
    assert Moved().has_tangent and Moved().rheonomic
    assert not Double().has_tangent and not Double().rheonomic


def test_modes_of_a_model_written_by_hand():
    class Hanging(Double):
        position = (0.0, -1.0, 0.0, -1.7)

    mass = np.array([[3.5, 1.05], [1.05, 0.735]])
    stiffness = np.diag([3.5 * G, 1.05 * G])
    expected = np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))
    assert 2 * np.pi * Hanging().modes().frequencies == pytest.approx(expected, rel=1e-9)


def test_an_estimate_is_made_to_fit_the_constraints():
    class Drawn(Double):
        position = (1.1, 0.1, 1.6, 0.0)

    q = Drawn().run(until=0.01, step=1e-3)["double.q"].values[0]
    assert np.linalg.norm(q[:2]) == pytest.approx(1.0, abs=1e-9)


def test_mistakes_are_named():
    class Short(Double):
        position = (1.0, 0.0)

    class Half(Double):
        mass_pattern = ((0, 0), (1, 1), (2, 2), (3, 3), (0, 1))

    with pytest.raises(cp.SetupError, match=r"double: position: has the shape \(2,\); expected \(4,\)"):
        Short().run(until=1, step=0.1)
    with pytest.raises(cp.SetupError, match="both triangles"):
        Half().run(until=1, step=0.1)
    with pytest.raises(cp.SetupError, match=r'output "x": 7; expected coordinates \(0 to 3\)'):
        Double().run(until=1, step=0.1, outputs={"x": 7})


def test_a_matrix_of_the_wrong_shape_is_named():
    class Wrong(Double):
        def jacobian(self, t, q):
            return np.zeros((2, 3))

    with pytest.raises((cp.CounterpointError, ValueError), match=r"jacobian has the shape \(2, 3\); expected \(2, 4\)"):
        Wrong().run(until=1, step=0.1)


def test_a_missing_method_is_named():
    class Empty(HandWritten):
        coordinates = 1

    with pytest.raises((cp.CounterpointError, NotImplementedError), match=r"Empty: (mass|forces)\(.*\) is missing"):
        Empty().run(until=1, step=0.1)
