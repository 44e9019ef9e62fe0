"""Advice as files: a page, the settings, a picture of errors over costs."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import OutputError
from ..quality.texts import percent_text
from ..results.plot_style import COLOURS, figure_of, plain_numbers, save, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .advice import Advice, Candidate

MOST_ROWS = 60
SHORT = 0.1
"""Times below this, s, are drawn in ms."""
MARKERS = {"slowest-first": "o", "fastest-first": "s", "parallel": "^", "sequential": "D"}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; font-size: 14px; }} img {{ max-width: 100%; }}
th, td {{ border-bottom: 1px solid #ddd; padding: .2rem .7rem; text-align: left; }}
pre {{ background: #f4f5f7; padding: .7rem; overflow-x: auto; }}
</style></head><body>
<h1>{title}</h1>
{reasons}
<img alt="Predicted error over predicted cost" src="data:image/png;base64,{picture}">
<h2>Settings</h2><pre>{settings}</pre>
<h2>Candidates</h2>{table}
</body></html>
"""


def save_advice(advice: Advice, folder: Path) -> list[Path]:
    """Write the files to a folder, which is made; return their paths."""
    paths = [folder / f"advice.{ending}" for ending in ("html", "toml", "png")]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draw_front(advice, paths[2])
        paths[1].write_text(advice.toml, encoding="utf-8")
        paths[0].write_text(_page(advice, paths[2].read_bytes()), encoding="utf-8")
    except OSError as error:
        where = error.filename or folder
        raise OutputError(f"{where}: advice cannot be written: {error.strerror}", str(where)) from error
    return paths


def _page(advice: Advice, picture: bytes) -> str:
    return PAGE.format(
        title=escape(f"{advice.system.name}: advice for {advice.until:g} s, tolerance {advice.tolerance:g}"),
        reasons="".join(f"<p>{escape(line)}</p>" for line in str(advice).splitlines()),
        picture=b64encode(picture).decode(),
        settings=escape(advice.toml),
        table=_table(advice.candidates[:MOST_ROWS]),
    )


def _table(candidates: tuple[Candidate, ...]) -> str:
    head = "".join(f"<th>{word}</th>" for word in ("strategy", "predicted", "piloted", "cost in s", "steps", "remark"))
    rows = [
        [c.label, _percent(c.predicted), _percent(c.piloted), f"{c.cost:.2g}", str(c.steps), c.distortion]
        for c in candidates
    ]
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _percent(error: float) -> str:
    if isfinite(error):
        return percent_text(error)
    return "unstable" if error > 0 else "–"


def draw_front(advice: Advice, path: Path | None) -> Axes:
    """Draw error over cost of all candidates that are stable, the front as a line, the recommended one as a star."""
    figure = figure_of((7.5, 4.8), keep=path is None)
    ax: Axes = figure.subplots()
    style(ax)
    front, best = advice.front, advice.recommended
    unit, scale = ("ms", 1e3) if best.cost < SHORT else ("s", 1.0)
    for colour, (scheme, marker) in zip(COLOURS, MARKERS.items(), strict=False):
        shown = [c for c in advice.candidates if c.strategy.name == scheme and isfinite(c.error) and c.error > 0]
        if shown:
            x, y = [scale * c.cost for c in shown], [c.error for c in shown]
            ax.loglog(x, np.minimum(y, 10.0), marker, color=colour, markersize=5, alpha=0.7, label=scheme)
    ax.loglog([scale * c.cost for c in front], [c.error for c in front], "-", color="#59636e", linewidth=1.0, zorder=0)
    if isfinite(best.error):
        ax.loglog([scale * best.cost], [best.error], "*", color="#cf222e", markersize=16, label="recommended")
    ax.axhline(advice.tolerance, color="#8a929b", linestyle="--", linewidth=0.9)
    ax.set(xlabel=f"predicted wall time [{unit}]", ylabel="expected relative error", title=advice.system.name)
    plain_numbers(ax.xaxis)
    plain_numbers(ax.yaxis)
    ax.legend(fontsize="small", frameon=False)
    if path is not None:
        save(figure, path)
    return ax
