"""Read a table of times and values from a CSV file; each complaint names the row and the value."""

from __future__ import annotations

import codecs
import csv
import math
from collections.abc import Iterator, Sequence
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


def read_csv(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    time: str | None = None,
    separator: str = ",",
    decimal: str = ".",
    jumps: bool = False,
) -> CsvTable:
    """Read a CSV file whose first row names the columns.

    Parameters
    ----------
    path : Path
        UTF-8 text, with or without a byte order mark.
    columns : sequence of str, optional
        Columns to take, by name; all but the time when left out. The others may hold anything.
    time : str, optional
        Column of the times in s; the first when left out.
    separator, decimal : str
        One character each, ``";"`` and ``","`` for a spreadsheet of many European countries.
    jumps : bool
        Whether two rows may have the same time.

    Raises
    ------
    FileProblem
        With one sentence for each of the first mistakes: row (counted from 1, the names are row 1) and value.
    """
    if len(separator) != 1:
        raise FileProblem(f"{path.name}: separator {quoted(separator)}; expected one character")
    reader = _Reader(path, separator, decimal, jumps)
    header = reader.header()
    time = header[0] if time is None else time
    wanted = [name for name in header if name != time] if columns is None else list(columns)
    unknown = [name for name in (time, *wanted) if name not in header]
    if unknown:
        raise FileProblem(f"{path.name}: no column {quoted(name)}{did_you_mean(name, header)}" for name in unknown)
    data = reader.numbers(len(header), [header.index(name) for name in (time, *wanted)])
    return CsvTable(data[:, 0].copy(), data[:, 1:].copy(), wanted)


@dataclass(frozen=True)
class _Reader:
    path: Path
    separator: str
    decimal: str
    jumps: bool

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
            raise FileProblem(f"{self.path.name}: is empty; expected column names in the first row")
        if all(self._number(name) is not None for name in names):
            text = shown(self.separator.join(first))
            raise FileProblem(f"{self.path.name}: row 1: {text}: expected column names, not numbers")
        if len(names) < 2:
            hint = self._other_separator(first[0])
            raise FileProblem(f"{self.path.name}: row 1: {shown(first[0])}: one column only{hint}")
        problems = [f"column {k + 1} has no name" for k, name in enumerate(names) if not name]
        problems += [
            f"two columns are called {quoted(name)}" for name in dict.fromkeys(names) if names.count(name) > 1 and name
        ]
        if problems:
            raise FileProblem(f"{self.path.name}: row 1: {problem}" for problem in problems)
        return names

    def numbers(self, width: int, wanted: list[int]) -> NDArray[np.float64]:
        """Return the wanted columns, time first; go through the rows slowly only where others hold no numbers."""
        import numpy as np

        lines = self._lines()
        first = next(lines, None)
        if first is None:
            raise FileProblem(f"{self.path.name}: has no rows below the names")
        try:
            rows = chain([first], lines)
            data = np.loadtxt(rows, delimiter=self.separator, ndmin=2, comments=None, quotechar='"')
        except ValueError:
            return self._slowly(width, wanted)
        if data.shape[1] != width or not self._is_fine(data := data[:, wanted]):
            return self._slowly(width, wanted)
        return data

    def _is_fine(self, data: NDArray[np.float64]) -> bool:
        import numpy as np

        steps = np.diff(data[:, 0])
        return bool(np.isfinite(data).all() and (steps >= 0 if self.jumps else steps > 0).all())

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

    def _slowly(self, width: int, wanted: list[int]) -> NDArray[np.float64]:
        """Return the wanted columns row by row, or raise FileProblem with the first mistakes."""
        import numpy as np

        problems: list[str] = []
        data: list[list[float]] = []
        last = 0
        rows = self._rows()
        next(rows)
        for number, row in rows:
            if not any(cell.strip() for cell in row):
                continue
            values = [self._number(row[k]) for k in wanted] if len(row) == width else []
            wrong = self._row_problem(row, width, wanted) or self._time_problem(values[0], data, last)
            if wrong is not None:
                problems.append(f"{self.path.name}: row {number}: {wrong}")
            if values and None not in values:
                data.append([float(value) for value in values if value is not None])
                last = number
            if len(problems) >= _MOST_PROBLEMS:
                problems.append(f"{self.path.name}: ... and perhaps more below row {number}")
                break
        if problems or not data:
            raise FileProblem(problems or [f"{self.path.name}: is not a table of numbers"])
        return np.array(data)

    def _time_problem(self, time: float | None, data: list[list[float]], last: int) -> str | None:
        """Return what is wrong with a time after the rows read so far, of which `last` is the number of the last."""
        if time is None or not data or time > data[-1][0] or (self.jumps and time == data[-1][0]):
            return None
        rule = "is before" if self.jumps else "is not later than"
        return f"time {time} s {rule} {data[-1][0]} s of row {last}"

    def _row_problem(self, row: list[str], width: int, wanted: list[int]) -> str | None:
        text = shown(self.separator.join(row))
        if len(row) != width:
            hint = ""
            if self.separator == "," and len(row) > width:
                hint = '; a decimal comma? separate the columns by ";" and set separator = ";" and decimal = ","'
            return f"{text}: {len(row)} cells where row 1 names {width} columns{hint}"
        for cell in (row[k] for k in sorted(wanted)):
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
