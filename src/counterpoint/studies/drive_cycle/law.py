"""The step law of the source, written as a pace in Python."""

from __future__ import annotations

from ...pace import Limits, Pace, Step


class GradientOfOutput(Pace):
    """Equations (7) and (8) of Günther et al. (2012) with a gradient that a subsystem itself publishes.

    ``H = smallest + (1 - min(1, r))**p0 * (largest - smallest)`` with ``r = |y'| / (p1 * mean |y'|)``. In the source
    the slaves send derivatives of their outputs to the master; :func:`counterpoint.pace.gradient` takes differences of
    samples instead, which are half a step late.

    Parameters
    ----------
    output : str
        The gradient, ``subsystem.output``.
    smallest, largest : float
        Range of the steps, s.
    p0, p1 : float
        Exponent; multiple of the mean gradient at which the smallest step is reached.
    growth : float, optional
        A step is at most so many times the one before.

    Examples
    --------
    >>> law = GradientOfOutput("car.acceleration", smallest=0.4, largest=2.0)
    >>> law.start()
    >>> round(law.next_step(Step(t=0.0, length=0.0, arrivals=(), outputs={"car.acceleration": 0.0})), 9)
    2.0
    """

    def __init__(
        self, output: str, *, smallest: float, largest: float, p0: float = 2.0, p1: float = 2.5,
        growth: float | None = None,
    ) -> None:  # fmt: skip
        self.output, self.smallest, self.largest, self.p0, self.p1 = output, smallest, largest, p0, p1
        self.limits = Limits(first=smallest, growth=growth)

    def start(self) -> None:
        """Forget the run before."""
        self._integral, self._before = 0.0, 0.0

    def next_step(self, step: Step) -> float:
        """Return the length of the next step, s."""
        self._integral += self._before * step.length
        self._before = abs(float(step.outputs[self.output]))
        mean = self._integral / step.t if step.t > 0.0 else 0.0
        standstill = 0.0 if self._before == 0.0 else 1.0
        ratio = min(1.0, self._before / (self.p1 * mean)) if mean > 0.0 else standstill
        return float(self.smallest + (1.0 - ratio) ** self.p0 * (self.largest - self.smallest))
