"""FMUs in compound steps and accelerated windows: the same numbers as the models that they are made of."""

import numpy as np
import pytest

import counterpoint as cp

from .models import OSCILLATOR


def equation(rate, gain):
    return cp.linear([[rate]], [[gain]], x0=[1.0], inputs="u", outputs="y", solver="trapezoidal")


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    for name, rate, gain, step in (("fast", -5.0, 1.0, 0.05), ("slow", -0.5, 1.5, 0.5)):
        cp.export_fmu(equation(rate, gain), folder / f"{name}.fmu", step=step)
    return folder


def coupled(fast, slow):
    system = cp.System("coupled")
    system.add("fast", fast, step=0.05)
    system.add("slow", slow, step=0.5)
    system.connect("fast.y", "slow.u", cp.mean("time-weighted"))
    system.connect("slow.y", "fast.u", cp.mean("time-weighted"))
    return system


@pytest.mark.parametrize(
    "window",
    [cp.compound_fast(tolerance=1e-12), cp.compound_fast(share=0.5, tolerance=1e-12),
     cp.window(0.5, acceleration="iqn-ils", tolerance=1e-12)],
    ids=str,
)  # fmt: skip
def test_fmus_are_iterated_restored_and_refined(fmus, window):
    """An FMU gets one value for a step: the mean over the step makes it implicit, which the value at its start is not.
    In a compound step the fast FMU makes its inner steps, a model one large one."""
    models = coupled(equation(-5.0, 1.0), equation(-0.5, 1.5)).run(until=5.0, window=window)
    result = coupled(cp.fmu(fmus / "fast.fmu"), cp.fmu(fmus / "slow.fmu")).run(until=5.0, window=window)
    assert result.summary.windows.not_converged == 0
    assert result.summary.steps == models.summary.steps == [100, 10]
    assert result["slow.y"].values == pytest.approx(
        models["slow.y"].values, abs=1e-9 if window.compound is None else 0.1
    )
    assert np.all(np.diff(result["fast.y"].time) > 0.0)


def test_newton_takes_directional_derivatives_of_fmus(built, version):
    """Nothing is tried and no pass measures anything: the FMUs tell their derivatives."""
    system = cp.System()
    for name in ("left", "right"):
        fmu = cp.fmu(built(OSCILLATOR, version), parameters={"kc": 100.0, "internal_step": 1e-3}, outputs=["x", "v"])
        system.add(name, fmu, step=0.01)
    for a, b in (("left", "right"), ("right", "left")):
        system.connect(f"{a}.x", f"{b}.x_other", cp.lagrange(1))
    found = {}
    for name, given in (("none", None), ("newton", cp.linearise(system, try_steps=False))):
        window = cp.window(0.2, tolerance=1e-9, acceleration=name, derivatives=given)
        found[name] = system.run(until=1.0, scheme="parallel", window=window)
        assert found[name].summary.windows.not_converged == 0
    assert found["newton"]["left.x"].values == pytest.approx(found["none"]["left.x"].values, abs=1e-7)
    assert found["newton"].summary.windows.passes < 0.7 * found["none"].summary.windows.passes
