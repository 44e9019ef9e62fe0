"""Nonlinear characteristics."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from ...errors import SetupError
from .family import DEFAULT, Family, given, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class NonlinearBlocks(Family):
    """Nonlinear characteristics. Corners and jumps are located, and the step is split there.

    Examples
    --------
    An oscillator driven by a relay without hysteresis: ``x'' = -sign(x)``, whose period is ``4 sqrt(2 x0)``.

    >>> import counterpoint as cp
    >>> model = cp.Diagram("relay")
    >>> x = model.integrator(initial=2.0, name="x")
    >>> v = model.integrator(-model.sign(x), name="v")
    >>> v >> x
    <integrator x>
    >>> model.output("x", x)
    >>> result = model.run(until=8.0, step=0.5)
    >>> round(float(result["relay.x"].values[-1]), 6)
    2.0
    """

    def saturation(self, u: Any = None, *, lower: Any = None, upper: Any = None, name: str | None = None) -> Block:
        """Limit a signal to the range from ``lower`` to ``upper``: numbers or signals; either may be omitted."""
        return self._limited("saturation", u, lower, upper, name)

    def dead_zone(self, u: Any = None, *, lower: Any = None, upper: Any = None, name: str | None = None) -> Block:
        """Output 0 between ``lower`` and ``upper`` (default -0.5 and 0.5), beyond them the signal minus the limit."""
        return self._limited("dead_zone", u, lower, upper, name)

    def _limited(self, kind: str, u: Any, lower: Any, upper: Any, name: str | None) -> Block:
        if all(limit is None or isinstance(limit, Real) for limit in (lower, upper)):
            return self.add(kind, given(u), name=name, lower=lower, upper=upper)
        if lower is None or upper is None:
            raise SetupError(f"{kind}: when a limit is a signal, both must be given")
        limits = {"u": u, "lower": lower, "upper": upper}
        return self.add(kind, name=name, named_inputs=limits, by_signals=1.0)

    def rate_limiter(
        self,
        u: Any = None,
        *,
        rising: float,
        falling: float | None = None,
        initial: float | None = None,
        name: str | None = None,
    ) -> Block:
        """Follow a signal no faster than ``rising`` (> 0, 1/s) and ``falling`` (< 0, 1/s; default ``-rising``).

        The output begins at ``initial``, by default at the input. The time when it catches up with the input is
        located; when it falls behind within a step, the error is of second order in the step.
        """
        return self.add("rate_limiter", given(u), name=name, rising=rising, falling=falling, initial=initial)

    @with_defaults("relay", switch_on=1.0, switch_off=0.0)
    def relay(
        self,
        u: Any = None,
        *,
        switch_on: float,
        switch_off: float,
        output_on: float = DEFAULT,
        output_off: float = DEFAULT,
        starts_on: bool = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Switch on when the signal reaches ``switch_on`` and off when it has fallen to ``switch_off``."""
        return self.add(
            "relay",
            given(u),
            name=name,
            switch_on=switch_on,
            switch_off=switch_off,
            output_on=output_on,
            output_off=output_off,
            starts_on=float(starts_on),
        )

    @with_defaults("backlash", width=1.0)
    def backlash(self, u: Any = None, *, width: float, initial: float = DEFAULT, name: str | None = None) -> Block:
        """Follow a signal through a gap of ``width``: the output is constant until the input has crossed the gap.

        The time of contact is located; if the input turns within a step, the error is of second order in the step.
        """
        return self.add("backlash", given(u), name=name, width=width, initial=initial)

    @with_defaults("switch")
    def switch(
        self,
        control: Any = None,
        then: Any = None,
        otherwise: Any = None,
        *,
        criterion: str = DEFAULT,
        threshold: float | None = None,
        name: str | None = None,
    ) -> Block:
        """Output ``then`` while ``control >= threshold`` (default 0), else ``otherwise``.

        ``criterion`` may also be ``>``, or ``!=0`` without threshold.
        """
        inputs = {"control": control, "then": then, "otherwise": otherwise}
        return self.add("switch", name=name, named_inputs=inputs, criterion=criterion, threshold=threshold)

    @with_defaults("multiport_switch")
    def multiport_switch(self, index: Any, *u: Any, outside: str = DEFAULT, name: str | None = None) -> Block:
        """Output the signal whose number, from 0, is ``index`` rounded.

        An index outside fails the run (``outside="error"``) or gives the outermost signal (``"clip"``).
        """
        return self.add("multiport_switch", (index, *u), name=name, count=len(u), outside=outside)

    def quantizer(self, u: Any = None, *, interval: float, name: str | None = None) -> Block:
        """Round to the nearest multiple of ``interval``."""
        return self.add("quantizer", given(u), name=name, interval=interval)

    @with_defaults("friction", offset=1.0)
    def friction(self, u: Any = None, *, offset: float, gain: float = DEFAULT, name: str | None = None) -> Block:
        """Output Coulomb and viscous friction: ``offset sign(u) + gain u``, 0 at rest."""
        return self.add("friction", given(u), name=name, offset=offset, gain=gain)

    @with_defaults("hit_crossing")
    def hit_crossing(
        self, u: Any = None, *, offset: float = DEFAULT, edge: str = DEFAULT, name: str | None = None
    ) -> Block:
        """Output 1 at the time when the signal passes ``offset`` (``edge``: rising, falling, either), else 0."""
        return self.add("hit_crossing", given(u), name=name, offset=offset, edge=edge)
