"""A rotor in a mechanism: induced velocities against momentum theory, forces against the power they bring."""

from itertools import pairwise

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody import Mechanism
from counterpoint.multibody.aerodynamics import BladeSection, Polar, Wake, Wind, rotor

RADIUS, SPEED, DENSITY = 5.0, 40.0, 1.225


def turning_rotor(pitch=0.1, wind=(0.0, 0.0, 0.0), blades=2, **options) -> Mechanism:
    """Return a stiff rotor about z, thrust up, at constant speed."""
    model = Mechanism("rotor", gravity=(0, 0, 0))
    model.point("hub", (0, 0, 0), fixed=True)
    model.vector("shaft", (0, 0, 1), fixed=True)
    model.point("arm", (1, 0, 0), velocity=(0, SPEED, 0))
    model.body("blades", points=["hub", "arm"], vectors=["shaft"], mass=10.0, inertia=(1.0, 1.0, 1.0))
    model.angle("turn", "blades", axis=(0, 0, 1))
    model.guide("turn", [0.0, SPEED])
    edges = np.linspace(0.5, RADIUS, 11)
    sections = []
    for b in range(blades):
        angle = 2 * np.pi * b / blades
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        back = np.array([np.sin(angle), -np.cos(angle), 0.0])  # the blade moves along -back
        chord = np.cos(pitch) * back - np.sin(pitch) * np.array([0.0, 0.0, 1.0])
        normal = np.cos(pitch) * np.array([0.0, 0.0, 1.0]) + np.sin(pitch) * back
        for first, last in pairwise(edges):
            r = 0.5 * (first + last)
            sections.append(BladeSection("blades", r * out, chord, normal, 0.3, last - first, r))
    rotor(model, "air", body="blades", centre=(0, 0, 0), axis=(0, 0, 1), sections=sections,
          polars=[Polar.thin_aerofoil(slope=5.7, drag=0.01)], radius=RADIUS, blades=blades, wind=Wind(wind),
          density=DENSITY, **options)  # fmt: skip
    model.output("air", "air")
    return model


def last_of(model: Mechanism, until=0.5, step=2e-3) -> np.ndarray:
    return model.run(until=until, step=step)["rotor.air"].values[-1]


@pytest.mark.parametrize("inflow", ["uniform", "pitt-peters"])
def test_in_hover_the_induced_velocity_is_that_of_momentum_theory(inflow):
    thrust, _, _, induced, *_ = last_of(turning_rotor(inflow=inflow), until=1.0)
    assert thrust > 1000
    assert induced == pytest.approx(np.sqrt(thrust / (2 * DENSITY * np.pi * RADIUS**2)), rel=1e-3)


def test_in_climb_the_rotor_pushes_less_air_back():
    thrust, _, _, induced, *_ = last_of(turning_rotor(pitch=0.2, wind=(0, 0, -6.0), inflow="uniform"))
    assert induced * (6.0 + induced) * 2 * DENSITY * np.pi * RADIUS**2 == pytest.approx(thrust, rel=1e-3)


def test_in_forward_flight_more_air_is_pushed_down_behind():
    values = last_of(turning_rotor(wind=(20.0, 0, 0), inflow="pitt-peters"), until=2 * np.pi / SPEED * 5)
    sections = values[4:].reshape(-1, 4)
    # Blade 1 is behind (downstream, x) after full turns, blade 2 ahead.
    assert sections[9, 3] > values[3] > sections[19, 3]


def test_without_inflow_the_air_stays_as_it_is():
    assert last_of(turning_rotor(inflow="none"))[3] == 0.0


def test_torque_times_speed_is_power():
    _, torque, power, *_ = last_of(turning_rotor(wind=(0, 0, 10.0), pitch=-0.05))
    assert power == pytest.approx(torque * SPEED, rel=1e-7)  # the angle is guided within the tolerance of a step


def test_annuli_of_a_rotor_agree_with_the_table_of_performance():
    from counterpoint.multibody.aerodynamics import BladeGeometry, coefficients

    wake = Wake(hub_loss=False)
    thrust = last_of(turning_rotor(wind=(0, 0, 25.0), pitch=-0.05, wake=wake))[0]
    edges = np.linspace(0.5, RADIUS, 11)
    r = 0.5 * (edges[1:] + edges[:-1])
    fine = np.linspace(0.5, RADIUS, 400)
    blade = BladeGeometry(fine, np.full(400, 0.3), np.full(400, 0.05), np.zeros(400, int), RADIUS, 0.0, 2)
    made = coefficients(
        blade, [Polar.thin_aerofoil(slope=5.7, drag=0.01)], tip_speed_ratio=SPEED * RADIUS / 25.0, wake=wake
    )
    # Ten sections against four hundred: the load falls steeply at the tip.
    assert len(r) == 10
    assert thrust == pytest.approx(made.thrust * 0.5 * DENSITY * 25.0**2 * np.pi * RADIUS**2, rel=0.03)


