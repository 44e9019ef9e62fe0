"""Read the system structures of OSP (``OspSystemStructure.xml``) as if they were SSDs.

Variable groups of ``*_OspModelDescription.xml`` become connections of their variables, in the order in which the two
groups list them. Functions become gains, offsets and sums of connections. As in OSP, values are not converted between
units. Tags are compared without namespaces, for each version has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..errors import SetupError, did_you_mean
from ..fmi.archive import Archive
from ..fmi.attributes import Notes, to_flag, to_integer, to_number
from ..fmi.description_reading import read_description
from ..fmi.xml_reading import Element
from . import structure as s
from .files import Store
from .structure_reading import local_source

MAIN = "OspSystemStructure.xml"
ROOT = "OspSystemStructure"
_TYPES = ("Real", "Integer", "Boolean", "String")


@dataclass(frozen=True)
class Group:
    """A variable group: variables, or groups of them."""

    name: str
    variables: list[str]
    groups: list[Group]

    def all_variables(self) -> list[str]:
        """Return the variables of the group and, in order, of those in it."""
        return [*self.variables, *(name for group in self.groups for name in group.all_variables())]


@dataclass(frozen=True)
class Function:
    """A function of OSP, and what is connected to it."""

    kind: str
    name: str
    line: s.Linear
    count: int
    dimension: int
    place: s.Location
    sources: dict[str, list[End]] = field(default_factory=dict)  #: signal -> the variables that drive it
    sinks: list[list[End]] = field(default_factory=list)  #: variables that its output drives


End = tuple[str, str]


def read_osp(store: Store, name: str) -> s.Structure | None:
    """Read a system structure of OSP; problems are noted in the store."""
    notes = store.notes_of(name)
    root = store.parse(name, notes)
    if root is None:
        return None
    _forget_namespaces(root)
    if root.tag != ROOT:
        notes.wrong(root, f"<{root.tag}>: expected <{ROOT}>, or a system structure description of SSP (.ssd)")
        return None
    texts = {re.split("}", child.tag)[-1]: child.text or "" for child in ElementTree.fromstring(_bytes(store, name))}
    return _Reader(store, notes, root, texts).structure()


def _forget_namespaces(element: Element) -> None:
    """Call an element and all in it by their names alone."""
    element.tag = re.split("[:}]", element.tag)[-1]
    for child in element.children:
        _forget_namespaces(child)


def _bytes(store: Store, name: str) -> bytes:
    return (store.root / name).read_bytes()


def _inside(element: Element | None, *path: str) -> Iterator[Element]:
    """Yield the elements that a path of names leads to."""
    if element is None:
        return
    for child in (c for c in element.children if c.tag == path[0]):
        yield from [child] if len(path) == 1 else _inside(child, *path[1:])


class _Reader:
    """Reads one structure; groups and directions come from the files of the simulators."""

    def __init__(self, store: Store, notes: Notes, root: Element, texts: dict[str, str]) -> None:
        self.store, self.notes, self.root, self.texts = store, notes, root, texts
        self.sources: dict[str, tuple[str, s.Location]] = {}
        self.groups: dict[str, dict[str, Group] | None] = {}
        self.connections: list[s.Connection] = []

    def structure(self) -> s.Structure:
        """Return the whole of it."""
        place = s.Location(self.notes, self.root.line, ROOT)
        base = self._positive("BaseStepSize")
        elements = {
            c.name: c for c in (self._simulator(e, base) for e in _inside(self.root, "Simulators", "Simulator"))
        }
        functions = {f.name: f for f in self._functions()}
        for element in _inside(self.root, "Connections"):
            for child in element.children:
                self._connect(child, functions)
        sums = [made for function in functions.values() for made in self._apply(function)]
        system = s.System(ROOT, {}, [], dict(elements), self.connections, {}, self._algorithm(place), base, place, sums)
        start, stop = self._number("StartTime"), self._number("EndTime")
        return s.Structure(ROOT, system, start, stop, {}, place, base)

    def _number(self, name: str) -> float | None:
        text = self.texts.get(name, "").strip()
        made = to_number(text) if text else None
        if text and made is None:
            self.notes.wrong(self.root, f'{name}: "{text[:40]}"; expected a number')
        return made

    def _positive(self, name: str) -> float | None:
        made = self._number(name)
        if made is not None and not made > 0.0:
            self.notes.wrong(self.root, f"{name}: {made:g}; expected a positive number")
            return None
        return made

    def _algorithm(self, place: s.Location) -> dict[str, Any]:
        """Return the settings of the scenario: all simulators step at once, on values at the start of their steps."""
        name = self.texts.get("Algorithm", "").strip() or "fixedStep"
        if name.lower() != "fixedstep":
            place.complain(f'Algorithm: "{name[:40]}" is not supported; fixed steps are used')
        return {"scheme": "parallel", "approximation": {"kind": "hold"}, "convert": False}

    def _simulator(self, element: Element, base: float | None) -> s.Component:
        name = self.notes.text(element, "name")
        place = s.Location(self.notes, element.line, f'Simulator "{name}"')
        source, isolated = local_source(self.notes.text(element, "source"))
        if name in self.sources:
            place.wrong("another simulator has the same name")
        self.sources[name] = (source, place)
        values = [
            v for e in _inside(element, "InitialValues", "InitialValue") for v in [self._value(e)] if v is not None
        ]
        own = self.notes.positive(element, "stepSize") if self.notes.number(element, "stepSize") != 0.0 else None
        step = _multiple(own, base, place)
        return s.Component(name, s.FMU, source, "any", {}, [s.Binding(values, [], place)], None, place, step, isolated)

    def _value(self, element: Element) -> s.Parameter | None:
        name = self.notes.text(element, "variable")
        typed = next((child for child in element.children if child.tag in _TYPES), None)
        if typed is None:
            self.notes.wrong(element, f'InitialValue "{name}": a value is missing; {", ".join(_TYPES)} are known')
            return None
        kind, text = typed.tag, self.notes.text(typed, "value")
        convert: dict[str, Any] = {"Real": to_number, "Integer": to_integer, "Boolean": lambda t: to_flag(t.lower())}
        value = convert.get(kind, str)(text.strip() if kind != "String" else text)
        if value is None:
            self.notes.wrong(typed, f'InitialValue "{name}": "{text[:40]}"; expected a value of type {kind}')
            return None
        return s.Parameter(name, kind, value, None, s.Location(self.notes, element.line, f'InitialValue "{name}"'))

    def _functions(self) -> Iterator[Function]:
        for element in (child for part in _inside(self.root, "Functions") for child in part.children):
            name, kind = self.notes.text(element, "name"), element.tag
            place = s.Location(self.notes, element.line, f'{kind} "{name}"')
            if kind not in ("LinearTransformation", "Sum", "VectorSum"):
                place.wrong("no such function; LinearTransformation, Sum and VectorSum are known")
                continue
            line = s.Linear(self.notes.number(element, "factor"), self.notes.number(element, "offset"))
            count = self.notes.integer(element, "inputCount", 1)
            dimension = self.notes.integer(element, "dimension", 1)
            yield Function(kind, name, line, count, dimension, place)

    def _connect(self, element: Element, functions: dict[str, Function]) -> None:
        kind = element.tag
        ends = [child for child in element.children if child.tag.removesuffix("Group") in ("Variable", "Signal")]
        place = s.Location(self.notes, element.line, f"{kind} {' to '.join(map(_end_text, ends))}")
        signals = [end for end in ends if end.tag.startswith("Signal")]
        variables = [end for end in ends if end.tag.startswith("Variable")]
        if len(ends) != 2 or len(signals) > 1:
            place.wrong("expected two variables, or a variable and the signal of a function")
            return
        grouped = kind.endswith("GroupConnection")
        found = [self._variables(end, grouped, place) for end in variables]
        if None in found:
            return
        lists = [names for names in found if names is not None]
        if signals:
            self._to_function(signals[0], lists[0], functions, place)
        elif len(lists[0]) != len(lists[1]):
            place.wrong(f"the groups have {len(lists[0])} and {len(lists[1])} variables; expected the same number")
        else:
            self.connections += [
                s.Connection(a, b, None, False, None, place) for a, b in zip(lists[0], lists[1], strict=True)
            ]

    def _variables(self, end: Element, grouped: bool, place: s.Location) -> list[End] | None:
        """Return the variables that an end means, as (simulator, variable)."""
        simulator, name = self.notes.text(end, "simulator"), self.notes.text(end, "name")
        if simulator not in self.sources:
            place.wrong(f'no simulator "{simulator}"{did_you_mean(simulator, self.sources)}')
            return None
        if not grouped:
            return [(simulator, name)]
        groups = self._groups(simulator)
        if groups is None:
            return None
        if name not in groups:
            place.wrong(f'"{simulator}" has no variable group "{name}"{did_you_mean(name, groups)}')
            return None
        return [(simulator, variable) for variable in groups[name].all_variables()]

    def _groups(self, simulator: str) -> dict[str, Group] | None:
        """Return the variable groups of a simulator, also those inside others; None: a file is missing, and told.

        They are read once, so that one missing file is one mistake, however many connections name its groups.
        """
        if simulator not in self.groups:
            waiting = self._read_groups(simulator)
            found: dict[str, Group] | None = None if waiting is None else {}
            self.groups[simulator] = found
            while waiting and found is not None:
                group = waiting.pop(0)
                found.setdefault(group.name, group)
                waiting += group.groups
        return self.groups[simulator]

    def _read_groups(self, simulator: str) -> list[Group] | None:
        """Read ``NAME_OspModelDescription.xml``, beside the FMU or beside the structure, NAME being the model's."""
        source, place = self.sources[simulator]
        found = self.store.find(source, place)
        if found is None:
            return None
        names = [f"{name}_OspModelDescription.xml" for name in dict.fromkeys((_model_name(found[0]), found[0].stem))]
        folders = (found[0].parent, self.store.root)
        path = next((file for name in names for folder in folders for file in _called(folder, name)), None)
        if path is None:
            place.wrong(f"its variable groups are in {names[0]}, which is missing; put it beside the FMU")
            return None
        notes = self.store.log.of(str(path))
        root = Store(path.parent, f"{path.parent}/", self.store.log).parse(path.name, notes)
        if root is not None:
            _forget_namespaces(root)
        return [_group(element, notes) for part in _inside(root, "VariableGroups") for element in part.children]

    def _to_function(self, signal: Element, ends: list[End], functions: dict[str, Function], place: s.Location) -> None:
        """Note what enters or leaves a function."""
        name, port = self.notes.text(signal, "function"), self.notes.text(signal, "name")
        if name not in functions:
            place.wrong(f'no function "{name}"{did_you_mean(name, functions)}')
            return
        function = functions[name]
        if len(ends) != function.dimension:
            place.wrong(f"{len(ends)} variables; {function.place.what} takes {function.dimension}")
        elif port in ("out", "out[0]"):
            function.sinks.append(ends)
        elif port in _inputs(function):
            function.sources[port] = ends
        else:
            place.wrong(f'no signal "{port}"{did_you_mean(port, [*_inputs(function), "out"])}')

    def _apply(self, function: Function) -> Iterator[s.Sum]:
        """Make connections of a function; yield those that add."""
        missing = [port for port in _inputs(function) if port not in function.sources]
        if missing and function.sinks:
            function.place.wrong(f'"{missing[0]}" is not connected')
            return
        for sink in function.sinks:
            for k, end in enumerate(sink):
                ends = [function.sources[port][k] for port in _inputs(function)]
                if function.kind == "LinearTransformation":
                    self.connections.append(s.Connection(ends[0], end, function.line, False, None, function.place))
                else:
                    yield s.Sum(ends, end, function.place)


