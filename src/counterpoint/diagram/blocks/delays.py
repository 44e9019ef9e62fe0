"""Delays of continuous time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .family import DEFAULT, Family, given, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class DelayBlocks(Family):
    """Delays of continuous time."""

    @with_defaults("memory")
    def memory(self, u: Any = None, *, initial: ArrayLike = DEFAULT, name: str | None = None) -> Block:
        """Output the input at the end of the last accepted step.

        It breaks an algebraic loop at the cost of a delay of one step.
        """
        return self.add("memory", given(u), name=name, initial=initial)

    @with_defaults("transport_delay", delay=1.0)
    def transport_delay(
        self,
        u: Any = None,
        *,
        delay: float,
        initial: ArrayLike = DEFAULT,
        interpolation: str = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output ``u(t - delay)``; delay in s.

        Parameters
        ----------
        u : signal
        delay : float
            s, greater than 0. Steps are never longer than this while events are located.
        initial : float or vector
            Output until the delay has passed.
        interpolation : {"linear", "cubic"}
            Between accepted steps of a fixed-step solver; solvers of variable step know the signal there, to their
            tolerance. Never over a jump: a jump of the input is a jump of the output, at the exact time.
        name : str, optional

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("belt")
        >>> arrived = model.integrator(model.transport_delay(model.step(time=0.25), delay=0.5))
        >>> model.output("arrived", arrived)
        >>> round(float(model.run(until=1.0, step=0.1)["belt.arrived"].values[-1]), 12)
        0.25
        """
        return self.add(
            "transport_delay", given(u), name=name, delay=delay, initial=initial, interpolation=interpolation
        )

    @with_defaults("variable_delay", maximum=1.0)
    def variable_delay(
        self,
        u: Any = None,
        delay: Any = None,
        *,
        maximum: float,
        initial: ArrayLike = DEFAULT,
        interpolation: str = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output ``u(t - delay(t))``; the delay (s, a scalar signal) is kept between 0 and ``maximum``.

        Steps are never longer than the delay. Below a thousandth of ``maximum`` they are, and the input is continued
        as a line from the last accepted steps: the block has no feedthrough from ``u``.
        """
        return self.add(
            "variable_delay",
            given(u),
            name=name,
            named_inputs={"delay": delay},
            maximum=maximum,
            initial=initial,
            interpolation=interpolation,
        )
