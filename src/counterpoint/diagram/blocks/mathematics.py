"""Mathematics without memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .family import Family

if TYPE_CHECKING:
    from ..block import Block


class MathematicsBlocks(Family):
    """Mathematics without memory; operators on signals make these blocks as well."""

    def gain(self, gain: float, u: Any = None, *, name: str | None = None) -> Block:
        """Multiply by a constant."""
        return self.add("gain", () if u is None else (u,), name=name, gain=gain)

    def sum(self, *u: Any, signs: str | None = None, name: str | None = None) -> Block:
        """Add signals; ``signs="+-"`` subtracts the second. Scalars serve every component of vectors."""
        return self.add("sum", u, name=name, signs=signs if signs is not None else "+" * len(u))

    def product(self, *u: Any, operations: str | None = None, name: str | None = None) -> Block:
        """Multiply signals element by element; ``operations="*/"`` divides by the second."""
        return self.add("product", u, name=name, operations=operations if operations is not None else "*" * len(u))
