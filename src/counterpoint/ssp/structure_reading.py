"""Read the XML of SSP 1.0 and 2.0: structures (SSD), parameter values (SSV), mappings (SSM), dictionaries (SSB)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..errors import did_you_mean
from ..fmi.attributes import Notes, to_flag, to_integer, to_number
from ..fmi.xml_reading import Element
from ..units import BASE_UNITS, Unit, UnitProblem, unit
from . import structure as s
from .files import Store
from .settings import (
    OF_COMPONENT,
    OF_CONNECTION,
    OF_SYSTEM,
    complain_about_foreign,
    master_step,
    read_settings,
    step_hint,
)

_VALUES = "application/x-ssp-parameter-set"
_MAPPING = "application/x-ssp-parameter-mapping"
_DICTIONARY = "application/x-ssp-signal-dictionary"
_BASES = ("SSD", "component")


def read_structure(store: Store, name: str) -> s.Structure | None:
    """Read an SSD; problems are noted in the store, and None means that nothing is left to go on with."""
    notes = store.notes_of(name)
    root = store.parse(name, notes)
    return None if root is None else _Reader(store, notes, root).structure()


class _Reader:
    """Reads one SSD; its units and enumerations are those that names in it mean."""

    def __init__(self, store: Store, notes: Notes, root: Element) -> None:
        self.store = store
        self.notes = notes
        self.root = root
        self.units = read_units(root, "ssd:Units", notes)
        self.enumerations = read_enumerations(root, notes)
        self.by_id: dict[str, s.System] = {}
        self._is_draft = False  # as told

    def structure(self) -> s.Structure | None:
        """Return the whole of it."""
        root = self.root
        if root.tag != "ssd:SystemStructureDescription":
            self.notes.wrong(root, f"<{root.tag}>: expected a system structure description of SSP 1.0 or 2.0")
            return None
        version = root.attributes.get("version", "")
        if not version.startswith(("1.", "2.")):
            self.notes.complain(root, f'version = "{version[:40]}"; read as SSP 2.0')
        top = root.child("ssd:System")
        if top is None:
            self.notes.wrong(root, "the element System is missing")
            return None
        experiment = root.child("ssd:DefaultExperiment") or root
        start, stop = (self.notes.number(experiment, key) for key in ("startTime", "stopTime"))
        place = s.Location(self.notes, experiment.line, "DefaultExperiment")
        complain_about_foreign(root, self.notes)
        name, step = root.attributes.get("name", ""), master_step(experiment, self.notes)
        step = master_step(root, self.notes) if step is None else step
        return s.Structure(name, self._system(top), start, stop, self.by_id, place, step)

    def _system(self, element: Element) -> s.System:
        name = element.attributes.get("name", "")
        made = s.System(
            name,
            self._connectors(element),
            list(self._bindings(element)),
            self._elements(element),
            [self._connection(c) for part in element.all("ssd:Connections") for c in part.all("ssd:Connection")],
            self._dictionaries(element),
            read_settings(element, self.notes, OF_SYSTEM),
            master_step(element, self.notes),
            self._place(element, f'System "{name}"'),
        )
        if "id" in element.attributes:
            self.by_id[element.attributes["id"]] = made
        return made

    def _elements(self, system: Element) -> dict[str, s.Component | s.DictionaryReference | s.System]:
        found: dict[str, s.Component | s.DictionaryReference | s.System] = {}
        readers: dict[str, Any] = {
            "ssd:Component": self._component,
            "ssd:System": self._system,
            "ssd:SignalDictionaryReference": self._reference,
        }
        for element in (child for part in system.all("ssd:Elements") for child in part.children):
            if element.tag not in readers:
                (self.notes.wrong if element.tag.startswith("ssd:") else self.notes.complain)(
                    element, f"<{element.tag}> is not an element of a system{did_you_mean(element.tag, readers)}"
                )
                continue
            made = readers[element.tag](element)
            if not made.name:
                self.notes.wrong(element, "an element needs a name")
            elif made.name in found:
                made.place.wrong("another element has the same name")
            else:
                found[made.name] = made
        return found

    def _component(self, element: Element) -> s.Component | s.System:
        name = self.notes.text(element, "name")
        if "source" not in element.attributes:
            return self._placeholder(element, name)
        source, isolated = local_source(self.notes.text(element, "source"))
        place = self._place(element, f'Component "{name}"')
        return s.Component(
            name,
            _type_of(element.attributes.get("type", s.FMU), source, place),
            source,
            self.notes.choice(element, "implementation", ("any", "ModelExchange", "CoSimulation"), "any"),
            self._connectors(element),
            list(self._bindings(element)),
            read_settings(element, self.notes, (*OF_COMPONENT, "set")),
            place,
            step_hint(element, self.notes),
            isolated,
        )

    def _placeholder(self, element: Element, name: str) -> s.System:
        """Return a component without a source, which the standard takes as a system with nothing in it."""
        place = self._place(element, f'Component "{name}"')
        place.complain("has no source; inputs that it drives keep their own values")
        return s.System(name, self._connectors(element), list(self._bindings(element)), {}, [], {}, None, None, place)

    def _reference(self, element: Element) -> s.DictionaryReference:
        name = self.notes.text(element, "name")
        dictionary = self.notes.text(element, "dictionary")
        place = self._place(element, f'SignalDictionaryReference "{name}"')
        return s.DictionaryReference(name, dictionary, self._connectors(element), place)

    def _connectors(self, owner: Element) -> dict[str, s.Connector]:
        found: dict[str, s.Connector] = {}
        for element in (c for part in owner.all("ssd:Connectors") for c in part.all("ssd:Connector")):
            kind = self._kind(element)
            if kind and kind not in s.KINDS:
                self.notes.complain(element, f'Connector: kind = "{kind[:40]}"{did_you_mean(kind, s.KINDS)}')
            made = self._connector(element, kind)
            twin = found.setdefault(made.name, made)
            if twin is not made and replace(made, place=twin.place) == twin:
                made.place.complain(f"is the same connector as in line {twin.place.line}; ignored")
            elif twin is not made:
                made.place.wrong(f"another connector has the same name, in line {twin.place.line}")
        return found

    def _kind(self, element: Element) -> str:
        """Return the kind of a connector, which drafts of SSP call causality."""
        if "kind" in element.attributes or "causality" not in element.attributes:
            return self.notes.text(element, "kind")
        if not self._is_draft:
            self._is_draft = True
            self.notes.complain(element, "Connector: causality is read as kind, as in drafts of SSP")
        return element.attributes["causality"]

    def _connector(self, element: Element, kind: str) -> s.Connector:
        name = self.notes.text(element, "name")
        typed = next((child for child in element.children if child.tag.removeprefix("ssc:") in s.TYPES), None)
        place = self._place(element, f'Connector "{name}"')
        if typed is None:
            return s.Connector(name, kind, "", None, place)
        given = unit_named(typed.attributes.get("unit"), self.units)
        items = self.enumerations.get(typed.attributes.get("name", ""), {})
        return s.Connector(name, kind, typed.tag.removeprefix("ssc:"), given, place, items)

    def _connection(self, element: Element) -> s.Connection:
        start = (element.attributes.get("startElement", ""), self.notes.text(element, "startConnector"))
        end = (element.attributes.get("endElement", ""), self.notes.text(element, "endConnector"))
        what = f'Connection "{".".join(filter(None, start))}" to "{".".join(filter(None, end))}"'
        for key in ("startIndices", "endIndices"):
            if element.attributes.get(key):
                self.notes.wrong(
                    element, f"{what}: {key}: parts of arrays cannot be connected; connect the whole array"
                )
        converts = not self.notes.flag(element, "suppressUnitConversion")
        settings = read_settings(element, self.notes, OF_CONNECTION)
        place = self._place(element, what)
        return s.Connection(start, end, read_transformation(element, self.notes), converts, settings, place)

    def _dictionaries(self, system: Element) -> dict[str, dict[str, s.Connector]]:
        found: dict[str, dict[str, s.Connector]] = {}
        for element in (d for part in system.all("ssd:SignalDictionaries") for d in part.all("ssd:SignalDictionary")):
            name = self.notes.text(element, "name")
            inside = self._content(element, "ssb:SignalDictionary", _DICTIONARY)
            if inside is not None:
                found[name] = self._entries(*inside)
        return found

    def _entries(self, root: Element, notes: Notes) -> dict[str, s.Connector]:
        known = self.units | read_units(root, "ssb:Units", notes)
        found = {}
        for element in root.all("ssb:DictionaryEntry"):
            name = notes.text(element, "name")
            typed = next((child for child in element.children if child.tag.removeprefix("ssc:") in s.TYPES), None)
            place = s.Location(notes, element.line, f'DictionaryEntry "{name}"')
            given = None if typed is None else unit_named(typed.attributes.get("unit"), known)
            kind = "" if typed is None else typed.tag.removeprefix("ssc:")
            found[name] = s.Connector(name, "inout", kind, given, place)
        return found

    def _bindings(self, owner: Element) -> Iterator[s.Binding]:
        component = owner.attributes.get("source", "") if owner.tag == "ssd:Component" else ""
        for element in (b for part in owner.all("ssd:ParameterBindings") for b in part.all("ssd:ParameterBinding")):
            prefix = element.attributes.get("prefix", "")
            values = self._content(
                element, "ssv:ParameterSet", _VALUES, within="ssd:ParameterValues", component=component
            )
            mapped = element.child("ssd:ParameterMapping")
            mapping: list[s.MappingEntry] = []
            if mapped is not None:
                table = self._content(mapped, "ssm:ParameterMapping", _MAPPING, component=component)
                mapping = [] if table is None else list(read_mapping(*table))
            place = self._place(element, "ParameterBinding")
            parameters = [] if values is None else list(read_parameters(*values, prefix, self.units))
            yield s.Binding(parameters, mapping, place)

    def _content(
        self, element: Element, tag: str, kind: str, *, within: str = "", component: str = ""
    ) -> tuple[Element, Notes] | None:
        """Return the root of what an element holds or refers to, and where its mistakes are noted."""
        given = element.attributes.get("type", kind)
        if given != kind:
            self.notes.wrong(element, f'{element.tag.partition(":")[2]}: type = "{given[:60]}"; {kind} is supported')
            return None
        source = element.attributes.get("source")
        if source is None:
            holder = element.child(within) if within else element
            inside = None if holder is None else holder.child(tag)
            if inside is None:
                self.notes.wrong(element, f"{element.tag.partition(':')[2]}: has neither a source nor <{tag}>")
            return None if inside is None else (inside, self.notes)
        base = self.notes.choice(element, "sourceBase", _BASES, "SSD")
        place = self._place(element, element.tag.partition(":")[2])
        return self.store.read_source(source, tag, place, component if base == "component" else "")

    def _place(self, element: Element, what: str) -> s.Location:
        return s.Location(self.notes, element.line, what)


def read_units(root: Element, tag: str, notes: Notes) -> dict[str, Unit]:
    """Return the units that a file defines."""
    found: dict[str, Unit] = {}
    for element in (u for part in root.all(tag) for u in part.all("ssc:Unit")):
        name = notes.text(element, "name")
        base = element.child("ssc:BaseUnit")
        if base is None:
            notes.complain(element, f'Unit "{name}": its BaseUnit is missing; its values are not converted')
            found[name] = Unit(name)
            continue
        exponents = tuple(notes.integer(base, symbol) for symbol in BASE_UNITS)
        factor, offset = notes.number(base, "factor"), notes.number(base, "offset")
        if factor == 0.0:
            notes.wrong(base, f'Unit "{name}": factor = 0')
            continue
        found[name] = Unit(name, exponents, 1.0 if factor is None else factor, offset or 0.0)
    return found


def unit_named(name: str | None, known: dict[str, Unit]) -> Unit | None:
    """Return the unit that a name means: as the file defines it, else as we read it."""
    if name is None or name in known:
        return None if name is None else known[name]
    try:
        return unit(name)
    except UnitProblem:
        return Unit(name)


def read_enumerations(root: Element, notes: Notes) -> dict[str, dict[str, int]]:
    """Return the enumerations that a file defines, with their items."""
    elements = [e for part in root.all("ssd:Enumerations") for e in part.all("ssc:Enumeration")]
    return {
        notes.text(e, "name"): {notes.text(i, "name"): notes.integer(i, "value") for i in e.all("ssc:Item")}
        for e in elements
    }


def read_transformation(element: Element, notes: Notes) -> s.Transformation | None:
    """Return the transformation of a connection or mapping entry."""
    linear = element.child("ssc:LinearTransformation")
    if linear is not None:
        return s.Linear(notes.number(linear, "factor"), notes.number(linear, "offset"))
    convert: dict[str, Any] = {"Boolean": to_flag, "Integer": to_integer, "Enumeration": str}
    for kind, read in convert.items():
        table = element.child(f"ssc:{kind}MappingTransformation")
        if table is None:
            continue
        entries = []
        for entry in table.all("ssc:MapEntry"):
            pair = tuple(read(notes.text(entry, key)) for key in ("source", "target"))
            if None in pair:
                notes.wrong(entry, f"MapEntry: expected two values of type {kind}")
            else:
                entries.append((pair[0], pair[1]))
        return s.Mapping(kind, tuple(entries))
    return None


def read_parameters(root: Element, notes: Notes, prefix: str, known: dict[str, Unit]) -> Iterator[s.Parameter]:
    """Yield the values of a parameter set; names get the prefix."""
    units = known | read_units(root, "ssv:Units", notes)
    for element in (p for part in root.all("ssv:Parameters") for p in part.all("ssv:Parameter")):
        name = notes.text(element, "name")
        typed = next((child for child in element.children if child.tag.removeprefix("ssv:") in s.TYPES), None)
        if typed is None:
            notes.wrong(element, f'Parameter "{name}": a value is missing; {", ".join(s.TYPES)} are known')
            continue
        kind = typed.tag.removeprefix("ssv:")
        value = _values(element, typed, kind, notes)
        if value is not None:
            place = s.Location(notes, element.line, f'Parameter "{name}"')
            yield s.Parameter(prefix + name, kind, value, unit_named(typed.attributes.get("unit"), units), place)


def _values(element: Element, typed: Element, kind: str, notes: Notes) -> Any:
    """Return the value of a parameter, or nested lists of values if it has dimensions."""
    texts = [notes.text(value, "value") for value in typed.all("ssv:Value")]
    sizes = [notes.integer(d, "size") for d in element.children if d.tag in ("ssv:Dimension", "ssc:Dimension")]
    if not texts and not sizes:
        return _value(notes.text(typed, "value"), typed, kind, notes)
    if not texts:
        texts = notes.text(typed, "value").split()
    values = [_value(text, typed, kind, notes) for text in texts]
    if None in values:
        return None
    if math.prod(sizes) != len(values):
        notes.wrong(typed, f"{kind}: {len(values)} values; expected {' x '.join(map(str, sizes))}")
        return None
    return _nested(values, sizes)


def _nested(values: list[Any], sizes: list[int]) -> Any:
    """Return values in row-major order as nested lists of these sizes.

    >>> _nested([1, 2, 3, 4], [2, 2])
    [[1, 2], [3, 4]]
    """
    if not sizes:
        return values[0]
    part = math.prod(sizes[1:])
    return [_nested(values[k * part : (k + 1) * part], sizes[1:]) for k in range(sizes[0])]


def _value(text: str, element: Element, kind: str, notes: Notes) -> Any:
    made: Any = text
    if kind in s.FLOATS:
        made = to_number(text)
    elif kind in s.INTEGERS:
        number = to_number(text)
        made = to_integer(text) if number is None or not number.is_integer() or abs(number) > 2**53 else int(number)
    elif kind == "Boolean":
        made = to_flag(text.lower())
    if made is None and text:
        notes.wrong(element, f'{kind}: value = "{text[:40]}"; expected a value of type {kind}')
    return made


_PROXY = re.compile(r"(?:proxy-?fmu|fmu-?proxy)://(?:(?:localhost|127\.0\.0\.1)(?::\d+)?/?\?)?file=(?:file:///)?(.+)")


def local_source(source: str) -> tuple[str, bool]:
    """Return the file that a source means, and whether it is to run in a process of its own.

    >>> local_source("proxyfmu://localhost?file=pump.fmu"), local_source("file:pump.fmu")
    (('pump.fmu', True), ('pump.fmu', False))
    >>> local_source("file:///models/pump.fmu")
    ('/models/pump.fmu', False)
    """
    found = _PROXY.fullmatch(source)
    if found is not None:
        return found[1], True
    return re.sub(r"^file:(?:(?!//)|//(?:localhost)?(?=/))", "", source), False


def _type_of(given: str, source: str, place: s.Location) -> str:
    """Return the type of a component: as given, unless the name of its file says that it is another known one."""
    ends = {".fmu": s.FMU, ".ssd": s.DEFINITION, ".ssp": s.PACKAGE}
    name = source.partition("#")[0].lower()
    known = next((kind for end, kind in ends.items() if name.endswith(end)), given)
    if known != given:
        place.complain(f'type = "{given[:60]}"; taken as {known}, which is what the name of its file says')
    return known


def read_mapping(root: Element, notes: Notes) -> Iterator[s.MappingEntry]:
    """Yield the entries of a parameter mapping."""
    for element in root.all("ssm:MappingEntry"):
        source, target = notes.text(element, "source"), notes.text(element, "target")
        converts = not notes.flag(element, "suppressUnitConversion")
        place = s.Location(notes, element.line, f'MappingEntry "{source}" to "{target}"')
        yield s.MappingEntry(source, target, read_transformation(element, notes), converts, place)
