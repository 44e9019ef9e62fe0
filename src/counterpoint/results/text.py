"""A result in words: one line, a few lines, or a piece of HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result
    from .series import Series

MOST_ROWS = 12
VERDICT_COLOURS = {
    "trustworthy": "#1a7f37",
    "look here": "#9a6700",
    "do not use": "#cf222e",
    "cannot tell": "#59636e",
}
TABLE = "border-collapse:collapse;margin:0.4em 0"
CELL = "padding:0.15em 0.8em;text-align:{};border-bottom:1px solid #8884"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}g}" if isfinite(value) else "–"


def headline(result: Result) -> str:
    """Return name, status and size in one line."""
    size = f"{_count(len(result.signals), 'signal')} of {_count(len(result.subsystems), 'subsystem')}"
    return f"{result.name}: {result.status} at {_number(result.end, 6)} s, {size}"


def _facts(result: Result) -> list[str]:
    facts = [f"scheme {result.scheme}"] if result.scheme else []
    if (windows := result.summary.windows) is not None and windows.count:
        passes = f"{_number(windows.passes / windows.count)} passes each"
        facts.append(f"{_count(windows.count, 'window')} of {_number(windows.length)} s with {passes}")
    if (first := result.summary.first_steps) is not None and first.repeated:
        facts.append(f"first {_count(first.steps, 'step')} (to {_number(first.end)} s) in {first.passes} passes")
    facts += [pace.text() for pace in result.summary.paces]
    if isfinite(result.wall_seconds):
        facts.append(f"{_number(result.wall_seconds)} s of wall time")
    if isfinite(result.real_time_factor):
        facts.append(f"{_number(result.real_time_factor)} times real time")
    return facts


def _timing_rows(result: Result) -> list[list[str]]:
    rows = []
    for row in result.timing.to_dict("records"):
        share = f"{100 * row['share']:.0f} %" if isfinite(row["share"]) else "–"
        cost = _number(row["microseconds_per_step"])
        rows.append([row["subsystem"], str(row["steps"]), _number(row["seconds"]), share, cost])
    return rows


def _defect_rows(result: Result) -> list[list[str]]:
    worst_first = result.defects.sort_values("relative", ascending=False, kind="stable")
    numbers = ("maximum", "time_of_maximum", "rms", "relative")
    return [
        [defect["connection"], defect["kind"], *(_number(defect[key]) for key in numbers)]
        for defect in worst_first.to_dict("records")
    ]


def _tables(result: Result) -> list[tuple[list[str], list[list[str]]]]:
    timing = ["subsystem", "steps", "time in s", "share", "µs per step"]
    defects = ["connection", "kind", "largest defect", "at t in s", "rms", "relative"]
    tables = [(timing, _timing_rows(result)), (defects, _defect_rows(result))]
    return [(header, rows) for header, rows in tables if rows]


def as_text(result: Result) -> str:
    """Return a summary of some lines for the terminal."""
    lines = [headline(result)]
    if result.message:
        lines.append(result.message)
    if facts := _facts(result):
        lines.append(", ".join(facts))
    for header, rows in _tables(result):
        lines += ["", *_columns([header, *rows[:MOST_ROWS]])]
        if len(rows) > MOST_ROWS:
            lines.append(f"... and {len(rows) - MOST_ROWS} more")
    return "\n".join([*lines, "", f"Quality: {result.quality}"])


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align cells: names to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_html(result: Result) -> str:
    """Return the summary as HTML; every name is escaped."""
    quality = result.quality
    dot = f'<span style="color:{VERDICT_COLOURS[quality.verdict]}">●</span>'
    parts = [f"<div><b>{escape(headline(result))}</b>"]
    if result.message:
        parts.append(f"<div>{escape(result.message)}</div>")
    parts.append(f"<div>{escape(', '.join(_facts(result)))}</div>")
    parts += [_html_table(header, rows) for header, rows in _tables(result)]
    parts.append(f"<div>{dot} {escape(str(quality))}</div></div>")
    return "\n".join(parts)


def _html_table(header: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        styled = (
            f'<{tag} style="{CELL.format("left" if i == 0 else "right")}">{escape(cell)}</{tag}>'
            for i, cell in enumerate(cells)
        )
        return f"<tr>{''.join(styled)}</tr>"

    body = "".join(line(row, "td") for row in rows[:MOST_ROWS])
    more = f"<div>... and {len(rows) - MOST_ROWS} more</div>" if len(rows) > MOST_ROWS else ""
    return f'<table style="{TABLE}">{line(header, "th")}{body}</table>{more}'


def series_html(series: Series) -> str:
    """Return a signal as a small picture, drawn without matplotlib, with its range."""
    import numpy as np

    facts = escape(repr(series)[1:-1])
    if not len(series) or not np.isfinite(series.values).all():
        return f"<p>{facts}</p>"
    time, values = series.time, series.values.reshape(len(series), -1)
    low, high = float(values.min()), float(values.max())
    rows = np.unique(np.linspace(0, len(time) - 1, min(len(time), 600)).astype(int))
    span, height = (time[-1] - time[0]) or 1.0, (high - low) or 1.0
    x = 2 + 396 * (time[rows] - time[0]) / span
    lines = []
    for column in values.T:
        y = 2 + 76 * (high - column[rows]) / height
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        lines.append(f'<polyline points="{points}" fill="none" stroke="#1f6feb" stroke-width="1.3"/>')
    picture = f'<svg viewBox="0 0 400 80" width="400" height="80">{"".join(lines)}</svg>'
    return f"<p>{facts}, {low:.6g} to {high:.6g}</p>{picture}"
