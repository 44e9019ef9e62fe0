"""Couple Xcos diagrams with Counterpoint: couple.py controller | engine | master.

controller: the PD controller of an inverted pendulum is an Xcos diagram, the pendulum a mechanism here.
engine:     an engine with a governor is an Xcos diagram with states, its rotor a linear model here.
master:     Xcos is the master, the pendulum is served by Counterpoint.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

import counterpoint as cp
from counterpoint.studies.pendulums.across import in_process
from counterpoint.studies.pendulums.inverted import Inverted, coupled, plant

HERE = Path(__file__).resolve().parent
SCILAB = ["scilab-cli", "-nb", "-quit", "-f"]


@contextmanager
def scilab(script: str | Path, address: str, token: str, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a script in Scilab without a window; it always ends with the context."""
    environment = {**os.environ, "COUNTERPOINT_ADDRESS": address, "COUNTERPOINT_TOKEN": token, **variables}
    command = [*SCILAB, str(HERE / script)]
    program = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield program
        program.wait(timeout=30.0)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)  # Scilab is started by a shell script: end both
        program.wait()


@contextmanager
def diagram(script: str | Path, address: str = "tcp://127.0.0.1:0") -> Iterator[cp.link.Remote]:
    """Listen, let Xcos connect with the diagram of a script, and return it as a subsystem."""
    with cp.listen(address) as place, scilab(script, place.address, place.token), place.remote(wait=60.0) as subsystem:
        yield subsystem


def controller(until: float = 2.0) -> float:
    """Return the largest difference between the forces of Xcos and of our diagram, N."""
    with diagram("controller.sce") as xcos:
        result = coupled(plant(Inverted()), xcos, step=0.01).run(until=until, scheme="sequential")
    beside = in_process(Inverted(), step=0.01, span=until)
    return float(np.abs(result["controller.force"].values - beside["controller.force"].values).max())


def engine(step: float = 0.01, until: float = 2.0) -> float:
    """Return the largest difference between the speed of the rotor and its closed-form solution, rad/s."""
    with diagram("engine.sce") as xcos:
        system = cp.System("engine and rotor")
        system.add("engine", xcos, step=step)
        rotor = cp.linear([[-2.0]], [[2.0]], x0=[0.0], inputs="torque", outputs="speed", solver="ode4")
        system.add("rotor", rotor, step=step)
        system.connect("engine.torque", "rotor.torque", cp.lagrange(2))
        system.connect("rotor.speed", "engine.speed", cp.lagrange(2))
        speed = system.run(until=until, scheme="sequential")["rotor.speed"]
    # torque' = (2 (100 - speed) - torque) / 0.2, speed' = 2 torque - 2 speed
    values, vectors = np.linalg.eig([[-5.0, -10.0], [2.0, -2.0]])
    steady = np.array([200.0 / 3.0, 200.0 / 3.0])
    parts = np.linalg.solve(vectors, -steady)
    exact = steady[1] + (vectors[1] * parts * np.exp(np.outer(speed.time, values))).sum(axis=1).real
    return float(np.abs(speed.values - exact).max())


def master() -> float:
    """Return the largest difference between the angle of the pendulum and that of a run in one process, rad."""
    with tempfile.TemporaryDirectory() as folder, cp.serve(plant(Inverted()), name="pendulum") as serving:
        file = Path(folder, "motion.csv")
        with scilab("master.sce", serving.address, serving.token, XCOS_RESULT=str(file)):
            serving.session(wait=60.0)
        motion = np.loadtxt(file, delimiter=",")
    beside = in_process(Inverted(), step=0.01, span=2.0)
    return float(np.abs(motion[:, 1] - beside["plant.angle"].values).max())


if __name__ == "__main__":
    for name in sys.argv[1:] or ["controller", "engine", "master"]:
        print(f"{name}: {globals()[name]():.2g}")
