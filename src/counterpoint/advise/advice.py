"""What advice consists of: candidates with predicted errors and costs, the best one, reasons, and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite, isnan, nan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files.toml_writing import value_text
from .._run.options import RunOptions
from .._run.strategy import Strategy
from ..quality.texts import percent_text
from ..results import Result
from ..system import System

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Candidate:
    """A strategy, and what is expected of it.

    Attributes
    ----------
    strategy : Strategy
    label : str
        In words.
    predicted : float
        Relative error predicted with linear surrogates; infinite: unstable; NaN: there is no surrogate.
    piloted : float
        Relative error predicted from a pilot run of the real models; NaN: none was made.
    cost : float
        Predicted time of the run, s, with what any run takes once.
    steps : int
        Steps of all subsystems together.
    distortion : str
        The motion that a pilot has amplified or attenuated at least twice, in words; empty: none. Such a candidate is
        never good enough, however small its error.
    special : int
        How much of it is neither scheme nor order nor step: a correction, repeated windows, another start, a pace.
    """

    strategy: Strategy
    label: str
    predicted: float = nan
    piloted: float = nan
    cost: float = nan
    steps: int = 0
    distortion: str = ""
    special: int = 0

    @property
    def error(self) -> float:
        """What is expected: from the pilot where there is one."""
        return self.predicted if isnan(self.piloted) else self.piloted


@dataclass(frozen=True)
class Advice:
    """Which strategy to use; made by :meth:`System.advise`.

    Attributes
    ----------
    system : System
        The system that was examined.
    until, tolerance : float
        End of the run in s, and the tolerated relative error.
    candidates : tuple of Candidate
        The recommended one first, then by predicted error.
    good_enough : bool
        Whether the recommended one is expected to keep the tolerance.
    reasons : tuple of str
        Why, and what would make it better.
    seconds : float
        Wall time that the advice took.
    residual : float
        Part of the motion that the linear surrogates do not have; NaN without surrogates.
    """

    system: System
    until: float
    tolerance: float
    candidates: tuple[Candidate, ...]
    good_enough: bool
    reasons: tuple[str, ...]
    seconds: float = 0.0
    residual: float = nan
    tried: int = field(default=0)

    @property
    def recommended(self) -> Candidate:
        """The candidate to use."""
        return self.candidates[0]

    @property
    def best(self) -> Strategy:
        """The strategy to use: ``system.run(until, scheme=advice.best)``."""
        return self.recommended.strategy

    def run(self, **options: Any) -> Result:
        """Run the system with the recommended strategy; options as for :meth:`System.run`."""
        return self.system.run(**{"until": self.until, "scheme": self.best, **options})

    @property
    def table(self) -> pd.DataFrame:
        """One row per candidate: label, predicted error, piloted error, cost in s, steps."""
        import pandas as pd

        columns = ["label", "predicted", "piloted", "cost", "steps"]
        return pd.DataFrame([[getattr(c, key) for key in columns] for c in self.candidates], columns=pd.Index(columns))

    @property
    def front(self) -> list[Candidate]:
        """The candidates that no other one beats in both error and cost, cheapest first."""
        found: list[Candidate] = []
        for one in sorted(self.candidates, key=lambda c: (c.cost, c.error)):
            if isfinite(one.error) and one.error < min((c.error for c in found), default=inf):
                found.append(one)
        return found

    @property
    def toml(self) -> str:
        """The settings of the recommended strategy, as they are written in a scenario."""
        return settings_toml(self.system, self.best)

    def __str__(self) -> str:
        one = self.recommended
        size = percent_text(one.error) if isfinite(one.error) else "unstable"
        head = "use" if self.good_enough else "no strategy keeps the tolerance; the closest is"
        lines = [f"{head} {one.label}: expected error {size}, {one.steps} steps, {one.cost:.2g} s", *self.reasons]
        return "\n".join(lines)

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write ``advice.html``, ``advice.toml`` and ``advice.png`` to a folder, which is made; return the paths."""
        from .saving import save_advice

        return save_advice(self, Path(folder))

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """Draw predicted error over predicted cost of all candidates; return the axes.

        Parameters
        ----------
        path : path-like, optional
            Save the picture there instead of keeping it for ``plt.show()``.
        """
        from .saving import draw_front

        return draw_front(self, None if path is None else Path(path))


def settings_toml(system: System, strategy: Strategy) -> str:
    """Return scheme, start, steps or pace, and approximations as a scenario has them."""
    top = {"scheme": _scheme_value(strategy)}
    if strategy.first_steps != RunOptions.first_steps:
        top["first_steps"] = strategy.first_steps
    lines = [f"{key} = {value_text(value)}" for key, value in top.items()]
    if strategy.window is not None:
        lines.append(f"window = {value_text({'length': strategy.window.length, 'repeats': strategy.window.repeats})}")
    if strategy.pace is not None:
        lines.append(f"pace = {value_text(_pace_table(strategy.pace))}")
    for name, step in strategy.steps.items() if strategy.pace is None else ():
        lines += ["", f"[subsystems.{name}]", f"step = {value_text(float(f'{step:.12g}'))}"]
        lines += [f"pace = {value_text(_pace_table(strategy.paces[name]))}"] if name in strategy.paces else []
    for connection, chosen in zip(system.connections, strategy.approximations, strict=False):
        source = connection.sources[0] if len(connection.sources) == 1 else list(connection.sources)
        words = [approximation_table(one) for one in chosen if one is not None]
        lines += ["", "[[connections]]", f"from = {value_text(source)}", f"to = {value_text(connection.target)}"]
        lines += [f"approximation = {value_text(words[0])}"] if words else []
    return "\n".join(lines) + "\n"


def _pace_table(pace: Any) -> dict[str, Any]:
    return {"kind": pace.kind, "tolerance": pace.tolerance, "first": float(f"{pace.limits.first:.12g}")}


def _scheme_value(strategy: Strategy) -> Any:
    if strategy.name == "sequential" and strategy.order:
        return {"sequential": list(strategy.order)}
    if strategy.name == "custom":
        return {"waits_for": {name: list(others) for name, others in strategy.waits.items()}}
    return strategy.name


def approximation_table(approximation: Any) -> dict[str, Any]:
    """Return an approximation as a scenario has it."""
    kind, _, order = approximation.name.partition(" ")
    return {"kind": kind, "order": int(order)} if order.isdecimal() else {"kind": kind}
