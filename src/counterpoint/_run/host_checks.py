"""Checks of a run with a host as master."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import did_you_mean
from .approximation_choice import chosen_approximation
from .host_ports import hosts_of
from .options import RunOptions
from .problem import Problem

if TYPE_CHECKING:
    from ..system import System

HOST_SCHEMES = ("slowest-first", "fastest-first")


def host_problems(system: System, options: RunOptions) -> Iterator[Problem]:
    """Say why a system cannot run with this host, or without one."""
    for name in hosts_of(system):
        if name != options.host:
            yield Problem(f"subsystems.{name}", f'is a host that integrates by itself; call embed("{name}")')
    if options.host is None:
        return
    if options.host not in system.subsystems:
        yield Problem("host", f'no subsystem "{options.host}"' + did_you_mean(options.host, system.subsystems))
    if str(options.scheme) not in HOST_SCHEMES:
        yield Problem("scheme", f'"{options.scheme}"; a host works with "slowest-first" or "fastest-first"')
    yield from _approximation_problems(system, options)
    if options.window is not None:
        yield Problem("window", "a host makes its own steps and cannot be restored; leave out the window or the host")


def _approximation_problems(system: System, options: RunOptions) -> Iterator[Problem]:
    for index, connection in enumerate(system.connections):
        if connection.target.partition(".")[0] != options.host:
            continue
        for k, source in enumerate(connection.sources):
            known = source.partition(".")[0] in system.subsystems
            if known and chosen_approximation(system, connection, k, options).depends_on_step:
                yield Problem(
                    f"connections[{index}].approximation",
                    "needs the receiver's step, which a host does not provide",
                )
