"""FMUs in rounds and one by one: the fast paths give the bits of the definition."""

import pytest

import counterpoint as cp

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")
EQUAL, UNEQUAL = (0.01, 0.01, 0.01), (0.01, 0.025, 0.01)
OPTIONS = {"inputs": ["x_other", "v_other"], "outputs": ["x", "v"]}


def ring(path, approximation, steps=EQUAL, **options):
    """Oscillators that are tied to the one before; with inputs at the start of a step they hold them."""
    system = cp.System("ring")
    for k, step in enumerate(steps):
        parameters = {"k": 100.0 + 10 * k, "c": 0.1, "kc": 20.0, "dc": 0.5}
        system.add(f"m{k}", cp.fmu(path, parameters=parameters, **OPTIONS, **options), step=step)
    for k in range(len(steps)):
        before = f"m{(k - 1) % len(steps)}"
        system.connect(f"{before}.x", f"m{k}.x_other", approximation)
        system.connect(f"{before}.v", f"m{k}.v_other", approximation, gain=0.5)
    return system


@pytest.mark.parametrize("inputs_at", ["start", "auto"])
@pytest.mark.parametrize("approximation", [cp.hold(), *(cp.lagrange(k) for k in range(5)), cp.hermite()], ids=str)
def test_a_ring_has_the_bits_of_the_definition(check_fast_paths, built, version, approximation, inputs_at):
    path = built("oscillator", version)
    for scheme in SCHEMES:
        for steps in (EQUAL, UNEQUAL):
            for threads in (1, 2):
                check_fast_paths(
                    lambda steps=steps: ring(path, approximation, steps, inputs_at=inputs_at),
                    until=0.2,
                    scheme=scheme,
                    threads=threads,
                )


def test_a_ring_in_processes_of_their_own_has_the_bits_of_the_definition(check_fast_paths, built, version):
    path = built("oscillator", version)
    for approximation in (cp.hold(), cp.lagrange(2)):
        check_fast_paths(lambda a=approximation: ring(path, a, isolate=True), until=0.2, scheme="parallel")


@pytest.mark.parametrize("inputs_at", ["start", "auto"])
@pytest.mark.parametrize("approximation", [cp.hold("behind"), cp.hold("ahead"), cp.lagrange(1)], ids=str)
def test_a_ring_in_windows_has_the_bits_of_the_definition(check_fast_paths, built, version, approximation, inputs_at):
    """Windows of one step, of several, and such that cut a step."""
    path = built("oscillator", version)
    for scheme in ("parallel", "sequential"):
        for window in (cp.window(0.01), cp.window(0.05, repeats=2), cp.window(0.034, tolerance=1e-9)):
            check_fast_paths(
                lambda: ring(path, approximation, inputs_at=inputs_at), until=0.2, scheme=scheme, window=window
            )
