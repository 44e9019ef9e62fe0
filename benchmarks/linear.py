"""Benchmark `linear`: which linear solver is fastest for which matrix, and whether `automatic` takes it."""

import subprocess
from itertools import groupby

from benchmarks.compiled import program, shared_object_of
from benchmarks.harness import OURS, Bench


def chain(bench: Bench) -> None:
    """Matrices of the four-bar chain: condensed, with multipliers (kkt), and as if they were not symmetric."""
    _measure(bench, "chain")


def random(bench: Bench) -> None:
    """Random patterns of several fills, up to full matrices."""
    _measure(bench, "random")


def compiled(bench: Bench) -> None:
    """Time a solver compiled for one pattern, every operation a statement, beside our schedule for all of them."""
    kernel = str(program("pattern_kernel", "linear"))
    for loops in (1, 10) if bench.quick else (1, 2, 4, 10, 40, 100, 400):
        text = subprocess.run([kernel, "print", str(loops)], capture_output=True, text=True, check=True).stdout
        library = str(shared_object_of(f"chain_{loops}", text))
        done = subprocess.run([kernel, "time", str(loops), library], capture_output=True, text=True, check=True)
        size, theirs, ours = done.stdout.split()
        values = {"compiled": float(theirs) / 1e3, OURS: float(ours) / 1e3}
        bench.add("compiled", f"condensed ({size})", values, "µs")


def _measure(bench: Bench, work: str) -> None:
    """Microseconds of one factorisation and four solutions by each solver; ours is the one that `automatic` takes."""
    command = [str(program("linear_solvers", "linear")), work, *(["quick"] if bench.quick else [])]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    for (matrix, size), rows in groupby(map(str.split, lines), key=lambda row: row[:2]):
        values = {}
        for _, _, solver, _, _, _, _, nanoseconds, *chosen in rows:
            family, _, _ = solver.partition("-")
            values[family] = float(nanoseconds) / 1e3
            if chosen:
                values[OURS] = values[family]
        bench.add(work, f"{matrix} ({size})", values, "µs")


WORKS = {"chain": chain, "random": random, "compiled": compiled}
