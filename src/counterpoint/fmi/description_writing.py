"""Writing modelDescription.xml of FMI 2.0 and 3.0, for what is exported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from ..units import BASE_UNITS
from .description import Interface, ModelDescription, Unit, Unknown, Variable

_LOG_CATEGORIES = {"logStatusError": "Why a call failed.", "logStatusWarning": "What differs from the request."}


def write_description(description: ModelDescription) -> bytes:
    """Return modelDescription.xml for co-simulation with variables of type Float64.

    Parameters
    ----------
    description : ModelDescription
        Its version decides between FMI 2 and FMI 3; vectors are for FMI 3 only (see :func:`scalars`).
    """
    root = _root_2(description) if description.major == 2 else _root_3(description)
    ElementTree.indent(root)
    made: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _root_2(description: ModelDescription) -> ElementTree.Element:
    root = _root(description, guid=description.token, numberOfEventIndicators="0")
    assert description.co_simulation is not None
    able = description.co_simulation
    _add(
        root,
        "CoSimulation",
        **_abilities(able, "FMUstate"),
        canInterpolateInputs=_truth(able.can_interpolate_inputs),
        providesDirectionalDerivative=_truth(able.provides_directional_derivatives),
    )
    _add_common(root, description)
    variables = _add(root, "ModelVariables")
    for v in description.variables:
        scalar = _add(variables, "ScalarVariable", **_named(v))
        _add(scalar, "Real", start=_numbers(v.start), unit=v.unit)
    places = {v.name: str(k) for k, v in enumerate(description.variables, 1)}
    structure = _add(root, "ModelStructure")
    if description.outputs:
        _add_unknowns(_add(structure, "Outputs"), "Unknown", "index", description.outputs, places)
        _add_unknowns(_add(structure, "InitialUnknowns"), "Unknown", "index", description.initial_unknowns, places)
    return root


def _root_3(description: ModelDescription) -> ElementTree.Element:
    root = _root(description, instantiationToken=description.token)
    assert description.co_simulation is not None
    able = description.co_simulation
    _add(
        root,
        "CoSimulation",
        **_abilities(able, "FMUState"),
        providesDirectionalDerivatives=_truth(able.provides_directional_derivatives),
        providesIntermediateUpdate=_truth(able.provides_intermediate_update),
        canReturnEarlyAfterIntermediateUpdate=_truth(able.can_return_early_after_intermediate_update),
    )
    _add_common(root, description)
    variables = _add(root, "ModelVariables")
    for v in description.variables:
        within = _truth(True) if v.intermediate_update else ""
        made = _add(variables, "Float64", **_named(v), intermediateUpdate=within, start=_numbers(v.start), unit=v.unit)
        for dimension in v.dimensions:
            _add(made, "Dimension", start=str(dimension.length))
    references = {v.name: str(v.reference) for v in description.variables}
    structure = _add(root, "ModelStructure")
    _add_unknowns(structure, "Output", "valueReference", description.outputs, references)
    _add_unknowns(structure, "InitialUnknown", "valueReference", description.initial_unknowns, references)
    return root


def _root(description: ModelDescription, **more: str) -> ElementTree.Element:
    return ElementTree.Element(
        "fmiModelDescription",
        {
            "fmiVersion": description.version,
            "modelName": description.name,
            **more,
            **({"description": description.description} if description.description else {}),
            "generationTool": description.tool,
            "variableNamingConvention": description.naming,
        },
    )


def _abilities(able: Interface, state: str) -> dict[str, str]:
    return {
        "modelIdentifier": able.model_identifier,
        "canHandleVariableCommunicationStepSize": _truth(able.variable_steps),
        "maxOutputDerivativeOrder": str(able.max_output_derivative_order),
        "canBeInstantiatedOnlyOncePerProcess": _truth(able.only_once_per_process),
        f"canGetAndSet{state}": _truth(able.can_get_and_set_state),
        f"canSerialize{state}": _truth(able.can_serialize_state),
    }


def _add_common(root: ElementTree.Element, description: ModelDescription) -> None:
    if description.units:
        units = _add(root, "UnitDefinitions")
        for unit in description.units.values():
            _add_unit(units, unit)
    categories = _add(root, "LogCategories")
    for name, text in _LOG_CATEGORIES.items():
        _add(categories, "Category", name=name, description=text)
    experiment = description.experiment
    times = {"startTime": experiment.start or 0.0, "stopTime": experiment.stop, "stepSize": experiment.step}
    given = {name: repr(float(value)) if value else "0" for name, value in times.items() if value is not None}
    if len(given) > 1:
        _add(root, "DefaultExperiment", **given)


def _add_unit(parent: ElementTree.Element, unit: Unit) -> None:
    made = _add(parent, "Unit", name=unit.name)
    if unit.exponents is None:
        return
    powers = {base: str(power) for base, power in zip(BASE_UNITS, unit.exponents, strict=True) if power}
    factor = "" if unit.factor == 1.0 else repr(unit.factor)
    offset = "" if unit.offset == 0.0 else repr(unit.offset)
    _add(made, "BaseUnit", **powers, factor=factor, offset=offset)


def _named(v: Variable) -> dict[str, str]:
    given = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality, "variability": v.variability}
    return given | {key: text for key, text in (("initial", v.initial), ("description", v.description)) if text}


def _add_unknowns(
    parent: ElementTree.Element, tag: str, key: str, unknowns: Iterable[Unknown], places: dict[str, str]
) -> None:
    for unknown in unknowns:
        depends = " ".join(places[name] for name in unknown.depends_on or ())
        ElementTree.SubElement(parent, tag, {key: places[unknown.name], "dependencies": depends})


def _add(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    """Add an element with those attributes that are not empty."""
    return ElementTree.SubElement(parent, tag, {key: text for key, text in attributes.items() if text})


def _numbers(values: Sequence[object] | None) -> str:
    return " ".join(repr(value) for value in values or ())


def _truth(value: bool) -> str:
    return "true" if value else "false"
