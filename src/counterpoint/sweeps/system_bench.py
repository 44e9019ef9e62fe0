"""A system in memory of which single values change from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

from .._common.nested import Key, changed
from .._files.problems import path_of
from .._run.options import RunOptions
from ..errors import SetupError, did_you_mean
from ..fmi.imported_fmu import Fmu
from ..pace._contract import as_pace
from ..subsystems import Subsystem
from ..system import Connection, Participant, System
from ..units import time_at
from ..windows import as_window

_OPTIONS = (
    "until", "start", "scheme", "window", "pace", "real_time", "threads", "approximation", "record_every",
    "first_steps", "energy_correction", "adapt",
)  # fmt: skip
_OF_PARTICIPANT = ("step", "typical_step", "pace")


@dataclass(frozen=True)
class _Place:
    """Where a value goes: a part of the draft, and the path inside it."""

    part: str  #: "options", "participant", "subsystem", "connection" or "constant"
    owner: str | int
    path: tuple[Key, ...]


class SystemBench:
    """A system that was built once, of which named values are changed before each run.

    A name is ``subsystem.argument``: an argument of the function that made it (``engine.x0[0]``), a variable of an FMU,
    an attribute of a model in Python, its ``step`` or ``pace``, or an input that nothing drives;
    ``connections[0].gain`` or ``slow.x -> fast.u.gain``; or an option of the run such as ``scheme``, ``until`` and
    ``pace.tolerance``.

    Raises
    ------
    SetupError
        With each name that means nothing.
    """

    def __init__(self, system: System, options: RunOptions, names: Sequence[str]) -> None:
        self._system = copy(system)
        self._system.subsystems = dict(system.subsystems)
        self._options = options
        problems, self._places = [], []
        for name in names:
            try:
                self._places.append(_place(system, options, name))
            except SetupError as error:
                problems.append(f'vary."{name}": {error}')
        if problems:
            raise SetupError(problems)
        self._remakes = {
            str(place.owner): _remaker(str(place.owner), self._own_copy(str(place.owner)))
            for place in self._places
            if place.part == "subsystem"
        }

    @property
    def system(self) -> System:
        """The system before anything is changed."""
        return self._system

    def _own_copy(self, name: str) -> Subsystem:
        """Return a subsystem whose attributes may be changed: the user's model in Python is left as it is."""
        part = self._system.subsystems[name]
        if not part.subsystem.copied_for_runs and part.subsystem.made_by is None:
            part = self._system.subsystems[name] = replace(part, subsystem=copy(part.subsystem))
        return part.subsystem

    def prepare(self, values: Sequence[Any]) -> tuple[System, RunOptions]:
        """Return the system with these values, and the options of its run."""
        system, options = copy(self._system), self._options
        system.subsystems, system.connections = dict(system.subsystems), list(system.connections)
        system.constants = dict(system.constants)
        inside: dict[str, list[tuple[tuple[Key, ...], Any]]] = {}
        for place, value in zip(self._places, values, strict=True):
            if place.part == "options":
                options = changed(options, place.path, _value(place, value, option_value))
            elif place.part == "participant":
                part = system.subsystems[str(place.owner)]
                given = _value(place, value, _participant_value)
                system.subsystems[str(place.owner)] = changed(part, place.path, given)
            elif place.part == "subsystem":
                inside.setdefault(str(place.owner), []).append((place.path, value))
            elif place.part == "connection":
                connection = system.connections[int(place.owner)]
                system.connections[int(place.owner)] = _connection(connection, place.path, value)
            else:
                system.constants[str(place.owner)] = value
        for name, changes in inside.items():
            made = self._remakes[name](changes)
            system.subsystems[name] = replace(system.subsystems[name], subsystem=made)
        return system, options


def option_value(name: str, value: Any) -> Any:
    """Return an option of a run from what :meth:`System.run` takes for it."""
    if name in ("until", "start"):
        return time_at(name, value)
    if name == "window":
        return as_window(value)
    return as_pace(value, name) if name == "pace" else value


def _participant_value(name: str, value: Any) -> Any:
    return as_pace(value, name) if name == "pace" else time_at(name, value)


def _value(place: _Place, value: Any, read: Callable[[str, Any], Any]) -> Any:
    """Return a whole option from what a user may write for it; parts of one are taken as they are."""
    return read(str(place.path[0]), value) if len(place.path) == 1 else value


def _place(system: System, options: RunOptions, name: str) -> _Place:
    if "->" in name or name.startswith("connections["):
        return _place_of_connection(system, name)
    head = name.partition(".")[0].partition("[")[0]
    owner = max((s for s in system.subsystems if name.startswith(f"{s}.")), key=len, default=None)
    if owner is None:
        if head in _OPTIONS:
            return _Place("options", "", path_of(name, {head: _tree(getattr(options, head))}))
        raise SetupError(f"no such subsystem or option of a run{did_you_mean(head, [*system.subsystems, *_OPTIONS])}")
    key = name.removeprefix(f"{owner}.")
    part = system.subsystems[owner]
    return _place_in_participant(system, part, owner, key)


