"""Parts of modelDescription.xml that all versions of FMI have alike."""

from __future__ import annotations

import re

from .attributes import Notes
from .description import DefaultExperiment
from .xml_reading import Element

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_identifier(element: Element, identifier: str, notes: Notes) -> None:
    """Complain of a name that is no C identifier; refuse one that could lead to another folder."""
    if "modelIdentifier" not in element.attributes or _IDENTIFIER.fullmatch(identifier):
        return
    text = f"modelIdentifier = {identifier[:80]!a}; expected letters, digits and _"
    if not identifier.strip(". ") or any(c in "/\\:" or not c.isprintable() for c in identifier):
        notes.wrong(element, text)
    else:
        notes.complain(element, text)


def read_experiment(root: Element, notes: Notes) -> DefaultExperiment:
    """Return the default experiment."""
    element = root.child("DefaultExperiment")
    if element is None:
        return DefaultExperiment()
    return DefaultExperiment(
        notes.number(element, "startTime"),
        notes.number(element, "stopTime"),
        notes.positive(element, "tolerance"),
        notes.positive(element, "stepSize"),
    )


def read_log_categories(root: Element, notes: Notes) -> tuple[str, ...]:
    """Return the categories of log messages."""
    return tuple(
        notes.text(category, "name") for part in root.all("LogCategories") for category in part.all("Category")
    )
