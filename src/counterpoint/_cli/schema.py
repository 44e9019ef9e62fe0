"""``counterpoint schema``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import with_traceback

TABLES = {
    "scenario": ("counterpoint.scenario.models", "ScenarioTable"),
    "mechanism": ("counterpoint.multibody.files.tables", "FileTable"),
    "diagram": ("counterpoint.diagram.files.tables", "FileTable"),
}
"""Kinds of files, and the models that check them."""


@click.command()
@click.argument("kind", type=click.Choice(list(TABLES)))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the schema to a file.")
@with_traceback
def schema(*, kind: str, out: Path | None) -> None:
    """Print the JSON schema of scenario, mechanism or diagram files, for editors that validate TOML."""
    import json
    from importlib import import_module

    module, name = TABLES[kind]
    made = getattr(import_module(module), name).model_json_schema(by_alias=True, mode="validation")
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": f"Counterpoint {kind}"}
    text = json.dumps(made, indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        click.echo(f"wrote {out}")
