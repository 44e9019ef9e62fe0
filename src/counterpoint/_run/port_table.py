"""Ports of a system by name: widths and positions, found once per subsystem and not once per connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._common.ports import offsets
from ..errors import SetupError, did_you_mean

if TYPE_CHECKING:
    from ..system import System


class PortPlace(NamedTuple):
    """Where a port is, as the core numbers it."""

    participant: int
    offset: int
    width: int


class PortTable:
    """All ports of a system as it is now."""

    def __init__(self, system: System) -> None:
        self._subsystems = system.subsystems
        self.indices = {name: index for index, name in enumerate(system.subsystems)}
        self._places: dict[tuple[str, str], dict[str, PortPlace]] = {}

    def settle(self) -> None:
        """Look at all ports now and let go of the models: none can be opened any more."""
        for name in self.indices:
            self._ports(name, "inputs")
            self._ports(name, "outputs")
        self._subsystems = {}

    def place(self, port: str, kind: str) -> PortPlace:
        """Return the place of ``subsystem.port`` among the ``"inputs"`` or ``"outputs"``.

        Raises
        ------
        SetupError
            There is no such port; the message suggests a name.
        """
        name, _, port_name = port.partition(".")
        if name not in self.indices:
            raise SetupError(f'"{port}": no subsystem "{name}"' + did_you_mean(name, self.indices))
        ports = self._ports(name, kind)
        # Some exist only where they are connected; those before it stay where they are.
        if port_name not in ports and self._subsystems:
            self._subsystems[name].subsystem.open_port(port_name, kind)
            ports = self._ports(name, kind, again=True)
        if not port_name:
            examples = [f"{name}.{known}" for known in ports]
            raise SetupError(
                f'"{port}": names no {kind[:-1]}; expected subsystem.{kind[:-1]}' + did_you_mean(port, examples)
            )
        if port_name not in ports:
            raise SetupError(f'"{port}": "{name}" has no {kind[:-1]} "{port_name}"' + did_you_mean(port_name, ports))
        return ports[port_name]

    def _ports(self, name: str, kind: str, *, again: bool = False) -> dict[str, PortPlace]:
        known = self._places.get((name, kind))
        if known is None or again:
            subsystem = self._subsystems[name].subsystem
            widths = subsystem.input_widths if kind == "inputs" else subsystem.output_widths
            begins = offsets(widths)
            known = {port: PortPlace(self.indices[name], begins[port], width) for port, width in widths.items()}
            self._places[name, kind] = known
        return known
