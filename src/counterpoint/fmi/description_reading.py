"""Read modelDescription.xml of FMI 1.0, 2.0 and 3.0; all mistakes at once, with their lines."""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from collections.abc import Mapping
from dataclasses import replace

from ..errors import SetupError
from ..units import BASE_UNITS
from .archive import DESCRIPTION, Archive
from .attributes import Notes
from .description import DisplayUnit, Interface, ModelDescription, SimpleType, Unit
from .description_parts import check_identifier, read_experiment, read_log_categories
from .description_reading_1 import read_1
from .description_rules import check
from .description_variables import TYPE_NAMES_2, read_structure, read_variables
from .xml_reading import Element, XmlError, parse

LARGEST = 256 << 20
"""Largest size of a description, in bytes."""
_VERSION = re.compile(r"(1\.0|2\.0|3\.\d+)([-.].*)?")


class DescriptionError(SetupError):
    """modelDescription.xml has mistakes; each line names file, line and rule."""


def read_description(path: str | os.PathLike[str] | Archive, *, lenient: bool = False) -> ModelDescription:
    """Read the description of an FMU.

    Parameters
    ----------
    path : path or Archive
        The ``.fmu`` file.
    lenient : bool
        Tolerate violations that do not prevent the FMU from running; they are in ``complaints``.

    Raises
    ------
    ArchiveError, DescriptionError
        With all problems found.
    """
    archive = path if isinstance(path, Archive) else Archive(path)
    data = archive.read(DESCRIPTION, LARGEST)
    key = (hashlib.sha256(data).digest(), lenient)
    found = _SHARED.get(key)
    if found is None:
        found = _SHARED[key] = parse_description(data, f"{archive.path}: {DESCRIPTION}", lenient=lenient)
    return found


_SHARED: weakref.WeakValueDictionary[tuple[bytes, bool], ModelDescription] = weakref.WeakValueDictionary()
"""Descriptions in use: a hundred instances of one FMU need one, which nothing changes."""


def parse_description(data: bytes, where: str = DESCRIPTION, *, lenient: bool = False) -> ModelDescription:
    """Read the text of a description; messages refer to it as ``where``."""
    try:
        root = parse(data)
    except XmlError as error:
        raise DescriptionError(f"{where} {error}") from None
    version = _version(root, where)
    notes = Notes()
    made = read_1(root, version, notes) if version.startswith("1") else _read(root, version, notes)
    check(made, root, notes)
    refused = notes.serious if lenient else notes.serious + notes.complaints
    if refused:
        hint = "" if notes.serious else "; lenient=True (in a scenario lenient = true) runs it anyway"
        raise DescriptionError([f"{where} line {line}: {text}{hint}" for line, text in sorted(refused)])
    return replace(made, complaints=tuple(f"line {line}: {text}" for line, text in sorted(notes.complaints)))


def _version(root: Element, where: str) -> str:
    if root.tag != "fmiModelDescription":
        raise DescriptionError(
            f"{where} line {root.line}: the root element is <{root.tag}>; expected <fmiModelDescription>"
        )
    version = root.attributes.get("fmiVersion")
    if version is None:
        raise DescriptionError(
            f"{where} line {root.line}: the attribute fmiVersion is missing; expected 1.0, 2.0 or 3.0"
        )
    if _VERSION.fullmatch(version) is None:
        raise DescriptionError(
            f'{where} line {root.line}: FMI "{version[:20]}" is not supported; expected 1.0, 2.0 or 3.0'
        )
    return version


def _read(root: Element, version: str, notes: Notes) -> ModelDescription:
    major = int(version[0])
    variables = read_variables(root, major, notes)
    structure = read_structure(root, major, variables, notes)
    attributes = root.attributes
    return ModelDescription(
        version=version,
        name=notes.text(root, "modelName"),
        token=notes.text(root, "guid" if major == 2 else "instantiationToken"),
        variables=variables,
        co_simulation=_interface(root, "CoSimulation", notes),
        model_exchange=_interface(root, "ModelExchange", notes),
        units=_units(root, notes),
        types=_types(root, notes),
        log_categories=read_log_categories(root, notes),
        experiment=read_experiment(root, notes),
        outputs=structure.outputs,
        derivatives=structure.derivatives,
        initial_unknowns=structure.initial_unknowns,
        event_indicators=notes.integer(root, "numberOfEventIndicators") if major == 2 else structure.event_indicators,
        description=attributes.get("description", ""),
        author=attributes.get("author", ""),
        model_version=attributes.get("version", ""),
        copyright=attributes.get("copyright", ""),
        license=attributes.get("license", ""),
        tool=attributes.get("generationTool", ""),
        date=attributes.get("generationDateAndTime", ""),
        naming=notes.choice(root, "variableNamingConvention", ("flat", "structured"), "flat"),
    )


