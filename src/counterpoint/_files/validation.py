"""Check the tables of a file with a pydantic model, and continue with what is valid."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from .problems import Document, KeyPath, Mistakes, Vocabulary, from_pydantic
from .tables import Table

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    Reword = Callable[[KeyPath, str, ErrorDetails], str]
    """Takes path, sentence and error; returns the sentence that fits the kind of file better."""

_T = TypeVar("_T", bound=Table)


def validate(
    table: type[_T],
    document: Document,
    mistakes: Mistakes,
    vocabulary: Vocabulary,
    *,
    whole: Callable[[str], bool],
    fallback: dict[str, Any] | None = None,
    reword: Reword | None = None,
) -> tuple[_T | None, Collection[KeyPath]]:
    """Check the tables of a document and note all mistakes.

    Parameters
    ----------
    table : type
        Model of the whole file.
    document : Document
        What was read.
    mistakes : Mistakes
        Where problems go.
    vocabulary : Vocabulary
        For hints at keys that exist.
    whole : function of the name of a section
        Whether the section is left out as a whole when something in it is wrong; of the others, only the wrong
        entries are left out.
    fallback : dict, optional
        Values used for missing ones, so that the rest can be checked.
    reword : function, optional
        Says what pydantic complains about in words that fit the kind of file better.

    Returns
    -------
    table : the model or None
        What is left without the wrong parts; None when that is nothing useful.
    wrong : collection of paths
        Entries left out, as (section, key or index).
    """
    values = document.values
    try:
        return table.model_validate(values), ()
    except ValidationError as error:
        wrong = set()
        for detail in error.errors(include_url=False):
            path, text = from_pydantic(detail, values, vocabulary)
            mistakes.add(path, reword(path, text, detail) if reword else text)
            wrong.add(path[:2])
    rest = (fallback or {}) | _without(values, wrong, whole)
    try:
        return table.model_validate(rest), wrong
    except ValidationError:
        return None, wrong


def _without(values: dict[str, Any], wrong: set[KeyPath], whole: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values without the wrong parts."""
    rest: dict[str, Any] = {}
    for section, content in values.items():
        bad = {path for path in wrong if path[:1] == (section,)}
        if not bad:
            rest[section] = content
        elif (section,) in bad or whole(section):
            continue
        elif isinstance(content, dict):
            rest[section] = {key: entry for key, entry in content.items() if (section, key) not in bad}
        elif isinstance(content, list):
            rest[section] = [entry for index, entry in enumerate(content) if (section, index) not in bad]
    return rest