def _place_in_participant(system: System, part: Participant, owner: str, key: str) -> _Place:
    head = key.partition(".")[0].partition("[")[0]
    model = part.subsystem
    if head in _OF_PARTICIPANT:
        return _Place("participant", owner, path_of(key, {head: _tree(getattr(part, head))}))
    if isinstance(model, Fmu) and key in model.description.by_name:
        return _Place("subsystem", owner, (key,))
    known = [] if model.made_by is None else model.made_by.names
    if head in known:
        assert model.made_by is not None
        return _Place("subsystem", owner, path_of(key, model.made_by.arguments()))
    if model.made_by is None and not model.copied_for_runs and hasattr(model, head) and not head.startswith("_"):
        known = list(vars(model))
        return _Place("subsystem", owner, path_of(key, {head: getattr(model, head)}))
    if key in model.input_widths:
        return _Place("constant", f"{owner}.{key}", ())
    hint = did_you_mean(head, [*known, *_OF_PARTICIPANT, *model.input_widths])
    raise SetupError(f'"{owner}" has neither an argument nor an input "{key}"{hint}')


def _tree(value: Any) -> Any:
    """Return a record as a table of its fields, so that paths can be read."""
    try:
        return {field.name: _tree(getattr(value, field.name)) for field in fields(value)}
    except TypeError:
        return value


def _place_of_connection(system: System, name: str) -> _Place:
    keys = ("gain", "offset", "initial", "approximation")
    if name.startswith("connections["):
        index_text, _, rest = name.removeprefix("connections[").partition("].")
        number = int(index_text) if index_text.isdecimal() else -1
    else:
        source, _, rest = (part.strip() for part in name.partition("->"))
        found = [k for k, c in enumerate(system.connections) if source in c.sources and rest.startswith(f"{c.target}.")]
        number = found[0] if len(found) == 1 else -1
        rest = rest.removeprefix(f"{system.connections[number].target}.") if number >= 0 else rest
    if not 0 <= number < len(system.connections):
        known = [f"{c.sources[0]} -> {c.target}" for c in system.connections]
        raise SetupError(f"no such connection{did_you_mean(name.rpartition('.')[0], known)}")
    path = path_of(rest, {"gain": [], "approximation": {}})
    if path[0] not in keys:
        raise SetupError(f'no such key "{path[0]}" of a connection{did_you_mean(str(path[0]), keys)}')
    if path[0] == "approximation" and len(path) > 1:
        _check_argument(system.connections[number], str(path[1]))
    return _Place("connection", number, path)


def _check_argument(connection: Connection, name: str) -> None:
    for given in connection.approximations:
        known = [] if given is None or given.made_by is None else given.made_by.names
        if name not in known:
            raise SetupError(
                f'its approximation has no argument "{name}"{did_you_mean(name, known)}; '
                'to compare kinds, vary the whole of it: "approximation": [cp.hold(), cp.lagrange(2)]'
            )


def _connection(connection: Connection, path: tuple[Key, ...], value: Any) -> Connection:
    """Return a connection with one value changed; one approximation or gain is for all its sources."""
    key, rest = path[0], path[1:]
    if key == "gain":
        gains = changed(connection.gains, rest, value) if rest else (float(value),) * len(connection.gains)
        return replace(connection, gains=gains)
    if key != "approximation":
        return replace(connection, **{str(key): value})
    if not rest:
        return replace(connection, approximations=(value,) * len(connection.approximations))
    made = []
    for given in connection.approximations:
        assert given is not None and given.made_by is not None  # see _check_argument
        made.append(given.made_by.function(**changed(given.made_by.arguments(), rest, value)))
    return replace(connection, approximations=tuple(made))


Remake = Callable[[list[tuple[tuple[Key, ...], Any]]], Subsystem]


def _remaker(name: str, model: Subsystem) -> Remake:
    """Return what makes a subsystem with other values."""
    if isinstance(model, Fmu) and model.made_by is not None:
        return _FmuRemaker(model, model.made_by.arguments())
    if model.made_by is None:
        return _AttributeSetter(model)
    function, arguments = model.made_by.function, model.made_by.arguments()

    def remake(given: list[tuple[tuple[Key, ...], Any]]) -> Subsystem:
        made = arguments
        for path, value in given:
            made = changed(made, path, value)
        try:
            subsystem: Subsystem = function(**made)
        except SetupError as error:
            raise SetupError([f"subsystems.{name}.{problem}" for problem in error.problems]) from None
        return subsystem

    return remake


@dataclass(frozen=True)
class _AttributeSetter:
    model: Subsystem

    def __call__(self, given: list[tuple[tuple[Key, ...], Any]]) -> Subsystem:
        for path, value in given:
            now = getattr(self.model, str(path[0]), None)
            setattr(self.model, str(path[0]), changed(now, path[1:], value))
        return self.model


@dataclass(frozen=True)
class _FmuRemaker:
    model: Fmu
    arguments: Mapping[str, Any]

    def __call__(self, given: list[tuple[tuple[Key, ...], Any]]) -> Subsystem:
        parameters = dict(self.arguments.get("parameters") or {})
        start = dict(self.arguments.get("start") or {})
        for path, value in given:
            variable = self.model.description.by_name[str(path[0])]
            causes = variable.causality in ("parameter", "structuralParameter")
            (parameters if causes else start)[variable.name] = value
        return self.model.varied(parameters, start)
