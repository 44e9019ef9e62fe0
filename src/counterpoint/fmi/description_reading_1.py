"""Read modelDescription.xml of FMI 1.0 into the form of the later versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .attributes import Notes
from .description import DisplayUnit, Interface, ModelDescription, SimpleType, Unit, Unknown, Variable
from .description_parts import check_identifier, read_experiment, read_log_categories
from .description_variables import TYPE_NAMES_2, read_start
from .xml_reading import Element

_CAUSALITIES = ("input", "output", "internal", "none")
_VARIABILITIES = ("constant", "parameter", "discrete", "continuous")
_ALIASES = ("noAlias", "alias", "negatedAlias")


def read_1(root: Element, version: str, notes: Notes) -> ModelDescription:
    """Return a description of FMI 1.0: of co-simulation where there is an Implementation, else of model exchange."""
    attributes = root.attributes
    implementation = root.child("Implementation")
    interface = _interface(root, implementation, notes)
    variables = tuple(_variables(root, notes))
    return ModelDescription(
        version=version,
        name=notes.text(root, "modelName"),
        token=notes.text(root, "guid"),
        variables=variables,
        co_simulation=None if implementation is None else interface,
        model_exchange=interface if implementation is None else None,
        units=_units(root, notes),
        types=_types(root, notes),
        log_categories=read_log_categories(root, notes),
        experiment=read_experiment(root, notes),
        outputs=tuple(_unknowns(root, variables)),
        event_indicators=notes.integer(root, "numberOfEventIndicators"),
        unnamed_states=notes.integer(root, "numberOfContinuousStates"),
        description=attributes.get("description", ""),
        author=attributes.get("author", ""),
        model_version=attributes.get("version", ""),
        tool=attributes.get("generationTool", ""),
        date=attributes.get("generationDateAndTime", ""),
        naming=notes.choice(root, "variableNamingConvention", ("flat", "structured"), "flat"),
    )


def _interface(root: Element, implementation: Element | None, notes: Notes) -> Interface:
    identifier = notes.text(root, "modelIdentifier")
    check_identifier(root, identifier, notes)
    parts = [] if implementation is None else implementation.children
    able = next((e for part in parts for e in part.all("Capabilities")), None)
    if able is None:
        return Interface(identifier, needs_execution_tool=_needs_tool(implementation))
    return Interface(
        identifier,
        needs_execution_tool=_needs_tool(implementation),
        only_once_per_process=notes.flag(able, "canBeInstantiatedOnlyOncePerProcess"),
        variable_steps=notes.flag(able, "canHandleVariableCommunicationStepSize"),
        max_output_derivative_order=notes.integer(able, "maxOutputDerivativeOrder"),
        can_interpolate_inputs=notes.flag(able, "canInterpolateInputs"),
        runs_asynchronously=notes.flag(able, "canRunAsynchronuously"),
    )


def _needs_tool(implementation: Element | None) -> bool:
    return implementation is not None and implementation.child("CoSimulation_Tool") is not None


def _variables(root: Element, notes: Notes) -> Iterator[Variable]:
    part = root.child("ModelVariables")
    for element in () if part is None else part.all("ScalarVariable"):
        inner = next((child for child in element.children if child.tag in TYPE_NAMES_2), None)
        if inner is None:
            name = element.attributes.get("name", "")
            notes.wrong(element, f'ScalarVariable "{name}": its type must be one of {", ".join(TYPE_NAMES_2)}')
        else:
            yield _variable(element, inner, notes)


def _variable(element: Element, inner: Element, notes: Notes) -> Variable:
    kind = TYPE_NAMES_2[inner.tag]
    causality, variability = _roles(element, kind, notes)
    start = read_start(element, inner, kind, 1, notes)
    bounded = kind not in ("Boolean", "String")
    return Variable(
        name=notes.text(element, "name"),
        reference=notes.reference(element, "valueReference"),
        type=kind,
        causality=causality,
        variability=variability,
        initial=_initial(inner, causality, start is not None, notes),
        start=start,
        description=element.attributes.get("description", ""),
        unit=inner.attributes.get("unit", ""),
        display_unit=inner.attributes.get("displayUnit", ""),
        declared_type=inner.attributes.get("declaredType", ""),
        quantity=inner.attributes.get("quantity", ""),
        minimum=notes.hint(inner, "min") if bounded else None,
        maximum=notes.hint(inner, "max") if bounded else None,
        nominal=notes.hint(inner, "nominal") if bounded else None,
        negated=notes.choice(element, "alias", _ALIASES, "noAlias") == "negatedAlias" and bounded,
        relative=notes.flag(inner, "relativeQuantity"),
        can_set_often=True,
        line=element.line,
    )


def _roles(element: Element, kind: str, notes: Notes) -> tuple[str, str]:
    """Return causality and variability as later versions have them."""
    causality = notes.choice(element, "causality", _CAUSALITIES, "internal")
    variability = notes.choice(element, "variability", _VARIABILITIES, "continuous")
    if variability == "parameter" and causality in ("internal", "none", "input"):
        return "parameter", "fixed"
    causality = causality if causality in ("input", "output") else "local"
    if variability == "constant" and causality != "input":
        return causality, variability
    return causality, variability if kind == "Float64" and variability == "continuous" else "discrete"


def _initial(inner: Element, causality: str, has_start: bool, notes: Notes) -> str:
    if causality == "input":
        return ""
    if not has_start:
        return "exact" if causality == "parameter" else "calculated"
    return "exact" if notes.flag(inner, "fixed", True) else "approx"


def _unknowns(root: Element, variables: tuple[Variable, ...]) -> Iterator[Unknown]:
    """Yield the outputs; DirectDependency names the inputs they depend on, without it all are meant."""
    part = root.child("ModelVariables")
    depends: dict[str, tuple[str, ...]] = {}
    for element in () if part is None else part.all("ScalarVariable"):
        listed = element.child("DirectDependency")
        if listed is not None:
            depends[element.attributes.get("name", "")] = tuple(name.text.strip() for name in listed.all("Name"))
    return (Unknown(v.name, depends.get(v.name)) for v in variables if v.causality == "output")


def _units(root: Element, notes: Notes) -> Mapping[str, Unit]:
    """Return the units; FMI 1 does not say what they are made of."""
    made = {}
    for element in (unit for part in root.all("UnitDefinitions") for unit in part.all("BaseUnit")):
        shown = tuple(
            DisplayUnit(
                notes.text(display, "displayUnit"),
                notes.number(display, "gain") or 1.0,
                notes.number(display, "offset") or 0.0,
            )
            for display in element.all("DisplayUnitDefinition")
        )
        name = notes.text(element, "unit")
        made[name] = Unit(name, display_units=shown)
    return made


def _types(root: Element, notes: Notes) -> Mapping[str, SimpleType]:
    made = {}
    for definition in (child for part in root.all("TypeDefinitions") for child in part.all("Type")):
        element = next((e for e in definition.children if e.tag.removesuffix("Type") in TYPE_NAMES_2), None)
        if element is None:
            continue
        kind = TYPE_NAMES_2[element.tag.removesuffix("Type")]
        bounded = kind not in ("Boolean", "String")
        name = notes.text(definition, "name")
        made[name] = SimpleType(
            name,
            kind,
            description=definition.attributes.get("description", ""),
            quantity=element.attributes.get("quantity", ""),
            unit=element.attributes.get("unit", ""),
            display_unit=element.attributes.get("displayUnit", ""),
            minimum=notes.hint(element, "min") if bounded else None,
            maximum=notes.hint(element, "max") if bounded else None,
            nominal=notes.hint(element, "nominal") if bounded else None,
            relative=notes.flag(element, "relativeQuantity"),
            items=tuple((notes.text(item, "name"), k) for k, item in enumerate(element.all("Item"), start=1)),
        )
    return made
