"""Rings with random windows of all kinds, steps and threads: the same bits with and without fast paths."""

import random

import pytest

import counterpoint as cp

FROM_SAMPLES = [cp.hold(), cp.hold("ahead"), *(cp.lagrange(order) for order in (1, 2, 3, 4)), cp.spline(), cp.mean()]
FROM_SAMPLES += [cp.mean("time-weighted"), cp.least_squares(1, 4), cp.variable_order()]
APPROXIMATIONS = [*FROM_SAMPLES, cp.hermite(), cp.taylor(1), cp.taylor(2), cp.transition(1), cp.transition(2)]
SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")


class Valve(cp.Subsystem):
    """A lag that reads its input in the middle of its steps; from a time on (s) it fails, or its steps end early."""

    inputs = ("u",)
    outputs = ("x",)

    def __init__(self, rate, fails_at=9.0):
        self.rate, self.fails_at = rate, fails_at

    def start(self, t):
        self.x = 0.3

    def step(self, t, t_end, u):
        if t > self.fails_at:
            raise ValueError("the valve is stuck")
        self.x += (t_end - t) * self.rate * (u(0.5 * (t + t_end))[0] - self.x)

    def output(self, t, u):
        return self.x

    def save(self):
        return self.x

    def restore(self, state):
        self.x = state


class Stopping(Valve):
    """Some of its steps end early."""

    stops_early = True

    def step(self, t, t_end, u):
        end = t + 0.6 * (t_end - t) if round(1000 * t) % 7 == 3 else t_end
        super().step(t, end, u)
        return end


def steps_of(choose, count):
    """Equal, in whole ratios, nearly in whole ratios, or of any length."""
    base = choose.choice([0.01, 0.02, 0.0125])
    factors = choose.choice(
        [[1.0], [1, 2, 4, 5, 10, 0.5, 0.2], [1, 2, 5, 10], [1, 1.5, 2 / 3, 3, 1 + 1e-9, 1 + 3e-6], [0.53, 1.71, 3.07]]
    )
    return [base * choose.choice(factors) for _ in range(count)]


def part(choose, may_fail):
    kind = choose.random()
    if kind < 0.7:
        return cp.linear(
            [[0, 1], [-choose.uniform(5, 40), -choose.uniform(0, 1)]],
            [[0], [choose.uniform(1, 8)]],
            x0=[choose.uniform(-1, 1), 0],
            inputs="u",
            outputs=["x", "v"],
            solver=choose.choice(["ode4", "ode2", "ode1", "trapezoidal"]),
        )
    if kind < 0.85:
        k = choose.uniform(2, 20)
        solver = choose.choice(["ode4", "ode2", "ode45"])
        return cp.ode(
            lambda t, x, u: [x[1], -k * x[0] - 0.2 * x[1] ** 3 + 2 * u[0]],
            x0=[1, 0],
            inputs="u",
            outputs=["x", "v"],
            solver=solver,
        )
    if kind < 0.95:
        return Valve(choose.uniform(1, 6), choose.uniform(0.3, 0.7) if may_fail else 9.0)
    return Stopping(choose.uniform(1, 6))


def window_of(choose, longest):
    length = longest * choose.choice([1, 1, 2, 4, 10, 1.37])
    stencil = choose.choice(["one-sided", "centred"])
    acceleration = choose.choice(["none", "none", "aitken", "anderson", "iqn-ils", "newton"])
    tolerance = 10 ** choose.uniform(-9, -3)
    return choose.choice(
        [
            None,
            "repeat-once",
            cp.window(length, choose.choice([1, 2, 3]), stencil=stencil),
            cp.window(length, choose.choice([2, 4, 20]), tolerance, stencil, acceleration=acceleration),
            cp.window(length, 3, tolerance, stencil, acceleration=acceleration, when_not_converged="cut"),
            cp.compound_fast(None, choose.choice([1.0, 0.5, "mixed"]), repeats=5),
            cp.estimated_response(length, choose.choice([1, 2])),
        ]
    )


def case(seed):
    """Return a system and the options of its run."""
    choose = random.Random(seed)
    count = choose.choice([2, 2, 2, 3, 3, 4, 5])
    steps = steps_of(choose, count)
    window = window_of(choose, max(steps))
    may_fail = window is not None and getattr(window, "estimate", None) is None and choose.random() < 0.2
    system = cp.System("random")
    parts = [part(choose, may_fail and k == 0) for k in range(count)]
    for k, (model, step) in enumerate(zip(parts, steps, strict=True)):
        system.add(f"m{k}", model, step=step)
    known = FROM_SAMPLES if any(isinstance(model, Valve) for model in parts) else APPROXIMATIONS
    one = choose.choice(known)
    for k in range(count):
        approximation = one if choose.random() < 0.7 else choose.choice(known)
        gains = {"gain": choose.uniform(0.5, 1.1), "offset": 0.1} if choose.random() < 0.4 else {}
        system.connect(f"m{k}.x", f"m{(k + 1) % count}.u", approximation, **gains)
    scheme = choose.choice(SCHEMES)
    if getattr(window, "compound", None) is not None:
        scheme = "slowest-first"
    elif getattr(window, "estimate", None) is not None:
        scheme = "parallel"
    options = {"until": choose.choice([1.0, 0.777]), "scheme": scheme, "window": window, "check": "off"}
    return system, options | {"threads": choose.choice([1, 1, 1, 2])}


def bits(seed, bits_of):
    """Return all bits of the run of a case and what was said when it failed."""
    system, options = case(seed)
    try:
        return bits_of(system.run(**options)), ""
    except cp.SetupError as error:  # not every combination has a meaning
        return [], str(error)
    except cp.SimulationError as error:
        return bits_of(error.result), str(error)


@pytest.mark.filterwarnings("ignore")  # the bits count
@pytest.mark.parametrize("first", range(0, 120, 20))
def test_every_bit_is_that_of_the_definition_in_random_runs(without_fast_paths, bits_of, first):
    for seed in range(first, first + 20):
        fast = bits(seed, bits_of)
        with without_fast_paths():
            defined = bits(seed, bits_of)
        assert fast == defined, f"case {seed}"
