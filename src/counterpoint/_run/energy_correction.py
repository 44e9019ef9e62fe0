"""Energy correction of bonds, and the test that turns it off where it would do harm.

Extrapolated signals of bonds get a nearly energy-preserving correction (``"preserve"``), or one that only takes out
energy that the coupling has created (``"dissipate"``). Before the run the corrected coupling is probed on the
linearised system: a bond keeps its correction only if no motion grows faster and no amplitude becomes more wrong.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from math import copysign, exp, isfinite, log
from typing import TYPE_CHECKING

from .._common.numbers import number_text
from .._common.provided import provided
from ..approximations import Approximation, energy_corrected, energy_dissipating
from ..bonds import Bond, PowerPort
from ..errors import SetupError
from ..quality.modes import GONE
from ..quality.texts import MOST
from .approximation_choice import chosen_approximation
from .inferred_bonds import all_bonds
from .options import ENERGY_CORRECTIONS, RunOptions
from .plan import waiting
from .port_table import PortTable
from .precedence import to_scheme

if TYPE_CHECKING:
    from ..system import System

WORSE = log(1.1)
"""Amplitudes that differ by less than this over the run (logarithm) are the same for the test."""
LARGEST_MAP = 300


@dataclass(frozen=True)
class Corrected:
    """A system whose bonds are corrected, and what is to be said of each: level of the event, and text."""

    system: System
    notes: tuple[tuple[str, str], ...] = ()


def with_energy_correction(system: System, options: RunOptions) -> Corrected:
    """Return the system with the requested correction, where the test allows it."""
    wanted = options.energy_correction
    if wanted not in ENERGY_CORRECTIONS:
        raise SetupError(f'energy_correction: {wanted!r}; expected "off", "preserve" or "dissipate"')
    if wanted == "off":
        return Corrected(system)
    bonds = [bond for bond in all_bonds(system) if any(_places(system, bond, options))]
    if not bonds:
        raise SetupError(
            f"energy_correction: {wanted!r}, but no bond is extrapolated; declare one with System.bond, or give the "
            "units of effort and flow to the ports on both sides"
        )
    tested = _Guard(system, options)
    notes = []
    for bond in bonds:
        trial = _corrected(system, bond, options, wanted)
        stand_in = _corrected(system, bond, options, "preserve")  # one-sided correction is not linear; this is its most
        why = tested.reason_against(stand_in)
        if why:
            notes.append(("warning", f"energy correction of bond {bond.name} is off: {why}"))
            continue
        system = trial
        remark = "" if tested.can_tell else "; its stability could not be tested"
        notes.append(("info", f"energy correction of bond {bond.name}: {wanted}{remark}"))
    return Corrected(system, tuple(notes))


class _Guard:
    """Compares the linearised system with and without a correction."""

    def __init__(self, system: System, options: RunOptions) -> None:
        self._options = options
        self.span = (options.until or 0.0) - float(options.start)
        self.can_tell = True
        self._before = self._measured(system)

    def reason_against(self, system: System) -> str:
        """Return why a system is worse than the one before; empty when it is not, and then it is the one before."""
        after = self._measured(system)
        if after is None or self._before is None:
            self.can_tell = False
            return ""
        (growth, wrong), (old_growth, old_wrong) = after, self._before
        if growth > max(old_growth, 0.0) + WORSE:
            return f"with it a motion would grow {_rate(growth, self.span)}, without it {_rate(old_growth, self.span)}"
        if wrong > old_wrong + WORSE:
            return (
                f"with it an amplitude would be wrong by {_factor(wrong)} at the end of the run, without it by "
                f"{_factor(old_wrong)}"
            )
        self._before = after
        return ""

    def _measured(self, system: System) -> tuple[float, float] | None:
        """Return growth of the worst motion and largest change of an amplitude over the run, as logarithms."""
        if self._options.host is not None or self._options.pace is not None or not self.span > 0:
            return None
        analyse = provided("stability")
        try:
            found = analyse(
                system, self._options.scheme, window=self._options.window,
                approximation=self._options.approximation, largest_matrix=LARGEST_MAP,
            )  # fmt: skip
        except Exception:  # whatever keeps a model from being linearised is no problem of the run
            return None
        growth = (found.growth_rate - found.exact_growth) * self.span
        there = [mode for mode in found.modes if mode.left(self.span) > GONE]
        changes = [abs(log(max(mode.amplitude(self.span), 1e-12))) for mode in there]
        return float(growth), max([c for c in changes if isfinite(c)], default=0.0)


def _rate(change: float, span: float) -> str:
    """Return a logarithm of a growth over a time (s) as a rate in words."""
    return f"with {number_text(change / span)} per second" if change > WORSE else "hardly"


def _factor(change: float) -> str:
    """Return the logarithm of a factor in words."""
    return "a factor of more than a million" if change > log(MOST) else f"a factor of {number_text(exp(change), 3)}"


def _places(system: System, bond: Bond, options: RunOptions) -> list[tuple[int, int, PowerPort]]:
    """Return connection, source and port of each signal of a bond that is extrapolated with a plain polynomial."""
    waits = waiting(system, to_scheme(options.scheme), float(options.start))
    found = []
    for port in bond.power:
        for c, connection in enumerate(system.connections):
            if connection.target != port.input or connection.law is not None:
                continue
            for k, source in enumerate(connection.sources):
                waited = source.partition(".")[0] in waits[port.input.partition(".")[0]]
                if not waited and _order(chosen_approximation(system, connection, k, options)) is not None:
                    found.append((c, k, port))
    return found


def _order(approximation: Approximation) -> int | None:
    """Return the order of a plain polynomial; None for what is not one: its meaning is kept."""
    word, _, order = approximation.name.partition(" ")
    return int(order) if word == "lagrange" and order.isdecimal() else None


def _corrected(system: System, bond: Bond, options: RunOptions, wanted: str) -> System:
    """Return a system in which the extrapolated signals of one bond are corrected; subsystems are shared."""
    made = copy(system)
    made.connections = list(system.connections)
    for c, k, port in _places(system, bond, options):
        connection = made.connections[c]
        order = _order(chosen_approximation(system, connection, k, options))
        assert order is not None
        chosen = list(connection.approximations)
        if wanted == "preserve" or not port.output:
            chosen[k] = energy_corrected(order)
        else:
            chosen[k] = _dissipating(system, port, order, connection.gains[k])
        made.connections[c] = replace(connection, approximations=tuple(chosen))
    return made


def _dissipating(system: System, port: PowerPort, order: int, gain: float) -> Approximation:
    place = PortTable(system).place(port.output, "outputs")
    sign = copysign(1.0, port.sign * gain)
    if port.differentiated == "input":  # by parts: the difference times the change of the output, with the other sign
        sign = -sign
    return energy_dissipating(order, place.offset, sign, bool(port.differentiated))
