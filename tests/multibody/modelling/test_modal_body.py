"""Modal bodies against closed forms: springs and masses, beams, frames that accelerate and turn."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody import Mechanism, Mode, load, save

CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])
"""Roots of cos(x) cosh(x) = -1."""
FREE = np.array([4.7300407449, 7.8532046241])
"""Roots of cos(x) cosh(x) = 1."""


def cantilever_shapes(x: np.ndarray) -> np.ndarray:
    """Return the mode shapes of a clamped beam of length 1, one a row; Blevins, table 8-1."""
    b = CANTILEVER[:, None]
    ratio = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    return np.cosh(b * x) - np.cos(b * x) - ratio * (np.sinh(b * x) - np.sin(b * x))


def sliding_mass(spring: float, mass: float) -> Mechanism:
    """Return a frame that only slides along x, with one mass that a mode moves along x."""
    made = Mechanism("slide", gravity=(0, 0, 0))
    made.point("middle", (0, 0, 0))
    made.point("mass", (1, 0, 0))
    made.modal_body("cart", points=["middle", "mass"], modes=[Mode("along", {"mass": (1, 0, 0)}, spring)],
                    mass=3.0, inertia=(1, 1, 1))  # fmt: skip
    made.point_mass("mass", mass)
    made.joint("rail", "prismatic", "ground", "cart", at="middle", axis=(1, 0, 0))
    made.displacement("way", "middle", along=(1, 0, 0))
    made.output("amplitude", "cart_along")
    return made


def test_one_mode_is_a_mass_on_a_spring() -> None:
    made = sliding_mass(200.0, 2.0)
    reduced = 1.0 / (1.0 / 2.0 + 1.0 / 3.0)  # two masses on one spring, 3 kg the frame
    assert made.modes().frequencies[-1] * 2 * np.pi == pytest.approx(np.sqrt(200.0 / reduced), rel=1e-9)


def test_in_a_frame_that_accelerates_a_mode_gives_way_by_mass_times_acceleration() -> None:
    made = sliding_mass(200.0, 2.0)
    made.forces["cart_along_spring"].options["damping"] = 40.0  # critical: 2 sqrt(k m)
    made.guide("way", [0.0, 0.0, 1.5])
    result = made.run(until=3.0, step=5e-3)
    assert result["slide.amplitude"].at(3.0) == pytest.approx(-2.0 * 3.0 / 200.0, rel=1e-6)


def turning_mass(direction: tuple[float, float, float], omega: float) -> Mechanism:
    made = Mechanism("turning", gravity=(0, 0, 0))
    made.point("middle", (0, 0, 0))
    made.point("mass", (0.5, 0, 0))
    mode = Mode("give", {"mass": direction}, 2000.0, damping=100.0)
    made.modal_body("arm", points=["middle", "mass"], modes=[mode], mass=1.0, centre=(0, 0, 0), inertia=(1, 1, 1))
    made.point_mass("mass", 2.0)
    made.joint("bearing", "revolute", "ground", "arm", at="middle", axis=(0, 0, 1))
    made.angle("turn", "ground", "arm", axis=(0, 0, 1))
    made.guide("turn", [0.0, omega])
    made.output("amplitude", "arm_give")
    made.output("torque", "guide:turn")
    return made


def test_in_a_turning_frame_a_mode_gives_way_to_the_centrifugal_force_and_is_softened_by_it() -> None:
    omega = 12.0
    result = turning_mass((1.0, 0.0, 0.0), omega).run(until=3.0, step=1e-3)
    exact = 2.0 * omega**2 * 0.5 / (2000.0 - 2.0 * omega**2)  # k x = m omega² (r + x)
    assert result["turning.amplitude"].at(3.0) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize(("direction", "squared"), [((0, 0, 1), 1000.0), ((0, 1, 0), 1000.0 - 12.0**2)])
def test_a_turning_frame_softens_a_mode_along_the_rim_and_not_one_across_its_plane(direction, squared) -> None:
    made = turning_mass(direction, 12.0)
    made.forces["arm_give_spring"].options["damping"] = 0.0
    made.initial("arm_give", 1e-3)
    signal = made.run(until=2.0, step=1e-3)["turning.amplitude"]
    y, t = np.ravel(signal.values), np.asarray(signal.time)
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = t[up] - y[up] * (t[up + 1] - t[up]) / (y[up + 1] - y[up])
    assert 2 * np.pi / np.diff(crossings).mean() == pytest.approx(np.sqrt(squared), rel=1e-3)


def test_a_moving_mode_asks_the_drive_for_the_coriolis_torque() -> None:
    """The angular momentum of the mass is m (r + x)² omega: while x grows the guide has to bring what it gains."""
    omega = 12.0
    made = turning_mass((1.0, 0.0, 0.0), omega)
    made.forces["arm_give_spring"].options["damping"] = 0.0
    made.output("rate", "arm_give", "velocity")
    result = made.run(until=0.08, step=2e-4)
    x, rate, torque = (float(result[f"turning.{name}"].at(0.08)) for name in ("amplitude", "rate", "torque"))
    assert torque == pytest.approx(2.0 * 2.0 * (0.5 + x) * rate * omega, rel=1e-3)


def test_clamped_modes_on_a_free_frame_give_the_frequencies_of_the_free_beam() -> None:
    """All that inertia couples between frame and modes has to be there for this: the modes alone are others.

    EI = mass per length = length = 1; 41 lumps, four modes and the rigid motion of the frame span the free modes.
    """
    x = (np.arange(41) + 0.5) / 41
    shapes = cantilever_shapes(x)
    made = Mechanism("beam", gravity=(0, 0, 0))
    names = [f"p{k}" for k in range(len(x))]
    for name, place in zip(names, x, strict=True):
        made.point(name, (place, 0, 0))
    modes = [Mode(f"m{k}", {n: (0, 0, z) for n, z in zip(names, shape, strict=True)}, stiffness=beta**4)
             for k, (shape, beta) in enumerate(zip(shapes, CANTILEVER, strict=True))]  # fmt: skip
    made.modal_body("beam", points=names, modes=modes, centre=(0, 0, 0), mass=1e-6, inertia=(1e-5, 1e-5, 1e-5))
    for name in names:
        made.point_mass(name, 1.0 / len(names))
    found = made.modes().frequencies * 2 * np.pi
    elastic = found[found > 1.0][:2]
    assert elastic == pytest.approx(FREE**2, rel=5e-3)


def test_a_frame_on_a_point_turns_with_the_mode() -> None:
    made = Mechanism("bent", gravity=(0, 0, 0))
    made.point("root", (0, 0, 0))
    made.point("tip", (2, 0, 0))
    mode = Mode("bend", {"tip": (0, 0, 1)}, 100.0, rotations={"tip": (0, -0.75, 0)})
    made.modal_body("beam", points=["root", "tip"], modes=[mode], mass=1.0, inertia=(1, 1, 1))
    made.joint("wall", "weld", "ground", "beam", at="root")
    made.point_mass("tip", 1.0)
    made.torque("moment", "beam:tip", (0.0, -2.0, 0.0))
    made.angle("tilt", "ground", "beam:tip", axis=(0, -1, 0), reference=(1, 0, 0))
    for name in ("beam_bend", "tilt"):
        made.output(name, name)
    made.forces["beam_bend_spring"].options["damping"] = 40.0
    result = made.run(until=10.0, step=0.02)
    # The work of 2 N m over 0.75 rad/m is that of 1.5 N: 1.5 / 100.
    assert result["bent.beam_bend"].at(10.0) == pytest.approx(0.015, rel=1e-6)
    assert result["bent.tilt"].at(10.0) == pytest.approx(0.75 * 0.015, rel=1e-3)  # to first order of the deformation


def test_wrong_modes_are_explained() -> None:
    made = Mechanism("wrong")
    made.point("a", (0, 0, 0))
    with pytest.raises(SetupError, match=r'mode "m": shapes: "b" is none of its points: a'):
        made.modal_body("body", points=["a"], modes=[Mode("m", {"b": (0, 0, 1)}, 1.0)])
    with pytest.raises(SetupError, match=r"stiffness -1\.0; expected a number of at least 0"):
        made.modal_body("body", points=["a"], modes=[Mode("m", {"a": (0, 0, 1)}, -1.0)])


def test_a_modal_body_is_the_same_from_a_file(tmp_path) -> None:
    made = turning_mass((1.0, 0.0, 0.0), 12.0)
    made.modal_parts["arm"].rotations[0]["mass"] = np.array([0.0, 0.0, 0.3])
    save(made, tmp_path / "turning.toml")
    read = load(tmp_path / "turning.toml")
    assert read.modal_parts["arm"].modes[0].damping == 100.0
    assert read.modal_parts["arm"].rotations[0]["mass"] == pytest.approx([0.0, 0.0, 0.3])
    first, second = (m.run(until=0.2, step=1e-3)["turning.amplitude"].at(0.2) for m in (made, read))
    assert first == pytest.approx(second, rel=1e-9)
