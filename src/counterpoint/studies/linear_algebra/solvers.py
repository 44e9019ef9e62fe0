"""Linear solvers behind one thin interface: ours from the core, others from packages that may be installed.

A maker takes a `Matrix` and returns ``factorise`` and ``solve``, without arguments: what is timed. Nothing of this is
used by simulations. UMFPACK and the supernodal part of CHOLMOD are under the GPL, MKL's Pardiso is proprietary: they
come from packages of their own, and never from ours. WSMP needs a licence key: it is not measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ... import _core
from .chain import Matrix, tangent

Call = Callable[[], object]
Maker = Callable[[Matrix], tuple[Call, Call]]

OURS = "static-ldlt"
KLU = ("klu", "klu-factor")
HINTS = {
    "kvxopt": "pip install kvxopt",
    "pypardiso": "pip install pypardiso",
    "scipy": "pip install scipy",
    "wsmp": "proprietary, needs a licence key",
    "klu": "build with libsuitesparse-dev",
}


@dataclass(frozen=True)
class Library:
    """A solver: its name, how it is made, and whether it needs more memory than is wise above some size."""

    name: str
    make: Maker
    dense: bool = False
    threads: int = 1


def native(name: str) -> Maker:
    """Return the maker of a solver of the core; it times itself, without the calls from Python."""

    def make(matrix: Matrix) -> tuple[Call, Call]:
        solver = core_solver(name, matrix)
        return (lambda: solver.measure(1)[0]), (lambda: solver.measure(1)[1])

    return make


def core_solver(name: str, matrix: Matrix) -> _core.multibody.LinearSolver:
    """Return a solver of the core that has factorised the lower triangle of a symmetric matrix."""
    rows, columns, values = matrix.lower()
    solver = _core.multibody.LinearSolver(name, matrix.size, rows.tolist(), columns.tolist())
    solver.solve(values.tolist(), np.ones(matrix.size).tolist())
    return solver


def lapack(matrix: Matrix) -> tuple[Call, Call]:
    """Return dpotrf and dpotrs."""
    routines = import_module("scipy.linalg.lapack")
    full, b = matrix.dense(), np.ones(matrix.size)
    factor, _ = routines.dpotrf(full, lower=1)
    return (lambda: routines.dpotrf(full, lower=1)), (lambda: routines.dpotrs(factor, b, lower=1))


def lapack_band(matrix: Matrix) -> tuple[Call, Call]:
    """Return dpbtrf and dpbtrs, for the order that the matrix has."""
    routines = import_module("scipy.linalg.lapack")
    rows, columns, values = matrix.lower()
    band = np.zeros((int(np.max(rows - columns)) + 1, matrix.size), order="F")
    band[rows - columns, columns] = values
    b = np.ones(matrix.size)
    factor, _ = routines.dpbtrf(band, lower=1)
    return (lambda: routines.dpbtrf(band, lower=1)), (lambda: routines.dpbtrs(factor, b, lower=1))


def superlu(matrix: Matrix) -> tuple[Call, Call]:
    """Return SuperLU of SciPy, in its symmetric mode; it analyses the pattern every time."""
    splu = import_module("scipy.sparse.linalg").splu
    options = {"SymmetricMode": True}
    a, b = matrix.sparse(), np.ones(matrix.size)
    factor = splu(a, permc_spec="MMD_AT_PLUS_A", options=options)
    return (lambda: splu(a, permc_spec="MMD_AT_PLUS_A", options=options)), (lambda: factor.solve(b))


def _for_kvxopt(matrix: Matrix, triangle: bool) -> tuple[Any, Any]:
    """Return the matrix (its lower triangle only) and a right-hand side as kvxopt's."""
    base = import_module("kvxopt")
    rows, columns, values = matrix.lower() if triangle else (matrix.rows, matrix.columns, matrix.values)
    shape = (matrix.size, matrix.size)
    a = base.spmatrix(base.matrix(values.tolist()), rows.tolist(), columns.tolist(), shape)
    return a, base.matrix(1.0, (matrix.size, 1))


