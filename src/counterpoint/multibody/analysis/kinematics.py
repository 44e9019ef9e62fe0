"""Motion of a mechanism whose every degree of freedom is guided, and the forces that this takes: inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...errors import SetupError, SolverError
from ...results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout
from ..assembly.affine import Vector
from .problem import Problem, Shown, State

_LONGEST_SURPRISE = 0.05
"""Part of the mechanism's size by which an assembled position may differ from the one foreseen; beyond, the way there
is halved: else the mechanism could be put together the other way round."""
_SHORTEST_PART = 1e-9
"""Part of the way between two times below which the search gives up."""


class Kinematics(Result):
    """Positions, velocities, accelerations and forces of a guided mechanism: a result with the raw arrays beside.

    Attributes
    ----------
    times : array of shape (times,)
        s.
    q, v, a : arrays of shape (times, coordinates)
        All free coordinates (m) and their derivatives.
    multipliers : array of shape (times, equations)
        Of all constraints, N or N m; :attr:`equations` names them.
    equations : tuple of str
        Names of the constraints.
    """

    times: Vector
    q: Vector
    v: Vector
    a: Vector
    multipliers: Vector
    equations: tuple[str, ...]


def kinematics(problem: Problem, times: ArrayLike, outputs: Mapping[str, Shown]) -> Kinematics:
    """Return the motion at given times.

    Parameters
    ----------
    times : array
        s, in any order of growth; the motion is followed from t = 0.
    outputs : mapping
        What the result shows besides driving forces, ``guide:MEASURE``.

    Raises
    ------
    SetupError
        When degrees of freedom are left.
    SolverError
        When the mechanism cannot follow its guides.
    """
    wanted = _checked(problem, times)
    _, left = problem.model.redundancy(*problem.start.arguments())
    if left:
        raise SetupError(
            f'"{problem.name}": kinematics needs every degree of freedom guided; '
            f"{left} {'is' if left == 1 else 'are'} left. Guide {left} more measure{'s' * (left != 1)}, "
            "or use run() for the motion caused by forces"
        )
    states = _followed(problem, wanted)
    solved = [problem.accelerations(state) for state in states]
    shown = {**outputs, **problem.guides}
    rows = [
        np.concatenate([[s.t], problem.shown(list(shown.values()), s, a, multipliers)])
        for s, (a, multipliers) in zip(states, solved, strict=True)
    ]
    made = _stored(problem, shown, np.array(rows))
    made.times = wanted
    made.q, made.v = (np.array([getattr(s, key)[: problem.n] for s in states]) for key in ("q", "v"))
    made.a = np.array([a for a, _ in solved])
    made.multipliers = np.array([multipliers for _, multipliers in solved])
    made.equations = tuple(problem.model.equation_name(k) for k in range(problem.equations))
    return made


def _checked(problem: Problem, times: ArrayLike) -> Vector:
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    if wanted.ndim != 1 or not len(wanted) or not np.all(np.isfinite(wanted)):
        raise SetupError(f'"{problem.name}": times: expected finite numbers in s')
    if np.any(np.diff(wanted) <= 0):
        place = int(np.flatnonzero(np.diff(wanted) <= 0)[0]) + 1
        raise SetupError(
            f'"{problem.name}": times must increase; {wanted[place]:g} s comes after {wanted[place - 1]:g} s'
        )
    return wanted


def _followed(problem: Problem, times: Vector) -> list[State]:
    """Return consistent states at the times, each reached from the one before; before t = 0 backwards."""
    after, before = times[times >= 0.0], times[times < 0.0][::-1]
    return _way(problem, before)[::-1] + _way(problem, after)


def _way(problem: Problem, times: Vector) -> list[State]:
    state, made = problem.consistent(problem.start), []
    for t in times:
        state = _reached(problem, state, float(t))
        made.append(state)
    return made


def _reached(problem: Problem, state: State, t_end: float) -> State:
    """Follow the guides to a time, in parts as long as what is foreseen comes true."""
    whole = part = t_end - state.t
    while abs(t_end - state.t) > 1e-12 * max(1.0, abs(t_end)):
        part = np.sign(whole) * min(abs(part), abs(t_end - state.t))
        there = _foreseen(problem, state, part)
        if there is None:
            part *= 0.5
            if abs(part) < _SHORTEST_PART * abs(whole):
                raise SolverError(
                    f'"{problem.name}": the guides cannot be followed beyond t = {state.t:.9g} s; there the '
                    "mechanism locks or is fully stretched; check that position, or guide over a shorter range",
                    problem.name,
                    state.t,
                )
            continue
        state, part = there, 2.0 * part
    return replace(state, t=t_end)


def _foreseen(problem: Problem, state: State, part: float) -> State | None:
    """Return the state after a part of the way, or None when it is not where velocity and acceleration point."""
    a, _ = problem.accelerations(state)
    ahead = part * state.v + 0.5 * part * part * problem.filled(a)
    limit = _LONGEST_SURPRISE * problem.length
    if float(np.abs(ahead).max(initial=0.0)) > 10.0 * limit:
        return None
    guess = replace(state, t=state.t + part, q=state.q + ahead)
    try:
        there = problem.consistent(guess)
    except RuntimeError:
        return None
    if float(np.abs(there.q - guess.q).max(initial=0.0)) > limit:
        return None
    return problem.remembered(there)


def _stored(problem: Problem, shown: Mapping[str, Shown], rows: Vector) -> Kinematics:
    columns, units = [], []
    for name, output in shown.items():
        columns += [name] if output.width == 1 else [f"{name}[{k}]" for k in range(output.width)]
        units += [output.unit] * output.width
    layout = RunLayout((SubsystemLayout(problem.name, tuple(columns), tuple(units)),))
    store = MemoryStore(layout, {"name": problem.name})
    store.append(0, rows)
    start, end = float(rows[0, 0]), float(rows[-1, 0])
    summary = RunSummary("finished", start=start, end=end, until=end, scheme="kinematics")
    return Kinematics(store, layout, summary)
