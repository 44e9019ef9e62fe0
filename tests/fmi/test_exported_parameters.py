"""Parameters of exported FMUs: numbers that a master sets before the start."""

import pytest

import counterpoint as cp

from . import exported
from .test_exporting import close, imported, simulated


def parameters(path):
    return {v.name: v.start[0] for v in cp.fmi.read_description(path).variables if v.causality == "parameter"}


def test_blocks_and_initial_states_have_them(version, tmp_path):
    path = cp.export_fmu(exported.thermostat(), tmp_path / "house.fmu", version=version)
    changed = exported.thermostat()
    changed.blocks["temperature"].numbers["initial"][:] = 19.0
    changed.blocks["heater"].numbers["output_on"][:] = 2000.0
    own = changed.run(until=7200.0)["thermostat.temperature"].values[::10]
    start = {"temperature.initial": 19.0, "heater.output_on": 2000.0}
    close(own, simulated(path, 7200.0, 600.0, start_values=start)["temperature"])
    close(own, imported(path, 7200.0, 600.0, parameters=start)["fmu.temperature"].values)


def test_how_a_block_is_built_is_no_parameter(written):
    found = parameters(written("engine", 2))
    assert any(name.endswith(".gain") for name in found)
    assert not any(name.endswith((".count", ".locate_corners")) for name in found)


def test_bodies_have_their_mass_and_force_elements_their_numbers(written):
    found = parameters(written("four-bar", 3))
    expected = {
        "crank.mass": 1.0,
        "coupler.mass": 1.0,
        "rocker.mass": 1.2,
        "brace.stiffness": 20.0,
        "brace.damping": 0.5,
    }
    assert found == pytest.approx(expected | {"brace.natural": (1 + 1.2**2) ** 0.5})


def test_every_kind_of_force_element_has_them(written):
    found = set(parameters(written("every element", 3)))
    assert {
        "arm.mass", "wheel.mass", "prop.stiffness", "rub.sliding", "rub.breakaway", "bush.stiffness[2]", "bump.exponent",
        "tyre.radius", "tyre.lateral.B", "vane.span", "vane.chord_length",
    } <= found  # fmt: skip


def at_rest():
    made = exported.four_bar()
    made.points["B"].velocity[:] = 0.0
    return made


def changed_four_bar():
    made = at_rest()
    made.bodies["crank"].mass, made.bodies["rocker"].mass = 2.5, 0.7
    made.forces["brace"].options.update(stiffness=50.0, damping=0.1)
    return made


def test_a_mechanism_moves_with_what_was_set(version, tmp_path):
    """As the mechanism that was made with these numbers: inertia grows with the mass, weight and supports as well.

    It begins at rest: velocities that do not fit the joints are corrected with regard to the masses of the export.
    """
    path = cp.export_fmu(at_rest(), tmp_path / "four-bar.fmu", version=version)
    start = {"crank.mass": 2.5, "rocker.mass": 0.7, "brace.stiffness": 50.0, "brace.damping": 0.1}
    own = changed_four_bar().run(until=1.0, step=1e-3)
    theirs = simulated(path, 1.0, 0.01, start_values=start)
    close(own["four-bar.angle"].values[::10], theirs["angle"])
    if version == 2:
        close(own["four-bar.bearing"].values[::10, 1], theirs["bearing[1]"])


def test_a_mass_that_cannot_be_is_told(written, version):
    system = cp.System()
    system.add("fmu", cp.fmu(written("four-bar", version), parameters={"crank.mass": -1.0}), step=0.01)
    with pytest.raises(cp.ComponentError, match=r"crank\.mass: -1 kg; expected a number greater than 0"):
        system.run(until=0.1)


def test_inside_of_a_system_they_begin_with_the_subsystem(tmp_path):
    system = cp.System("pair")
    system.add("linkage", exported.four_bar(), step=1e-3)
    system.add(
        "mass", cp.linear([[0, 1], [-9, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"]), step=0.01
    )
    found = parameters(cp.export_fmu(system, tmp_path / "pair.fmu", version=2))
    assert found["linkage.brace.stiffness"] == 20.0
    assert found["linkage.crank.mass"] == 1.0
    assert found["mass.x0[0]"] == 1.0


def test_a_state_knows_the_parameters_it_was_reached_with(written, version):
    pytest.importorskip("fmpy")
    from .leading import Led

    with Led(written("four-bar", version), start={"crank.mass": 3.0}) as fmu:
        fmu.step(0.0, 0.2)
        data = fmu.state_bytes()
        fmu.step(0.2, 0.2)
        unbroken = fmu.outputs()
    with Led(written("four-bar", version)) as fmu:
        fmu.take_over(data)
        assert fmu.get("crank.mass") == 3.0
        fmu.step(0.2, 0.2)
        assert fmu.outputs() == unbroken
