"""How an FMU is run, and checks of these options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SetupError, did_you_mean
from ..subsystems.models import SOLVERS as ALL_SOLVERS
from ..subsystems.models import VARIABLE_STEP, solver_options
from .description import Interface, ModelDescription
from .isolation import Isolation

CO_SIMULATION, MODEL_EXCHANGE = "co-simulation", "model-exchange"
KINDS = (CO_SIMULATION, MODEL_EXCHANGE)
INPUTS_AT = ("auto", "start", "middle")
INPUT_ORDERS = {"start": 0, "middle": 1, "slope": 3, "slope_to_end": 2, "intermediate": None}
"""By how inputs reach an FMU: what it makes of them in a step is as good as polynomials of this order; None: of any."""
SOLVERS = ("auto", *(name for name in ALL_SOLVERS if name not in ("bdf2", "newmark")))
"""Solvers of model exchange."""
SOLVER_OPTIONS = ("rtol", "atol", "first_step", "max_step")
SETTABLE: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("kind", "inputs_at", "solver"), (str, "a word")),
    **dict.fromkeys(("visible", "logging", "events", "redo_discarded"), (bool, "true or false")),
    **dict.fromkeys(("tolerance", "deadline", *SOLVER_OPTIONS), (float, "a number")),
}
"""Options of :func:`counterpoint.fmu` that have one value, which a command line can give, and what they take."""


@dataclass(frozen=True)
class Options:
    """How an FMU is run; see :func:`counterpoint.fmu`. None: not given."""

    name: str
    inputs_at: str | None = None
    tolerance: float | None = None
    visible: bool = False
    logging: bool | tuple[str, ...] = False
    events: bool = True
    redo_discarded: bool = False
    solver: str | None = None
    solver_options: Mapping[str, float] = field(default_factory=dict)
    isolation: Isolation | None = None

    @property
    def chosen_solver(self) -> str:
        """The solver of model exchange."""
        return self.solver or "auto"

    @property
    def own_pace(self) -> bool:
        """Whether this solver chooses its steps."""
        return self.chosen_solver in ("auto", *VARIABLE_STEP)


def choose_kind(path: Path, description: ModelDescription, kind: str | None) -> tuple[str, Interface]:
    """Return how an FMU is run: as requested, otherwise as co-simulation where supported."""
    offered = {CO_SIMULATION: description.co_simulation, MODEL_EXCHANGE: description.model_exchange}
    there = [name for name, part in offered.items() if part is not None]
    if kind is not None and kind not in KINDS:
        raise SetupError(f'{path}: kind: "{kind}"{did_you_mean(kind, KINDS)}; expected one of {", ".join(KINDS)}')
    if kind is not None and kind not in there:
        raise SetupError(f"{path}: kind: this FMU supports only {' and '.join(there)}")
    chosen = kind or there[0]
    interface = offered[chosen]
    assert interface is not None  # one of them is there: description_rules
    return chosen, interface


def option_problems(options: Options, kind: str, able: Interface, description: ModelDescription) -> Iterator[str]:
    """Yield the options that do not fit the FMU or the way it is run."""
    if options.tolerance is not None and not 0.0 < options.tolerance < 1.0:
        yield f"tolerance: {options.tolerance!r}; expected a number between 0 and 1"
    yield from _co_simulation_problems(options, able) if kind == CO_SIMULATION else _model_exchange_problems(options)
    yield from _clock_problems(options, kind, able, description)
    if not isinstance(options.logging, bool):
        for category in options.logging:
            if category not in description.log_categories:
                yield f'logging: "{category}": no such category{did_you_mean(category, description.log_categories)}'


def _clock_problems(options: Options, kind: str, able: Interface, description: ModelDescription) -> Iterator[str]:
    clocks = [v for v in description.with_causality("input") if v.ticks is not None and v.ticks.kind != "triggered"]
    if clocks and kind == CO_SIMULATION and not (able.has_event_mode and options.events):
        yield f'"{clocks[0].name}" is an input clock, which ticks in event mode; ' + (
            "with events=False it would never tick"
            if able.has_event_mode
            else "this FMU has no event mode (hasEventMode)"
        )


def _co_simulation_problems(options: Options, able: Interface) -> Iterator[str]:
    if options.inputs_at not in (None, *INPUTS_AT):
        yield f'inputs_at: "{options.inputs_at}"{did_you_mean(str(options.inputs_at), INPUTS_AT)}'
    given = [*(["solver"] if options.solver else []), *options.solver_options]
    if given:
        yield f'{", ".join(given)}: the FMU has its own solver; to use ours, set kind="model-exchange"'


def _model_exchange_problems(options: Options) -> Iterator[str]:
    if options.chosen_solver not in SOLVERS:
        yield f'solver: no solver "{options.solver}" for FMUs{did_you_mean(str(options.solver), SOLVERS)}'
    elif options.solver_options and not options.own_pace:
        given = ", ".join(options.solver_options)
        yield f"{given}: the steps of {options.chosen_solver} are fixed; use auto, ode45, ode23 or ode23s"
    try:
        solver_options(options.solver_options, SOLVER_OPTIONS)
    except SetupError as error:
        yield from error.problems
    if options.inputs_at is not None:
        yield "inputs_at: only for co-simulation; in model exchange inputs are functions of time"
    if options.redo_discarded:
        yield "redo_discarded: only for co-simulation; a variable-step solver repeats steps automatically"
