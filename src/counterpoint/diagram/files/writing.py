"""Diagrams to TOML files; what is written can be read again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._files.toml_writing import Section, to_toml, write_new
from ...errors import SetupError

if TYPE_CHECKING:
    from ..block import Block
    from ..block_output import BlockOutput
    from ..diagram import Diagram

_Document = dict[Section, Mapping[str, Any]]


def save(
    diagram: Diagram, path: str | os.PathLike[str], *, until: float | None = None, overwrite: bool = False
) -> Path:
    """Write a diagram as a file that :func:`load` and ``counterpoint run`` read.

    Parameters
    ----------
    diagram : Diagram
        Blocks that hold Python functions have no form in a file and are refused by name.
    path : path
        Where to; ends in ``.toml``.
    until : float, optional
        End of the run (s) for ``counterpoint run``.
    overwrite : bool
        Replace a file that is there.
    """
    return write_new(path, dumps(diagram, until=until), overwrite=overwrite)


def dumps(diagram: Diagram, *, until: float | None = None) -> str:
    """Return the text of the file of a diagram."""
    writer = _Writer()
    settings = {"name": diagram.name, "solver": diagram.solver, "step": diagram.preferred_step}
    settings |= {"inner_step": diagram.inner_step, "algebraic_loops": diagram.algebraic_loops}
    settings |= {"locate_events": diagram.locate_events, "publish_events": diagram.publish_events, **diagram.options}
    document: _Document = {"diagram": {key: value for key, value in settings.items() if value is not None}}
    document |= writer.content(diagram, ())
    document |= writer.superblocks()
    if until is not None:
        document["run"] = {"until": float(until)}
    if writer.problems:
        raise SetupError([f'diagram "{diagram.name}": {problem}' for problem in writer.problems])
    return to_toml(document)


class _Writer:
    """Collects the superblocks on the way; one that is used twice is written once."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._names: dict[int, str] = {}
        self._waiting: list[Diagram] = []

    def content(self, diagram: Diagram, at: tuple[str, ...]) -> _Document:
        inputs = {name: self._input(diagram, name) for name in diagram.inputs}
        blocks = {name: self._block(block) for name, block in diagram.blocks.items() if block.kind != "inlet"}
        outputs = {name: self._output(diagram, name) for name in diagram.outputs}
        sections = {"inputs": inputs, "blocks": blocks, "outputs": outputs}
        return {(*at, name): section for name, section in sections.items() if section}

    def superblocks(self) -> _Document:
        document: _Document = {}
        while self._waiting:
            content = self._waiting.pop(0)
            document |= self.content(content, ("superblocks", self._names[id(content)]))
        return document

    def _input(self, diagram: Diagram, name: str) -> dict[str, Any]:
        values = diagram.inputs[name].numbers["value"]
        entry: dict[str, Any] = {"default": _plain(values)} if name in diagram.defaults else {"width": len(values)}
        return entry | ({"unit": diagram.units[name]} if name in diagram.units else {})

    def _output(self, diagram: Diagram, name: str) -> Any:
        signal = _name(diagram.outputs[name])
        return {"signal": signal, "unit": diagram.units[name]} if name in diagram.units else signal

    def _block(self, block: Block) -> dict[str, Any]:
        inputs = {port: _name(source) for port, source in block.sources.items() if port != "control" or not block.gate}
        entering = {"inputs": inputs} if inputs else {}
        if block.content is not None:
            gate = {block.gate: _name(block.sources["control"])} if block.gate else {}
            options = {**block.texts, **({"restarts": True} if block.numbers.get("restarts", np.zeros(1))[0] else {})}
            return {"superblock": self._named(block.content), **gate, **options, **entering}
        if block.kind not in _core.diagram.kinds():
            self.problems.append(
                f'block "{block.name}": {block.kind} contains Python code, which cannot be written to a file'
            )
        numbers = {name: _plain(values) for name, values in block.numbers.items()}
        return {"kind": block.kind, **block.texts, **numbers, **entering}

    def _named(self, content: Diagram) -> str:
        if id(content) not in self._names:
            taken = set(self._names.values())
            number, name = 1, content.name
            while name in taken:
                number += 1
                name = f"{content.name}_{number}"
            self._names[id(content)] = name
            self._waiting.append(content)
        return self._names[id(content)]


def _name(signal: BlockOutput) -> str:
    return signal.block.name if len(signal.block.outputs) == 1 else f"{signal.block.name}.{signal.port}"


def _plain(values: NDArray[np.float64]) -> Any:
    return values.tolist()[0] if values.shape == (1,) else values.tolist()
