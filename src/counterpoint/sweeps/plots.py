"""Pictures of the table of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SetupError, did_you_mean
from ..units import UnitProblem, seconds

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LINES = 2000
"""Lines of parallel coordinates; of more points so many are drawn, spread evenly over the table."""


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots()


def _done(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows of points that are done; raise SetupError for columns that are not there."""
    wrong = [f'"{name}": no such column{did_you_mean(name, table.columns)}' for name in columns if name not in table]
    if wrong:
        raise SetupError(wrong)
    done = table[table["status"] == "done"] if "status" in table else table
    if not len(done):
        raise SetupError("no point of the sweep is done; its table says why, in the column message")
    return done


def _with_numbers(done: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows with numbers in these columns: of times with units, in s."""
    made = done.copy()
    for name in columns:
        made[name] = [_number(name, value) for value in done[name]]
    return made


def _number(name: str, value: Any) -> float:
    with suppress(TypeError, ValueError):
        return float(value)
    try:
        return seconds(str(value))
    except UnitProblem:
        raise SetupError(
            f'"{name}": {value!r} is not a number; surfaces, colours, error and cost are columns of numbers'
        ) from None


def _spans_decades(values: Any) -> bool:
    numbers = np.asarray(values, dtype=float)
    return bool(numbers.min() > 0 and numbers.max() / numbers.min() > 9.99)


def response_surface(table: pd.DataFrame, x: str, y: str, measure: str, *, ax: Axes | None = None) -> Axes:
    """Draw a measure over two parameters as filled contours; the points are dots.

    On a grid of more parameters, and where points coincide, the mean is drawn. Axes and colours are logarithmic where
    values span a factor of 10 and more.

    Parameters
    ----------
    table : DataFrame
        Of a sweep.
    x, y : str
        Columns of numbers.
    measure : str
        Column that is drawn.
    ax : Axes, optional
        Where to draw.
    """
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import LogLocator, NullFormatter
    from matplotlib.tri import Triangulation

    done = _with_numbers(_done(table, (x, y, measure)), (x, y, measure)).groupby([x, y], as_index=False)[measure].mean()
    done = done[np.isfinite(done[measure])]
    if done[x].nunique() < 2 or done[y].nunique() < 2:
        raise SetupError(f'a surface needs two values of "{x}" and of "{y}" at least; draw one over the other instead')
    drawn = _axes(ax, (6.4, 4.6))
    logs = _spans_decades(done[x]), _spans_decades(done[y])
    across, up = (np.log(done[c]) if log else done[c] for c, log in zip((x, y), logs, strict=True))
    triangles = Triangulation(_unit(across), _unit(up)).triangles
    values = done[measure].to_numpy()
    norm = LogNorm() if _spans_decades(values) else None
    levels = np.geomspace(values.min(), values.max(), 13) if norm else 12
    where = Triangulation(done[x].to_numpy(), done[y].to_numpy(), triangles)
    filled = drawn.tricontourf(where, values, levels=levels, norm=norm, cmap="viridis")
    drawn.plot(done[x], done[y], ".", color="white", markersize=3, alpha=0.7)
    figure = drawn.figure
    bar = figure.colorbar(filled, ax=drawn, label=measure)
    if norm:
        bar.ax.set_yscale("log")
    drawn.set(xlabel=x, ylabel=y, xscale="log" if logs[0] else "linear", yscale="log" if logs[1] else "linear")
    for axis, name, log in ((drawn.xaxis, x, logs[0]), (drawn.yaxis, y, logs[1])):
        if log:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
        elif done[name].nunique() <= 10 and (done[name] % 1 == 0).all():
            axis.set_ticks(sorted(done[name].unique()))
    return drawn


def _unit(values: Any) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=float)
    return np.asarray((numbers - numbers.min()) / (np.ptp(numbers) or 1.0))


def parallel_coordinates(
    table: pd.DataFrame, columns: Sequence[str], *, colour: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw each point as a line across one vertical axis per column.

    Parameters
    ----------
    table : DataFrame
        Of a sweep.
    columns : sequence of str
        Parameters and measures, from left to right; words are spread in the order of their appearance.
    colour : str, optional
        Column of numbers that colours the lines; default: the last one.
    ax : Axes, optional
        Where to draw.
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LogNorm, Normalize

    by = colour or columns[-1]
    done = _done(table, (*columns, by))
    done = _with_numbers(done.iloc[:: max(1, -(-len(done) // MOST_LINES))], [by])
    drawn = _axes(ax, (1.6 + 1.5 * len(columns), 4.2))
    heights = np.column_stack([_height(drawn, k, done[name]) for k, name in enumerate(columns)])
    shades = done[by].to_numpy(dtype=float)
    norm = LogNorm(shades.min(), shades.max()) if _spans_decades(shades) else Normalize(shades.min(), shades.max())
    across = np.broadcast_to(np.arange(len(columns)), heights.shape)
    lines = LineCollection(
        list(np.stack([across, heights], axis=-1)), array=shades, norm=norm, cmap=colormaps["viridis"],
        linewidths=1.2, alpha=0.7 if len(done) < 300 else 0.3,
    )  # fmt: skip
    drawn.add_collection(lines)
    drawn.set(xlim=(-0.25, len(columns) - 0.75), ylim=(-0.06, 1.06), yticks=[])
    drawn.set_xticks(range(len(columns)), [_wrapped(name) for name in columns], fontsize=8)
    for side in ("left", "right", "top", "bottom"):
        drawn.spines[side].set_visible(False)
    drawn.tick_params(length=0)
    drawn.figure.colorbar(ScalarMappable(norm, colormaps["viridis"]), ax=drawn, label=by, pad=0.04)
    return drawn


def _wrapped(name: str) -> str:
    return name.replace(" -> ", "\n-> ").replace(".approximation", "\n.approximation")


def _height(ax: Axes, k: int, values: Any) -> NDArray[np.float64]:
    """Draw one vertical axis and return where the values are on it, 0 to 1."""
    ax.axvline(k, color="0.6", linewidth=0.8, zorder=0)
    is_number = values.map(lambda v: isinstance(v, int | float | np.number)).all()
    if not is_number:
        words = list(dict.fromkeys(map(str, values)))
        places = {word: n / max(len(words) - 1, 1) for n, word in enumerate(words)}
        marks = list(places.items())
        heights = np.array([places[str(value)] for value in values])
    else:
        numbers = values.to_numpy(dtype=float)
        shown = np.log(numbers) if _spans_decades(numbers) else numbers
        heights = _unit(shown)
        ends = np.linspace(shown.min(), shown.max(), 3) if np.ptp(shown) else shown[:1]
        back = np.exp(ends) if _spans_decades(numbers) else ends
        marks = [(f"{value:.3g}", height) for value, height in zip(back, _unit(ends), strict=True)]
    for text, height in marks:
        shade = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
        ax.text(k - 0.03, height, text, ha="right", va="center", fontsize=7, color="0.1", zorder=5, bbox=shade)
    return heights


def pareto(table: pd.DataFrame, error: str, cost: str, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw error over cost; the points that no other point beats in both are joined by a line.

    Parameters
    ----------
    table : DataFrame
        Of a sweep.
    error, cost : str
        Measures, both better when smaller.
    label : str, optional
        Parameter whose values are written beside the points of the line, and that gives the colours.
    ax : Axes, optional
        Where to draw.
    """
    done = _with_numbers(_done(table, (error, cost, *([label] if label else []))), (error, cost))
    done = done[np.isfinite(done[error]) & np.isfinite(done[cost])]
    drawn = _axes(ax, (6.4, 4.4))
    groups = [("points", done)] if label is None else list(done.groupby(done[label].map(_word), sort=False))
    for name, rows in groups:
        drawn.plot(rows[cost], rows[error], "o", markersize=4, alpha=0.7, label=name if label else None)
    best = done[front(done[error].to_numpy(), done[cost].to_numpy())].sort_values(cost)
    drawn.step(best[cost], best[error], where="post", color="0.2", linewidth=1.0, zorder=0, label="no other is better")
    scales = {axis: "log" if _spans_decades(done[c]) else "linear" for axis, c in (("x", cost), ("y", error))}
    drawn.set(xlabel=cost, ylabel=error, xscale=scales["x"], yscale=scales["y"])
    drawn.legend(frameon=False, fontsize=8, title=label)
    return drawn


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def front(error: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points no other point beats in both.

    >>> front(np.array([3.0, 2.0, 2.5, 1.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([ True,  True, False,  True])
    """
    order = np.lexsort((error, cost))
    best, found = np.inf, np.zeros(len(error), dtype=bool)
    for k in order:
        if error[k] < best:
            best, found[k] = error[k], True
    return found
