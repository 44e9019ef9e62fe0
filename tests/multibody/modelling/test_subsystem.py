"""A mechanism among others: inputs, outputs, threads, repeatability, its own pace."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Formulation, Mechanism
from counterpoint.multibody.library import bricard, four_bar


def driven_rod(**options):
    """A rod of 1/3 kg m² on a hinge, without gravity, with a torque as its input."""
    mechanism = Mechanism("rod", dimension=2, gravity=(0, 0))
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.angle("phi", "rod")
    mechanism.actuator("motor", "phi", force="input:torque")
    mechanism.output("phi", "phi")
    mechanism.output("w", "phi", "velocity")
    mechanism.formulation = Formulation(**options)
    return mechanism


EVERY = [
    {},
    {"system": "kkt"},
    {"integrator": "hermite"},
    {"integrator": "generalised-alpha"},
    {"name": "penalty"},
    {"name": "penalty", "iteration": "fixed-point", "max_iterations": 100},
    {"name": "penalty", "integrator": "generalised-alpha"},
    {"name": "augmented-lagrangian"},
    {"name": "augmented-lagrangian", "integrator": "rk4"},
    {"name": "augmented-lagrangian", "integrator": "rk2"},
]


@pytest.mark.parametrize("options", EVERY, ids=lambda o: "-".join(str(v) for v in o.values()) or "default")
def test_a_torque_that_jumps_acts_from_its_instant_on(options):
    system = cp.System()
    system.add("source", cp.source(lambda t: 1.0 if t < 0.5 - 1e-9 else -1.0), step=0.1)
    system.add("rod", driven_rod(**options).subsystem(), step=0.01)
    system.connect("source.y", "rod.torque", cp.hold("behind"))
    result = system.run(until=1.0)
    # 3 rad/s² for half a second, then back: at rest after 0.75 rad. The step that ends at the jump sees the new value at its
    # end: half a step (0.03 rad/s) is lost by rules that look there, and nothing more.
    lost = 0.5 * 0.01 * 6.0
    assert -1.01 * lost < result["rod.w"].values[-1] < 1e-3
    assert result["rod.phi"].values[-1] == pytest.approx(0.75, abs=0.6 * lost)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_a_mechanism_and_a_controller_settle_together(scheme):
    mechanism = driven_rod(name="index-3")
    system = cp.System()
    system.add("rod", mechanism.subsystem(), step=1e-3)
    system.add(
        "spring",
        cp.linear([[0.0]], [[0.0, 0.0]], [[0.0]], [[-3.0, -2.0]], x0=[0.0], inputs=["phi", "w"], outputs="torque"),
        step=1e-3,
    )
    system.connect("rod.phi", "spring.phi", offset=-0.5)
    system.connect("rod.w", "spring.w")
    system.connect("spring.torque", "rod.torque")
    result = system.run(until=5.0, scheme=scheme)
    # phi'' = -9 (phi - 0.5) - 6 phi': critically damped, rate 3.
    t = result["rod.phi"].time
    exact = 0.5 - 0.5 * (1 + 3 * t) * np.exp(-3 * t)
    np.testing.assert_allclose(result["rod.phi"].values, exact, atol=5e-3)


def test_a_mechanism_pushes_another_through_forces():
    # Two masses, each a mechanism, joined by a spring that a third subsystem computes: reduced mass oscillator.
    def mass(name, x, kilograms):
        mechanism = Mechanism(name, dimension=2, gravity=(0, 0))
        mechanism.point("P", (x, 0))
        mechanism.point_mass("P", kilograms)
        mechanism.force("push", "P", ("input:force", 0.0))
        mechanism.displacement("x", "P", along=(1, 0))
        mechanism.output("x", "x")
        return mechanism.subsystem()

    system = cp.System()
    system.add("left", mass("left", 0.0, 1.0), step=1e-3)
    system.add("right", mass("right", 1.5, 3.0), step=1e-3)
    law = cp.linear(
        [[0.0]], [[0.0, 0.0]], [[0.0]], [[-30.0, 30.0]], x0=[0.0], inputs=["left", "right"], outputs="force"
    )
    system.add("spring", law, step=1e-3)
    system.connect("left.x", "spring.left", offset=1.0)
    system.connect("right.x", "spring.right")
    system.connect("spring.force", "left.force")
    system.connect("spring.force", "right.force", gain=-1.0)
    result = system.run(until=2.0)
    t = result["left.x"].time
    w = np.sqrt(30.0 * (1 + 1 / 3))
    stretch = result["right.x"].values - result["left.x"].values - 1.0
    np.testing.assert_allclose(stretch, 0.5 * np.cos(w * t), atol=2e-2)
    centre = (result["left.x"].values + 3 * result["right.x"].values) / 4
    np.testing.assert_allclose(centre, 1.125, atol=1e-2)


def test_an_input_that_nothing_drives_keeps_its_default():
    mechanism = driven_rod()
    mechanism.input("torque", 1.0 / 3.0)
    result = mechanism.run(until=1.0, step=1e-3)
    assert result["rod.phi"].values[-1] == pytest.approx(0.5, abs=1e-6)


def test_two_runs_of_one_mechanism_have_the_same_bits():
    mechanism = bricard()
    first, second = (mechanism.run(until=1.0, step=1e-3)["bricard.q"].values for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("options", EVERY[:5], ids=lambda o: "-".join(str(v) for v in o.values()) or "default")
def test_a_run_step_by_step_has_the_bits_of_a_run_at_once(options):
    def system():
        mechanism = four_bar(3)
        mechanism.spring("spring", between=("A0", "B1"), stiffness=100.0, damping=1.0)
        mechanism.formulation = Formulation(**{**options, "max_iterations": 100})
        made = cp.System()
        made.add("bar", mechanism.subsystem(), step=1e-3)
        return made

    at_once = system().run(until=0.5)["bar.q"].values
    run = system().start(until=0.5)
    for t in (0.1, 0.1005, 0.3, 0.5):
        run.step_to(t)
    assert np.array_equal(run.finish()["bar.q"].values, at_once)


def test_threads_do_not_change_a_bit():
    def result(threads):
        system = cp.System()
        for k in range(4):
            system.add(f"bar{k}", four_bar(k + 1).subsystem(), step=1e-3)
        return system.run(until=0.5, scheme="parallel", threads=threads)

    one, four = result(1), result(4)
    for k in range(4):
        assert np.array_equal(one[f"bar{k}.q"].values, four[f"bar{k}.q"].values)


def test_one_description_serves_several_runs_at_the_same_time():
    mechanism = four_bar(2)
    system = cp.System()
    for k in range(3):
        system.add(f"bar{k}", mechanism.subsystem(), step=1e-3)
    result = system.run(until=0.5, scheme="parallel", threads=3)
    alone = mechanism.run(until=0.5, step=1e-3)["four-bar.q"].values
    for k in range(3):
        assert np.array_equal(result[f"bar{k}.q"].values, alone)


@pytest.mark.parametrize("approximation", [None, cp.lagrange(2)])
def test_a_guided_mechanism_follows_another_subsystem(approximation):
    mechanism = Mechanism("crank", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.angle("phi", "rod")
    mechanism.guide("phi", "input:target")
    mechanism.output("phi", "phi")
    mechanism.output("torque", "guide:phi")
    system = cp.System()
    # phi'' = -4 phi from phi = 0.5 at rest.
    system.add(
        "plan",
        cp.linear([[0, 1], [-4, 0]], np.zeros((2, 0)), [[1, 0]], x0=[0.5, 0.0], inputs={}, outputs="phi"),
        step=1e-2,
    )
    mechanism.input("target", 0.5)
    system.add("crank", mechanism.subsystem(), step=1e-2)
    system.connect("plan.phi", "crank.target", approximation)
    result = system.run(until=10.0)
    t = result["crank.phi"].time
    np.testing.assert_allclose(result["crank.phi"].values, 0.5 * np.cos(2 * t), atol=1e-6)
    torque = result["crank.torque"].values
    exact = -2 * np.cos(2 * t) / 3 + 9.81 / 2 * np.cos(0.5 * np.cos(2 * t))
    np.testing.assert_allclose(torque[5:], exact[5:], atol=5e-2)


def test_outputs_carry_units():
    mechanism = driven_rod()
    mechanism.output("B", "B")
    mechanism.output("v", "B", "velocity")
    result = mechanism.run(until=0.01, step=1e-3)
    units = {name: result[f"rod.{name}"].unit for name in ("phi", "w", "B", "v", "energy", "violation")}
    assert units == {"phi": "rad", "w": "rad/s", "B": "m", "v": "m/s", "energy": "J", "violation": "m"}


def test_a_run_says_what_it_cost_and_how_well_constraints_were_kept():
    mechanism = four_bar(2)
    mechanism.run(until=0.5, step=1e-3)
    statistics = mechanism.assembled().statistics
    assert statistics["steps"] == 500
    assert 500 <= statistics["iterations"] < 520  # one is enough for nearly all steps
    assert statistics["worst_violation"] < 1e-10
    assert 0.0 <= statistics["worst_contraction"] < 1.0
    assert mechanism.assembled().solver  # to ask for it is no run
    assert mechanism.assembled().statistics == statistics
