"""System: subsystems, the connections between them, and how to run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ._common.collection import system_has_grown
from ._common.numbers import is_whole
from ._common.ports import PortSpec, port_widths
from ._common.provided import provided
from ._run.checks import find_problems
from ._run.declaring import InterfacesAndEvents
from ._run.host_ports import HostPorts
from ._run.options import FIRST_STEPS, Check, EnergyCorrection, FirstSteps, RunOptions
from ._run.parts import Connection, HasSubsystem, Law, Participant, made_connection
from ._run.port_table import PortTable
from ._run.precedence import Scheme, to_scheme
from ._run.problem import Problem
from .approximations import Approximation
from .errors import SetupError
from .pace import Pace, Step
from .pace._contract import as_pace
from .pace._kinds import Fixed
from .subsystems import Subsystem
from .units import time_at
from .windows import Window, as_window

if TYPE_CHECKING:
    from ._run.embedded import CosimulationInterface
    from ._run.progress import Progress
    from ._run.run import Run
    from .advise import Advice
    from .bonds import Bond
    from .events import PlannedEvent
    from .results import Result

__all__ = ["Connection", "Participant", "Problem", "System"]


def _start_options(start: float | str, first_steps: FirstSteps) -> dict[str, Any]:
    """Return when and how a run starts; one word for both is a start at 0 s."""
    if start in FIRST_STEPS:
        return {"start": 0.0, "first_steps": start}
    return {"start": time_at("start", start), "first_steps": first_steps}


class System(InterfacesAndEvents):
    """Subsystems, each with its own solver and step, and the connections between them.

    Parameters
    ----------
    name : str
        Its name in results and plots.
    convert : bool, optional
        Default for connections: whether units are converted; see :meth:`connect`.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> fast = cp.linear([[0, 1], [-40, 0]], [[0], [40]], x0=[1, 0], inputs="u", outputs=["x", "v"])
    >>> slow = cp.linear([[0, 1], [-0.8, 0]], [[0], [0.4]], x0=[1, 0], inputs="u", outputs=["x", "v"])
    >>> system.add("fast", fast, step=0.01)
    >>> system.add("slow", slow, step=0.1)
    >>> system.connect("fast.x", "slow.u", cp.lagrange(2))
    >>> system.connect("slow.x", "fast.u", cp.lagrange(2))
    >>> result = system.run(until=1.0, scheme="slowest-first")
    >>> len(result["fast.x"].time), len(result["slow.x"].time)
    (101, 11)
    """

    def __init__(self, name: str = "system", *, convert: bool | None = None) -> None:
        self.name = name
        self.convert = convert
        self.subsystems: dict[str, Participant] = {}
        self.connections: list[Connection] = []
        self.constants: dict[str, ArrayLike] = {}
        self.bonds: list[Bond] = []
        self.events: list[PlannedEvent] = []
        self._added: set[int] = set()
        self.origin: object = None  #: what it was made from
        self.unit_warnings: set[str] = set()  #: connections that a warning has named

    def add(
        self,
        name: str,
        subsystem: Subsystem | HasSubsystem,
        step: float | str | None = None,
        *,
        record: bool = True,
        typical_step: float | str | None = None,
        pace: Pace | Callable[[Step], float] | None = None,
    ) -> None:
        """Add a subsystem.

        Parameters
        ----------
        name : str
            A word without dots; its ports are ``name.port``.
        subsystem : Subsystem, or an object with a method ``subsystem()``
            The model, such as a Mechanism or an FMU. Use each object once, in one system.
        step : float or str, optional
            Fixed step in s, or with its unit, ``"0.1 ms"``. Without it the subsystem chooses its steps
            (variable-step solvers, tables, mechanisms with a preferred step); an FMU uses the step that it suggests.
        record : bool
            Keep its outputs in the result.
        typical_step : float, optional
            Step in s by which schemes rank a subsystem that chooses its own steps; default: its first step.
        pace : Pace or function, optional
            Rule that chooses its steps, see :mod:`counterpoint.pace`; ``step`` is then the first one.
        """
        if not name or "." in name or name != name.strip():
            raise SetupError(f'subsystems."{name}": expected a name without dots')
        if name in self.subsystems:
            raise SetupError(f'subsystems.{name}: there is already a subsystem "{name}"; choose another name')
        if not isinstance(subsystem, Subsystem) and isinstance(subsystem, HasSubsystem):
            subsystem = subsystem.subsystem()
        if not isinstance(subsystem, Subsystem):
            raise SetupError(
                f"subsystems.{name}: {type(subsystem).__name__} is not a subsystem; "
                "use cp.ode, cp.linear, ... or a subclass of cp.Subsystem"
            )
        if id(subsystem) in self._added and any(known.subsystem is subsystem for known in self.subsystems.values()):
            raise SetupError(f"subsystems.{name}: the same object is in the system already; make a second one")
        subsystem.inputs = port_widths(subsystem.inputs, f"subsystems.{name}.inputs")
        subsystem.outputs = port_widths(subsystem.outputs, f"subsystems.{name}.outputs")
        self._added.add(id(subsystem))
        fixed = time_at(f"subsystems.{name}.step", subsystem.preferred_step if step is None else step)
        typical = time_at(f"subsystems.{name}.typical_step", typical_step)
        chosen = as_pace(pace, f"subsystems.{name}.pace")
        if isinstance(chosen, Fixed):
            fixed = chosen.step
        self.subsystems[name] = Participant(subsystem, fixed, record, typical, chosen)
        system_has_grown(len(self.subsystems))

    def add_host(self, name: str, inputs: PortSpec, outputs: PortSpec) -> None:
        """Add the ports of a host: a program that integrates by itself and requests its inputs.

        For the interface that it calls, see :meth:`embed`.
        """
        self.add(name, HostPorts(inputs, outputs))

    def connect(
        self,
        source: str | Sequence[str],
        target: str,
        approximation: Approximation | Sequence[Approximation | None] | None = None,
        *,
        gain: float | Sequence[float] = 1.0,
        offset: float = 0.0,
        initial: float | None = None,
        law: Law | None = None,
        convert: bool | None = None,
    ) -> None:
        """Connect an output, or several through a coupling law, to an input.

        Parameters
        ----------
        source : str or list of str
            ``subsystem.output``; several outputs determine the input together.
        target : str
            ``subsystem.input``.
        approximation : Approximation, or one per source, optional
            Default: that of the source, if it has one (held tables, discrete outputs of FMUs), otherwise that of the
            run, otherwise ``lagrange(1)``.
        gain : float, or one per source
            Factor on each signal.
        offset : float
            Added to the input, in its units. With a law it is added to the first signal.
        initial : float, optional
            Value of the input while initial outputs are found: breaks a loop of direct feedthrough.
        law : function, optional
            ``law(signal, ...)`` computes the input from the scaled signals; default: their sum.
        convert : bool, optional
            True: convert each source to the unit of the input, before ``gain`` and ``offset``. False: use the numbers
            unchanged, whatever the units. Default: the setting of the system; without one, units must agree.

        Examples
        --------
        >>> system = System()
        >>> system.connect(["left.force", "right.force"], "body.force", gain=[1.0, -1.0])
        >>> system.connections[0].gains
        (1.0, -1.0)
        """
        made = made_connection(
            f"connections[{len(self.connections)}]", source, target, approximation,
            gain=gain, offset=offset, initial=initial, law=law, convert=convert,
        )  # fmt: skip
        self.connections.append(made)
        system_has_grown(len(self.subsystems))

    def set(self, target: str, value: ArrayLike) -> None:
        """Set an unconnected input to a constant value.

        >>> system = System()
        >>> system.set("chassis.brake", 0.0)
        >>> system.constants
        {'chassis.brake': 0.0}
        """
        self.constants[target] = value

    def halved(self, parts: int = 2) -> System:
        """Return the same system with each fixed step divided, to see the influence of the steps.

        Subsystems that choose their own steps keep them. The subsystems are shared: run one system after the other.

        >>> import counterpoint as cp
        >>> system = System()
        >>> system.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level"), step=0.1)
        >>> system.halved().subsystems["tank"].step
        0.05
        """
        if not is_whole(parts, 2, 1 << 20):
            raise SetupError(f"parts: {parts!r}; expected an integer from 2")
        made = copy(self)
        made.name = f"{self.name}, steps / {parts}"
        made.connections, made.constants = list(self.connections), dict(self.constants)
        made.bonds, made.events = list(self.bonds), list(self.events)
        made.subsystems = {
            name: part if part.step is None else replace(part, step=part.step / parts)
            for name, part in self.subsystems.items()
        }
        return made

    def problems(
        self,
        until: float | None = None,
        scheme: str | Scheme = "slowest-first",
        start: float = 0.0,
        window: Window | str | None = None,
        *,
        pace: Pace | Callable[[Step], float] | None = None,
        real_time: float | None = None,
        first_steps: FirstSteps = "auto",
    ) -> list[Problem]:
        """Return all problems that prevent a run; an empty list if there are none."""
        options = RunOptions(
            until=until, scheme=scheme, start=start, window=as_window(window), pace=pace, real_time=real_time,
            first_steps=first_steps,
        )  # fmt: skip
        return find_problems(self, options, PortTable(self))

    def waits_for(self, scheme: str | Scheme = "slowest-first") -> dict[str, list[str]]:
        """Return, for each subsystem, the subsystems that it waits for under a scheme."""
        from ._run.plan import waiting

        return waiting(self, to_scheme(scheme), start=0.0)

    def run(
        self,
        until: float | str,
        scheme: str | Scheme = "slowest-first",
        *,
        start: float | str = 0.0,
        window: Window | str | None = None,
        pace: Pace | Callable[[Step], float] | None = None,
        real_time: float | None = None,
        threads: int = 1,
        file: str | PathLike[str] | None = None,
        overwrite: bool = False,
        progress: bool | Callable[[Progress], None] = False,
        host: str | None = None,
        approximation: Approximation | None = None,
        metadata: Mapping[str, str | float] | None = None,
        record: Sequence[str] | None = None,
        record_every: float | str | None = None,
        compress: bool = False,
        first_steps: FirstSteps = "auto",
        check: Check = "auto",
        energy_correction: EnergyCorrection = "off",
        adapt: bool = False,
    ) -> Result:
        """Run from ``start`` to ``until`` and return the result.

        Parameters
        ----------
        until, start : float or str
            Time span of the run in s, or with units, ``"2 min"``. At ``start`` every subsystem has its initial state;
            nothing is computed before. ``start="repeat"`` is short for a start at 0 s with ``first_steps="repeat"``.
        scheme : str or Scheme
            ``"slowest-first"``, ``"fastest-first"``, ``"parallel"``, ``"sequential"``, :func:`sequential` or
            :func:`custom`.
        window : Window or str, optional
            Divide the run into windows that are repeated, see :func:`window` and :func:`compound_fast`, or
            ``"repeat-once"``: windows of the longest step, repeated once.
        pace : Pace or function, optional
            Rule that chooses the steps of all subsystems together, see :mod:`counterpoint.pace`. Subsystems with their
            own pace keep it; those that choose their own steps make them in between.
        real_time : float, optional
            Run in real time: simulated seconds per second of wall time. Steps that end too late are counted.
        threads : int
            Worker threads; the result has the same bits for any number.
        file : path, optional
            Stream the results to this HDF5 file instead of keeping them in memory.
        overwrite : bool
            Replace an existing file.
        progress : bool or function
            Show a progress bar, or call the function about ten times a second.
        host : str, optional
            Make this subsystem the master of an embedded interface: it integrates, and the others advance
            when it asks for its inputs. Schemes: slowest-first and fastest-first.
        approximation : Approximation, optional
            Of connections without their own; default ``lagrange(1)``.
        metadata : mapping, optional
            Stored with the result.
        record : sequence of str, optional
            Outputs (``subsystem.output``) or subsystems to keep in the result; default: all.
        record_every : int, float or str, optional
            Keep every n-th step (an integer), or one row per interval in s (``0.01`` or ``"10 ms"``); the first and
            the last row are always kept. The simulation itself stays the same.
        compress : bool
            Compress ``file`` without loss at the end of the run; it stays readable during the run.
        first_steps : str
            ``"repeat"``: the first steps, as many as the highest order of an approximation, are repeated until they
            agree. Values that were extrapolated from a single sample are then interpolated. All subsystems must be able
            to save their state. ``"auto"``: repeat them if that is possible and they are at most a fifth of the run;
            FMUs of other tools are not repeated. ``"once"``: make them once, with the order that the samples allow.
            ``result.summary.first_steps`` shows what was done.
        check : str
            What ``result.quality`` does when it is first read. ``"auto"``: it runs the system again with steps of a
            quarter or half of the length, and estimates the error from the difference; if that would take more than
            3 s and a quarter of the run's wall time, only over the beginning of the run. ``"on"``: always the whole
            run. ``"off"``: no second run.
        energy_correction : str
            ``"preserve"``: the error of an extrapolated bond signal in one interval is compensated in the next.
            ``"dissipate"``: only errors that have created energy are compensated. Bonds that would become less stable
            or less accurate, according to the linearised system, are not corrected; ``result.events`` says so.
        adapt : bool
            Watch the highest band and the defect of extrapolated signals during the run. If they grow as in an unstable
            coupling, choose other orders of the approximations. ``result.events`` lists what was changed, when and
            why.

        Raises
        ------
        SetupError
            Nothing has run: lists all problems of the system.
        SimulationError, OutputError, RunInterrupted
            The run stopped; ``error.result`` has the results up to that point.
        """
        from ._run.run import run_to_end

        options = RunOptions(
            until=time_at("until", until), scheme=scheme, **_start_options(start, first_steps),
            window=as_window(window),
            pace=pace, real_time=real_time, threads=threads, file=file, overwrite=overwrite, progress=progress,
            host=host, approximation=approximation, metadata=metadata, record=record, record_every=record_every,
            compress=compress, check=check, energy_correction=energy_correction, adapt=adapt,
        )  # fmt: skip
        return run_to_end(self, options)

    def start(
        self,
        until: float | str | None = None,
        scheme: str | Scheme = "slowest-first",
        *,
        start: float | str = 0.0,
        window: Window | str | None = None,
        pace: Pace | Callable[[Step], float] | None = None,
        real_time: float | None = None,
        threads: int = 1,
        file: str | PathLike[str] | None = None,
        overwrite: bool = False,
        progress: bool | Callable[[Progress], None] = False,
        host: str | None = None,
        approximation: Approximation | None = None,
        metadata: Mapping[str, str | float] | None = None,
        record: Sequence[str] | None = None,
        record_every: float | str | None = None,
        compress: bool = False,
        first_steps: FirstSteps = "auto",
        check: Check = "auto",
        energy_correction: EnergyCorrection = "off",
        adapt: bool = False,
    ) -> Run:
        """Begin a run that your program advances: ``step_to``, ``value``, ``set``, ``finish``.

        The parameters are those of :meth:`run`; without ``until`` the end is open. With windows, ``step_to`` completes
        the window that contains its time. First steps are made once, because inputs may be set between them, unless
        ``first_steps="repeat"``.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("tank", cp.ode(lambda t, x, u: u - x, [0.0], inputs="flow", outputs="level"), step=0.1)
        >>> system.set("tank.flow", 1.0)
        >>> run = system.start()
        >>> run.step_to(1.0)
        >>> round(run.value("tank.level"), 3)
        0.632
        >>> result = run.finish()
        """
        from ._run.run import Run

        options = RunOptions(
            until=time_at("until", until), scheme=scheme, **_start_options(start, first_steps),
            window=as_window(window),
            pace=pace, real_time=real_time, threads=threads, file=file, overwrite=overwrite, progress=progress,
            host=host, approximation=approximation, metadata=metadata, record=record, record_every=record_every,
            compress=compress, check=check, energy_correction=energy_correction, adapt=adapt,
            driven=True,
        )  # fmt: skip
        return Run(self, options)

    def embed(self, host: str, scheme: str | Scheme = "slowest-first", *, start: float = 0.0) -> CosimulationInterface:
        """Return the interface that a host program calls: ``evaluate(t, y, is_major) -> u``.

        Parameters
        ----------
        host : str
            Name given to :meth:`add_host`.
        scheme : str
            ``"slowest-first"`` (the host waits for the others) or ``"fastest-first"``.
        start : float
            Start time, s.
        """
        from ._run.embedded import CosimulationInterface

        return CosimulationInterface(self, host, RunOptions(scheme=scheme, start=start))

    def advise(
        self,
        until: float | str,
        tolerance: float = 1e-2,
        *,
        change_steps: bool = True,
        schemes: Sequence[str] | None = None,
        operating_points: Sequence[float | str] = (),
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Advice:
        """Recommend a strategy before a run: scheme, approximations, steps or pace, treatment of the start.

        Parameters
        ----------
        until : float or str
            End of the planned run, in s.
        tolerance : float
            Relative error to reach: rms error of the worst exchanged signal over its rms about its mean.
        change_steps : bool
            Whether steps may change; if not, the strategy with the smallest error is recommended.
        schemes : sequence of str, optional
            Schemes to try; default: all that differ.
        operating_points : sequence of float or str
            Further times (s) at which the system is linearised, in addition to the start; each is valid up to the next.
            Pilots then cover the whole run.
        progress : function, optional
            Called as ``progress(what, done, total)``.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System("two masses")
        >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
        ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
        ...     system.add(name, mass, step=0.01)
        >>> system.connect("left.x", "right.u")
        >>> system.connect("right.x", "left.u")
        >>> advice = system.advise(until=10.0, tolerance=1e-3)
        >>> result = system.run(until=10.0, scheme=advice.best)
        >>> result.assess(2e-3).verdict
        'trustworthy'
        """
        made: Advice = provided("advise")(
            self, time_at("until", until), tolerance, change_steps=change_steps, schemes=schemes,
            operating_points=[time_at("operating_points", t) for t in operating_points], progress=progress,
        )  # fmt: skip
        return made

    def port_width(self, port: str, kind: str) -> int:
        """Return the width of ``subsystem.port``; raise SetupError with a hint when there is none."""
        return PortTable(self).place(port, kind).width

    def _repr_svg_(self) -> str:
        """Return what a notebook shows: the graph of the coupling."""
        from ._display.graph import graph_svg

        notes = {
            name: "own pace" if part.step is None else f"step {part.step:g} s" for name, part in self.subsystems.items()
        }
        pairs = ((source.partition("."), c.target.partition(".")) for c in self.connections for source in c.sources)
        arrows = [(a, b, f"{y} → {u}") for (a, _, y), (b, _, u) in pairs if a in notes and b in notes]
        return graph_svg(notes, arrows, self.name)

    def __repr__(self) -> str:
        return f"<System {self.name}: {len(self.subsystems)} subsystems, {len(self.connections)} connections>"