def test_the_wake_follows_a_step_of_the_wind_with_its_time_constant():
    steps = Wind.steps([0.0, 0.2], [20.0, 25.0], rise=0.004)
    wind = (0.0, 0.0, steps.velocity[0])
    model = turning_rotor(wind=wind, pitch=-0.05, wake=Wake(time_constant=0.3))
    air = model.run(until=3.0, step=4e-3)["rotor.air"]
    thrust = air.values[:, 0]
    before, peak, after = (thrust[np.searchsorted(air.time, t)] for t in (0.19, 0.21, 2.9))
    assert peak > after > before


@pytest.mark.parametrize(("ratio", "kept"), [(2.5, 1.0), (1.5, 0.5), (0.8, 0.0)])
def test_a_slow_rotor_has_no_wake_of_its_own(ratio, kept):
    # Sections see what is left of the induction that momentum theory gives at the same wind.
    wind = SPEED * RADIUS / ratio
    found = last_of(turning_rotor(wind=(0, 0, wind), pitch=-0.3), until=0.01)[4:].reshape(-1, 4)[4]
    alone = induction_of(ratio)
    assert found[3] == pytest.approx(kept * alone * wind, rel=0.02, abs=1e-9)


def induction_of(ratio):
    """Return the axial induction of the fifth section by the balance of momentum alone."""
    r = 0.5 + 0.45 * 4.5
    sigma = 2 * 0.3 / (2 * np.pi * r)
    wind, around = 1.0, ratio * r / RADIUS

    def wanted(phi):
        lift = 5.7 * (phi - 0.3)
        normal = lift * np.cos(phi) + 0.01 * np.sin(phi)
        along = lift * np.sin(phi) - 0.01 * np.cos(phi)
        loss = 2 / np.pi * np.arccos(np.exp(-(RADIUS - r) / (r * np.sin(phi))))
        k, turn = (sigma * c / (4 * loss * np.sin(phi) * e) for c, e in ((normal, np.sin(phi)), (along, np.cos(phi))))
        a = k / (1 + k)
        return np.sin(phi) / (1 - a) - wind / around * np.cos(phi) * (1 - turn), a

    low, high = 0.05, 1.5
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if wanted(middle)[0] < 0 else (low, middle)
    return wanted(low)[1]


def test_dynamic_stall_at_a_constant_angle_is_the_polar():
    angle = np.radians(np.arange(-180, 181, 2.0))
    lift = 1.4 * np.sin(np.clip(6 * angle, -np.pi / 2, np.pi / 2)) * np.cos(angle)
    polar = Polar(angle, lift, 0.01 + 1.2 * np.sin(angle) ** 2)
    made = []
    for stall in (False, True):
        model = turning_rotor(wind=(0, 0, 60.0), pitch=-0.05, inflow="none", dynamic_stall=stall)
        model.forces["air"].options["polars"] = [polar]
        made.append(last_of(model)[:2])
    # The last chord lengths of the start still die away; compressibility does not change what the polar says.
    assert made[1] == pytest.approx(made[0], rel=1e-3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"inflow": "momentun"}, 'inflow "momentun"'),
        ({"wind": ("strong", 0.0, 0.0)}, "wind 0: 'strong'"),
        ({"blades": 0}, "blades 0; expected a number above 0"),
    ],
)
def test_a_rotor_says_what_is_wrong(options, says):
    with pytest.raises(SetupError, match=says):
        turning_rotor(**options) if options != {"blades": 0} else _no_blades()


def _no_blades():
    model = turning_rotor()
    options = dict(model.forces["air"].options)
    strip = options["sections"]
    rotor(model, "more", body="blades", centre=(0, 0, 0), axis=(0, 0, 1), sections=strip, polars=options["polars"],
          radius=1.0, blades=0)  # fmt: skip


def test_an_exported_rotor_gives_the_same_thrust(tmp_path):
    import counterpoint as cp

    model = turning_rotor(wind=(0, 0, 20.0), pitch=-0.05, dynamic_stall=True)
    here = last_of(model, until=0.1)[0]
    cp.export_fmu(model, tmp_path / "rotor.fmu", step=2e-3)
    system = cp.System("exported")
    system.add("rotor", cp.fmu(tmp_path / "rotor.fmu"), step=2e-3)
    assert system.run(until=0.1)["rotor.air[0]"].values[-1].item() == pytest.approx(here, rel=1e-12)
