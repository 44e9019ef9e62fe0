"""Fast paths of the coupling against its definition: schemes, approximations, threads and kinds of subsystems."""

import pytest

import counterpoint as cp
from counterpoint import _core

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")
APPROXIMATIONS = [cp.hold(), *(cp.lagrange(order) for order in range(5))]
APPROXIMATIONS += [cp.hermite(), cp.taylor(2), cp.least_squares(1, 4), cp.mean(), cp.transition(1)]
EQUAL, UNEQUAL = (0.01, 0.01), (0.01, 0.023)


def oscillator(stiffness, x0):
    return cp.linear([[0, 1], [-stiffness, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"])


def linear(steps, approximation):
    system = cp.System("linear")
    for name, step, model in zip("ab", steps, (oscillator(15, 1.0), oscillator(18, 0.0)), strict=True):
        system.add(name, model, step=step)
    system.connect("a.x", "b.u", approximation, gain=1.1, offset=0.01)
    system.connect("b.x", "a.u", approximation)
    return system


def two_inputs(steps, approximation):
    system = cp.System("two inputs")
    for name, step, x0 in zip("ab", steps, (1.0, 0.5), strict=True):
        model = cp.linear([[0, 1], [-15, -0.3]], [[0, 0], [5, 1]], x0=[x0, 0], inputs=["p", "q"], outputs=["x", "v"])
        system.add(name, model, step=step)
    for source, target in ("ab", "ba"):
        system.connect(f"{source}.x", f"{target}.p", approximation)
        system.connect([f"{source}.v", f"{source}.x"], f"{target}.q", approximation, gain=[-0.5, 0.1])
    return system


def ode(steps, approximation):
    def f(t, x, u):
        return [x[1], -10 * x[0] - 0.2 * x[1] ** 3 + 3 * u[0]]

    system = cp.System("ode")
    system.add("a", cp.ode(f, x0=[1, 0], inputs="u", outputs=["x", "v"], solver="ode4"), step=steps[0])
    own_pace = steps[0] != steps[1]
    second = cp.ode(f, x0=[0, 0.2], inputs="u", outputs=["x", "v"], solver="ode45" if own_pace else "ode2")
    system.add("b", second, step=None if own_pace else steps[1])
    system.connect("a.x", "b.u", approximation)
    system.connect("b.x", "a.u", approximation)
    return system


def diagram(steps, approximation):
    drive = cp.Diagram("drive", solver="ode4", inner_step=0.002)
    shaft, speed, angle = drive.integrator(name="shaft"), drive.integrator(name="speed"), drive.input("angle")
    speed.connect(200.0 * (drive.step(0.3, after=1.0) - shaft) - 20.0 * speed - 30.0 * (shaft - angle))
    speed >> shaft
    drive.output("shaft", shaft)
    system = cp.System("diagram")
    system.add("drive", drive, step=steps[0])
    system.add("rotor", oscillator(40, 0.0), step=steps[1])
    system.connect("drive.shaft", "rotor.u", approximation)
    system.connect("rotor.x", "drive.angle", approximation)
    return system


def mechanism(steps, approximation):
    arm = cp.multibody.Mechanism("arm", dimension=2)
    arm.point("O", (0, 0), fixed=True)
    arm.point("A", (1, 0))
    arm.body("rod", points=["O", "A"], mass=1.0)
    arm.angle("angle", "rod")
    arm.actuator("drive", "angle", force="input:torque")
    arm.output("angle", "angle")
    system = cp.System("mechanism")
    system.add("arm", arm, step=steps[0])
    system.add("load", oscillator(17, 0.1), step=steps[1])
    system.connect("arm.angle", "load.u", approximation)
    system.connect("load.x", "arm.torque", approximation, gain=0.5)
    return system


def test_the_definition_uses_none_of_the_fast_paths():
    paths = [name for name in vars(_core.FastPaths) if isinstance(vars(_core.FastPaths)[name], property)]
    assert len(paths) > 10
    allowed, defined = _core.FastPaths(), _core.FastPaths.none()
    assert [getattr(allowed, path) for path in paths] == [True] * len(paths)
    assert [getattr(defined, path) for path in paths] == [False] * len(paths)


@pytest.mark.parametrize("approximation", APPROXIMATIONS, ids=str)
@pytest.mark.parametrize("make", [linear, two_inputs, ode, diagram, mechanism])
def test_every_bit_is_that_of_the_definition(check_fast_paths, make, approximation):
    for scheme in SCHEMES:
        for steps in (EQUAL, UNEQUAL):
            for threads in (1, 2):
                check_fast_paths(
                    lambda steps=steps: make(steps, approximation), until=0.25, scheme=scheme, threads=threads
                )


WINDOWS = {
    "once": cp.window(),
    "repeat-once": "repeat-once",
    "converged": cp.window(0.05, repeats=3, tolerance=1e-9),
    "accelerated": cp.window(0.046, acceleration="iqn-ils", stencil="centred"),
}


@pytest.mark.parametrize(
    "approximation", [cp.hold(), cp.lagrange(1), cp.lagrange(2), cp.hermite(), cp.spline(), cp.mean()], ids=str
)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.filterwarnings("ignore::counterpoint.WindowWarning")  # the bits count, not whether they are good ones
def test_every_bit_is_that_of_the_definition_in_windows(check_fast_paths, approximation, window):
    for steps, scheme, make in (
        *((steps, scheme, linear) for steps in (EQUAL, UNEQUAL) for scheme in SCHEMES[:3]),
        (EQUAL, "parallel", two_inputs),
        (UNEQUAL, "sequential", mechanism),
        (EQUAL, "parallel", mechanism),
    ):
        check_fast_paths(
            lambda make=make, steps=steps: make(steps, approximation),
            until=0.3,
            scheme=scheme,
            window=WINDOWS[window],
        )


@pytest.mark.parametrize("approximation", [cp.hold(), cp.lagrange(1), cp.lagrange(3), cp.hermite()], ids=str)
@pytest.mark.filterwarnings("ignore::counterpoint.WindowWarning")
@pytest.mark.parametrize(("steps", "length"), [((0.01, 0.05), 0.05), ((0.01, 0.05), 0.2), ((0.02, 0.03), 0.06)])
def test_every_bit_is_that_of_the_definition_where_all_passes_are_alike(
    check_fast_paths, tmp_path, approximation, steps, length
):
    """Later windows repeat the order of the first one (joint_pass.hpp), until the run cuts the last one short."""
    windows = [
        cp.window(length),
        cp.window(length, tolerance=1e-7, repeats=4),
        cp.window(length, repeats=2, stencil="centred"),
        cp.window(length, tolerance=1e-5, repeats=3, acceleration="iqn-ils"),
    ]
    for scheme in SCHEMES[:3]:
        for window in windows:
            for make in (linear, two_inputs, mechanism) if length == 0.2 else (linear,):
                check_fast_paths(lambda make=make: make(steps, approximation), until=2.03, scheme=scheme, window=window)
        file = {"file": tmp_path / "run.h5", "overwrite": True}
        check_fast_paths(lambda: linear(steps, approximation), until=2.0, scheme=scheme, window=windows[0], **file)


def test_every_bit_is_that_of_the_definition_where_steps_are_nearly_a_part_of_the_window(check_fast_paths):
    """Steps that come to the end of the window a little early or late drift over the tolerance."""
    for step in (0.02 * (1.0 + 1e-9), 0.02 * (1.0 - 2e-7), 0.02 * (1.0 + 3e-6)):
        check_fast_paths(
            lambda step=step: linear((0.01, step), cp.lagrange(1)),
            until=4.0,
            scheme="slowest-first",
            window=cp.window(0.1),
        )


def ring(count, approximation):
    system = cp.System("ring")
    for k in range(count):
        system.add(f"m{k}", oscillator(15 + k % 7, float(k % 5)), step=0.01)
    for k in range(count):
        system.connect(f"m{k}.x", f"m{(k + 1) % count}.u", approximation)
    return system


@pytest.mark.parametrize("approximation", [cp.lagrange(1), cp.lagrange(3)], ids=str)
def test_every_bit_is_that_of_the_definition_where_a_round_leaves_the_caches(check_fast_paths, approximation):
    """More members than those whose memory is asked for ahead (round.cpp)."""
    check_fast_paths(lambda: ring(1030, approximation), until=0.2, scheme="parallel", check="off")


def test_every_bit_is_that_of_the_definition_in_a_file(check_fast_paths, tmp_path):
    """More rows than are kept unread at once: held inputs whose defects are made when they are read."""
    file = tmp_path / "run.h5"
    check_fast_paths(lambda: linear(EQUAL, cp.hold()), until=60.0, scheme="parallel", file=file, overwrite=True)
    check_fast_paths(lambda: linear(EQUAL, cp.hold()), until=60.0, scheme="parallel")


@pytest.mark.parametrize("approximation", [cp.hold(), cp.lagrange(1)], ids=str)
def test_every_bit_is_that_of_the_definition_in_windows_of_a_file(check_fast_paths, tmp_path, approximation):
    """In memory what was assumed is kept and compared after the run, in a file it is compared during the run."""
    file = {"file": tmp_path / "run.h5", "overwrite": True}
    for options in (file, {}):
        check_fast_paths(
            lambda: linear(EQUAL, approximation), until=3.0, scheme="parallel", window=cp.window(0.05), **options
        )


class Failing(cp.Subsystem):
    """Fails in the step that begins at a time (s)."""

    inputs = ("u",)
    outputs = ("x",)

    def __init__(self, time):
        self.time = time

    def start(self, t):
        self.x = 0.3

    def step(self, t, t_end, u):
        if t > self.time:
            raise ValueError("the valve is stuck")
        self.x += (t_end - t) * (u(t)[0] - self.x)

    def output(self, t, u):
        return self.x

    def save(self):
        return self.x

    def restore(self, state):
        self.x = state


@pytest.mark.parametrize("window", [None, cp.window(0.05)], ids=["plain", "windows"])
@pytest.mark.parametrize("steps", [(0.01, 0.01, 0.01), (0.01, 0.025, 0.05)], ids=["equal steps", "different steps"])
@pytest.mark.parametrize("failing", range(3))
@pytest.mark.parametrize("approximation", [cp.hold(), cp.lagrange(1), cp.lagrange(2)], ids=str)
def test_a_step_that_fails_leaves_the_bits_of_the_definition(
    without_fast_paths, bits_of, approximation, failing, steps, window
):
    """The source may have published for the end of the step: nothing was assumed for it."""

    def run():
        system = cp.System("ring")
        for k in range(3):
            system.add(f"m{k}", Failing(0.455 if k == failing else 9.0), step=steps[k])
        for k in range(3):
            system.connect(f"m{k}.x", f"m{(k + 1) % 3}.u", approximation, gain=1.1)
        with pytest.raises(cp.ModelError, match="the valve is stuck") as error:
            system.run(until=1.0, scheme="parallel", window=window)
        return bits_of(error.value.result)

    fast = run()
    with without_fast_paths():
        defined = run()
    assert fast == defined


PACES = {
    "defect": lambda tolerance: cp.pace.defect(tolerance, first=0.01, smallest=1e-3, largest=0.1),
    "gradient": lambda tolerance: cp.pace.gradient(tolerance=tolerance, first=0.01, smallest=1e-3, largest=0.1),
    "table": lambda tolerance: cp.pace.table([0.0, 1.0], [0.01, 0.013]),
}


def steps_of(result):
    """Return every bit of the steps that paces have chosen."""
    return [repr(result.steps[name].to_numpy().tolist()) for name in result.subsystems]


@pytest.mark.parametrize("tolerance", [1e-4, 1e3], ids=["active", "far from its tolerance"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("whose", ["all", "each its own"])
@pytest.mark.parametrize("name", PACES)
def test_defects_beside_a_pace_that_listens_are_those_of_the_definition(
    check_fast_paths, without_fast_paths, name, whose, scheme, tolerance
):
    """What a pace is told is compared during the run, and the defect after it, from what was recorded."""
    pace = PACES[name](tolerance)
    own, common = (None, pace) if whose == "all" else (pace, None)

    def make():
        system = cp.System("paced")
        for part, stiffness, x0 in (("a", 15, 1.0), ("b", 18, 0.0)):
            system.add(part, oscillator(stiffness, x0), step=0.01, pace=own)
        system.connect("a.x", "b.u", cp.lagrange(1), gain=1.1, offset=0.01)
        system.connect("b.x", "a.u", cp.lagrange(2))
        return system

    if name == "defect" and whose == "each its own" and scheme != "parallel":
        pytest.skip("one of the two extrapolates nothing: it has no defect to follow")
    options = {"until": 8.0, "scheme": scheme, "pace": common}
    check_fast_paths(make, **options)
    fast = steps_of(make().run(**options))
    with without_fast_paths():
        assert steps_of(make().run(**options)) == fast
