"""Comparison and logic."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from .family import DEFAULT, Family, given, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class LogicBlocks(Family):
    """Comparison and logic. A signal is true when it is not zero; outputs are 0 and 1.

    Operators make these blocks as well: ``<``, ``<=``, ``>``, ``>=``, ``&``, ``|``, ``^``, ``~``; equality is
    ``signal.equal_to(other)``.
    """

    def compare(
        self, u: Any, relation: str, v: Any, *, tolerance: float | None = None, name: str | None = None
    ) -> Block:
        """Compare a signal with another or with a number: ``<``, ``<=``, ``>``, ``>=``, ``==``, ``!=``.

        The time of a change is located. ``tolerance``: largest difference of equal signals (``==`` and ``!=`` only).
        """
        if isinstance(v, Real):
            return self.add("comparison", (u,), name=name, operator=relation, constant=v, tolerance=tolerance)
        return self.add("comparison", (u, v), name=name, operator=relation, tolerance=tolerance)

    def logical_and(self, *u: Any, name: str | None = None) -> Block:
        """Output 1 when all signals are true."""
        return self.add("and", u, name=name, count=len(u))

    def logical_or(self, *u: Any, name: str | None = None) -> Block:
        """Output 1 when at least one signal is true."""
        return self.add("or", u, name=name, count=len(u))

    def logical_not(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output 1 when the signal is false."""
        return self.add("not", given(u), name=name)

    def logical_xor(self, *u: Any, name: str | None = None) -> Block:
        """Output 1 when an odd number of signals is true."""
        return self.add("xor", u, name=name, count=len(u))

    def logical_nand(self, *u: Any, name: str | None = None) -> Block:
        """Output 0 when all signals are true, else 1."""
        return self.add("nand", u, name=name, count=len(u))

    def logical_nor(self, *u: Any, name: str | None = None) -> Block:
        """Output 1 when no signal is true."""
        return self.add("nor", u, name=name, count=len(u))

    def detect_rise(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output 1 at the time when a signal rises through zero or becomes true, else 0."""
        return self.add("hit_crossing", given(u), name=name, edge="rising")

    def detect_fall(self, u: Any = None, *, name: str | None = None) -> Block:
        """Output 1 at the time when a signal falls through zero or becomes false, else 0."""
        return self.add("hit_crossing", given(u), name=name, edge="falling")

    @with_defaults("latch")
    def latch(
        self,
        set: Any = None,
        reset: Any = None,
        *,
        initial: bool = DEFAULT,
        priority: str = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Store a state: ``q`` becomes true with ``set`` and false with ``reset``; outputs ``q`` and ``not_q``.

        ``priority`` (``set`` or ``reset``) wins when both are true.
        """
        inputs = {"set": set, "reset": reset}
        return self.add("latch", name=name, named_inputs=inputs, initial=float(initial), priority=priority)
