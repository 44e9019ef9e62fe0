"""Steps that paces have chosen: tables and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SetupError
from .names import UnknownNameError
from .paces import RULES, STEP_COLUMNS, StepsLayout

if TYPE_CHECKING:
    import pandas as pd

    from .result import Result


class Steps(Mapping[str, Any]):
    """Steps by subsystem: each a table of t, length, rule, estimate, accepted, signal."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return the steps of a subsystem, rejected ones among them (``accepted`` is then False).

        ``t`` and ``length`` in s; ``rule``: what set the length; ``estimate``: error of the step in units of the
        tolerance, NaN where none is made; ``signal``: where it comes from.
        """
        result = self._result
        if name not in result.subsystems:
            raise UnknownNameError(f'"{name}": no such subsystem in the result')
        layouts = result.layout.steps
        for place, layout in enumerate(layouts):
            if layout.name == name:
                return self._chosen(place, layout)
        common = [place for place, layout in enumerate(layouts) if not layout.name]
        if common and self._follows(name, common[0]):
            return self._chosen(common[0], layouts[common[0]])
        return self._published(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._result.subsystems)

    def __len__(self) -> int:
        return len(self._result.subsystems)

    def _follows(self, name: str, place: int) -> bool:
        """Whether a subsystem makes the steps of all together and no others."""
        made = result_steps(self._result, name)
        rows = self._result._view.steps(place)
        return made == int((rows[:, 4] > 0.0).sum()) * (2 if self._result.layout.steps[place].kind == "doubling" else 1)

    def _chosen(self, place: int, layout: StepsLayout) -> pd.DataFrame:
        rows = np.asarray(self._result._view.steps(place))
        rules = np.array([layout.kind if rule == "law" else rule for rule in RULES], dtype=object)
        names = np.array([*layout.signals, ""], dtype=object)
        numbers = rows[:, 5].astype(np.int64)
        return _frame(rows, rules[rows[:, 2].astype(np.int64)], names[np.where(numbers < len(names) - 1, numbers, -1)])

    def _published(self, name: str) -> pd.DataFrame:
        times = np.unique(self._result.row_times(name))
        if len(times) - 1 != result_steps(self._result, name):
            raise SetupError(f"{name}: not every step is in the result (record_every); its steps are not known")
        rows = np.full((max(len(times) - 1, 0), STEP_COLUMNS), nan)
        rows[:, 0], rows[:, 1], rows[:, 4] = times[:-1], np.diff(times), 1.0
        lengths = rows[:-1, 1]
        equal = len(lengths) == 0 or bool(np.ptp(lengths) <= 1e-6 * lengths.max())
        count = len(rows)
        return _frame(rows, np.full(count, "fixed" if equal else "own", object), np.full(count, "", object))


def result_steps(result: Result, name: str) -> int:
    """Return how many steps a subsystem has made."""
    counts = result.summary.steps
    place = result.subsystems.index(name)
    return int(counts[place]) if place < len(counts) else max(len(np.unique(result.row_times(name))) - 1, 0)


def _frame(rows: NDArray[np.float64], rules: NDArray[Any], signals: NDArray[Any]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "t": rows[:, 0],
            "length": rows[:, 1],
            "rule": rules,
            "estimate": rows[:, 3],
            "accepted": rows[:, 4] > 0.0,
            "signal": signals,
        }
    )


def draw_steps(result: Result, names: tuple[str, ...], axes: Any = None) -> Any:
    """Draw lengths of steps over time, rejected ones as crosses; return the axes."""
    import matplotlib.pyplot as plt

    axes = axes or plt.figure(figsize=(8, 4), layout="constrained").add_subplot()
    together: dict[bytes, list[str]] = {}  # steps made together are one line
    for name in names or tuple(result.steps):
        together.setdefault(np.asarray(result.steps[name][["t", "length"]]).tobytes(), []).append(name)
    for members in together.values():
        table, label = result.steps[members[0]], ", ".join(members)
        kept, lost = table[table["accepted"]], table[~table["accepted"]]
        (line,) = axes.step(kept["t"], kept["length"], where="post", label=label, linewidth=1.0)
        if len(lost):
            label = f"{label}: {len(lost)} rejected"
            axes.plot(lost["t"], lost["length"], "x", color=line.get_color(), markersize=4, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("time in s")
    axes.set_ylabel("step in s")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    return axes
