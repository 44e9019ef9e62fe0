"""The result of a run: signals on their own time axes, defects, timing and the verdict."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from ..errors import did_you_mean
from ..quality import TOLERANCE, Quality, SecondRun, assess
from ..quality.kept_check import check_text, second_run_from
from .defects import summaries
from .facts import RunFacts
from .memory_store import MemoryStore
from .names import Catalog, SignalColumns, UnknownNameError
from .sampling import Kind, sample
from .series import Span
from .signal import DefectSignal, Signal
from .steps import Steps
from .store import ALL, Array, DefectSummary, RunLayout, RunSummary, StoreView

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from .bonds import BondEnergy
    from .measures import Measures


class Checker(Protocol):
    """Makes the second run of a system."""

    def __call__(self, first: Result) -> SecondRun:
        """Return a second run, or the reason why there is none."""

    def coupling(self) -> str:
        """Return approximation, order and meaning of each connection, as JSON."""


class Result(RunFacts):
    """The signals of a run, the quality of the coupling, and the timing.

    Parameters
    ----------
    view : StoreView
        Where the rows are: memory or file.
    layout : RunLayout
        Names and units.
    summary : RunSummary
        How the run ended.
    checker : Checker, optional
        Makes a second run of the same system, for the verdict.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout
    >>> layout = RunLayout((SubsystemLayout("engine", ("speed",), ("rad/s",)),))
    >>> store = MemoryStore(layout, {"name": "kart"})
    >>> store.append(0, np.array([[0.0, 10.0], [1.0, 12.0]]))
    >>> result = Result(store, layout, RunSummary("finished", end=1.0, until=1.0))
    >>> result
    <Result kart: finished at 1 s, 1 signal of 1 subsystem>
    >>> float(result["engine.speed"].at(0.5))
    11.0
    """

    def __init__(
        self,
        view: StoreView,
        layout: RunLayout,
        summary: RunSummary,
        checker: Checker | None = None,
    ) -> None:
        super().__init__(view, layout, summary)
        self._checker = checker
        self._keeps_check = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the run file, if the result reads one; signals already read keep their values."""
        self._view.close()

    def refresh(self) -> None:
        """Read what a run in progress has written since the result was loaded."""
        self._view.refresh()
        self.summary = getattr(self._view, "summary", self.summary)
        for known in ("defect_summaries", "_second", "quality"):
            self.__dict__.pop(known, None)

    @property
    def _catalog(self) -> Catalog:
        return self.layout.catalog

    @property
    def signals(self) -> list[str]:
        """Names of all scalar signals, ``"subsystem.output"``."""
        return list(self._catalog.scalars)

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals)

    def __contains__(self, key: object) -> bool:
        try:
            self._catalog.find(key)  # type: ignore[arg-type]
        except (UnknownNameError, TypeError):
            return False
        return True

    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        """Return a signal (``"engine.speed"``, a vector ``"cart.p"``) or a table (``"engine"``)."""
        found = self._catalog.find(key)
        return Signal(self._view, found) if isinstance(found, SignalColumns) else self.frame(found)

    def _ipython_key_completions_(self) -> list[str]:
        return self.subsystems + self.signals

    def signal(self, key: str | tuple[str, str]) -> Signal:
        """Return a signal by ``"subsystem.output"`` or the pair ``("subsystem", "output")``.

        Raises
        ------
        UnknownNameError
            A SetupError and a KeyError; it names the nearest signal.
        """
        return Signal(self._view, self._catalog.signal(key))

    def expand(self, key: str) -> list[str]:
        """Return the scalar signals of a name: those of a subsystem or a vector, or a single one.

        Raises
        ------
        UnknownNameError
            When there is nothing of this name.
        """
        found = self._catalog.find(key)
        if isinstance(found, SignalColumns):
            entry = self.layout.subsystems[found.subsystem]
            return [f"{entry.name}.{column}" for column in entry.columns[found.columns]]
        entry = self.layout.subsystems[found]
        return [f"{entry.name}.{column}" for column in entry.columns]

    def rows(self, subsystem: str) -> int:
        """Return the number of rows that a subsystem published."""
        return self._view.rows(self._catalog.subsystem(subsystem))

    def row_times(self, subsystem: str) -> Array:
        """Return the times of the rows of a subsystem in s, shape ``(n,)``."""
        return np.array(self._view.times(self._catalog.subsystem(subsystem)))

    def row(self, subsystem: str, number: int) -> Array:
        """Return one row of a subsystem, shape ``(columns,)``."""
        found = self._view.values(self._catalog.subsystem(subsystem), ALL, slice(number, number + 1))
        return np.array(found[0])

    def at(self, times: ArrayLike, kind: Kind = "linear") -> pd.DataFrame:
        """Return all signals at common times.

        Parameters
        ----------
        times : array_like
            Times in s within the range of every subsystem.
        kind : {"linear", "hold", "cubic"}
            Straight lines between samples, the last sample, or the cubic through the four samples around.

        Returns
        -------
        DataFrame
            One column per signal, the time in s as index.
        """
        import pandas as pd

        index = np.atleast_1d(np.asarray(times, dtype=np.float64)).ravel()
        parts = [
            sample(index, self._view.times(i, rows), self._view.values(i, ALL, rows), kind, entry.name)
            for i, entry in enumerate(self.layout.subsystems)
            for rows in [slice(0, self._view.rows(i))]
        ]
        values = np.hstack(parts) if parts else np.empty((len(index), 0))
        return pd.DataFrame(values, index=pd.Index(index, name="time"), columns=pd.Index(self.signals, dtype=object))

    @overload
    def to_pandas(self, subsystem: str) -> pd.DataFrame: ...
    @overload
    def to_pandas(self, subsystem: None = None) -> dict[str, pd.DataFrame]: ...
    def to_pandas(self, subsystem: str | None = None) -> pd.DataFrame | dict[str, pd.DataFrame]:
        """Return the table of one subsystem, or of all by name; the time in s is the index."""
        if subsystem is not None:
            return self.frame(self._catalog.subsystem(subsystem))
        return {name: self.frame(i) for i, name in enumerate(self.subsystems)}

    def frame(self, position: int, rows: slice | None = None) -> pd.DataFrame:
        """Return the table of the subsystem at `position`, or only some of its rows."""
        import pandas as pd

        part = rows or slice(0, self._view.rows(position))
        entry = self.layout.subsystems[position]
        return pd.DataFrame(
            np.array(self._view.values(position, ALL, part)),
            index=pd.Index(np.array(self._view.times(position, part)), name="time"),
            columns=pd.Index(entry.columns, dtype=object),
        )

    def to_xarray(self) -> xr.Dataset:
        """Return a Dataset with one time dimension per subsystem, ``<subsystem>_time``; units are attributes.

        Raises
        ------
        MissingExtraError
            When xarray is not installed.
        """
        from .export import to_dataset

        return to_dataset(self)

    def to_datatree(self) -> xr.DataTree:
        """Return a DataTree with one node per subsystem, each with its own ``time`` in s; units are attributes.

        Raises
        ------
        MissingExtraError
            When xarray 2024.10 or newer is not installed.
        """
        from .export import to_datatree

        return to_datatree(self)

    def export(self, path: str | os.PathLike[str], times: ArrayLike | None = None) -> list[Path]:
        """Write the signals in another format.

        Parameters
        ----------
        path : path-like
            The ending chooses the format: ``.csv`` and ``.parquet`` (one file a subsystem,
            ``run.<subsystem>.csv``), ``.nc`` (NetCDF) and ``.mat`` (MATLAB).
        times : array_like, optional
            Write all signals at these times in s instead, in one table, linear between samples.

        Returns
        -------
        list of Path
            The files written; existing ones are replaced, each at once when it is complete.
        """
        from .export import export

        return export(self, Path(path), times)

    @cached_property
    def defect_summaries(self) -> list[DefectSummary]:
        """The interface defect of each connection, in the order of the layout."""
        return summaries(self._view, self.summary)

    @property
    def defects(self) -> pd.DataFrame:
        """The interface defect of each connection: kind, maximum and its time in s, rms, relative, count."""
        import pandas as pd

        columns = ["connection", "kind", "maximum", "time_of_maximum", "rms", "relative", "count"]
        rows = [[getattr(defect, column) for column in columns] for defect in self.defect_summaries]
        return pd.DataFrame(rows, columns=pd.Index(columns))

    def defect(self, connection: str) -> DefectSignal:
        """Return the interface defect of a connection (``"a.y -> b.u"``) over time."""
        labels = self.layout.connections
        if connection not in labels:
            hint = did_you_mean(connection, labels)
            raise UnknownNameError(f'"{connection}": no such connection in the result{hint}')
        return DefectSignal(self._view, labels.index(connection))

    def defect_rows(self, connection: int) -> Array:
        """Return time in s, assumed and arrived value of the connection at a position, shape ``(n, 3)``."""
        return self._view.defects(connection)

    def error_growth(self, connection: int) -> float:
        """Return the mean difference over a step, relative to that at its end, of the connection at a position."""
        return self.defect_summaries[connection].growth

    @property
    def bonds(self) -> pd.DataFrame:
        """Energy at each bond in J: exchanged, and the residual that the coupling created (positive) or lost."""
        from .bonds import bond_table

        return bond_table(self)

    @cached_property
    def coupling(self) -> str:
        """Approximation, order and meaning of each connection, as JSON."""
        if self._checker is not None:
            return self._checker.coupling()
        return str(self._view.metadata.get("coupling", "[]"))

    @cached_property
    def _second(self) -> SecondRun:
        """The second run of the same system, made at the first access; the models are then released."""
        coupling, checker, self._checker = self.coupling, self._checker, None
        self.__dict__["coupling"] = coupling
        if self.status != "finished":  # it was stopped: do not start another one
            return SecondRun(reason=f"the run is not complete ({self.status})")
        if checker is None and isinstance(self._view, MemoryStore):
            return SecondRun(reason="inputs were set during the run, so it cannot be repeated")
        if checker is None:
            return second_run_from(self._view.kept_check())
        self._keeps_check = True
        return checker(self)

    @cached_property
    def quality(self) -> Quality:
        """The verdict in words, with its reason and the remedy; ``print`` it.

        At the first access the system runs again with smaller steps, see ``check`` of :meth:`System.run`. A run file
        stores the estimate, so it gives the same verdict when it is loaded later.
        """
        deep = self._second.result is not None or isinstance(self._view, MemoryStore)  # a file is read when asked for
        return self._assess(TOLERANCE, deep)

    def _assess(self, tolerance: float, deep: bool) -> Quality:
        second = self._second
        quality = assess(self, second, self._bond_energies(), tolerance, deep)
        if self._keeps_check:
            self._keeps_check = False
            self._view.keep_check(lambda room: check_text(quality, room))
        return quality

    def _bond_energies(self) -> list[BondEnergy]:
        from .bonds import bond_energies

        return bond_energies(self) if "bonds" in self._view.metadata else []

    def assess(self, tolerance: float = TOLERANCE) -> Quality:
        """Return the verdict for a tolerance: the relative error of exchanged signals below which a run can be trusted.

        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("ramp", cp.source(lambda t: t, outputs="y"), step=0.1)
        >>> system.add("tank", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="x"), step=0.1)
        >>> system.connect("ramp.y", "tank.u")
        >>> system.run(until=1.0).assess(1e-3).verdict
        'trustworthy'
        """
        return self._assess(tolerance, deep=True)

    def measures(self, reference: Result | None = None, names: Mapping[str, str] | None = None) -> Measures:
        """Return measures of the run: τ_CUM, τ*_CUM, S_CS and θ_A of Günther et al. (2012), steps and costs.

        Parameters
        ----------
        reference : Result, optional
            A run to measure against: of the same system without coupling error, or of one model for the whole.
        names : mapping, optional
            Signal of this result -> signal of the reference, if their names differ.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("ramp", cp.source(lambda t: t, outputs="y"), step=0.1)
        >>> system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="x"), step=0.1)
        >>> system.connect("ramp.y", "tank.u", cp.hold())
        >>> result = system.run(until=1.0, scheme=cp.custom({}))
        >>> round(float(result.measures().connections["tau"][0]), 9)  # half a step
        0.05
        """
        from .measures import measures_of

        return measures_of(self, reference, names)

    @property
    def events(self) -> pd.DataFrame:
        """Events of the run: time in s, source (subsystem), level, text; includes jumps of outputs."""
        from .events import events_of

        return events_of(self)

    @property
    def steps(self) -> Steps:
        """Steps by subsystem, ``result.steps["engine"]``: a table of t, length, rule, estimate, accepted, signal."""
        return Steps(self)

    def plot_steps(self, *names: str, path: str | os.PathLike[str] | None = None, axes: Axes | None = None) -> Axes:
        """Draw the lengths of steps over time; rejected ones are crosses.

        Parameters
        ----------
        *names : str
            Subsystems; by default all. Steps made together are one line.
        path : path-like, optional
            Save the picture there instead of keeping it for ``plt.show()``.
        axes : matplotlib axes, optional
            Where to draw.
        """
        from .plot_style import save
        from .steps import draw_steps

        drawn = draw_steps(self, names, axes)
        if path is not None:
            save(drawn.figure, Path(path))
        return cast("Axes", drawn)

    def plot_quality(self, path: str | os.PathLike[str] | None = None) -> list[Axes]:
        """Draw estimated errors, defects, highest band and residual energy of bonds over time.

        Parameters
        ----------
        path : path-like, optional
            Save the picture there instead of keeping it for ``plt.show()``.
        """
        from .plot_quality import draw_quality

        return draw_quality(self, None if path is None else Path(path))

    def plot(
        self,
        *names: str | tuple[str, str] | list[str],
        path: str | os.PathLike[str] | None = None,
        span: Span | None = None,
        axes: Sequence[Axes] | None = None,
    ) -> list[Axes]:
        """Draw signals over time, one axis per unit (or per subsystem, where units are not known).

        Parameters
        ----------
        *names : str or list of str
            Signals or subsystems. Default: all, except minor ones such as the coordinates of a mechanism that declares
            outputs.
        path : path-like, optional
            Save the picture there (``.png``, ``.pdf``, ``.svg``) instead of keeping it for ``plt.show()``.
        span : tuple (start, end), optional
            Times in s to show; None: from the first or to the last sample.
        axes : sequence of matplotlib axes, optional
            Axes to use, one per unit; further units go into the last.

        Returns
        -------
        list of matplotlib axes
        """
        from .plot import draw

        all_names = [name for group in names for name in (group if isinstance(group, list) else [group])]
        return draw(self, all_names, path, span=span, axes=axes)

    def __repr__(self) -> str:
        from .text import headline

        return f"<Result {headline(self)}>"

    def __str__(self) -> str:
        from .text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from .text import as_html

        return as_html(self)
