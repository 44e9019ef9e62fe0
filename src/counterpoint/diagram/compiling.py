"""From a diagram to what the core runs: superblocks dissolved, every port led to its source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import SetupError, did_you_mean
from ..subsystems import NativeSubsystem
from ..subsystems.longest_step import with_longest_step

if TYPE_CHECKING:
    from .block import Block
    from .block_output import BlockOutput
    from .diagram import Diagram

SOLVERS = ("ode1", "ode2", "ode3", "ode4", "ode5", "trapezoidal", "ode23", "ode45", "ode23s")
VARIABLE_STEP = ("ode23", "ode45", "ode23s")

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
    sources : dict
        Output of the diagram -> block and port that make it.
    """

    core: _core.diagram.FlatDiagram
    names: list[str] = field(default_factory=list)
    number: dict[Path, int] = field(default_factory=dict)
    sources: dict[str, tuple[int, int]] = field(default_factory=dict)


def flatten(diagram: Diagram) -> Flattened:
    """Dissolve superblocks. Raises SetupError with every unconnected input."""
    flat = Flattened(_core.diagram.FlatDiagram())
    _add_blocks(flat, diagram, (), -1)
    problems: list[str] = []
    _connect_blocks(flat, diagram, (), problems)
    if problems:
        raise SetupError(problems)
    for name, signal in diagram.outputs.items():
        source = _source(flat, (), signal)
        assert source is not None  # whatever is not connected was told above
        flat.core.add_output(name, *source)
        flat.sources[name] = source
    return flat


def subsystem(diagram: Diagram) -> tuple[NativeSubsystem, bool]:
    """Compile a diagram into a subsystem; also return whether it has sampled blocks, which change at times only."""
    _check_settings(diagram)
    flat = flatten(diagram)
    if not diagram.outputs:
        raise SetupError(f'diagram "{diagram.name}": no outputs; declare at least one: diagram.output(name, signal)')
    try:
        widths = flat.core.widths()
        feedthrough = flat.core.feedthrough()
        at_start = flat.core.initial_feedthrough()
        core = make_core(diagram, flat)  # finds algebraic loops before anything runs
    except ValueError as error:
        raise SetupError(f'diagram "{diagram.name}": {error}') from None
    inputs = {name: len(block.numbers["value"]) for name, block in diagram.inputs.items()}
    outputs = {name: widths[block][1][port] for name, (block, port) in flat.sources.items()}
    input_names, output_names = list(inputs), list(outputs)
    moves = diagram.solver in VARIABLE_STEP and flat.core.follows_time()

    def make() -> _core.Subsystem:
        lines = moves and made.drawn_step is not None
        return make_core(diagram, flatten(diagram), with_longest_step(diagram.options, made) if lines else None)

    made = NativeSubsystem(
        "diagram",
        make,
        inputs=inputs,
        outputs=outputs,
        feedthrough=[(output_names[o], input_names[i]) for o, i in feedthrough],
        defaults=diagram.defaults,
        units=diagram.units,
        can_save=all(path[-1].can_save for path in flat.number),
        repeats_unasked=all(path[-1].repeats_unasked for path in flat.number),
        own_pace=diagram.solver in VARIABLE_STEP or diagram.preferred_step is not None,
    )
    made.initial_feedthrough = [(output_names[o], input_names[i]) for o, i in at_start if (o, i) not in feedthrough]
    return made, core.finest_sample > 0.0


def make_core(
    diagram: Diagram, flat: Flattened, options: Mapping[str, float] | None = None
) -> _core.diagram.DiagramSubsystem:
    """Make the core's subsystem with the diagram's settings; ``options`` of the solver instead of its own."""
    settings = dict(diagram.options if options is None else options)
    settings["locate_events"] = float(diagram.locate_events)
    settings["solve_loops"] = float(diagram.algebraic_loops == "solve")
    if diagram.inner_step is not None:
        settings["inner_step"] = diagram.inner_step
    return _core.diagram.subsystem(
        flat.core, diagram.solver, settings, diagram.publish_events, preferred_step=diagram.preferred_step or 0.0
    )


def _check_settings(diagram: Diagram) -> None:
    problems = []
    where = f'diagram "{diagram.name}"'
    if diagram.solver not in SOLVERS:
        problems.append(f'{where}: no solver "{diagram.solver}"{did_you_mean(diagram.solver, SOLVERS)}')
    if diagram.algebraic_loops not in ("error", "solve"):
        problems.append(f'{where}: algebraic_loops "{diagram.algebraic_loops}"; expected "error" or "solve"')
    allowed = ("rtol", "atol", "first_step", "max_step")
    problems += [f'{where}: no option "{o}"{did_you_mean(o, allowed)}' for o in diagram.options if o not in allowed]
    lengths = {**diagram.options, "step": diagram.preferred_step, "inner_step": diagram.inner_step}
    problems += [
        f"{where}: {name} = {value!r}; expected a finite number greater than 0"
        for name, value in lengths.items()
        if value is not None and not (math.isfinite(value) and value > 0.0)
    ]
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
            _add(flat, here, _made(diagram, block), gate)
        elif path and block.name not in path[-1].sources:
            # Nothing enters this input of a superblock: its default does, if it has one.
            if block.name in diagram.defaults:
                _add(flat, here, _core.diagram.make_block("constant", {"value": block.numbers["value"]}, {}), gate)
        elif not path:
            numbers = {"value": block.numbers["value"], "offset": np.array([float(offset)])}
            offset += len(block.numbers["value"])
            _add(flat, here, _core.diagram.make_block("inlet", numbers, {}), gate)


def _made(diagram: Diagram, block: Block) -> _core.diagram.Block:
    """Make a block; parameters may have changed since it was added."""
    assert block.make is not None
    try:
        return block.make()
    except ValueError as error:
        raise SetupError(f'diagram "{diagram.name}": {block.kind} "{block.name}": {error}') from None


def _add(flat: Flattened, path: Path, made: _core.diagram.Block, gate: int) -> int:
    name = "/".join(block.name for block in path)
    number = flat.core.add(name, made, gate)
    flat.names.append(name)
    flat.number[path] = number
    return number


def _connect_blocks(flat: Flattened, diagram: Diagram, path: Path, problems: list[str]) -> None:
    for block in diagram.blocks.values():
        here = (*path, block)
        defaults = block.content.defaults if block.content is not None else {}
        missing = [port for port in block.inputs if port not in block.sources and port not in defaults]
        if missing:
            name = "/".join(part.name for part in here)
            problems += [f'{name}: nothing is connected to input "{port}"' for port in missing]
        if block.content is not None:
            control = _source(flat, path, block.sources["control"]) if block.gate else None
            if control is not None:
                flat.core.connect(*control, flat.number[here], 0)
            _connect_blocks(flat, block.content, here, problems)
        elif (number := flat.number.get(here)) is not None:
            for k, port in enumerate(block.inputs):
                source = _source(flat, path, block.sources[port]) if port in block.sources else None
                if source is not None:
                    flat.core.connect(*source, number, k)


def _source(flat: Flattened, path: Path, signal: BlockOutput) -> tuple[int, int] | None:
    """Follow a signal into superblocks and out of their inputs to the block that makes it; None: there is none."""
    block = signal.block
    while True:
        if block.content is not None:
            path = (*path, block)
            signal = block.content.outputs[signal.port]
        elif block.kind == "inlet" and path and block.name in path[-1].sources:
            signal = path[-1].sources[block.name]
            path = path[:-1]
        else:
            number = flat.number.get((*path, block))
            return None if number is None else (number, block.outputs.index(signal.port))
        block = signal.block
