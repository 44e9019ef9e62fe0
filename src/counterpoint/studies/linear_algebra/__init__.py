"""Linear algebra of the multibody simulator: operations, solvers, fill, threads and formulations."""
