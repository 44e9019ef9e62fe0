"""How a system runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from ..approximations import Approximation, lagrange
from .precedence import Scheme

if TYPE_CHECKING:
    from ..windows import Window
    from .progress import Progress


FirstSteps = Literal["once", "repeat", "auto"]
"""How the first steps are made: once, repeated until they agree, or repeated where that can be done."""
FIRST_STEPS: tuple[str, ...] = get_args(FirstSteps)
Check = Literal["auto", "on", "off"]
"""Whether a second run with half the steps tells the error: as far as the budget goes, in full, or not at all."""
CHECKS: tuple[str, ...] = get_args(Check)
EnergyCorrection = Literal["off", "preserve", "dissipate"]
"""Whether errors of extrapolated bonds are made good: not, always, or where they have created energy."""
ENERGY_CORRECTIONS: tuple[str, ...] = get_args(EnergyCorrection)


class Outside(Protocol):
    """Other programs that step a part of the system; see :mod:`counterpoint.federation`."""

    @property
    def passes(self) -> int:
        """How often initial outputs are read at least, so that all programs agree on them."""

    @property
    def wanted_slopes(self) -> frozenset[str]:
        """Subsystems of which other programs want the derivatives of outputs."""

    def join(self, driver: Any, names: tuple[str, ...]) -> None:
        """Take the driver of the run and the names of its participants, before it starts."""


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
    first_steps: FirstSteps = "auto"
    step_parts: int = 1  #: by how much the longest steps of solvers at their own pace are divided
    driven: bool = False  #: step by step, by a program that may set inputs in between
    compress: bool = False
    check: Check = "auto"
    outside: Outside | None = None
    energy_correction: EnergyCorrection = "off"
    adapt: bool = False

    @property
    def default_approximation(self) -> Approximation:
        """For connections that name none, and whose ports prefer none."""
        return self.approximation or lagrange(1)
