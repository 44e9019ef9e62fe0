"""Blocks with continuous states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .family import DEFAULT, Family, given, limit_values, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class ContinuousBlocks(Family):
    """Integrators and controllers in continuous time."""

    @with_defaults("integrator")
    def integrator(
        self,
        u: Any = None,
        *,
        initial: ArrayLike = DEFAULT,
        external_initial: Any = None,
        reset: Any = None,
        edge: str = "rising",
        limits: tuple[float, float] | None = None,
        show_saturation: bool = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Integrate the input over time.

        Parameters
        ----------
        u : signal
            dx/dt; a scalar applies to every component.
        initial : float or vector
            State at the start and after a reset; a scalar applies to every component of ``u``.
        external_initial : signal, optional
            Initial value taken from a signal, at the start and at each reset. It may depend on the state itself, such
            as a share of the speed of a ball that bounces; the start then takes ``initial``.
        reset : signal, optional
            The state becomes the initial value when this passes zero as ``edge`` says. The instant is located;
            other blocks still see the state before it when they act in the same instant.
        edge : {"rising", "falling", "either", "level"}
            ``level``: the state stays at the initial value as long as ``reset`` is positive.
        limits : (lower, upper), optional
            The state stays at a limit as long as the input points outwards, both instants located; ``inf`` for none.
        show_saturation : bool
            Add the output ``saturated``: 1 at the upper limit, -1 at the lower one, else 0; the state is output ``y``.
        name : str, optional

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("tank")
        >>> level = model.integrator(0.5, limits=(0.0, 1.0))
        >>> model.output("level", level)
        >>> float(model.run(until=3.0, step=0.3)["tank.level"].values[-1])
        1.0
        """
        return self.add(
            "integrator",
            given(u),
            name=name,
            named_inputs={"reset": reset, "initial": external_initial},
            initial=initial,
            initial_is_input=None if external_initial is None else 1.0,
            reset=None if reset is None else edge,
            show_saturation=1.0 if show_saturation else None,
            **limit_values(limits),
        )

    @with_defaults("pid")
    def pid(
        self,
        error: Any = None,
        *,
        setpoint: Any = None,
        measurement: Any = None,
        proportional: float = DEFAULT,
        integral: float = DEFAULT,
        derivative: float = DEFAULT,
        filter: float = DEFAULT,
        setpoint_weight: float = DEFAULT,
        derivative_weight: float = DEFAULT,
        limits: tuple[float, float] | None = None,
        anti_windup: str = DEFAULT,
        back_calculation_gain: float | None = None,
        tracking: Any = None,
        tracking_gain: float | None = None,
        initial: float = DEFAULT,
        initial_filter: float = DEFAULT,
        reset: Any = None,
        edge: str = "rising",
        name: str | None = None,
    ) -> Block:
        """Control with proportional, integral and filtered derivative part.

        ``v = P e + I/s e + D N s/(s + N) e``, and the output is ``v`` within ``limits``. With ``setpoint`` r and
        ``measurement`` m instead of ``error`` the three parts see ``b r - m``, ``r - m`` and ``c r - m``.

        Parameters
        ----------
        error, setpoint, measurement : signals
            Either the error or both others; components are controlled one by one.
        proportional, integral, derivative : float
            P, I (1/s) and D (s).
        filter : float
            N, 1/s: above this frequency the derivative is filtered.
        setpoint_weight, derivative_weight : float
            b and c.
        limits : (lower, upper), optional
            Of the output; ``inf`` for none.
        anti_windup : {"none", "clamping", "back_calculation"}
            ``clamping``: the integral rests while ``v`` is outside of the limits and it would drive it further out
            (from 1e-4 of the range beyond the limit on). ``back_calculation``: it is led back by
            ``back_calculation_gain`` (1/s) times the excess.
        back_calculation_gain, tracking_gain : float
            1/s, default 1.
        tracking : signal, optional
            The integral also follows ``tracking_gain * (tracking - output)``: bumpless transfer.
        initial, initial_filter : float
            Integral part and state of the filter at the start and after a reset.
        reset, edge
            As for :meth:`integrator`.
        name : str, optional

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("loop")
        >>> speed = model.lag(time_constant=2.0)
        >>> effort = model.pid(1.0 - speed, proportional=4.0, integral=2.0, limits=(-3.0, 3.0), anti_windup="clamping")
        >>> effort >> speed
        <lag lag1>
        >>> model.output("speed", speed)
        >>> round(float(model.run(until=20.0, step=0.01)["loop.speed"].values[-1]), 4)
        1.0
        """
        return self._add_pid(
            "pid",
            error,
            setpoint=setpoint,
            measurement=measurement,
            reset=reset,
            edge=edge,
            tracking=tracking,
            limits=limits,
            name=name,
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
            initial_filter=initial_filter,
        )

    def _add_pid(
        self,
        kind: str,
        error: Any,
        *,
        setpoint: Any,
        measurement: Any,
        reset: Any,
        edge: str,
        tracking: Any,
        limits: tuple[float, float] | None,
        name: str | None,
        **values: Any,
    ) -> Block:
        """Add a PID controller of continuous or discrete time."""
        has_setpoint = setpoint is not None or measurement is not None
        return self.add(
            kind,
            given(error),
            name=name,
            named_inputs={"setpoint": setpoint, "measurement": measurement, "reset": reset, "tracking": tracking},
            has_setpoint=1.0 if has_setpoint else None,
            tracks=None if tracking is None else 1.0,
            reset=None if reset is None else edge,
            **limit_values(limits),
            **values,
        )
