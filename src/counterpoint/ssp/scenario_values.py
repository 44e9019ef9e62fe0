"""From a flat system structure to the tables of a scenario, with the places in the files that they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._files.csv_files import read_csv
from .._files.problems import KeyPath
from ..errors import ScenarioError, did_you_mean
from ..fmi.description import FLOATS, INTEGERS, NUMERIC, Interface, Variable
from ..fmi.steps import fitting_end
from ..fmi.values import wrong_place
from . import structure as s
from .flattening import Addition, Edge, Flat, Key, Leaf
from .signals import follow, value_of

_SPAN = 1.0
"""Length of a run in s where nothing says one, as in other tools (FMPy, cosim)."""
_LEAST_STEPS = 10
"""Steps of the slowest component that such a run makes at least."""
_ANY_SPAN = 10.0
"""Length of a run in s that is not made, to choose steps for a system that is only looked at."""
_MOST_ENDS = 100
"""Ends of a run that are tried, each one a multiple of more steps."""
_TEXTS = ("String", "Binary")
_PARAMETERS = ("parameter", "structuralParameter")


@dataclass
class Tables:
    """Tables of a scenario, where each of them comes from, and the names that FMUs get when they are written."""

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[KeyPath, s.Location] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    unpacked: set[str] = field(default_factory=set)  #: files that lie in a directory that will be removed


@dataclass(frozen=True)
class Choices:
    """What whoever runs a system structure says about it; see :func:`counterpoint.ssp.read`."""

    until: float | None = None
    step: float | None = None
    steps: Mapping[str, float] = field(default_factory=dict)
    isolate: bool = False
    lenient: bool = False
    set: Mapping[str, Any] = field(default_factory=dict)
    input: Path | None = None
    outputs: tuple[str, ...] = ()
    runs: bool = True  #: False: it is only looked at, and nothing need be chosen


def to_tables(flat: Flat, structure: s.Structure, choices: Choices) -> Tables:
    """Say in tables of a scenario what a system structure says, with the choices of whoever runs it."""
    made = Tables()
    settings = structure.system.settings
    made.values |= {"convert": True} if settings is None else settings
    for key in made.values:
        made.places[key,] = structure.system.place
    _add_times(made, flat, structure, choices)
    made.values["subsystems"] = {}
    made.values["connections"] = []
    constants: dict[str, Any] = {}
    for leaf in flat.leaves.values():
        _add_subsystem(made, flat, leaf, constants, choices.outputs)
        table = made.values["subsystems"][leaf.name]
        _add_step(table, leaf, structure, choices)
        if choices.isolate or leaf.component.isolated:
            table.setdefault("isolate", True)
        table |= {"lenient": True} if choices.lenient else {}
        table |= flat.options.get(leaf.path, {})
    _fill_steps(made, flat, choices.runs)
    if choices.runs:
        _fit_end(made, flat, structure)
    for edge in flat.drivers.values():
        if edge.sink[0] in flat.leaves:
            _add_connection(made, flat, edge)
    for addition in flat.sums:
        _add_sum(made, flat, addition)
    if constants:
        made.values["set"] = constants
    if choices.input is not None:
        add_table(made, flat, choices.input)
    if choices.outputs:
        made.values["plot"] = list(choices.outputs)
    _complain_about_open_inputs(flat, structure)
    return made


def _complain_about_open_inputs(flat: Flat, structure: s.Structure) -> None:
    used = {edge.source for edge in flat.drivers.values()}
    for name, connector in structure.system.connectors.items():
        valued = ((), name) in flat.values or ((), name) in flat.given
        if connector.kind == "input" and ((), name) in used and not valued:
            connector.place.complain("is not connected; the inputs behind it keep their own values")


def _add_times(made: Tables, flat: Flat, structure: s.Structure, choices: Choices) -> None:
    made.places["until",] = made.places["start",] = structure.experiment
    stop = structure.stop if choices.until is None else choices.until
    start = structure.start or 0.0
    if stop is None:
        ends = [leaf.description.experiment.stop for leaf in flat.leaves.values()]
        stop = max((end for end in ends if end is not None and end > start), default=None)
        if stop is not None:
            text = f"stopTime is missing; the run ends at {stop:g} s, as the FMUs suggest; --until sets another end"
            structure.experiment.complain(text)
    if stop is None:
        stop = start + max(_SPAN, _LEAST_STEPS * _longest_step(flat, structure, choices))
        structure.experiment.complain(
            f"stopTime is missing, and no FMU suggests one; the run ends at {stop:g} s; --until {start + 10:g} sets "
            "another end"
        )
    made.values["until"] = stop
    if structure.start is not None:
        made.values["start"] = structure.start


def _longest_step(flat: Flat, structure: s.Structure, choices: Choices) -> float:
    """Return the longest step in s that anything says, 0 if nothing does."""
    said = [choices.step, *choices.steps.values(), structure.step, structure.system.step]
    for leaf in flat.leaves.values():
        said += [leaf.component.step, _own_step(leaf)]
    return max((step for step in said if step is not None), default=0.0)


def _add_kind(table: dict[str, Any], leaf: Leaf) -> None:
    """Say how an FMU is run, if the file does."""
    wanted = leaf.component.implementation
    for kind, name in s.IMPLEMENTATIONS.items():
        if wanted == name:
            table["kind"] = kind
            if getattr(leaf.description, kind.replace("-", "_")) is None:
                leaf.component.place.complain(f"implementation = {wanted}; the FMU supports only the other one")
                del table["kind"]


def _needs_step(table: dict[str, Any], leaf: Leaf) -> bool:
    """Whether an FMU is stepped from outside; in model exchange our solver chooses its own steps."""
    return leaf.description.co_simulation is not None and table.get("kind") != "model-exchange"


def _add_step(table: dict[str, Any], leaf: Leaf, structure: s.Structure, choices: Choices) -> None:
    """Give an FMU a step: as whoever runs it says, else our settings, else another master, else the FMU itself."""
    chosen = choices.steps.get(leaf.name, choices.step if _needs_step(table, leaf) else None)
    if chosen is not None:
        table["step"] = chosen
        return
    settings = structure.system.settings is not None and leaf.component.settings is not None
    if "step" in table or settings or not _needs_step(table, leaf):
        return
    said = (leaf.component.step, structure.step, structure.system.step)
    step = next((value for value in said if value is not None), None)
    if step is not None:
        table["step"] = step


def _fill_steps(made: Tables, flat: Flat, runs: bool) -> None:
    """Choose a step where nothing says one, and shorten those that are longer than the run; both are told."""
    span = made.values["until"] - made.values.get("start", 0.0) if runs else _ANY_SPAN
    if not (math.isfinite(span) and span > 0.0):
        return  # told elsewhere
    known: dict[str, float] = {}
    for leaf in flat.leaves.values():
        table = made.values["subsystems"][leaf.name]
        if _needs_step(table, leaf) and (step := table.get("step") or _own_step(leaf)) is not None:
            known[leaf.name] = step
    default = min(known.values(), default=10.0 ** (round(math.log10(span)) - 3))
    for leaf in flat.leaves.values():
        table = made.values["subsystems"][leaf.name]
        if not _needs_step(table, leaf):
            continue
        if leaf.name not in known:
            table["step"] = min(default, span)
            if not runs:
                leaf.component.place.complain("no step is given; --step sets one")
                continue
            why = "the shortest of the others" if known else "a thousandth of the run"
            leaf.component.place.complain(f"no step is given; {table['step']:g} s is used, {why}; --step sets another")
        elif known[leaf.name] > span and runs and leaf.component.settings is None:
            table["step"] = span
            leaf.component.place.complain(
                f"the step of {known[leaf.name]:g} s is longer than the run; {span:g} s is used"
            )


def _fit_end(made: Tables, flat: Flat, structure: s.Structure) -> None:
    """Let the run end with whole steps of the FMUs that need equal ones; told, since another end was asked for."""
    start, asked = made.values.get("start", 0.0), made.values["until"]
    equal: list[tuple[Interface, float]] = []
    for leaf in flat.leaves.values():
        table, able = made.values["subsystems"][leaf.name], leaf.description.co_simulation
        if _needs_step(table, leaf) and able is not None and (step := table.get("step") or _own_step(leaf)) is not None:
            equal.append((able, step))
    end = asked
    for _ in range(_MOST_ENDS):
        later = max((fitting_end(able, start, end, step) for able, step in equal), default=end)
        if later == end:
            break
        end = later
    else:
        return  # steps without a common multiple nearby are refused, with their names
    if end != asked:
        made.values["until"] = end
        structure.experiment.complain(
            f"the run of {asked - start:g} s is not a multiple of the steps of FMUs that need equal ones; it ends at "
            f"{end:g} s; change them with --until and --step"
        )


def _own_step(leaf: Leaf) -> float | None:
    """Return the step in s that an FMU suggests."""
    able = leaf.description.co_simulation
    return leaf.description.experiment.step or (able.fixed_internal_step if able is not None else None)


def _add_subsystem(made: Tables, flat: Flat, leaf: Leaf, constants: dict[str, Any], outputs: tuple[str, ...]) -> None:
    component = leaf.component
    settings = dict(component.settings or {})
    in_set = settings.pop("set", [])
    table: dict[str, Any] = {"type": "fmu", "file": str(leaf.file)} | settings
    made.files[str(leaf.file)] = _written_name(leaf)
    if leaf.store.packed:
        made.unpacked.add(str(leaf.file))
    at: KeyPath = ("subsystems", leaf.name)
    made.places[at] = component.place
    _add_kind(table, leaf)
    values = _values(flat, leaf)
    for name, value in values.items():
        if name in in_set:
            constants[f"{leaf.name}.{name}"] = value
            continue
        variable = leaf.description.by_name[name]
        part = "parameters" if variable.causality in _PARAMETERS else "start"
        refused = wrong_place(part, variable)
        if refused and (leaf.path, name) not in flat.given:
            component.place.complain(f'the value of "{name}" is ignored: {refused}')
            continue
        table.setdefault(part, {})[name] = _fitting(flat, (leaf.path, name), variable, value)
        made.places[(*at, part)] = component.place
    extra = list(dict.fromkeys([*_extra_outputs(flat, leaf), *_asked_for(leaf, outputs)]))
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
    keys += [key for key in flat.given if key[0] == leaf.path and key not in keys]
    for key in keys:
        chain = flat.chain(key)
        source = chain[0].source if chain and chain[0].source[0] not in flat.leaves else None
        outer = None if source is None or key in flat.given else flat.given.get(source) or flat.values.get(source)
        given = outer or flat.given.get(key) or flat.values.get(key)
        value = None if given is None else value_of(flat, given, key, chain if outer else [])
        if value is not None:
            found[key[1]] = value
    return found


def _fitting(flat: Flat, key: Key, variable: Variable, value: Any) -> Any:
    """Return a value in the type of a variable where nothing is lost: 5.0 as 5, "2" as the second item."""
    if isinstance(value, list):
        return [_fitting(flat, key, variable, one) for one in value]
    if isinstance(value, float) and variable.type in (*INTEGERS, "Enumeration") and value.is_integer():
        return int(value)
    if isinstance(value, bool) and variable.type in NUMERIC and variable.type != "Boolean":
        return int(value)
    if isinstance(value, str) and variable.type == "Enumeration" and value not in flat.items(key) and value.isdecimal():
        return int(value)
    return value


def unknown_names(flat: Flat, choices: Choices) -> list[str]:
    """Enter the values that are given, and return what is wrong with names that whoever runs the system used."""
    names = [leaf.name for leaf in flat.leaves.values()]
    wrong = [
        f'step: "{name}": no such component{did_you_mean(name, names)}' for name in choices.steps if name not in names
    ]
    said = [flat.give(name, value) for name, value in choices.set.items()]
    return [*wrong, *(f"set: {text}" for text in said if text)]


def _asked_for(leaf: Leaf, outputs: tuple[str, ...]) -> list[str]:
    """Return variables of a component that are to be recorded although they are no outputs."""
    names = [name.removeprefix(f"{leaf.name}.") for name in outputs if name.startswith(f"{leaf.name}.")]
    found = [leaf.description.by_name[name] for name in names if name in leaf.description.by_name]
    return [variable.name for variable in found if variable.causality != "output" and variable.type in NUMERIC]


def _extra_outputs(flat: Flat, leaf: Leaf) -> list[str]:
    """Return variables that are connected although they are no outputs, such as calculated parameters."""
    found: dict[str, None] = {}
    for path, name in [*(edge.source for edge in flat.drivers.values()), *(k for a in flat.sums for k in a.sources)]:
        variable = leaf.description.by_name.get(name) if path == leaf.path else None
        if variable is not None and variable.causality in ("local", "calculatedParameter", "independent"):
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


def _add_sum(made: Tables, flat: Flat, addition: Addition) -> None:
    if not all(_connectable(flat, source, addition.sink, addition.place) for source in addition.sources):
        return
    table: dict[str, Any] = {"from": [_port(flat, key) for key in addition.sources], "to": _port(flat, addition.sink)}
    table["convert"] = False
    made.places["connections", len(made.values["connections"])] = addition.place
    made.values["connections"].append(table)


def add_table(made: Tables, flat: Flat, path: Path) -> None:
    """Connect the columns of a CSV file to inputs: ``component.input``, or a connector of the system."""
    names = read_csv(path).names
    wrong: list[str] = []
    ends: dict[str, list[Key]] = {}
    driven = {edge.sink for edge in flat.drivers.values() if flat.chain(edge.sink)[0].source[0] in flat.leaves}
    for name in names:
        key = flat.find(name)
        sinks = flat.behind(key) if key is not None else []
        ends[name] = [sink for sink in sinks if sink not in driven]
        if not ends[name]:
            why = "is connected already" if sinks else f"no such input{did_you_mean(name, flat.open_inputs(driven))}"
            wrong.append(f'{path}: "{name}": {why}')
    if wrong:
        raise ScenarioError(wrong)
    for kind in ("linear", "hold"):
        _add_columns(made, flat, path, kind, ends)


def _add_columns(made: Tables, flat: Flat, path: Path, kind: str, ends: dict[str, list[Key]]) -> None:
    """Add a table with the columns that are lines between rows, or with those that are held."""
    wanted = {n: [k for k in keys if _is_continuous(flat, k) == (kind == "linear")] for n, keys in ends.items()}
    columns = [name for name, keys in wanted.items() if keys]
    if not columns:
        return
    owner = "inputs" if kind == "linear" else "held_inputs"
    made.values["subsystems"][owner] = {"type": "table", "file": str(path.resolve()), "outputs": columns, "kind": kind}
    approximation = {"kind": "lagrange", "order": 1} if kind == "linear" else {"kind": "hold"}
    for name in columns:
        for key in wanted[name]:
            table = {
                "from": f"{owner}.{name}",
                "to": _port(flat, key),
                "approximation": approximation,
                "convert": False,
            }
            made.values["connections"].append(table)


def _connectable(flat: Flat, source: Key, sink: Key, place: s.Location) -> bool:
    given, taken = flat.variable(source), flat.variable(sink)
    if given is None or taken is None:
        return False  # told where the connector is
    if taken.causality in _PARAMETERS:
        place.wrong(
            f'"{source[1]}" of an FMU is connected to the parameter "{sink[1]}" of another, which is not '
            "supported; give the parameter a value"
        )
        return False
    if given.type == taken.type and given.type in _TEXTS:
        return True
    for key, variable in ((source, given), (sink, taken)):
        if variable.type not in NUMERIC:
            place.wrong(f'"{key[1]}" is of type {variable.type}; the other end is not')
            return False
    return True


def _is_continuous(flat: Flat, *keys: Key) -> bool:
    """Whether a signal may be drawn out beyond its samples; whole numbers and truth values are held instead."""
    variables = [flat.variable(key) for key in keys]
    return all(v is not None and v.type in FLOATS for v in variables)


def _port(flat: Flat, key: Key) -> str:
    return f"{flat.leaves[key[0]].name}.{key[1]}"
