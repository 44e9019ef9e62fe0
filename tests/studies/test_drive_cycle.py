"""The drive-cycle study: its quick form, the step law, and that the cut car is the whole car."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.diagram.library import drive_cycle
from counterpoint.pace import Step
from counterpoint.studies.assumed import assumed, mean_distance
from counterpoint.studies.drive_cycle.experiment import Case, discretisation_error, run_coupled, run_monolithic
from counterpoint.studies.drive_cycle.law import GradientOfOutput

from .reading import claim, read_claims

STUDY = "drive-cycle"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_each_claim_has_an_origin_and_a_verdict(quick):
    rows = read_claims(quick[0])
    assert len(rows) == len(quick[1].claims)
    assert {row["origin"] for row in rows} == {"printed", "derived", "ours"}
    assert all(row["remark"] for row in rows if row["holds"] != "yes")


def test_the_fuel_error_is_far_below_one_per_cent(quick):
    assert claim(quick[1], "5.2: error of the fuel consumption").ours < 0.5


def test_the_step_law_beats_fixed_steps_of_the_same_mean(quick):
    assert claim(quick[1], "Table 1 on the prescribed speed alone").ours <= 0.6
    assert claim(quick[1], "mean macro step on the prescribed speed alone").ours == pytest.approx(0.9, abs=0.05)
    assert claim(quick[1], "Table 1: discretisation error of the vehicle's speed, variable over fixed").ours < 0.62


def test_what_does_not_hold_is_explained(quick):
    failed = [c for c in quick[1].claims if c.holds.value == "no" and "processor time" not in c.remark]
    assert all("not known" not in c.remark for c in failed)


def test_the_figures_of_the_source_are_drawn(quick):
    names = {path.stem[:9] for path in (quick[0] / "figures").glob("*.png")}
    assert {"figure-11", "figure-12", "figure-13", "figure-14"} <= names
    page = (quick[0] / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == len(quick[1].figures)


def test_progress_is_told_to_the_end(quick):
    what, done, total = quick[2][-1]
    assert (what, done) == ("drive-cycle runs", total)


# Parts


def test_with_small_macro_steps_the_cut_car_becomes_the_whole_car():
    cycle, until = drive_cycle("nedc"), 30.0
    whole = run_monolithic(cycle, until)
    errors = []
    for step in (1.0, 0.1):
        time, oil = run_coupled(cycle, Case("held", step=step), until).signal("oil_temperature")
        errors.append(np.abs(oil - whole.at("oil_temperature", time)).max())
    assert errors[1] < 0.3 * errors[0]


def test_the_discretisation_error_of_a_held_ramp_is_half_a_step_of_it():
    cycle = drive_cycle("nedc")
    outcome = run_coupled(cycle, Case("held", step=0.5), 10.0)
    assert discretisation_error(outcome, outcome) < 1e-3  # at rest
    time = np.arange(0.0, 10.5, 0.5)
    at, held = assumed(cp.hold(), time, 2.0 * time)
    assert mean_distance(at, held, 2.0 * at) == pytest.approx(2.0 * 0.25)


def law(**options):
    made = GradientOfOutput("car.a", smallest=0.4, largest=2.0, **options)
    made.start()
    return made


def asked(made, *gradients):
    """Return the steps of a law that sees these gradients one after another."""
    t, length, found = 0.0, 0.0, []
    for gradient in gradients:
        length = made.next_step(Step(t, length, (), {"car.a": gradient}))
        t += length
        found.append(length)
    return found


def test_the_law_makes_long_steps_at_rest_and_short_ones_where_it_is_steep():
    assert asked(law(), 0.0, 0.0, 5.0, 0.0) == [2.0, 2.0, 0.4, 2.0]


def test_the_law_is_that_of_equations_7_and_8():
    first, second = asked(law(p0=2.0, p1=1.0), 2.0, 1.0)
    assert first == pytest.approx(0.4)
    assert second == pytest.approx(0.4 + (1 - 1.0 / 2.0) ** 2 * 1.6)


def test_a_second_run_of_a_law_begins_anew():
    made = law()
    once = asked(made, 1.0, 0.5, 0.2)
    made.start()
    assert asked(made, 1.0, 0.5, 0.2) == once


def test_a_transition_is_made_again_as_the_run_had_it():
    system = cp.System()
    system.add("a", cp.linear([[0, 1], [-4, 0]], [[0], [1]], x0=[1, 0], inputs="u", outputs=["x", "v"]), step=0.1)
    b = cp.linear([[-1.0]], [[1.0]], [[1.0], [0.0]], [[0.0], [1.0]], x0=[0.0], inputs="u", outputs=["y", "seen"])
    system.add("b", b, step=0.1)
    system.connect("a.x", "b.u", cp.transition(1))
    system.connect("b.y", "a.u", cp.hold())
    result = system.run(until=2.0, scheme="parallel", first_steps="once")
    _, values = assumed(cp.transition(1), result["a.x"].time, result["a.x"].values, points=4)
    assert values[4::5] == pytest.approx(result["b.seen"].values[1:], abs=1e-12)


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "drive-cycle") == []
