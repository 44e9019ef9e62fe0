"""The quick form of the helicopter study, from the command to the files, and what its parts compute."""

import numpy as np
import pytest

from counterpoint.studies.helicopter.data import GRAVITY, MAIN, MASS, TAIL, THRUST
from counterpoint.studies.helicopter.experiment import fuselage_model, tail_model, whole_model
from counterpoint.studies.helicopter.fuselage import ELEMENTS, MASSES, NODES, element_stiffness, stick_modes
from counterpoint.studies.helicopter.hover import hover
from counterpoint.studies.helicopter.models import INTERFACE

from .reading import claim, read_claims

STUDY = "helicopter"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_every_row_has_a_value_of_ours_and_a_verdict(quick):
    folder, report, *_ = quick
    rows = read_claims(folder)
    assert len(rows) == len(report.claims)
    for row in rows:
        assert row["claim"] and row["published"] and row["tolerance"] and row["unit"], row
        assert not np.isnan(float(row["ours"])), row
        assert row["origin"] in ("printed", "derived", "ours")


@pytest.mark.parametrize("beginning", ["Figures 6.4-6.6: pitch", "Figure 6.7", "Hover: power of the main rotor"])
def test_what_can_be_said_of_a_short_flight_holds(quick, beginning):
    """Yaw and altitude are at their largest later: the whole study compares them."""
    assert claim(quick[1], beginning).holds


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "helicopter") == []


def test_the_figures_of_the_source_are_drawn_and_the_page_leads_to_the_animation(quick):
    names = {path.stem[:10] for path in (quick[0] / "figures").glob("figure-6-*.png")}
    assert names == {f"figure-6-{k}" for k in range(1, 8)}
    page = (quick[0] / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == len(quick[1].figures)
    assert 'href="animation.html"' in page
    assert quick[2][-1] == ("helicopter", 2, 2)


# Parts


def test_the_three_models_have_the_degrees_of_freedom_of_the_source():
    """Rise and yaw, four flaps, four modes; the teeter; both together."""
    found = [model().assembled() for model in (fuselage_model, tail_model, whole_model)]
    assert [a.degrees_of_freedom for a in found] == [10, 1, 11]
    assert [a.redundant for a in found] == [[], [], []]
    assert set(INTERFACE) <= set(tail_model().inputs)


def test_the_closed_form_hover_has_the_published_induced_velocity_and_balances_itself():
    found = hover(MAIN, THRUST, GRAVITY)
    assert found.induced == pytest.approx(np.sqrt(THRUST / (2 * 1.225 * np.pi * (0.98 * 4.91) ** 2)))
    assert found.power == pytest.approx(319e3, rel=0.01)
    assert pytest.approx(MASS * 9.81) == THRUST * (1 - 0.03)
    assert hover(TAIL, found.power / MAIN.speed / 6.0163).power == pytest.approx(21e3, rel=0.05)


def test_an_element_bends_as_a_beam_does():
    """A clamped element of length L: deflection F L³ / 3 EI, slope F L² / 2 EI, whichever way it lies."""
    line = np.array([1.0, -2.0, 0.5])
    length = np.linalg.norm(line)
    across = np.cross(line, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    moved = np.linalg.solve(element_stiffness(line, 7.0)[6:, 6:], np.concatenate([across, np.zeros(3)]))
    assert moved[:3] == pytest.approx(across * length**3 / 21.0)
    assert np.linalg.norm(moved[3:]) == pytest.approx(length**2 / 14.0)


def test_the_modes_of_the_fuselage_move_neither_its_centre_nor_turn_it():
    for mode in stick_modes():
        momentum = sum(MASSES[n] * mode.displacements[n] for n in NODES)
        assert np.linalg.norm(momentum) < 1e-6 * sum(MASSES.values())
    assert 8.0 < stick_modes()[0].frequency < 10.0
    assert {n for pair in ELEMENTS for n in pair} == set(NODES)
