"""What a file says about a model that is not built, since that would run Python files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from .console import fill, new_table, say

NOTHING_RUN = "info runs no Python files and connects to no other programs; add --build to do so"


def show_tables(name: str, values: Mapping[str, Any], where: Console) -> None:
    """Print the tables of a file with the names in each, and that nothing was built."""
    say(f"{name}: names Python files, which were not run; shown as written in the file", where)
    where.print()
    tables = {key: content for key, content in values.items() if isinstance(content, Mapping)}
    where.print(fill(new_table("Tables", "table", "names"), ((key, ", ".join(tables[key])) for key in tables)))
    where.print()
    say(f"left out: whatever is known only once the model is built; {NOTHING_RUN}", where)
