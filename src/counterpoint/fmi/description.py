"""The model description of an FMU (modelDescription.xml), in one form for FMI 1, FMI 2 and FMI 3.

Types have their FMI 3 names: Real of FMI 1 and 2 is ``Float64``, Integer is ``Int32``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..errors import SetupError, did_you_mean
from ..units import Unit as BaseUnit

Value = float | int | bool | str | bytes

GENERATOR = "Counterpoint"
"""How the tool names itself in the FMUs that it exports."""

FLOATS = ("Float64", "Float32")
INTEGERS = ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
TYPES = (*FLOATS, *INTEGERS, "Boolean", "Enumeration", "String", "Binary", "Clock")
NUMERIC = (*FLOATS, *INTEGERS, "Boolean", "Enumeration")
"""Types whose values can be signals."""


@dataclass(frozen=True, slots=True)
class DisplayUnit:
    """Another unit for displaying values: ``shown = factor * value + offset`` (``inverse``: of 1 / value)."""

    name: str
    factor: float = 1.0
    offset: float = 0.0
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Unit(BaseUnit):
    """A unit of an FMU, and other units for displaying its values."""

    display_units: tuple[DisplayUnit, ...] = ()


@dataclass(frozen=True, slots=True)
class SimpleType:
    """A type definition: defaults for the variables that name it, and the items of an enumeration."""

    name: str
    type: str
    description: str = ""
    quantity: str = ""
    unit: str = ""
    display_unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    relative: bool = False
    items: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Dimension:
    """Length of an array along one axis: a number, or the value of a structural parameter."""

    length: int
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class ClockInterval:
    """When a clock of FMI 3 ticks: ``kind`` is its intervalVariability; interval and shift in s, None: ask the FMU."""

    kind: str
    interval: float | None = None
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; ``start`` has one value per element, row by row, and is None if the FMU gives none."""

    name: str
    reference: int
    type: str
    causality: str
    variability: str
    initial: str
    start: tuple[Value, ...] | None = None
    dimensions: tuple[Dimension, ...] = ()
    description: str = ""
    unit: str = ""
    display_unit: str = ""
    declared_type: str = ""
    quantity: str = ""
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    negated: bool = False  #: its value has the other sign than that of its reference (FMI 1: negatedAlias)
    relative: bool = False  #: values are differences (relativeQuantity): offsets of units do not count
    derivative_of: str = ""
    reinit: bool = False
    intermediate_update: bool = False
    can_set_often: bool = False  #: at one instant (FMI 2: canHandleMultipleSetPerTimeInstant)
    aliases: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()  #: names of those that it belongs to
    ticks: ClockInterval | None = None  #: of a clock
    line: int = 0

    @property
    def is_numeric(self) -> bool:
        """Whether it can be a signal."""
        return self.type in NUMERIC


