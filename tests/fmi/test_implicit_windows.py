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


class InInnerSteps(cp.Subsystem):
    """What the FMU of an equation does: the trapezoidal rule with its own steps, and one value of the input for a step
    of the coupling."""

    inputs, outputs = ("u",), ("y",)

    def __init__(self, rate, gain, step):
        self.rate, self.gain, self.inner = rate, gain, step

    def start(self, t):
        self.y = 1.0

    def step(self, t, t_end, u):
        count = round((t_end - t) / self.inner)
        h = 0.5 * (t_end - t) / count
        for _ in range(count):
            self.y = ((1.0 + h * self.rate) * self.y + 2.0 * h * self.gain * u(t)[0]) / (1.0 - h * self.rate)

    def output(self, t, u):
        return self.y

    def save(self):
        return self.y

    def restore(self, state):
        self.y = state


@pytest.mark.parametrize(
    "window",
    [cp.compound_fast(tolerance=1e-12), cp.compound_fast(share=0.5, tolerance=1e-12),
     cp.compound_fast(share="mixed", tolerance=1e-12), cp.window(0.5, acceleration="iqn-ils", tolerance=1e-12)],
    ids=str,
)  # fmt: skip
def test_fmus_are_iterated_restored_and_refined(fmus, window):
    """An FMU gets one value for a step: the mean over the step makes it implicit, which the value at its start is not.
    In a compound step the fast FMU makes its inner steps."""
    models = coupled(InInnerSteps(-5.0, 1.0, 0.05), InInnerSteps(-0.5, 1.5, 0.5)).run(until=5.0, window=window)
    result = coupled(cp.fmu(fmus / "fast.fmu"), cp.fmu(fmus / "slow.fmu")).run(until=5.0, window=window)
    assert result.summary.windows.not_converged == 0
    assert result.summary.steps == models.summary.steps == [100, 10]
    for name in ("slow.y", "fast.y"):
        assert result[name].values == pytest.approx(models[name].values, abs=1e-10)


def test_fmus_in_mixed_compound_steps_are_the_models_they_are_made_of(fmus):
    """In the compound step, too, the fast one makes a step of its own length: nothing differs, not a bit."""
    window = cp.compound_fast(share="mixed")
    models = coupled(equation(-5.0, 1.0), equation(-0.5, 1.5)).run(until=5.0, window=window)
    result = coupled(cp.fmu(fmus / "fast.fmu"), cp.fmu(fmus / "slow.fmu")).run(until=5.0, window=window)
    whole = coupled(cp.fmu(fmus / "fast.fmu"), cp.fmu(fmus / "slow.fmu")).run(until=5.0, window=cp.compound_fast())
    assert result.summary.windows == models.summary.windows
    for name in ("slow.y", "fast.y"):
        assert np.array_equal(result[name].values, models[name].values)
        assert not np.allclose(result[name].values[1:], whole[name].values[1:], atol=1e-4)


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
