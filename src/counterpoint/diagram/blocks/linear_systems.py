"""Linear systems in continuous time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import SetupError
from .family import DEFAULT, Family, given, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class LinearSystemBlocks(Family):
    """Transfer functions, zeros and poles, state space; all but the last treat each component of a vector by itself."""

    @with_defaults("transfer_function", denominator=[1.0, 1.0], numerator=1.0)
    def transfer_function(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike,
        u: Any = None,
        *,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Apply ``numerator(s)/denominator(s)``, coefficients with the highest power first.

        The degree of the numerator may equal that of the denominator. States (``initial``) are those of the
        controllable canonical form: x1 = w, x2 = dw/dt, ... with ``denominator(d/dt) w = u`` (leading coefficient 1)
        and ``y = numerator(d/dt) w``.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("plant")
        >>> model.output("y", model.transfer_function([1], [1, 2, 1], model.step(time=0.0)))
        >>> y = model.run(until=1.0, step=0.01)["plant.y"].values[-1]
        >>> round(float(y), 6)  # 1 - 2/e
        0.264241
        """
        return self.add(
            "transfer_function", given(u), name=name, numerator=numerator, denominator=denominator, initial=initial
        )

    @with_defaults("zero_pole")
    def zero_pole(
        self,
        zeros: ArrayLike,
        poles: ArrayLike,
        gain: float = 1.0,
        u: Any = None,
        *,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Apply ``gain * product(s - zeros) / product(s - poles)``; zeros and poles in rad/s.

        It becomes a chain of sections of first and second order, which keeps its digits at high orders.
        """
        return self.add(
            "zero_pole",
            given(u),
            name=name,
            zeros=_pairs("zeros", zeros),
            poles=_pairs("poles", poles),
            gain=gain,
            initial=initial,
        )

    @with_defaults("second_order", frequency=1.0, damping=1.0)
    def second_order(
        self,
        u: Any = None,
        *,
        frequency: float,
        damping: float,
        gain: float = DEFAULT,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Apply ``K w²/(s² + 2 D w s + w²)``: frequency w in rad/s, damping ratio D; ``initial`` is (y, dy/dt)."""
        return self.add(
            "second_order", given(u), name=name, frequency=frequency, damping=damping, gain=gain, initial=initial
        )

    @with_defaults("lag", time_constant=1.0)
    def lag(
        self,
        u: Any = None,
        *,
        time_constant: float,
        gain: float = DEFAULT,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Apply ``K/(T s + 1)``, time constant T in s; the state is the output."""
        return self.add("lag", given(u), name=name, time_constant=time_constant, gain=gain, initial=initial)

    @with_defaults("lead_lag", lead=1.0, lag=1.0)
    def lead_lag(
        self,
        u: Any = None,
        *,
        lead: float,
        lag: float,
        gain: float = DEFAULT,
        initial: ArrayLike = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Apply ``K (T1 s + 1)/(T2 s + 1)``, lead T1 and lag T2 in s; the state is the input lagged by T2."""
        return self.add("lead_lag", given(u), name=name, lead=lead, lag=lag, gain=gain, initial=initial)

    @with_defaults("derivative", time_constant=1.0)
    def derivative(
        self, u: Any = None, *, time_constant: float, initial: ArrayLike = DEFAULT, name: str | None = None
    ) -> Block:
        """Differentiate with a filter: ``s/(T s + 1)``, T in s; the state is the input lagged by T.

        With ``initial`` equal to the first input it begins at 0 instead of with a kick.
        """
        return self.add("derivative", given(u), name=name, time_constant=time_constant, initial=initial)

    @with_defaults("state_space", a=[[-1.0]], b=[[1.0]], c=[[1.0]], d=[[0.0]])
    def state_space(
        self,
        *system: Any,
        initial: ArrayLike = DEFAULT,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        name: str | None = None,
        **signals: Any,
    ) -> Block:
        """Apply ``dx/dt = A x + B u``, ``y = C x + D u``.

        Parameters
        ----------
        *system
            ``A, B, C, D[, u]`` or ``system[, u]`` with an LTI object of SciPy or python-control. One of discrete time
            becomes a discrete state space with its own sample time.
        initial : float or vector
        inputs, outputs : sequences of names, optional
            A scalar port for each instead of the vectors ``u`` and ``y``; feedthrough is then known for each pair.
        name : str, optional
        **signals
            Entering inputs by name.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("cart")
        >>> cart = model.state_space([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]], 2.0)
        >>> model.output("position", cart)
        >>> round(float(model.run(until=3.0, step=0.1)["cart.position"].values[-1]), 9)
        9.0
        """
        matrices, sample_time, rest = _matrices(system)
        return self.add(
            "state_space" if sample_time is None else "discrete_state_space",
            rest,
            name=name,
            named_inputs=signals,
            initial=initial,
            input_names=port_names(inputs),
            output_names=port_names(outputs),
            sample_time=sample_time,
            **matrices,
        )


def port_names(names: Sequence[str] | None) -> str | None:
    """Join names of ports as the core reads them."""
    if names is None or isinstance(names, str):
        return names
    wrong = [name for name in names if not name.isidentifier()]
    if wrong:
        raise SetupError(f'"{wrong[0]}" is not a valid name of a port; use letters, digits and underscores')
    return ",".join(names)


def state_matrices(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> dict[str, Any]:
    """Return A, B, C, D as matrices; vectors become columns (B), rows (C) as their sizes say."""
    states = np.atleast_2d(np.asarray(a, dtype=float))
    through = np.atleast_2d(np.asarray(d, dtype=float))
    count = 0 if states.size == 0 else len(states)
    entering, leaving = np.asarray(b, dtype=float), np.asarray(c, dtype=float)
    if entering.ndim < 2:
        entering = entering.reshape(count, -1) if count else np.zeros((0, through.shape[1]))
    if leaving.ndim < 2:
        leaving = leaving.reshape(-1, count) if count else np.zeros((through.shape[0], 0))
    return {"a": states.reshape(count, -1) if count else np.zeros((0, 0)), "b": entering, "c": leaving, "d": through}


def _matrices(system: tuple[Any, ...]) -> tuple[dict[str, Any], float | None, tuple[Any, ...]]:
    """Return A, B, C, D, the sample time (None: continuous) and what else was given."""
    if system and not isinstance(system[0], int | float | list | tuple | np.ndarray):
        return *_lti(system[0]), system[1:]
    if len(system) not in (4, 5):
        raise SetupError("state_space: expected A, B, C, D and the input, or an LTI object (SciPy, python-control)")
    return state_matrices(*system[:4]), None, system[4:]


def _lti(system: Any) -> tuple[dict[str, Any], float | None]:
    """Return A, B, C, D and the sample time of an LTI object of SciPy or python-control."""
    if hasattr(system, "to_ss"):
        system = system.to_ss()
    elif hasattr(system, "num") and not hasattr(system, "A"):
        import control

        system = control.tf2ss(system)
    if not all(hasattr(system, matrix) for matrix in "ABCD"):
        raise SetupError(f"state_space: {system!r} is not an LTI object; expected A, B, C, D")
    step = getattr(system, "dt", None)
    if step is True:
        raise SetupError("state_space: the sample time of the discrete system is not given (dt = True)")
    return state_matrices(system.A, system.B, system.C, system.D), float(step) if step else None


def _pairs(name: str, roots: ArrayLike) -> NDArray[np.float64] | None:
    """Return complex numbers as rows (real, imaginary); None when there are none."""
    values = np.atleast_1d(np.asarray(roots, dtype=complex))
    if values.ndim != 1:
        raise SetupError(f'"{name}": expected a list of numbers, not an array of shape {values.shape}')
    return np.column_stack((values.real, values.imag)) if len(values) else None
