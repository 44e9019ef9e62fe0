"""Ports of a host: the program that integrates by itself and calls the other subsystems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._common.ports import PortSpec, port_widths
from ..errors import SetupError, did_you_mean
from ..subsystems import Subsystem

if TYPE_CHECKING:
    from ..system import System


class HostPorts(Subsystem):
    """Ports of a host that integrates by itself; see :meth:`System.add_host`."""

    copied_for_runs = True

    def __init__(self, inputs: PortSpec, outputs: PortSpec) -> None:
        self.inputs = port_widths(inputs, "inputs")
        self.outputs = port_widths(outputs, "outputs")

    def _native(self) -> Any:
        return _core.host_ports(sum(self.input_widths.values()), sum(self.output_widths.values()))


def find_host(system: System, host: str | None) -> str:
    """Return the name of the host; None means the only one there is."""
    hosts = hosts_of(system)
    if host is None and len(hosts) == 1:
        return hosts[0]
    if host is None:
        known = ", ".join(f'"{name}"' for name in hosts) or "none"
        raise SetupError(
            f'system "{system.name}" has {len(hosts)} hosts ({known}); declare the ports of the diagram with '
            "add_host(name, inputs, outputs), or choose one: host=..."
        )
    if host not in hosts:
        raise SetupError(f'host: no host "{host}" in system "{system.name}"' + did_you_mean(host, hosts))
    return host


def hosts_of(system: System) -> list[str]:
    """Return the names of the hosts of a system."""
    return [name for name, participant in system.subsystems.items() if isinstance(participant.subsystem, HostPorts)]
