"""The subsystem contract, and the base class for models written in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._common.numbers import is_number
from .._common.ports import PortSpec, port_widths
from .._common.recorded import MadeBy
from ..approximations import Approximation
from ..errors import SetupError
from ..linear_model import LinearSubsystem
from ..units import Unit

LinearModelFunction = Callable[[float, NDArray[np.float64], Sequence[float] | None], LinearSubsystem | None]
"""Returns the linear model at a time (s), inputs and state; a state of None is the initial one."""
InputFunction = Callable[[float], NDArray[np.float64]]


class Subsystem:
    """Base class for a model with its own step method.

    Contract for implementers:

    1. ``inputs`` and ``outputs`` name the ports: a list of names, or a mapping name -> width for
       vectors. They must not change after the subsystem has been added to a system.
    2. :meth:`start` sets the model to its initial state at time ``t``. It may be called again to begin
       another run. :meth:`finish` always ends a run: release external resources there (a process, a socket).
    3. :meth:`step` advances the model from ``t`` to ``t_end``. With ``stops_early = True`` it may stop earlier
       and return the time it has reached (an event); other subsystems then wait for it more often, because they
       cannot know when it will publish. ``None`` means ``t_end``. One call is one accepted step; only its end is
       published.
       Where an event that ended the step makes outputs jump, ``output_before_event`` is a method that returns the
       outputs just before it, and ``None`` after any other step: no approximation then crosses the jump.
    4. During a step the inputs may be evaluated at any time between ``t`` and ``t_end``: ``u(time)`` returns an
       array of all inputs in the order of ``inputs``. The next call overwrites the array: copy it to keep
       it. At the start of a step evaluate derivatives again with ``u(t)``: those from the end of the last step
       used extrapolated inputs.
    5. :meth:`output` returns the outputs at the current time: a number, a sequence or an array in the order
       of ``outputs``. It may use ``u`` only for pairs declared in ``feedthrough`` (output, input).
    6. ``next_step``: a method that returns the preferred next step in s, used when the subsystem is added
       without a fixed step; ``None`` otherwise.
    7. ``save`` and ``restore`` come together: after ``restore(save())`` the same calls give the same results. Omit
       both if the model cannot save its state.
    8. ``defaults`` are the values of unconnected inputs; ``units`` are the units of ports, such as ``"N*m"``,
       used in plots and to check connections.
       ``initial_feedthrough`` has pairs (output, input) with direct feedthrough at the start only;
       ``preferred_step`` is the fixed step in s of a subsystem that is added without one; ``typical_step`` is the
       approximate size of its own steps, if starting it only for this would cost too much.
       ``preferred_approximation`` is used for its outputs in connections without an approximation, and
       ``output_approximations`` for single outputs: hold signals that jump. ``input_approximations`` is used for an
       input if neither the connection nor the output specifies one.
       ``parameters`` are numbers that events may change during a run, name -> value at the start;
       :meth:`set_parameter` is called for each change.
       ``sampled = True`` says that the step belongs to the model, as in a digital controller: its held outputs have no
       defect, and a second run keeps its step. With ``repeatable = False`` it is not run again for the verdict.
    9. A run never calls methods from two threads at once; an object takes part in one run at a time: a newer run
       takes it over, unless it is being stepped.
    10. Report a failure by an exception; the run keeps the results up to that point.

    Examples
    --------
    >>> class Heater(Subsystem):
    ...     inputs = ("power",)
    ...     outputs = ("temperature",)
    ...     def start(self, t):
    ...         self.temperature = 293.0
    ...     def step(self, t, t_end, u):
    ...         self.temperature += (t_end - t) * u(t)[0] / 500.0
    ...     def output(self, t, u):
    ...         return self.temperature
    >>> Heater().outputs
    {'temperature': 1}
    """

    inputs: PortSpec = ()
    outputs: PortSpec = ()
    feedthrough: Iterable[tuple[str, str]] = ()
    initial_feedthrough: Iterable[tuple[str, str]] = ()
    preferred_step: float | None = None
    typical_step: float | None = None
    step_to_try: float | None = None  #: s; named in the message that a step is missing
    listeners_step: float | None = None  #: smallest fixed step of the receivers, s; set before a run
    drawn_step: float | None = None  #: s; largest distance of samples for drawing; set before a run
    step_parts: int = 1  #: by how much the longest step of its solver is divided; set before a run
    run_until: float | None = None  #: s; set before a run; None: it has no end
    pace_tolerance: float | None = None  #: of the pace that steps it, for solvers that take one; set before a run
    connected_outputs: frozenset[str] | None = None  #: set before a run; None: not known
    keeps_free_inputs: bool = False  #: whether inputs that nothing connects or sets have values of their own inside
    free_inputs: frozenset[str] = frozenset()  #: those inputs; set before a run if it keeps them
    defaults: Mapping[str, ArrayLike] = {}
    units: Mapping[str, str] = {}
    unit_definitions: Mapping[str, Unit] = {}  #: units that are known better than by their names, as in FMUs
    may_be_undefined: bool = False  #: whether an output that nothing reads may be NaN from the start on
    can_tell_standstill: bool = False  #: whether :meth:`standstill_problems` is worth asking
    units_expected: bool = False  #: whether a unit that is missing on one side of a connection is worth a warning
    sampled: bool = False  #: whether its step belongs to the model, as that of a digital controller does
    repeatable: bool = True  #: whether it may be run again without a request, to estimate the error
    solves_inside: bool = False  #: whether its steps are made by a solver that is not known here, as in FMUs
    long_steps: bool = False  #: whether a solver may make steps so long that lines between them hide what outputs do
    copied_for_runs: bool = (
        False  #: whether each run works on a copy of its own, so that several can run at the same time
    )
    stops_early: bool = False
    output_before_event: Callable[[], float | ArrayLike | None] | None = None
    next_step: Callable[[], float] | None = None
    preferred_approximation: Approximation | None = None
    output_approximations: Mapping[str, Approximation] = {}  #: of single outputs
    input_approximations: Mapping[str, Approximation] = {}  #: of inputs that need more than straight lines
    save: Callable[[], Any] | None = None
    restore: Callable[[Any], None] | None = None
    constant_outputs: Collection[str] = ()  #: outputs that are known never to change
    minor_outputs: Collection[str] = ()  #: outputs that are not drawn unless they are named
    parameters: Mapping[str, float] = {}
    opened_parameters: Mapping[str, float] = {}  #: those that events of a system change: inputs without a port
    not_finite_hint: str = ""  #: possible cause if an output is NaN
    made_by: MadeBy | None = None  #: the call that made it, where that is known
    inner_step: float | None = None  #: fixed step of that solver, s, where it is declared
    runs_python: bool = True  #: whether steps run code in Python, so that threads have to take turns
    is_smooth: bool = False  #: whether its outputs jump or bend only where its inputs do, as those of linear models
    input_order: int | None = None  #: highest order of input polynomials that it can follow within a step; None: any
    #: Returns the model near a state, from time (s), inputs and state there; None: only steps are known of it.
    linear_model: LinearModelFunction | None = None
    #: Returns the longest step in s with which its fixed-step solver is stable; None: any will do, or it is not known.
    longest_stable_step: Callable[[], float] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for kind in ("inputs", "outputs"):
            if kind in cls.__dict__ and not isinstance(cls.__dict__[kind], property):
                setattr(cls, kind, port_widths(cls.__dict__[kind], f"{cls.__name__}.{kind}"))

    def start(self, t: float) -> None:
        """Set the model to its initial state at time ``t`` (s)."""

    def step(self, t: float, t_end: float, u: InputFunction) -> float | None:
        """Advance from ``t`` to ``t_end`` (s)."""
        raise NotImplementedError(f"{type(self).__name__} must define step(t, t_end, u)")

    def output(self, t: float, u: InputFunction) -> float | ArrayLike:
        """Return the outputs at ``t`` (s)."""
        raise NotImplementedError(f"{type(self).__name__} must define output(t, u)")

    def finish(self) -> None:
        """Release external resources of the run; only :meth:`start` may follow."""

    def set_parameter(self, name: str, value: float) -> None:
        """Set one of the ``parameters`` to a new value; by default sets the attribute of this name."""
        setattr(self, name, value)

    @property
    def tunable_parameters(self) -> list[str]:
        """Names of the parameters that events can change during a run."""
        return list(self.parameters)

    def open_parameter(self, name: str) -> bool:
        """Let events change a parameter; return whether it exists."""
        if name not in self.parameters:
            return False
        value = self.parameters[name] if isinstance(self.parameters, Mapping) else None
        if not is_number(value):
            raise SetupError(
                f"{type(self).__name__}.parameters: {self.parameters!r}; expected names with finite numbers, their "
                f'values at the start: {{"{name}": 1.0}}'
            )
        self.opened_parameters = {**self.opened_parameters, name: float(value)}
        return True

    def open_port(self, name: str, kind: str) -> None:
        """Create a port that exists only if it is connected, where there is one; kind: "inputs" or "outputs"."""

    @property
    def input_widths(self) -> dict[str, int]:
        """Inputs as name -> number of scalars; parameters that events change come last."""
        widths = port_widths(self.inputs, f"{type(self).__name__}.inputs")
        return widths | dict.fromkeys(self.opened_parameters, 1) if self.opened_parameters else widths

    @property
    def output_widths(self) -> dict[str, int]:
        """Outputs as name -> number of scalars."""
        return port_widths(self.outputs, f"{type(self).__name__}.outputs")

    def approximation_of(self, output: str) -> Approximation | None:
        """Return the preferred approximation of an output in connections without one; None: the default."""
        return self.output_approximations.get(output, self.preferred_approximation)

    def step_problems(self, step: float, span: float) -> Iterator[str]:
        """Yield the reasons why the subsystem cannot run with a fixed step over a time span, both in s."""
        yield from ()

    def standstill_problems(self, still: Sequence[str], t: float) -> dict[str, str]:
        """Return why it is wrong that outputs have not changed in a run up to ``t`` (s): output -> reason."""
        return {}

    def _facts(self) -> dict[str, Any] | None:
        """Return what can be known of it before it runs, to be compared with another one; None: only by asking it.

        Equal facts mean that runs are planned in the same way, whatever the values inside.
        """
        return None

    @property
    def is_foreign(self) -> bool:
        """Whether foreign code runs in this process, which may change the state of the process."""
        return False

    @property
    def can_save(self) -> bool:
        """Whether the model can save and restore its state."""
        return self.save is not None and self.restore is not None

    @property
    def repeats_unasked(self) -> bool:
        """Whether its first steps may be repeated from a saved state without a request."""
        return self.can_save

    @property
    def own_pace(self) -> bool:
        """Whether the subsystem can choose its own steps."""
        return self.next_step is not None

    def _native(self) -> _core.Subsystem:
        inputs, outputs = sum(self.input_widths.values()), sum(self.output_widths.values())
        return _core.python_subsystem(self, inputs, outputs, list(self.opened_parameters.items()))


_NO_FACTS = (
    "listeners_step", "drawn_step", "step_parts", "run_until",  # set by each run
    "pace_tolerance", "connected_outputs", "free_inputs",  # likewise
    "_make", "linear_model", "longest_stable_step", "made_by",  # what they return says nothing about ports
)  # fmt: skip
_PLAIN = frozenset({str, float, int, bool, NoneType, tuple, frozenset})


class NativeSubsystem(Subsystem):
    """A subsystem of the core; created by :func:`linear`, :func:`ode`, :func:`table` and the like."""

    copied_for_runs = True

    def __init__(
        self,
        kind: str,
        make: Callable[[], _core.Subsystem],
        *,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
        feedthrough: Iterable[tuple[str, str]] = (),
        defaults: Mapping[str, ArrayLike] | None = None,
        units: Mapping[str, str] | None = None,
        own_pace: bool = False,
        can_save: bool = True,
        repeats_unasked: bool = True,
        preferred_approximation: Approximation | None = None,
        input_approximations: Mapping[str, Approximation] | None = None,
        minor_outputs: Collection[str] = (),
        not_finite_hint: str = "",
        export_problem: str = "",
        runs_python: bool = False,
    ) -> None:
        self.kind = kind
        self.export_problem = export_problem
        self.runs_python = runs_python
        self.minor_outputs = minor_outputs
        self.not_finite_hint = not_finite_hint
        self._make = make
        self.inputs = dict(inputs)
        self.outputs = dict(outputs)
        self.feedthrough = tuple(feedthrough)
        self.defaults = dict(defaults or {})
        self.units = dict(units or {})
        self._own_pace = own_pace
        self._can_save = can_save
        self._repeats_unasked = can_save and repeats_unasked
        self.preferred_approximation = preferred_approximation
        self.input_approximations = dict(input_approximations or {})

    @property
    def own_pace(self) -> bool:
        """Whether the subsystem can choose its own steps (a variable-step solver, a table)."""
        return self._own_pace

    @property
    def can_save(self) -> bool:
        """Whether the model can save and restore its state; in the core all can, unless they contain Python models."""
        return self._can_save

    @property
    def repeats_unasked(self) -> bool:
        """Whether its first steps may be repeated from a saved state without a request."""
        return self._repeats_unasked

    def _facts(self) -> dict[str, Any] | None:
        """Return its attributes, if all are plain."""
        if type(self) is not NativeSubsystem:
            return None
        found = vars(self).copy()
        for name in _NO_FACTS:
            found.pop(name, None)
        for name, value in found.items():
            if type(value) in _PLAIN:
                continue
            if isinstance(value, dict) and _PLAIN.issuperset(map(type, value.values())):
                found[name] = value.copy()
            elif isinstance(value, dict) and all(isinstance(inside, Approximation) for inside in value.values()):
                found[name] = {port: inside.made_by or inside for port, inside in value.items()}
            elif isinstance(value, Approximation):
                found[name] = value.made_by or value
            else:
                return None
        return found

    def _native(self) -> _core.Subsystem:
        return self._make()

    def __repr__(self) -> str:
        return f"<{self.kind}: {', '.join(self.inputs) or 'no inputs'} -> {', '.join(self.outputs)}>"