@dataclass(frozen=True, slots=True)
class Unknown:
    """A variable that the FMU calculates, and the variables it depends on; None: it may depend on all."""

    name: str
    depends_on: tuple[str, ...] | None
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface of an FMU, co-simulation or model exchange, and its capabilities."""

    model_identifier: str
    needs_execution_tool: bool = False
    only_once_per_process: bool = False
    can_get_and_set_state: bool = False
    can_serialize_state: bool = False
    provides_directional_derivatives: bool = False
    provides_adjoint_derivatives: bool = False
    variable_steps: bool = False  #: canHandleVariableCommunicationStepSize
    fixed_internal_step: float | None = None  #: s
    max_output_derivative_order: int = 0
    can_interpolate_inputs: bool = False
    runs_asynchronously: bool = False
    has_event_mode: bool = False
    might_return_early: bool = False
    provides_intermediate_update: bool = False
    can_return_early_after_intermediate_update: bool = False
    provides_evaluate_discrete_states: bool = False
    needs_completed_integrator_step: bool = True


@dataclass(frozen=True, slots=True)
class DefaultExperiment:
    """The default experiment of an FMU; times in s."""

    start: float | None = None
    stop: float | None = None
    tolerance: float | None = None
    step: float | None = None


@dataclass(frozen=True)
class ModelDescription:
    """The whole of modelDescription.xml.

    Attributes
    ----------
    version : str
        ``"1.0"``, ``"2.0"``, ``"3.0"`` or a later minor version.
    token : str
        GUID (FMI 2) or instantiation token (FMI 3): ties the binary to the description.
    outputs, derivatives, initial_unknowns : tuple of Unknown
        The structure of the model.
    complaints : tuple of str
        Violated rules of the standard that do not prevent the FMU from running.
    """

    version: str
    name: str
    token: str
    variables: tuple[Variable, ...]
    co_simulation: Interface | None = None
    model_exchange: Interface | None = None
    units: Mapping[str, Unit] = field(default_factory=dict)
    types: Mapping[str, SimpleType] = field(default_factory=dict)
    log_categories: tuple[str, ...] = ()
    experiment: DefaultExperiment = field(default_factory=DefaultExperiment)
    outputs: tuple[Unknown, ...] = ()
    derivatives: tuple[Unknown, ...] = ()
    initial_unknowns: tuple[Unknown, ...] = ()
    event_indicators: int = 0
    unnamed_states: int = 0  #: continuous states that the description only counts (FMI 1)
    description: str = ""
    author: str = ""
    model_version: str = ""
    copyright: str = ""
    license: str = ""
    tool: str = ""
    date: str = ""
    naming: str = "flat"
    complaints: tuple[str, ...] = ()

    @property
    def major(self) -> int:
        """1, 2 or 3."""
        return int(self.version[0])

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        """Variables by name and by their aliases."""
        names = {alias: v for v in self.variables for alias in v.aliases}
        return names | {v.name: v for v in self.variables}

    def with_causality(self, *causalities: str) -> list[Variable]:
        """Return the variables of these causalities, in the order of the file."""
        return [v for v in self.variables if v.causality in causalities]

    @property
    def triggered_clocks(self) -> list[Variable]:
        """Input clocks that other models tick (FMI 3)."""
        return [v for v in self.with_causality("input") if v.ticks is not None and v.ticks.kind == "triggered"]

    def find(self, name: str, where: str = "") -> Variable:
        """Return a variable; raise SetupError with a suggestion if there is none."""
        if name not in self.by_name:
            prefix = f"{where}: " if where else ""
            raise SetupError(f'{prefix}"{name}": no such variable{did_you_mean(name, self.by_name)}')
        return self.by_name[name]

    def shape(self, variable: Variable, structure: Mapping[str, int] | None = None) -> tuple[int, ...]:
        """Return the shape of a variable, () for a scalar, with other values of structural parameters."""
        chosen = structure or {}
        return tuple(int(chosen.get(d.parameter, d.length)) for d in variable.dimensions)

    def width(self, variable: Variable, structure: Mapping[str, int] | None = None) -> int:
        """Return the number of scalars of a variable."""
        return math.prod(self.shape(variable, structure))

    @cached_property
    def states(self) -> list[Variable]:
        """The continuous states of model exchange, in the order of the state vector."""
        names = [self.by_name[unknown.name] for unknown in self.derivatives if unknown.name in self.by_name]
        return [self.by_name[v.derivative_of] for v in names if v.derivative_of in self.by_name]

    @property
    def state_count(self) -> int:
        """Return the number of continuous states; an array counts once, because an FMU of FMI 3 reports its size."""
        return len(self.derivatives) + self.unnamed_states

    def dependencies(self, variable: Variable) -> tuple[str, ...] | None:
        """Return what a continuous variable of model exchange depends on at the same instant; None: possibly on all."""
        if variable.causality == "input":
            return (variable.name,)
        if variable.variability != "continuous" or variable.causality == "independent":
            return ()  # discrete ones change at events only
        if any(variable.reference == state.reference for state in self.states):
            return (variable.name,)
        listed = {unknown.name: unknown for unknown in (*self.outputs, *self.derivatives)}
        return listed[variable.name].depends_on if variable.name in listed else None

    def feedthrough(self, outputs: Iterable[Variable]) -> list[tuple[str, str]]:
        """Return (output, input) where an output of model exchange has direct feedthrough of a continuous input."""
        inputs = [v.name for v in self.with_causality("input") if v.variability == "continuous"]
        pairs = []
        for output in outputs:
            depends = self.dependencies(output)
            pairs += [(output.name, u) for u in inputs if depends is None or u in depends]
        return pairs

    def initial_feedthrough(self) -> list[tuple[str, str]]:
        """Return (output, input) where the initial value of the output depends on that of the input.

        An output whose dependencies are not listed depends on all inputs.
        """
        inputs = [v.name for v in self.with_causality("input")]
        listed = {unknown.name: unknown for unknown in (*self.outputs, *self.initial_unknowns)}
        pairs = []
        for output in self.with_causality("output"):
            if output.initial == "exact":
                continue
            unknown = listed.get(output.name)
            depends = None if unknown is None else unknown.depends_on
            pairs += [(output.name, u) for u in inputs if depends is None or u in depends]
        return pairs
