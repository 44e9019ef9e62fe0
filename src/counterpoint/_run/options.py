"""How a system runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from ..approximations import Approximation, lagrange
from .precedence import Scheme

if TYPE_CHECKING:
    from ..windows import Window
    from .progress import Progress


@dataclass(frozen=True)
class RunOptions:
    """What :meth:`System.run` and :meth:`System.start` were given; documented there.

    Values are as the user wrote them until :func:`~counterpoint._run.checks.check_run` has looked at them.
    """

    until: float | None = None
    scheme: str | Scheme = "slowest-first"
    start: float = 0.0
    window: Window | None = None
    pace: object = None
    real_time: float | None = None
    threads: int = 1
    file: str | PathLike[str] | None = None
    overwrite: bool = False
    progress: bool | Callable[[Progress], None] = False
    host: str | None = None
    approximation: Approximation | None = None
    metadata: Mapping[str, str | float] | None = None
    record: Sequence[str] | None = None
    record_every: float | str | None = None
    compress: bool = False

    @property
    def default_approximation(self) -> Approximation:
        """For connections that name none, and whose ports prefer none."""
        return self.approximation or lagrange(1)
