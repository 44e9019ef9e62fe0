"""Read a table of times and values from a CSV file; each complaint names the row and the value."""

from __future__ import annotations

import codecs
import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import did_you_mean
from .folder import FileProblem
from .problems import quoted, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_PROBLEMS = 5


@dataclass(frozen=True)
class CsvTable:
    """Columns of a CSV file: ``times`` (n,) in s, ``values`` (n, columns), ``names`` of the columns."""

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    names: list[str]


def read_csv(path: Path, columns: list[str] | None = None, *, separator: str = ",", decimal: str = ".") -> CsvTable:
    """Read a CSV file whose first row names the columns and whose first column is the time in s.

    Parameters
    ----------
    path : Path
        UTF-8 text, with or without a byte order mark.
    columns : list of str, optional
        Columns to take, by name; all but the first when left out.
    separator, decimal : str
        One character each, ``";"`` and ``","`` for a spreadsheet of many European countries.

    Raises
    ------
    FileProblem
        With one sentence for each of the first mistakes: row (counted from 1, the names are row 1) and value.
    """
    reader = _Reader(path, separator, decimal)
    header = reader.header()
    wanted = header[1:] if columns is None else columns
    unknown = [name for name in wanted if name not in header]
    if unknown:
        raise FileProblem(f"{path.name}: no column {quoted(name)}{did_you_mean(name, header)}" for name in unknown)
    data = reader.numbers(len(header))
    picked = data[:, [header.index(name) for name in wanted]]
    return CsvTable(data[:, 0].copy(), picked, list(wanted))


@dataclass(frozen=True)
class _Reader:
    path: Path
    separator: str
    decimal: str

    def header(self) -> list[str]:
        try:
            with self.path.open("rb") as file:
                if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                    raise FileProblem(f"{self.path.name}: is UTF-16 text; save it as UTF-8")
            first = next(self._rows(), (1, []))[1]
        except UnicodeDecodeError as error:
            raise FileProblem(f"{self.path.name}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
        except OSError as error:
            raise FileProblem(f"{self.path.name}: cannot be read: {error.strerror}") from error
        names = [name.strip() for name in first]
        if not any(names):
            raise FileProblem(f"{self.path.name}: is empty; the first row has to name the columns")
        if all(self._number(name) is not None for name in names):
            text = shown(self.separator.join(first))
            raise FileProblem(f"{self.path.name}: row 1: {text}: has to name the columns, not hold numbers")
        if len(names) < 2:
            hint = self._other_separator(first[0])
            raise FileProblem(f"{self.path.name}: row 1: {shown(first[0])}: one column only{hint}")
        return names

    def numbers(self, width: int) -> NDArray[np.float64]:
        """Return all rows below the names; go through them slowly only to explain a mistake."""
        import numpy as np

        lines = self._lines()
        first = next(lines, None)
        if first is None:
            raise FileProblem(f"{self.path.name}: has no rows below the names")
        try:
            rows = chain([first], lines)
            data = np.loadtxt(rows, delimiter=self.separator, ndmin=2, comments=None, quotechar='"')
        except ValueError:
            raise FileProblem(self._complaints(width)) from None
        fine = data.shape[1] == width and np.isfinite(data).all() and (np.diff(data[:, 0]) > 0).all()
        if not fine:
            raise FileProblem(self._complaints(width))
        return data

    def _lines(self) -> Iterator[str]:
        with self.path.open(encoding="utf-8-sig", newline=None) as file:
            next(file, None)
            for line in file:
                if line.strip():
                    yield line if self.decimal == "." else line.replace(self.decimal, ".")

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=self.separator)
            for row in reader:
                yield reader.line_num, row

    def _complaints(self, width: int) -> list[str]:
        problems: list[str] = []
        last: tuple[int, float] | None = None
        rows = self._rows()
        next(rows)
        for number, row in rows:
            if not any(cell.strip() for cell in row):
                continue
            where = f"{self.path.name}: row {number}"
            wrong = self._row_problem(row, width)
            if wrong is not None:
                problems.append(f"{where}: {wrong}")
            else:
                time = self._number(row[0])
                assert time is not None  # _row_problem has looked at it
                if last is not None and time <= last[1]:
                    problems.append(f"{where}: time {time} s is not later than {last[1]} s of row {last[0]}")
                last = (number, time)
            if len(problems) >= _MOST_PROBLEMS:
                return [*problems, f"{self.path.name}: ... and perhaps more below row {number}"]
        return problems or [f"{self.path.name}: is not a table of numbers"]

    def _row_problem(self, row: list[str], width: int) -> str | None:
        text = shown(self.separator.join(row))
        if len(row) != width:
            hint = ""
            if self.separator == "," and len(row) > width:
                hint = '; a decimal comma? separate the columns by ";" and set separator = ";" and decimal = ","'
            return f"{text}: {len(row)} cells where row 1 names {width} columns{hint}"
        for cell in row:
            value = self._number(cell)
            if value is None:
                comma = self.decimal == "." and self._number(cell.replace(",", ".")) is not None
                return f"{shown(cell)}: not a number" + ('; for a decimal comma set decimal = ","' if comma else "")
            if not math.isfinite(value):
                return f"{shown(cell)}: must be finite"
        return None

    def _number(self, cell: str) -> float | None:
        if "_" in cell:
            return None
        try:
            return float(cell.strip() if self.decimal == "." else cell.strip().replace(self.decimal, "."))
        except ValueError:
            return None

    def _other_separator(self, first: str) -> str:
        for other, name in ((";", ";"), ("\t", "\\t"), (",", ",")):
            if other in first and other != self.separator:
                return f'; set separator = "{name}"'
        return "; expected a time and at least one value"
