"""A scenario of which single values change from run to run, as in a sweep.

Only what a value belongs to is checked and built again: a subsystem, a connection, the options of the run. Where that
is not known to be enough, or something is wrong, the whole scenario is, which is the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from math import isfinite
from typing import Any

from pydantic import ValidationError

from .._common.nested import changed
from .._files.problems import Document, KeyPath, Mistakes
from .._run.options import RunOptions
from ..errors import ScenarioError, SetupError
from ..system import System
from .building import Builder
from .models import SUBSYSTEMS, ScenarioTable
from .overriding import place_of, without_keys_of_other_kinds
from .scenario import Scenario

_OPTIONS = (
    "until",
    "start",
    "first_steps",
    "scheme",
    "window",
    "pace",
    "real_time",
    "threads",
    "record",
    "record_every",
)
"""Keys that change nothing but the options of a run."""


class VaryingScenario:
    """A scenario that was built once, of which named values are changed before each run.

    Parameters
    ----------
    scenario : Scenario
        Where all values come from that are not changed.
    names : sequence of str
        What is changed, see :func:`.overriding.place_of`.

    Raises
    ------
    ScenarioError
        With each name that means nothing, and the one it may mean.
    """

    def __init__(self, scenario: Scenario, names: Sequence[str]) -> None:
        self._scenario = scenario
        self._document = scenario.document
        self._places = _places(self._document, scenario, names)
        roots = {path[:2] if path[0] in ("subsystems", "connections") else path[:1] for path in self._places}
        self._parts = sorted(str(root[1]) for root in roots if root[0] == "subsystems")
        self._fmus = {name for name in self._parts if _only_values(scenario, name, self._places)}
        self._connections = sorted(int(root[1]) for root in roots if root[0] == "connections")
        self._constants = ("set",) in roots
        other = {root[0] for root in roots} - {"subsystems", "connections", "set"}
        self._whole = bool(other - set(_OPTIONS)) or bool(scenario.table.bonds and self._connections)
        self._changes_options = bool(other)
        self._base = {name: getattr(scenario.table, name) for name in ScenarioTable.model_fields}
        self.system = scenario.build()
        self._run_options = scenario.options()
        self._elements = _elements(self.system, scenario, self._places)

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        """Return the system with these values, and the options of its run; the system is the same object each time.

        Raises
        ------
        ScenarioError
            With what is wrong with the values.
        """
        if self._elements is not None and all(type(value) in (float, int) and isfinite(value) for value in values):
            with suppress(SetupError):
                return self._with_elements(self._elements, values), self._run_options
        document = self._with(values)
        if self._whole:
            return self._build_all(document)
        try:
            table = self._table(document)
            mistakes = Mistakes(document)
            builder = self._scenario.builder(mistakes, table)
            system = self._rebuilt(builder)
        except (ValidationError, SetupError, KeyError):
            return self._build_all(document)
        if mistakes:
            mistakes.raise_if_any()
        return system, self._scenario.with_table(table).options() if self._changes_options else self._run_options

    def _with_elements(self, elements: Mapping[str, dict[str, Any]], values: Sequence[Any]) -> System:
        """Return the system with other numbers in the arrays of its models: one number is as good as another there."""
        arguments = dict(elements)
        for path, value in zip(self._places, values, strict=True):
            arguments[str(path[1])] = changed(arguments[str(path[1])], path[2:], value)
        system = copy(self.system)
        system.subsystems = dict(system.subsystems)
        for name, given in arguments.items():
            before = system.subsystems[name]
            assert before.subsystem.made_by is not None
            system.subsystems[name] = replace(before, subsystem=before.subsystem.made_by.function(**given))
        return system

    def _with(self, values: Sequence[Any]) -> Document:
        tables: Mapping[str, Any] = self._document.values
        for path, value in zip(self._places, values, strict=True):
            try:
                tables = changed(tables, path, value)
            except SetupError as error:
                raise ScenarioError(f"{self._document.label}: {'.'.join(map(str, path))}: {error}") from None
        for path in self._places:
            tables = without_keys_of_other_kinds(tables, path, self._places)
        return replace(self._document, values=dict(tables))

    def _build_all(self, document: Document) -> tuple[System, RunOptions]:
        scenario = self._scenario.with_document(document)
        return scenario.build(), scenario.options()

    def _table(self, document: Document) -> ScenarioTable:
        """Check the parts that have changed; the others were checked when the scenario was read."""
        if not (self._changes_options or self._connections or self._constants):
            return self._with_subsystems(document.values["subsystems"])
        written, made = document.values, dict(self._base)
        for name in _OPTIONS if self._changes_options else ():
            if name in written:
                made[name] = written[name]
        if self._parts:
            made["subsystems"] = {**made["subsystems"], **{name: written["subsystems"][name] for name in self._parts}}
        if self._connections:
            made["connections"] = list(made["connections"])
            for index in self._connections:
                made["connections"][index] = written["connections"][index]
        if self._constants:
            made["constants"] = written["set"]
        return ScenarioTable.model_validate({_ALIASES.get(name, name): value for name, value in made.items()})

    def _with_subsystems(self, written: Mapping[str, Any]) -> ScenarioTable:
        """Check subsystems alone: nothing else in a scenario is checked together with them."""
        entries = dict(self._base["subsystems"])
        for name in self._parts:
            entries[name] = SUBSYSTEMS[written[name]["type"]].model_validate(written[name])
        return self._scenario.table.model_copy(update={"subsystems": entries})

    def _rebuilt(self, builder: Builder) -> System:
        system = copy(self.system)
        system.subsystems, system.connections = dict(self.system.subsystems), list(self.system.connections)
        for name in self._parts:
            before = self.system.subsystems[name]
            made = builder.with_values(name, before) if name in self._fmus else builder.participant(name)
            if made is not None:
                system.subsystems[name] = made
        for index in self._connections:
            system.connections[index] = builder.connection(index)
        if self._constants:
            system.constants = dict(builder.table.constants)
        return system


_ALIASES = {name: field.alias for name, field in ScenarioTable.model_fields.items() if field.alias}


def _only_values(scenario: Scenario, name: str, places: Sequence[KeyPath]) -> bool:
    """Whether a subsystem is an FMU of which nothing but parameters and start values change."""
    inside = [path[2] for path in places if path[:2] == ("subsystems", name)]
    return scenario.types[name] == "fmu" and set(inside) <= {"parameters", "start"}


def _elements(system: System, scenario: Scenario, places: Sequence[KeyPath]) -> dict[str, dict[str, Any]] | None:
    """Return the arguments of the models of which single elements of arrays change; None: something else changes."""
    found: dict[str, dict[str, Any]] = {}
    for path in places:
        if path[0] != "subsystems" or not all(isinstance(key, int) for key in path[3:]) or len(path) < 4:
            return None
        name = str(path[1])
        made_by = system.subsystems[name].subsystem.made_by
        if scenario.types[name] not in ("linear", "second-order") or made_by is None:
            return None
        found[name] = made_by.arguments()
        try:
            changed(found[name], path[2:], 0.0)
        except SetupError:
            return None
    return found


def _places(document: Document, scenario: Scenario, names: Sequence[str]) -> list[KeyPath]:
    problems, found = [], []
    for name in names:
        try:
            found.append(place_of(document, scenario.folder, name))
        except SetupError as error:
            problems.append(f'{document.label}: "{name}": {error}')
    if problems:
        raise ScenarioError(problems)
    return found
