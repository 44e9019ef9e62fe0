"""The page a study leaves behind: figures, claims, and plain words where ours differs from the print."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from .claims import COLUMNS, Claim, Holds, Origin, counted, write_csv

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)`` while a study runs."""

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } figure { margin: 2rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { color: #555; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.no td.holds { color: #a11; font-weight: 600; } tr.yes td.holds { color: #173; }
"""

ORIGINS = {
    Origin.PRINTED: "printed in the source",
    Origin.DERIVED: "derived from it",
    Origin.OURS: "ours",
}
"""In which words the page counts claims of each origin."""


@dataclass(frozen=True)
class Figure:
    """A picture of the report: its PNG file and what it shows."""

    path: Path
    caption: str


@dataclass(frozen=True)
class Table:
    """A table of the report: measurements, parameters.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences
        Texts, and numbers, which are shown to four digits.
    note : str
        What to know about it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """Everything a study found.

    Attributes
    ----------
    title : str
        Heading of the page.
    introduction : sequence of str
        Paragraphs before the figures.
    claims : sequence of Claim
        The statements and what came out; each says whether the source prints it.
    references : sequence of Claim
        More of them, shown in a table of their own: numbers of an independent program for the same algorithm.
    figures : sequence of Figure
    folder : Path
        Where everything is written.
    tables : sequence of Table
    files : mapping from Path to str
        Other files of the study, below `folder`, and what they are.
    """

    title: str
    introduction: Sequence[str]
    claims: Sequence[Claim]
    figures: Sequence[Figure]
    folder: Path
    references: Sequence[Claim] = ()
    seconds: float = 0.0
    tables: Sequence[Table] = ()
    files: Mapping[Path, str] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)

    def summary(self) -> str:
        """Return one sentence: how many claims hold, apart for what is printed, derived and ours."""
        found = [*self.claims, *self.references]
        parts = {words: [c.holds.value for c in found if c.origin is origin] for origin, words in ORIGINS.items()}
        told = "; ".join(f"{words}: {counted(verdicts)}" for words, verdicts in parts.items() if verdicts)
        return f"{told[:1].upper()}{told[1:]}."

    def write(self) -> None:
        """Write ``claims.csv`` and ``report.html``; the figures are already there."""
        table, page = self.folder / "claims.csv", self.folder / "report.html"
        write_csv([*self.claims, *self.references], table)
        page.write_text(self.html(), encoding="utf-8")
        self.written.extend([table, page, *(figure.path for figure in self.figures), *self.files])

    def html(self) -> str:
        """Return the page; it needs no other file, and names the others that there are."""
        parts = [
            f"<h1>{escape(self.title)}</h1>",
            *(f"<p>{escape(paragraph)}</p>" for paragraph in self.introduction),
            f"<p><strong>{escape(self.summary())}</strong> Computed in {self.seconds:.0f} s.</p>",
            _differences([*self.claims, *self.references]),
            "<h2>Figures</h2>",
            *(_figure(figure) for figure in self.figures),
            *self._files(),
            *(["<h2>Tables</h2>"] if self.tables else []),
            *(_plain_table(table) for table in self.tables),
            "<h2>Claims</h2>",
            *(_of_origin(self.claims, origin, words) for origin, words in ORIGINS.items()),
        ]
        if self.references:
            parts += ["<h2>Reference numbers</h2>", _table(self.references)]
        head = f'<meta charset="utf-8"><title>{escape(self.title)}</title><style>{_STYLE}</style>'
        body = "\n".join(parts)
        return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'

    def _files(self) -> list[str]:
        names = {path.relative_to(self.folder).as_posix(): what for path, what in self.files.items()}
        return [f'<p><a href="{escape(name)}">{escape(name)}</a>: {escape(what)}</p>' for name, what in names.items()]


def _differences(claims: Sequence[Claim]) -> str:
    """Return every claim that does not hold, was not measured or cannot be compared, with its reason."""
    headings = {
        Holds.NO: "What does not hold, and why",
        Holds.NOT_MEASURED: "What was not measured",
        Holds.NOT_COMPARABLE: "What cannot be compared",
    }
    parts = [_listed(heading, [c for c in claims if c.holds is holds]) for holds, heading in headings.items()]
    return "".join(parts) or f"<h2>{headings[Holds.NO]}</h2><p>Everything holds.</p>"


def _listed(heading: str, claims: Sequence[Claim]) -> str:
    items = "".join(
        f"<li>{escape(c.claim)} ({ORIGINS[c.origin]}): {escape(c.row()[1])}"
        f"{', here ' + escape(c.row()[2]) if c.row()[2] else ''}. {escape(c.remark)}</li>"
        for c in claims
    )
    return f"<h2>{heading}</h2><ul>{items}</ul>" if items else ""


def _of_origin(claims: Sequence[Claim], origin: Origin, words: str) -> str:
    chosen = [claim for claim in claims if claim.origin is origin]
    return f"<h3>{words.capitalize()}</h3>{_table(chosen)}" if chosen else ""


def _figure(figure: Figure) -> str:
    data = b64encode(figure.path.read_bytes()).decode("ascii")
    caption = escape(figure.caption)
    image = f'<img alt="{caption}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _table(claims: Sequence[Claim]) -> str:
    return _wide(COLUMNS, "".join(map(_row, claims)))


def _wide(columns: Sequence[str], rows: str) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _plain_table(table: Table) -> str:
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return f"<h3>{escape(table.title)}</h3>{note}{_wide(table.columns, rows)}"


def _cell(value: str | float) -> str:
    return f"<td>{escape(value)}</td>" if isinstance(value, str) else f'<td class="number">{value:.4g}</td>'


def _row(claim: Claim) -> str:
    cells = dict(zip(COLUMNS, claim.row(), strict=True))
    classes = {"published": "number", "ours": "number", "holds": "holds"}
    return (
        f'<tr class="{cells["holds"].replace(" ", "-")}">'
        + "".join(
            f'<td class="{classes[name]}">{escape(text)}</td>' if name in classes else f"<td>{escape(text)}</td>"
            for name, text in cells.items()
        )
        + "</tr>"
    )
