"""One thing that is wrong with a system."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where (a key such as ``connections[2].to``) and what."""

    where: str
    message: str
    loop: tuple[str, ...] = ()  #: the ports around an algebraic loop, when that is the problem

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"
