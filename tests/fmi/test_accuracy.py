"""Two coupled oscillators against the exact solution: the figures of the page about it, and what they must not exceed."""

import math
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import counterpoint as cp

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = runpy.run_path(str(ROOT / "docs" / "fmu_accuracy.py"))
Case, CASES, MULTIRATE, ONCE = (EXPERIMENT[name] for name in ("Case", "CASES", "MULTIRATE", "ONCE"))


@pytest.fixture(scope="session")
def fmus(built):
    return {version: built("oscillator", version) for version in (2, 3)}


@pytest.fixture
def errors(fmus):
    """Errors of x1 and v2 after 10 s with a macro step of 10 ms."""
    return lambda case, step=0.01: EXPERIMENT["errors"](case, fmus, step)


def test_one_re_step_with_fmi_derivatives_reaches_2e_5_in_x1(errors, version):
    """The best that another master reaches, OMSimulator, is 2.0e-5 and 1.1e-4."""
    x1, v2 = errors(Case("", cp.hermite(), version=version, window=ONCE))
    assert x1 <= 2e-5
    assert v2 <= 1.1e-4


@pytest.mark.parametrize("scheme", ["parallel", "slowest-first", "fastest-first"])
def test_steps_without_a_common_multiple_at_order_2_are_ten_times_better_than_held_inputs(errors, version, scheme):
    held = errors(Case("", cp.hold(), scheme, version, "start", MULTIRATE))
    second = errors(Case("", cp.lagrange(2), scheme, version, "auto", MULTIRATE))
    assert all(ours <= theirs / 10.0 for ours, theirs in zip(second, held, strict=True))


@pytest.mark.parametrize(("case", "order"), [
    (Case("", cp.hold(), inputs_at="start"), 1),
    (Case("", cp.hold("ahead"), inputs_at="start", window=(1.0, 20, 1e-10)), 1),
    (Case("", cp.lagrange(1)), 2),
    (Case("", cp.lagrange(1), window=ONCE), 2),
    (Case("", cp.lagrange(2), window=ONCE), 3),
    (Case("", cp.hermite(), window=ONCE), 4),
], ids=lambda value: value.title if isinstance(value, Case) else str(value))  # fmt: skip
def test_the_order_is_that_of_the_input_whatever_is_iterated(errors, case, order):
    coarse, fine = (math.hypot(*errors(case, step)) for step in (0.04, 0.02))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.35)


def test_the_line_that_an_fmu_gets_is_better_than_the_chord(errors):
    """With a chord the error of v2 is 7.0e-4 however well the signal is known: the mean of the input is wrong."""
    assert errors(Case("", cp.hermite()))[1] < 7.0e-4 / 50


def test_an_output_with_feedthrough_makes_the_coupling_of_order_3(fmus):
    """The spring between the masses is in the left FMU: its force is an output that depends on its inputs."""

    def error(step):
        system = cp.System("force and motion")
        driven = {"m": 1.0, "k": 10.0, "c": 0.1, "kc": 5.0, "dc": 0.2}
        system.add("left", cp.fmu(fmus[2], parameters=driven, start={"x": 1.0}), step=step)
        system.add("right", cp.fmu(fmus[2], parameters=driven | {"kc": 0.0, "dc": 0.0}, start={"x": 0.0}), step=step)
        system.connect("right.x", "left.x_other", cp.lagrange(2))
        system.connect("right.v", "left.v_other", cp.lagrange(2))
        system.connect("left.f", "right.force", cp.lagrange(2), gain=-1.0)
        result = system.run(until=5.0, scheme="parallel", first_steps="repeat")
        styles = [part.subsystem.input_style for part in system.subsystems.values()]
        assert styles == ["slope_to_end", "slope"]
        exact = expm(5.0 * EXPERIMENT["MATRIX"]) @ EXPERIMENT["START"]
        return math.hypot(result["left.x"].values[-1] - exact[0], result["right.v"].values[-1] - exact[3])

    coarse, fine = error(0.02), error(0.01)
    assert math.log2(coarse / fine) == pytest.approx(3.0, abs=0.35)
    assert fine < 2e-4


