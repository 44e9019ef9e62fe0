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

import tomllib
from collections.abc import Mapping
from typing import Any

from ..errors import did_you_mean
from ..fmi.attributes import Notes
from ..fmi.xml_reading import Element
from ..scenario.writing import value_text
from .xml_writing import Node

ANNOTATION = "org.counterpoint"

OF_SYSTEM = ("name", "scheme", "window", "threads", "approximation", "convert", "plot")
OF_CONNECTION = ("approximation", "initial", "convert")


def read_settings(element: Element, tag: str, notes: Notes, allowed: tuple[str, ...] | None) -> dict[str, Any] | None:
    """Return the settings in the annotations of an element; None when it has none of ours.

    Parameters
    ----------
    tag : str
        Tag of its annotations.
    allowed : tuple of str or None
        Keys; None: any, for they are checked where they are used.
    """
    found: dict[str, Any] | None = None
    for annotation in (a for part in element.all(tag) for a in part.all("ssc:Annotation")):
        if annotation.attributes.get("type") != ANNOTATION:
            continue
        for settings in annotation.all("cp:Settings"):
            found = found or {}
            for setting in settings.all("cp:Setting"):
                key = notes.text(setting, "key")
                if allowed is not None and key not in allowed:
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
        notes.wrong(setting, f'Setting "{key}": value = "{text[:60]}"; a value as in TOML is needed')
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


def master_step(system: Element, notes: Notes) -> float | None:
    """Return the step in s that OMSimulator was told to run a system with, when it has written the file."""
    for annotation in (a for part in system.all("ssd:Annotations") for a in part.all("ssc:Annotation")):
        inside = annotation.child("oms:Annotations") or annotation
        for master in (m for part in inside.all("oms:SimulationInformation") for m in part.all("oms:FixedStepMaster")):
            return notes.positive(master, "stepSize")
    return None


def master_node(step: float) -> Node:
    """Return the annotation that tells OMSimulator to run a system with a fixed step in s."""
    attributes: dict[str, str | None] = {"description": "oms-ma", "stepSize": repr(step)}
    attributes |= {"absoluteTolerance": "0.0001", "relativeTolerance": "0.0001"}
    inside = Node("oms:SimulationInformation", {}, [Node("oms:FixedStepMaster", attributes)])
    return Node("ssc:Annotation", {"type": "org.openmodelica"}, [Node("oms:Annotations", {}, [inside])])
