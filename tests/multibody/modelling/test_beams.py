"""Beams of rigid segments against Euler and Bernoulli."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism
from counterpoint.multibody.modelling.beams import beam

CANTILEVER = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613]) ** 2
PINNED = (np.pi * np.arange(1, 4)) ** 2
CLAMPED = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 2


def planar(segments, ends, EI=1.0, **options):
    made = Mechanism("beam", dimension=2, gravity=(0, 0))
    made.point("start", (0, 0), fixed=True)
    made.point("end", (1, 0), fixed=ends == "clamped")
    if ends == "pinned":
        made.on_line("roller", "end", through="start", axis=(1, 0))
    clamps = {
        "cantilever": {"clamp_start": "ground"},
        "pinned": {},
        "clamped": {"clamp_start": "ground", "clamp_end": "ground"},
    }
    beam(made, "beam", "start", "end", segments=segments, mass_per_length=1.0, EI=EI, **clamps[ends], **options)
    return made


def spatial(segments, ends="cantilever", EI=(1.0, 4.0), GJ=0.5, polar_inertia=1e-7):
    made = Mechanism("beam", dimension=3, gravity=(0, 0, 0))
    made.point("start", (0, 0, 0), fixed=True)
    made.point("end", (0, 1, 0))
    if ends == "pinned":
        for name, normal in (("roller_x", (1, 0, 0)), ("roller_z", (0, 0, 1))):
            made.on_plane(name, "end", through="start", normal=normal)
    beam(
        made, "beam", "start", "end", segments=segments, mass_per_length=1.0, EI=EI, GJ=GJ, polar_inertia=polar_inertia,
        axis=(1, 0, 0), clamp_start="ground" if ends == "cantilever" else None,
    )  # fmt: skip
    return made


def angular(mechanism, count):
    found = 2 * np.pi * mechanism.modes().frequencies
    return found[found > 1e-2][:count]


@pytest.mark.parametrize(("ends", "exact"), [("cantilever", CANTILEVER), ("pinned", PINNED), ("clamped", CLAMPED)])
def test_frequencies_converge_to_those_of_euler_and_bernoulli_with_the_square_of_the_segments(ends, exact):
    errors = [np.abs(angular(planar(n, ends), 3) / exact - 1) for n in (8, 16, 32)]
    for coarse, fine in ((errors[0], errors[1]), (errors[1], errors[2])):
        # Between hinges the error is of order 4, and that is all there is on two supports; a clamp makes it 2.
        order = 4.0 if ends == "pinned" else 2.0
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.4)
    assert errors[2].max() < 1e-2


def test_bending_in_space_has_the_frequencies_of_both_planes():
    found = angular(spatial(16), 60)
    for EI in (1.0, 4.0):
        exact = np.sqrt(EI) * CANTILEVER[:2]
        nearest = [found[np.argmin(np.abs(found - w))] for w in exact]
        assert nearest == pytest.approx(exact, rel=8e-3)


def test_a_beam_on_two_supports_in_space():
    found = angular(spatial(16, "pinned", EI=(1.0, 2.0)), 60)
    for EI in (1.0, 2.0):
        exact = np.sqrt(EI) * PINNED[0]
        assert found[np.argmin(np.abs(found - exact))] == pytest.approx(exact, rel=5e-3)


def test_torsion_has_the_frequency_of_a_shaft():
    """A quarter wave: (pi / 2 L) sqrt(GJ / I)."""
    polar = 0.01
    found = angular(spatial(16, EI=1e4, GJ=1.0, polar_inertia=polar), 1)
    assert found[0] == pytest.approx(np.pi / 2 * np.sqrt(1.0 / polar), rel=2e-3)


def test_a_cantilever_sags_by_its_weight_as_the_closed_form_says():
    """w L⁴ / (8 EI) for small loads; the error falls with the square of the segments."""
    errors = []
    for n in (8, 16, 32):
        made = planar(n, "cantilever")
        made.gravity = np.array([0.0, -1e-3])
        made._changed()
        errors.append(abs(made.equilibrium()["end"][1] / (-1e-3 / 8.0) - 1.0))
    assert errors[2] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def test_an_elastica_under_a_tip_force_bends_as_far_as_the_books_say():
    """P L² / EI = 2: the tip goes down by 0.4935 L (Bisshopp and Drucker 1945)."""
    made = planar(40, "cantilever")
    made.force("load", "end", (0.0, -2.0))
    assert made.equilibrium()["end"][1] == pytest.approx(-0.4935, abs=1e-3)


def test_damping_grows_with_the_frequency():
    found = planar(16, "cantilever", damping=1e-3).modes()
    w = 2 * np.pi * found.frequencies[:3]
    assert found.damping_ratios[:3] == pytest.approx(1e-3 * w / 2, rel=1e-6)


def test_a_beam_can_be_clamped_to_a_body_that_shares_its_point_or_not():
    frequencies = []
    for hub in ("start", "hub"):
        made = Mechanism("arm", dimension=2, gravity=(0, 0))
        for name, x in (("O", -1), ("start", 0), ("end", 1), (hub, 0)):
            if name not in made.points:
                made.point(name, (x, 0), fixed=name == "O")
        made.body("crank", points=["O", hub], mass=1.0)
        beam(made, "tail", "start", "end", segments=6, mass_per_length=1.0, EI=10.0, clamp_start="crank")
        assert not made.assembled().redundant
        frequencies.append(made.modes().frequencies[:4])
    assert frequencies[0] == pytest.approx(frequencies[1], rel=1e-6, abs=1e-6)


def test_mistakes_are_all_named():
    made = Mechanism("beam", dimension=3)
    made.point("a", (0, 0, 0))
    made.point("b", (1, 0, 0))
    with pytest.raises(cp.SetupError) as caught:
        beam(made, "beam", "a", "c", segments=0, mass_per_length=-1.0, EI=0.0)
    text = str(caught.value)
    for piece in ('no point "c"', "segments 0", "mass_per_length -1.0", "GJ None", "polar_inertia None", "EI 0.0"):
        assert piece in text
