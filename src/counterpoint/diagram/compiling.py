"""From a diagram to what the core runs: superblocks dissolved, every port led to its source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import SetupError, did_you_mean
from ..subsystems import NativeSubsystem

if TYPE_CHECKING:
    from .block import Block
    from .diagram import Diagram
    from .signal import Signal

SOLVERS = ("ode1", "ode2", "ode3", "ode4", "ode5", "ode23", "ode45")
VARIABLE_STEP = ("ode23", "ode45")

#: A block inside superblocks: the superblocks from outside to inside, then the block.
Path = tuple["Block", ...]


@dataclass
class Flattened:
    """A diagram without superblocks, and where its blocks came from.

    Attributes
    ----------
    core : the core's flat diagram
    names : list of str
        Full name of each block, ``superblock/block``.
    number : dict
        Path of blocks -> place in the flat diagram.
    """

    core: _core.diagram.FlatDiagram
    names: list[str] = field(default_factory=list)
    number: dict[Path, int] = field(default_factory=dict)


def flatten(diagram: Diagram) -> Flattened:
    """Dissolve superblocks. Raises SetupError with every unconnected input."""
    flat = Flattened(_core.diagram.FlatDiagram())
    _add_blocks(flat, diagram, (), -1)
    problems: list[str] = []
    _connect_blocks(flat, diagram, (), problems)
    if problems:
        raise SetupError(problems)
    for name, signal in diagram.outputs.items():
        flat.core.add_output(name, *_source(flat, (), signal))
    return flat


def subsystem(diagram: Diagram) -> NativeSubsystem:
    """Compile a diagram into a subsystem."""
    _check_settings(diagram)
    flat = flatten(diagram)
    if not diagram.outputs:
        raise SetupError(f'diagram "{diagram.name}": no outputs; say which signals count: diagram.output(name, signal)')
    try:
        widths = flat.core.widths()
        feedthrough = flat.core.feedthrough()
        make_core(diagram, flat)  # finds algebraic loops before anything runs
    except ValueError as error:
        raise SetupError(f'diagram "{diagram.name}": {error}') from None
    inputs = {name: len(block.numbers["value"]) for name, block in diagram.inputs.items()}
    outputs = {name: _output_width(flat, signal, widths) for name, signal in diagram.outputs.items()}
    input_names, output_names = list(inputs), list(outputs)
    return NativeSubsystem(
        "diagram",
        lambda: make_core(diagram, flatten(diagram)),
        inputs=inputs,
        outputs=outputs,
        feedthrough=[(output_names[o], input_names[i]) for o, i in feedthrough],
        defaults={name: block.numbers["value"] for name, block in diagram.inputs.items()},
        units=diagram.units,
        can_save=all(path[-1].can_save for path in flat.number),
        own_pace=diagram.solver in VARIABLE_STEP or diagram.preferred_step is not None,
    )


def make_core(diagram: Diagram, flat: Flattened) -> _core.diagram.DiagramSubsystem:
    """Make the core's subsystem with the diagram's settings."""
    settings = dict(diagram.options)
    settings["locate_events"] = float(diagram.locate_events)
    settings["solve_loops"] = float(diagram.algebraic_loops == "solve")
    if diagram.inner_step is not None:
        settings["inner_step"] = diagram.inner_step
    return _core.diagram.subsystem(flat.core, diagram.solver, settings, preferred_step=diagram.preferred_step or 0.0)


def _check_settings(diagram: Diagram) -> None:
    problems = []
    where = f'diagram "{diagram.name}"'
    if diagram.solver not in SOLVERS:
        problems.append(f'{where}: no solver "{diagram.solver}"{did_you_mean(diagram.solver, SOLVERS)}')
    if diagram.algebraic_loops not in ("error", "solve"):
        problems.append(f'{where}: algebraic_loops "{diagram.algebraic_loops}"; "error" or "solve" is needed')
    allowed = ("rtol", "atol", "first_step", "max_step")
    problems += [f'{where}: no option "{o}"{did_you_mean(o, allowed)}' for o in diagram.options if o not in allowed]
    if problems:
        raise SetupError(problems)


def _add_blocks(flat: Flattened, diagram: Diagram, path: Path, gate: int) -> None:
    offset = 0
    for block in diagram.blocks.values():
        here = (*path, block)
        if block.content is not None:
            inner = gate
            if block.gate:
                made = _core.diagram.make_block(block.gate, block.numbers, block.texts)
                inner = _add(flat, here, made, gate)
            _add_blocks(flat, block.content, here, inner)
        elif block.kind != "inlet":
            assert block.make is not None
            _add(flat, here, block.make(), gate)
        elif not path:
            numbers = {"value": block.numbers["value"], "offset": np.array([float(offset)])}
            offset += len(block.numbers["value"])
            _add(flat, here, _core.diagram.make_block("inlet", numbers, {}), gate)


def _add(flat: Flattened, path: Path, made: _core.diagram.Block, gate: int) -> int:
    name = "/".join(block.name for block in path)
    number = flat.core.add(name, made, gate)
    flat.names.append(name)
    flat.number[path] = number
    return number


def _connect_blocks(flat: Flattened, diagram: Diagram, path: Path, problems: list[str]) -> None:
    for block in diagram.blocks.values():
        here = (*path, block)
        missing = [port for port in block.inputs if port not in block.sources]
        name = "/".join(part.name for part in here)
        problems += [f'{name}: nothing is connected to input "{port}"' for port in missing]
        if block.content is not None:
            if block.gate and not missing:
                flat.core.connect(*_source(flat, path, block.sources["control"]), flat.number[here], 0)
            _connect_blocks(flat, block.content, here, problems)
        elif here in flat.number:
            for k, port in enumerate(block.inputs):
                if port in block.sources:
                    flat.core.connect(*_source(flat, path, block.sources[port]), flat.number[here], k)


def _source(flat: Flattened, path: Path, signal: Signal) -> tuple[int, int]:
    """Follow a signal into superblocks and out of their inputs to the block that makes it."""
    block = signal.block
    while True:
        if block.content is not None:
            path = (*path, block)
            signal = block.content.outputs[signal.port]
        elif block.kind == "inlet" and path:
            *outer, around = path
            path = tuple(outer)
            signal = around.sources[block.name]
        else:
            return flat.number[(*path, block)], block.outputs.index(signal.port)
        block = signal.block


def _output_width(flat: Flattened, signal: Signal, widths: list[tuple[list[int], list[int]]]) -> int:
    number, port = _source(flat, (), signal)
    return widths[number][1][port]
