"""Energy at the bonds of a run: how much was exchanged, and how much the coupling has created or lost.

Power enters a side as input times output. What it took for the input was not quite what arrived: the energy of the
difference is the residual (Sadjina et al., 2017; here against the energy exchanged). Within a step the difference
grows from 0 as the approximation of the connection says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from .store import Array

if TYPE_CHECKING:
    import pandas as pd

    from .result import Result

COLUMNS = ["bond", "interface", "causality", "exchanged", "residual", "relative"]


@dataclass(frozen=True)
class BondEnergy:
    """The energy of a bond.

    Attributes
    ----------
    bond, interface, causality : str
        As it was declared.
    exchanged : float
        Energy that entered its sides, counted without its sign, J; of all sides the largest.
    residual : float
        Energy that the coupling created (positive) or lost, J; NaN where a coupling law is a function.
    """

    bond: str
    interface: str
    causality: str
    exchanged: float
    residual: float

    @property
    def relative(self) -> float:
        """The residual over the energy exchanged."""
        return self.residual / self.exchanged if self.exchanged > 0 else nan


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a damaged file may hold any numbers
def bond_energies(result: Result) -> list[BondEnergy]:
    """Return the energy of each bond that the run declared."""
    try:
        declared = json.loads(str(result.metadata.get("bonds", "[]")))
        return [_energy(result, bond) for bond in declared]
    except (ValueError, KeyError, TypeError):  # of a file that was changed
        return []


def bond_table(result: Result) -> pd.DataFrame:
    """Return the bonds as a table."""
    import pandas as pd

    rows = [[getattr(bond, column) for column in COLUMNS] for bond in bond_energies(result)]
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS))


def _energy(result: Result, bond: dict[str, Any]) -> BondEnergy:
    exchanged, residual = 0.0, 0.0
    for port in bond["power"]:
        needed = [port["output"], *(source for source, _ in port["sources"])]
        if port["law"] or any(name and name not in result for name in needed):
            residual = nan
            continue
        through, created = _port_energy(result, port)
        exchanged, residual = max(exchanged, through), residual + created
    return BondEnergy(bond["name"], bond["interface"], bond["causality"], exchanged, residual)


def residuals_over_time(result: Result) -> Iterator[tuple[str, Array, Array]]:
    """Yield each bond with times in s and the energy that the coupling has created up to then, J."""
    try:
        declared = json.loads(str(result.metadata.get("bonds", "[]")))
        for bond in declared:
            parts = [part for port in bond["power"] if not port["law"] for part in _created(result, port)]
            parts = [part for part in parts if len(part[0])]
            if parts:
                times = np.unique(np.concatenate([time for time, _ in parts]))
                total = sum(np.interp(times, time, np.cumsum(energy), left=0.0) for time, energy in parts)
                yield bond["name"], times, np.asarray(total)
    except (ValueError, KeyError, TypeError):  # of a file that was changed
        return


def _port_energy(result: Result, port: dict[str, Any]) -> tuple[float, float]:
    """Return energy through one side without its sign, and what the coupling created there."""
    time, value = _input(result, port)
    output = _output(result, port, time)
    sign = float(port["sign"])
    if port["differentiated"] == "output":
        energy = _between(value) * np.diff(output)
    elif port["differentiated"] == "input":
        energy = _between(output) * np.diff(value)
    else:
        energy = _between(value * output) * np.diff(time)
    return float(np.abs(sign * energy).sum()), sum(float(each.sum()) for _, each in _created(result, port))


def _between(values: Array) -> Array:
    return np.asarray(0.5 * (values[1:] + values[:-1]))


def _input(result: Result, port: dict[str, Any]) -> tuple[Array, Array]:
    """Return an input of a side as its sources published it, at the times of the first one."""
    time = result[port["sources"][0][0]].time
    total = np.full(len(time), float(port["offset"]))
    for source, gain in port["sources"]:
        total += gain * result[source].at(np.clip(time, *result[source].time[[0, -1]]), "cubic")
    return time, total


def _output(result: Result, port: dict[str, Any], time: Array) -> Array:
    if not port["output"]:
        return np.ones(len(time))
    signal = result[port["output"]]
    return np.asarray(signal.at(np.clip(time, *signal.time[[0, -1]]), "cubic"))


def _created(result: Result, port: dict[str, Any]) -> Iterator[tuple[Array, Array]]:
    """Yield the ends of the steps of each connection into a port, s, and the energy that it has created in each, J."""
    sign = float(port["sign"])
    for source, _ in port["sources"]:
        connection = result.layout.connections.index(f"{source} -> {port['input']}")
        time, assumed, arrived = result.defect_rows(connection).T
        ends = np.concatenate([[result.start], time])
        growth, output = result.error_growth(connection), _output(result, port, ends)
        if port["differentiated"] == "input":  # by parts: the difference is 0 again after each step
            energy = -growth * (assumed - arrived) * np.diff(output)
        elif port["differentiated"] == "output":
            energy = growth * (assumed - arrived) * np.diff(output)
        else:
            energy = growth * (assumed - arrived) * output[1:] * np.diff(ends)
        yield time, np.asarray(sign * energy)
