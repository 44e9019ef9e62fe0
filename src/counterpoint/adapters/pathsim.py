"""PathSim: our interface as one of its blocks, and one of its simulations as a subsystem.

PathSim is the extra ``pathsim``; it is loaded when something of this module is called.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._common.ports import port_widths
from .._run.host_ports import find_host
from .._run.precedence import Scheme
from ..errors import MissingExtraError, SetupError
from ..subsystems import Subsystem
from ..subsystems.base import InputFunction

if TYPE_CHECKING:
    from .._run.embedded import CosimulationInterface
    from ..system import System

__all__ = ["inlet", "interface_block", "subsystem"]


def _pathsim() -> ModuleType:
    try:
        import pathsim
        import pathsim.blocks
    except ImportError as error:
        raise MissingExtraError("PathSim", "pathsim") from error
    return pathsim  # type: ignore[no-any-return, unused-ignore]


def interface_block(
    system: System,
    host: str | None = None,
    *,
    scheme: str | Scheme = "slowest-first",
    accepted_only: bool | None = None,
) -> Any:
    """Return a PathSim block that lets a PathSim simulation be master of other subsystems.

    The ports of the block are those of the host, by name or in their order, vectors scalar by scalar: ``block["x1"]``.
    PathSim tells a block the time of an evaluation (``update``) and each accepted step (``sample``), but not
    that a step was rejected.

    Parameters
    ----------
    system : System
        The others, the ports of the host (``add_host``), and the connections between them.
    host : str, optional
        Name of the host; default: the only one of the system.
    scheme : str
        ``"slowest-first"`` or ``"fastest-first"``.
    accepted_only : bool, optional
        Advance the others with accepted data only, so that a rejected step leaves no trace; where they have not come
        far enough the inputs are extrapolated. Default: when the solver is adaptive.

    Returns
    -------
    pathsim.blocks.Block
        ``block.interface`` is the :class:`~counterpoint.CosimulationInterface` of the present run.
    """
    name = find_host(system, host)
    block = _class("CounterpointInterface", _InterfaceBlock)()
    block._prepare(system, name, scheme, accepted_only)
    return block


def inlet(width: int = 1) -> Any:
    """Return a PathSim block through which an input of the subsystem enters; ``width`` outputs."""
    if not isinstance(width, int) or width < 1:
        raise SetupError(f"inlet: width {width!r}; expected an integer of at least 1")
    block = _class("CounterpointInlet", _Inlet)()
    block._prepare(width)
    return block


def subsystem(
    simulation: Any,
    *,
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any],
    feedthrough: Iterable[tuple[str, str]] = (),
    units: Mapping[str, str] | None = None,
) -> Subsystem:
    """Make a subsystem of a PathSim simulation, which then steps when Counterpoint says so.

    Within a step of the subsystem the simulation makes steps of at most its own ``dt``, or as its adaptive solver
    chooses them; its inputs are asked at every stage.

    Parameters
    ----------
    simulation : pathsim.Simulation
    inputs : mapping
        Name -> a block made by :func:`inlet` that is in the simulation.
    outputs : mapping
        Name -> a block (its output 0) or a port, ``block[1]``; several ports, ``block[0, 1]``, are a vector.
    feedthrough : pairs (output, input)
        Outputs that depend on an input in the same instant.
    units : mapping, optional

    Notes
    -----
    It saves and restores through PathSim's checkpoints of blocks and events; what scopes have recorded is not taken
    back.
    """
    pathsim = _pathsim()
    if not isinstance(simulation, pathsim.Simulation):
        raise SetupError(f"subsystem: {type(simulation).__name__} is not a pathsim.Simulation")
    return _Simulation(simulation, dict(inputs or {}), dict(outputs), tuple(feedthrough), dict(units or {}))


@cache
def _class(name: str, behaviour: type) -> type:
    """PathSim's Block with our behaviour; made when PathSim is there."""
    return type(name, (behaviour, _pathsim().blocks.Block), {})


