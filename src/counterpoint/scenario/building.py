"""From checked tables to a System: subsystems, connections, constants, and what does not fit together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from .. import approximations
from .. import pace as paces
from .._cases.registry import check_kind
from .._common.ports import columns, port_widths
from .._files.csv_files import read_csv
from .._files.document import read_document
from .._files.folder import Folder, call
from .._files.overriding import overridden
from .._files.problems import KeyPath, Mistakes, path_of, quoted
from .._files.tables import Table
from .._run.precedence import custom, sequential
from ..errors import SetupError, did_you_mean
from ..pace import Pace
from ..subsystems import linear, ode, second_order, table
from ..system import Connection, Participant, System
from ..windows import Window, compound_fast, estimated_response, window
from . import approximation_models, models, pace_models
from .interfaces import add_bonds, add_events
from .vocabulary import keys_at

_OWN_PLACE = re.compile(r"^(connections\[\d+\]\.|pace\.|bonds\.[^.:]+(\.|: ))")
"""Where a System says a problem is; we know it better, in terms of the file."""


@dataclass
class Builder:
    """Build a System from tables and note every mistake on the way.

    Parameters
    ----------
    table : ScenarioTable
        The scenario, possibly without the parts that were wrong.
    indices : list of int
        For each connection of ``table`` its index in the file.
    folder : Folder
        Where the files of the scenario lie.
    mistakes : Mistakes
        Where problems go.
    run_code : bool
        Whether Python files of the scenario may run and other programs be connected to; if not, what they provide is
        left out.
    allow_remote : tuple of str
        Addresses beyond this computer that the user, not the scenario, allows.
    """

    table: models.ScenarioTable
    indices: list[int]
    folder: Folder
    mistakes: Mistakes
    run_code: bool = True
    allow_remote: tuple[str, ...] = ()
    left_out: dict[str, None] = field(default_factory=dict)  #: what was not run or connected to, for people

    def system(self, name: str) -> System:
        """Return the system; what could not be built is missing from it and noted."""
        system = System(name, convert=self.table.convert)
        if self.run_code:
            self._check_remotes()
        for subsystem_name, entry in self.table.subsystems.items():
            self._add(system, subsystem_name, entry)
        missing = set(self.mistakes.document.values.get("subsystems", ())) - set(system.subsystems)
        kept = [self._connect(system, k, missing) for k in range(len(self.table.connections))]
        for port, value in self.table.constants.items():
            if port.partition(".")[0] not in missing:
                with self.noting("set", port):
                    system.set(port, value)
        places = [f"connections[{index}]" for index in kept if index is not None]
        places += add_bonds(self, system, missing)
        add_events(self, system, missing)
        self._check(system, places)
        self._check_plot(system, missing)
        return system

    def part(self, name: str) -> System:
        """Return a system of one subsystem alone, and its constants; the others are left as they are."""
        system = System(name, convert=self.table.convert)
        entry = self.table.subsystems[name]
        if isinstance(entry, models.Remote):
            self._check_remote(("subsystems", name), entry)
        self._add(system, name, entry)
        for port, value in self.table.constants.items():
            if port.partition(".")[0] == name and name in system.subsystems:
                with self.noting("set", port):
                    system.set(port, value)
        return system

    def participant(self, name: str) -> Participant | None:
        """Return one subsystem with its step, made again; None when something is wrong with it, which is noted."""
        system = System(name)
        self._add(system, name, self.table.subsystems[name])
        return system.subsystems.get(name)

    def with_values(self, name: str, before: Participant) -> Participant | None:
        """Return an FMU with other parameters and start values; it shares files and library of the one before."""
        entry = self.table.subsystems[name]
        assert isinstance(entry, models.Fmu)
        with self.noting("subsystems", name):
            made: Any = before.subsystem
            return replace(before, subsystem=made.varied(entry.parameters, entry.start))
        return None

    def connection(self, position: int) -> Connection:
        """Return one connection, made again."""
        system = System("one connection", convert=self.table.convert)
        self._connect(system, position, set())
        return system.connections[0]

    def scheme(self) -> Any:
        """Return the scheme in the form that ``System.run`` takes."""
        scheme = self.table.scheme
        if isinstance(scheme, models.WaitsFor):
            return custom(scheme.waits_for)
        if isinstance(scheme, models.Sequential):
            return sequential(scheme.sequential)
        return scheme

    def window(self) -> Window | None:
        """Return the windows in the form that ``System.run`` takes."""
        given = self.table.window
        if given is None or isinstance(given, str):
            return None if given is None else Window(stencil="centred")
        if given.estimate is not None:
            return estimated_response(given.length, given.estimate)
        rest = given.model_dump(exclude={"stencil", "compound", "fast", "estimate", "derivatives"}, exclude_none=True)
        if given.compound is None:
            return window(**rest, stencil=given.stencil)
        return compound_fast(**rest, share=given.compound, fast=given.fast)

    def _add(self, system: System, name: str, entry: models.AnySubsystem) -> None:
        at: KeyPath = ("subsystems", name)
        with self.noting(*at):
            subsystem = _MAKERS[type(entry)](self, at, entry)
            if subsystem is not None:
                system.add(name, subsystem, step=entry.step, pace=self._pace((*at, "pace"), entry.pace))

    def pace(self) -> Pace | None:
        """Return the pace of all subsystems in the form that ``System.run`` takes."""
        return self._pace(("pace",), self.table.pace)

    def _pace(self, at: KeyPath, entry: pace_models.AnyPace | None) -> Pace | None:
        if entry is None:
            return None
        with self.noting(*at):
            if isinstance(entry, pace_models.PythonPace):
                made: Pace | None = self._python((*at, "object"), entry.object, entry.arguments)
                return made
            options = {key: value for key, value in entry if value is not None and key != "kind"}
            if isinstance(entry, pace_models.EnergyPace) and entry.bonds is not None:
                options["bonds"] = [tuple(bond) for bond in entry.bonds]
            return cast(Pace, getattr(paces, entry.kind.replace("-", "_"))(**options))
        return None

    def _connect(self, system: System, position: int, missing: set[str]) -> int | None:
        """Make one connection; return its index in the file, or None when it was left out."""
        entry, index = self.table.connections[position], self.indices[position]
        at: KeyPath = ("connections", index)
        if missing & {port.partition(".")[0] for port in (*entry.sources, entry.to)}:
            return None
        source: Any = entry.sources if len(entry.sources) > 1 else entry.sources[0]
        options = _given(entry, "sources", "to", "approximation", "law")
        if entry.law is not None:
            law = self.load((*at, "law"), entry.law)
            if law is None:
                return None
            options["law"] = law
        approximation = self._approximation(at, entry)
        made = len(system.connections)
        with self.noting(*at):
            system.connect(source, entry.to, *approximation, **options)
        return index if len(system.connections) > made else None

    def _approximation(self, at: KeyPath, entry: models.Connection) -> list[Any]:
        """Return the approximation of a connection as a list of at most one: none means the default."""
        table = entry.approximation or self.table.approximation
        if table is None:
            return []
        where = (*at, "approximation") if entry.approximation else ("approximation",)
        with self.noting(*where):
            made = self.make_approximation(where, table)
            return [] if made is None else [made]
        return []

    def make_approximation(self, at: KeyPath, table: approximation_models.AnyApproximation) -> Any:
        """Return the approximation of a table."""
        if isinstance(table, approximation_models.PythonApproximation):
            return self._python((*at, "object"), table.object, table.arguments)
        options = [getattr(table, name) for name in type(table).model_fields if name != "kind"]
        return getattr(approximations, table.kind.replace("-", "_"))(*options)

    def _linear(self, at: KeyPath, entry: models.Linear) -> Any:
        return linear(**_given(entry))

    def _second_order(self, at: KeyPath, entry: models.SecondOrder) -> Any:
        return second_order(**{"C": None} | _given(entry))

    def _ode(self, at: KeyPath, entry: models.Ode) -> Any:
        options = _given(entry)
        for key in {"rhs", "output"} & set(options):
            options[key] = self.load((*at, key), options[key])
            if options[key] is None:
                return None
        return ode(**options)

    def _python_subsystem(self, at: KeyPath, entry: models.PythonSubsystem) -> Any:
        return self._python((*at, "object"), entry.object, entry.arguments)

    def _table_source(self, at: KeyPath, entry: models.TableSource) -> Any:
        options = _given(entry, "file", "separator", "decimal")
        if entry.file is None:
            return table(**options)
        with self.noting(*at, "file"):
            path = self.folder.find(entry.file)
            data = read_csv(path, entry.outputs, separator=entry.separator, decimal=entry.decimal, jumps=True)
            return table(data.times, data.values, **options | {"outputs": data.names})
        return None

    def mechanisms(self) -> dict[str, Any]:
        """Return the mechanisms by the names of their subsystems; mistakes are noted."""
        made = {
            name: self._mechanism(("subsystems", name), entry)
            for name, entry in self.table.subsystems.items()
            if isinstance(entry, models.Multibody)
        }
        return {name: mechanism for name, mechanism in made.items() if mechanism is not None}

    def _multibody(self, at: KeyPath, entry: models.Multibody) -> Any:
        mechanism = self._mechanism(at, entry)
        with self.noting(*at, "file"):
            return None if mechanism is None else mechanism.subsystem()
        return None

    def _mechanism(self, at: KeyPath, entry: models.Multibody) -> Any:
        from ..multibody.files.reading import ABSENT, ModelFile

        with self.noting(*at, "file"):
            path = self._find_model(entry.file, "a mechanism")
            document = overridden(read_document(path), entry.set or {}, absent=ABSENT)
            model = ModelFile.of(path, document, allow_outside=self.folder.allow_outside)
            if not self.run_code and model.runs_code:
                return self._leave_out(f"{entry.file} with Python files")
            return model.build()
        return None

    def _find_model(self, name: str, kind: str) -> Path:
        """Return the path of a file of a certain kind; another kind is named."""
        path = self.folder.find(name)
        check_kind(path, kind)
        return path

    def _diagram(self, at: KeyPath, entry: models.DiagramSubsystem) -> Any:
        from ..diagram.files.reading import DiagramFile

        with self.noting(*at, "file"):
            path = self._find_model(entry.file, "a diagram")
            document = overridden(read_document(path), entry.set or {})
            model = DiagramFile.of(path, document, allow_outside=self.folder.allow_outside)
            if not self.run_code and model.runs_code:
                return self._leave_out(f"{entry.file} with Python files")
            return model.build().subsystem()
        return None

    def _fmu(self, at: KeyPath, entry: models.Fmu) -> Any:
        from ..fmi import Isolation, fmu

        options = _given(entry, "file", "state")
        if entry.state is not None:
            with self.noting(*at, "state"):
                options["state"] = self.folder.find(entry.state)
        if isinstance(entry.isolate, models.Isolation):
            given = _given(entry.isolate)
            options["isolate"] = Isolation(**given | {"environment": tuple(given.get("environment", ()))})
        with self.noting(*at, "file"):
            return fmu(self.folder.find(entry.file), **options)
        return None

    def _remote(self, at: KeyPath, entry: models.Remote) -> Any:
        from ..link.joining import remote

        if not self.run_code:
            return self._leave_out(entry.address)
        options = _given(entry, "insecure")
        if entry.token_file is not None:
            options["token_file"] = self.folder.find_secret(entry.token_file)
        with self.noting(*at, "address"):
            return remote(**options, insecure=entry.address in self.allow_remote)
        return None

    def _check_remotes(self) -> None:
        """Note what a scenario may not decide about other programs; if there is anything, none is connected to."""
        for name, entry in self.table.subsystems.items():
            if isinstance(entry, models.Remote):
                self._check_remote(("subsystems", name), entry)

    def _check_remote(self, at: KeyPath, entry: models.Remote) -> None:
        from ..link.connecting import check_scenario_address

        before = len(self.mistakes.paths)
        with self.noting(*at, "token_file"):
            if entry.token_file is not None:
                self.folder.find_secret(entry.token_file)
        if entry.address not in self.allow_remote:
            with self.noting(*at, "address"):
                check_scenario_address(entry.address)
            if entry.insecure and len(self.mistakes.paths) == before:
                text = "a scenario cannot allow this; remove it: an address of this computer needs no permission"
                self.mistakes.add((*at, "insecure"), text)
        if len(self.mistakes.paths) > before:
            self.run_code = False

    def _python(self, at: KeyPath, reference: str, arguments: dict[str, Any]) -> Any:
        """Call a class or factory of the user; None when that failed (noted) or code may not run."""
        function = self.load(at, reference)
        if function is None:
            return None
        with self.noting(*at):
            return call(function, arguments, reference, self.folder.find_object(reference)[0])
        return None

    def load(self, at: KeyPath, reference: str) -> Callable[..., Any] | None:
        """Return an object of the user; None when that failed (noted) or code may not run."""
        with self.noting(*at):
            self.folder.find_object(reference)
            if self.run_code:
                return self.folder.load(reference)
            self._leave_out(reference)
        return None

    def _leave_out(self, what: str) -> None:
        self.left_out[what] = None

    def _check(self, system: System, places: list[str]) -> None:
        """Ask the system what does not fit; of an incomplete one, only what does not follow from the gaps.

        ``places``: where each connection of the system stands in the file.
        """
        complete = not self.mistakes and self.run_code
        with self.noting("scheme"):
            pace = self.pace()
            lacks_pace = pace is None and "pace" in self.mistakes.document.values
            problems = system.problems(
                until=None if self.table.until == models.NO_END else self.table.until,
                start=self.table.start,
                scheme=self.scheme(),
                window=self.window(),
                first_steps=self.table.first_steps,
                pace=pace,
                real_time=self.table.real_time,
            )
            for problem in problems:
                if lacks_pace and problem.where.endswith(".step"):
                    continue  # the pace that would choose it is wrong, and is reported
                where = re.sub(r"^connections\[(\d+)\]", lambda m: places[int(m[1])], problem.where)
                known = where.startswith(("connections[", "bonds[")) or where.endswith(".step")
                if complete or known or ".pace" in f".{where}":
                    path = path_of(where, self.mistakes.document.values)
                    self.mistakes.add(path, problem.message.removeprefix(f'"{path[-1]}": '))

    def _check_plot(self, system: System, missing: set[str]) -> None:
        known = set(system.subsystems)
        for name, participant in system.subsystems.items():
            widths = port_widths(participant.subsystem.outputs)
            known |= {f"{name}.{port}" for port in (*widths, *columns(widths))}
        for index, signal in enumerate(self.table.plot or ()):
            if signal not in known and signal.partition(".")[0] not in missing:
                hint = did_you_mean(signal, known)
                self.mistakes.add(("plot", index), f"{quoted(signal)}: no such output{hint}")

    @contextmanager
    def noting(self, *at: str | int) -> Iterator[None]:
        """Note what the library complains about as a mistake at this place."""
        try:
            yield
        except SetupError as error:
            known = {key: key for key in keys_at(at, self.mistakes.document.values)}
            self.mistakes.add_error(at, error, lambda text: _OWN_PLACE.sub("", text), known)


def _given(entry: Table, *without: str) -> dict[str, Any]:
    """Return the options that the file gives; the others keep the defaults of the library."""
    left_out = ("type", "step", "pace", *without)
    return {name: value for name, value in entry if value is not None and name not in left_out}


_MAKERS: dict[type[Table], Callable[[Builder, KeyPath, Any], Any]] = {
    models.Linear: Builder._linear,
    models.SecondOrder: Builder._second_order,
    models.Ode: Builder._ode,
    models.PythonSubsystem: Builder._python_subsystem,
    models.TableSource: Builder._table_source,
    models.Multibody: Builder._multibody,
    models.DiagramSubsystem: Builder._diagram,
    models.Fmu: Builder._fmu,
    models.Remote: Builder._remote,
}
