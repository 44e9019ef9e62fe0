"""Tables of a model file that describe calls of methods of Mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from ..._files.tables import Table
from .units import Units

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism

Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
"""Two names."""


class Element(Table):
    """A table that describes one call of a method of Mechanism, with its name first.

    1. ``method`` names the method.
    2. The fields are its keyword arguments; the alias of a field is its key in the file where that differs.
    3. A field that is a number with a unit, a function of time, a curve or a Python function is annotated with what
       :mod:`.model_values` has for it (``In``, ``InTime``, ...); other values go to the method as they are.
    4. What the file leaves out is not passed on: the method's default counts.
    5. Where keys and arguments differ in more than name, ``arguments`` rearranges them.
    """

    method: ClassVar[str]

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Return the keyword arguments of the method from converted fields."""
        return converted

    def add_to(self, mechanism: Mechanism, name: str, arguments: dict[str, Any]) -> None:
        """Call the method of the mechanism."""
        getattr(mechanism, self.method)(name, **arguments)

    def measured(self) -> str | None:
        """Return the name of the measure it acts along, if there is one."""
        return None


class OneOfKinds(Element):
    """A table whose ``kind`` chooses the method."""

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Leave out the kind."""
        return {key: value for key, value in converted.items() if key != "kind"}


class OfPair(OneOfKinds):
    """Something of two points or bodies, which the method takes as first and second."""

    pair: ClassVar[str] = "points"

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Split the pair."""
        first, *second = converted.pop(self.pair)
        return {"first": first, **({"second": second[0]} if second else {}), **super().arguments(converted, units)}
