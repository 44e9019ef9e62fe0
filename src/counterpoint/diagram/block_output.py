"""Outputs of blocks: what flows between blocks, with the operators of arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SetupError

if TYPE_CHECKING:
    from .block import Block
    from .diagram import Diagram

#: Anything that can enter an input: a signal, a block with one output, or a number.
Operand = "OutputOperators | float"


class OutputOperators:
    """Operators on signals: each makes a block.

    Arithmetic, ``**``, ``%``, ``abs()``, comparisons, ``&``, ``|``, ``^``, ``~`` (logic), ``K @ signal``, and numpy's
    functions. ``==`` stays identity; use :meth:`equal_to`.
    """

    @property
    def signal(self) -> BlockOutput:
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
        if isinstance(other, Real | list | np.ndarray):
            return self._diagram().gain(self._vector(other), self)
        return self._diagram().product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Block:
        if isinstance(other, Real | list | np.ndarray):
            if not np.all(self._vector(other)):
                raise SetupError(f"{self.signal}: division by zero, {other!r}")
            return self._diagram().gain(1.0 / self._vector(other), self)
        return self._diagram().product(self, other, operations="*/")

    def __rtruediv__(self, other: Any) -> Block:
        return self._diagram().product(other, self, operations="*/")

    def __neg__(self) -> Block:
        return self._diagram().gain(-1.0, self)

    def __pos__(self) -> BlockOutput:
        return self.signal

    def __abs__(self) -> Block:
        return self._diagram().abs(self)

    def __pow__(self, exponent: Any) -> Block:
        return self._diagram().power(self, exponent)

    def __rpow__(self, base: Any) -> Block:
        return self._diagram().power(base, self)

    def __mod__(self, divisor: Any) -> Block:
        return self._diagram().modulo(self, divisor)

    def __rmod__(self, dividend: Any) -> Block:
        return self._diagram().modulo(dividend, self)

    def __rmatmul__(self, gain: Any) -> Block:
        """``K @ signal``: matrix times vector."""
        if np.ndim(gain) != 2:
            raise SetupError(f"{self.signal}: @ needs a matrix on its left, not {gain!r}")
        return self._diagram().gain(gain, self)

    def __lt__(self, other: Any) -> Block:
        return self._diagram().compare(self, "<", other)

    def __le__(self, other: Any) -> Block:
        return self._diagram().compare(self, "<=", other)

    def __gt__(self, other: Any) -> Block:
        return self._diagram().compare(self, ">", other)

    def __ge__(self, other: Any) -> Block:
        return self._diagram().compare(self, ">=", other)

    def equal_to(self, other: Any, tolerance: float | None = None) -> Block:
        """Give 1 while this signal and the other are no further apart than the tolerance (``==`` is identity)."""
        return self._diagram().compare(self, "==", other, tolerance=tolerance)

    def not_equal_to(self, other: Any, tolerance: float | None = None) -> Block:
        """Give 1 while this signal and the other are further apart than the tolerance."""
        return self._diagram().compare(self, "!=", other, tolerance=tolerance)

    def __and__(self, other: Any) -> Block:
        return self._diagram().logical_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Block:
        return self._diagram().logical_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Block:
        return self._diagram().logical_xor(self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Block:
        return self._diagram().logical_not(self)

    def __bool__(self) -> bool:
        """Refuse: a signal has no value while the diagram is built (so ``0 < x < 1`` and ``if x > 0`` mean nothing)."""
        raise SetupError(
            f"{self.signal}: a signal has no truth value while the diagram is built; combine with &, | and ~, "
            "choose with diagram.switch"
        )

    #: Places are taken with ``signal[2]``; how many there are is known only when the diagram is complete.
    __iter__ = None

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """``numpy.sin(signal)`` and ``array * signal`` make blocks too."""
        make = _UFUNCS.get(ufunc.__name__)
        if make is None or method != "__call__" or options:
            return NotImplemented
        return make(self._diagram(), *inputs)

    def _vector(self, value: Any) -> NDArray[np.float64]:
        """Return a factor for every component."""
        array = np.asarray(value, dtype=float)
        if array.ndim > 1:
            raise SetupError(f"{self.signal}: * and / work element by element; matrix times vector is K @ signal")
        return array

    def __rshift__(self, block: Block) -> Block:
        """``signal >> block`` enters the first free input and returns the block, so that chains read on."""
        connect = getattr(block, "connect_next", None)
        if connect is None:
            raise SetupError(f"{self.signal}: >> leads to {block!r}; expected a block")
        connect(self)
        return block


class BlockOutput(OutputOperators):
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
    def signal(self) -> BlockOutput:
        """The signal itself."""
        return self

    def __getitem__(self, place: int | slice | Sequence[int]) -> Block:
        """Select components: ``signal[2]``, ``signal[-1]``, ``signal[0:3]``, ``signal[[0, 2]]``."""
        return self.block.diagram.selector(self, place)

    def __repr__(self) -> str:
        return f"{self.block.name}.{self.port}"


def _named(method: str) -> Callable[..., Block]:
    """Return a maker that calls a diagram's method."""

    def make(diagram: Diagram, *inputs: Any) -> Block:
        block: Block = getattr(diagram, method)(*inputs)
        return block

    return make


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a maker that applies an operator; an array on its left becomes a list, which leaves it to the signal."""

    def make(_: Diagram, *inputs: Any) -> Any:
        return function(*(x.tolist() if isinstance(x, np.ndarray | np.generic) else x for x in inputs))

    return make


#: What numpy's functions mean, by their names.
_UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: _named(name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "exp", "log", "log10")},
    **{name: _named(name) for name in ("sign", "floor", "ceil")},
    **{name: _named(name) for name in ("logical_and", "logical_or", "logical_xor", "logical_not")},
    **{f"arc{name}": _named(f"a{name}") for name in ("sin", "cos", "tan", "tan2")},
    "absolute": _named("abs"),
    "fabs": _named("abs"),
    "trunc": _named("truncate"),
    "minimum": _named("min"),
    "maximum": _named("max"),
    "fmod": _named("remainder"),
    "square": lambda diagram, u: diagram.power(u, 2.0),
    "add": _operator(operator.add),
    "subtract": _operator(operator.sub),
    "multiply": _operator(operator.mul),
    "divide": _operator(operator.truediv),
    "negative": _operator(operator.neg),
    "power": _operator(operator.pow),
    "remainder": _operator(operator.mod),
    "matmul": _operator(operator.matmul),
    "less": _operator(operator.lt),
    "less_equal": _operator(operator.le),
    "greater": _operator(operator.gt),
    "greater_equal": _operator(operator.ge),
}
