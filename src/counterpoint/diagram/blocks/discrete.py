"""Blocks that run at samples.

Every block takes ``sample_time`` (s) and ``offset`` (s, time of the first sample after the start). Between samples
outputs keep their value. In a triggered superblock ``sample_time`` is left out: the block then runs at each trigger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .continuous import ContinuousBlocks
from .family import DEFAULT, Family, given, limit_values, with_defaults
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

    @with_defaults("unit_delay")
    def unit_delay(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output the input of the previous sample."""
        return self.add("unit_delay", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial)

    @with_defaults("integer_delay")
    def integer_delay(
        self,
        u: Any = None,
        *,
        samples: int,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output the input ``samples`` samples ago."""
        return self.add(
            "integer_delay",
            given(u),
            name=name,
            samples=samples,
            sample_time=sample_time,
            offset=offset,
            initial=initial,
        )

    @with_defaults("zero_order_hold")
    def zero_order_hold(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Keep the input of the last sample; ``initial`` before the first."""
        return self.add("zero_order_hold", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial)

    @with_defaults("first_order_hold", sample_time=1.0)
    def first_order_hold(
        self,
        u: Any = None,
        *,
        sample_time: float,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Continue the line through the last two samples; constant after the first one."""
        return self.add(
            "first_order_hold", given(u), name=name, sample_time=sample_time, offset=offset, initial=initial
        )

    @with_defaults("discrete_integrator")
    def discrete_integrator(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        method: str = DEFAULT,
        gain: float = DEFAULT,
        initial: ArrayLike = DEFAULT,
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

    @with_defaults("discrete_derivative")
    def discrete_derivative(
        self,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        gain: float = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output ``K (u(k) - u(k-1))/h``, 0 at the first sample."""
        return self.add("discrete_derivative", given(u), name=name, sample_time=sample_time, offset=offset, gain=gain)

    @with_defaults("discrete_transfer_function", denominator=[1.0, 1.0], numerator=1.0)
    def discrete_transfer_function(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
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

    @with_defaults("discrete_filter", numerator=1.0)
    def discrete_filter(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike = 1.0,
        u: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: ArrayLike = DEFAULT,
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

    @with_defaults("discrete_state_space", a=[[-1.0]], b=[[1.0]], c=[[1.0]], d=[[0.0]])
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
        initial: ArrayLike = DEFAULT,
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

    @with_defaults("counter")
    def counter(
        self,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        initial: float = DEFAULT,
        increment: float = DEFAULT,
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

    @with_defaults("discrete_pid")
    def discrete_pid(
        self,
        error: Any = None,
        *,
        sample_time: float | None = None,
        offset: float | None = None,
        setpoint: Any = None,
        measurement: Any = None,
        proportional: float = DEFAULT,
        integral: float = DEFAULT,
        derivative: float = DEFAULT,
        filter: float = DEFAULT,
        method: str = DEFAULT,
        setpoint_weight: float = DEFAULT,
        derivative_weight: float = DEFAULT,
        limits: tuple[float, float] | None = None,
        anti_windup: str = DEFAULT,
        back_calculation_gain: float | None = None,
        tracking: Any = None,
        tracking_gain: float | None = None,
        initial: float = DEFAULT,
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
