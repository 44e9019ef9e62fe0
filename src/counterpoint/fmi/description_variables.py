"""Variables and model structure of modelDescription.xml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .attributes import Notes, to_flag, to_integer, to_number, to_whole
from .description import FLOATS, TYPES, ClockInterval, Dimension, Unknown, Value, Variable
from .xml_reading import Element

TYPE_NAMES_2 = {
    "Real": "Float64",
    "Integer": "Int32",
    "Boolean": "Boolean",
    "String": "String",
    "Enumeration": "Enumeration",
}
"""Types of FMI 1 and 2 by the names of FMI 3."""
CAUSALITIES = ("parameter", "calculatedParameter", "input", "output", "local", "independent")
VARIABILITIES = ("constant", "fixed", "tunable", "discrete", "continuous")
INITIALS = ("exact", "approx", "calculated")
CLOCKS = ("constant", "fixed", "tunable", "changing", "countdown", "triggered")
_PARAMETERS = ("parameter", "structuralParameter", "calculatedParameter")


@dataclass(frozen=True)
class Structure:
    """ModelStructure: what is calculated and what it depends on."""

    outputs: tuple[Unknown, ...] = ()
    derivatives: tuple[Unknown, ...] = ()
    initial_unknowns: tuple[Unknown, ...] = ()
    event_indicators: int = 0


@dataclass(frozen=True)
class Names:
    """How elements refer to variables: by place in FMI 2, by value reference in FMI 3; lengths of arrays likewise."""

    major: int
    of: dict[int, str]
    lengths: dict[int, int]


def read_variables(root: Element, major: int, notes: Notes) -> tuple[Variable, ...]:
    """Return all variables, in the order of the file."""
    part = root.child("ModelVariables")
    if part is None:
        notes.complain(root, "ModelVariables is missing")
        return ()
    pairs: list[tuple[Element, Element]] = []  # the variable, and the element with its type
    for element in part.children:
        inner: Element | None = element
        if major == 2:
            inner = next((child for child in element.children if child.tag in TYPE_NAMES_2), None)
        if inner is None or (major == 3 and inner.tag not in TYPES):
            known = ", ".join(TYPE_NAMES_2 if major == 2 else TYPES)
            notes.wrong(
                element, f'{element.tag} "{element.attributes.get("name", "")}": its type must be one of {known}'
            )
        else:
            pairs.append((element, inner))
    names = Names(major, _names_of(pairs, major), _lengths(pairs) if major == 3 else {})
    return tuple(_variable(element, inner, names, notes) for element, inner in pairs)


def _names_of(pairs: list[tuple[Element, Element]], major: int) -> dict[int, str]:
    """Return how other elements refer to variables: by place in FMI 2, by value reference in FMI 3."""
    if major == 2:
        return {place: element.attributes.get("name", "") for place, (element, _) in enumerate(pairs, start=1)}
    references = ((to_integer(element.attributes.get("valueReference", "")), element) for element, _ in pairs)
    return {reference: element.attributes.get("name", "") for reference, element in references if reference is not None}


def _lengths(pairs: list[tuple[Element, Element]]) -> dict[int, int]:
    """Return the start values of structural parameters, by value reference."""
    made = {}
    for element, _ in pairs:
        if element.attributes.get("causality") == "structuralParameter":
            reference = to_integer(element.attributes.get("valueReference", ""))
            start = to_integer(element.attributes.get("start", ""))
            if reference is not None and start is not None:
                made[reference] = start
    return made


def _variable(element: Element, inner: Element, names: Names, notes: Notes) -> Variable:
    major = names.major
    kind = TYPE_NAMES_2.get(inner.tag, inner.tag) if major == 2 else inner.tag
    causalities = CAUSALITIES if major == 2 else (*CAUSALITIES, "structuralParameter", "dependent")
    causality = notes.choice(element, "causality", causalities, "local")
    variability = notes.choice(element, "variability", VARIABILITIES, _usual_variability(kind, causality, major))
    initial = notes.choice(element, "initial", INITIALS, _usual_initial(causality, variability))
    derivative = notes.reference(inner, "derivative") if "derivative" in inner.attributes else None
    if derivative is not None and derivative not in names.of:
        notes.wrong(inner, f"derivative = {derivative}: no such variable")
    bounded = kind not in ("Boolean", "String", "Binary", "Clock")
    return Variable(
        name=notes.text(element, "name"),
        reference=notes.reference(element, "valueReference"),
        type=kind,
        causality=causality,
        variability=variability,
        initial=initial,
        start=read_start(element, inner, kind, major, notes),
        dimensions=tuple(_dimension(child, names, notes) for child in inner.all("Dimension")),
        description=element.attributes.get("description", ""),
        unit=inner.attributes.get("unit", ""),
        display_unit=inner.attributes.get("displayUnit", ""),
        declared_type=inner.attributes.get("declaredType", ""),
        quantity=inner.attributes.get("quantity", ""),
        minimum=notes.hint(inner, "min") if bounded else None,
        maximum=notes.hint(inner, "max") if bounded else None,
        nominal=notes.hint(inner, "nominal") if bounded else None,
        relative=notes.flag(inner, "relativeQuantity"),
        derivative_of="" if derivative is None else names.of.get(derivative, ""),
        reinit=notes.flag(inner, "reinit"),
        intermediate_update=notes.flag(element, "intermediateUpdate"),
        can_set_often=notes.flag(element, "canHandleMultipleSetPerTimeInstant", default=major == 2),
        aliases=tuple(notes.text(alias, "name") for alias in inner.all("Alias")),
        clocks=_clocks(element, names, notes),
        ticks=_ticks(element, notes) if kind == "Clock" else None,
        line=element.line,
    )


def _usual_variability(kind: str, causality: str, major: int) -> str:
    if major == 3 and causality in _PARAMETERS:
        return "fixed"
    return "continuous" if kind in FLOATS else "discrete"


def _usual_initial(causality: str, variability: str) -> str:
    if causality in ("parameter", "structuralParameter") or variability == "constant":
        return "exact"
    return "" if causality in ("input", "independent") else "calculated"


def _dimension(element: Element, names: Names, notes: Notes) -> Dimension:
    if "start" in element.attributes:
        length = notes.integer(element, "start")
        if length < 1:
            notes.wrong(element, f"Dimension: start = {length}; expected a number of at least 1")
        return Dimension(max(length, 1))
    reference = notes.reference(element, "valueReference")
    if reference not in names.lengths:
        notes.wrong(element, f"Dimension: valueReference = {reference}: no structural parameter with a start value")
    return Dimension(names.lengths.get(reference, 1), names.of.get(reference, ""))


def _clocks(element: Element, names: Names, notes: Notes) -> tuple[str, ...]:
    numbers = [(text, to_integer(text)) for text in element.attributes.get("clocks", "").split()]
    for text, number in numbers:
        if number not in names.of:
            notes.wrong(element, f"{element.tag}: clocks: no variable {text}")
    return tuple(names.of[number] for _, number in numbers if number in names.of)


def _ticks(element: Element, notes: Notes) -> ClockInterval:
    kind = notes.choice(element, "intervalVariability", CLOCKS, "")
    if not kind:
        notes.wrong(element, "Clock: the attribute intervalVariability is missing")
    resolution = notes.positive(element, "resolution")
    interval, shift = notes.positive(element, "intervalDecimal"), notes.number(element, "shiftDecimal")
    if resolution is not None:  # the exact form of both, as fractions of a second
        counter, shift_counter = notes.positive(element, "intervalCounter"), notes.number(element, "shiftCounter")
        interval = interval if counter is None else counter / resolution
        shift = shift if shift_counter is None else shift_counter / resolution
    if kind == "constant" and interval is None:
        notes.wrong(element, "Clock: a constant clock needs intervalDecimal, or intervalCounter and resolution")
    return ClockInterval(kind, interval, shift or 0.0)


def _to_bytes(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


_CONVERTERS: dict[str, Callable[[str], Value | None]] = {
    "Float64": to_number,
    "Float32": to_number,
    "Boolean": to_flag,
    "String": lambda text: text,
    "Binary": _to_bytes,
}


def read_start(element: Element, inner: Element, kind: str, major: int, notes: Notes) -> tuple[Value, ...] | None:
    """Return the start values: an attribute, or elements <Start> for texts in FMI 3."""
    convert = _CONVERTERS.get(kind, to_whole)
    if major == 3 and kind in ("String", "Binary"):
        texts = [notes.text(child, "value") for child in inner.all("Start")] or None
    else:
        given = inner.attributes.get("start")
        texts = None if given is None else [given] if major < 3 else given.split()
    if texts is None:
        return None
    made: list[Value] = []
    for text in texts:
        value = convert(text)
        if value is None:
            notes.wrong(inner, f'"{element.attributes.get("name", "")}": start = "{text[:40]}" is not a valid {kind}')
        else:
            made.append(value)
    return tuple(made)


def read_structure(root: Element, major: int, variables: tuple[Variable, ...], notes: Notes) -> Structure:
    """Return ModelStructure."""
    part = root.child("ModelStructure")
    if part is None:
        notes.complain(root, "ModelStructure is missing")
        return Structure()
    if major == 2:
        names = {place: v.name for place, v in enumerate(variables, start=1)}
        lists = {child.tag: list(child.all("Unknown")) for child in part.children}
        groups = [lists.get(tag, []) for tag in ("Outputs", "Derivatives", "InitialUnknowns")]
        key, indicators = "index", 0
    else:
        names = {v.reference: v.name for v in variables}
        tags = ("Output", "ContinuousStateDerivative", "InitialUnknown")
        groups = [list(part.all(tag)) for tag in tags]
        key, indicators = "valueReference", len(list(part.all("EventIndicator")))
    known = [
        [element for element in group if _is_known(element, key, names, notes)] if group is not groups[1] else group
        for group in groups
    ]
    outputs, derivatives, initial = (
        tuple(_unknown(element, key, names, notes) for element in group) for group in known
    )
    return Structure(outputs, derivatives, initial, indicators)


def _is_known(element: Element, key: str, names: dict[int, str], notes: Notes) -> bool:
    """Return whether an output or initial unknown is a variable; without it the FMU runs all the same."""
    reference = to_integer(element.attributes.get(key, ""))
    if reference in names:
        return True
    notes.complain(element, f"{element.tag}: {key} = {element.attributes.get(key)}: no such variable")
    return False


def _unknown(element: Element, key: str, names: dict[int, str], notes: Notes) -> Unknown:
    reference = notes.reference(element, key)
    if reference not in names:
        notes.wrong(element, f"{element.tag}: {key} = {reference}: no such variable")
    given = element.attributes.get("dependencies")
    depends: tuple[str, ...] | None = None
    if given is not None:
        numbers = [to_integer(text) for text in given.split()]
        bad = [text for text, number in zip(given.split(), numbers, strict=True) if number not in names]
        if bad:
            notes.complain(element, f"{element.tag}: dependencies: no variable {', '.join(bad[:5])}")
        depends = tuple(names[number] for number in numbers if number in names)
    kinds = tuple(element.attributes.get("dependenciesKind", "").split())
    if given is not None and kinds and len(kinds) != len(given.split()):
        notes.complain(element, f"{element.tag}: {len(kinds)} dependenciesKind for {len(given.split())} dependencies")
    return Unknown(names.get(reference, ""), depends, kinds)
