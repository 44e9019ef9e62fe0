import numpy as np
import pytest

import counterpoint as cp

from .exchanging import exchange
from .models import OSCILLATOR


def test_model_exchange_is_linearised_by_directional_derivatives(built, version):
    path = built(OSCILLATOR, version)
    fmu = exchange(path, solver="ode4", parameters={"c": 0.5})
    found = fmu.linear_model(0.0, np.zeros(sum(fmu.input_widths.values())), None)
    assert found.solver == "ode4"
    np.testing.assert_allclose(found.A, [[0, 1], [-100, -0.5]], atol=1e-9)
    column = found.inputs.index("force")
    np.testing.assert_allclose(found.B[:, column], [0, 1], atol=1e-9)
    assert found.D[found.outputs.index("a"), column] == pytest.approx(1.0)


def test_co_simulation_is_linearised_and_its_coupling_probed(built, version):
    path = built(OSCILLATOR, version)
    system = cp.System()
    for name in ("left", "right"):
        fmu = cp.fmu(path, parameters={"kc": 20.0, "internal_step": 1e-4}, outputs=["x", "v"])
        system.add(name, fmu, step=0.01)
    for a, b in (("left", "right"), ("right", "left")):
        system.connect(f"{a}.x", f"{b}.x_other", cp.lagrange(2))
        system.connect(f"{a}.v", f"{b}.v_other", cp.lagrange(2))
    found = cp.stability(system, "parallel")
    frequencies = sorted({round(mode.frequency, 6) for mode in found.modes})
    np.testing.assert_allclose(frequencies, np.sqrt([100.0, 140.0]) / (2 * np.pi), rtol=1e-5)


def test_an_fmu_without_derivatives_is_tried_step_by_step(tmp_path):
    mass = cp.linear([[0, 1], [-40, -0.5]], [[0], [40]], [[1, 0]], x0=[0, 0], inputs="u", outputs="x")
    cp.export_fmu(mass, tmp_path / "mass.fmu", step=0.01)
    system = cp.System()
    system.add("mass", cp.fmu(tmp_path / "mass.fmu"), step=0.01)
    model = cp.linearise(system).models["mass"]
    np.testing.assert_allclose(sorted(model.poles.imag), sorted(np.roots([1, 0.5, 40]).imag), rtol=1e-5)


def test_an_fmu_is_asked_where_a_run_is_at_a_time(built, version):
    system = cp.System()
    system.add("mass", exchange(built(OSCILLATOR, version), solver="ode4"), step=0.001)
    model = cp.linearise(system, at=0.02).models["mass"]
    np.testing.assert_allclose(model.A, [[0, 1], [-100, 0]], atol=1e-9)


def test_a_linear_model_has_one_solver_where_the_fmu_begins_with_a_choice_of_two(built, version):
    fmu = exchange(built(OSCILLATOR, version))
    assert fmu.linear_model(0.0, np.zeros(sum(fmu.input_widths.values())), None).solver == "ode45"
