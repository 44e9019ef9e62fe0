"""Our own settings in an SSD: steps, schemes, approximations and whatever else SSP has no words for.

They stand in annotations of the type ``org.counterpoint``, one ``cp:Setting`` a key with a value in TOML, so that they
have the names and meanings of the scenario file::

    <ssc:Annotation type="org.counterpoint">
      <cp:Settings xmlns:cp="urn:counterpoint:settings:1">
        <cp:Setting key="step" value="0.001"/>
      </cp:Settings>
    </ssc:Annotation>
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from .._files.tables import Table, keys_of
from .._files.toml_writing import value_text
from ..errors import did_you_mean
from ..fmi.attributes import Notes
from ..fmi.xml_reading import Element
from ..scenario.models import Connection, Fmu, ScenarioTable
from .xml_writing import Node

ANNOTATION = "org.counterpoint"
_KNOWN = (ANNOTATION, "org.openmodelica", "com.opensimulationplatform")
"""Types of annotations of which something is read."""


def _settings_of(table: type[Table], *in_file: str) -> tuple[str, ...]:
    return tuple(key for key in keys_of(table) if key not in in_file)


OF_SYSTEM = _settings_of(ScenarioTable, "until", "start", "subsystems", "connections", "set")
OF_COMPONENT = _settings_of(Fmu, "type", "file", "kind", "parameters", "start", "state")
OF_CONNECTION = _settings_of(Connection, "from", "to", "gain", "offset", "law")
"""Keys of the scenario file that SSP has no words for; a saved state is a file, which does not travel."""


def read_settings(element: Element, notes: Notes, allowed: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the settings with these keys in the annotations of an element; None when it has none of ours."""
    found: dict[str, Any] | None = None
    for annotation in _annotations(element):
        if annotation.attributes.get("type") != ANNOTATION:
            continue
        for settings in annotation.all("cp:Settings"):
            found = found or {}
            for setting in settings.all("cp:Setting"):
                key = notes.text(setting, "key")
                if key not in allowed:
                    notes.wrong(setting, f'Setting: key = "{key}"{did_you_mean(key, allowed)}')
                    continue
                found[key] = _read_value(setting, key, notes)
    return found


def _read_value(setting: Element, key: str, notes: Notes) -> Any:
    text = notes.text(setting, "value")
    try:
        values = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        values = {}
    if set(values) != {"value"}:
        notes.wrong(setting, f'Setting "{key}": value = "{text[:60]}"; expected a value as in TOML')
        return None
    value = values["value"]
    if isinstance(value, dict) and value.get("kind") == "python":
        notes.wrong(setting, f'Setting "{key}": code in Python files is not run from an SSP; use a scenario file')
        return None
    return value


def settings_node(values: Mapping[str, Any]) -> Node:
    """Return an annotation with settings."""
    inside = [Node("cp:Setting", {"key": key, "value": value_text(value)}) for key, value in values.items()]
    return Node("ssc:Annotation", {"type": ANNOTATION}, [Node("cp:Settings", {}, inside)])


def master_step(element: Element, notes: Notes) -> float | None:
    """Return the step in s that a system or a whole run was made for, as other tools say it.

    They agree on ``FixedStepMaster`` and ``FixedStepAlgorithm``, not on a namespace, nor on what these are in: an
    annotation as a rule, ``SimulationInformation`` of the system itself in drafts of SSP.
    """
    drafts = (child for child in element.children if _local(child) == "SimulationInformation")
    for master in (m for part in (*_annotations(element), *drafts) for m in _masters(part)):
        key = "baseStepSize" if "baseStepSize" in master.attributes else "stepSize"
        if key in master.attributes:
            return notes.positive(master, key)
    return None


def _masters(element: Element) -> Iterator[Element]:
    """Yield the elements, however deep, that say which master runs with which step."""
    for child in element.children:
        if _local(child) in ("FixedStepMaster", "FixedStepAlgorithm"):
            yield child
        else:
            yield from _masters(child)


def _annotations(element: Element) -> Iterator[Element]:
    return (a for part in element.all("ssd:Annotations") for a in part.all("ssc:Annotation"))


def step_hint(component: Element, notes: Notes) -> float | None:
    """Return the step in s that an annotation of OSP, or one of its form, gives a component."""
    for hint in (h for annotation in _annotations(component) for h in annotation.children):
        if _local(hint) == "StepSizeHint":
            return notes.positive(hint, "value")
    return None


def _local(element: Element) -> str:
    """Return the name of an element without namespace."""
    return re.split("[:}]", element.tag)[-1]


def complain_about_foreign(root: Element, notes: Notes) -> None:
    """Say once for each type that annotations of other tools are not read."""
    told = set(_KNOWN)
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag == "ssc:Annotation":
            kind = element.attributes.get("type", "")
            is_read = next(_masters(element), None) or any(
                _local(child) == "StepSizeHint" for child in element.children
            )
            if kind not in told and not is_read:
                told.add(kind)
                notes.complain(element, f'annotations of the type "{kind[:80]}" are ignored')
            continue
        waiting += element.children


def master_node(step: float) -> Node:
    """Return the annotation that tells OMSimulator to run a system with a fixed step in s."""
    attributes: dict[str, str | None] = {"description": "oms-ma", "stepSize": repr(step)}
    attributes |= {"absoluteTolerance": "0.0001", "relativeTolerance": "0.0001"}
    inside = Node("oms:SimulationInformation", {}, [Node("oms:FixedStepMaster", attributes)])
    return Node("ssc:Annotation", {"type": "org.openmodelica"}, [Node("oms:Annotations", {}, [inside])])
