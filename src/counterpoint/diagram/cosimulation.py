"""The co-simulation block: other subsystems inside a diagram that is their master."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from .._common.ports import columns
from .._run.options import RunOptions
from .._run.plan import Plan, make_plan
from .._run.precedence import Scheme
from .._run.recording import Recorder, run_layout
from ..errors import SetupError
from ..results import MemoryStore, Result
from .block import Block

if TYPE_CHECKING:
    from ..system import System

MOST_COPIES = 64
"""Compiled copies that are remembered until one of them runs."""


@dataclass(frozen=True)
class _Copy:
    """One compiled copy of the block and what was recorded of it so far."""

    core: _core.diagram.CosimulationBlock
    plan: Plan
    store: MemoryStore


class Cosimulation(Block):
    """Other subsystems as one block; made by :meth:`Diagram.cosimulation`.

    Its inputs are the outputs of the host, its outputs are the inputs of the host.

    Attributes
    ----------
    coupling : Coupling
        The others, the host and the scheme.
    """

    coupling: Coupling

    @property
    def can_save(self) -> bool:
        """Whether all subsystems inside can go back to a state they had."""
        return self.coupling.can_save

    @property
    def repeats_unasked(self) -> bool:
        """Whether first steps of all subsystems inside may be repeated without a request."""
        return self.coupling.repeats_unasked

    def result(self) -> Result:
        """Return what the subsystems inside and the host published in the latest run, each on its own time axis.

        Where the block runs several times, in a superblock that was added more than once, see :meth:`results`.
        """
        return self.results()[0]

    def results(self) -> list[Result]:
        """Return the results of the latest run, one for every copy of the block."""
        results = self.coupling.results()
        if not results:
            raise SetupError(f'block "{self.name}": the diagram has not run yet')
        return results


class Coupling:
    """What a co-simulation block is compiled from, and the compiled copies of it.

    Parameters
    ----------
    system : System
    host : str
        The participant that the diagram plays.
    scheme : str or Scheme
    direct : bool
        The outputs of the block depend on its inputs in the same instant.
    timed : bool
        The time is an input of the block.
    """

    def __init__(self, system: System, host: str, scheme: str | Scheme, *, direct: bool, timed: bool) -> None:
        self.system = system
        self.host = host
        self.scheme = scheme
        self.direct = direct
        self.timed = timed
        self._copies: list[_Copy] = []

    @property
    def can_save(self) -> bool:
        """Whether all subsystems can go back to a state they had."""
        others = (participant for name, participant in self.system.subsystems.items() if name != self.host)
        return all(participant.subsystem.can_save for participant in others)

    @property
    def repeats_unasked(self) -> bool:
        """Whether first steps of all subsystems may be repeated without a request."""
        others = (participant for name, participant in self.system.subsystems.items() if name != self.host)
        return all(participant.subsystem.repeats_unasked for participant in others)

    def make(self) -> _core.diagram.CosimulationBlock:
        """Compile the system anew: one copy of the block."""
        plan = make_plan(self.system, RunOptions(scheme=self.scheme, host=self.host))
        ports = self.system.subsystems[self.host].subsystem
        core = _core.diagram.cosimulation_block(
            plan.spec,
            plan.names.index(self.host),
            list(ports.output_widths.items()),
            list(ports.input_widths.items()),
            list(plan.names),
            [columns(participant.subsystem.output_widths) for participant in self.system.subsystems.values()],
            self.direct,
            self.timed,
        )
        if any(copy.core.interface is not None for copy in self._copies):
            self._copies.clear()  # they belong to a run before
        notes = {"name": self.system.name, "scheme": str(self.scheme)}
        self._copies.append(_Copy(core, plan, MemoryStore(run_layout(self.system, plan), notes)))
        del self._copies[:-MOST_COPIES]
        return core

    def results(self) -> list[Result]:
        """Return the results of all copies that have run."""
        return [self._result(copy) for copy in self._copies if copy.core.interface is not None]

    def _result(self, copy: _Copy) -> Result:
        driver = copy.core.interface
        assert driver is not None
        recorder = Recorder(copy.plan, driver, copy.store)
        recorder.drain()
        seconds = recorder.seconds()
        end = driver.time_of(copy.plan.names.index(self.host))
        summary = recorder.summary("finished", "", end, sum(seconds), seconds)
        copy.store.close(summary)
        return Result(copy.store.view(), run_layout(self.system, copy.plan), summary)
