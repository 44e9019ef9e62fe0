"""Check the tables of a scenario file."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from .._files.problems import Document, Mistakes, from_pydantic
from .._files.tables import bad_span
from .models import ScenarioTable
from .vocabulary import SCENARIOS


def check(document: Document, mistakes: Mistakes) -> tuple[ScenarioTable | None, list[int]]:
    """Check the tables of a document; note all mistakes and return what is left without the bad parts.

    Returns
    -------
    table : ScenarioTable or None
        Everything that is right; None when nothing useful is left.
    connections : list of int
        For each connection in ``table`` its index in the document.
    """
    values = document.values
    try:
        table = ScenarioTable.model_validate(values)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            mistakes.add(*from_pydantic(detail, values, SCENARIOS))
        return _without_bad_parts(values, error)
    wrong = bad_span(table.start, table.until)
    if wrong:
        mistakes.add(("until",), wrong)
    return table, list(range(len(table.connections)))


def _without_bad_parts(values: dict[str, Any], error: ValidationError) -> tuple[ScenarioTable | None, list[int]]:
    bad = {detail["loc"][:2] for detail in error.errors(include_url=False)}
    bad_keys = {location[0] for location in bad}
    rest = {key: value for key, value in values.items() if key not in bad_keys}
    kept = list(range(len(values["connections"]))) if isinstance(values.get("connections"), list) else []
    if isinstance(values.get("subsystems"), dict):
        rest["subsystems"] = {k: v for k, v in values["subsystems"].items() if ("subsystems", k) not in bad}
    if kept:
        kept = [index for index in kept if ("connections", index) not in bad]
        rest["connections"] = [values["connections"][index] for index in kept]
    rest.setdefault("until", 1e300)  # a missing end must not bring up "step larger than the run"
    try:
        return ScenarioTable.model_validate(rest), kept
    except ValidationError:
        return None, []
