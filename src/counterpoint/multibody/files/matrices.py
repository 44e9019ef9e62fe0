"""The matrices of a mechanism as Matrix Market files, with names and states as CSV: for other programs to work on."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import OutputError, SetupError
from ..assembly.affine import Vector
from ..assembly.assembly import Assembly

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism

FILES = ("mass.mtx", "jacobian.mtx", "stiffness.mtx", "damping.mtx", "coordinates.csv", "equations.csv")


def write_matrices(
    mechanism: Mechanism | Assembly,
    folder: str | os.PathLike[str],
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    t: float = 0.0,
    overwrite: bool = False,
) -> list[Path]:
    """Write the matrices of a mechanism in one state.

    The rows and columns are the free coordinates in the order of ``coordinates.csv`` and the equations in the order of
    ``equations.csv``; indices in Matrix Market files begin at 1.

    Parameters
    ----------
    mechanism : Mechanism or Assembly
        What to write.
    folder : path
        Where; made if needed.
    q, v : arrays of shape (all coordinates,), optional
        State, m and m/s; default: the assembled one.
    t : float
        Time, s.
    overwrite : bool
        Replace files that are there.

    Returns
    -------
    list of Path
        ``mass.mtx`` (M), ``jacobian.mtx`` (derivative of the constraint equations by the free coordinates),
        ``stiffness.mtx`` and ``damping.mtx`` (minus the derivatives of the applied forces by positions and velocities,
        symmetrised as the solvers use them), ``coordinates.csv`` (index, name, whether free, q in m, v in m/s),
        ``equations.csv`` (index, name, violation).
    """
    assembly = mechanism if isinstance(mechanism, Assembly) else mechanism.assembled()
    state = _state(assembly, q, v)
    inputs = list(assembly.mechanism.inputs.values())
    still = [0.0] * len(inputs)
    instant = (t, state[0].tolist(), state[1].tolist(), inputs, still, still)
    target = Path(folder)
    _prepare(target, overwrite)
    files = dict(zip(FILES, (target / name for name in FILES), strict=True))
    try:
        _write_all(assembly, instant, files, state)
    except OSError as error:
        raise OutputError(f"{error.filename or target}: cannot be written: {error.strerror}", str(target)) from error
    return list(files.values())


def write_matrix_market(
    path: str | os.PathLike[str],
    shape: tuple[int, int],
    places: tuple[Sequence[int], Sequence[int]],
    values: Sequence[float],
    *,
    symmetric: bool = False,
    remarks: Iterable[str] = (),
) -> None:
    """Write a sparse matrix as a Matrix Market file (coordinate format, every digit).

    Parameters
    ----------
    path : path
        The file; replaced if it is there.
    shape : tuple
        Rows and columns.
    places : tuple
        Row and column of each entry, from 0.
    values : sequence
        The entries; zeros are left out.
    symmetric : bool
        Write the lower triangle only.
    remarks : iterable of str
        Lines of comment.
    """
    entries = [
        (row + 1, column + 1, value)
        for row, column, value in zip(*places, values, strict=True)
        if value != 0.0 and column < shape[1] and row < shape[0] and (not symmetric or row >= column)
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}\n")
        file.writelines(f"% {' '.join(remark.split())}\n" for remark in remarks)
        file.write(f"{shape[0]} {shape[1]} {len(entries)}\n")
        file.writelines(f"{row} {column} {value!r}\n" for row, column, value in entries)


def _state(assembly: Assembly, q: ArrayLike | None, v: ArrayLike | None) -> tuple[Vector, Vector]:
    made, problems = [], []
    for name, given, own in (("q", q, assembly.q), ("v", v, assembly.v)):
        values = np.asarray(own if given is None else given, dtype=float)
        if values.shape != own.shape or not np.all(np.isfinite(values)):
            where = f"{assembly.mechanism.name}: {name}"
            problems.append(f"{where}: expected {len(own)} finite numbers, one for each coordinate")
        made.append(values)
    if problems:
        raise SetupError(problems)
    return made[0], made[1]


def _prepare(folder: Path, overwrite: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}", str(folder)) from error
    taken = [str(folder / name) for name in FILES if (folder / name).exists()]
    if taken and not overwrite:
        raise OutputError(f"{taken[0]}: already exists; choose another folder or overwrite it", taken[0])


def _write_all(assembly: Assembly, instant: Any, files: dict[str, Path], state: tuple[Vector, Vector]) -> None:
    model, free = assembly.model, assembly.free
    remark = f"{assembly.mechanism.name}: t = {instant[0]!r} s"
    square = (free, free)
    mass = model.mass(*instant)
    violations, jacobian = model.constraints(*instant)
    write_matrix_market(
        files["mass.mtx"], square, model.mass_places(), mass, symmetric=True, remarks=[f"{remark}; mass matrix, kg"]
    )
    write_matrix_market(
        files["jacobian.mtx"], (model.equations, free), model.jacobian_places(), jacobian,
        remarks=[f"{remark}; derivative of the constraint equations by the free coordinates"],
    )  # fmt: skip
    for name, factors, unit in (("stiffness", (1.0, 0.0), "N/m"), ("damping", (0.0, 1.0), "N s/m")):
        values = model.tangent(*factors, *instant)
        write_matrix_market(
            files[f"{name}.mtx"], square, model.tangent_places(), values, symmetric=True,
            remarks=[f"{remark}; {name} of the applied forces, symmetrised, {unit}"],
        )  # fmt: skip
    names = assembly.coordinate_names()
    rows = [(k + 1, name, int(k < free), float(state[0][k]), float(state[1][k])) for k, name in enumerate(names)]
    _write_csv(files["coordinates.csv"], ("index", "coordinate", "free", "q_in_m", "v_in_m_per_s"), rows)
    equations = [(k + 1, model.equation_name(k), violations[k]) for k in range(model.equations)]
    _write_csv(files["equations.csv"], ("index", "equation", "violation"), equations)


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from ...results.export import safe_cell

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([safe_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
