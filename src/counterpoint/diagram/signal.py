"""Signals: what flows between blocks, with the operators of arithmetic."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from ..errors import SetupError

if TYPE_CHECKING:
    from .block import Block
    from .diagram import Diagram

#: Anything that can enter an input: a signal, a block with one output, or a number.
Operand = "SignalOperators | float"


class SignalOperators:
    """Arithmetic on signals: every operator makes a block."""

    @property
    def signal(self) -> Signal:
        """The signal meant."""
        raise NotImplementedError

    def _diagram(self) -> Diagram:
        return self.signal.block.diagram

    def __add__(self, other: Any) -> Block:
        return self._diagram().sum(self, other)

    def __radd__(self, other: Any) -> Block:
        return self._diagram().sum(other, self)

    def __sub__(self, other: Any) -> Block:
        return self._diagram().sum(self, other, signs="+-")

    def __rsub__(self, other: Any) -> Block:
        return self._diagram().sum(other, self, signs="+-")

    def __mul__(self, other: Any) -> Block:
        if isinstance(other, Real):
            return self._diagram().gain(float(other), self)
        return self._diagram().product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Block:
        if isinstance(other, Real):
            return self._diagram().gain(1.0 / float(other), self)
        return self._diagram().product(self, other, operations="*/")

    def __rtruediv__(self, other: Any) -> Block:
        return self._diagram().product(other, self, operations="*/")

    def __neg__(self) -> Block:
        return self._diagram().gain(-1.0, self)

    def __rshift__(self, block: Block) -> Block:
        """``signal >> block`` enters the first free input and returns the block, so that chains read on."""
        from .block import Block

        if not isinstance(block, Block):
            raise SetupError(f"{self.signal}: >> leads to {block!r}; a block is needed")
        block.connect_next(self)
        return block


class Signal(SignalOperators):
    """One output of a block.

    Attributes
    ----------
    block : Block
    port : str
        Name of the output.
    """

    def __init__(self, block: Block, port: str) -> None:
        self.block = block
        self.port = port

    @property
    def signal(self) -> Signal:
        """The signal itself."""
        return self

    def __repr__(self) -> str:
        return f"{self.block.name}.{self.port}"
