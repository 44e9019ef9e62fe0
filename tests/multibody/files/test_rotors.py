"""Rotors in model files: read, written again, and what is said about mistakes."""

from pathlib import Path

import numpy as np
import pytest

from counterpoint import multibody
from counterpoint.errors import SetupError
from counterpoint.multibody import Mechanism
from counterpoint.multibody.aerodynamics import BladeSection, Polar, TowerShadow, Wake, Wind, rotor
from counterpoint.multibody.files.writing import save

EXAMPLE = Path(__file__).parents[3] / "examples" / "wind-rotor.toml"

FILE = """\
[mechanism]
name = "fan"
dimension = 3
units = { length = "mm", mass = "kg", force = "N", angle = "deg" }

[points]
hub = { at = [0, 0, 0], fixed = true }
tip = { at = [0, 0, 1000] }

[vectors]
shaft = { along = [1, 0, 0], fixed = true }

[bodies]
blade = { points = ["hub", "tip"], vectors = ["shaft"], mass = 1, inertia = [0.1, 0.1, 0.01, "kg m^2"] }

[rotors.air]
body = "blade"
centre = [0, 0, 0]
axis = [1, 0, 0]
radius = 1000
hub_radius = "10 cm"
blades = 1
wind = [{ linear = { times = [0, 1], values = ["5 m/s", "10 m/s"] } }, 0, "input:gust"]
reference_height = "20 m"
shear_exponent = 0.2
dynamic_stall = true
density = "1.2 kg/m^3"
wake = { drag = false, time_constant = "300 ms", sector_points = 3 }
tower = { radius = 100, drag = 0.7, height = "15 m" }

[rotors.air.polars]
plate = { rows = [[-180, -10, 0.2], [180, 10, 0.2]], zero_lift = 1, stall = [-1, 1.5] }

[rotors.air.sections]
inner = { body = "blade", at = [0, 0, 400], chord = [0, -1, 0], normal = [1, 0, 0], chord_length = 100, span = 300, radius = 400, polar = "plate" }
outer = { body = "blade", at = [0, 0, 800], chord = [0, -1, 0], normal = [1, 0, 0], chord_length = 80, span = 400, radius = 800, polar = "plate" }

[outputs]
air = "air"
"""


def by_hand() -> Mechanism:
    model = Mechanism("fan")
    model.point("hub", (0, 0, 0), fixed=True)
    model.point("tip", (0, 0, 1.0))
    model.vector("shaft", (1, 0, 0), fixed=True)
    model.body("blade", points=["hub", "tip"], vectors=["shaft"], mass=1.0, inertia=(0.1, 0.1, 0.01))
    polar = Polar(np.radians([-180, 180]), [-10.0, 10.0], [0.2, 0.2], zero_lift=np.radians(1), stall=(-1.0, 1.5))
    sections = [
        BladeSection("blade", (0, 0, 0.4), (0, -1, 0), (1, 0, 0), 0.1, 0.3, 0.4),
        BladeSection("blade", (0, 0, 0.8), (0, -1, 0), (1, 0, 0), 0.08, 0.4, 0.8),
    ]
    wind = Wind(({"linear": {"times": [0.0, 1.0], "values": [5.0, 10.0]}}, 0.0, "input:gust"), reference_height=20.0,
                shear_exponent=0.2)  # fmt: skip
    rotor(model, "air", body="blade", centre=(0, 0, 0), axis=(1, 0, 0), sections=sections, polars=[polar], radius=1.0,
          hub_radius=0.1, blades=1, wind=wind, dynamic_stall=True, density=1.2,
          wake=Wake(drag=False, time_constant=0.3, sector_points=3), tower=TowerShadow(0.1, 0.7, 15.0))  # fmt: skip
    model.output("air", "air")
    return model


def air_of(model: Mechanism) -> np.ndarray:
    return model.run(until=0.05, step=1e-3)["fan.air"].values


def load(tmp_path, text=FILE) -> Mechanism:
    file = tmp_path / "fan.toml"
    file.write_text(text, encoding="utf-8")
    return multibody.load(file)


def test_a_rotor_of_a_file_is_that_made_by_hand(tmp_path):
    made, hand = (air_of(model) for model in (load(tmp_path), by_hand()))
    # Factors of units round in the last digits.
    assert made == pytest.approx(hand, rel=1e-9, abs=1e-12)


def test_a_rotor_is_written_as_it_was_read(tmp_path):
    model = by_hand()
    save(model, tmp_path / "again.toml")
    assert np.array_equal(air_of(multibody.load(tmp_path / "again.toml")), air_of(model))


def test_the_example_turns_the_wind_to_power():
    model = multibody.load(EXAMPLE)
    result = model.run(until=15.0)
    power = result["wind-rotor.air"].values[-1, 2]
    assert 0.3 < power / (0.5 * 1.225 * np.pi * 2.5**2 * 9.0**3) < 16 / 27


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('radius = 400, polar = "plate"', 'radius = 400, polar = "plat"', 'no polar "plat"; did you mean "plate"'),
        ("drag = false,", "dragg = false,", "dragg"),
        ("blades = 1\n", 'blades = 1\ninflow = "momentun"\n', "momentun"),
        ('body = "blade"\ncentre', 'body = "blad"\ncentre', 'no body "blad"'),
        ("radius = 1000\n", "", "radius"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, old, new, says):
    assert old in FILE
    with pytest.raises(SetupError) as caught:
        load(tmp_path, FILE.replace(old, new, 1))
    assert says in str(caught.value)
    assert "line" in str(caught.value) or "fan.toml:" in str(caught.value)
