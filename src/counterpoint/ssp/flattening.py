"""Take a hierarchy of systems apart: components, who drives which connector, and the values that parameters have.

A *key* is a connector or variable: the names of the elements that lead to it, and its own. Connections of SSP have no
direction; it follows from the kinds of the two connectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import SetupError, did_you_mean
from ..fmi.archive import Archive
from ..fmi.description import FLOATS, INTEGERS, ModelDescription, Variable
from ..fmi.description_reading import read_description
from ..fmi.options import SETTABLE
from ..fmi.variable_units import unit_of
from ..units import Unit, UnitProblem, conversion, unit
from . import structure as s
from .files import Store
from .structure_reading import read_structure

Names = tuple[str, ...]
Key = tuple[Names, str]

_CAUSALITIES = {
    "input": ("input",),
    "output": ("output", "local"),
    "parameter": ("parameter", "structuralParameter"),
    "structuralParameter": ("parameter", "structuralParameter"),
    "calculatedParameter": ("calculatedParameter",),
}
_FMI_TYPES = {
    "Boolean": ("Boolean",), "String": ("String",), "Enumeration": ("Enumeration",), "Binary": ("Binary",),
    "Clock": ("Clock",), **dict.fromkeys(s.FLOATS, FLOATS), **dict.fromkeys(s.INTEGERS, INTEGERS),
}  # fmt: skip
_SOURCES = ("output", "calculatedParameter", "local", "constant")
_ROLES_INSIDE = {
    "input": "source", "parameter": "source", "structuralParameter": "source", **dict.fromkeys(_SOURCES, "sink"),
}  # fmt: skip
"""Connectors of a system seen from its inside: what enters the system comes from them."""
_DEEPEST = 32
_DICTIONARY = "\0dictionary"
"""Stands between the path of a system and the name of its dictionary; no element can have this name."""


@dataclass(frozen=True)
class Leaf:
    """A component that is an FMU."""

    path: Names
    component: s.Component
    file: Path
    description: ModelDescription
    store: Store

    @property
    def name(self) -> str:
        """What the subsystem is called: the names of the elements that lead to it, separated by slashes."""
        return "/".join(self.path).replace(".", "_")


@dataclass(frozen=True)
class Edge:
    """A connection with its direction."""

    source: Key
    sink: Key
    connection: s.Connection


@dataclass(frozen=True)
class Addition:
    """Outputs whose sum enters an input."""

    sources: list[Key]
    sink: Key
    place: s.Location


@dataclass(frozen=True)
class Value:
    """What a binding says about a parameter, and how it is to be changed on the way."""

    parameter: s.Parameter
    transformation: s.Transformation | None = None
    converts: bool = True


@dataclass(frozen=True)
class _Scope:
    """The file that a system stands in, where other files lie, and the systems around it that were referred to."""

    structure: s.Structure
    store: Store
    above: tuple[Any, ...] = ()

    def within(self, mark: Any) -> _Scope:
        """Return the scope inside a system that was referred to."""
        return replace(self, above=(*self.above, mark))


class Flat:
    """A system structure without its hierarchy.

    Attributes
    ----------
    leaves : dict
        FMUs by path.
    drivers : dict
        For each key that something drives, the connection that does it.
    sums : list of Addition
        Inputs that the sum of several outputs enters.
    values : dict
        Values of parameters and start values, those of outer bindings instead of inner ones.
    given : dict
        Values that whoever runs the system gives; they replace those of the files.
    options : dict
        Options of FMUs that whoever runs the system gives, by path; see :func:`counterpoint.fmu`.
    lenient : bool
        Whether contradictions that leave the numbers as they are in the files are only worth a warning.
    """

    def __init__(self, store: Store, structure: s.Structure, lenient: bool = False) -> None:
        self.lenient = lenient
        self.given: dict[Key, Value] = {}
        self.options: dict[Names, dict[str, Any]] = {}
        self.sums: list[Addition] = []
        self.leaves: dict[Names, Leaf] = {}
        self.drivers: dict[Key, Edge] = {}
        self.values: dict[Key, Value] = {}
        self._systems: dict[Names, s.System] = {}
        self._nodes: dict[Key, s.Connector] = {}
        self._aliases: dict[Key, Key] = {}
        self._descriptions: dict[Path, ModelDescription] = {}
        self._walk((), structure.system, _Scope(structure, store))

    def node(self, key: Key) -> s.Connector | None:
        """Return the connector of a key, as far as the file has one."""
        return self._nodes.get(key)

    def variable(self, key: Key) -> Variable | None:
        """Return the variable of an FMU that a key means."""
        leaf = self.leaves.get(key[0])
        return None if leaf is None else leaf.description.by_name.get(key[1])

    def unit(self, key: Key) -> Unit | None:
        """Return the unit of a key: as the file says, but as the FMU does if they agree, for it knows differences."""
        own, node = self.own_unit(key), self.node(key)
        if node is None or node.unit is None or (own is not None and node.unit.exponents is None):
            return own
        return own if own is not None and own.exponents is not None and not _differ(own, node.unit) else node.unit

    def doubt(self, place: s.Location, text: str, remedy: str = "") -> None:
        """Note a contradiction: a mistake, or only worth a warning when the reader is lenient."""
        if self.lenient:
            place.complain(text)
        else:
            place.wrong(f"{text}{remedy}")

    def own_unit(self, key: Key) -> Unit | None:
        """Return the unit that an FMU gives its variable."""
        leaf, variable = self.leaves.get(key[0]), self.variable(key)
        if leaf is None or variable is None:
            return None
        found = unit_of(leaf.description, variable)
        if (found is None or found.exponents is None) and variable.unit:
            try:
                return unit(variable.unit)
            except UnitProblem:
                return found
        return found

    def items(self, key: Key) -> dict[str, int]:
        """Return the items of an enumeration, by name."""
        leaf, variable, node = self.leaves.get(key[0]), self.variable(key), self.node(key)
        declared = leaf.description.types.get(variable.declared_type) if leaf and variable else None
        return dict(declared.items) if declared else node.items if node else {}

    def chain(self, sink: Key) -> list[Edge]:
        """Return the connections that lead to a key, from where the signal comes from."""
        found: list[Edge] = []
        seen = {sink}
        while (edge := self.drivers.get(found[0].source if found else sink)) is not None:
            if edge.source in seen:
                edge.connection.place.wrong("the signal drives itself through connectors of systems")
                return []
            seen.add(edge.source)
            found.insert(0, edge)
        return found

    def _walk(self, path: Names, system: s.System, scope: _Scope, more: Sequence[s.Binding] = ()) -> None:
        """Enter a system and what is in it; inner bindings first, so that outer ones have the last word."""
        self._systems[path] = system
        for connector in system.connectors.values():
            self._nodes[path, connector.name] = connector
        for name, element in system.elements.items():
            inside = (*path, name)
            if isinstance(element, s.System):
                self._walk(inside, element, scope)
            elif isinstance(element, s.DictionaryReference):
                self._refer(path, element)
            else:
                self._component(inside, element, scope)
        for connection in system.connections:
            self._connect(path, system, connection)
        for addition in system.sums:
            self._add_up(path, system, addition)
        for binding in (*system.bindings, *more):
            self._bind(path, binding)

    def _component(self, path: Names, component: s.Component, scope: _Scope) -> None:
        if component.type == s.FMU:
            self._fmu(path, component, scope.store)
        elif component.type in (s.DEFINITION, s.PACKAGE):
            self._nested(path, component, scope)
        else:
            component.place.wrong(
                f'type = "{component.type[:60]}"; expected an FMU ({s.FMU}) or a system structure '
                f"({s.DEFINITION}, {s.PACKAGE})"
            )

    def _fmu(self, path: Names, component: s.Component, store: Store) -> None:
        found = store.find(component.source, component.place)
        if found is None:
            return
        try:
            description = self._description(found[0])
        except SetupError as error:
            for problem in error.problems:
                component.place.wrong(problem)
            return
        leaf = Leaf(path, component, found[0], description, store)
        twin = next((other for other in self.leaves.values() if other.name == leaf.name), None)
        if twin is not None:
            component.place.wrong(f'would be named "{leaf.name}", as "{".".join(twin.path)}" is; rename one of them')
        self.leaves[path] = leaf
        for connector in component.connectors.values():
            self._nodes[path, connector.name] = connector
            self._check(leaf, connector)
        for binding in component.bindings:
            self._bind(path, binding)

    def _description(self, file: Path) -> ModelDescription:
        """Read what an FMU says about itself, once for all its instances."""
        if file not in self._descriptions:
            self._descriptions[file] = read_description(Archive(file), lenient=True)
        return self._descriptions[file]

    def _check(self, leaf: Leaf, connector: s.Connector) -> None:
        """See that a connector is what the FMU says about its variable."""
        variable = leaf.description.by_name.get(connector.name)
        if variable is None:
            known = [v.name for v in leaf.description.variables if v.causality in _CAUSALITIES.get(connector.kind, ())]
            connector.place.complain(f"the FMU has no such variable{did_you_mean(connector.name, known)}; ignored")
            return
        if connector.kind in _CAUSALITIES and variable.causality not in _CAUSALITIES[connector.kind]:
            connector.place.complain(
                f"kind = {connector.kind}; the variable of the FMU has the causality {variable.causality}, which counts"
            )
        if connector.type and variable.type not in _FMI_TYPES[connector.type]:
            connector.place.complain(
                f"type {connector.type}; the variable of the FMU is of type {variable.type}, which counts"
            )
        own = self.own_unit((leaf.path, connector.name))
        if own is not None and connector.unit is not None and _differ(own, connector.unit):
            connector.place.complain(
                f"unit = {connector.unit.name}; the FMU says {own.name}; its numbers are taken as {connector.unit.name}"
            )

    def _nested(self, path: Names, component: s.Component, scope: _Scope) -> None:
        """Enter another system structure in the place of a component."""
        if len(path) > _DEEPEST:
            component.place.wrong(f"systems are nested deeper than {_DEEPEST} levels")
            return
        if component.source.startswith("#"):
            inner = scope.structure.by_id.get(component.source[1:])
            if inner is None:
                component.place.wrong(f'source = "{component.source}": no system has this id')
                return
            self._enter(path, component, inner, scope.within(inner.place))
            return
        opened = open_nested(component, scope.store)
        loaded = None if opened is None else read_structure(*opened)
        if opened is not None and loaded is not None:
            inside = _Scope(loaded, opened[0], scope.above).within((opened[0].root, opened[1]))
            self._enter(path, component, loaded.system, inside)

    def _enter(self, path: Names, component: s.Component, inner: s.System, scope: _Scope) -> None:
        if scope.above[-1] in scope.above[:-1]:
            component.place.wrong(f'source = "{component.source}": the system would contain itself')
            return
        self._walk(path, inner, scope, component.bindings)

    def _refer(self, path: Names, reference: s.DictionaryReference) -> None:
        """Let connectors of a reference stand for entries of the dictionary, found here or further out."""
        for length in range(len(path), -1, -1):
            entries = self._systems[path[:length]].dictionaries.get(reference.dictionary)
            if entries is not None:
                break
        else:
            reference.place.wrong(f'dictionary = "{reference.dictionary}": no such signal dictionary')
            return
        owner = (*path[:length], _DICTIONARY, reference.dictionary)
        for name, connector in reference.connectors.items():
            if name not in entries:
                connector.place.wrong(f"the signal dictionary has no such entry{did_you_mean(name, entries)}")
                continue
            self._nodes[owner, name] = entries[name]
            self._aliases[(*path, reference.name), name] = (owner, name)

    def _connect(self, path: Names, system: s.System, connection: s.Connection) -> None:
        ends = [self._end(path, system, end, connection.place) for end in (connection.start, connection.end)]
        if ends[0] is None or ends[1] is None:
            return
        (first, first_role), (second, second_role) = ends[0], ends[1]
        if first_role == second_role:
            text = {"source": "both connectors are outputs", "sink": "both connectors are inputs"}.get(
                first_role, "neither connector has a direction"
            )
            connection.place.wrong(f"{text}; expected one output and one input")
            return
        forward = first_role == "source" or second_role == "sink"
        edge = Edge(first, second, connection) if forward else Edge(second, first, connection)
        other = self.drivers.get(edge.sink)
        if other is not None and other.source == edge.source:
            connection.place.complain(f"is the same connection as in line {other.connection.place.line}; ignored")
            return
        if other is not None:
            connection.place.wrong(f'"{edge.sink[1]}" has a second connection in line {other.connection.place.line}')
            return
        self.drivers[edge.sink] = edge

    def _end(self, path: Names, system: s.System, end: tuple[str, str], place: s.Location) -> tuple[Key, str] | None:
        """Return the key of an end, and whether values come from there (source) or go there (sink)."""
        element, connector = end
        if not element:
            own = system.connectors.get(connector)
            if own is None:
                place.wrong(f'the system has no connector "{connector}"{did_you_mean(connector, system.connectors)}')
                return None
            return (path, connector), _ROLES_INSIDE.get(own.kind, "either")
        if element not in system.elements:
            place.wrong(f'no element "{element}"{did_you_mean(element, system.elements)}')
            return None
        inside = system.elements[element]
        key: Key = ((*path, element), connector)
        if isinstance(inside, s.DictionaryReference):
            alias = self._aliases.get(key)
            if alias is None:
                place.wrong(f'"{element}" has no connector "{connector}"{did_you_mean(connector, inside.connectors)}')
                return None
            kind = inside.connectors[connector].kind
            return alias, {"input": "sink", "output": "source"}.get(kind, "either")  # seen from outside
        return self._end_of(key, inside, place)

    def _end_of(self, key: Key, inside: s.Component | s.System, place: s.Location) -> tuple[Key, str] | None:
        path, name = key
        node = self._nodes.get(key) or inside.connectors.get(name)
        variable = self.variable(key)
        if variable is None and (node is None or path in self.leaves):
            if path in self.leaves or path in self._systems:  # what could not be read has been told already
                known = self.leaves[path].description.by_name if path in self.leaves else inside.connectors
                place.wrong(f'"{path[-1]}" has no connector "{name}"{did_you_mean(name, known)}')
            return None
        kind = variable.causality if variable is not None else node.kind if node is not None else ""
        if kind in ("unspecified", "inout"):
            return key, "either"
        return key, "source" if kind in _SOURCES or kind == "independent" else "sink"

    def _add_up(self, path: Names, system: s.System, addition: s.Sum) -> None:
        """Enter a sum of outputs."""
        ends = [self._end(path, system, end, addition.place) for end in (*addition.sources, addition.end)]
        roles = [role for end in ends if end is not None for role in [end[1]]]
        keys = [end[0] for end in ends if end is not None]
        if len(keys) < len(ends):
            return
        if roles != ["source"] * len(addition.sources) + ["sink"]:
            addition.place.wrong("expected outputs that are added, and one input")
        elif keys[-1] in self.drivers or any(other.sink == keys[-1] for other in self.sums):
            addition.place.wrong(f'"{keys[-1][1]}" has a second connection')
        else:
            self.sums.append(Addition(keys[:-1], keys[-1], addition.place))

    def _bind(self, path: Names, binding: s.Binding) -> None:
        mapping: dict[str, list[s.MappingEntry]] = {}
        for entry in binding.mapping:
            mapping.setdefault(entry.source, []).append(entry)
        names = {parameter.name for parameter in binding.parameters}
        for source, entries in mapping.items():
            if source not in names:
                entries[0].place.complain("the parameter set has no such parameter; the entry is ignored")
        for parameter in binding.parameters:
            if not mapping:
                self._assign(path, parameter.name, Value(parameter))
            elif parameter.name not in mapping and self._find(path, parameter.name):
                parameter.place.complain("the mapping has no entry for it; the value is not used, as the standard says")
            for entry in mapping.get(parameter.name, ()):
                self._assign(path, entry.target, Value(parameter, entry.transformation, entry.converts))

    def find(self, name: str) -> Key | None:
        """Return what ``component.variable`` means; the names of systems are separated by dots or slashes."""
        return next(iter(self._find((), name) or self._find((), name.replace("/", "."))), None)

    def behind(self, key: Key) -> list[Key]:
        """Return the inputs of FMUs that a key is, or that get their values from it."""
        variable = self.variable(key)
        if variable is not None:
            return [key] if variable.causality == "input" else []
        leaves = [sink for sink in self.drivers if sink[0] in self.leaves]
        return [sink for sink in leaves if (chain := self.chain(sink)) and chain[0].source == key]

    def open_inputs(self, driven: set[Key]) -> list[str]:
        """Return the names of inputs of FMUs that nothing drives."""
        pairs = ((leaf, v.name) for leaf in self.leaves.values() for v in leaf.description.with_causality("input"))
        return [f"{leaf.name}.{name}" for leaf, name in pairs if (leaf.path, name) not in driven]

    def give(self, name: str, value: Any) -> str:
        """Replace the value of a variable, ``component.variable``, or of an option of an FMU, ``component.option``.

        Returns what is wrong with the name.
        """
        key = self.find(name)
        if key is None and (owner := self._with_option(name)) is not None:
            self.options.setdefault(owner, {})[name.rpartition(".")[2]] = value
            return ""
        if key is None:
            known = [f"{leaf.name}.{v}" for leaf in self.leaves.values() for v in leaf.description.by_name]
            known += [connector for path, connector in self._nodes if not path]
            return f'"{name}": no such variable{did_you_mean(name, known)}'
        place = self.leaves[key[0]].component.place if key[0] in self.leaves else self._nodes[key].place
        made = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        self.given[key] = Value(s.Parameter(name, "", made, None, place), converts=False)
        return ""

    def _with_option(self, name: str) -> Names | None:
        """Return the path of the FMU whose option ``component.option`` is."""
        owner, _, option = name.replace("/", ".").rpartition(".")
        if option not in SETTABLE:
            return None
        return next((path for path in self.leaves if ".".join(path) == owner), None)

    def _assign(self, path: Names, name: str, value: Value) -> None:
        keys = self._find(path, name)
        if not keys:
            called = "has this name" if name == value.parameter.name else f'is named "{name}"'
            value.parameter.place.complain(f"no variable or connector {called}; the value is ignored")
        self.values |= dict.fromkeys(keys, value)

    def _find(self, path: Names, name: str) -> list[Key]:
        """Return the variables and connectors that a hierarchical name means, seen from an element.

        There may be several, for names may have dots: D of "B.C", and C.D of the system "B".
        """
        if path in self.leaves:
            variable = self.leaves[path].description.by_name.get(name)
            return [] if variable is None else [(path, variable.name)]
        system = self._systems.get(path)
        if system is None:
            return []
        found: list[Key] = [(path, name)] if name in system.connectors else []
        for element in sorted(system.elements, key=len, reverse=True):
            if name.startswith(f"{element}."):
                found += self._find((*path, element), name.removeprefix(f"{element}."))
        return found


def _differ(one: Unit, other: Unit) -> bool:
    """Whether two units are known and not the same; those of one name are."""
    if one.exponents is None or other.exponents is None or one.name == other.name:
        return False
    if one.exponents != other.exponents:
        return True
    return not conversion(replace(one, difference=False), replace(other, difference=False)).is_identity


def open_nested(component: s.Component, store: Store) -> tuple[Store, str] | None:
    """Return where the files of a component that is a system structure lie, and the name of its SSD."""
    found = store.find(component.source, component.place)
    if found is None:
        return None
    path, fragment = found
    prefix = f"{store.prefix}{path.stem}/"
    try:
        if component.type == s.PACKAGE:
            inner = Store.of_archive(path, store.log, store.unpacked, prefix)
            return inner, fragment or inner.main
    except SetupError as error:
        for problem in error.problems:
            component.place.wrong(problem)
        return None
    root = path.parent
    inside = root.relative_to(store.root.resolve()).as_posix() if root.is_relative_to(store.root.resolve()) else ""
    label = f"{store.label}{inside}/" if inside not in ("", ".") else store.label
    top = store.top or store.root
    inner = Store(root, label, store.log, store.allow_outside, store.unpacked, prefix, store.packed, top)
    return inner, path.name
