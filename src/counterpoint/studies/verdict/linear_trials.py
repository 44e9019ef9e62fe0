"""Trials whose solutions are closed forms: rows of masses, three parts, FMUs, steps that solvers choose."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

from ...approximations import hermite, lagrange
from ...fmi import export_fmu, fmu
from ...system import System
from ..two_mass.experiment import Case, Driver, build
from ..two_mass.measures import CYCLES
from .networks import Network, Part
from .trial import Solution, Trial

SCHEMES = ("slowest-first", "fastest-first", "parallel")
RATIOS = (2, 5, 7.5, 10, 13, 20, 27.5, 30, 40, 60, 70, 90)


def two_masses() -> Iterator[Trial]:
    """Yield the problem of González et al. (2011) over schemes, orders and frequency ratios."""
    for ratio, scheme, order in product(RATIOS, SCHEMES, range(4)):
        case = Case(ratio, scheme, order, driver=Driver.PRECEDENCE)
        yield Trial(
            "two masses", f"FR {ratio:g}, {scheme}, order {order}", partial(build, case), float(CYCLES),
            partial(_two_mass_solution, case), {"scheme": scheme},
        )  # fmt: skip


def _two_mass_solution(case: Case) -> dict[str, Solution]:
    problem = case.problem()

    def displacement(k: int) -> Solution:
        return lambda time: problem.exact(time)[k]

    return {"fast.x1": displacement(0), "slow.x2": displacement(2)}


def chain(masses: int, stiffness: float) -> Network:
    """Return masses of 1 kg in a row, with springs between them and to the walls; displacements are exchanged."""
    parts = {}
    connections = []
    for k in range(masses):
        others = [j for j in (k - 1, k + 1) if 0 <= j < masses]
        spring = stiffness * (1 + 0.3 * k)
        parts[f"m{k}"] = Part(
            [[0, 1], [-2 * spring, -0.1]],
            [[0] * len(others), [spring] * len(others)],
            [[1, 0]],
            [1.0 if k == 0 else 0.0, 0.0],
            tuple(f"from{j}" for j in others),
            ("x",),
        )
        connections += [(f"m{j}.x", f"m{k}.from{j}") for j in others]
    return Network(parts, connections, f"{masses} masses")


def chains() -> Iterator[Trial]:
    """Yield chains of three to six masses with steps that are not multiples of each other."""
    for masses, order, base, scheme in product((3, 4, 6), (0, 1, 2), (0.01, 0.05, 0.15), (*SCHEMES, "sequential")):
        if (masses + order) % 2 and scheme == "sequential":
            continue
        network = chain(masses, 4.0)
        steps: dict[str, float | None] = {f"m{k}": base * (1 + 0.37 * k) for k in range(masses)}
        yield Trial(
            "chains of masses", f"{masses} masses, order {order}, step {base:g} s, {scheme}",
            partial(network.system, steps, lagrange(order)), 20.0,
            network.solution, {"scheme": scheme},
        )  # fmt: skip


def three_parts() -> Network:
    """Return two masses and what is between them, which has direct feedthrough."""
    masses = {
        name: Part([[0, 1], [-0.1, -damping / 10]], [[0], [0.1]], [[0, 1]], [x, 0.1], ("F",), ("v",))
        for name, damping, x in (("left", 1.0, 0.1), ("right", 2.0, 0.2))
    }
    middle = Part([[0.0]], [[-1, -1]], [[1.0]], [1.0], ("vl", "vr"), ("F",), [[-2, -2]])
    connections = [("left.v", "middle.vl"), ("right.v", "middle.vr"), ("middle.F", "left.F"), ("middle.F", "right.F")]
    return Network({**masses, "middle": middle}, connections, "three parts")


def starts() -> Iterator[Trial]:
    """Yield three parts whose first step has but one sample, with and without repeating it."""
    network = three_parts()
    for order, step, start in product((0, 1, 2, 3), (0.125, 0.5, 1.0), ("once", "repeat")):
        steps: dict[str, float | None] = dict.fromkeys(network.parts, step)
        yield Trial(
            "three parts, start", f"order {order}, step {step:g} s, first steps {start}",
            partial(network.system, steps, lagrange(order)), 20.0, network.solution,
            {"scheme": "sequential", "first_steps": start if order else "once"},
        )  # fmt: skip


def chosen_steps() -> Iterator[Trial]:
    """Yield two masses of which one is integrated with steps that its solver chooses."""
    for order, step, scheme in product((0, 1, 2), (0.02, 0.1, 0.3), ("slowest-first", "fastest-first")):
        network = chain(2, 4.0)
        parts = dict(network.parts)
        parts["m0"] = Part(**{**vars(parts["m0"]), "solver": "ode45"})
        varied = Network(parts, network.connections, "chosen steps")
        steps: dict[str, float | None] = {"m0": None, "m1": step}
        yield Trial(
            "steps chosen by a solver", f"order {order}, step {step:g} s, {scheme}",
            partial(varied.system, steps, lagrange(order)), 20.0,
            varied.solution, {"scheme": scheme},
        )  # fmt: skip


def fmus(folder: Path) -> Iterator[Trial]:
    """Yield two FMUs that are made in `folder`, a stiff and a soft mass, with held, linear and Hermite inputs."""
    network = chain(2, 25.0)
    for name, part in network.parts.items():
        for version in (2, 3):
            export_fmu(part.subsystem(), folder / f"{name}-{version}.fmu", version=version, step=1e-4)
    approximations = {"order 0": lagrange(0), "order 1": lagrange(1), "order 2": lagrange(2), "Hermite": hermite()}
    for version, (words, chosen), step in product((2, 3), approximations.items(), (1e-3, 1e-2, 0.05)):

        def made(version=version, chosen=chosen, step=step) -> System:  # type: ignore[no-untyped-def]
            system = System("two FMUs")
            for name in network.parts:
                system.add(name, fmu(folder / f"{name}-{version}.fmu"), step=step)
            for source, target in network.connections:
                system.connect(source, target, chosen)
            return system

        yield Trial("FMUs", f"FMI {version}, {words}, step {step:g} s", made, 5.0, network.solution)


def chain_ends() -> Iterator[Trial]:
    """Yield a wave that drives a wheel and its filter, from which nothing comes back."""
    for solver, rate, order, step in product(
        ("ode1", "ode4", "trapezoidal"), (0.7, 4.0), (0, 1, 2), (0.004, 0.03, 0.2)
    ):
        wave = Part([[0, 1], [-(rate**2), 0]], [[], []], [[1, 0]], [1.0, 0.0], (), ("y",))
        wheel = Part([[0, 1], [-25, -0.8]], [[0], [25]], [[1, 0]], [0.5, 0.0], ("u",), ("x",), solver=solver)
        smooth = Part([[-3.0]], [[3.0]], [[1.0]], [0.0], ("u",), ("y",), solver=solver)
        network = Network(
            {"wave": wave, "wheel": wheel, "filter": smooth}, [("wave.y", "wheel.u"), ("wheel.x", "filter.u")]
        )
        steps: dict[str, float | None] = {"wave": step, "wheel": step, "filter": 1.7 * step}
        yield Trial(
            "ends of chains", f"{solver}, wave of {rate:g} rad/s, order {order}, step {step:g} s",
            partial(network.system, steps, lagrange(order)), 10.0, network.solution, {"scheme": "slowest-first"},
        )  # fmt: skip


def random_networks(count: int = 48) -> Iterator[Trial]:
    """Yield rows of masses whose springs, dampers, steps, order and scheme are drawn at random, with a fixed seed."""
    draw = Random(20)
    for k in range(count):
        masses, order = draw.choice((2, 3, 4)), draw.choice((0, 1, 2, 3))
        scheme = draw.choice((*SCHEMES, "sequential"))
        network = _random_row(draw, masses)
        base = 10 ** draw.uniform(-2.3, -0.8)
        steps: dict[str, float | None] = {f"m{j}": base * 10 ** draw.uniform(0.0, 0.7) for j in range(masses)}
        yield Trial(
            "random networks", f"{k}: {masses} masses, order {order}, {scheme}",
            partial(network.system, steps, lagrange(order)), 15.0,
            network.solution, {"scheme": scheme},
        )  # fmt: skip


def _random_row(draw: Random, masses: int) -> Network:
    mass = [10 ** draw.uniform(-1, 1) for _ in range(masses)]
    spring = [10 ** draw.uniform(0, 2) for _ in range(masses + 1)]
    parts, connections = {}, []
    for k in range(masses):
        others = [j for j in (k - 1, k + 1) if 0 <= j < masses]
        parts[f"m{k}"] = Part(
            [[0, 1], [-(spring[k] + spring[k + 1]) / mass[k], -draw.uniform(0, 0.5)]],
            [[0] * len(others), [spring[max(j, k)] / mass[k] for j in others]],
            [[1, 0]],
            [draw.uniform(-1, 1), 0.0],
            tuple(f"from{j}" for j in others),
            ("x",),
            solver=draw.choice(("ode4", "ode2", "trapezoidal")),
        )
        connections += [(f"m{j}.x", f"m{k}.from{j}") for j in others]
    return Network(parts, connections, f"{masses} random masses")
