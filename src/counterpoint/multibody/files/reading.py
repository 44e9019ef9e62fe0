"""Mechanisms in TOML files: read, check, build."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._cases.model_case import RunSettings
from ..._cases.registry import check_kind
from ..._files.document import read_document
from ..._files.folder import Folder
from ..._files.problems import Document, KeyPath, Mistakes, Vocabulary
from ..._files.tables import Table
from ..._files.validation import validate
from ...errors import SetupError, did_you_mean
from ..modelling.formulations import Formulation
from ..modelling.mechanism import Mechanism
from ..modelling.parts import vector_of
from .elements import Element
from .tables import ORDER, UNITS_HINT, BodyTable, FileTable, LinearRelation, keys_at, tags_at
from .units import UnitProblem, Units
from .values import Converter, In, InCurve, InPolar, InTime, Python, PythonObject, Reference

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_VOCABULARY = Vocabulary(keys_at, tags_at)
_KINDS = (In, InCurve, InPolar, InTime, PythonObject)
ABSENT = ("formulation", "run")
"""Tables that a file need not have for their keys to be given beside it."""


def load(path: str | os.PathLike[str], *, allow_outside: bool = False) -> Mechanism:
    """Read a mechanism from a model file.

    If the file names Python functions, they are loaded, which runs the files they are in.

    Parameters
    ----------
    path : path
        TOML file; see the reference of model files.
    allow_outside : bool
        Whether it may name Python files outside of its directory.

    Returns
    -------
    Mechanism

    Raises
    ------
    ScenarioError
        With all problems found, each with file, key, remedy and line.
    """
    check_kind(Path(path), "a mechanism")
    return ModelFile.read(path, allow_outside=allow_outside).build()


@dataclass(frozen=True)
class ModelFile:
    """A model file that has been read and checked; reading never runs code, building does if the file names some.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        Of the mechanism; the file's name without ending when it has none.
    """

    path: Path
    name: str
    allow_outside: bool
    _table: Any = field(repr=False)
    _document: Document = field(repr=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, allow_outside: bool = False) -> ModelFile:
        """Read and check a model file; raise ScenarioError with all problems."""
        path = Path(path)
        return cls.of(path, read_document(path), allow_outside=allow_outside)

    @classmethod
    def of(cls, path: Path, document: Document, *, allow_outside: bool = False) -> ModelFile:
        """Check a document that has been read from ``path``; raise ScenarioError with all problems."""
        mistakes = Mistakes(document)
        table = _check(document, mistakes)
        name = (table.mechanism.name if table is not None else None) or path.stem.replace(".", "_")
        made = cls(path, name, allow_outside, table, document)
        if mistakes and table is not None:
            made._builder(mistakes, run_code=False).everything(name)
        mistakes.raise_if_any()
        return made

    @property
    def runs_code(self) -> bool:
        """Whether building runs Python files."""
        return any(_python_references(self._table))

    @property
    def run_settings(self) -> RunSettings:
        """What ``[run]`` says."""
        mistakes = Mistakes(self._document)
        settings = self._builder(mistakes, run_code=False).run_settings()
        mistakes.raise_if_any()
        return settings

    def build(self) -> Mechanism:
        """Return the mechanism; raise ScenarioError with all problems."""
        mistakes = Mistakes(self._document)
        mechanism = self._builder(mistakes, run_code=True).everything(self.name)
        mistakes.raise_if_any()
        return mechanism

    @contextmanager
    def naming(self, mechanism: Mechanism) -> Iterator[None]:
        """Say in which file a mechanism is that cannot be put together."""
        try:
            yield
        except SetupError as error:
            mistakes = Mistakes(self._document)
            mistakes.add_error((), error, lambda text: text.removeprefix(f"{mechanism.name}: "), {})
            mistakes.raise_if_any()

    def _builder(self, mistakes: Mistakes, *, run_code: bool) -> _Builder:
        return _Builder(self._table, Folder(self.path.parent, self.allow_outside), mistakes, run_code)


def _check(document: Document, mistakes: Mistakes) -> Any:
    """Check the tables of a document; return what is right of it, or None when nothing useful is left."""
    return validate(FileTable, document, mistakes, _VOCABULARY, whole=_WHOLE.__contains__, reword=_reword)[0]


_WHOLE = frozenset(("mechanism", "run", "formulation"))
"""Sections that describe one thing each."""


def _reword(path: KeyPath, text: str, error: ErrorDetails) -> str:
    if path == ("mechanism", "units") and error["type"] == "missing":
        return f"missing; {UNITS_HINT}"
    if path == ("mechanism",) and error["type"] == "missing":
        return "missing; a model file begins with [mechanism]"
    return text


def _python_references(value: Any) -> Iterator[str]:
    if isinstance(value, Python):
        yield value.reference
    elif isinstance(value, Table):
        for name, info in type(value).model_fields.items():
            inside = getattr(value, name)
            if inside is not None and any(isinstance(m, PythonObject) for m in info.metadata):
                yield inside
            yield from _python_references(inside)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _python_references(item)


@dataclass
class _Builder:
    """Build a Mechanism from checked tables and note every mistake on the way."""

    table: Any
    folder: Folder
    mistakes: Mistakes
    run_code: bool
    failed: set[str] = field(default_factory=set)  #: could not be made: complaints that follow from it are left out

    def __post_init__(self) -> None:
        self.units = Units(**self.table.mechanism.units.model_dump())
        self.converter = Converter(self.units, self._function)
        for section in ORDER:
            content = self.mistakes.document.values.get(section)
            if isinstance(content, dict):
                self.failed |= set(content) - set(getattr(self.table, section))

    def everything(self, name: str) -> Mechanism:
        """Return the mechanism and note what is wrong with it or with ``[run]``."""
        mechanism = self.mechanism(name)
        self.run_settings()
        return mechanism

    def mechanism(self, name: str) -> Mechanism:
        """Return the mechanism; what could not be made is missing from it and noted."""
        head = self.table.mechanism
        options = self._converted(("mechanism",), head, self.converter) or {}
        self._check_gravity(head)
        mechanism = Mechanism(name, dimension=head.dimension)
        with self._noting(mechanism, ("mechanism",), {"gravity": "gravity"}):
            mechanism = Mechanism(name, dimension=head.dimension, gravity=options.get("gravity"))
        mechanism.step = options.get("step")
        mechanism.notes = list(head.notes)
        if head.standard_outputs is not None:
            mechanism.standard_outputs = tuple(head.standard_outputs)
        if mechanism.step is not None and not mechanism.step > 0:
            self.mistakes.add(("mechanism", "step"), "must be greater than 0")
        for port, number in self.table.inputs.items():
            mechanism.input(port, number.value * (number.unit.factor if number.unit else 1.0))
        for section in ORDER:
            for element, entry in getattr(self.table, section).items():
                self._add(mechanism, (section, element), entry)
        self._add_values(mechanism)
        self._start(mechanism)
        self._formulate(mechanism)
        return mechanism

    def run_settings(self) -> RunSettings:
        """Return what ``[run]`` says."""
        made = self._converted(("run",), self.table.run, self.converter) or {}
        for key in ("until", "step"):
            if made.get(key) is not None and not made[key] > 0:
                self.mistakes.add(("run", key), "must be greater than 0")
        return RunSettings(**{**made, "traces": tuple(made.get("traces", ()))})

    def _add(self, mechanism: Mechanism, at: KeyPath, entry: Element, along: str | None = None) -> None:
        """Call the method that a table describes, unless a part that it needs has failed."""
        if not self._added(mechanism, at, entry, along) and at[0] in ORDER:
            self.failed.add(str(at[1]))

    def _added(self, mechanism: Mechanism, at: KeyPath, entry: Element, along: str | None) -> bool:
        name = str(at[1])
        converter = replace(self.converter, measure=self._measure(mechanism, along or entry.measured()))
        options = self._converted(at, entry, converter)
        if options is None or self._builds_on_failed([options, *([name] if along else [])]):
            return False
        if isinstance(entry, BodyTable) and entry.local is not None:
            options["local"] = self._local(at, entry)
        if isinstance(entry, LinearRelation):
            self._relate(mechanism, options)
        known = {key: info.alias or key for key, info in type(entry).model_fields.items()}
        with self._noting(mechanism, at, known):
            arguments = entry.arguments(options, self.units)
            if entry.method == "torque" and mechanism.dimension == 2 and len(arguments["components"]) == 1:
                arguments["components"] = arguments["components"][0]
            entry.add_to(mechanism, name, arguments)
            return True
        return False

    def _add_values(self, mechanism: Mechanism) -> None:
        """Add what belongs to a point or measure by its name: masses, guides, initial values; and outputs."""
        for point, mass in self.table.point_masses.items():
            convert = partial(self.converter.units.si, mass, "mass")
            self._give(mechanism, ("point_masses", point), mechanism.point_mass, convert)
        for measure, value in self.table.guides.items():
            convert = partial(self.converter.time, value, self._measure(mechanism, measure))
            self._give(mechanism, ("guides", measure), mechanism.guide, convert)
        for measure, entry in self.table.initial.items():
            self._add(mechanism, ("initial", measure), entry, along=measure)
        for name, entry in self.table.outputs.items():
            self._add(mechanism, ("outputs", name), entry)

    def _start(self, mechanism: Mechanism) -> None:
        """Take over where the search for the start begins; vectors NAME~k are those that complete bodies."""
        for name, numbers in self.table.start_position.items():
            at: KeyPath = ("start_position", name)
            known = [*mechanism.points, *mechanism.vectors, *mechanism.coordinates]
            if name not in known and "~" not in name:
                if name not in self.failed:
                    self.mistakes.add(at, f'no point, vector or coordinate "{name}"{did_you_mean(name, known)}')
                continue
            of = mechanism.coordinates.get(name)
            role = self._measure(mechanism, name) if of else "length" if name in mechanism.points else ""
            problems: list[str] = []
            try:
                values = [self.units.si(number, role) for number in numbers]
                mechanism.start_position[name] = vector_of(name, values, 1 if of else mechanism.dimension, problems)
            except UnitProblem as problem:
                problems.append(str(problem))
            for text in problems:
                self.mistakes.add(at, text.removeprefix(f"{name}: "))

    def _give(self, mechanism: Mechanism, at: KeyPath, method: Callable[..., None], convert: Callable[[], Any]) -> None:
        """Call a method with the name at ``at`` and a converted value."""
        if at[1] in self.failed:
            return
        with self._noting(mechanism, at, {}):
            try:
                method(at[1], convert())
            except UnitProblem as problem:
                self.mistakes.add(at, str(problem))

    def _formulate(self, mechanism: Mechanism) -> None:
        if self.table.formulation is None:
            return
        try:
            mechanism.formulation = Formulation(**self.table.formulation.model_dump())
        except SetupError as error:
            keys = {key: key for key in type(self.table.formulation).model_fields}
            self.mistakes.add_error(
                ("formulation",), error, lambda text: _word_first(text.removeprefix("formulation: "), keys), keys
            )

    def _converted(self, at: KeyPath, entry: Table, converter: Converter) -> dict[str, Any] | None:
        """Return the fields that the file gives, in SI units; None when one has a unit that does not fit (noted)."""
        made: dict[str, Any] = {}
        fine = True
        for name, info in type(entry).model_fields.items():
            value = getattr(entry, name)
            if value is None or name == "local":
                continue
            kind = next((m for m in info.metadata if isinstance(m, _KINDS)), None)
            where = (*at, info.alias or name)
            try:
                if isinstance(value, Table):
                    made[name] = self._converted(where, value, converter)
                elif isinstance(value, dict) and value and all(isinstance(v, Table) for v in value.values()):
                    made[name] = {key: self._converted((*where, key), v, converter) for key, v in value.items()}
                    fine = fine and None not in made[name].values()
                else:
                    made[name] = converter.value(value, kind)
            except UnitProblem as problem:
                self.mistakes.add(where, str(problem))
                fine = False
            except SetupError as error:
                self.mistakes.add_error(where, error, lambda text: text, {})
                fine = False
        return made if fine else None

    def _check_gravity(self, head: Any) -> None:
        """Refuse bare numbers where they would be mm/s², which is never meant."""
        plain = self.units.unit("length/time^2")
        if head.gravity is None or plain.factor == 1.0 or all(g.unit or g.value == 0.0 for g in head.gravity):
            return
        numbers = ", ".join(f"{g.value:g}" for g in head.gravity)
        text = f'would be in {plain.name}; give its unit: [{numbers}, "m/s^2"]'
        self.mistakes.add(("mechanism", "gravity"), text)

    def _measure(self, mechanism: Mechanism, name: str | None) -> Any:
        part = mechanism.measures.get(name or "")
        return "angle" if part is not None and part.is_angular else "length"

    def _local(self, at: KeyPath, entry: BodyTable) -> dict[str, Any]:
        """Return the places of points (lengths) and vectors (plain numbers) in the frame of a body."""
        made: dict[str, Any] = {}
        for name, numbers in (entry.local or {}).items():
            role = "" if name in entry.vectors else "length"
            try:
                made[name] = [self.units.si(number, role) for number in numbers]
            except UnitProblem as problem:
                self.mistakes.add((*at, "local", name), str(problem))
                made[name] = np.zeros(self.table.mechanism.dimension)
        unknown = [name for name in made if name not in (*entry.points, *entry.vectors)]
        for name in unknown:
            hint = did_you_mean(name, [*entry.points, *entry.vectors])
            self.mistakes.add((*at, "local", name), f"is not a point or vector of the body{hint}")
            del made[name]
        return made

    def _relate(self, mechanism: Mechanism, options: dict[str, Any]) -> None:
        """Turn factors of measures in the units of the file to those in SI, keeping the first as it is."""
        sizes = {name: self.units.unit(self._measure(mechanism, name)).factor for name in options["factors"]}
        first = next(iter(sizes.values()))
        options["factors"] = {name: f * first / sizes[name] for name, f in options["factors"].items()}
        if "constant" in options:
            options["constant"] *= first

    def _builds_on_failed(self, options: Any) -> bool:
        if isinstance(options, str):
            return options.removeprefix("support:").removeprefix("guide:") in self.failed
        if isinstance(options, dict):
            return any(self._builds_on_failed(v) for v in (*options, *options.values()))
        return isinstance(options, list | tuple) and any(self._builds_on_failed(v) for v in options)

    def _function(self, reference: str) -> Callable[..., Any]:
        self.folder.find_object(reference)
        return Reference(reference, self.folder.load(reference) if self.run_code else _nothing)

    @contextmanager
    def _noting(self, mechanism: Mechanism, at: KeyPath, keys: dict[str, str]) -> Iterator[None]:
        """Note what a method of the mechanism complains about, in terms of the file."""
        name = re.escape(str(at[1])) if len(at) > 1 else ""
        own = re.compile(rf'^(?:[a-z_ ]+"{name}": |(?:guide|initial|point_mass): )')
        try:
            yield
        except SetupError as error:
            prefix = f"{mechanism.name}: "

            def clean(text: str) -> str:
                return _word_first(own.sub("", text.removeprefix(prefix)), keys)

            self.mistakes.add_error(at, error, clean, keys)


def _word_first(text: str, keys: Mapping[str, str]) -> str:
    """Write ``solver "x"; ...`` as ``solver: "x"; ...`` when the word is a key, so that the key is found."""
    word, _, rest = text.partition(" ")
    return f"{word}: {rest}" if word in keys and rest[:1] in ('"', "-", *"0123456789") else text


def _nothing(*arguments: Any) -> float:
    """Stand for a Python function that may not run."""
    return 0.0
