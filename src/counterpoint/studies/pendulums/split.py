"""A double pendulum of point masses, cut at its middle joint: two programs that share one hinge.

Rigid hinge: the upper half tells where the hinge is, the lower one which force it takes to be there (force and
displacement). That force needs the hinge's acceleration, so the coupling passes acceleration round and round; each
round multiplies an error by the ratio of the masses that both halves show at the hinge, m2/m1 sin²φ with the angle φ
between the rods, and extrapolation of order p by up to 2^(p+1) - 1 more. Elastic hinge: both halves end in a mass of
their own and see the other's through a spring and damper, displacement against displacement, which is stable but not
the same pendulum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import Subsystem, System, hold, lagrange
from ...approximations import Approximation
from ...errors import SimulationError
from ...multibody import Mechanism

Array = NDArray[np.float64]

GRAVITY, LENGTH, STEP, SPAN = 9.81, 1.0, 1e-3, 2.0
HINGE_SHARE = 1e-3
"""Share of the upper mass that the lower half carries at a rigid hinge."""


@dataclass(frozen=True)
class Pendulum:
    """Both rods start horizontal, as in González Varela (2010), chapter 5 (1 kg, 1 m); only the masses change, kg."""

    upper: float = 1.0
    lower: float = 1.0


@dataclass(frozen=True)
class Hinge:
    """The elastic hinge: stiffness in N/m, damping in N s/m, and the share of the upper mass on the lower side."""

    stiffness: float = 4e4
    damping: float = 40.0
    share: float = 0.5


def whole(pendulum: Pendulum, step: float = STEP, span: float = SPAN) -> tuple[Array, Array]:
    """Return times and places (x, y) of the lower mass of the uncut pendulum."""
    times, _, lower = _uncut(pendulum, step, span)
    return times, lower


def loop_gain(pendulum: Pendulum) -> float:
    """Return the largest m2/m1 sin²φ on the way of the uncut pendulum, φ the angle between its rods.

    The lower half hangs on a rod, so it shows its mass at the hinge along that rod only; the upper one can move across
    its own rod only.
    """
    _, upper, lower = _uncut(pendulum, STEP, SPAN)
    rod = lower - upper
    sine = (upper[:, 0] * rod[:, 1] - upper[:, 1] * rod[:, 0]) / LENGTH**2
    return float(pendulum.lower / pendulum.upper * (sine**2).max())


def _uncut(pendulum: Pendulum, step: float, span: float) -> tuple[Array, Array, Array]:
    model = _mechanism("whole")
    model.point("O", (0.0, 0.0), fixed=True)
    _hang(model, "O", "A", pendulum.upper, (LENGTH, 0.0))
    _hang(model, "A", "B", pendulum.lower, (2.0 * LENGTH, 0.0))
    _show(model, "A", "hinge_x", "hinge_y")
    _show(model, "B", "x", "y")
    result = model.run(until=span, step=step)
    upper = np.column_stack([result["whole.hinge_x"].values, result["whole.hinge_y"].values])
    return result["whole.x"].time, upper, np.column_stack([result["whole.x"].values, result["whole.y"].values])


def rigid(pendulum: Pendulum, order: int = 0, step: float = STEP) -> System:
    """Return both halves with a rigid hinge: place down, force up."""
    system = System("cut double pendulum")
    system.add("upper", _upper(pendulum), step=step)
    system.add("lower", _lower(pendulum), step=step)
    guess = _extrapolation(order)
    for axis in "xy":
        system.connect(f"upper.{axis}", f"lower.hinge_{axis}", lagrange(max(order, 2)))
        system.connect(f"lower.force_{axis}", f"upper.force_{axis}", guess, gain=-1.0)
    return system


def elastic(pendulum: Pendulum, hinge: Hinge, order: int = 1, step: float = STEP) -> System:
    """Return both halves with a spring and damper in the hinge: each sees where the other's end is."""
    system = System("double pendulum with an elastic hinge")
    upper = _mechanism("upper")
    upper.point("O", (0.0, 0.0), fixed=True)
    _hang(upper, "O", "A", pendulum.upper * (1.0 - hinge.share), (LENGTH, 0.0))
    _other_end(upper, "A", hinge)
    _show(upper, "A", "x", "y")
    lower = _mechanism("lower")
    lower.point("P", (LENGTH, 0.0))
    lower.point_mass("P", pendulum.upper * hinge.share)
    _hang(lower, "P", "B", pendulum.lower, (2.0 * LENGTH, 0.0))
    _other_end(lower, "P", hinge)
    _show(lower, "P", "end_x", "end_y")
    _show(lower, "B", "x", "y")
    system.add("upper", upper.subsystem(), step=step)
    system.add("lower", lower.subsystem(), step=step)
    guess = _extrapolation(order)
    for axis in "xy":
        system.connect(f"upper.{axis}", f"lower.hinge_{axis}", guess)
        system.connect(f"lower.end_{axis}", f"upper.hinge_{axis}", guess)
    return system


