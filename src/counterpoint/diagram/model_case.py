"""A diagram file as something to run: what ``counterpoint run`` does with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScenarioError, SetupError, did_you_mean
from ..scenario.models import bad_span
from .diagram import Diagram
from .model_file import DiagramFile
from .model_tables import RunTable

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System


@dataclass(frozen=True)
class DiagramCase:
    """A diagram with the settings of its run; has the interface of a Scenario."""

    path: Path
    diagram: Diagram
    settings: RunTable
    scheme: str = "slowest-first"
    threads: int = 1

    #: Ends of the names of files that are written beside the run file and the picture of signals.
    extra_endings = (".svg",)

    @classmethod
    def of(cls, file: DiagramFile) -> DiagramCase:
        """Build the diagram of a file."""
        case = cls(file.path, file.build(), file.run_settings)
        outputs = case.diagram.outputs
        problems = [
            f"{file.path}: run.plot: no output {signal!r}{did_you_mean(signal, outputs)}"
            for signal in case.settings.plot or ()
            if signal.partition("[")[0] not in outputs
        ]
        if problems:
            raise ScenarioError(problems)
        return case

    @property
    def name(self) -> str:
        """Name of the diagram."""
        return self.diagram.name

    @property
    def start(self) -> float:
        """Begin of the run in s."""
        return self.settings.start

    @property
    def until(self) -> float:
        """End of the run in s."""
        if self.settings.until is None:
            raise ScenarioError(f"{self.path}: run.until: missing; write [run] with until = 10, or say --until 10")
        return self.settings.until

    @property
    def plot(self) -> list[str]:
        """Signals to draw: those of ``[run]``, else all outputs."""
        return [f"{self.name}.{signal}" for signal in self.settings.plot or self.diagram.outputs]

    def changed(
        self,
        *,
        until: float | None = None,
        scheme: str | None = None,
        threads: int | None = None,
        step: float | None = None,
    ) -> DiagramCase:
        """Return a case that differs in what is given (``until`` and ``step`` in s); the file stays as it is."""
        wrong = [f"until: {text}" for text in [bad_span(self.start, until)] if text] if until is not None else []
        if step is not None and not step > 0:
            wrong.append(f"step: {step}: must be greater than 0")
        if wrong:
            raise SetupError(wrong)
        given = {key: value for key, value in {"until": until, "step": step}.items() if value is not None}
        settings = self.settings.model_copy(update=given)
        return replace(self, settings=settings, scheme=scheme or self.scheme, threads=threads or self.threads)

    def build(self) -> System:
        """Return a system with the diagram alone; raise ScenarioError when a step is missing."""
        import counterpoint as cp

        step = self.settings.step or self.diagram.preferred_step
        subsystem = self.diagram.subsystem()
        if step is None and not subsystem.own_pace:
            raise ScenarioError(f"{self.path}: diagram.step: missing; write step = 1e-3 (s), or say --step 1e-3")
        system = cp.System(self.name)
        system.add(self.name, subsystem, step=step)
        return system

    def run(self, *, system: System | None = None, **options: Any) -> Result:
        """Run; ``options`` go to :meth:`System.run`."""
        system = self.build() if system is None else system
        settings: dict[str, Any] = {"until": self.until, "start": self.start}
        settings |= {"scheme": self.scheme, "threads": self.threads}
        return system.run(**(settings | options))

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Draw the diagram beside the signals; yield the file when it is there."""
        yield self.diagram.draw(stem.with_name(stem.name + ".svg"))
