"""Trigonometry: angles in rad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .family import Family, given

if TYPE_CHECKING:
    from ..block import Block


class TrigonometryBlocks(Family):
    """Trigonometry, component by component; angles in rad. ``numpy.sin(signal)`` makes these blocks as well."""

    def sin(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the sine of an angle in rad."""
        return self.add("sin", given(u), name=name)

    def cos(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the cosine of an angle in rad."""
        return self.add("cos", given(u), name=name)

    def tan(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the tangent of an angle in rad."""
        return self.add("tan", given(u), name=name)

    def asin(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output the angle in rad with this sine, between -pi/2 and pi/2."""
        return self.add("asin", given(u), name=name)

    def acos(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output the angle in rad with this cosine, between 0 and pi."""
        return self.add("acos", given(u), name=name)

    def atan(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output the angle in rad with this tangent, between -pi/2 and pi/2."""
        return self.add("atan", given(u), name=name)

    def atan2(self, y: Any = None, x: Any = None, *, name: str | None = None) -> Block:
        """Output the angle in rad of the point (x, y), between -pi and pi."""
        return self.add("atan2", name=name, named_inputs={"y": y, "x": x})

    def sinh(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the hyperbolic sine."""
        return self.add("sinh", given(u), name=name)

    def cosh(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the hyperbolic cosine."""
        return self.add("cosh", given(u), name=name)

    def tanh(self, u: Any = None, *, name: str | None = None) -> Block:
        """Take the hyperbolic tangent."""
        return self.add("tanh", given(u), name=name)
