"""Check that a change keeps every bit: ``python -m benchmarks.checksum > before.txt``, change, run again, compare.

One line per part, room and scheme, with a SHA-256 over all recorded rows and all defects of the runs behind it:

- plain: approximations × threads × steps
- windows: the same × lengths, repeats, stencils and accelerations, and what the run says about its windows
- paces: approximations × threads × paces for all and for one subsystem, and which rule chose each step

``python -m benchmarks.checksum windows paces`` runs these parts only. The numbers depend on the compiler and the
mathematical library, so they are compared on one machine and never stored.
"""

import hashlib
import itertools
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import counterpoint as cp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.fmi.building import build

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")
THREADS = (1, 2, 4)
APPROXIMATIONS: dict[str, Callable[[], cp.Approximation]] = {
    "hold": cp.hold,
    **{f"lagrange {order}": (lambda order=order: cp.lagrange(order)) for order in range(5)},
    "hermite": cp.hermite,
    **{f"taylor {order}": (lambda order=order: cp.taylor(order)) for order in (1, 2)},
    "least squares": lambda: cp.least_squares(1, 4),
    "mean": cp.mean,
    "transition": lambda: cp.transition(1),
}
PAIRS = ((0.01, 0.1), (0.01, 0.01), (0.0073, 0.031))
UNTIL = 2.0
FEWER = ("hold", "lagrange 1", "lagrange 3", "hermite", "mean")
"""Approximations in windows and with paces."""
SOON = 0.6
"""End of runs with windows or paces, s."""
WINDOWS: dict[str, cp.Window | str] = {
    "one step": cp.window(repeats=1),
    "three steps": cp.window(length=0.3, repeats=1),
    "not on the grid": cp.window(length=0.137, repeats=2),
    "tolerance": cp.window(length=0.2, tolerance=1e-5),
    "cut": cp.window(length=0.4, repeats=4, tolerance=1e-4, when_not_converged="cut"),
    "centred": cp.window(length=0.3, repeats=2, stencil="centred"),
    "repeat once": "repeat-once",
    "aitken": cp.window(length=0.2, acceleration="aitken"),
    "iqn-ils": cp.window(length=0.2, acceleration="iqn-ils"),
}
LIMITS = {"first": 0.01, "smallest": 0.002, "largest": 0.1}
PACES: dict[str, Callable[[], cp.pace.Pace]] = {
    "table": lambda: cp.pace.table([0.0, 0.5], [0.01, 0.03]),
    "gradient": lambda: cp.pace.gradient(tolerance=1e-2, **LIMITS),
    "defect": lambda: cp.pace.defect(1e-3, **LIMITS),
    "defect without limits": lambda: cp.pace.defect(1e-2),
    "predictor-corrector": lambda: cp.pace.predictor_corrector(1e-3, **LIMITS),
    "doubling": lambda: cp.pace.doubling(1e-3, **LIMITS),
}


Maker = Callable[[float], cp.Subsystem]
Run = Callable[[], cp.Result]


def oscillator(k: float, **options: str) -> cp.Subsystem:
    """Return a mass on a spring as state space."""
    return cp.linear([[0, 1], [-k, -0.1]], [[0], [k / 3]], x0=[1, 0], inputs="u", outputs=["x", "v"], **options)


def as_function(k: float) -> cp.Subsystem:
    """Return the same as a Python function."""
    return cp.ode(lambda t, x, u: [x[1], -k * x[0] - 0.1 * x[1] + k / 3 * u[0]], [1, 0], inputs="u", outputs=["x", "v"])


def as_diagram(k: float) -> cp.Subsystem:
    """Return the same as blocks, with a relay that switches."""
    model = cp.Diagram("oscillator", step=0.01)
    u = model.input("u")
    v = model.integrator(initial=0.0, name="v")
    x = model.integrator(v, initial=1.0, name="x")
    switch = model.relay(x, switch_on=0.2, switch_off=-0.2, output_on=1.0)
    (k / 3 * u - k * x - 0.1 * v - 0.5 * switch) >> v
    model.output("x", x)
    model.output("v", v)
    return model.subsystem()


def as_mechanism(k: float) -> cp.Subsystem:
    """Return a pendulum that a torque drives."""
    m = cp.multibody.Mechanism("pendulum", dimension=2)
    m.point("O", (0, 0), fixed=True)
    m.point("A", (1.0, 0))
    m.body("rod", points=["O", "A"], mass=1.0 + k / 100)
    m.angle("x", "rod")
    m.actuator("motor", "x", force="input:u")
    m.output("angle", "x")
    return m.subsystem()


def fmus(folder: Path) -> dict[str, Callable[[float], cp.Subsystem]]:
    """Return makers of FMUs: both versions, as lines and held, and for model exchange."""
    made = {}
    for version in (2, 3):
        path = build("oscillator", version, folder)
        made[f"FMU {version}"] = lambda k, path=path: cp.fmu(path, parameters={"k": k})
    for name in ("bouncing-ball", "oscillator"):
        path = build(name, 3, folder)
        made[f"exchanged {name}"] = lambda k, path=path: cp.fmu(path, kind="model-exchange")
    return made


