"""Check that a change keeps every bit: ``python -m benchmarks.checksum > before.txt``, change, run again, compare.

One line per room and scheme, with a SHA-256 over all recorded rows and all defects of the runs behind it:
approximations × threads × steps. The numbers depend on the compiler and the mathematical library, so they are compared
on one machine and never stored.
"""

import hashlib
import itertools
import sys
import tempfile
import warnings
from collections.abc import Callable
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
    """Count in every row and every defect of a run."""
    view = result._view
    for index in range(len(view.layout.subsystems)):
        digest.update(np.ascontiguousarray(view.times(index)).tobytes())
        digest.update(np.ascontiguousarray(view.values(index)).tobytes())
    for index in range(len(view.layout.connections)):
        digest.update(np.ascontiguousarray(view.defects(index)).tobytes())


def coupled(make: Callable[[float], cp.Subsystem], kind: str, steps: tuple[float, float]) -> cp.System:
    """Return two of them that drive each other, and an oscillator that listens to both."""
    system = cp.System("checksum", convert=False)
    first, second, third = make(40.0), make(0.8), oscillator(7.0)
    system.add("first", first, step=steps[0])
    system.add("second", second, step=steps[1])
    system.add("third", third, step=steps[0])
    approximation = APPROXIMATIONS[kind]
    for source, target in (("first", "second"), ("second", "first")):
        wanted = ports({"first": first, "second": second}[target])[1]
        if wanted:
            out = ports({"first": first, "second": second}[source])[0]
            system.connect(f"{source}.{out}", f"{target}.{wanted}", approximation())
    system.connect([f"first.{ports(first)[0]}", f"second.{ports(second)[0]}"], "third.u", approximation(), gain=0.5)
    return system


def main() -> None:
    """Print a line per room and scheme."""
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
        for (room, make), scheme in itertools.product(rooms.items(), SCHEMES):
            digest, runs, refused = hashlib.sha256(), 0, 0
            for kind, steps, threads in itertools.product(APPROXIMATIONS, PAIRS, THREADS):
                if room == "function" and threads == 4:
                    continue
                try:
                    update(
                        digest,
                        coupled(make, kind, steps).run(until=UNTIL, scheme=scheme, threads=threads, first_steps="once"),
                    )
                    runs += 1
                except cp.CounterpointError as error:
                    refused += 1
                    reason = error
            if not runs:
                raise SystemExit(f"{room}, {scheme}: nothing ran: {reason}")
            print(f"{room:24s} {scheme:14s} {digest.hexdigest()[:32]} {runs} runs, {refused} refused", flush=True)


if __name__ == "__main__":
    main()