def _scalars(widths: Mapping[str, int]) -> dict[str, int]:
    """Labels of scalar ports -> their places."""
    names = [n if width == 1 else f"{n}[{k}]" for n, width in widths.items() for k in range(width)]
    return {name: place for place, name in enumerate(names)}


class _InterfaceBlock:
    """update(t): an evaluation, minor; sample(t, dt): an accepted step, major."""

    inputs: Any
    outputs: Any

    def _prepare(self, system: System, host: str, scheme: str | Scheme, accepted_only: bool | None) -> None:
        from pathsim.utils.register import Register

        ports = system.subsystems[host].subsystem
        labels = {"inputs": _scalars(ports.output_widths), "outputs": _scalars(ports.input_widths)}
        self.inputs = Register(size=max(len(labels["inputs"]), 1), mapping=labels["inputs"])
        self.outputs = Register(size=max(len(labels["outputs"]), 1), mapping=labels["outputs"])
        self.interface: CosimulationInterface | None = None
        self._given = len(labels["inputs"])
        self._system, self._host, self._scheme = system, host, scheme
        self._accepted_only = accepted_only
        self._adaptive = True
        system.embed(host, scheme)  # finds mistakes now, not when the simulation runs

    def __len__(self) -> int:
        """No algebraic path: within an evaluation the outputs depend on what was accepted before."""
        return 0

    def set_solver(self, solver: Any, parent: Any, **options: Any) -> None:
        self._adaptive = bool(parent.is_adaptive) if parent is not None else True
        super().set_solver(solver, parent, **options)  # type: ignore[misc]

    def reset(self) -> None:
        super().reset()  # type: ignore[misc]
        self.interface = None

    def update(self, t: float) -> float:
        only = self._adaptive if self._accepted_only is None else self._accepted_only
        self.outputs.update_from_array(np.array(self._at(t).evaluate(t, [], False, accepted_only=only)))
        return 0.0

    def sample(self, t: float, dt: float) -> None:
        self._at(t).evaluate(t, [float(self.inputs[k]) for k in range(self._given)], True)

    def _at(self, t: float) -> CosimulationInterface:
        """Return the interface; a new run begins at the first time that is asked."""
        if self.interface is None:
            self.interface = self._system.embed(self._host, self._scheme, start=float(t))
        return self.interface


class _Inlet:
    """A source whose value is an input of the subsystem."""

    outputs: Any

    def _prepare(self, width: int) -> None:
        from pathsim.utils.register import Register

        self.outputs = Register(size=width)
        self.width = width
        self.input: Any = None  # a function of time while the subsystem steps

    def __len__(self) -> int:
        return 0

    def update(self, t: float) -> float:
        if self.input is not None:
            self.outputs.update_from_array(np.asarray(self.input(t)))
        return 0.0


