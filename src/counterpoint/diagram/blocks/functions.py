"""Blocks that a user writes: expressions in text, functions, objects in Python, state machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ... import _core
from ...errors import SetupError
from ...subsystems.models import compiled_address
from ..block_output import OutputOperators
from ..python_block import PythonBlock, argument_names, description, make_object
from ..state_machine import StateMachine
from .family import Family

if TYPE_CHECKING:
    from ..block import Block


def listed(names: Sequence[str] | str | None) -> str | None:
    """Names as the core takes them: separated by commas."""
    return names if names is None or isinstance(names, str) else ", ".join(names)


#: Names that mean something in every expression unless a signal is given by that name.
CONSTANTS = frozenset({"pi", "e", "t", "true", "false"})

#: Names that :meth:`Diagram.add` and the core have taken.
RESERVED = frozenset(
    {"kind", "named_inputs", "make", "block_type", "expression", "input_names", "output_names", "signals"}
)


class FunctionBlocks(Family):
    """Blocks that a user writes."""

    def expression(
        self,
        text: str,
        *signals: Any,
        inputs: Sequence[str] | str | None = None,
        outputs: Sequence[str] | str | None = None,
        name: str | None = None,
        **values: Any,
    ) -> Block:
        """Compute outputs from an expression in text.

        Parameters
        ----------
        text : str
            A value, ``"k * (p_a - p)**2"``, or several with names, ``"r = min(a / b, b / a); y = sqrt(r)"``; later
            ones may use earlier ones. Operators ``+ - * / % **``, comparisons, ``and or not``, ``a if c else b``;
            functions sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, log10, sqrt, hypot, pow, abs,
            sign, min, max, floor, ceil, mod, if(condition, a, b); constants pi, e, true, false; ``t`` is the time in s.
            Elements of vectors are ``u[0]``, ``u[1]``; an input used without index may be a vector, then the expression
            holds for each component.
        *signals : signals
            Entering the inputs in their order.
        inputs : sequence of str, optional
            Names of the inputs in their order. Otherwise every name that is given no value becomes an
            input, in order of appearance.
        outputs : sequence of str, optional
            Which of several values are outputs; otherwise all are. A value without name is ``y``.
        **values : signals or numbers
            By name: a signal enters that input, a number (or a vector, used by index) is a parameter.

        Notes
        -----
        Comparisons, sign, floor, ceil and mod jump and are held while a step is tried; these places and
        the kinks of abs, min and max are located as events. While a step is tried the root of a negative
        number is 0: a stage may look a little past the event that ends a branch; at accepted times it is NaN and stops
        the run.

        Constants are folded, whole powers are multiplications, common factors of sums are put outside (polynomials
        become Horner's scheme), which changes results by rounding only.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("tank")
        >>> level = model.integrator(initial=1.0, name="level")
        >>> model.expression("-a * sqrt(2 * g * h)", h=level, a=0.05, g=9.81) >> level
        <integrator level>
        >>> model.output("level", level)
        >>> round(float(model.run(until=2.0, step=0.01)["tank.level"].values[-1]), 6)
        0.606105
        """
        if reserved := RESERVED.intersection(values):
            raise SetupError(f'expression: "{min(reserved)}" cannot be the name of a parameter; take another')
        numbers: dict[str, Any] = {}
        entering: dict[str, Any] = {}
        for key, value in values.items():
            is_signal = isinstance(value, OutputOperators | str)
            (entering if is_signal else numbers)[key] = value
        return self.add(
            "expression",
            signals,
            name=name,
            named_inputs=entering,
            expression=text,
            input_names=listed(inputs),
            signals=listed([key for key in entering if key in CONSTANTS]) or None,
            output_names=listed(outputs),
            **numbers,
        )

    def function(
        self,
        function: Any,
        *signals: Any,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | Mapping[str, int] | int = 1,
        uses_time: bool = True,
        needs_major: bool = False,
        name: str | None = None,
        **named: Any,
    ) -> Block:
        """Compute outputs with a function: ``f(t, u1, u2, ...)`` in Python, or a compiled one.

        Parameters
        ----------
        function : callable or compiled function
            In Python: returns a number or an array, a sequence of them for several outputs. Scalar inputs are given as
            numbers, vectors as arrays that are written again at every call. When its first argument is called
            ``context``, it gets the context instead of the time: ``time``, ``step``, ``stage``, ``attempt``,
            ``is_major``. It runs several times per step, at times that may be given up later, and so must not remember;
            see :meth:`python_block` for blocks that do.
            Compiled (numba's cfunc, ctypes, an address): ``void f(double t, const double *u, double *y)``, inputs and
            outputs one after another.
        *signals, **named : signals
            Entering the inputs, in their order or by name.
        inputs : sequence of str, optional
            Names of the inputs; otherwise the names of the function's arguments, or u1, u2, ...
        outputs : int, sequence of str, mapping
            Width of the only output ``y``, names of scalar outputs, or names and widths.
        uses_time : bool
            Compiled functions: False lets the diagram skip calls while the inputs do not change.
        needs_major : bool
            Whether an evaluation with ``context.is_major`` is wanted at every accepted time.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("pendulum")
        >>> angle, speed = model.integrator(initial=0.1), model.integrator()
        >>> speed >> angle
        <integrator integrator1>
        >>> import math
        >>> model.function(lambda t, angle: -9.81 * math.sin(angle), angle) >> speed
        <integrator integrator2>
        >>> model.output("angle", angle)
        >>> round(float(model.run(until=1.0, step=0.01)["pendulum.angle"].values[-1]), 5)
        -0.09999
        """
        ports = {"y": outputs} if isinstance(outputs, int) else outputs
        count = len(signals) + len(named)
        address = compiled_address(function)
        if address is None and not callable(function):
            raise SetupError(f"function: {function!r} is neither a function nor a compiled function pointer")
        with_context = False
        names = list(inputs) if inputs is not None else [f"u{i + 1}" for i in range(len(signals))] + list(named)
        if address is None:
            found, with_context = argument_names(function, count)
            names = names if inputs is not None else found

        def make() -> _core.diagram.Block:
            made = description(names, ports)
            made.needs_major = needs_major
            if address is not None:
                return _core.diagram.compiled_function(address, made, not uses_time)
            return _core.diagram.python_function(function, made, with_context)

        return self.add("function", signals, name=name, named_inputs=named, make=make)

    def python_block(
        self, block: PythonBlock | Callable[[], PythonBlock], *signals: Any, name: str | None = None, **named: Any
    ) -> Block:
        """Add a block written in Python as an object of a class derived from :class:`PythonBlock`.

        One object belongs to one copy of the block. Pass the class, or a function that makes objects, if the
        diagram is used several times as a superblock or in parallel runs.
        """
        make = partial(make_object, block) if isinstance(block, PythonBlock) else lambda: make_object(block())
        return self.add("python", signals, name=name, named_inputs=named, make=make)

    def state_machine(
        self,
        *signals: Any,
        inputs: Sequence[str] = (),
        outputs: Mapping[str, float] | None = None,
        variables: Mapping[str, float] | None = None,
        machine: str | None = None,
        sample_time: float | None = None,
        sample_offset: float | None = None,
        name: str | None = None,
        **values: Any,
    ) -> StateMachine:
        """Add a state machine and return it; add states and transitions to it.

        Parameters
        ----------
        *signals, **values : signals or numbers
            Signals enter the inputs, in their order or by name; numbers are parameters that guards and actions may use.
        inputs : sequence of str
            Names of inputs; elements of vectors are ``u[0]``. Those of ``values`` need not be listed.
        outputs, variables : mapping
            Names and initial values of outputs, and of numbers that only the machine sees. A further output, ``state``,
            is the number of the state, counted from 0 in the order of adding (``machine.states``).
        machine : str, optional
            States and transitions as text instead: lines ``state NAME``, below each ``entry: ACTION``,
            ``during: ACTION``, ``exit: ACTION`` and ``GUARD -> NAME : ACTION``.
        sample_time, sample_offset : float, optional
            s; then guards are looked at and transitions made at samples only, one per sample. Otherwise the
            time at which a guard becomes true is located.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("room")
        >>> temperature = model.integrator(initial=18.0, name="temperature")
        >>> thermostat = model.state_machine(temperature=temperature, outputs={"heater": 0.0}, name="thermostat")
        >>> _ = thermostat.state("off", entry="heater = 0").state("on", entry="heater = 1")
        >>> _ = thermostat.transition("off", "on", "temperature < 19").transition("on", "off", "temperature > 21")
        >>> model.expression("2 * heater - 0.1 * (temperature - 10)", thermostat["heater"], temperature) >> temperature
        <integrator temperature>
        >>> model.output("temperature", temperature)
        >>> bool(model.run(until=60.0, step=0.5)["room.temperature"].values.max() <= 21.0 + 1e-9)
        True
        """
        if reserved := RESERVED.intersection(values):
            raise SetupError(f'state machine: "{min(reserved)}" cannot be the name of a parameter; take another')
        entering = {key: value for key, value in values.items() if isinstance(value, OutputOperators | str)}
        numbers = {key: value for key, value in values.items() if key not in entering}
        names = [*inputs, *(key for key in entering if key not in inputs)]
        made = self.add(
            "state_machine",
            signals,
            name=name,
            named_inputs=entering,
            block_type=StateMachine,
            input_names=listed(names),
            output_values=_initial(outputs),
            variables=_initial(variables),
            machine=machine or "",
            sample_time=sample_time,
            sample_offset=sample_offset,
            **numbers,
        )
        assert isinstance(made, StateMachine)
        return made


def _initial(values: Mapping[str, float] | None) -> str:
    return "; ".join(f"{name} = {float(value)!r}" for name, value in (values or {}).items())
