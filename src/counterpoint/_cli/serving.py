"""The command ``counterpoint serve``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._cases.registry import read_case
from ..link.connecting import check_address
from ..link.serving import join, serve

if TYPE_CHECKING:
    from ..subsystems import Subsystem


@dataclass(frozen=True)
class Offer:
    """What is served: a subsystem with the step in s that it prefers and the values of inputs that nothing drives."""

    name: str
    subsystem: Subsystem
    step: float | None
    constants: dict[str, Any]


def read_offer(file: Path, chosen: str | None, allow_outside: bool, allow_remote: tuple[str, ...] = ()) -> Offer:
    """Return the subsystem of a scenario, mechanism, diagram or FMU file."""
    system = read_case(file, allow_outside=allow_outside, allow_remote=allow_remote).build_part(chosen)
    ((name, participant),) = system.subsystems.items()
    constants = {port.partition(".")[2]: value for port, value in system.constants.items()}
    return Offer(name, participant.subsystem, participant.step, constants)


def run_server(
    offer: Offer,
    address: str,
    *,
    connects: bool,
    token_file: Path | None,
    keep: bool,
    insecure: bool,
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Serve an offer: wait for masters at an address, or connect to one that waits there."""
    check_address(address, insecure)
    if insecure:
        warn(f"warning: {address}: this link is not encrypted; others can read everything, including the token")
    common: dict[str, Any] = {
        "name": offer.name,
        "step": offer.step,
        "constants": offer.constants,
        "insecure": insecure,
    }
    if connects:
        say(f"serving {offer.name} to {address}")
        say(join(offer.subsystem, address, token_file=token_file, **common))
        return
    with serve(
        offer.subsystem, address, token_file=token_file, report=lambda text: warn(f"rejected {text}"), **common
    ) as place:
        while True:
            say(f"serving {offer.name}")
            say(f"address {place.address}")
            say(f"token   {place.token if token_file is None else f'in {token_file}'}")
            say(place.session())
            if not keep:
                return
