"""Blocks that run at samples.

Every block takes ``sample_time`` (s) and ``offset`` (s, time of the first sample after the start). Between samples
outputs keep their value. In a triggered superblock ``sample_time`` is left out: the block then runs at each trigger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .continuous import ContinuousBlocks
from .family import Family, given, limit_values
from .linear_systems import port_names, state_matrices

if TYPE_CHECKING:
    from ..block import Block


class DiscreteBlocks(Family):
    """Blocks that run at samples, or at each trigger of the superblock they are in (``sample_time`` left out).

    Examples
    --------
    >>> import counterpoint as cp
    >>> model = cp.Diagram("fibonacci")
    >>> before = model.unit_delay(sample_time=1.0, initial=1.0)
    >>> now = model.unit_delay(sample_time=1.0)
    >>> now >> before
    <unit_delay unit_delay1>
    >>> now(now + before)
    <unit_delay unit_delay2>
    >>> model.output("value", now)
    >>> [int(value) for value in model.run(until=7.0, step=1.0)["fibonacci.value"].values.ravel()]
    [0, 1, 1, 2, 3, 5, 8, 13]
    """

    def unit_delay(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Give the input of the sample before."""
        return self.add("unit_delay", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial)

    def integer_delay(
        self,
        u: Any = None,
        *,
        samples: int,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Give the input of ``samples`` samples before."""
        return self.add(
            "integer_delay",
            given(u),
            name=name,
            samples=samples,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
        )

    def zero_order_hold(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Keep the input of the last sample; ``initial`` before the first."""
        return self.add("zero_order_hold", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial)

    def first_order_hold(
        self,
        u: Any = None,
        *,
        sample_time: float,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Continue the line through the last two samples; constant after the first one."""
        return self.add(
            "first_order_hold", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial
        )

    def discrete_integrator(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        method: str = "forward",
        gain: float = 1.0,
        initial: ArrayLike = 0.0,
        limits: tuple[float, float] | None = None,
        reset: Any = None,
        edge: str = "rising",
        name: str | None = None,
    ) -> Block:
        """Integrate over samples; ``initial`` is the output at the first one.

        ``y(k) = y(k-1) + K h u``, where u is u(k-1) (``forward``), u(k) (``backward``) or their mean (``trapezoidal``),
        and h the sample time, or the time since the trigger before. A reset acts in the sample in which it fires
        (``edge``: rising, falling, either, level).
        """
        return self.add(
            "discrete_integrator",
            given(u),
            name=name,
            named_inputs={"reset": reset},
            sample_time=sample_time,
            offset=offset,
            method=method,
            gain=gain,
            initial=initial,
            reset=None if reset is None else edge,
            **limit_values(limits),
        )

    def discrete_derivative(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        gain: float = 1.0,
        name: str | None = None,
    ) -> Block:
        """Give ``K (u(k) - u(k-1))/h``, 0 at the first sample."""
        return self.add("discrete_derivative", given(u), name=name, sample_time=sample_time, offset=offset, gain=gain)

    def discrete_transfer_function(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Apply ``numerator(z)/denominator(z)``, coefficients with the highest power of z first."""
        return self.add(
            "discrete_transfer_function",
            given(u),
            name=name,
            numerator=numerator,
            denominator=denominator,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
        )

    def discrete_filter(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike = 1.0,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        name: str | None = None,
    ) -> Block:
        """Filter with coefficients in powers of 1/z (``b`` and ``a`` of :func:`scipy.signal.lfilter`).

        Direct form II transposed; ``initial`` are its states (``zi`` there).
        """
        return self.add(
            "discrete_filter",
            given(u),
            name=name,
            numerator=numerator,
            denominator=denominator,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
        )

    def discrete_state_space(
        self,
        a: ArrayLike,
        b: ArrayLike,
        c: ArrayLike,
        d: ArrayLike,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = 0.0,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        name: str | None = None,
        **signals: Any,
    ) -> Block:
        """Apply ``x(k+1) = A x + B u``, ``y = C x + D u``; ports as for :meth:`state_space`."""
        return self.add(
            "discrete_state_space",
            given(u),
            name=name,
            named_inputs=signals,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
            input_names=port_names(inputs),
            output_names=port_names(outputs),
            **state_matrices(a, b, c, d),
        )

    def counter(
        self,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: float = 0.0,
        increment: float = 1.0,
        maximum: float | None = None,
        reset: Any = None,
        edge: str = "rising",
        name: str | None = None,
    ) -> Block:
        """Count samples or triggers: ``initial``, ``initial + increment``, ...; after ``maximum`` from the beginning.

        With a negative increment ``maximum`` is the least value.
        """
        return self.add(
            "counter",
            given(reset),
            name=name,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
            increment=increment,
            maximum=maximum,
            reset=None if reset is None else edge,
        )


class DiscreteControllers(ContinuousBlocks):
    """Controllers that run at samples."""

    def discrete_pid(
        self,
        error: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        setpoint: Any = None,
        measurement: Any = None,
        proportional: float = 1.0,
        integral: float = 0.0,
        derivative: float = 0.0,
        filter: float = 100.0,
        method: str = "forward",
        setpoint_weight: float = 1.0,
        derivative_weight: float = 1.0,
        limits: tuple[float, float] | None = None,
        anti_windup: str = "none",
        back_calculation_gain: float | None = None,
        tracking: Any = None,
        tracking_gain: float | None = None,
        initial: float = 0.0,
        reset: Any = None,
        edge: str = "rising",
        name: str | None = None,
    ) -> Block:
        """Control at samples; parameters as for :meth:`pid`.

        The integral is formed by ``method`` (forward, backward, trapezoidal), the derivative by backward Euler:
        ``d(k) = (d(k-1) + N D (e(k) - e(k-1)))/(1 + N h)``; with ``filter=inf`` it is ``D (e(k) - e(k-1))/h``.
        With clamping the integral does not take a step that would drive the output further beyond a limit.
        """
        return self._add_pid(
            "discrete_pid",
            error,
            setpoint=setpoint,
            measurement=measurement,
            reset=reset,
            edge=edge,
            tracking=tracking,
            limits=limits,
            name=name,
            sample_time=sample_time,
            offset=offset,
            method=method,
            proportional=proportional,
            integral=integral,
            derivative=derivative,
            filter=filter,
            setpoint_weight=setpoint_weight,
            derivative_weight=derivative_weight,
            anti_windup=anti_windup,
            back_calculation_gain=back_calculation_gain,
            tracking_gain=tracking_gain,
            initial=initial,
        )