def _inputs(function: Function) -> list[str]:
    if function.kind == "LinearTransformation":
        return ["in"]
    return [f"in[{k}]" for k in range(function.count)]


def _group(element: Element, notes: Notes) -> Group:
    variables = [_variable_name(child, notes) for child in element.children if child.tag == "Variable"]
    groups = [_group(child, notes) for child in element.children if child.tag != "Variable"]
    return Group(element.attributes.get("name", ""), variables, groups)


def _variable_name(element: Element, notes: Notes) -> str:
    """Return the variable that a group means; the first versions of OSP called it name instead of ref."""
    return notes.text(element, "name" if "ref" not in element.attributes and "name" in element.attributes else "ref")


def _called(folder: Path, name: str) -> list[Path]:
    """Return the files of a folder with a name, capitals aside; the one that is written the same first."""
    found = [file for file in sorted(folder.iterdir()) if file.name.lower() == name.lower() and file.is_file()]
    return sorted(found, key=lambda file: file.name != name)


def _model_name(file: Path) -> str:
    try:
        return read_description(Archive(file), lenient=True).name
    except SetupError:  # told where the component is entered
        return file.stem


def _multiple(step: float | None, base: float | None, place: s.Location) -> float | None:
    """Return a step as OSP makes it: the nearest multiple of the base step."""
    if step is None or base is None:
        return step if step is not None else base
    made = max(1, round(step / base)) * base
    if abs(made - step) > 1e-9 * step:
        place.complain(f"stepSize = {step:g} is not a multiple of BaseStepSize; {made:g} s is used")
    return made


def _end_text(end: Element) -> str:
    owner = end.attributes.get("simulator") or end.attributes.get("function", "")
    return f'"{owner}.{end.attributes.get("name", "")}"'