def ports(model: cp.Subsystem) -> tuple[str, str]:
    """Return the first scalar output and the first input."""
    return next(name for name, width in model.output_widths.items() if width == 1), next(iter(model.input_widths), "")


def update(digest: "hashlib._Hash", result: cp.Result) -> None:
    """Count in every row, every defect and every chosen step of a run, and what it says about its windows."""
    view = result._view
    digest.update(repr(result.summary.windows).encode())
    for index in range(len(view.layout.subsystems)):
        digest.update(np.ascontiguousarray(view.times(index)).tobytes())
        digest.update(np.ascontiguousarray(view.values(index)).tobytes())
    for index in range(len(view.layout.connections)):
        digest.update(np.ascontiguousarray(view.defects(index)).tobytes())
    for place in range(len(result.layout.steps)):
        digest.update(np.ascontiguousarray(view.steps(place)).tobytes())


def coupled(make: Maker, kind: str, steps: tuple[float, float], pace: cp.pace.Pace | None = None) -> cp.System:
    """Return two of them that drive each other, the second perhaps with a pace, and an oscillator that hears both."""
    system = cp.System("checksum", convert=False)
    first, second, third = make(40.0), make(0.8), oscillator(7.0)
    system.add("first", first, step=steps[0])
    system.add("second", second, **({"step": steps[1]} if pace is None else {"pace": pace}))
    system.add("third", third, step=steps[0])
    approximation = APPROXIMATIONS[kind]
    for source, target in (("first", "second"), ("second", "first")):
        wanted = ports({"first": first, "second": second}[target])[1]
        if wanted:
            out = ports({"first": first, "second": second}[source])[0]
            system.connect(f"{source}.{out}", f"{target}.{wanted}", approximation())
    system.connect([f"first.{ports(first)[0]}", f"second.{ports(second)[0]}"], "third.u", approximation(), gain=0.5)
    return system


def plain(make: Maker, room: str, scheme: str) -> Iterator[Run]:
    """Yield runs with fixed steps."""
    for kind, steps, threads in itertools.product(APPROXIMATIONS, PAIRS, threads_for(room)):
        yield partial(coupled(make, kind, steps).run, until=UNTIL, scheme=scheme, threads=threads, first_steps="once")


def windows(make: Maker, room: str, scheme: str) -> Iterator[Run]:
    """Yield runs with windows; those with threads in one kind of window of each room."""
    for kind, steps, (name, window) in itertools.product(FEWER, PAIRS, WINDOWS.items()):
        for threads in threads_for(room)[: 2 if name == "three steps" else 1]:
            yield partial(coupled(make, kind, steps).run, until=SOON, scheme=scheme, threads=threads, window=window)


def paces(make: Maker, room: str, scheme: str) -> Iterator[Run]:
    """Yield runs with a pace for all subsystems, and with a pace for one of them."""
    for kind, pace, threads in itertools.product(FEWER, PACES.values(), threads_for(room)[:2]):
        yield partial(coupled(make, kind, PAIRS[0]).run, until=SOON, scheme=scheme, threads=threads, pace=pace())
        yield partial(
            coupled(make, kind, PAIRS[0], pace()).run, until=SOON, scheme=scheme, threads=threads, first_steps="once"
        )


PARTS = {"plain": plain, "windows": windows, "paces": paces}


def threads_for(room: str) -> tuple[int, ...]:
    """Return the numbers of threads; Python functions take turns in any case."""
    return THREADS[:2] if room == "function" else THREADS


def line(runs: Iterator[Run]) -> str:
    """Return the checksum of these runs and their number."""
    digest, made, refused, reason = hashlib.sha256(), 0, 0, ""
    for run in runs:
        try:
            update(digest, run())
            made += 1
        except cp.CounterpointError as error:
            refused, reason = refused + 1, str(error)
    if not made:
        raise SystemExit(f"nothing ran: {reason}")
    return f"{digest.hexdigest()[:32]} {made} runs, {refused} refused"


def main() -> None:
    """Print a line per part, room and scheme."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        rooms = {
            "linear": oscillator,
            "bdf2": lambda k: oscillator(k, solver="bdf2"),
            "function": as_function,
            "diagram": as_diagram,
            "mechanism": as_mechanism,
            **fmus(Path(folder)),
        }
        parts = {name: PARTS[name] for name in sys.argv[1:] or PARTS}
        for (part, runs), (room, make), scheme in itertools.product(parts.items(), rooms.items(), SCHEMES):
            print(f"{part:8s} {room:24s} {scheme:14s} {line(runs(make, room, scheme))}", flush=True)


if __name__ == "__main__":
    main()
