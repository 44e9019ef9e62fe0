"""From what a user names to a bench: a system that can be run again and again with other values.

A recipe says how a bench is made; it can be sent to another process. A bench is made where it is used, and keeps
what can be used again between runs: checked tables, subsystems that do not change, unpacked FMUs and their instances.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

from .._cases.case import CaseSettings
from .._cases.registry import kind_name, read_case
from .._run.options import RunOptions
from ..errors import SetupError
from ..fmi.imported_fmu import Fmu
from ..scenario import Scenario
from ..scenario.varying import VaryingScenario
from ..system import System
from ..units import time_at
from .system_bench import SystemBench, option_value

VARIANT = "variant"
"""The parameter whose values are files."""


_SINGLE_MODELS = ("an FMU", "a mechanism", "a diagram")
_OF_MODELS = ("until", "scheme", "threads")
"""Options of the run of a file that is a single model, which are not keys of the file."""


class Bench(Protocol):
    """What runs are made on."""

    @property
    def system(self) -> System:
        """The system before anything is changed."""

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        """Return the system with these values, in the order of the names, and the options of its run."""


@dataclass(frozen=True)
class FileRecipe:
    """A file that can be run: a scenario, a system structure, a mechanism, a diagram or an FMU."""

    path: Path
    allow_outside: bool = False
    allow_remote: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)  #: values that replace those of the file for all points
    options: Mapping[str, Any] = field(default_factory=dict)

    def bench(self, names: Sequence[str]) -> Bench:
        """Return the bench."""
        return _FileBench(self, names)

    @property
    def label(self) -> str:
        """What messages and tables call it."""
        return str(self.path)

    @property
    def fingerprint(self) -> str:
        """What tells files apart: a hash of the bytes of the file."""
        return sha256(self.path.read_bytes()).hexdigest()[:16] if self.path.is_file() else ""

    @property
    def settings(self) -> list[Any]:
        """What else decides the runs: values for all points, and options."""
        return [self.fixed, self.options]

    def read(self, more: Mapping[str, Any]) -> Any:
        """Return the case with its fixed values and others.

        The options of the run of a single model are no keys of its file.
        """
        given = {**self.fixed, **more}
        of_run: dict[str, Any] = {}
        if kind_name(self.path) in _SINGLE_MODELS:
            of_run = {name: value for name, value in {**self.options, **given}.items() if name in _OF_MODELS}
        if "until" in of_run:
            of_run["until"] = time_at("until", of_run["until"])
        settings = CaseSettings(set={name: value for name, value in given.items() if name not in of_run}, **of_run)
        return read_case(self.path, allow_outside=self.allow_outside, allow_remote=self.allow_remote, settings=settings)


class _FileBench:
    """Of a scenario only the parts that change are made again; other files are read again for each point."""

    def __init__(self, recipe: FileRecipe, names: Sequence[str]) -> None:
        self._recipe = recipe
        self._names = list(names)
        # Options that are varied, or fixed by name, have gone into the case.
        self._given = {k: v for k, v in recipe.options.items() if k not in names and k not in recipe.fixed}
        case = recipe.read({})
        self._varying = VaryingScenario(case, names) if isinstance(case, Scenario) else None
        self.system = self._varying.system if self._varying else case.build()

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        if self._varying is not None:
            system, options = self._varying.prepare(values)
        else:
            case = self._recipe.read(dict(zip(self._names, values, strict=True)))
            system, options = case.build(), case.options()
        return system, with_options(options, self._given)


@dataclass(frozen=True)
class VariantsRecipe:
    """Several files, one for each value of the parameter ``variant``."""

    files: tuple[FileRecipe, ...]

    def bench(self, names: Sequence[str]) -> Bench:
        """Return the bench."""
        return _VariantsBench(self, list(names))

    @property
    def label(self) -> str:
        """What messages and tables call it."""
        return ", ".join(file.label for file in self.files)

    @property
    def fingerprint(self) -> str:
        """What tells files apart."""
        return "-".join(file.fingerprint for file in self.files)

    @property
    def settings(self) -> list[Any]:
        """What else decides the runs: values for all points, and options."""
        return self.files[0].settings


class _VariantsBench:
    def __init__(self, recipe: VariantsRecipe, names: list[str]) -> None:
        self._at = names.index(VARIANT)
        rest = [name for name in names if name != VARIANT]
        self._benches = {file.label: file.bench(rest) for file in recipe.files}
        self.system = next(iter(self._benches.values())).system

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        rest = [value for k, value in enumerate(values) if k != self._at]
        return self._benches[str(values[self._at])].prepare(rest)


@dataclass(frozen=True)
class SystemRecipe:
    """A system in memory; another process makes its subsystems again from the calls that made them."""

    system: System
    options: Mapping[str, Any]

    def bench(self, names: Sequence[str]) -> Bench:
        """Return the bench."""
        return SystemBench(self.system, with_options(RunOptions(), self.options), names)

    @property
    def label(self) -> str:
        """What messages and tables call it."""
        return self.system.name

    @property
    def fingerprint(self) -> str:
        """What tells systems apart: a hash of their calls, steps, connections and constants."""
        system = self.system
        parts = [(name, part.step, _words(part.subsystem)) for name, part in system.subsystems.items()]
        return text_hash([system.name, parts, system.connections, system.constants])

    @property
    def settings(self) -> list[Any]:
        """What else decides the runs: options."""
        return [self.options]


@dataclass(frozen=True)
class FunctionRecipe:
    """A function that returns a system; parameters with the names of its arguments are given to it."""

    make: Callable[..., System]
    options: Mapping[str, Any]

    def bench(self, names: Sequence[str]) -> Bench:
        """Return the bench."""
        return _FunctionBench(self, list(names))

    @property
    def label(self) -> str:
        """What messages and tables call it."""
        return getattr(self.make, "__qualname__", str(self.make))

    @property
    def fingerprint(self) -> str:
        """A function is told apart by its name alone."""
        return self.label

    @property
    def settings(self) -> list[Any]:
        """What else decides the runs: options."""
        return [self.options]


class _FunctionBench:
    def __init__(self, recipe: FunctionRecipe, names: list[str]) -> None:
        taken = signature(recipe.make).parameters
        self._recipe = recipe
        self._arguments = {name: k for k, name in enumerate(names) if name in taken}
        self._rest = [k for k in range(len(names)) if k not in self._arguments.values()]
        self._rest_names = [names[k] for k in self._rest]
        self._bench: SystemBench | None = None
        required = [
            name
            for name, p in taken.items()
            if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ]
        missing = [name for name in required if name not in self._arguments]
        if missing:
            raise SetupError(f"{recipe.label}: its argument {missing[0]!r} is not given; vary it, or give it a default")
        if not required:
            self._bench = self._make({})

    @property
    def system(self) -> System:
        return self._bench.system if self._bench is not None else System("not made yet")

    def _make(self, given: Mapping[str, Any]) -> SystemBench:
        system = self._recipe.make(**given)
        if not isinstance(system, System):
            raise SetupError(f"{self._recipe.label}: returned {type(system).__name__}; expected a System")
        return SystemBench(system, with_options(RunOptions(), self._recipe.options), self._rest_names)

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        if self._arguments or self._bench is None:
            self._bench = self._make({name: values[k] for name, k in self._arguments.items()})
        return self._bench.prepare([values[k] for k in self._rest])


Recipe = FileRecipe | VariantsRecipe | SystemRecipe | FunctionRecipe


def text_hash(what: Any) -> str:
    """Return a hash of what something looks like in Python; addresses of objects, which change, are left out.

    >>> text_hash([1.0, print]) == text_hash([1.0, print]) != text_hash([2.0, print])
    True
    """
    return sha256(re.sub(r" at 0x[0-9a-f]+", "", repr(what)).encode()).hexdigest()[:16]


def _words(model: Any) -> Any:
    """Return what a subsystem looks like: the call that made it, or its attributes."""
    return type(model).__qualname__ if model.made_by is None else model.made_by


def make_recipe(
    what: Any,
    options: Mapping[str, Any],
    *,
    variants: Sequence[str | os.PathLike[str]] = (),
    fixed: Mapping[str, Any] | None = None,
    allow_outside: bool = False,
    allow_remote: tuple[str, ...] = (),
) -> Recipe:
    """Return the recipe of a file, a scenario, a system, or a function that returns a system."""
    _check_options(options)
    if isinstance(what, Scenario):
        what, allow_outside, allow_remote = what.path, what.allow_outside, what.allow_remote
    if variants or isinstance(what, str | os.PathLike):
        paths = [Path(path).absolute() for path in variants or [what]]
        files = tuple(FileRecipe(path, allow_outside, allow_remote, dict(fixed or {}), options) for path in paths)
        return VariantsRecipe(files) if variants else files[0]
    if fixed:
        raise SetupError("set: is for files; change the system itself, or give options of the run by name")
    if isinstance(what, System):
        return SystemRecipe(what, options)
    if callable(what):
        return FunctionRecipe(what, options)
    raise SetupError(
        f"{type(what).__name__}: expected a file, a Scenario, a System, or a function that returns a System"
    )


_KNOWN = (
    "until", "start", "scheme", "window", "pace", "real_time", "threads", "host", "approximation", "record",
    "record_every", "first_steps", "check", "energy_correction", "adapt",
)  # fmt: skip


def _check_options(options: Mapping[str, Any]) -> None:
    from ..errors import did_you_mean

    wrong = [f"{name}: no such option of a run{did_you_mean(name, _KNOWN)}" for name in options if name not in _KNOWN]
    if wrong:
        raise SetupError(wrong)


def with_options(base: RunOptions, given: Mapping[str, Any]) -> RunOptions:
    """Return options of a run with those given, which are written as for :meth:`System.run`."""
    if not given:
        return base
    return replace(base, **{name: option_value(name, value) for name, value in given.items()})


def keep_instances(system: System) -> None:
    """Let FMUs of a system keep their instances from run to run."""
    for participant in system.subsystems.values():
        if isinstance(participant.subsystem, Fmu):
            participant.subsystem.keep_instance()


def is_native(system: System) -> bool:
    """Whether a system runs without Python and foreign code in this process, so that threads can share the process."""
    models = [part.subsystem for part in system.subsystems.values()]
    quiet = all(not model.runs_python and not model.is_foreign for model in models)
    paces = [part.pace for part in system.subsystems.values()]
    laws = [c.law for c in system.connections] + [a for c in system.connections for a in c.approximations if _is_own(a)]
    return quiet and not any(laws) and all(pace is None or hasattr(pace, "limits") for pace in paces)


def _is_own(approximation: Any) -> bool:
    return approximation is not None and approximation.made_by is None
