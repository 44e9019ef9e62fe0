"""The built-in paces as data, made by the functions of this package and read by a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import SetupError
from ._contract import Limits, Pace

PerSignal = float | Mapping[str, float]


@dataclass(frozen=True)
class _Builtin(Pace):
    limits: Limits = field(default_factory=Limits)

    def _check(self, problems: Sequence[str] = ()) -> None:
        found = [*self.limits.problems(), *problems]
        if found:
            raise SetupError(found)


@dataclass(frozen=True)
class Fixed(_Builtin):
    """Equal steps; made by :func:`fixed`."""

    step: float = 0.0
    kind = "fixed"

    def __str__(self) -> str:
        return f"fixed, {self.step:g} s"


@dataclass(frozen=True)
class Table(_Builtin):
    """Steps over time; made by :func:`table`."""

    times: tuple[float, ...] = ()
    steps: tuple[float, ...] = ()
    between: str = "hold"
    kind = "table"

    def __str__(self) -> str:
        return f"table of {len(self.times)} steps, {min(self.steps):g} s to {max(self.steps):g} s"


@dataclass(frozen=True)
class Gradient(_Builtin):
    """Long steps while signals change little; made by :func:`gradient`."""

    signals: tuple[str, ...] | None = None
    p0: float = 2.0
    p1: float = 2.0
    derivative: int | None = None
    tolerance: float | None = None
    absolute: PerSignal = 1e-9
    reject: bool | None = None
    kind = "gradient"

    def __str__(self) -> str:
        led = "all coupled signals" if self.signals is None else ", ".join(self.signals)
        return f"gradient of {led}" + ("" if self.tolerance is None else f", tolerance {self.tolerance:g}")


@dataclass(frozen=True)
class Controlled(_Builtin):
    """Steps by an estimated error; made by :func:`defect` and others."""

    tolerance: float = 1e-3
    absolute: PerSignal = 1e-9
    scale: Mapping[str, float] = field(default_factory=dict)
    kind: str = "defect"
    bonds: tuple[tuple[str, str], ...] | None = None
    reject: bool | None = None

    @property
    def for_all_only(self) -> bool:
        """Whether it chooses the steps of all subsystems together."""
        return self.kind != "defect"

    @property
    def saves(self) -> bool:
        """Whether subsystems have to save and restore their states."""
        return self.kind in ("predictor-corrector", "doubling")

    def __str__(self) -> str:
        return f"{self.kind}, tolerance {self.tolerance:g}"


@dataclass(frozen=True)
class RealTime(_Builtin):
    """The wall clock; made by :func:`real_time`."""

    factor: float = 1.0
    pace: Pace | None = None
    kind = "real-time"

    def __str__(self) -> str:
        return f"real time x {self.factor:g}" + ("" if self.pace is None else f", {self.pace}")
