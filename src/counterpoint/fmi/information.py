"""Output of ``counterpoint info x.fmu``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from .._display.console import fill, new_table, say
from .archive import Archive
from .description import Interface, ModelDescription, Variable
from .description_reading import read_description

_MOST_VARIABLES = 60
_MOST_ITEMS = 12
_CAPABILITIES = {
    "can_get_and_set_state": "saves and restores its state",
    "can_serialize_state": "serialises its state",
    "variable_steps": "steps of any length",
    "can_interpolate_inputs": "linear inputs within a step",
    "provides_directional_derivatives": "directional derivatives",
    "provides_adjoint_derivatives": "adjoint derivatives",
    "has_event_mode": "event mode",
    "might_return_early": "early return",
    "provides_intermediate_update": "intermediate update",
    "only_once_per_process": "one instance per process",
    "needs_execution_tool": "needs its tool",
    "needs_completed_integrator_step": "completed-step calls",
}
_OF_MODEL_EXCHANGE = ("needs_completed_integrator_step",)


def show(path: Path, where: Console) -> None:
    """Print properties, capabilities and variables of an FMU without running it."""
    archive = Archive(path)
    description = read_description(archive, lenient=True)
    say(f"{path.name}: {description.name}, FMI {description.version}", where)
    if description.description:
        say(description.description, where)
    where.print()
    where.print(fill(new_table("About", "what", "value"), _about(archive, description)))
    if description.co_simulation is not None:
        where.print()
        where.print(fill(new_table("Co-simulation", "what", "value"), _interface(description.co_simulation)))
    if description.model_exchange is not None:
        where.print()
        where.print(fill(new_table("Model exchange", "what", "value"), _model_exchange(description)))
    if description.co_simulation is not None and description.model_exchange is not None:
        say('Counterpoint runs it as co-simulation unless kind = "model-exchange" is given.', where)
    clocks = [v for v in description.variables if v.ticks is not None]
    if clocks:
        where.print()
        table = new_table("Clocks", "name", "causality", "ticks", ">interval in s", ">shift in s", "description")
        where.print(fill(table, (_clock_row(v) for v in clocks)))
    for causality in ("structuralParameter", "parameter", "input", "output"):
        variables = [v for v in description.with_causality(causality) if v.ticks is None]
        if variables:
            where.print()
            where.print(_variables(description, causality, variables))
    for remark in archive.remarks:
        say(f"note: {remark}", where)
    for complaint in description.complaints:
        say(f"note: modelDescription.xml {complaint}", where)


def _about(archive: Archive, description: ModelDescription) -> Iterator[tuple[str, object]]:
    experiment = description.experiment
    facts = {
        "tool": description.tool,
        "author": description.author,
        "version": description.model_version,
        "made": description.date,
        "copyright": description.copyright,
        "license": description.license,
        "platforms": ", ".join(archive.platforms) or "none",
        "sources": "inside" if archive.has_sources else "",
        "start in s": experiment.start,
        "stop in s": experiment.stop,
        "step in s": experiment.step,
        "tolerance": experiment.tolerance,
        "variables": len(description.variables),
        "log categories": ", ".join(description.log_categories),
    }
    return ((name, value) for name, value in facts.items() if value not in (None, ""))


def _interface(part: Interface) -> Iterator[tuple[str, object]]:
    able = [text for name, text in _CAPABILITIES.items() if name not in _OF_MODEL_EXCHANGE and getattr(part, name)]
    yield "identifier", part.model_identifier
    yield "can", ", ".join(able) or "basic"
    if part.max_output_derivative_order:
        yield "derivatives of outputs", f"up to order {part.max_output_derivative_order}"
    if part.fixed_internal_step is not None:
        yield "internal step in s", f"{part.fixed_internal_step:g}"


def _model_exchange(description: ModelDescription) -> Iterator[tuple[str, object]]:
    part = description.model_exchange
    assert part is not None
    able = [text for name, text in _CAPABILITIES.items() if getattr(part, name)]
    yield "identifier", part.model_identifier
    yield "can", ", ".join(able) or "basic"
    shown = ", ".join(v.name for v in description.states[:8]) + (", ..." if len(description.states) > 8 else "")
    named = f"{len(description.states)}: {shown}" if description.states else ""
    yield "states", named or description.state_count or "none"
    yield "event indicators", description.event_indicators or "none"


def _variables(description: ModelDescription, causality: str, variables: list[Variable]) -> object:
    title = {"structuralParameter": "Structural parameters"}.get(causality, f"{causality.capitalize()}s")
    if len(variables) > _MOST_VARIABLES:
        title += f" (first {_MOST_VARIABLES} of {len(variables)})"
    made = new_table(title, "name", "type", "unit", ">start", "description")
    return fill(made, (_row(description, v) for v in variables[:_MOST_VARIABLES]))


def _row(description: ModelDescription, v: Variable) -> tuple[str, ...]:
    shape = "".join(f"[{n}]" for n in description.shape(v))
    start = (
        ""
        if v.start is None
        else " ".join(_value(value) for value in v.start[:4]) + (" ..." if len(v.start) > 4 else "")
    )
    return v.name, f"{v.type}{shape}{_items(description, v)}", v.unit, start, v.description


def _items(description: ModelDescription, v: Variable) -> str:
    """Return the items of an enumeration by name."""
    known = description.types.get(v.declared_type)
    if v.type != "Enumeration" or known is None:
        return ""
    shown = [f"{value} {name}" for name, value in known.items[:_MOST_ITEMS]]
    return f": {', '.join(shown)}{', ...' if len(known.items) > _MOST_ITEMS else ''}"


def _clock_row(v: Variable) -> tuple[str, ...]:
    ticks = v.ticks
    assert ticks is not None
    interval = "" if ticks.interval is None else f"{ticks.interval:g}"
    shift = f"{ticks.shift:g}" if ticks.shift else ""
    return v.name, v.causality, ticks.kind, interval, shift, v.description


def _value(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else f"{value:g}" if isinstance(value, float) else str(value)
