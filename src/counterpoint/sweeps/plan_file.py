"""The TOML file of a sweep: ``counterpoint sweep plan.toml``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from .._cases.registry import SWEEP_PLAN, check_kind
from .._files.document import read_document
from .._files.folder import Folder
from .._files.problems import Document, Mistakes, Vocabulary
from .._files.tables import Duration, FileName, OneOrMore, Table, keys_of
from .._files.validation import validate
from ..errors import SetupError
from .axes import make_axis
from .measures import make_measures
from .plan import Plan, make_plan
from .recipes import VARIANT
from .sweeping import Sweep, sweep


class ObjectMeasure(Table):
    """A function of the user: ``object = "measures.py:overshoot"`` takes the result and returns a number."""

    object: str


class Reference(Table):
    """The reference run of ``error(...)``: values for it, or a run file."""

    file: str | None = None
    set: dict[str, Any] | None = None


class PlotTable(Table):
    """Pictures that are drawn at the end."""

    surface: list[list[str]] = Field(default_factory=list)
    parallel: list[str] | bool = False
    pareto: list[list[str]] = Field(default_factory=list)


class SweepTable(Table):
    """A whole plan of a sweep."""

    name: FileName | None = None
    scenario: str | None = None
    variants: OneOrMore | None = None
    sample: Literal["grid", "together", "latin-hypercube", "sobol"] = "grid"
    points: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    workers: Annotated[int, Field(ge=1, le=1024)] | None = None
    kind: Literal["auto", "threads", "processes"] = "auto"
    cluster: str | None = None
    deadline: Duration | None = None
    keep_results: bool = False
    vary: Annotated[dict[str, Any], Field(min_length=1)]
    set: dict[str, Any] = Field(default_factory=dict)
    measures: Annotated[dict[str, str | ObjectMeasure], Field(min_length=1)]
    reference: Reference | None = None
    plots: PlotTable = Field(default_factory=PlotTable)


_TABLES: dict[str, type[Table]] = {"reference": Reference, "plots": PlotTable}
_VOCABULARY = Vocabulary(
    keys_at=lambda path, values: keys_of(_TABLES.get(str(path[0]), SweepTable) if path else SweepTable),
    tags_at=lambda path, key: [],
)


@dataclass(frozen=True)
class SweepFile:
    """The plan of a sweep in a TOML file.

    Make one with :meth:`read`. Reading never runs Python code; :meth:`run` does.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        Its ``name``, or the file's name without ending.
    """

    path: Path
    name: str
    table: SweepTable
    folder: Folder

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, allow_outside: bool = False) -> SweepFile:
        """Read and check a plan; raise ScenarioError with all problems, each with file, key and remedy."""
        path = Path(path)
        check_kind(path, SWEEP_PLAN)
        document = read_document(path)
        mistakes = Mistakes(document)
        table, _ = validate(SweepTable, document, mistakes, _VOCABULARY, whole=lambda section: True)
        folder = Folder(path.parent, allow_outside)
        _check_names(document, mistakes, table, folder)
        mistakes.raise_if_any()
        assert table is not None
        return cls(path, table.name or path.stem, table, folder)

    @property
    def plan(self) -> Plan:
        """The points."""
        table = self.table
        axes: dict[str, Any] = {VARIANT: self._variants, **table.vary} if table.variants else table.vary
        return make_plan(axes, table.sample, table.points, table.seed)

    @property
    def _variants(self) -> list[str]:
        return [str(self.folder.find(name)) for name in self.table.variants or ()]

    def run(self, **options: Any) -> Sweep:
        """Run the sweep; ``options`` are those of :func:`sweep` and replace what the file says."""
        table = self.table
        given: dict[str, Any] = {
            "sample": table.sample, "points": table.points, "seed": table.seed, "variants": self._variants,
            "set": table.set, "reference": self._reference(), "workers": table.workers, "kind": table.kind,
            "cluster": table.cluster, "deadline": table.deadline, "keep_results": table.keep_results,
            "allow_outside": self.folder.allow_outside,
        }  # fmt: skip
        what = None if table.scenario is None else self.folder.find(table.scenario)
        measures: dict[str, Any] = {
            name: self.folder.load(m.object) if isinstance(m, ObjectMeasure) else m
            for name, m in table.measures.items()
        }
        return sweep(what, table.vary, measures, **{**given, **options})

    def _reference(self) -> Any:
        found = self.table.reference
        if found is None:
            return None
        return self.folder.find(found.file) if found.file is not None else found.set or {}

    def draw(self, made: Sweep, folder: Path) -> list[Path]:
        """Draw the pictures that the file asks for; return the files."""
        plots, drawn = self.table.plots, []
        for k, (x, y, measure) in enumerate(plots.surface):
            drawn.append((f"surface-{k}", made.plot_surface(x, y, measure)))
        if plots.parallel:
            columns: Sequence[str] | None = plots.parallel if isinstance(plots.parallel, list) else None
            drawn.append(("parallel", made.plot_parallel(columns)))
        for k, words in enumerate(plots.pareto):
            drawn.append((f"pareto-{k}", made.plot_pareto(words[0], words[1], label=words[2] if words[2:] else None)))
        paths = []
        for name, axes in drawn:
            paths.append(folder / f"{name}.png")
            figure = axes.get_figure(root=True)
            assert figure is not None
            figure.savefig(paths[-1], dpi=120)
        return paths


def _check_names(document: Document, mistakes: Mistakes, table: SweepTable | None, folder: Folder) -> None:
    """Note what single values say that cannot be: files, ranges, measures, pictures."""
    if table is None:
        return
    if (table.scenario is None) == (table.variants is None):
        mistakes.add(("scenario",), "expected either scenario = a file, or variants = several files")
    for key, names in (("scenario", [table.scenario]), ("variants", table.variants or [])):
        for name in filter(None, names):
            _note(mistakes, (key,), lambda name=name: folder.find(name))
    for name, given in table.vary.items():
        _note(mistakes, ("vary", name), lambda name=name, given=given: make_axis(name, given), f'vary."{name}"')
    for name, measure in table.measures.items():
        if isinstance(measure, ObjectMeasure):
            _note(mistakes, ("measures", name), lambda m=measure: folder.find_object(m.object))
        else:
            _note(mistakes, ("measures", name), lambda n=name, m=measure: make_measures({n: m}), f'measures."{name}"')
    for key, least, words in (("surface", 3, "x, y and a measure"), ("pareto", 2, "error and cost")):
        for k, given in enumerate(getattr(table.plots, key)):
            if not least <= len(given) <= 3:
                mistakes.add(("plots", key, k), f"{given}: expected {words}")


def _note(mistakes: Mistakes, at: tuple[str, ...], work: Any, where: str = "") -> None:
    try:
        work()
    except SetupError as error:
        for problem in error.problems:
            mistakes.add(at, problem.removeprefix(where).lstrip(":. "), error)
