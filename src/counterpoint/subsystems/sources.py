"""Sources: subsystems without inputs. In every named scheme the others wait for them and interpolate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from .._common.ports import PortSpec, offsets, port_widths
from .._common.recorded import recorded
from ..approximations import hold
from ..errors import SetupError
from .base import InputFunction, NativeSubsystem, Subsystem


@recorded
def table(
    times: ArrayLike,
    values: ArrayLike,
    *,
    outputs: PortSpec = "y",
    kind: Literal["linear", "hold"] = "linear",
    units: Mapping[str, str] | None = None,
) -> NativeSubsystem:
    """Make a source from values tabulated over time; after the last row the last value is held.

    Without a step it steps from row to row, so ``lagrange(1)`` reproduces its lines exactly.

    Parameters
    ----------
    times : array of shape (n,)
        Increasing, in s. Rows at the same time are a jump from the first of them to the last.
    values : array of shape (n,) or (n, k)
        Outputs at these times.
    outputs : names, or name -> width
        Ports; a single name takes all k columns.
    kind : "linear" or "hold"
        Straight lines between rows, or each row held until the next.

    Examples
    --------
    >>> ramp = table([0, 1, 5], [0, 10, 10], outputs="throttle")
    >>> ramp.outputs
    {'throttle': 1}
    """
    try:
        axis = np.ascontiguousarray(times, dtype=np.float64)
        rows = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise SetupError("times, values: expected numbers") from None
    if kind not in ("linear", "hold"):
        raise SetupError(f'kind: "{kind}"; expected "linear" or "hold"')
    _check_axis(axis, len(rows))
    rows = np.ascontiguousarray(rows.reshape(len(axis), -1))
    if not np.all(np.isfinite(rows)):
        row = int(np.argwhere(~np.isfinite(rows))[0][0])
        raise SetupError(f"values: row {row + 1} (t = {axis[row]} s) contains NaN or infinity")
    widths = port_widths({outputs: rows.shape[1]} if isinstance(outputs, str) else outputs, "outputs")
    if sum(widths.values()) != rows.shape[1]:
        raise SetupError(
            f"outputs: the names {list(widths)} stand for {sum(widths.values())} values; the table has {rows.shape[1]}"
        )
    made = NativeSubsystem(
        "table",
        lambda: _core.table(axis.tolist(), rows, kind == "hold"),
        inputs={},
        outputs=widths,
        units=units,
        own_pace=True,
        preferred_approximation=hold("behind") if kind == "hold" else None,
    )
    begins = offsets(widths)
    made.constant_outputs = [
        port for port, n in widths.items() if np.ptp(rows[:, begins[port] : begins[port] + n], axis=0).max() == 0.0
    ]
    return made


def _check_axis(axis: np.ndarray[tuple[int, ...], np.dtype[np.float64]], rows: int) -> None:
    if axis.ndim != 1 or len(axis) == 0 or len(axis) != rows:
        raise SetupError(f"times: {axis.size} times for {rows} rows of values")
    if not np.all(np.isfinite(axis)):
        raise SetupError(f"times: row {int(np.argmin(np.isfinite(axis))) + 1} is not a finite number")
    steps = np.diff(axis)
    if np.any(steps < 0.0):
        row = int(np.argmax(steps < 0.0)) + 1
        raise SetupError(f"times: row {row + 1} ({axis[row]} s) is before row {row} ({axis[row - 1]} s)")


class FunctionSource(Subsystem):
    """A function of time."""

    def __init__(
        self, function: Callable[[float], float | ArrayLike], outputs: PortSpec, units: Mapping[str, str]
    ) -> None:
        self.function = function
        self.outputs = port_widths(outputs, "outputs")
        self.units = dict(units)

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        """Do nothing: there is no state."""

    def output(self, t: float, u: InputFunction) -> float | ArrayLike:
        """Return the value of the function."""
        return self.function(t)

    def save(self) -> None:
        """There is no state to save: the output depends only on time."""

    def restore(self, state: None) -> None:
        """Do nothing, likewise."""


@recorded
def source(
    function: Callable[[float], float | ArrayLike],
    *,
    outputs: PortSpec = "y",
    units: Mapping[str, str] | None = None,
) -> Subsystem:
    """Make a source from a Python function of time in s; add it with the step at which it is sampled.

    Examples
    --------
    >>> import math
    >>> wave = source(lambda t: math.sin(6.28 * t), outputs="height")
    >>> wave.outputs
    {'height': 1}
    """
    return FunctionSource(function, outputs, units or {})
