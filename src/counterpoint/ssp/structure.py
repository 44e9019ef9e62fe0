"""What a system structure description (SSD) of SSP holds, as it stands in the file; nothing is resolved yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..fmi.attributes import Notes
from ..units import Conversion, Unit

PREFIXES = {
    "http://ssp-standard.org/SSP1/SystemStructureDescription": "ssd",
    "http://ssp-standard.org/SSP1/SystemStructureCommon": "ssc",
    "http://ssp-standard.org/SSP1/SystemStructureParameterValues": "ssv",
    "http://ssp-standard.org/SSP1/SystemStructureParameterMapping": "ssm",
    "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary": "ssb",
    "urn:counterpoint:settings:1": "cp",
    "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd": "oms",
    "http://opensimulationplatform.com/SSP/OSPAnnotations": "osp",
}
"""Namespace -> the prefix by which elements are called here and in what we write."""

MAIN = "SystemStructure.ssd"
FMU = "application/x-fmu-sharedlibrary"
DEFINITION = "application/x-ssp-definition"
PACKAGE = "application/x-ssp-package"
IMPLEMENTATIONS = {"co-simulation": "CoSimulation", "model-exchange": "ModelExchange"}
"""How an FMU is run, in our words and in those of SSP."""
FLOATS = ("Real", "Float64", "Float32")
INTEGERS = ("Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
TYPES = (*FLOATS, *INTEGERS, "Boolean", "String", "Enumeration", "Binary", "Clock")
KINDS = (
    "input", "output", "parameter", "calculatedParameter", "inout", "structuralParameter", "constant", "local",
    "unspecified",
)  # fmt: skip
"""Types and kinds of SSP 2.0, which has those of SSP 1.0."""


@dataclass(frozen=True)
class Location:
    """Where something stands: file, line and what it is, such as ``Component "pump"``."""

    notes: Notes
    line: int
    what: str

    def wrong(self, text: str) -> None:
        """Note a mistake."""
        self.notes.wrong(self.line, f"{self.what}: {text}")

    def complain(self, text: str) -> None:
        """Note something that is worth a warning."""
        self.notes.complain(self.line, f"{self.what}: {text}")


@dataclass(frozen=True)
class Linear:
    """``target = factor * source + offset``, after units were converted; None where the file says nothing."""

    factor: float | None
    offset: float | None

    @property
    def conversion(self) -> Conversion:
        """The same with the defaults of the standard."""
        return Conversion(1.0 if self.factor is None else self.factor, self.offset or 0.0)


@dataclass(frozen=True)
class Mapping:
    """A table of values: ``kind`` is ``Boolean``, ``Integer`` or ``Enumeration``, entries are (source, target)."""

    kind: str
    entries: tuple[tuple[Any, Any], ...]

    def __str__(self) -> str:
        pairs = ", ".join(f"{source} -> {target}" for source, target in self.entries)
        return f"{self.kind}MappingTransformation {pairs}"


Transformation = Linear | Mapping


@dataclass(frozen=True)
class Connector:
    """A connector; ``type`` and ``unit`` are empty and None where the file leaves them to the FMU."""

    name: str
    kind: str
    type: str
    unit: Unit | None
    place: Location
    items: dict[str, int] = field(default_factory=dict)  #: of an enumeration that the file defines


@dataclass(frozen=True)
class Connection:
    """A connection; an end is (element, connector), the element empty for the system itself. It has no direction."""

    start: tuple[str, str]
    end: tuple[str, str]
    transformation: Transformation | None
    converts: bool
    settings: dict[str, Any] | None
    place: Location


@dataclass(frozen=True)
class Sum:
    """Outputs, (element, connector) each, whose sum enters an input."""

    sources: list[tuple[str, str]]
    end: tuple[str, str]
    place: Location


@dataclass(frozen=True)
class Parameter:
    """A value for a parameter or a start value."""

    name: str
    type: str
    value: Any
    unit: Unit | None
    place: Location


@dataclass(frozen=True)
class MappingEntry:
    """How a parameter of a set is called in the system, and how its value changes."""

    source: str
    target: str
    transformation: Transformation | None
    converts: bool
    place: Location


@dataclass(frozen=True)
class Binding:
    """Parameters for an element."""

    parameters: list[Parameter]
    mapping: list[MappingEntry]
    place: Location


@dataclass(frozen=True)
class Component:
    """An FMU, or another system structure; ``settings`` are ours, None where there are none.

    ``step`` in s is what another tool was told; ``isolated`` that the file asks for a process of its own.
    """

    name: str
    type: str
    source: str
    implementation: str
    connectors: dict[str, Connector]
    bindings: list[Binding]
    settings: dict[str, Any] | None
    place: Location
    step: float | None = None
    isolated: bool = False


@dataclass(frozen=True)
class DictionaryReference:
    """Connectors that write and read entries of a signal dictionary."""

    name: str
    dictionary: str
    connectors: dict[str, Connector]
    place: Location


@dataclass(frozen=True)
class System:
    """Elements and the connections between them."""

    name: str
    connectors: dict[str, Connector]
    bindings: list[Binding]
    elements: dict[str, Component | DictionaryReference | System]
    connections: list[Connection]
    dictionaries: dict[str, dict[str, Connector]]
    settings: dict[str, Any] | None
    step: float | None  #: s, of another master for all components
    place: Location
    sums: list[Sum] = field(default_factory=list)


@dataclass(frozen=True)
class Structure:
    """A whole system structure description; times in s.

    ``by_id`` has the systems that can be referred to from elsewhere in the file.
    """

    name: str
    system: System
    start: float | None
    stop: float | None
    by_id: dict[str, System]
    experiment: Location
    step: float | None = None  #: s, of another master for everything