def test_windows_give_the_same_bits_for_any_number_of_threads(fmus):
    case = Case("", cp.hermite(), steps=MULTIRATE)
    runs = [
        EXPERIMENT["pair"](case, fmus).run(until=1.0, scheme="parallel", window=cp.window(0.02, 2), threads=threads)
        for threads in (1, 2)
    ]
    assert list(runs[0]["left.x"].values) == list(runs[1]["left.x"].values)


def test_an_fmu_in_a_process_of_its_own_is_repeated_with_the_same_bits(fmus, version):
    def run(**options):
        system = cp.System("pair")
        for name, x0 in (("left", 1.0), ("right", 0.0)):
            parameters = {"k": 10.0, "kc": 5.0}
            system.add(name, cp.fmu(fmus[version], parameters=parameters, start={"x": x0}, **options), step=0.01)
        system.connect("left.x", "right.x_other", cp.hermite())
        system.connect("right.x", "left.x_other", cp.hermite())
        return system.run(until=0.5, scheme="parallel", window=cp.window(0.02, 5, 1e-8))

    here, apart = run(), run(isolate=True)
    assert list(here["left.x"].values) == list(apart["left.x"].values)
    assert here.summary.windows == apart.summary.windows


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}: {case.title}")
def test_the_page_has_the_errors_that_are_reached(errors, case):
    text = EXPERIMENT["PAGE"].read_text(encoding="utf-8")
    group = text.partition(f"| **{case.group}** |")[2]
    found = re.search(rf"^\| {re.escape(case.title)} \| (\S+) \| (\S+) \|", group, flags=re.M)
    assert found is not None
    # Two digits are printed; below 1e-8 the rounding of a thousand steps may differ from one compiler to the next.
    for told, reached in zip(found.groups(), errors(case), strict=True):
        assert float(told) == pytest.approx(reached, rel=0.06 if reached > 1e-8 else 0.5)


def test_an_fmu_that_cannot_save_is_named(built, version):
    from .models import OSCILLATOR

    model = OSCILLATOR.changed(co_simulation={"canHandleVariableCommunicationStepSize": "true"})
    system = cp.System()
    system.add("pump", cp.fmu(built(model, version)), step=0.01)
    with pytest.raises(cp.SetupError, match=r"subsystems\.pump: cannot save and restore its state"):
        system.run(until=1.0, window=cp.window(0.01))


def test_an_fmu_with_equal_steps_asks_for_windows_that_fit(built, version):
    from .models import OSCILLATOR, STATE

    model = OSCILLATOR.changed(co_simulation=STATE)
    system = cp.System()
    system.add("pump", cp.fmu(built(model, version)), step=0.01)
    with pytest.raises(cp.SetupError, match=r'window\.length: 0.025 s is not a multiple of the step of "pump", 0.01 s'):
        system.run(until=1.0, window=cp.window(0.025))
    assert system.run(until=1.0, window=cp.window(0.02)).status == "finished"


def test_an_fmu_with_events_inside_its_steps_is_repeated_with_them(built):
    """The ball of FMI 3 ends its steps at impacts; a neighbour that it reads makes both repeat."""
    system = cp.System()
    system.add("ball", cp.fmu(built("bouncing-ball", 3)))
    system.add("count", cp.ode(lambda t, x, u: u, [0.0], inputs="n", outputs="integral"), step=0.05)
    system.connect("ball.bounces", "count.n", cp.hold())
    no_waiting = cp.custom({})  # a named scheme waits for whoever has no inputs
    plain = system.run(until=2.0, scheme=no_waiting)
    repeated = system.run(until=2.0, scheme=no_waiting, window=cp.window(0.1))
    assert repeated.summary.windows.passes == 2 * repeated.summary.windows.count
    # Nothing acts on the ball, so a repeat changes nothing of it: also its impacts are taken back and made again.
    for name in ("ball.h", "ball.bounces"):
        times = np.unique(plain[name].time) + 1e-9  # not to fall before a sample by a rounding
        assert repeated[name].at(times[:-1], "hold") == pytest.approx(plain[name].at(times[:-1], "hold"), abs=1e-9)
