"""A model file as something to run: what ``counterpoint run`` does with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScenarioError, SetupError, did_you_mean
from ..precedence import NAMED_SCHEMES
from ..scenario.models import bad_span
from .mechanism import Mechanism
from .model_file import ModelFile, RunSettings
from .outputs import STANDARD

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System

CHECKS = ("kinetic_energy", "potential_energy", "energy", "violation")
"""Outputs that tell whether a run can be trusted."""


@dataclass(frozen=True)
class MechanismCase:
    """A mechanism with the settings of its run; has the interface of a Scenario.

    Attributes
    ----------
    model : ModelFile
        Where it comes from.
    mechanism : Mechanism
        What runs.
    settings : RunSettings
        From ``[run]``.
    """

    model: ModelFile
    mechanism: Mechanism
    settings: RunSettings
    scheme: str = "slowest-first"
    threads: int = 1

    #: Ends of the names of files that are written beside the run file and the picture of signals.
    extra_endings = ("-checks.png", ".html")

    @classmethod
    def of(cls, model: ModelFile) -> MechanismCase:
        """Build the mechanism of a file; this runs the Python files that it names."""
        mechanism = model.build()
        case = cls(model, mechanism, model.run_settings)
        case._check_names()
        return case

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.model.name

    @property
    def start(self) -> float:
        """Begin of the run in s."""
        return self.settings.start

    @property
    def until(self) -> float:
        """End of the run in s."""
        if self.settings.until is None:
            path = self.model.path
            raise ScenarioError(f"{path}: run.until: missing; write [run] with until = 10, or say --until 10")
        return self.settings.until

    @property
    def plot(self) -> list[str]:
        """Signals to draw: those of ``[run]``, else all that the mechanism shows beyond the standard ones."""
        if self.settings.plot is not None:
            return [f"{self.name}.{signal}" for signal in self.settings.plot]
        shown = [name for name in self.mechanism.subsystem().outputs if name not in STANDARD]
        return [f"{self.name}.{name}" for name in shown or self.mechanism.standard_outputs]

    @property
    def checks(self) -> list[str]:
        """Signals that tell whether the run can be trusted."""
        return [f"{self.name}.{name}" for name in CHECKS if name in self.mechanism.standard_outputs]

    def changed(
        self,
        *,
        until: float | None = None,
        scheme: str | None = None,
        threads: int | None = None,
        step: float | None = None,
    ) -> MechanismCase:
        """Return a case that differs in what is given (``until`` and ``step`` in s); the file stays as it is."""
        wrong = [f"until: {text}" for text in [bad_span(self.start, until)] if text] if until is not None else []
        if step is not None and not step > 0:
            wrong.append(f"step: {step}: must be greater than 0")
        if scheme is not None and scheme not in NAMED_SCHEMES:
            wrong.append(f'scheme: "{scheme}": no such scheme{did_you_mean(scheme, NAMED_SCHEMES)}')
        if wrong:
            raise SetupError(wrong)
        old = self.settings
        settings = replace(old, until=old.until if until is None else until, step=old.step if step is None else step)
        return replace(self, settings=settings, scheme=scheme or self.scheme, threads=threads or self.threads)

    def build(self) -> System:
        """Return a system with the mechanism alone; raise ScenarioError when it cannot be assembled or has no step."""
        import counterpoint as cp

        step = self.settings.step or self.mechanism.step
        if step is None:
            path = self.model.path
            raise ScenarioError(f"{path}: mechanism.step: missing; write step = 1e-3 (s), or say --step 1e-3")
        system = cp.System(self.name)
        with self.model.naming(self.mechanism):
            system.add(self.name, self.mechanism.subsystem(), step=step)
        return system

    def run(self, *, system: System | None = None, **options: Any) -> Result:
        """Run; ``options`` go to :meth:`System.run`."""
        system = self.build() if system is None else system
        settings: dict[str, Any] = {"until": self.until, "start": self.start}
        settings |= {"scheme": self.scheme, "threads": self.threads}
        return system.run(**(settings | options))

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Draw energy and constraint violation, and the motion as an HTML page; yield each file when it is there."""
        if self.checks:
            picture = stem.with_name(stem.name + "-checks.png")
            result.plot(*self.checks, path=picture)
            yield picture
        if result.rows(self.name) >= 2 and "q" in self.mechanism.standard_outputs:
            page = stem.with_name(stem.name + ".html")
            yield self.mechanism.animation(result, self.name, traces=self.settings.traces).save(page)

    def _check_names(self) -> None:
        """Complain about outputs to plot and points to trace that are not there."""
        with self.model.naming(self.mechanism):
            outputs = self.mechanism.subsystem().outputs
        problems = [
            f"run.plot: no output {signal!r}{did_you_mean(signal, outputs)}"
            for signal in self.settings.plot or ()
            if signal.partition("[")[0] not in outputs
        ]
        problems += [
            f"run.traces: no point {point!r}{did_you_mean(point, self.mechanism.points)}"
            for point in self.settings.traces
            if point not in self.mechanism.points
        ]
        if problems:
            raise ScenarioError([f"{self.model.path}: {problem}" for problem in problems])
