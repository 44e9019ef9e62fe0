"""How the equations of motion are put and integrated: formulation, system, integrator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ... import _core
from ..._common.numbers import is_number
from ...errors import SetupError, did_you_mean

FORMULATIONS = ("index-3", "augmented-lagrangian", "penalty")
SYSTEMS = ("condensed", "kkt")
INTEGRATORS = ("trapezoidal", "hermite", "newmark", "generalised-alpha", "rk2", "rk4")
ITERATIONS = ("newton", "fixed-point")
SOLVERS = (
    "auto", "automatic", "static-ldlt", "static-lu", "sparse-ldlt", "sparse-lu", "dense-ldlt", "dense-llt", "dense-lu",
    "klu", "klu-factor",
)  # fmt: skip
NO_KLU = (
    "is not in this build: SuiteSparse was not found when it was made; install it (Debian: libsuitesparse-dev, conda: "
    'suitesparse) and build Counterpoint from source, or take "static-lu"'
)
IN_THE_STUDY = ("cholmod", "lapack", "mkl", "mkl-pardiso", "pardiso", "superlu", "umfpack", "wsmp")
ONLY_MEASURED = (
    "is not a solver for simulations: `counterpoint study linear-algebra` compares LAPACK, SuperLU (pip install "
    "scipy), CHOLMOD, UMFPACK (pip install kvxopt) and Pardiso (pip install pypardiso) with ours; WSMP is "
    'proprietary; take "auto"'
)

_NUMBERS: tuple[tuple[str, Callable[[float], bool], str], ...] = (
    ("penalty", lambda x: x > 0, "expected a positive number, or None for an automatic choice"),
    ("spectral_radius", lambda x: 0 <= x <= 1, "expected a number from 0 to 1"),
    ("beta", lambda x: x > 0, "expected a positive number (0 would be explicit)"),
    ("gamma", lambda x: x >= 0.5, "expected a number of at least 0.5: below, the rule makes energy"),
    ("natural_frequency", lambda x: x >= 0, "expected a number of at least 0"),
    ("damping_ratio", lambda x: x >= 0, "expected a number of at least 0"),
    ("tolerance", lambda x: x > 0, "expected a positive number"),
    ("max_iterations", lambda x: x == int(x) > 0, "expected an integer of at least 1"),
    ("fixed_iterations", lambda x: x == int(x) >= 0, "expected an integer of at least 0"),
    ("threads", lambda x: x == int(x) and 0 <= x <= 64, "expected an integer from 1 to 64, or 0 for all processors"),
)
"""What the numbers of a formulation may be."""


@dataclass(frozen=True)
class Formulation:
    """Choices of formulation and integrator; the defaults are robust at every size.

    Attributes
    ----------
    name : str
        ``"index-3"`` (augmented Lagrangian with constraints at position level and projections),
        ``"augmented-lagrangian"`` or ``"penalty"`` (constraints at acceleration level, Baumgarte's terms).
    system : str
        ``"condensed"`` (multipliers eliminated) or ``"kkt"`` (quasi-definite system with multipliers).
    integrator : str
        Index-3: ``"trapezoidal"``, ``"hermite"`` (trapezoidal rule with Hermite's end corrections: order 4 for what
        constraints do, order 2 for springs), ``"newmark"``, ``"generalised-alpha"``. The others: ``"trapezoidal"``,
        ``"newmark"``, ``"generalised-alpha"``, ``"rk2"``, ``"rk4"``.
    iteration : str
        ``"newton"`` or, for the index-1 formulations, ``"fixed-point"``.
    solver : str
        Linear solver. ``"auto"`` (or ``"automatic"``) chooses by size and fill. ``"static-ldlt"``, ``"static-lu"``:
        ours, for a fixed pattern, without pivoting. ``"sparse-ldlt"``, ``"sparse-lu"``, ``"dense-llt"`` (condensed
        systems only), ``"dense-lu"``: Eigen's; ``"dense-ldlt"``: ours. ``"klu"`` (pivots kept while they are good) and
        ``"klu-factor"`` (new pivots every time) where the build found SuiteSparse.
    penalty : float or None
        Alpha of the formulations; None chooses it from the masses and, for index 3, the step.
    natural_frequency, damping_ratio : float
        Baumgarte's omega (rad/s) and xi.
    beta, gamma : float
        Newmark's parameters; gamma is at least 0.5.
    spectral_radius : float
        Of generalised-alpha at infinite frequency, 0 to 1.
    project_velocities, project_accelerations : bool
        Index 3: whether velocities and accelerations are projected onto the constraints after each step.
        The others: ``project_velocities`` projects positions and velocities, unless ``natural_frequency`` is 0.
    carry_multipliers : bool
        Index 3: begin a step with the last multipliers instead of zero. Less stable, see the docs.
    printed : bool
        Index 3 exactly as printed in González Varela (2010): multipliers carried, ``lambda += alpha Phi`` after
        every iteration; for studies.
    tolerance : float
        Expected next correction at which Newton's method stops, relative to the size of the mechanism.
    max_iterations : int
        Where Newton's method gives up. Two or three are usual; a step that ends in a singular position needs many. A
        step that does not converge, or whose projections change the motion by more than some 0.3 %, is made again
        in halves, which may be halved in turn (``halved_steps`` of the statistics): next to singular positions, and
        where steps are long for the motion.
    fixed_iterations : int
        If not 0: exactly so many iterations in each step, for studies; no step is halved. Not with ``"rk2"`` and
        ``"rk4"``, which have none.
    threads : int
        For one step of a large mechanism, from 2000 coordinates on; 0: one for each processor, at most eight. Smaller
        mechanisms use one thread. The number changes no bit of the result. Index 3, condensed, ``"auto"`` or
        ``"static-ldlt"``; two threads are about 1.6 times as fast at 8000 coordinates and 1.1 times at 2000.

    Examples
    --------
    >>> Formulation("penalty", integrator="rk4", penalty=1e7).name
    'penalty'
    """

    name: str = "index-3"
    system: str = "condensed"
    integrator: str = "trapezoidal"
    iteration: str = "newton"
    solver: str = "automatic"
    penalty: float | None = None
    natural_frequency: float = 10.0
    damping_ratio: float = 1.0
    beta: float = 0.25
    gamma: float = 0.5
    spectral_radius: float = 0.9
    project_velocities: bool = True
    project_accelerations: bool = True
    carry_multipliers: bool = False
    printed: bool = False
    tolerance: float = 3e-11
    max_iterations: int = 100
    fixed_iterations: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        problems = []
        for key, known in (
            ("name", FORMULATIONS), ("system", SYSTEMS), ("integrator", INTEGRATORS), ("iteration", ITERATIONS),
            ("solver", SOLVERS),
        ):  # fmt: skip
            value = getattr(self, key)
            written = str(value).lower()
            if written in IN_THE_STUDY:
                problems.append(f'formulation: {key} "{value}" {ONLY_MEASURED}')
            elif value not in known:
                problems.append(f'formulation: {key} "{value}"{did_you_mean(written, known)}')
        problems += self._contradictions() + self._numbers() + self._solver_problems()
        if problems:
            raise SetupError(problems)

    def _contradictions(self) -> list[str]:
        problems = []
        explicit = self.integrator in ("rk2", "rk4")
        if self.name == "index-3" and explicit:
            problems.append(
                f'formulation: integrator "{self.integrator}" is explicit and index-3 needs an implicit one; '
                'take "trapezoidal", or name = "augmented-lagrangian"'
            )
        if self.name != "index-3" and self.integrator == "hermite":
            problems.append('formulation: integrator "hermite" works only with name = "index-3"')
        if self.iteration == "fixed-point" and (self.name == "index-3" or explicit):
            problems.append(
                'formulation: iteration "fixed-point" works only with implicit integrators of the index-1 formulations'
            )
        if self.iteration == "fixed-point" and self.integrator == "generalised-alpha":
            problems.append('formulation: integrator "generalised-alpha" needs iteration = "newton"')
        if self.fixed_iterations and explicit:
            problems.append(
                f'formulation: fixed_iterations = {self.fixed_iterations} with integrator "{self.integrator}", which '
                "is explicit and has no iterations; leave it out"
            )
        shares = self.name == "index-3" and self.system == "condensed"
        if self.threads != 1 and not (shares and self.solver in ("auto", "automatic", "static-ldlt")):
            problems.append(
                f'formulation: threads = {self.threads} needs name = "index-3", system = "condensed" and solver = '
                '"auto" or "static-ldlt": only these use several threads'
            )
        if self.printed and (self.name != "index-3" or self.system != "condensed" or self.penalty is None):
            problems.append('formulation: printed = true needs name = "index-3", system = "condensed" and a penalty')
        return problems

    def _solver_problems(self) -> list[str]:
        problems = []
        if self.solver in ("klu", "klu-factor") and not _core.multibody.has_klu():
            problems.append(f'formulation: solver "{self.solver}" {NO_KLU}')
        if self.solver == "dense-llt" and self.system == "kkt":
            problems.append(
                'formulation: solver "dense-llt" needs a positive definite matrix, and that of system = "kkt" is not; '
                'take "dense-ldlt", or system = "condensed"'
            )
        return problems

    def _numbers(self) -> list[str]:
        problems = []
        for key, allowed, words in _NUMBERS:
            value = getattr(self, key)
            if not (is_number(value) and allowed(value)) and not (key == "penalty" and value is None):
                problems.append(f"formulation: {key} {value}; {words}")
        return problems

    @property
    def export_problem(self) -> str:
        """Why a mechanism with this formulation cannot be exported as an FMU; empty if it can."""
        if self.solver not in ("klu", "klu-factor"):
            return ""
        return f'solver "{self.solver}" is not in exported FMUs; take "auto" or "static-lu"'

    def native(self, length: float) -> _core.multibody.StepperOptions:
        """Return the core's form; ``length`` is the size of the mechanism, m."""
        made = _core.multibody.StepperOptions()
        made.formulation = self.name
        made.integrator = self.integrator if self.integrator in ("rk2", "rk4", "hermite") else "newmark"
        made.rule = self._rule()
        made.penalty = self.penalty or 0.0
        made.reset_multipliers = not (self.carry_multipliers or self.printed)
        made.length = length
        made.solver = "automatic" if self.solver == "auto" else self.solver
        for key in ("system", "iteration", "natural_frequency", "damping_ratio", "project_velocities",
                    "project_accelerations", "printed", "tolerance", "max_iterations", "fixed_iterations",
                    "threads"):  # fmt: skip
            setattr(made, key, getattr(self, key))
        return made

    def _rule(self) -> _core.multibody.NewmarkRule:
        rule = _core.multibody.NewmarkRule()
        if self.integrator == "newmark":
            rule.beta, rule.gamma = self.beta, self.gamma
        if self.integrator == "generalised-alpha":
            # Chung and Hulbert 1993, for a given spectral radius at infinite frequency.
            rho = self.spectral_radius
            rule.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0)
            rule.alpha_f = rho / (rho + 1.0)
            rule.gamma = 0.5 - rule.alpha_m + rule.alpha_f
            rule.beta = 0.25 * (rule.gamma + 0.5) ** 2
        return rule
