"""The archive of an exported FMU: its ports and parameters, its description, and what it is made of."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import uuid
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .._common.version import VERSION
from .._run.checks import feedthrough_edges
from .._run.feedthrough import as_input
from .._run.options import RunOptions
from .._run.plan import Plan, make_plan
from .._run.precedence import Scheme
from ..approximations import Approximation, lagrange, taylor
from ..errors import OutputError, SetupError, did_you_mean
from ..subsystems import Subsystem
from ..system import System
from ..units import UnitProblem, unit
from .description import GENERATOR, DefaultExperiment, Dimension, Interface, ModelDescription, Unit, Unknown, Variable
from .description_writing import write_description
from .imported_fmu import Fmu
from .runtimes import binaries, check_platforms, is_here

if TYPE_CHECKING:
    from numpy.typing import NDArray


RECIPE = "resources/counterpoint.recipe"

_SETTINGS = frozenset(
    ("by_signals", "count", "has_setpoint", "initial_is_input", "locate_corners", "restarts", "samples",
     "show_saturation", "tracks", "width")
)  # fmt: skip
"""Structural parameters of blocks, which are fixed at export."""


@dataclass(frozen=True)
class _Port:
    """A port that the FMU shows: ``subsystem.port`` in the system, ``name`` outside."""

    full: str
    name: str
    width: int
    unit: str
    start: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Place:
    """Where the values of a variable are: a stretch of all inputs or outputs, or of a parameter of a product."""

    role: _core.recipe.Role
    offset: int = 0
    width: int = 1
    product: int = 0
    key: str = ""


@dataclass
class Export:
    """A system on its way into an FMU."""

    system: System
    stem: str
    version: int
    is_alone: bool = False
    span: tuple[float, float | None] = (0.0, None)  #: start and stop time in s of the default experiment
    inputs: list[_Port] = field(default_factory=list)
    outputs: list[_Port] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    platforms: list[str] | None = None
    _plan: Plan | None = None
    _recipe: _core.recipe.Recipe | None = None
    _slopes: bool = False

    @property
    def identifier(self) -> str:
        """Name of the binary: the file's, as an identifier of C."""
        word = re.sub(r"\W", "_", self.stem, flags=re.ASCII) or "model"
        return f"_{word}" if word[0].isdigit() else word

    def choose_platforms(self, names: Iterable[str] | None) -> None:
        """Note the systems that the FMU is for; raise SetupError for those that it cannot be for."""
        self.platforms = None if names is None else check_platforms([names] if isinstance(names, str) else names)
        others = [name for name in self.platforms or () if not is_here(name)]
        inside = [name for name, e in self.system.subsystems.items() if isinstance(e.subsystem, Fmu)]
        if others and inside:
            raise SetupError(
                f'platforms: "{others[0]}": "{inside[0]}" is an FMU, of which only the binary of this platform is '
                "included; leave platforms out"
            )

    def choose_ports(self, inputs: Iterable[str] | None, outputs: Iterable[str] | None) -> None:
        """Find the ports of the FMU; raise SetupError for unknown names."""
        driven = {connection.target for connection in self.system.connections}
        everything = {kind: {self._outside(full): full for full in self._ports(kind)} for kind in ("inputs", "outputs")}
        free = {name: full for name, full in everything["inputs"].items() if full not in driven}
        shown = {
            name: full
            for name, full in everything["outputs"].items()
            if self.system.subsystems[full.partition(".")[0]].record
        }
        unset = {name: full for name, full in free.items() if full not in self.system.constants}
        problems: list[str] = []
        chosen_inputs = _chosen("inputs", inputs, unset, free, problems)
        chosen_outputs = _chosen("outputs", outputs, shown, everything["outputs"], problems)
        if not problems and not chosen_outputs:
            problems.append("outputs: none; expected at least one output")
        if problems:
            raise SetupError(problems)
        self.inputs = [self._port(name, free[name], "inputs") for name in chosen_inputs]
        self.outputs = [self._port(name, everything["outputs"][name], "outputs") for name in chosen_outputs]
        for port in self.inputs:
            self.system.constants[port.full] = np.array(port.start)

    def compile(
        self, scheme: str | Scheme, approximation: Approximation | None, input_approximation: Approximation | None
    ) -> None:
        """Translate the system and describe the variables; raise SetupError with everything that cannot be exported."""
        plan = self._plan = make_plan(self.system, RunOptions(scheme=scheme, approximation=approximation))
        recipe = self._recipe = _core.recipe.Recipe(plan.spec, list(map(self._named, plan.names)))
        self._slopes = input_approximation is None and bool(self.inputs)
        for port in self.inputs:
            recipe.add_input(*self._place(port, "inputs"), (input_approximation or taylor(1))._native())
        for port in self.outputs:
            owner, _, output = port.full.partition(".")
            preferred = self.system.subsystems[owner].subsystem.approximation_of(output)
            chosen = preferred or approximation or lagrange(1)
            recipe.add_output(*self._place(port, "outputs"), chosen._native())
        problems = recipe.problems()
        if problems:
            raise SetupError(problems)
        self._describe_variables(recipe)

    def write(self, target: Path) -> Path:
        """Write the archive; return its path."""
        assert self._recipe is not None
        digest = hashlib.sha256(self._recipe.to_file("")).digest()
        token = f"{{{uuid.UUID(bytes=digest[:16], version=4)}}}"
        files = {
            "modelDescription.xml": write_description(self._description(token)),
            RECIPE: self._recipe.to_file(token),
        }
        for name, content in binaries(self.platforms, self.version).items():
            folder, _, suffix = name.partition("/")
            files[f"binaries/{folder}/{self.identifier}{suffix}"] = content
        for number, folder in self._recipe.folders():
            files |= _files(Path(folder), f"resources/fmus/{number}")
        partial = target.with_name(f"{target.name}.part")
        try:
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, content in files.items():
                    # The same model gives the same bytes: no time of day, permissions of a library for all.
                    entry = zipfile.ZipInfo(name)
                    entry.external_attr = (0o755 if "binaries/" in name else 0o644) << 16
                    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            partial.replace(target)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise OutputError(f"{target}: cannot be written: {error.strerror or error}", str(target)) from error
        return target

    # Ports

    def _ports(self, kind: str) -> list[str]:
        return [
            f"{name}.{port}"
            for name, participant in self.system.subsystems.items()
            for port in (
                participant.subsystem.input_widths if kind == "inputs" else participant.subsystem.output_widths
            )
        ]

    def _named(self, name: str) -> _core.recipe.ParticipantNames:
        """Return a subsystem's name and its ports, for messages of the FMU."""
        subsystem = self.system.subsystems[name].subsystem
        inputs, outputs = list(subsystem.input_widths.items()), list(subsystem.output_widths.items())
        return _core.recipe.ParticipantNames(name, inputs, outputs)

    def _outside(self, full: str) -> str:
        """Name of a port outside: that of the system, or of the model alone."""
        return full.partition(".")[2] if self.is_alone else full

    def _port(self, name: str, full: str, kind: str) -> _Port:
        owner, _, port = full.partition(".")
        subsystem = self.system.subsystems[owner].subsystem
        width = (subsystem.input_widths if kind == "inputs" else subsystem.output_widths)[port]
        given = self.system.constants.get(full, subsystem.defaults.get(port, 0.0)) if kind == "inputs" else 0.0
        start = np.broadcast_to(np.asarray(given, dtype=np.float64), (width,))
        return _Port(full, name, width, subsystem.units.get(port, ""), _tuple(start) if kind == "inputs" else ())

    def _place(self, port: _Port, kind: str) -> tuple[int, int, int]:
        """Return subsystem, first scalar and width of a port, as the core numbers them."""
        assert self._plan is not None
        place = self._plan.ports.place(port.full, kind)
        return place.participant, place.offset, place.width

    # Variables

    def _describe_variables(self, recipe: _core.recipe.Recipe) -> None:
        if self.version == 3:
            taken = {port.name for port in (*self.inputs, *self.outputs)}
            candidates = itertools.chain(["time"], (f"time{k}" for k in itertools.count(1)))
            name = next(word for word in candidates if word not in taken)
            self._add_variable(name, "independent", _Place(_core.recipe.Role.time), unit="s")
        for role, causality, ports in (
            (_core.recipe.Role.input, "input", self.inputs),
            (_core.recipe.Role.output, "output", self.outputs),
        ):
            offset = 0
            for port in ports:
                self._add_scalars_or_array(
                    port.name, causality, _Place(role, offset, port.width), port.unit, port.start
                )
                offset += port.width
        for tunable in recipe.tunables():
            path, name, values = tunable.path, tunable.name, tunable.values
            is_shown = (len(values) == 1 or name == "x0") and all(map(math.isfinite, values))
            if is_shown and name not in _SETTINGS and not self._is_inlet(path, name):
                words = [word.replace("/", ".") for word in (path[1:] if self.is_alone else path)]
                place = _Place(_core.recipe.Role.parameter, 0, len(values), tunable.product, name)
                self._add_scalars_or_array(".".join([*words, name]), "parameter", place, "", tuple(values))
        names = [v.name for v in self.variables]
        problems = [
            f'"{name}": several variables of the FMU would have this name; rename blocks or ports'
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        if problems:
            raise SetupError(problems)

    def _is_inlet(self, path: list[str], name: str) -> bool:
        """Whether a parameter belongs to an input of a diagram, whose value comes from outside."""
        is_of_inlets = name in ("value", "offset") and len(path) > 1
        return is_of_inlets and path[1] in self.system.subsystems[path[0]].subsystem.inputs

    def _add_scalars_or_array(
        self, name: str, causality: str, place: _Place, unit: str, start: tuple[float, ...]
    ) -> None:
        """Add a variable; FMI 2 knows no arrays."""
        if place.width == 1 or self.version == 3:
            self._add_variable(name, causality, place, unit=unit, start=start)
            return
        for k in range(place.width):
            scalar = replace(place, offset=place.offset + k, width=1)
            self._add_variable(f"{name}[{k}]", causality, scalar, unit=unit, start=start[k : k + 1])

    def _add_variable(
        self, name: str, causality: str, place: _Place, *, unit: str = "", start: tuple[float, ...] = ()
    ) -> None:
        assert self._recipe is not None
        reference = len(self.variables) + 1
        self._recipe.add_variable(
            reference, place.role, place.offset, place.width, place.product, place.key, list(start)
        )
        self.variables.append(
            Variable(
                name=name,
                reference=reference,
                type="Float64",
                causality=causality,
                variability="fixed" if causality == "parameter" else "continuous",
                initial={"parameter": "exact", "output": "calculated"}.get(causality, ""),
                start=start or None,
                dimensions=(Dimension(place.width),) if place.width > 1 else (),
                unit=unit,
                intermediate_update=causality in ("input", "output"),
            )
        )

    # Description

    def _description(self, token: str) -> ModelDescription:
        assert self._recipe is not None and self._plan is not None
        participants = self.system.subsystems.values()
        steps = [participant.step for participant in participants if participant.step]
        can_save = all(participant.subsystem.can_save for participant in participants)
        unknowns = tuple(self._unknowns())
        return ModelDescription(
            version=f"{self.version}.0",
            name=self.system.name,
            token=token,
            variables=tuple(self.variables),
            co_simulation=Interface(
                model_identifier=self.identifier,
                only_once_per_process=any(_is_for_once(participant.subsystem) for participant in participants),
                can_get_and_set_state=can_save,
                can_serialize_state=all(_can_serialize(participant.subsystem) for participant in participants),
                # Outputs of an FMU follow its inputs in its next step only: what they depend on cannot be tried out.
                provides_directional_derivatives=can_save
                and not any(isinstance(e.subsystem, Fmu) for e in participants),
                variable_steps=True,
                max_output_derivative_order=int(all(map(self._knows_slopes, self.outputs))),
                can_interpolate_inputs=self._slopes,
                provides_intermediate_update=self.version == 3,
                can_return_early_after_intermediate_update=self.version == 3,
            ),
            units={v.unit: _unit(v.unit) for v in self.variables if v.unit},
            experiment=DefaultExperiment(*self.span, step=max(steps, default=None)),
            outputs=unknowns,
            initial_unknowns=unknowns,
            tool=f"{GENERATOR} {VERSION}",
        )

    def _knows_slopes(self, port: _Port) -> bool:
        """Whether dy/dt of an output is known: its subsystem says it, or can try two short steps and take them back."""
        assert self._recipe is not None
        subsystem = self.system.subsystems[port.full.partition(".")[0]].subsystem
        is_tried = subsystem.can_save and not isinstance(subsystem, Fmu)
        return is_tried or self._recipe.offers_derivatives(self._place(port, "outputs")[0])

    def _unknowns(self) -> Iterable[Unknown]:
        """Yield what the FMU computes with what it depends on: inputs that pass through, parameters."""
        edges = feedthrough_edges(self.system, at_start=True)
        reached = {port.full: _reached(edges, as_input(port.full)) for port in self.inputs}
        parameters = [v.name for v in self.variables if v.causality == "parameter"]
        for port in self.outputs:
            passing = [source for source in self.inputs if port.full in reached[source.full]]
            names = [name for source in passing for name in self._variable_names(source)]
            for name in self._variable_names(port):
                yield Unknown(name, (*names, *parameters))

    def _variable_names(self, port: _Port) -> list[str]:
        if port.width == 1 or self.version == 3:
            return [port.name]
        return [f"{port.name}[{k}]" for k in range(port.width)]


def _chosen(
    key: str, names: Iterable[str] | None, usual: dict[str, str], allowed: dict[str, str], problems: list[str]
) -> list[str]:
    if names is None:
        return list(usual)
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    problems += [
        f'{key}: "{name}": no such {key[:-1]} that is unconnected{did_you_mean(name, allowed)}'
        if key == "inputs"
        else f'{key}: "{name}": no such {key[:-1]}{did_you_mean(name, allowed)}'
        for name in wanted
        if name not in allowed
    ]
    return wanted


def _is_for_once(subsystem: Subsystem) -> bool:
    """Whether a subsystem is an FMU that allows one instance per process."""
    return isinstance(subsystem, Fmu) and subsystem.interface.only_once_per_process


def _can_serialize(subsystem: Subsystem) -> bool:
    """Whether the state of a subsystem can be serialised: always, unless an FMU inside cannot."""
    return subsystem.can_save and (not isinstance(subsystem, Fmu) or subsystem.interface.can_serialize_state)


def _unit(text: str) -> Unit:
    """Return a unit with its base units, where these are known."""
    try:
        known = unit(text)
    except UnitProblem:
        return Unit(text)
    return Unit(text, known.exponents, known.factor, known.offset)


def _reached(edges: dict[str, list[str]], port: str) -> set[str]:
    """Return the ports that depend on a port at the same instant."""
    seen: set[str] = set()
    waiting = [port]
    while waiting:
        for following in edges.get(waiting.pop(), ()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen


def _files(folder: Path, inside: str) -> dict[str, bytes]:
    """Return the files of a folder by their names in the archive."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{inside}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in found}


def _tuple(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