def cholmod(supernodal: int) -> Maker:
    """Return CHOLMOD, simplicial (0) or supernodal (2), through kvxopt."""

    def make(matrix: Matrix) -> tuple[Call, Call]:
        module = import_module("kvxopt.cholmod")
        module.options["supernodal"] = supernodal
        a, b = _for_kvxopt(matrix, triangle=True)
        factor = module.symbolic(a)
        module.numeric(a, factor)

        def factorise() -> None:
            module.options["supernodal"] = supernodal
            module.numeric(a, factor)

        return factorise, lambda: module.solve(factor, b)

    return make


def suitesparse(name: str) -> Maker:
    """Return ``umfpack`` or ``klu`` through kvxopt: pivots are looked for every time."""

    def make(matrix: Matrix) -> tuple[Call, Call]:
        module = import_module(f"kvxopt.{name}")
        a, b = _for_kvxopt(matrix, triangle=False)
        symbolic = module.symbolic(a)
        numeric = module.numeric(a, symbolic)
        solve = (
            (lambda: module.solve(a, numeric, b))
            if name == "umfpack"
            else (lambda: module.solve(a, symbolic, numeric, b))
        )
        return (lambda: module.numeric(a, symbolic)), solve

    return make


def pardiso(threads: int) -> Maker:
    """Return MKL's Pardiso for positive definite matrices, through pypardiso."""

    def make(matrix: Matrix) -> tuple[Call, Call]:
        os.environ.setdefault("MKL_THREADING_LAYER", "GNU")
        sparse = import_module("scipy.sparse")
        solver = import_module("pypardiso").PyPardisoSolver(mtype=2)
        upper, b = sparse.csr_matrix(sparse.triu(matrix.sparse())), np.ones((matrix.size, 1))

        def phase(number: int) -> None:
            solver.libmkl.MKL_Set_Num_Threads(threads)
            solver.set_phase(number)
            solver._call_pardiso(upper, b)

        phase(12)
        return (lambda: phase(22)), (lambda: phase(33))

    return make


def _has(module: str) -> bool:
    try:
        import_module(module)
    except Exception:  # a package that is there and cannot be loaded is as good as missing
        return False
    return True


def libraries() -> tuple[list[Library], dict[str, str]]:
    """Return the solvers that can be measured here, and why others cannot."""
    own: list[str] = [name for name in _core.multibody.solver_names() if name != "automatic"]
    found = [Library(name, native(name), name.startswith("dense"))
             for name in own if name not in KLU or _core.multibody.has_klu()]  # fmt: skip
    missing = {} if _core.multibody.has_klu() else {"KLU in the core": HINTS["klu"]}
    if _has("scipy.sparse.linalg"):
        found += [
            Library("LAPACK dpotrf", lapack, dense=True),
            Library("LAPACK dpbtrf", lapack_band),
            Library("SuperLU", superlu),
        ]
    else:
        missing["LAPACK, SuperLU"] = HINTS["scipy"]
    if _has("kvxopt"):
        found += [
            Library("CHOLMOD simplicial", cholmod(0)),
            Library("CHOLMOD supernodal", cholmod(2)),
            Library("UMFPACK", suitesparse("umfpack")),
            Library("KLU", suitesparse("klu")),
        ]
    else:
        missing["CHOLMOD, UMFPACK, KLU"] = HINTS["kvxopt"]
    if _has("pypardiso") and _has("scipy.sparse"):
        found += [Library("Pardiso", pardiso(1)), Library("Pardiso, 2 threads", pardiso(2), threads=2)]
    else:
        missing["Pardiso"] = HINTS["pypardiso"]
    missing["WSMP"] = HINTS["wsmp"]
    return [library for library in found if _works(library, missing)], missing


def _works(library: Library, missing: dict[str, str]) -> bool:
    """Try a solver on a small matrix; one that fails is named as missing, with its own words."""
    try:
        for call in library.make(tangent(4)):
            call()
    except Exception as error:  # whatever another package may raise
        missing[library.name] = f"{type(error).__name__}: {error}"
        return False
    return True
