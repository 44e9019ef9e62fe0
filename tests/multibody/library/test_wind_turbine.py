"""Wind turbines of the library: masses, degrees of freedom, hinges and drive train."""

import numpy as np
import pytest

from counterpoint.multibody.library import awt27, cart, wind_turbine
from counterpoint.multibody.library.wind_turbine import blade_loads


def test_the_awt27_has_its_masses():
    data = awt27()
    assert data.blade.mass + data.tip_mass == pytest.approx(440.905, rel=1e-3)
    assert data.hub_height == pytest.approx(42.672)


@pytest.mark.parametrize(("free_yaw", "freedoms"), [(False, 15), (True, 16)])
def test_each_hinge_bends_two_ways(free_yaw, freedoms):
    # Tower 2 x 2, blades 2 x 2 x 2, teeter, rotor, twist of the shaft; yaw if free. The pitch bearings are held.
    model = wind_turbine(awt27(), blade_segments=2, tower_segments=2, free_yaw=free_yaw)
    assert model.assembled().degrees_of_freedom == freedoms


def test_the_generator_turns_with_the_gear_ratio():
    model = wind_turbine(cart(), rotor_speed=4.0, blade_segments=2, tower_segments=2)
    result = model.run(until=0.02, step=0.01)
    assert result["cart.generator_speed"].at(0.0) == pytest.approx(43.165 * 4.0)
    assert result["cart.rotor_speed"].at(0.0) == pytest.approx(4.0)


def test_a_resting_blade_hangs_on_its_root_with_its_weight():
    data = awt27()
    model = wind_turbine(data, blade_segments=3, tower_segments=2)
    loads = blade_loads(data, model.run(until=0.5, step=0.01), 2)
    # Blade 2 hangs down: its weight pulls along z, to the tip; the cone leaves a small part across. It swings a little.
    weight = (data.blade.mass + data.tip_mass) * data.gravity
    assert loads.force[:, 2].mean() == pytest.approx(weight, rel=0.03)


def test_teeter_stops_hold():
    data = cart()
    curve = np.array(data.teeter.curve())
    assert np.interp(np.radians(2.0), *curve.T) == 0.0
    assert np.interp(np.radians(4.0), *curve.T) == pytest.approx(np.radians(1.0) * data.teeter.stop_stiffness)
