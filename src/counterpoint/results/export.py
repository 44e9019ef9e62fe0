"""Results in other formats: CSV, Parquet, NetCDF, MATLAB, and xarray."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import MissingExtraError, OutputError, SetupError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from .result import Result

BLOCK_ROWS = 1 << 17
FORBIDDEN_IN_FILES = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
FORBIDDEN_IN_NETCDF = re.compile(r"[\x00-\x1f\x7f/]")
FORBIDDEN_IN_MATLAB = re.compile(r"[^A-Za-z0-9_]")
MATLAB_NAME_LENGTH = 63

Frames = Iterator["pd.DataFrame"]


def need(module: str, purpose: str) -> Any:
    """Import an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(purpose, "export") from error


def export(result: Result, path: Path, times: ArrayLike | None) -> list[Path]:
    """Write a result in the format that the ending of `path` names; return the files written."""
    ending = path.suffix.lower()
    tables: dict[str, Callable[[Frames, dict[str, str], Path], None]] = {".csv": _csv, ".parquet": _parquet}
    whole: dict[str, Callable[[Result, ArrayLike | None, Path], None]] = {".nc": _netcdf, ".mat": _matlab}
    if ending in whole:
        return [_atomic(path, lambda draft: whole[ending](result, times, draft))]
    if ending not in tables:
        known = ", ".join([*tables, *whole])
        raise SetupError(f'{path}: unknown format "{path.suffix}"; the ending must be one of {known}')
    if times is not None:
        frame, units = result.at(times), dict(zip(result.signals, _units(result), strict=True))
        return [_atomic(path, lambda draft: tables[ending](iter([frame]), units, draft))]
    written = []
    names = unique((FORBIDDEN_IN_FILES.sub("_", name) for name in result.subsystems), str.casefold)
    for i, (entry, name) in enumerate(zip(result.layout.subsystems, names, strict=True)):
        units = dict(zip(entry.columns, entry.units, strict=True))
        target = path.with_name(f"{path.stem}.{name}{path.suffix}")
        written.append(_atomic(target, lambda d, i=i, u=units: tables[ending](_blocks(result, i), u, d)))  # type: ignore[misc]
    return written


def unique(names: Iterable[str], same: Callable[[str], str] = str) -> list[str]:
    """Return the names with a number added to those that came before; names are equal when `same` of them is.

    >>> unique(["a", "A", "a"]), unique(["a", "A"], str.casefold)
    (['a', 'A', 'a_2'], ['a', 'A_2'])
    """
    seen: set[str] = set()
    result = []
    for name in names:
        candidate, number = name, 2
        while same(candidate) in seen:
            candidate, number = f"{name}_{number}", number + 1
        seen.add(same(candidate))
        result.append(candidate)
    return result


def to_dataset(result: Result) -> xr.Dataset:
    """Return an xarray Dataset with one time dimension a subsystem."""
    xarray = need("xarray", "An xarray Dataset")
    dims = [f"{name}_time" for name in result.subsystems]
    names = unique([*dims, *result.signals])
    dataset, rest = xarray.Dataset(attrs=_attributes(result)), iter(names[len(dims) :])
    for i, (entry, dim) in enumerate(zip(result.layout.subsystems, names, strict=False)):
        frame = result.frame(i)
        dataset = dataset.assign_coords({dim: (dim, frame.index.to_numpy(), {"units": "s", "subsystem": entry.name})})
        for column, (output, unit) in enumerate(zip(entry.columns, entry.units, strict=True)):
            attributes = {"long_name": f"{entry.name}.{output}", "units": unit, "subsystem": entry.name}
            dataset[next(rest)] = (dim, frame.iloc[:, column].to_numpy(), attributes)
    return dataset  # type: ignore[no-any-return]


def to_datatree(result: Result) -> xr.DataTree:
    """Return an xarray DataTree with one node a subsystem."""
    xarray = need("xarray", "An xarray DataTree")
    if not hasattr(xarray, "DataTree"):
        raise MissingExtraError("An xarray DataTree (xarray 2024.10 or newer)", "export")
    nodes = {"/": xarray.Dataset(attrs=_attributes(result))}
    names = unique(FORBIDDEN_IN_NETCDF.sub("_", name) for name in result.subsystems)
    for i, (entry, name) in enumerate(zip(result.layout.subsystems, names, strict=True)):
        frame = result.frame(i)
        columns = unique(["time", *(FORBIDDEN_IN_NETCDF.sub("_", column) for column in entry.columns)])[1:]
        dataset = xarray.Dataset(
            {
                column: ("time", frame.iloc[:, k].to_numpy(), {"long_name": f"{entry.name}.{output}", "units": unit})
                for k, (column, output, unit) in enumerate(zip(columns, entry.columns, entry.units, strict=True))
            },
            coords={"time": ("time", frame.index.to_numpy(), {"units": "s"})},
            attrs={"subsystem": entry.name},
        )
        nodes[f"/{name}"] = dataset
    return xarray.DataTree.from_dict(nodes, name=result.name)  # type: ignore[no-any-return]


