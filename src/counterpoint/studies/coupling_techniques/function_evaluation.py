"""Table 5.1: one double pendulum, one formulation, dynamic terms from five places."""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from ... import Subsystem, System
from ...multibody import Evaluated, Formulation
from ...multibody.evaluation import connect, octave
from ..report import Progress
from . import double_pendulum
from .double_pendulum import Array

STEPS = (1e-3, 1e-2)
"""Time steps of the table, s."""

ITERATIONS = {1e-3: 1, 1e-2: 2}
"""Newton iterations of a step, as in the source: 10 000 and 1840 for 10 s."""

NATIVE, POINTER, PYTHON, SOCKET, OCTAVE = "native", "compiled pointer", "Python function", "socket", "Octave"
TECHNIQUES = (NATIVE, POINTER, PYTHON, SOCKET, OCTAVE)
"""In the order that we expect, the cheapest first."""

SPAN = {False: 10.0, True: 0.5}
"""Seconds simulated, by whether it is the quick form."""

ENOUGH = 0.05
"""Seconds of a measurement at least: a run of the native model takes one to five milliseconds, shorter than whatever
else a machine does at times."""

Clock = Callable[[], float]
Model = Callable[[float], Subsystem]
"""Makes the pendulum for one run, for the step that it will have."""


@dataclass
class Evaluations:
    """What came out, by technique and step or by step alone."""

    seconds: dict[tuple[str, float], float] = field(default_factory=dict)
    """For a second simulated."""
    places: dict[tuple[str, float], Array] = field(default_factory=dict)
    """Of both masses over time, m; shorter where a technique takes long."""
    missing: dict[str, str] = field(default_factory=dict)
    calls: dict[float, float] = field(default_factory=dict)
    """How often the terms are evaluated in a step."""
    own_error: dict[float, float] = field(default_factory=dict)
    """Largest distance of the native run from one with steps ten times finer, m."""

    def ratio(self, technique: str, step: float) -> float:
        """Return the time over that of the native model; NaN where the technique is not there."""
        return self.seconds.get((technique, step), np.nan) / self.seconds[NATIVE, step]

    def distance(self, technique: str, other: str, step: float) -> float:
        """Return the largest distance of two motions, m, as far as both go."""
        pair = [self.places[name, step] for name in (technique, other)]
        shorter = min(map(len, pair))
        return float(np.abs(pair[0][:shorter] - pair[1][:shorter]).max())


def measure(quick: bool, progress: Progress | None = None) -> Evaluations:
    """Run every technique that this machine has, in turn, so that whatever else the machine does meets all of them."""
    made = Evaluations(calls={step: calls_in_a_step(step, quick) for step in STEPS})
    rounds = 2 if quick else 5
    with contextlib.ExitStack() as stack:
        models = _models(stack, made.missing)
        for turn in range(rounds):
            for name, model in models.items():
                for step in STEPS:
                    _measure_one(made, name, model, step, quick)
            if progress:
                progress("function evaluation", turn + 1, rounds)
    made.own_error = {step: _own_error(made.places[NATIVE, step], step, quick) for step in STEPS}
    return made


def _measure_one(made: Evaluations, name: str, model: Model, step: float, quick: bool) -> None:
    span = {True: 0.1, False: 1.0}[quick] if name == OCTAVE else SPAN[quick]
    spent, fastest = 0.0, made.seconds.get((name, step), np.inf)
    while spent < ENOUGH:
        seconds, places = _timed(model(step), span, step, perf_counter if name in (SOCKET, OCTAVE) else process_time)
        spent, fastest = spent + seconds, min(fastest, seconds / span)
    made.seconds[name, step], made.places[name, step] = fastest, places


def _own_error(places: Array, step: float, quick: bool) -> float:
    finer = 10
    _, exact = _timed(_native(step), SPAN[quick], step / finer)
    return float(np.abs(places - exact[::finer]).max())


def calls_in_a_step(step: float, quick: bool) -> float:
    """Return how often the terms are evaluated in a step, counted over the whole run."""
    calls = 0

    def counted(*arguments: Any) -> object:
        nonlocal calls
        calls += 1
        return double_pendulum.python_terms(*arguments)

    made, places = _timed(_evaluated(counted)(step), SPAN[quick], step, lambda: calls)
    return made / (len(places) - 1)


def _timed(model: Subsystem, span: float, step: float, clock: Clock = process_time) -> tuple[float, Array]:
    """Run without counting the set-up; return seconds, and the places of both masses over time.

    In one process processor time is counted, which other work of the machine does not change; across processes
    elapsed time, which contains the waiting.
    """
    system = System("double pendulum")
    system.add("pendulum", model, step=step)
    with system.start(until=span) as run:
        began = clock()
        run.step_to(span)
        seconds = clock() - began
        return seconds, np.asarray(run.finish()["pendulum.q"].values)


def _models(stack: contextlib.ExitStack, missing: dict[str, str]) -> dict[str, Model]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="terms-")))
    models: dict[str, Model] = {NATIVE: _native}
    with _noting(missing, POINTER):
        models[POINTER] = _evaluated(_compiled(folder))
    models[PYTHON] = _evaluated(double_pendulum.python_terms)
    models[SOCKET] = _evaluated(stack.enter_context(_served(folder)))
    with _noting(missing, OCTAVE):
        (folder / "double_pendulum.m").write_text(double_pendulum.M_TERMS)
        models[OCTAVE] = _evaluated(stack.enter_context(octave(folder / "double_pendulum.m")))
    return models


@contextlib.contextmanager
def _noting(missing: dict[str, str], name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # whatever keeps a technique away: the study goes on and says so
        missing[name] = str(error)


def formulation(step: float) -> Formulation:
    """Return index 3 with projections and the source's iterations; without projections 10 s are not stable.

    An iteration is one evaluation of the terms: the projections take c from the last one.
    """
    return Formulation(fixed_iterations=ITERATIONS[step])


def _native(step: float) -> Subsystem:
    model = double_pendulum.mechanism()
    model.formulation = formulation(step)
    return model.subsystem()


def _evaluated(terms: object) -> Model:
    def make(step: float) -> Subsystem:
        model = Evaluated(
            terms,
            coordinates=4,
            equations=2,
            constant_mass=True,
            rates=True,
            position=double_pendulum.START,
            standard_outputs=("q",),
        )
        return model.subsystem(formulation=formulation(step))

    return make


def _compiled(folder: Path) -> object:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise FileNotFoundError("no C compiler (cc, gcc, clang) is installed")
    (folder / "terms.c").write_text(double_pendulum.C_TERMS)
    command = [compiler, "-O2", "-shared", "-fPIC", "terms.c", "-o", "terms.so"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return ctypes.CDLL(str(folder / "terms.so")).terms


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[object]:
    """Yield the terms of a process that answers over a Unix socket."""
    address = f"unix://{folder / 'terms'}"
    code = (
        "from counterpoint.multibody.evaluation import serve_terms\n"
        "from counterpoint.studies.coupling_techniques.double_pendulum import python_terms\n"
        f"serve_terms(python_terms, {address!r}, coordinates=4, equations=2, rates=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()  # it prints its address when it listens
        with connect(address) as stream:
            yield stream