class _Simulation(Subsystem):
    """A PathSim simulation that is stepped from outside."""

    def __init__(
        self,
        simulation: Any,
        inlets: dict[str, Any],
        outlets: dict[str, Any],
        feedthrough: tuple[tuple[str, str], ...],
        units: dict[str, str],
    ) -> None:
        problems = [
            f"inputs.{name}: {block!r}; expected a block made by inlet() that is in the simulation"
            for name, block in inlets.items()
            if not isinstance(block, _Inlet) or block not in simulation.blocks
        ]
        self._outlets = {name: _port(name, signal, simulation, problems) for name, signal in outlets.items()}
        if problems:
            raise SetupError(problems)
        self._simulation = simulation
        self._inlets = inlets
        self.inputs = port_widths({name: block.width for name, block in inlets.items()}, "inputs")
        self.outputs = port_widths({name: len(ports) for name, (_, ports) in self._outlets.items()}, "outputs")
        self.feedthrough = feedthrough
        self.units = units
        self._preferred: float | None = None
        self._has_stepped = False

    @property
    def can_save(self) -> bool:
        """Whether this PathSim has checkpoints of blocks and events."""
        return all(hasattr(part, "to_checkpoint") for part in (*self._simulation.blocks, *self._simulation.events))

    @property
    def repeats_unasked(self) -> bool:
        """Never: blocks of others may have more state than their checkpoints."""
        return False

    def start(self, t: float) -> None:
        self._preferred = None
        self._has_stepped = False
        self._simulation.reset(time=t)
        for block in self._simulation.blocks:  # delays and scopes begin with the initial values
            block.sample(t, self._simulation.dt)

    def step(self, t: float, t_end: float, u: InputFunction) -> None:
        self._has_stepped = True
        simulation = self._simulation
        simulation.time = t
        with _Entering(self._inlets, u):
            if simulation.engine.is_adaptive:
                self._step_adaptively(t_end)
            else:
                dt = simulation.dt or t_end - t
                count = max(1, math.ceil((t_end - t) / dt * (1.0 - 1e-9)))
                for k in range(count):
                    # Times are counted: steps of which none is summed up end where they should.
                    simulation.time = t + (t_end - t) * k / count
                    simulation.timestep((t_end - t) / count, adaptive=False)
        simulation.time = t_end

    def _step_adaptively(self, t_end: float) -> None:
        simulation = self._simulation
        preferred = self._preferred or simulation.dt or simulation.estimate_initial_step()
        end = t_end - 1e-9 * (t_end - simulation.time)
        while simulation.time < end:
            dt = min(preferred, t_end - simulation.time)
            success, _, scale, *_ = simulation.timestep(dt, adaptive=True)
            if not success and dt <= simulation.dt_min:
                raise RuntimeError(f"the step became {dt:.3g} s at t = {simulation.time:.9g} s")
            # A step cut short from outside says nothing against the step that was preferreded.
            preferred = max(dt * scale, preferred) if success and dt < preferred else dt * scale
            preferred = float(np.clip(preferred, simulation.dt_min, simulation.dt_max or math.inf))
        self._preferred = preferred

    def output(self, t: float, u: InputFunction) -> list[float]:
        if self.feedthrough and not self._has_stepped:
            with _Entering(self._inlets, u):
                self._simulation.reset(time=t)
        return [float(block.outputs[port]) for block, ports in self._outlets.values() for port in ports]

    def save(self) -> Any:
        """Return PathSim's checkpoints of all blocks and events, in memory."""
        parts = [*self._simulation.blocks, *self._simulation.events]
        saved = []
        for part in parts:
            description, arrays = part.to_checkpoint("state")
            saved.append((description, {name: np.array(values) for name, values in arrays.items()}))
        return self._simulation.time, self._preferred, self._has_stepped, saved

    def restore(self, state: Any) -> None:
        """Load such checkpoints."""
        self._simulation.time, self._preferred, self._has_stepped, saved = state
        parts = [*self._simulation.blocks, *self._simulation.events]
        for part, (description, arrays) in zip(parts, saved, strict=True):
            part.load_checkpoint("state", description, arrays)


class _Entering:
    """Lets the inlets ask u(t) while it lasts."""

    def __init__(self, inlets: Mapping[str, Any], u: InputFunction) -> None:
        self._inlets = inlets
        self._u = u

    def __enter__(self) -> None:
        place = 0
        for block in self._inlets.values():
            block.input = self._slice(place, place + block.width)
            place += block.width

    def _slice(self, begin: int, end: int) -> Any:
        return lambda t: self._u(t)[begin:end]

    def __exit__(self, *error: object) -> None:
        for block in self._inlets.values():
            block.input = None


def _port(name: str, signal: Any, simulation: Any, problems: list[str]) -> tuple[Any, list[Any]]:
    block = getattr(signal, "block", signal)
    ports = list(getattr(signal, "ports", [0]))
    if block not in simulation.blocks:
        problems.append(f"outputs.{name}: {signal!r}; expected a block of the simulation or one of its ports")
    return block, ports