def _resampled_dataset(result: Result, times: ArrayLike) -> xr.Dataset:
    xarray = need("xarray", "An xarray Dataset")
    frame = result.at(times)
    dataset = xarray.Dataset(
        attrs=_attributes(result), coords={"time": ("time", frame.index.to_numpy(), {"units": "s"})}
    )
    for i, (name, unit) in enumerate(zip(result.signals, _units(result), strict=True)):
        dataset[name] = ("time", frame.iloc[:, i].to_numpy(), {"long_name": name, "units": unit})
    return dataset  # type: ignore[no-any-return]


def _units(result: Result) -> list[str]:
    return [unit for entry in result.layout.subsystems for unit in entry.units]


def _attributes(result: Result) -> dict[str, str | float]:
    return {
        "name": result.name,
        "status": result.status,
        "message": result.message,
        "scheme": result.scheme,
        "end": result.end,
        "until": result.until,
    }


def _atomic(path: Path, write: Callable[[Path], None]) -> Path:
    """Write to a draft beside the file and put it in place when it is complete."""
    draft = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        write(draft)
        os.replace(draft, path)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise OutputError(f"{path}: cannot be written: {why}", str(path)) from error
    finally:
        draft.unlink(missing_ok=True)
    return path


def _blocks(result: Result, subsystem: int) -> Frames:
    """Yield a subsystem's table in pieces, so that exporting does not need it in memory at once."""
    rows = result.rows(result.subsystems[subsystem])
    for first in range(0, max(rows, 1), BLOCK_ROWS):
        yield result.frame(subsystem, slice(first, min(first + BLOCK_ROWS, rows)))


def safe_cell(name: str) -> str:
    """Keep spreadsheets from running a name as a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _csv(frames: Frames, units: dict[str, str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for i, frame in enumerate(frames):
            names = unique(["time", *frame.columns])[1:]
            header = [safe_cell(name) for name in names] if i == 0 else False
            frame.to_csv(file, header=header, lineterminator="\n")


def _parquet(frames: Frames, units: dict[str, str], path: Path) -> None:
    arrow, parquet = need("pyarrow", "A Parquet file"), need("pyarrow.parquet", "A Parquet file")
    names = unique(["time", *units])
    schema = arrow.schema(
        arrow.field(name, arrow.float64(), metadata={"unit": unit})
        for name, unit in zip(names, ["s", *units.values()], strict=True)
    )
    with parquet.ParquetWriter(path, schema) as writer:
        for frame in frames:
            columns = [frame.index.to_numpy(), *(frame.iloc[:, i].to_numpy() for i in range(frame.shape[1]))]
            writer.write_table(arrow.Table.from_arrays([arrow.array(c) for c in columns], schema=schema))


def _netcdf(result: Result, times: ArrayLike | None, path: Path) -> None:
    need("netCDF4", "A NetCDF file")
    dataset = to_dataset(result) if times is None else _resampled_dataset(result, times)
    names = [str(name) for name in dataset.variables]
    safe = unique(_netcdf_name(name) for name in names)
    renamed = dataset.rename({old: new for old, new in zip(names, safe, strict=True) if old != new})
    packed = {name: {"zlib": True, "complevel": 4, "shuffle": True} for name in renamed.data_vars}
    renamed.to_netcdf(path, engine="netcdf4", format="NETCDF4", encoding=packed)


def _netcdf_name(name: str) -> str:
    """Return a NetCDF name: no slash, no blank at the end, and a letter, digit or underscore first."""
    plain = FORBIDDEN_IN_NETCDF.sub("_", name).strip()
    return plain if re.match(r"[A-Za-z0-9_]|[^\x00-\x7f]", plain) else f"_{plain}"


def _matlab(result: Result, times: ArrayLike | None, path: Path) -> None:
    """Write one struct a subsystem: time, one field a signal, and the true names and units as cells."""
    scipy_io = need("scipy.io", "A MATLAB file")
    resampled = None if times is None else result.at(times)
    subsystems = unique(_matlab_name(name) for name in ["counterpoint_run", *result.subsystems])
    content: dict[str, Any] = {subsystems[0]: _attributes(result)}
    first = 0
    for i, (entry, name) in enumerate(zip(result.layout.subsystems, subsystems[1:], strict=True)):
        last = first + len(entry.columns)
        frame = result.frame(i) if resampled is None else resampled.iloc[:, first:last]
        fields = unique(_matlab_name(column) for column in ["time", "names", "units", *entry.columns])
        values = [frame.index.to_numpy(), _cells(entry.columns), _cells(entry.units)]
        values += [frame.iloc[:, k].to_numpy() for k in range(frame.shape[1])]
        content[name] = dict(zip(fields, values, strict=True))
        first = last
    try:
        with path.open("wb") as file:
            scipy_io.savemat(file, content, long_field_names=True, oned_as="column")
    except (ValueError, scipy_io.matlab.MatWriteError) as error:
        raise OutputError(f"{path}: does not fit the MATLAB format: {error}; use .nc instead", str(path)) from error


def _cells(texts: Iterable[str]) -> Any:
    return np.array(list(texts), dtype=object)


def _matlab_name(name: str) -> str:
    """Return a MATLAB identifier: letters, digits and underscores, a letter first."""
    plain = FORBIDDEN_IN_MATLAB.sub("_", name)
    return (plain if plain[:1].isalpha() else f"x{plain}")[: MATLAB_NAME_LENGTH - 4]
