"""Inputs and outputs of a system where it is linearised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._common.ports import offsets
from .._run.connection_units import conversion_of
from .._run.precedence import Scheme
from ..linear_model import LinearSubsystem
from ..subsystems import NativeSubsystem
from ..system import Connection, System

Vector = NDArray[np.float64]


@dataclass
class OperatingPoint:
    """Where a system is linearised: at its start, or where a run of it is at a time; found only if it is needed.

    Attributes
    ----------
    system : System
    t : float
        Time, s; 0: the start.
    scheme : str or Scheme
        Of the run that leads there.
    """

    system: System
    t: float = 0.0
    scheme: str | Scheme = "slowest-first"
    states: dict[str, Sequence[float]] = field(
        default_factory=dict
    )  #: of models of the core, where it is not the start
    models: dict[str, LinearSubsystem] = field(default_factory=dict)  #: that can be asked only during the run
    saved: dict[str, Any] = field(default_factory=dict)  #: states of models in Python
    _outputs: dict[str, Vector] = field(default_factory=dict)

    def output(self, port: str) -> Vector:
        """Return what an output publishes."""
        self.find()
        return self._outputs[port]

    def find(self) -> None:
        """Run the system to the time, and read everything there."""
        if self._outputs:
            return
        natives: dict[str, Any] = {}
        with _observed(self.system, natives).start(scheme=self.scheme) as run:
            if self.t > 0.0:
                run.step_to(self.t)
            for name, part in self.system.subsystems.items():
                for own in part.subsystem.output_widths:
                    self._outputs[f"{name}.{own}"] = np.atleast_1d(run.value(f"{name}.{own}"))
            if self.t > 0.0:
                self._read_states(natives)

    def _read_states(self, natives: dict[str, Any]) -> None:
        for name, part in self.system.subsystems.items():
            subsystem = part.subsystem
            if hasattr(natives.get(name), "state"):
                self.states[name] = natives[name].state
            elif subsystem.linear_model is not None:
                found = subsystem.linear_model(self.t, self.inputs(name), ())
                self.models |= {} if found is None else {name: found}
            elif subsystem.save is not None:
                self.saved[name] = subsystem.save()

    def signals(self, connection: Connection) -> list[Vector]:
        """Return what enters by a connection, source by source, after gains and offset."""
        made = []
        for k, source in enumerate(connection.sources):
            converted = conversion_of(self.system, connection, source)
            value = connection.gains[k] * (converted.gain * self.output(source) + converted.offset)
            made.append(value + (connection.offset if k == 0 else 0.0))
        return made

    def inputs(self, name: str) -> Vector:
        """Return all inputs of a subsystem."""
        subsystem = self.system.subsystems[name].subsystem
        widths = subsystem.input_widths
        values = np.zeros(sum(widths.values()))
        places = offsets(widths)
        for port, width in widths.items():
            given = self.system.constants.get(f"{name}.{port}", subsystem.defaults.get(port, 0.0))
            values[places[port] : places[port] + width] = given
        for port in {c.target for c in self.system.connections if c.target.partition(".")[0] == name}:
            own = port.partition(".")[2]
            values[places[own] : places[own] + widths[own]] = self._driven(port)
        return values

    def _driven(self, port: str) -> Vector | float:
        total: Vector | float = 0.0
        for connection in self.system.connections:
            if connection.target == port:
                signals = self.signals(connection)
                made = sum(signals) if connection.law is None else connection.law(*map(as_law_sees, signals))
                total = total + np.asarray(made, dtype=np.float64)
        return total


def _observed(system: System, natives: dict[str, Any]) -> System:
    """Return the same system, whose models of the core are kept when a run makes them."""
    made = copy(system)
    made.subsystems = {}
    for name, part in system.subsystems.items():
        subsystem = part.subsystem
        if isinstance(subsystem, NativeSubsystem):
            subsystem = copy(subsystem)
            subsystem._make = _keeping(name, subsystem._make, natives)
        made.subsystems[name] = replace(part, subsystem=subsystem)
    return made


def _keeping(name: str, make: Callable[[], Any], natives: dict[str, Any]) -> Callable[[], Any]:
    def made() -> Any:
        natives[name] = make()
        return natives[name]

    return made


def as_law_sees(signal: Vector) -> float | Vector:
    """Return a signal as a coupling law gets it."""
    return float(signal[0]) if len(signal) == 1 else signal
