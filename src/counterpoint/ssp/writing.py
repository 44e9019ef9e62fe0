"""Write a scenario of FMUs as a system structure of SSP 1.0: an archive, or an SSD beside the FMUs."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .._files.toml_writing import write_new
from ..errors import OutputError, ScenarioError, SetupError, did_you_mean
from ..fmi.archive import Archive
from ..fmi.description import FLOATS, INTEGERS, NUMERIC, ModelDescription, Variable
from ..fmi.description_reading import read_description
from ..fmi.values import ValueReader
from ..fmi.variable_units import unit_of
from ..scenario.writing import Copies
from ..units import BASE_UNITS, Unit
from .settings import OF_COMPONENT, OF_CONNECTION, OF_SYSTEM, master_node, settings_node
from .structure import FMU, IMPLEMENTATIONS, MAIN, PREFIXES
from .xml_writing import Node, holding, is_writable

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario

_KINDS = {"calculatedParameter": "calculatedParameter", "input": "input"}
_SMALLEST, _LARGEST = -(2**31), 2**31 - 1
_DATE = (1980, 1, 1, 0, 0, 0)
"""Of all files in an archive, so that equal scenarios give equal bytes."""


def write(scenario: Scenario, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a scenario whose subsystems are FMUs as a system structure.

    Parameters
    ----------
    scenario : Scenario
        What to write; settings that SSP has no words for travel as annotations.
    path : path
        ``.ssp``: an archive with the FMUs in it; ``.ssd``: a file that refers to them where they are.
    overwrite : bool
        Overwrite an existing file.

    Raises
    ------
    ScenarioError
        With everything that SSP cannot hold.
    OutputError
        The file is there or cannot be written.

    Examples
    --------
    >>> import counterpoint as cp
    >>> cp.ssp.write(cp.Scenario.read("plant.toml"), "plant.ssp")  # doctest: +SKIP
    """
    path = Path(path)
    packed = path.suffix.lower() == ".ssp"
    maker = _Maker(scenario, path, packed)
    text = maker.document()
    if maker.problems:
        raise ScenarioError([f"{scenario.path}: {problem}" for problem in maker.problems])
    if packed:
        _pack(path, text, maker.files, overwrite)
    else:
        maker.files.check(path.parent, overwrite=overwrite)
        write_new(path, text, overwrite=overwrite)
        maker.files.copy_to(path.parent)
    return path


def _pack(path: Path, text: str, files: Copies, overwrite: bool) -> None:
    """Write an archive, under another name first, so that one that is there is replaced as a whole or not at all."""
    if path.exists() and not overwrite:
        raise OutputError(f"{path}: already exists; choose another name or use overwrite", str(path))
    fresh = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, source in {MAIN: None, **files.sources}.items():
                info = zipfile.ZipInfo(name, _DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                archive.writestr(info, text if source is None else source.read_bytes())
        fresh.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}", str(path)) from error
    finally:
        fresh.unlink(missing_ok=True)


@dataclass
class _Part:
    """An FMU of the scenario: its table, description, source, and the ports that connections use."""

    table: dict[str, Any]
    description: ModelDescription
    source: str
    used: dict[str, None] = field(default_factory=dict)


