"""Sources: signals that depend on time alone."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ..._files.csv_files import read_csv
from .family import DEFAULT, Family, with_defaults

if TYPE_CHECKING:
    from ..block import Block


class SourceBlocks(Family):
    """Sources: signals that depend on time alone. Jumps and corners are met exactly by every solver."""

    def constant(self, value: ArrayLike, *, name: str | None = None) -> Block:
        """Output a constant, a number or a vector."""
        return self.add("constant", name=name, value=value)

    def step(
        self, time: ArrayLike, before: ArrayLike = 0.0, after: ArrayLike = 1.0, *, name: str | None = None
    ) -> Block:
        """Jump from ``before`` to ``after`` at ``time`` (s); vectors give a vector."""
        return self.add("step", name=name, time=time, before=before, after=after)

    @with_defaults("ramp")
    def ramp(
        self,
        slope: float = 1.0,
        start: float = 0.0,
        *,
        end: float | None = None,
        initial: float = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Rise with ``slope`` (1/s) from ``initial``, beginning at ``start`` (s), level after ``end`` (s)."""
        return self.add("ramp", name=name, slope=slope, start=start, end=end, initial=initial)

    def sine(
        self,
        frequency: ArrayLike,
        amplitude: ArrayLike = 1.0,
        phase: ArrayLike = 0.0,
        bias: ArrayLike = 0.0,
        *,
        name: str | None = None,
    ) -> Block:
        """Output ``bias + amplitude sin(frequency t + phase)``; frequency in rad/s, phase in rad.

        Vectors give a vector.
        """
        return self.add("sine", name=name, frequency=frequency, amplitude=amplitude, phase=phase, bias=bias)

    @with_defaults("pulse", period=1.0)
    def pulse(
        self,
        period: float,
        *,
        width: float = DEFAULT,
        start: float = DEFAULT,
        low: float = DEFAULT,
        high: float = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output a square wave: ``high`` for the part ``width`` (0 to 1) of every ``period`` (s), then ``low``.

        The first pulse begins at ``start`` (s); before it the value is ``low``.
        """
        return self.add("pulse", name=name, period=period, width=width, start=start, low=low, high=high)

    def clock(self, *, name: str | None = None) -> Block:
        """Output the time, s."""
        return self.add("clock", name=name)

    @with_defaults("chirp", duration=1.0, last_frequency=2.0, first_frequency=1.0)
    def chirp(
        self,
        first_frequency: float,
        last_frequency: float,
        duration: float,
        *,
        amplitude: float = DEFAULT,
        phase: float = DEFAULT,
        sweep: str = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output a sine whose frequency goes from the first to the last (rad/s) during ``duration`` (s) and then stays.

        ``sweep``: ``linear``, or ``exponential`` (equal factors in equal times). The phase is the integral of the
        frequency plus ``phase`` (rad).
        """
        return self.add(
            "chirp",
            name=name,
            first_frequency=first_frequency,
            last_frequency=last_frequency,
            duration=duration,
            amplitude=amplitude,
            phase=phase,
            sweep=sweep,
        )

    @with_defaults("table", times=[0.0, 1.0], values=[0.0, 1.0])
    def table(
        self,
        times: ArrayLike,
        values: ArrayLike,
        *,
        interpolation: str = DEFAULT,
        before: str = DEFAULT,
        after: str = DEFAULT,
        locate_corners: bool = DEFAULT,
        names: Sequence[str] | None = None,
        name: str | None = None,
    ) -> Block:
        """Output values tabulated over time; a time that occurs twice is a jump.

        Parameters
        ----------
        times : array (n,)
            s, not decreasing.
        values : array (n,) or (n, width)
        interpolation : {"linear", "hold", "cubic"}
            ``hold`` keeps a value until the next time; ``cubic`` is shape-preserving (pchip) between jumps.
        before, after : {"hold", "extrapolate", "zero"}
            Outside of the table: the first or last value, the line of the outermost interval, or zero. With
            ``after="repeat"`` the table begins anew at its end, and has always done so.
        locate_corners : bool
            End a step at every corner of a linear table. False: only at its jumps, which is faster for tables
            much finer than the step.
        names : sequence of str, optional
            One scalar output per column instead of one vector ``y``.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("profile")
        >>> model.output("speed", model.table([0.0, 2.0, 2.0, 4.0], [0.0, 10.0, 20.0, 20.0]))
        >>> speed = model.run(until=3.0, step=1.0)["profile.speed"]
        >>> speed.values.tolist()
        [0.0, 5.0, 20.0, 20.0]
        """
        return self.add(
            "table",
            name=name,
            times=times,
            values=values,
            interpolation=interpolation,
            before=before,
            after=after,
            locate_corners=float(locate_corners),
            names=None if names is None else "\n".join(names),
        )

    @with_defaults("table", times=[0.0, 1.0], values=[0.0, 1.0])
    def from_csv(
        self,
        path: str | PathLike[str],
        *,
        columns: Sequence[str] | None = None,
        time: str | None = None,
        delimiter: str = ",",
        interpolation: str = DEFAULT,
        before: str = DEFAULT,
        after: str = DEFAULT,
        locate_corners: bool = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output columns of a CSV file over time, one output per column, named as in the first line of the file.

        ``time`` is the name of the column of times in s (default: the first), ``columns`` the names to use (default:
        all others). The other parameters are those of :meth:`table`.
        """
        read = read_csv(Path(path), columns, time=time, separator=delimiter, jumps=True)
        return self.table(
            read.times,
            read.values,
            interpolation=interpolation,
            before=before,
            after=after,
            locate_corners=locate_corners,
            names=read.names,
            name=name,
        )

    @with_defaults("noise", sample_time=1.0)
    def noise(
        self,
        power: float,
        sample_time: float,
        *,
        seed: int = DEFAULT,
        mean: float = DEFAULT,
        width: int = DEFAULT,
        name: str | None = None,
    ) -> Block:
        """Output band-limited white noise: held normal random numbers of variance ``power / sample_time``.

        ``power`` is the height of the two-sided power spectral density (unit squared times s), ``sample_time`` in s.
        The same seed gives the same numbers on every machine; the components of a vector are independent.
        """
        return self.add("noise", name=name, power=power, sample_time=sample_time, seed=seed, mean=mean, width=width)
