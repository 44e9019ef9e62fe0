"""A block as a user holds it: parameters, named ports, what is connected to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import SetupError, did_you_mean
from .block_output import BlockOutput, OutputOperators

if TYPE_CHECKING:
    from .diagram import Diagram

#: Makes the core's block; called once for every flattened copy.
Maker = Callable[[], "_core.diagram.Block"]


class Block(OutputOperators):
    """One block of a :class:`Diagram`; made by the diagram's methods.

    A block with one output can be used wherever a signal is meant; others are asked by name,
    ``block["speed"]``. Inputs are given when the block is made, by :meth:`connect`, or with ``signal >> block``.

    Attributes
    ----------
    kind : str
        What kind of block it is; ``name`` is its name in the diagram.
    is_named : bool
        Whether the user gave the name; drawings show such names only.
    inputs, outputs : list of str
        Names of ports.
    sources : dict
        Input name -> the :class:`BlockOutput` that enters it.
    numbers, texts : dict
        Parameters, as the core knows them.
    content : Diagram or None
        What is inside, when the block is a superblock.
    gate : str
        ``""``, ``"enable"`` or ``"trigger"``: when the content of a superblock runs; the control signal is the last
        input.
    """

    def __init__(self, diagram: Diagram, name: str, kind: str) -> None:
        self.diagram = diagram
        self.name = name
        self.kind = kind
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.sources: dict[str, BlockOutput] = {}
        self.numbers: dict[str, NDArray[np.float64]] = {}
        self.texts: dict[str, str] = {}
        self.content: Diagram | None = None
        self.gate = ""
        self.is_named = False
        self.make: Maker | None = None

    @property
    def can_save(self) -> bool:
        """Whether the block can go back to a state it had; those of the core can."""
        return True

    @property
    def repeats_unasked(self) -> bool:
        """Whether first steps may be repeated from a saved state without a request."""
        return self.can_save

    @property
    def signal(self) -> BlockOutput:
        """The only output; an error for blocks with none or several."""
        if len(self.outputs) != 1:
            ports = ", ".join(f'"{port}"' for port in self.outputs) or "none"
            raise SetupError(
                f'block "{self.name}" has {len(self.outputs)} outputs ({ports}); specify one: block["name"]'
            )
        return BlockOutput(self, self.outputs[0])

    @overload
    def __getitem__(self, port: str) -> BlockOutput: ...

    @overload
    def __getitem__(self, port: int | slice | Sequence[int]) -> Block: ...

    def __getitem__(self, port: str | int | slice | Sequence[int]) -> BlockOutput | Block:
        """Return an output by name, or components of the only one by place."""
        if not isinstance(port, str):
            return self.signal[port]
        if port not in self.outputs:
            raise SetupError(f'block "{self.name}": no output "{port}"{did_you_mean(port, self.outputs)}')
        return BlockOutput(self, port)

    def __call__(self, *signals: Any, **named: Any) -> Block:
        """Connect inputs in their order, or by name, and return the block."""
        return self.connect(*signals, **named)

    def connect(self, *signals: Any, **named: Any) -> Block:
        """Connect inputs in their order, or by name, and return the block."""
        for signal in signals:
            self.connect_next(signal)
        for port, signal in named.items():
            self.connect_port(port, signal)
        return self

    def connect_next(self, signal: Any) -> None:
        """Connect the first input that is still free."""
        free = [port for port in self.inputs if port not in self.sources]
        if not free:
            raise SetupError(f'block "{self.name}": no free input for {signal!r}; it has {", ".join(self.inputs)}')
        self.connect_port(free[0], signal)

    def connect_port(self, port: str, signal: Any) -> None:
        """Connect one input."""
        if port not in self.inputs:
            raise SetupError(f'block "{self.name}": no input "{port}"{did_you_mean(port, self.inputs)}')
        source = self.diagram.as_signal(signal)
        if source.block.diagram is not self.diagram:
            raise SetupError(
                f'block "{self.name}": input "{port}" comes from {source}, which is in diagram '
                f'"{source.block.diagram.name}", not in "{self.diagram.name}"; lead it through a superblock input'
            )
        if port in self.sources:
            raise SetupError(
                f'block "{self.name}": input "{port}" is driven twice, by {self.sources[port]} and by {source}; '
                "add them first, or use a switch"
            )
        self.sources[port] = source

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


def parameters(values: Mapping[str, Any]) -> tuple[dict[str, NDArray[np.float64]], dict[str, str]]:
    """Split parameters into numbers (arrays of float) and texts; None is left out.

    Raises SetupError with all that are neither.
    """
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, str] = {}
    problems: list[str] = []
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, str):
            texts[name] = value
            continue
        try:
            numbers[name] = np.ascontiguousarray(np.atleast_1d(np.asarray(value, dtype=float)))
        except (TypeError, ValueError):
            problems.append(f'"{name}": {value!r}; expected a number or an array of numbers')
    if problems:
        raise SetupError(problems)
    return numbers, texts