class _Maker:
    """Makes the document; notes what SSP cannot hold."""

    def __init__(self, scenario: Scenario, path: Path, packed: bool) -> None:
        self.scenario = scenario
        self.path = path
        self.packed = packed
        self.values = scenario.tables()
        self.problems: list[str] = []
        self.files = Copies()
        self.units: dict[str, Unit] = {}
        self.parts: dict[str, _Part] = {}

    def document(self) -> str:
        """Return the text of the SSD; empty when there are problems."""
        for key in ("bonds", "events"):
            if self.values.get(key):
                self.problems.append(f"{key}: SSP has no words for them; remove them")
        for name, table in self.values["subsystems"].items():
            self._add_part(name, table)
        if self.problems:
            return ""
        connections = list(self._connections())
        self._check_constants()
        components = [self._component(name, part) for name, part in self.parts.items()]
        if self.problems:
            return ""
        system = Node("ssd:System", {"name": "system"})
        system.children = [
            *holding("ssd:Elements", components),
            *holding("ssd:Connections", connections),
            Node("ssd:Annotations", {}, [*self._master(), settings_node(_settings(self.values, OF_SYSTEM))]),
        ]
        times: dict[str, str | None] = {
            "startTime": _real(self.values.get("start")),
            "stopTime": repr(self.scenario.until),
        }
        root = Node("ssd:SystemStructureDescription", {f"xmlns:{prefix}": uri for uri, prefix in PREFIXES.items()})
        root.attributes |= {"version": "1.0", "name": self.scenario.name, "generationTool": "Counterpoint"}
        root.children = [system, *holding("ssd:Units", map(_unit_node, self.units.values()))]
        root.children.append(Node("ssd:DefaultExperiment", times))
        return root.document()

    def _add_part(self, name: str, table: dict[str, Any]) -> None:
        where = f"subsystems.{name}"
        if table["type"] != "fmu":
            self.problems.append(
                f'{where}: is of type "{table["type"]}"; a system structure can contain only FMUs '
                "(counterpoint export can turn it into one)"
            )
            return
        if table.get("state") is not None:
            self.problems.append(f"{where}.state: a system structure cannot contain a saved state; remove it")
        try:
            file = self.scenario.find_file(table["file"])
            description = read_description(Archive(file), lenient=True)
        except SetupError as error:
            self.problems += [f"{where}.file: {problem}" for problem in error.problems]
            return
        self.parts[name] = _Part(table, description, self._source(table["file"], file))

    def _source(self, name: str, file: Path) -> str:
        """Return the URI of an FMU, and remember that it goes into the archive or beside the SSD."""
        if not self.packed and not self.scenario.must_be_copied(name):
            return quote(Path(os.path.relpath(file, self.path.parent.resolve())).as_posix())
        return quote(self.files.add(f"resources/{self.scenario.written_name(name)}", file))

    def _connections(self) -> Iterator[Node]:
        for index, table in enumerate(self.values.get("connections", [])):
            where = f"connections[{index}]"
            sources = table["from"] if isinstance(table["from"], list) else [table["from"]]
            if len(sources) > 1 or table.get("law") is not None:
                what = "a coupling law" if table.get("law") is not None else f"{len(sources)} outputs feed one input"
                self.problems.append(f"{where}: {what}; SSP connects one output to one input")
                continue
            ends = [self._used(where, port) for port in (sources[0], table["to"])]
            gain = table.get("gain")
            factor = gain[0] if isinstance(gain, list) else gain
            settings = _settings(table, OF_CONNECTION)
            if table.get("convert") is False:  # SSP has a word for that
                del settings["convert"]
            self._check_settings(where, settings)
            node = Node("ssd:Connection", {})
            for kind, (element, connector) in zip(("start", "end"), ends, strict=True):
                node.attributes |= {f"{kind}Element": element, f"{kind}Connector": connector}
            node.attributes["suppressUnitConversion"] = "true" if table.get("convert") is False else None
            if factor is not None or table.get("offset") is not None:
                line = {"factor": _real(factor), "offset": _real(table.get("offset"))}
                node.children.append(Node("ssc:LinearTransformation", line))
            node.children.append(Node("ssd:Annotations", {}, [settings_node(settings)]))
            yield node

    def _used(self, where: str, port: str) -> tuple[str, str]:
        """Return the ends of a connection as SSP writes them, and remember that the port is used."""
        name, _, connector = port.partition(".")
        part = self.parts.get(name)
        variable = None if part is None else part.description.by_name.get(connector)
        if part is None:
            self.problems.append(f'{where}: "{port}": no subsystem "{name}"{did_you_mean(name, self.parts)}')
        elif variable is None:
            self.problems.append(f'{where}: "{port}": {_no_variable(part, connector)}')
        elif variable.dimensions:
            self.problems.append(f'{where}: "{port}" is an array, which SSP 1.0 does not support')
        else:
            part.used[connector] = None
        return name, connector

    def _check_settings(self, where: str, settings: dict[str, Any]) -> None:
        approximation = settings.get("approximation")
        if isinstance(approximation, dict) and approximation.get("kind") == "python":
            text = "is code in a Python file, which a system structure cannot contain"
            self.problems.append(f"{where}.approximation: {text}")

    def _master(self) -> Iterator[Node]:
        """Yield the step for OMSimulator, which has one for all: the smallest, for no part may step less often."""
        steps = [part.table.get("step") or part.description.experiment.step for part in self.parts.values()]
        known = [float(step) for step in steps if step]
        if known:
            yield master_node(min(known))

    def _check_constants(self) -> None:
        self._check_settings("top", _settings(self.values, OF_SYSTEM))
        for port, value in self.values.get("set", {}).items():
            if port.partition(".")[0] not in self.parts:
                self.problems.append(f'set."{port}": no subsystem "{port.partition(".")[0]}"')
            if isinstance(value, list):
                self.problems.append(f'set."{port}": {len(value)} values; SSP 1.0 does not support arrays')

    def _component(self, name: str, part: _Part) -> Node:
        constants = {
            port.partition(".")[2]: value
            for port, value in self.values.get("set", {}).items()
            if port.partition(".")[0] == name
        }
        settings = _settings(part.table, OF_COMPONENT)
        if constants:
            settings["set"] = list(constants)
        given = (part.table.get("parameters") or {}) | (part.table.get("start") or {}) | constants
        values = [self._parameter(name, part, key, value) for key, value in given.items()]
        node = Node("ssd:Component", {"name": name, "type": FMU, "source": part.source})
        node.attributes["implementation"] = IMPLEMENTATIONS.get(part.table.get("kind", ""))
        node.children = [
            *holding("ssd:Connectors", self._connectors(part)),
            *holding("ssd:ParameterBindings", _binding(name, values)),
            Node("ssd:Annotations", {}, [settings_node(settings)]),
        ]
        return node

    def _connectors(self, part: _Part) -> Iterator[Node]:
        """Yield a connector for each port that is connected, and for all outputs."""
        outputs = part.table.get("outputs") or [v.name for v in part.description.with_causality("output")]
        inputs = [name for name in part.used if part.description.by_name[name].causality == "input"]
        for name in dict.fromkeys([*inputs, *(outputs if isinstance(outputs, list) else [outputs]), *part.used]):
            variable = part.description.by_name.get(name)
            if variable is None or variable.type not in NUMERIC or variable.dimensions:
                continue
            if variable.causality != "output" and name not in part.used:
                continue  # other tools know connectors of this kind for outputs only
            kind = _KINDS.get(variable.causality, "output")
            yield Node("ssd:Connector", {"name": name, "kind": kind}, list(self._type(part.description, variable)))

    def _type(self, description: ModelDescription, variable: Variable) -> Iterator[Node]:
        if variable.type in FLOATS:
            yield Node("ssc:Real", {"unit": self._unit(description, variable)})
        elif variable.type in INTEGERS:
            yield Node("ssc:Integer")
        elif variable.type == "Boolean":
            yield Node("ssc:Boolean")

    def _unit(self, description: ModelDescription, variable: Variable) -> str | None:
        """Return the name of a unit and define it; two FMUs that mean different units by a name keep theirs."""
        unit = unit_of(description, variable)
        if unit is None or unit.exponents is None:
            return None
        plain = Unit(unit.name, unit.exponents, unit.factor, unit.offset)
        return unit.name if self.units.setdefault(unit.name, plain) == plain else None

    def _parameter(self, name: str, part: _Part, key: str, value: Any) -> Node:
        where = f'subsystems.{name}."{key}"'
        variable = part.description.by_name.get(key)
        if variable is None:
            self.problems.append(f"{where}: {_no_variable(part, key)}")
            return Node("ssv:Parameter")
        if variable.dimensions or isinstance(value, list):
            self.problems.append(f"{where}: is an array, which SSP 1.0 does not support")
            return Node("ssv:Parameter")
        reader = ValueReader(part.description, {})
        reader.read(where, variable, value)
        if reader.problems:
            self.problems += reader.problems
            return Node("ssv:Parameter")
        kind, text = _typed(part.description, variable, value)
        if kind == "Integer" and not _SMALLEST <= int(text) <= _LARGEST:
            self.problems.append(f"{where}: {text}; SSP integers have 32 bits")
        if not is_writable(text):
            self.problems.append(f"{where}: {value!r}; XML cannot contain its control characters")
        return Node("ssv:Parameter", {"name": key}, [Node(f"ssv:{kind}", {"value": text})])


