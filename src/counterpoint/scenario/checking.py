"""Check the tables of a scenario file."""

from __future__ import annotations

from .._files.problems import Document, Mistakes
from .._files.tables import bad_span
from .._files.validation import validate
from .models import NO_END, ScenarioTable
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
    table, wrong = validate(
        ScenarioTable,
        document,
        mistakes,
        SCENARIOS,
        whole=lambda section: section not in ("subsystems", "connections"),
        fallback={"until": NO_END},
    )
    if table is None:
        return None, []
    ends_early = None if wrong else bad_span(table.start, table.until)
    if ends_early:
        mistakes.add(("until",), ends_early)
    written = document.values.get("connections")
    count = len(written) if isinstance(written, list) else 0
    return table, [index for index in range(count) if ("connections", index) not in wrong]