def _interface(root: Element, tag: str, notes: Notes) -> Interface | None:
    element = root.child(tag)
    if element is None:
        return None
    identifier = notes.text(element, "modelIdentifier")
    check_identifier(element, identifier, notes)

    def flag(*names: str) -> bool:  # FMI 2 and FMI 3 spell some differently
        return any(notes.flag(element, name) for name in names)

    return Interface(
        model_identifier=identifier,
        needs_execution_tool=flag("needsExecutionTool"),
        only_once_per_process=flag("canBeInstantiatedOnlyOncePerProcess"),
        can_get_and_set_state=flag("canGetAndSetFMUstate", "canGetAndSetFMUState"),
        can_serialize_state=flag("canSerializeFMUstate", "canSerializeFMUState"),
        provides_directional_derivatives=flag("providesDirectionalDerivative", "providesDirectionalDerivatives"),
        provides_adjoint_derivatives=flag("providesAdjointDerivatives"),
        variable_steps=flag("canHandleVariableCommunicationStepSize"),
        fixed_internal_step=notes.positive(element, "fixedInternalStepSize"),
        max_output_derivative_order=notes.integer(element, "maxOutputDerivativeOrder"),
        can_interpolate_inputs=flag("canInterpolateInputs"),
        runs_asynchronously=flag("canRunAsynchronuously"),
        has_event_mode=flag("hasEventMode"),
        might_return_early=flag("mightReturnEarlyFromDoStep"),
        provides_intermediate_update=flag("providesIntermediateUpdate"),
        can_return_early_after_intermediate_update=flag("canReturnEarlyAfterIntermediateUpdate"),
        provides_evaluate_discrete_states=flag("providesEvaluateDiscreteStates"),
        needs_completed_integrator_step=not flag("completedIntegratorStepNotNeeded")
        and notes.flag(element, "needsCompletedIntegratorStep", True),
    )


def _units(root: Element, notes: Notes) -> Mapping[str, Unit]:
    units: dict[str, Unit] = {}
    for element in (unit for part in root.all("UnitDefinitions") for unit in part.all("Unit")):
        name = notes.text(element, "name")
        if name in units:
            notes.complain(element, f'Unit: "{name}" is defined twice')
        base = element.child("BaseUnit")
        shown = tuple(
            DisplayUnit(
                notes.text(display, "name"),
                _or(notes.number(display, "factor"), 1.0),
                _or(notes.number(display, "offset"), 0.0),
                notes.flag(display, "inverse"),
            )
            for display in element.all("DisplayUnit")
        )
        if base is None:
            units[name] = Unit(name, display_units=shown)
            continue
        exponents = tuple(notes.integer(base, unit) for unit in BASE_UNITS)
        factor, offset = _or(notes.number(base, "factor"), 1.0), _or(notes.number(base, "offset"), 0.0)
        units[name] = Unit(name, exponents, factor, offset, display_units=shown)
    return units


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _types(root: Element, notes: Notes) -> Mapping[str, SimpleType]:
    types: dict[str, SimpleType] = {}
    for definition in (child for part in root.all("TypeDefinitions") for child in part.children):
        element: Element | None = definition
        if definition.tag == "SimpleType":  # FMI 2: the kind is a child
            element = next((child for child in definition.children if child.tag in TYPE_NAMES_2), None)
            kind = "" if element is None else TYPE_NAMES_2[element.tag]
        else:
            kind = definition.tag.removesuffix("Type")
        name = notes.text(definition, "name")
        if element is None:
            notes.wrong(definition, f'SimpleType "{name}": its kind (Real, Integer, ...) is missing')
            continue
        if name in types:
            notes.complain(definition, f'type "{name}" is defined twice')
        types[name] = SimpleType(
            name,
            kind,
            description=definition.attributes.get("description", ""),
            quantity=element.attributes.get("quantity", ""),
            unit=element.attributes.get("unit", ""),
            display_unit=element.attributes.get("displayUnit", ""),
            minimum=notes.hint(element, "min") if kind != "Boolean" else None,
            maximum=notes.hint(element, "max") if kind != "Boolean" else None,
            nominal=notes.hint(element, "nominal"),
            relative=notes.flag(element, "relativeQuantity"),
            items=tuple((notes.text(item, "name"), notes.integer(item, "value")) for item in element.all("Item")),
        )
    return types