def _settings(table: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: table[key] for key in keys if table.get(key) is not None}


def _no_variable(part: _Part, name: str) -> str:
    return f'the FMU has no variable "{name}"{did_you_mean(name, part.description.by_name)}'


def _typed(description: ModelDescription, variable: Variable, value: Any) -> tuple[str, str]:
    """Return the type and the text of a value, as an SSV writes it."""
    if variable.type in FLOATS:
        return "Real", repr(float(value))
    if variable.type in INTEGERS:
        return "Integer", str(int(value))
    if variable.type == "Boolean":
        return "Boolean", "true" if value else "false"
    if variable.type == "Enumeration":
        declared = description.types.get(variable.declared_type)
        names = {number: name for name, number in declared.items} if declared else {}
        return ("Enumeration", value) if isinstance(value, str) else ("Enumeration", names.get(value, str(value)))
    return ("Binary" if variable.type == "Binary" else "String"), str(value)


def _real(value: Any) -> str | None:
    return None if value is None else repr(float(value))


def _binding(name: str, values: list[Node]) -> Iterator[Node]:
    if values:
        inside = Node("ssv:ParameterSet", {"version": "1.0", "name": name}, [Node("ssv:Parameters", {}, values)])
        yield Node("ssd:ParameterBinding", {}, [Node("ssd:ParameterValues", {}, [inside])])


def _unit_node(unit: Unit) -> Node:
    base: dict[str, str | None] = {
        name: str(power) for name, power in zip(BASE_UNITS, unit.exponents or (), strict=True) if power
    }
    base |= {"factor": repr(unit.factor)} if unit.factor != 1.0 else {}
    base |= {"offset": repr(unit.offset)} if unit.offset != 0.0 else {}
    return Node("ssc:Unit", {"name": unit.name}, [Node("ssc:BaseUnit", base)])
