"""Beams from tables: masses and frequencies against beam theory."""

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody import Mechanism
from counterpoint.multibody.library import awt27, cart
from counterpoint.multibody.modelling.table_beams import BeamTable, beam_from_table


def clamped(table: BeamTable, segments: int, tip_mass: float = 0.0) -> Mechanism:
    model = Mechanism("clamped", gravity=(0, 0, 0))
    beam_from_table(model, "beam", table, start=(0, 0, 0), along=(0, 0, 1), first_axis=(1, 0, 0), segments=segments,
                    base="ground", tip_mass=tip_mass)  # fmt: skip
    return model


def test_an_even_cantilever_has_the_frequencies_of_euler_and_bernoulli():
    frequencies = clamped(BeamTable.even(2.0, mass_per_length=3.0, EI=50.0), 10).modes().frequencies
    exact = np.array([1.8751, 1.8751, 4.6941, 4.6941]) ** 2 * np.sqrt(50.0 / 3.0) / 2.0**2 / (2 * np.pi)
    # The error falls with 1 / n^2: 0.4 % of the first, 3 % of the second with ten elements.
    assert frequencies[:4] == pytest.approx(exact, rel=0.03)
    assert frequencies[0] == pytest.approx(exact[0], rel=0.004)


@pytest.mark.parametrize(
    ("table", "tip_mass", "expected"),
    [
        (awt27().blade, 11.34, [2.46, 6.95, 8.16]),
        (awt27().tower, 7227.24, [0.996, 0.996, 6.94]),
        (cart().blade, 0.0, [2.02, 4.19]),
        (cart().tower, 39216.0, [0.965, 0.965]),
    ],
    ids=["blade of the AWT-27", "its tower", "blade of the CART", "its tower with what is on it"],
)
def test_blades_and_towers_have_the_frequencies_of_finite_elements(table, tip_mass, expected):
    # Expected: beam finite elements from the same tables, flap and edge coupled by the structural twist (AWT-27).
    frequencies = clamped(table, 8, tip_mass).modes().frequencies[: len(expected)]
    assert frequencies == pytest.approx(expected, rel=0.03)


def test_pieces_add_up_to_the_beam():
    table = cart().blade
    pieces = [
        table.piece(a, b)
        for a, b in zip(np.linspace(0, table.length, 6)[:-1], np.linspace(0, table.length, 6)[1:], strict=True)
    ]
    assert sum(mass for mass, *_ in pieces) == pytest.approx(2125.9, rel=1e-3)


def test_stiffness_of_a_piece_is_the_inverse_of_its_compliance():
    table = BeamTable.even(2.0, mass_per_length=1.0, EI=8.0)
    assert table.stiffness("EI_first", 0.0, 0.5) == pytest.approx(16.0)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"x": [0.1, 1.0]}, "expected increasing numbers from 0"),
        ({"EI_first": [1.0, -1.0]}, "EI_first: expected numbers above 0"),
        ({"mass_per_length": [1.0]}, "mass_per_length: expected 2 finite numbers"),
    ],
)
def test_a_table_says_what_is_wrong(columns, says):
    good = {"x": [0.0, 1.0], "mass_per_length": [1.0, 1.0], "EI_first": [1.0, 1.0], "EI_second": [1.0, 1.0]}
    with pytest.raises(SetupError, match=says):
        BeamTable(**{key: np.array(value) for key, value in (good | columns).items()})


def test_a_rotating_blade_is_stiffer():
    # 2.02 Hz at rest and 2.20 Hz at 41.7 rpm: finite elements of the same table with centrifugal stiffening.
    table, speed = cart().blade, 41.7 * np.pi / 30
    model = Mechanism("rotating", gravity=(0, 0, 0))
    model.point("hub", (0, 0, 0), fixed=True)
    model.vector("shaft", (1, 0, 0), fixed=True)
    start = np.array([0.0, 0.0, 1.381])

    def velocity(place):
        return np.cross([speed, 0.0, 0.0], place)

    hinge = start + np.array([0.0, 0.0, 0.5 * table.length / 8])
    model.point("beam_0", hinge, velocity=velocity(hinge))
    model.body("root", points=["hub", "beam_0"], vectors=["shaft"], mass=100.0, inertia=(10.0, 10.0, 1.0))
    model.angle("turn", "root", axis=(1, 0, 0))
    model.guide("turn", [0.0, speed])
    beam_from_table(model, "beam", table, start=start, along=(0, 0, 1), first_axis=(1, 0, 0), segments=8, base="root",
                    velocity=velocity)  # fmt: skip
    model.force("kick", "beam_tip", ({"table": {"times": [0.0, 0.1, 0.2], "values": [0.0, 500.0, 0.0]}}, 0.0, 0.0))
    model.output("tip", "beam_tip")
    tip = model.run(until=6.0, step=0.005)["rotating.tip"]
    x = tip.values[tip.time > 0.3, 0]
    spectrum = np.abs(np.fft.rfft((x - x.mean()) * np.hanning(len(x)), 2**15))
    frequency = np.argmax(spectrum) / (2**15 * 0.005)
    assert frequency == pytest.approx(2.20, rel=0.03)
