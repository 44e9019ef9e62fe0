"""What the cases of single models share: a model with the settings of its run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from .._files.tables import bad_span
from .._run.options import RunOptions
from .._run.precedence import NAMED_SCHEMES
from ..errors import ScenarioError, SetupError, did_you_mean
from .case import Case, CaseSettings


@dataclass(frozen=True)
class RunSettings:
    """What ``[run]`` says: ``until``, ``start`` and ``step`` in s, signals to plot, points that leave a trace."""

    until: float | None = None
    start: float = 0.0
    step: float | None = None
    plot: list[str] | None = None
    traces: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelCase(Case):
    """Base of cases of a single model.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        Of the model.
    settings : RunSettings
        From ``[run]``, or as changed.
    """

    path: Path
    name: str
    settings: RunSettings
    scheme: str = "slowest-first"
    threads: int = 1

    @property
    def begin(self) -> float:
        """Begin of the run in s."""
        return self.settings.start

    @property
    def until(self) -> float:
        """End of the run in s."""
        if self.settings.until is None:
            raise ScenarioError(f"{self.path}: run.until: missing; write [run] with until = 10, or use --until 10")
        return self.settings.until

    @property
    def span(self) -> tuple[float, float | None]:
        """Begin and end of the run in s; the end is None where the file says none."""
        return self.settings.start, self.settings.until

    def changed(
        self,
        *,
        until: float | None = None,
        scheme: str | None = None,
        threads: int | None = None,
        step: float | None = None,
    ) -> Self:
        """Return a case that differs in what is given (``until`` and ``step`` in s); the file stays as it is."""
        wrong = [f"until: {text}" for text in [bad_span(self.begin, until)] if text] if until is not None else []
        if step is not None and not (math.isfinite(step) and step > 0):
            wrong.append(f"step: {step}: must be {'greater than 0' if math.isfinite(step) else 'a finite number of s'}")
        if scheme is not None and scheme not in NAMED_SCHEMES:
            wrong.append(f'scheme: "{scheme}": no such scheme{did_you_mean(scheme, NAMED_SCHEMES)}')
        if wrong:
            raise SetupError(wrong)
        old = self.settings
        settings = replace(old, until=old.until if until is None else until, step=old.step if step is None else step)
        return replace(self, settings=settings, scheme=scheme or self.scheme, threads=threads or self.threads)

    def with_settings(self, settings: CaseSettings) -> Self:
        """Return a case with the settings given."""
        unknown = [name for name in settings.steps if name != self.name]
        if unknown:
            raise SetupError(f'--step {unknown[0]}: {self.path} is a single model, "{self.name}"; use --step 1e-3')
        step = settings.steps.get(self.name, settings.step)
        made = self.changed(until=settings.until, scheme=settings.scheme, threads=settings.threads, step=step)
        if not settings.outputs:
            return made
        return replace(made, settings=replace(made.settings, plot=list(settings.outputs)))

    def options(self) -> RunOptions:
        """Return the settings of the case as options of a run."""
        return RunOptions(until=self.until, start=self.begin, scheme=self.scheme, threads=self.threads)

    def _step(self, preferred: float | None, key: str) -> float:
        """Return the step: that of the run, or the one that the model prefers."""
        step = self.settings.step or preferred
        if step is None:
            raise ScenarioError(f"{self.path}: {key}: missing; write step = 1e-3 (s), or use --step 1e-3")
        return step

    def _check_plot(self, outputs: Any) -> None:
        """Complain about outputs to plot that are not there."""
        problems = [
            f"{self.path}: run.plot: no output {signal!r}{did_you_mean(signal, outputs)}"
            for signal in self.settings.plot or ()
            if signal.partition("[")[0] not in outputs
        ]
        if problems:
            raise ScenarioError(problems)
