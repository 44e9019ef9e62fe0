"""Mathematics without memory."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .family import Family, given

if TYPE_CHECKING:
    from ..block import Block


class MathematicsBlocks(Family):
    """Mathematics without memory; operators on signals make these blocks as well.

    Functions work on every component of a vector; a scalar serves every component of the others.
    """

    def gain(self, gain: ArrayLike, u: Any = None, *, name: str | None = None) -> Block:
        """Multiply by a constant: a number, a vector (element by element) or a matrix (``y = K u``)."""
        kind = "matrix_gain" if np.ndim(gain) == 2 else "gain"
        return self.add(kind, given(u), name=name, gain=gain)

    def sum(self, *u: Any, signs: str | None = None, name: str | None = None) -> Block:
        """Add signals; ``signs="+-"`` subtracts the second. A scalar applies to every component of a vector."""
        return self.add("sum", u, name=name, signs=signs if signs is not None else "+" * len(u))

    def product(self, *u: Any, operations: str | None = None, name: str | None = None) -> Block:
        """Multiply signals element by element; ``operations="*/"`` divides by the second."""
        return self.add("product", u, name=name, operations=operations if operations is not None else "*" * len(u))

    def divide(self, u: Any = None, by: Any = None, *, name: str | None = None) -> Block:
        """Divide the first signal by the second, element by element."""
        return self.add("product", name=name, named_inputs={"u1": u, "u2": by}, operations="*/")

    def power(self, u: Any = None, exponent: Any = None, *, name: str | None = None) -> Block:
        """Raise to a power: ``u ** exponent``, where the exponent is a number or a signal."""
        if isinstance(exponent, Real):
            return self.add("power", given(u), name=name, exponent=exponent)
        return self.add("power", name=name, named_inputs={"u": u, "exponent": exponent})

    def sqrt(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the square root; a negative input gives NaN, which stops the run."""
        return self.add("sqrt", given(u), name=name)

    def exp(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the exponential function."""
        return self.add("exp", given(u), name=name)

    def log(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the natural logarithm."""
        return self.add("log", given(u), name=name)

    def log10(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the logarithm to base 10."""
        return self.add("log10", given(u), name=name)

    def polynomial(self, coefficients: ArrayLike, u: Any = None, *, name: str | None = None) -> Block:
        """Evaluate a polynomial; coefficients from the highest power down to the constant, as ``numpy.polyval``."""
        return self.add("polynomial", given(u), name=name, coefficients=coefficients)

    def abs(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the absolute value; its corner is located."""
        return self.add("abs", given(u), name=name)

    def sign(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output -1, 0 or 1; its jump is located."""
        return self.add("sign", given(u), name=name)

    def min(self, *u: Any, name: str | None = None) -> Block:
        """Output the smallest of several signals, or the smallest component of one vector."""
        return self.add("min", u, name=name, count=max(1, len(u)))

    def max(self, *u: Any, name: str | None = None) -> Block:
        """Output the largest of several signals, or the largest component of one vector."""
        return self.add("max", u, name=name, count=max(1, len(u)))

    def floor(self, u: Any = None, *, name: str | None = None) -> Block:
        """Round down to a whole number."""
        return self.add("floor", given(u), name=name)

    def ceil(self, u: Any = None, *, name: str | None = None) -> Block:
        """Round up to a whole number."""
        return self.add("ceil", given(u), name=name)

    def round(self, u: Any = None, *, name: str | None = None) -> Block:
        """Round to the nearest whole number, halves away from zero."""
        return self.add("round", given(u), name=name)

    def truncate(self, u: Any = None, *, name: str | None = None) -> Block:
        """Round towards zero."""
        return self.add("truncate", given(u), name=name)

    def modulo(self, u: Any = None, divisor: Any = None, *, name: str | None = None) -> Block:
        """Output ``u - divisor floor(u / divisor)``: the sign is that of the divisor, as Python's ``%``."""
        return self.add("modulo", name=name, named_inputs={"u": u, "divisor": divisor})

    def remainder(self, u: Any = None, divisor: Any = None, *, name: str | None = None) -> Block:
        """Output ``u - divisor truncate(u / divisor)``: the sign is that of ``u``, as C's ``fmod``."""
        return self.add("remainder", name=name, named_inputs={"u": u, "divisor": divisor})

    def dot(self, u: Any = None, v: Any = None, *, name: str | None = None) -> Block:
        """Output the dot product of two vectors."""
        return self.add("dot", name=name, named_inputs={"u": u, "v": v})

    def norm(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output the Euclidean length of a vector."""
        return self.add("norm", given(u), name=name)

    def sum_of_components(self, u: Any = None, *, name: str | None = None) -> Block:
        """Add the components of a vector."""
        return self.add("sum_of_components", given(u), name=name)
