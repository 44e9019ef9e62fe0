"""Columns of numbers from a CSV file; every error names the file and the line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from os import PathLike, fspath

import numpy as np
from numpy.typing import NDArray

from ...errors import SetupError, did_you_mean

Columns = tuple[NDArray[np.float64], list[str], NDArray[np.float64]]


def read_columns(
    path: str | PathLike[str], *, columns: Sequence[str] | None, time: str | None, delimiter: str
) -> Columns:
    """Return times (n,), the names of the other columns wanted, and their values (n, columns)."""
    where = fspath(path)
    if len(delimiter) != 1:
        raise SetupError(f'{where}: delimiter "{delimiter}"; expected one character')
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter)
            lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SetupError(f"{where}: cannot be read: {error}") from None
    if len(lines) < 2:
        raise SetupError(f"{where}: expected a line with names of columns and at least one line of numbers")
    header = [cell.strip() for cell in lines[0][1]]
    _check_header(where, lines[0][0], header)
    wanted = _wanted(where, header, columns, time)
    table = np.array([_numbers(where, line, row, header, wanted) for line, row in lines[1:]])
    _check_times(where, [line for line, _ in lines[1:]], table[:, 0])
    return table[:, 0].copy(), [header[k] for k in wanted[1:]], table[:, 1:].copy()


def _check_header(where: str, line: int, header: list[str]) -> None:
    for k, name in enumerate(header):
        if not name:
            raise SetupError(f"{where}:{line}: column {k + 1} has no name")
        if name in header[:k]:
            raise SetupError(f'{where}:{line}: two columns are called "{name}"')


def _wanted(where: str, header: list[str], columns: Sequence[str] | None, time: str | None) -> list[int]:
    """Places of the columns, time first."""
    time = header[0] if time is None else time
    names = [time, *([name for name in header if name != time] if columns is None else columns)]
    if len(names) < 2:
        raise SetupError(f'{where}: no columns beside "{time}"')
    for name in names:
        if name not in header:
            raise SetupError(f'{where}: no column "{name}"{did_you_mean(name, header)}')
    return [header.index(name) for name in names]


def _numbers(where: str, line: int, row: list[str], header: list[str], wanted: list[int]) -> list[float]:
    if len(row) != len(header):
        raise SetupError(f"{where}:{line}: {len(row)} cells, but {len(header)} columns have names")
    numbers = []
    for k in wanted:
        try:
            number = float(row[k])
        except ValueError:
            number = float("nan")
        if not np.isfinite(number):
            raise SetupError(f'{where}:{line}: column "{header[k]}": "{row[k].strip()}" is not a finite number')
        numbers.append(number)
    return numbers


def _check_times(where: str, lines: list[int], times: NDArray[np.float64]) -> None:
    for k in np.flatnonzero(np.diff(times) < 0.0)[:1]:
        raise SetupError(
            f"{where}:{lines[k + 1]}: time {times[k + 1]:.9g} s follows {times[k]:.9g} s; times must not decrease"
        )