def deviation(system: System, scheme: str, reference: tuple[Array, Array]) -> float:
    """Return how far the lower mass gets from where it should be, m, at most over the span; inf when the run fails."""
    times, places = reference
    try:
        result = system.run(until=float(times[-1]), scheme=scheme, first_steps="once")
    except SimulationError:
        return float("inf")
    made = np.column_stack([result["lower.x"].values, result["lower.y"].values])
    at = result["lower.x"].time
    expected = np.column_stack([np.interp(at, times, places[:, k]) for k in range(2)])
    return float(np.linalg.norm(made - expected, axis=1).max())


def _mechanism(name: str) -> Mechanism:
    return Mechanism(name, dimension=2, gravity=(0.0, -GRAVITY))


def _hang(model: Mechanism, pivot: str, point: str, mass: float, place: tuple[float, float]) -> None:
    model.point(point, place)
    model.point_mass(point, mass)
    model.distance_constraint(f"rod {point}", pivot, point, LENGTH)


def _show(model: Mechanism, point: str, x: str, y: str) -> None:
    for name, along in ((x, (1.0, 0.0)), (y, (0.0, 1.0))):
        model.displacement(name, point, along=along)
        model.output(name, name)


def _guide(model: Mechanism, point: str) -> None:
    for axis, along, start in (("x", (1.0, 0.0), LENGTH), ("y", (0.0, 1.0), 0.0)):
        model.displacement(f"hinge_{axis}", point, along=along)
        model.input(f"hinge_{axis}", start)
        model.guide(f"hinge_{axis}", f"input:hinge_{axis}")


def _upper(pendulum: Pendulum) -> Subsystem:
    model = _mechanism("upper")
    model.point("O", (0.0, 0.0), fixed=True)
    _hang(model, "O", "A", (1.0 - HINGE_SHARE) * pendulum.upper, (LENGTH, 0.0))
    model.input("force_x")
    model.input("force_y")
    model.force("lower half", "A", ("input:force_x", "input:force_y"))
    _show(model, "A", "x", "y")
    return model.subsystem()


def _lower(pendulum: Pendulum) -> Subsystem:
    model = _mechanism("lower")
    model.point("P", (LENGTH, 0.0))
    model.point_mass("P", HINGE_SHARE * pendulum.upper)  # a guided point needs a mass: a little of the hinge's
    _hang(model, "P", "B", pendulum.lower, (2.0 * LENGTH, 0.0))
    _guide(model, "P")
    for axis in "xy":
        model.output(f"force_{axis}", f"guide:hinge_{axis}")
    _show(model, "B", "x", "y")
    return model.subsystem()


def _other_end(model: Mechanism, point: str, hinge: Hinge) -> None:
    model.point("other", (LENGTH, 0.0))
    model.point_mass("other", 1e-3)  # guided: its mass moves nothing
    _guide(model, "other")
    for axis, along in (("x", (1.0, 0.0)), ("y", (0.0, 1.0))):
        model.displacement(f"gap_{axis}", point, along=along, origin="other")
        model.spring(
            f"hinge spring {axis}", f"gap_{axis}", stiffness=hinge.stiffness, damping=hinge.damping, natural=0.0
        )


def _extrapolation(order: int) -> Approximation:
    return lagrange(order) if order else hold()
