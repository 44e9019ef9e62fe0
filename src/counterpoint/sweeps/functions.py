"""A system as a function of some of its parameters: what optimisers and analyses of sensitivity call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SetupError, SimulationError
from .measures import Measure, MeasureError, make_measures
from .packing import pack, unpack
from .pool import Kind, Pool, check_workers
from .recipes import make_recipe
from .worker import Job, Worker, quiet_runs

if TYPE_CHECKING:
    from ..results import Result
    from .environment import Environment

Array = NDArray[np.float64]


def function(
    what: Any,
    inputs: str | Sequence[str] | Mapping[str, str],
    outputs: Measure | Iterable[str] | Mapping[str, Measure],
    *,
    set: Mapping[str, Any] | None = None,
    workers: int = 1,
    kind: Kind = "auto",
    failed: Literal["raise", "nan"] = "raise",
    allow_outside: bool = False,
    allow_remote: Sequence[str] = (),
    **options: Any,
) -> Function:
    """Return a system as a function from parameters to measures of a run.

    The function can be pickled: it holds how the system is made, not the system. The system is built at the first call,
    and what does not change is used again by the next ones: checked tables, subsystems, unpacked FMUs, their instances.

    Parameters
    ----------
    what : path, Scenario, System, or function that returns a System
        As for :func:`sweep`.
    inputs : str, sequence of str, or mapping
        Parameters, as for :func:`sweep`; a mapping gives them names for keywords, ``{"k": "spring.K[0][0]"}``.
    outputs : words or functions
        Measures, as for :func:`sweep`; one word or function alone makes the function return single numbers.
    set : mapping, optional
        Values that replace those of the file.
    workers : int
        Points that are run at the same time in a call with many.
    kind : str
        As for :func:`sweep`.
    failed : str
        ``"raise"`` the error of a run that fails, or return ``"nan"`` for it, and for values with which no system can
        be made once there was one.
    allow_outside, allow_remote
        As for :meth:`Scenario.read`.
    **options
        Of :meth:`System.run`: ``until``, ``scheme``, ...

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="level", solver="ode4"), step=0.1)
    >>> system.set("tank.u", 0.0)
    >>> level = cp.function(system, ["tank.x0[0]", "until"], "last(tank.level)")
    >>> round(level(2.0, 1.0), 3)
    0.736
    >>> level([[1.0, 1.0], [1.0, 2.0]]).round(3)
    array([0.368, 0.135])
    """
    names = {inputs: inputs} if isinstance(inputs, str) else inputs
    named = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    if not named:
        raise SetupError("inputs: is empty; name at least one parameter")
    if failed not in ("raise", "nan"):
        raise SetupError(f'failed: "{failed}"; expected "raise" or "nan"')
    recipe = make_recipe(what, options, fixed=set, allow_outside=allow_outside, allow_remote=tuple(allow_remote))
    job = Job(recipe, tuple(named.values()), make_measures(outputs))
    if job.measures.compared:
        raise SetupError(
            "outputs: error(...) needs the reference of a sweep; write a function that compares the result"
        )
    single = isinstance(outputs, str) or callable(outputs)
    return Function(job, tuple(named), single=single, workers=check_workers(workers), kind=kind, failed=failed)


class Function:
    """A system as a function; made by :func:`function`.

    ``f(a, b)`` takes one value or array per input, which are broadcast against each other; ``f(x)`` takes an array
    whose last axis has one entry per input, as optimisers give it. With one input both are the same: ``f(x)`` is
    elementwise. ``f(name=value)`` takes inputs by name. The result has the shape of the points, with the outputs as the
    last axis unless there is a single one.

    Attributes
    ----------
    inputs, outputs : tuple of str
        Names.
    """

    def __init__(
        self, job: Job, inputs: tuple[str, ...], *, single: bool, workers: int, kind: Kind, failed: str
    ) -> None:
        self._job = job
        self._single = single
        self._workers = workers
        self._kind: Kind = kind
        self._failed = failed
        self._made: Worker | None = None
        self._checked = False
        self.inputs = inputs
        self.outputs = tuple(job.measures.names)

    @property
    def worker(self) -> Worker:
        """What runs its points in this process; made when it is first asked for."""
        if self._made is None:
            self._made = Worker(self._job)
        return self._made

    def __call__(self, *values: ArrayLike, **named: ArrayLike) -> Any:
        """Return the outputs at the values of the inputs."""
        points = self._points(values, named)
        shape = points.shape[:-1]
        rows = points.reshape(-1, len(self.inputs)).tolist()
        with quiet_runs():
            self._check(rows)
            many = self._workers > 1 and len(rows) > 1
            made = self._in_pool(rows) if many else [self._at(row) for row in rows]
        table = np.asarray(made, dtype=np.float64).reshape(*shape, len(self.outputs))
        if not self._single:
            return table
        return float(table[..., 0]) if not shape else table[..., 0]

    def _points(self, values: tuple[ArrayLike, ...], named: Mapping[str, ArrayLike]) -> Array:
        """Return the points, shape (..., number of inputs)."""
        n = len(self.inputs)
        if named:
            unknown = [name for name in named if name not in self.inputs]
            if unknown or len(values) + len(named) != n:
                raise SetupError(f"takes {', '.join(self.inputs)}; {len(values)} values and {', '.join(named)} given")
            values = (*values, *(named[name] for name in self.inputs[len(values) :]))
        if len(values) == 1 and n > 1:
            whole = self._numbers(", ".join(self.inputs), values[0])
            if whole.ndim == 0 or whole.shape[-1] != n:
                raise SetupError(
                    f"takes {n} inputs, {', '.join(self.inputs)}; given is an array of shape {whole.shape}"
                )
            return whole
        if len(values) != n:
            raise SetupError(f"takes {n} inputs, {', '.join(self.inputs)}; {len(values)} given")
        given = (self._numbers(name, value) for name, value in zip(self.inputs, values, strict=True))
        return np.stack(np.broadcast_arrays(*given), axis=-1)

    def _numbers(self, name: str, value: ArrayLike) -> Array:
        try:
            return np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            words = "inputs are numbers; vary words and tables with cp.sweep, or in a function that returns the system"
            raise SetupError(f"{name}: {value!r}; {words}") from None

    def _check(self, rows: list[list[float]]) -> None:
        """Raise what is wrong with names; values with which no system can be made are those of a run that fails."""
        if self._failed == "raise" or self._checked:
            return
        problem: SetupError | None = None
        for row in rows:
            try:
                self.worker.check(row)
            except SetupError as error:
                problem = problem or error
            else:
                self._checked = True
                return
        if problem is not None:
            raise problem

    def _at(self, values: list[float]) -> list[float]:
        try:
            with self.worker.result(values) as result:
                return self._job.measures.of(result)
        except (SimulationError, SetupError) as error:
            if self._failed == "raise" or isinstance(error, MeasureError):
                raise
            return [nan] * len(self.outputs)

    def _in_pool(self, points: list[list[float]]) -> list[list[float]]:
        pool = Pool(self._job, min(self._workers, len(points)), self._kind, self.worker)
        found: dict[int, list[float]] = {}
        for rows in pool.run(enumerate(points)):
            for row in rows:
                if row.status != "done" and self._failed == "raise":
                    raise SimulationError(f"{points[row.point]}: {row.message}", "", nan)
                found[row.point] = row.measures
        return [found[k] for k in range(len(points))]

    def result(self, *values: ArrayLike, **named: ArrayLike) -> Result:
        """Run one point and return its result with all signals.

        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="level", solver="ode4"), step=0.1)
        >>> system.set("tank.u", 0.0)
        >>> level = cp.function(system, "tank.x0[0]", "last(tank.level)", until=1.0)
        >>> len(level.result(2.0)["tank.level"].time)
        11
        """
        (row,) = self._points(values, named).reshape(-1, len(self.inputs)).tolist()
        return self.worker.result(row, everything=True)

    def environment(
        self, observations: str | Sequence[str], actions: str | Sequence[str], interval: float | str
    ) -> Environment:
        """Return the system as an environment for learning, see :class:`Environment`.

        Parameters
        ----------
        observations : names
            Outputs, ``subsystem.output``.
        actions : names
            Inputs that nothing drives, ``subsystem.input``.
        interval : float or str
            Simulated time between two actions, s, or with its unit, ``"10 ms"``.
        """
        from .environment import Environment

        return Environment(self, observations, actions, interval)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_job": pack(self._job), "_made": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._job = unpack(state["_job"])

    def __repr__(self) -> str:
        return f"<Function {self._job.recipe.label}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"
