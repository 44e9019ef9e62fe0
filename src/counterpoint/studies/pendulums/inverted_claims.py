"""What the source shows of the inverted pendulum, and what follows from its equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import System, ode
from ...results import Result
from ..claims import Claim
from .across import SPAN, STEP, across_socket, in_process
from .inverted import Inverted, controller, coupled, plant

SAMPLING = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
"""Steps of both programs over which the source's layout is tried, s."""


@dataclass(frozen=True)
class InvertedRuns:
    """One pendulum, coupled here, across a socket, and in one model."""

    here: Result
    socket: Result
    socket_seconds: float
    whole: Result
    leans: dict[float, float]
    """Largest lean over the last second for each sampling step, rad."""


def run_inverted(problem: Inverted) -> InvertedRuns:
    """Run everything that the claims and figures need."""
    result, seconds = across_socket(problem)
    return InvertedRuns(in_process(problem), result, seconds, in_one_model(problem), _final_leans(problem))


def in_one_model(problem: Inverted, step: float = 1e-3) -> Result:
    """Run the whole as one ordinary differential equation."""
    states = ("place", "lean", "speed", "rate")
    system = System("one model")
    whole = ode(problem.derivatives, [0.0, problem.start, 0.0, 0.0], inputs=(), outputs=states, solver="ode4")
    system.add("whole", whole, step=step)
    return system.run(until=SPAN, first_steps="once")


def lean(result: Result) -> NDArray[np.float64]:
    """Return the angle from upright, rad."""
    return np.asarray(np.pi / 2.0 - result["plant.angle"].values)


def inverted_claims(problem: Inverted, runs: InvertedRuns) -> list[Claim]:
    """Return the claims about the inverted pendulum."""
    here, socket = lean(runs.here), lean(runs.socket)
    at = runs.here["plant.angle"].time
    exact = np.interp(at, runs.whole["whole.lean"].time, runs.whole["whole.lean"].values)
    unstable = float(np.linalg.eigvals(problem.linear(controlled=False)).real.max())
    closed = np.linalg.eigvals(problem.linear())
    speed = float(np.gradient(runs.here["plant.place"].values, at)[-1])
    same = float(
        np.abs(here - socket).max() + np.abs(runs.here["plant.place"].values - runs.socket["plant.place"].values).max()
    )
    shown = "The figure shows it, without numbers on which it could be checked; the bound is ours."
    return [
        Claim.below("4.3, Fig. 4.3: held by a PD controller across a socket, the pendulum comes to rest upright: "
                    f"lean at {SPAN:g} s", 1e-3, abs(float(socket[-1])), unit="rad", origin="derived", remark=shown,
                    spread=np.inf),
        Claim.below("the socket changes nothing: largest difference from both programs in one process", 1e-12,
                    same, unit="rad, m", origin="ours", remark="The same bits are expected."),
        Claim.below(f"single rate as in 4.3, {1e3 * STEP:g} ms, values held: largest difference of the lean from one "
                    "model without coupling", 0.02 * problem.start, float(np.abs(here - exact).max()), unit="rad",
                    origin="ours", remark="2 % of the start; first order in the step."),
        Claim.below("stable for samplings from 1 to 20 ms: largest lean in the last second", 1e-3,
                    max(runs.leans.values()), unit="rad", origin="ours", remark=_SAMPLING),
        Claim.near("without control the pole of the fall", 4.10, unstable, relative=2e-3, unit="1/s", origin="ours",
                   remark=_CLOSED),
        Claim.near("proportional gain that must be exceeded", 11.77, problem.least_gain, relative=1e-3, unit="N/rad",
                   origin="ours", remark=_CLOSED),
        Claim.near("closed loop, real part of the poles", -5.71, float(closed.real.max()), relative=2e-3, unit="1/s",
                   origin="ours", remark=_CLOSED),
        Claim.near("closed loop, imaginary part of the poles", 2.77, float(np.abs(closed.imag).max()), relative=2e-3,
                   unit="rad/s", origin="ours", remark=_CLOSED),
        Claim.near("a controller of the angle alone leaves the cart rolling at", 0.49, speed, relative=0.03, unit="m/s",
                   origin="ours", remark="Not a mistake: nothing measures where the cart is."),
    ]  # fmt: skip


_SAMPLING = "The source runs one step size and names none."
_CLOSED = "Closed form of our masses, length and gains; the source prints none of these."


def _final_leans(problem: Inverted) -> dict[float, float]:
    leans = {}
    for step in SAMPLING:
        result = coupled(plant(problem), controller(problem), step).run(
            until=SPAN, scheme="sequential", first_steps="once"
        )
        leans[step] = float(np.abs(lean(result)[result["plant.angle"].time > SPAN - 1.0]).max())
    return leans
