"""Formulations, integrators, systems and solvers: their orders, that they agree, and where they fail as known."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from counterpoint import SetupError, SimulationError, System, _core
from counterpoint.fmi import export_fmu
from counterpoint.multibody import Formulation, Mechanism
from counterpoint.multibody.library import four_bar, pendulum
from counterpoint.studies.coupling_techniques.linkage import coupled, drive, linkage


def end_of(mechanism, step, until=0.4, **options):
    """B0 at the end of a run."""
    mechanism.formulation = Formulation(**options)
    return mechanism.run(until=until, step=step)["four-bar.B0"].values[-1]


def order(steps, until=0.4, loops=2, **options):
    """Observed order from three runs, each with half the step of the one before."""
    values = [end_of(four_bar(loops), h, until, **options) for h in steps]
    differences = [np.linalg.norm(b - a) for a, b in itertools.pairwise(values)]
    return np.log2(differences[0] / differences[1])


ORDERS = [
    ({"integrator": "trapezoidal"}, 2),
    ({"integrator": "trapezoidal", "system": "kkt"}, 2),
    ({"integrator": "hermite"}, 4),
    ({"integrator": "hermite", "system": "kkt"}, 4),
    ({"integrator": "newmark", "beta": 0.3025, "gamma": 0.6}, 1),
    ({"integrator": "generalised-alpha", "spectral_radius": 0.5}, 2),
    ({"name": "augmented-lagrangian", "integrator": "rk2"}, 2),
    ({"name": "augmented-lagrangian", "integrator": "rk4"}, 4),
    ({"name": "penalty", "integrator": "rk2", "penalty": 1e7}, 2),
    ({"name": "penalty", "integrator": "rk4", "penalty": 1e7}, 4),
    ({"name": "augmented-lagrangian", "integrator": "trapezoidal"}, 2),
    ({"name": "penalty", "integrator": "trapezoidal"}, 2),
    ({"name": "penalty", "integrator": "trapezoidal", "iteration": "fixed-point", "max_iterations": 100}, 2),
    ({"name": "penalty", "integrator": "generalised-alpha"}, 2),
]


def label(options):
    return "-".join(str(v) for v in options.values())


@pytest.mark.parametrize(("options", "expected"), ORDERS, ids=lambda x: label(x) if isinstance(x, dict) else "")
def test_a_closed_loop_is_integrated_with_the_order_of_the_rule(options, expected):
    assert order((8e-3, 4e-3, 2e-3), **options) == pytest.approx(expected, abs=0.25)


def sprung_four_bar(**options):
    mechanism = four_bar(1)
    mechanism.spring("spring", between=("A0", "B1"), stiffness=50.0, damping=1.0)
    mechanism.formulation = Formulation(**options)
    return mechanism


def test_hermites_rule_is_of_order_2_where_springs_act():
    ends = [
        sprung_four_bar(integrator="hermite").run(until=0.4, step=h)["four-bar.B0"].values[-1]
        for h in (8e-3, 4e-3, 2e-3)
    ]
    differences = [np.linalg.norm(b - a) for a, b in itertools.pairwise(ends)]
    assert np.log2(differences[0] / differences[1]) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("integrator", ["trapezoidal", "newmark"])
def test_repeated_substitution_finds_what_newtons_method_finds(integrator):
    options = {"name": "augmented-lagrangian", "integrator": integrator, "tolerance": 1e-13, "max_iterations": 100}
    newton = end_of(four_bar(2), 1e-3, **options)
    substituted = end_of(four_bar(2), 1e-3, iteration="fixed-point", **options)
    np.testing.assert_allclose(newton, substituted, atol=1e-9)


@pytest.mark.parametrize("integrator", ["trapezoidal", "hermite", "generalised-alpha"])
def test_condensed_and_kkt_form_are_the_same_step(integrator):
    condensed = end_of(four_bar(5), 1e-3, 1.0, integrator=integrator)
    kkt = end_of(four_bar(5), 1e-3, 1.0, integrator=integrator, system="kkt")
    np.testing.assert_allclose(condensed, kkt, atol=1e-8)


KLU = ("klu", "klu-factor") if _core.multibody.has_klu() else ()
KKT = ("static-ldlt", "static-lu", "sparse-ldlt", "sparse-lu", "dense-ldlt", "dense-lu", *KLU)
SOLVERS = {"condensed": (*KKT, "dense-llt", "auto"), "kkt": KKT}


@pytest.mark.parametrize("system", SOLVERS)
def test_all_linear_solvers_give_the_same_motion(system):
    ends = {solver: end_of(four_bar(5), 2e-3, 1.0, solver=solver, system=system) for solver in SOLVERS[system]}
    for solver, end in ends.items():
        # Rounding only; the condensed matrix has a condition of 1e7.
        np.testing.assert_allclose(end, ends["dense-lu"], atol=1e-8, err_msg=solver)


def test_klu_is_refused_with_what_to_install_where_the_build_has_none(monkeypatch):
    monkeypatch.setattr(_core.multibody, "has_klu", lambda: False)
    with pytest.raises(SetupError, match=r'solver "klu" is not in this build.*libsuitesparse-dev'):
        Formulation(solver="klu")


@pytest.mark.parametrize(
    "name", ["umfpack", "pardiso", "superlu", "cholmod", "lapack", "wsmp", "mkl", "MKL", "Pardiso"]
)
def test_solvers_that_are_measured_only_are_named_with_what_to_install(name):
    with pytest.raises(
        SetupError, match=rf'solver "{name}" is not a solver for simulations.*study linear-algebra.*pip install'
    ):
        Formulation(solver=name)


def test_solvers_in_capitals_are_suggested_as_they_are_written():
    with pytest.raises(SetupError, match='solver "KLU"; did you mean "klu"'):
        Formulation(solver="KLU")


def test_newmarks_rule_is_refused_where_it_makes_energy():
    with pytest.raises(SetupError, match=r"gamma 0.4; expected a number of at least 0.5: .* energy"):
        Formulation(integrator="newmark", gamma=0.4)


def test_llt_is_refused_for_matrices_that_are_not_positive_definite():
    with pytest.raises(SetupError, match='"dense-llt" needs a positive definite matrix'):
        Formulation(solver="dense-llt", system="kkt")


def stiff_pendulum(**options):
    """A heavy pendulum whose bar is a very stiff spring, a little stretched: fast vibration on slow swinging."""
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1.001, 0))
    mechanism.point_mass("B", 1.0)
    mechanism.spring("bar", between=("A", "B"), stiffness=1e6, natural=1.0)
    mechanism.distance("l", "A", "B")
    mechanism.output("l", "l")
    mechanism.formulation = Formulation(**options)
    return mechanism.run(until=1.0, step=1e-2)["m.l"].values - 1.0


@pytest.mark.parametrize("name", ["index-3", "penalty"])
def test_generalised_alpha_damps_what_the_step_cannot_resolve(name):
    # w h = 10: the trapezoidal rule keeps the vibration, a spectral radius of 0.5 takes it away within some steps.
    assert np.abs(stiff_pendulum(name=name)[-20:]).max() > 5e-4
    assert np.abs(stiff_pendulum(name=name, integrator="generalised-alpha", spectral_radius=0.5)[-20:]).max() < 1e-4


def test_generalised_alpha_with_radius_1_keeps_energy():
    mechanism = four_bar(1)
    mechanism.formulation = Formulation(integrator="generalised-alpha", spectral_radius=1.0)
    energy = mechanism.run(until=0.4, step=1e-3)["four-bar.energy"].values
    assert np.ptp(energy) < 1e-4


PRINTED = {"printed": True, "penalty": 1e8}


def test_the_printed_variant_works_with_one_loop():
    result = four_bar(1)
    result.formulation = Formulation(**PRINTED)
    end = result.run(until=2.0, step=1e-3)["four-bar.B0"].values[-1]
    good = end_of(four_bar(1), 1e-3, 2.0)
    np.testing.assert_allclose(end, good, atol=2e-3)


@pytest.mark.parametrize("loops", [10, 20, 40])
def test_the_printed_variant_is_unstable_with_many_loops(loops):
    # kappa = h²/4 alpha sigma² falls below 7: multipliers that are carried over grow from step to step.
    mechanism = four_bar(loops)
    mechanism.output("B0", "B0")
    mechanism.formulation = Formulation(**PRINTED)
    with pytest.raises(SimulationError, match=r"iteration.*raise the penalty, or leave out printed"):
        mechanism.run(until=20.0, step=1e-3)


def cranks_angle(loops, until):
    """B0 from the angle of the cranks alone: ((L+1)/3 + L) θ″ = -g ((L+1)/2 + L) cos θ."""
    factor = 9.81 * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    found = solve_ivp(
        lambda _, y: [y[1], -factor * np.cos(y[0])], (0.0, until), [np.pi / 2, -1.0], method="DOP853", rtol=1e-11,
        atol=1e-12,
    )  # fmt: skip
    return np.array([np.cos(found.y[0, -1]), np.sin(found.y[0, -1])])


HOLDS = [
    *({"name": name, "integrator": integrator}
      for name in ("augmented-lagrangian", "penalty")
      for integrator in ("trapezoidal", "generalised-alpha", "rk2", "rk4")),
    {"name": "penalty", "iteration": "fixed-point"},
    {"name": "augmented-lagrangian", "iteration": "fixed-point"},
    {"name": "augmented-lagrangian", "system": "kkt"},
    {"penalty": 1e8},
    {"penalty": 1e8, "carry_multipliers": False, "system": "kkt"},
]  # fmt: skip


@pytest.mark.parametrize("loops", [1, 10, 40])
@pytest.mark.parametrize("options", HOLDS, ids=label)
def test_every_formulation_passes_the_singular_positions_of_the_benchmark(options, loops):
    mechanism = four_bar(loops)
    mechanism.formulation = Formulation(**options)
    mechanism.standard_outputs = ()
    mechanism.output("B0", "B0")
    end = mechanism.run(until=20.0, step=1e-3)["four-bar.B0"].values[-1]
    np.testing.assert_allclose(end, cranks_angle(loops, 20.0), atol=1e-2)


def parallelogram(loops, crank, coupler, masses, speed):
    """Cranks and couplers of other lengths and masses than those of the benchmark."""
    made = Mechanism("linkage", dimension=2)
    for k in range(loops + 1):
        made.point(f"A{k}", (coupler * k, 0), fixed=True)
        made.point(f"B{k}", (coupler * k, crank), velocity=(speed, 0))
        made.body(f"crank{k}", points=[f"A{k}", f"B{k}"], mass=masses[0])
    for k in range(loops):
        made.body(f"coupler{k}", points=[f"B{k}", f"B{k + 1}"], mass=masses[1])
    made.output("tip", "B0")
    return made


def folding_slider_crank():
    """Crank and rod of equal length: where they stand upright, the slider is free to stay where it is."""
    made = Mechanism("linkage", dimension=2, gravity=(0, 0))
    a = np.array([0.5 * np.cos(0.8), 0.5 * np.sin(0.8)])
    made.point("O", (0, 0), fixed=True)
    made.point("A", a, velocity=(-4 * a[1], 4 * a[0]))
    made.point("P", (2 * a[0], 0))
    made.point("Q", (2 * a[0] + 0.1, 0))
    made.body("crank", points=["O", "A"], mass=1.0)
    made.body("rod", points=["A", "P"], mass=1.0)
    made.body("slider", points=["P", "Q"], mass=1.0)
    made.joint("guide", "prismatic", "ground", "slider", at="P", axis=(1, 0))
    made.output("tip", "A")
    return made


FOLDING = {
    "one loop": (lambda: parallelogram(1, 0.3, 1.7, (2.0, 0.5), 2.0), 1e-3),
    "three loops": (lambda: parallelogram(3, 0.5, 0.8, (1.0, 3.0), 2.0), 1e-3),
    "slider-crank": (folding_slider_crank, 2e-3),
}
IMPLICIT = [
    {"name": name, **more}
    for name in ("augmented-lagrangian", "penalty")
    for more in ({}, {"integrator": "generalised-alpha"}, {"iteration": "fixed-point"}, {"system": "kkt"})
]


# The iteration found other roots than the one with which the motion goes on: their energy was up to a thousand times that
# of the start, and nothing said so.
@pytest.mark.parametrize("which", FOLDING)
@pytest.mark.parametrize("options", IMPLICIT, ids=label)
def test_implicit_index_1_formulations_go_on_through_singular_positions(options, which):
    make, step = FOLDING[which]
    exact = make()
    exact.formulation = Formulation(integrator="hermite")
    expected = exact.run(until=20.0, step=step / 4)["linkage.tip"].values[::4]
    mechanism = make()
    mechanism.formulation = Formulation(**options)
    result = mechanism.run(until=20.0, step=step)
    energy = result["linkage.kinetic_energy"].values
    assert np.ptp(result["linkage.energy"].values) < 2e-3 * energy.max()
    np.testing.assert_allclose(result["linkage.tip"].values, expected, atol=1e-2)


def test_a_step_without_a_solution_that_goes_on_is_an_error():
    mechanism = parallelogram(2, 0.42, 0.52, (4.0, 4.6), 8.0)
    mechanism.formulation = Formulation("penalty")
    told = r"(all solutions of the step change the energy|takes .* % of the energy away).*smaller step.*index-3"
    with pytest.raises(SimulationError, match=told):
        mechanism.run(until=10.0, step=8e-3)


def test_statistics_count_factorisations_and_softened_steps_of_every_formulation():
    mechanism = FOLDING["three loops"][0]()
    mechanism.formulation = Formulation("penalty")
    mechanism.run(until=5.0, step=1e-3)
    found = mechanism.assembled().statistics
    assert found["factorisations"] >= found["iterations"] >= found["steps"] == 5000
    assert 0 < found["softened_steps"] < 50


def test_a_run_that_leaves_its_constraints_is_ended_and_told():
    mechanism = four_bar(10)
    mechanism.formulation = Formulation("penalty", integrator="rk4", project_velocities=False)
    with pytest.raises(SimulationError, match=r"constraints are violated by more than .*index-3"):
        mechanism.run(until=20.0, step=1e-3)


def test_the_printed_variant_with_a_larger_penalty_passes_where_the_smaller_fails():
    mechanism = four_bar(20)
    mechanism.output("B0", "B0")
    mechanism.formulation = Formulation(printed=True, penalty=1e10, tolerance=1e-8)
    result = mechanism.run(until=5.0, step=1e-3)
    assert np.abs(np.linalg.norm(result["four-bar.B0"].values, axis=1) - 1.0).max() < 1e-6


def drift(**options):
    mechanism = pendulum()
    mechanism.formulation = Formulation(name="augmented-lagrangian", integrator="rk4", **options)
    violation = mechanism.run(until=50.0, step=1e-2)["pendulum.violation"].values
    return violation[:2500].max(), violation[2500:].max()


def test_baumgartes_terms_keep_constraints_from_drifting():
    early, late = drift(natural_frequency=0.0)
    assert late > 3 * early > 1e-4
    early, late = drift(natural_frequency=10.0)
    assert late < 1.01 * early < 1e-6


def test_penalty_leaves_a_violation_that_shrinks_with_it():
    def violation(penalty):
        mechanism = four_bar(1)
        mechanism.formulation = Formulation(name="penalty", integrator="rk4", penalty=penalty, project_velocities=False)
        return mechanism.run(until=0.5, step=1e-3)["four-bar.violation"].values.max()

    # Phi'' + 2 xi w Phi' + w² Phi = lambda / alpha.
    assert violation(1e6) / violation(1e8) == pytest.approx(100.0, rel=0.2)


@pytest.mark.parametrize(
    "options", [{}, {"project_accelerations": False}, {"carry_multipliers": True, "system": "kkt"}]
)
def test_variants_of_the_index_3_step_agree(options):
    np.testing.assert_allclose(end_of(four_bar(1), 1e-3, **options), end_of(four_bar(1), 1e-3), atol=1e-5)


COUNTED = [
    {},
    {"name": "penalty"},
    {"name": "augmented-lagrangian", "integrator": "generalised-alpha"},
    {"name": "penalty", "iteration": "fixed-point"},
]


@pytest.mark.parametrize("options", COUNTED, ids=label)
def test_a_given_number_of_iterations_is_done(options):
    once = end_of(four_bar(1), 1e-3, fixed_iterations=1, **options)
    often = end_of(four_bar(1), 1e-3, fixed_iterations=5, **options)
    np.testing.assert_allclose(once, often, atol=1e-6 if not options else 1e-3)
    assert not np.array_equal(once, often)


def test_a_number_of_iterations_is_refused_where_there_are_none():
    with pytest.raises(SetupError, match='fixed_iterations = 2 with integrator "rk4"'):
        Formulation("penalty", integrator="rk4", fixed_iterations=2)


# With a penalty that had been raised in one singular position and stayed high, these did not converge in a later one.
@pytest.mark.parametrize("loops", [5, 20, 60])
def test_steps_that_end_next_to_a_singular_position_converge_with_the_defaults(loops):
    result = coupled(linkage(loops), drive()).run(until=30.0)
    radius = np.hypot(result["linkage.x"].values, result["linkage.y"].values)
    np.testing.assert_allclose(radius, 1.0, atol=1e-8)


def hung_on_a_light_point(light, **options):
    """1 kg on a massless bar of 1 m below a light point, which is shaken along a line."""
    made = Mechanism("hung", dimension=2)
    made.formulation = Formulation(**options)
    made.point("G", (0, 0), fixed=True)
    made.point("A", (0, 0))
    made.point("B", (0, -1))
    made.point_mass("A", light)
    made.point_mass("B", 1.0)
    made.on_line("rail", "A", through="G", axis=(1, 0))
    made.distance_constraint("bar", "A", "B")
    made.displacement("x", "A", along=(1, 0))
    made.guide("x", {"sine": {"amplitude": 0.1, "frequency": 1.0}})
    made.output("push", "guide:x")
    made.output("bar", "bar")
    return made


def pendulum_on_a_shaken_pivot(times):
    """Angle from the vertical and pull of the bar, N: theta'' = -g sin theta - x'' cos theta, from rest of B."""
    shaken = 2 * np.pi
    acceleration = lambda t: -0.1 * shaken**2 * np.sin(shaken * t)  # noqa: E731
    solution = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.sin(y[0]) - acceleration(t) * np.cos(y[0])],
        (0.0, times[-1]), [0.0, -0.1 * shaken], method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    angle, rate = solution.y
    return angle, rate**2 + 9.81 * np.cos(angle) - acceleration(times) * np.sin(angle)


@pytest.mark.parametrize("options", [{}, {"integrator": "hermite"}, {"system": "kkt"}])
@pytest.mark.parametrize("light", [1e-3, 1e-6, 1e-9, 1e-12])
def test_reactions_at_a_light_point_are_those_of_its_heavy_neighbour(light, options):
    result = hung_on_a_light_point(light, **options).run(until=1.0, step=1e-3)
    angle, pull = pendulum_on_a_shaken_pivot(result["hung.bar"].time)
    push = -pull * np.sin(angle)
    # 1e-5 is the error of the trapezoidal rule; the light point takes at most 4 m/s^2 for itself.
    np.testing.assert_allclose(np.abs(result["hung.bar"].values), pull, rtol=1e-4)
    np.testing.assert_allclose(result["hung.push"].values, push, atol=1e-4 + 4 * light)


def test_a_light_point_does_not_soften_constraints_elsewhere():
    alone = four_bar(2)
    beside = four_bar(2)
    beside.point("H", (0, 5), fixed=True)
    beside.point("L", (1, 5))
    beside.point_mass("L", 1e-12)
    beside.distance_constraint("thread", "H", "L")
    ends = [made.run(until=1.0, step=1e-3)["four-bar.B0"].values[-1] for made in (alone, beside)]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def _positions(loops, threads, springs, integrator, steps=12, solver="auto"):
    mechanism = four_bar(loops)
    if springs:
        for k in range(0, loops, 3):
            mechanism.spring(f"S{k}", between=(f"A{k}", f"B{k + 1}"), stiffness=50.0, damping=0.1, natural=1.2)
    mechanism.standard_outputs = ()
    for name in ("B0", f"B{loops}"):
        mechanism.output(name, name)
    mechanism.formulation = Formulation(threads=threads, integrator=integrator, solver=solver)
    model = System("chain")
    model.add("chain", mechanism.subsystem(), step=1e-3, record=False)
    run = model.start()
    run.step_to(steps * 1e-3)
    return np.asarray(run.value("chain.B0")), np.asarray(run.value(f"chain.B{loops}"))


@pytest.mark.parametrize(("springs", "integrator"), [(False, "hermite"), (True, "trapezoidal")])
def test_the_number_of_threads_changes_no_bit_of_a_large_mechanism(springs, integrator):
    expected = _positions(1100, 1, springs, integrator)
    for threads in (2, 3):
        np.testing.assert_array_equal(expected, _positions(1100, threads, springs, integrator))


def test_a_few_other_parts_of_a_large_mechanism_are_not_taken_for_its_equal_ones():
    ends = []
    for system in ("condensed", "kkt"):
        mechanism = Mechanism("chain", dimension=2)
        for k in range(1001):
            mechanism.point(f"A{k}", (k, 0), fixed=True)
            mechanism.point(f"B{k}", (k + 0.5, 1.25 if k == 400 else 1.0))
            mechanism.body(f"crank{k}", points=[f"A{k}", f"B{k}"], mass=2.0 if k % 300 == 7 else 1.0)
        for k in range(1000):
            mechanism.body(f"coupler{k}", points=[f"B{k}", f"B{k + 1}"], mass=1.0)
        mechanism.standard_outputs = ()
        for name in ("B0", "B7", "B400", "B607", "B1000"):
            mechanism.output(name, name)
        mechanism.formulation = Formulation(system=system, integrator="hermite")
        model = System("chain")
        model.add("chain", mechanism.subsystem(), step=1e-3, record=False)
        run = model.start()
        run.step_to(0.02)
        ends.append([run.value(f"chain.{name}") for name in ("B0", "B7", "B400", "B607", "B1000")])
    # It has moved by 1 mm. Rounding only; the condensed matrix has a condition of 1e7.
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("solver", ["sparse-ldlt", "static-lu", "sparse-lu", *KLU])
def test_solvers_without_domains_give_the_motion_of_a_large_mechanism(solver):
    expected = _positions(1000, 1, springs=False, integrator="hermite", steps=3)
    # Rounding only; the condensed matrix has a condition of 1e7.
    np.testing.assert_allclose(_positions(1000, 1, False, "hermite", 3, solver), expected, atol=1e-8)


@pytest.mark.parametrize("other", [{"name": "penalty"}, {"system": "kkt"}, {"solver": "sparse-ldlt"}])
def test_threads_are_refused_where_nothing_is_shared(other):
    with pytest.raises(
        SetupError, match='threads = 2 needs name = "index-3", system = "condensed" and solver = "auto"'
    ):
        Formulation(threads=2, **other)


def test_threads_must_be_a_number_from_0_to_64():
    with pytest.raises(SetupError, match="threads -1; expected an integer from 1 to 64"):
        Formulation(threads=-1)


@pytest.mark.skipif(not _core.multibody.has_klu(), reason="this build has no KLU")
def test_a_mechanism_with_klu_is_not_exported(tmp_path):
    mechanism = four_bar(2)
    mechanism.formulation = Formulation(solver="klu")
    with pytest.raises(SetupError, match='solver "klu" is not in exported FMUs; take "auto"'):
        export_fmu(mechanism, tmp_path / "chain.fmu", step=1e-3)
