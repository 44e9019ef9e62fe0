"""From a flat system structure to the tables of a scenario, with the places in the files that they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._files.problems import Path
from ..fmi.description import FLOATS, NUMERIC
from . import structure as s
from .flattening import Edge, Flat, Key, Leaf
from .signals import follow, value_of

_PARAMETERS = ("parameter", "structuralParameter")


@dataclass
class Tables:
    """Tables of a scenario, where each of them comes from, and the names that FMUs get when they are written."""

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[Path, s.Place] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    unpacked: set[str] = field(default_factory=set)  #: files that lie in a directory that will be removed


def to_tables(flat: Flat, structure: s.Structure, until: float | None, step: float | None) -> Tables:
    """Say in tables of a scenario what a system structure says.

    Parameters
    ----------
    until : float or None
        End of the run in s, instead of what the file says.
    step : float or None
        Step in s of FMUs that suggest none.
    """
    made = Tables()
    settings = structure.system.settings
    made.values |= {"convert": True} if settings is None else settings
    for key in made.values:
        made.places[key,] = structure.system.place
    _add_times(made, structure, until)
    made.values["subsystems"] = {}
    made.values["connections"] = []
    constants: dict[str, Any] = {}
    for leaf in flat.leaves.values():
        _add_subsystem(made, flat, leaf, constants)
        _add_step(made.values["subsystems"][leaf.name], leaf, structure.system, step)
    for edge in flat.drivers.values():
        if edge.sink[0] in flat.leaves:
            _add_connection(made, flat, edge)
    if constants:
        made.values["set"] = constants
    _complain_about_open_inputs(flat, structure)
    return made


def _complain_about_open_inputs(flat: Flat, structure: s.Structure) -> None:
    used = {edge.source for edge in flat.drivers.values()}
    for name, connector in structure.system.connectors.items():
        if connector.kind == "input" and ((), name) in used and ((), name) not in flat.values:
            connector.place.complain("is not connected; the inputs behind it keep their own values")


def _add_times(made: Tables, structure: s.Structure, until: float | None) -> None:
    made.places["until",] = made.places["start",] = structure.experiment
    stop = structure.stop if until is None else until
    if stop is None:
        structure.experiment.wrong("stopTime is missing; set the end time with --until 10 (until=10)")
        stop = (structure.start or 0.0) + 1.0
    made.values["until"] = stop
    if structure.start is not None:
        made.values["start"] = structure.start


def _add_kind(table: dict[str, Any], leaf: Leaf) -> None:
    """Say how an FMU is run, if the file does."""
    wanted = leaf.component.implementation
    for kind, name in s.IMPLEMENTATIONS.items():
        if wanted == name:
            table["kind"] = kind
            if getattr(leaf.description, kind.replace("-", "_")) is None:
                leaf.component.place.wrong(f"implementation = {wanted}; the FMU does not support it")


def _add_step(table: dict[str, Any], leaf: Leaf, system: s.System, step: float | None) -> None:
    """Give an FMU a step: what our settings say, else that of another master, else the FMU's own, else the default."""
    if "step" in table or (system.settings is not None and leaf.component.settings is not None):
        return
    if leaf.description.co_simulation is None or table.get("kind") == "model-exchange":
        return  # our solver chooses its own steps
    fixed = leaf.description.co_simulation.fixed_internal_step
    if system.step is not None:
        table["step"] = system.step
    elif leaf.description.experiment.step is None and fixed is None and step is not None:
        table["step"] = step


def _add_subsystem(made: Tables, flat: Flat, leaf: Leaf, constants: dict[str, Any]) -> None:
    component = leaf.component
    settings = dict(component.settings or {})
    in_set = settings.pop("set", [])
    table: dict[str, Any] = {"type": "fmu", "file": str(leaf.file)} | settings
    made.files[str(leaf.file)] = _written_name(leaf)
    if leaf.store.packed:
        made.unpacked.add(str(leaf.file))
    at: Path = ("subsystems", leaf.name)
    made.places[at] = component.place
    _add_kind(table, leaf)
    values = _values(flat, leaf)
    for name, value in values.items():
        if name in in_set:
            constants[f"{leaf.name}.{name}"] = value
            continue
        variable = leaf.description.by_name[name]
        part = "parameters" if variable.causality in _PARAMETERS else "start"
        table.setdefault(part, {})[name] = value
        made.places[(*at, part)] = component.place
    extra = _extra_outputs(flat, leaf)
    if extra and "outputs" not in table:
        table["outputs"] = [v.name for v in leaf.description.with_causality("output") if v.type in NUMERIC] + extra
    made.values["subsystems"][leaf.name] = table


def _written_name(leaf: Leaf) -> str:
    """Return the name that an FMU gets when it is written beside a scenario file."""
    root = leaf.store.root.resolve()
    name = leaf.file.relative_to(root).as_posix() if leaf.file.is_relative_to(root) else leaf.file.name
    return leaf.store.prefix + (name.removeprefix("resources/") if leaf.store.packed else name)


def _values(flat: Flat, leaf: Leaf) -> dict[str, Any]:
    """Return the values of a component's variables: bound to them, or to what they are connected to."""
    found: dict[str, Any] = {}
    keys = [key for key in flat.values if key[0] == leaf.path]
    keys += [key for key in flat.drivers if key[0] == leaf.path and key not in flat.values]
    for key in keys:
        chain = flat.chain(key)
        outer = flat.values.get(chain[0].source) if chain and chain[0].source[0] not in flat.leaves else None
        given = outer or flat.values.get(key)
        value = None if given is None else value_of(flat, given, key, chain if outer else [])
        if value is not None:
            found[key[1]] = value
    return found


def _extra_outputs(flat: Flat, leaf: Leaf) -> list[str]:
    """Return variables that are connected although they are no outputs, such as calculated parameters."""
    found: dict[str, None] = {}
    for edge in flat.drivers.values():
        path, name = edge.source
        variable = leaf.description.by_name.get(name) if path == leaf.path else None
        if variable is not None and variable.causality in ("local", "calculatedParameter"):
            found[name] = None
    return list(found)


def _add_connection(made: Tables, flat: Flat, edge: Edge) -> None:
    chain = flat.chain(edge.sink)
    source = chain[0].source if chain else edge.sink
    if source[0] not in flat.leaves:
        return  # an outer connector without a driver: its value, if it has one, is a start value
    place = edge.connection.place
    if not _connectable(flat, source, edge.sink, place):
        return
    path = follow(flat, chain)
    if path is None:
        return
    table: dict[str, Any] = {"from": _port(flat, source), "to": _port(flat, edge.sink)}
    transformation = edge.connection.transformation
    if path.plain and not isinstance(transformation, s.Mapping):
        if transformation is not None:
            table |= {
                k: v for k, v in (("gain", transformation.factor), ("offset", transformation.offset)) if v is not None
            }
        if not edge.connection.converts:
            table["convert"] = False
    else:
        table |= {"gain": path.total.gain} if path.total.gain != 1.0 else {}
        table |= {"offset": path.total.offset} if path.total.offset != 0.0 else {}
        table["convert"] = False  # all units along the way have been looked at
    if edge.connection.settings is not None:
        table |= edge.connection.settings
    elif not _is_continuous(flat, source, edge.sink):
        table["approximation"] = {"kind": "hold"}
    made.places["connections", len(made.values["connections"])] = place
    made.values["connections"].append(table)


def _connectable(flat: Flat, source: Key, sink: Key, place: s.Place) -> bool:
    given, taken = flat.variable(source), flat.variable(sink)
    if given is None or taken is None:
        return False  # told where the connector is
    if taken.causality in _PARAMETERS:
        place.wrong(
            f'"{source[1]}" of an FMU is connected to the parameter "{sink[1]}" of another, which is not '
            "supported; give the parameter a value"
        )
        return False
    for key, variable in ((source, given), (sink, taken)):
        if variable.type not in NUMERIC:
            place.wrong(f'"{key[1]}" is of type {variable.type}; signals must be numeric')
            return False
    return True


def _is_continuous(flat: Flat, *keys: Key) -> bool:
    """Whether a signal may be drawn out beyond its samples; whole numbers and truth values are held instead."""
    variables = [flat.variable(key) for key in keys]
    return all(v is not None and v.type in FLOATS for v in variables)


def _port(flat: Flat, key: Key) -> str:
    return f"{flat.leaves[key[0]].name}.{key[1]}"
