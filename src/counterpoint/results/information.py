"""What ``counterpoint run`` and ``counterpoint info run.h5`` print about a result."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from .._display.console import clock, fill, new_table, number_text, say, speed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .result import Result

_MOST_ROWS = 12


def show_result(outcome: Result, where: Console) -> None:
    """Print defects, time per subsystem and the quality of a run."""
    if len(outcome.defects):
        where.print(_defects(outcome))
        where.print()
    where.print(_timing(outcome))
    where.print()
    if len(outcome.bonds):
        where.print(_bonds(outcome))
        where.print()
    for pace in outcome.summary.paces:
        say(pace.text(), where)
    say(_speed(outcome), where)
    say(str(outcome.quality), where)
    if outcome.quality.second.seconds > 0:
        say(_checking(outcome), where)


def _checking(outcome: Result) -> str:
    """Say what the estimate of the error has cost."""
    spent, run = outcome.quality.second.seconds, outcome.wall_seconds
    ratio = f", {spent / run:.2g} times the run" if run > 0 else ""
    return f'the verdict took {clock(spent)} for additional runs{ratio}; check = "off" omits them'


def _defects(outcome: Result) -> Table:
    frame = outcome.defects.sort_values("relative", ascending=False)
    title = "Interface defect: value assumed against value that arrived"
    if len(frame) > _MOST_ROWS:
        title += f" (worst {_MOST_ROWS} of {len(frame)})"
    table = new_table(title, "connection", "kind", ">largest", ">at t in s", ">rms", ">relative")
    return fill(
        table,
        (
            (
                row["connection"],
                row["kind"],
                number_text(row["maximum"]),
                number_text(row["time_of_maximum"]),
                number_text(row["rms"]),
                number_text(row["relative"]),
            )
            for row in frame.head(_MOST_ROWS).to_dict("records")
        ),
    )


def _bonds(outcome: Result) -> Table:
    table = new_table("Energy at bonds", "bond", "interface", "causality", ">exchanged in J", ">residual in J")
    rows = outcome.bonds.head(_MOST_ROWS).to_dict("records")
    return fill(
        table,
        (
            (
                row["bond"],
                row["interface"],
                row["causality"],
                number_text(row["exchanged"]),
                number_text(row["residual"]),
            )
            for row in rows
        ),
    )


def _measures(outcome: Result) -> list[str]:
    """Return the measures of a run in a few lines."""
    found = outcome.measures()
    lines = [f"θ_A = {found.time_ratio:.3g} (wall time over that of all subsystems)"] * isfinite(found.time_ratio)
    worst = found.connections.sort_values("tau", ascending=False).head(_MOST_ROWS)
    lines += [f"τ_CUM = {row['tau']:.3g} of {row['connection']}" for row in worst.to_dict("records") if row["tau"] > 0]
    for row in found.subsystems.to_dict("records"):
        counts = [f"{int(row['steps'])} steps", f"{row['rejections']} rejected", f"{row['events']} events"]
        if isfinite(row["evaluations"]):
            counts.append(f"{int(row['evaluations'])} evaluations")
        lines.append(f"{row['subsystem']}: {', '.join(counts)}")
    return lines


def _timing(outcome: Result) -> Table:
    frame = outcome.timing.sort_values("seconds", ascending=False)
    table = new_table("Time per subsystem", "subsystem", ">steps", ">seconds", ">share", ">µs per step")
    return fill(
        table,
        (
            (
                row["subsystem"],
                f"{int(row['steps'])}",
                number_text(row["seconds"]),
                number_text(100 * row["share"], "{:.0f} %"),
                number_text(row["microseconds_per_step"]),
            )
            for row in frame.head(_MOST_ROWS).to_dict("records")
        ),
    )


def _speed(outcome: Result) -> str:
    return (
        f"{outcome.name}, {outcome.scheme}: {outcome.status} at t = {outcome.end:g} s of {outcome.until:g} s "
        f"in {clock(outcome.wall_seconds)} ({speed(outcome.real_time_factor)})"
    )


def show_file(outcome: Result, where: Console) -> None:
    """Print what a run file holds."""
    show_result(outcome, where)
    for line in _measures(outcome):
        say(line, where)
    if outcome.message:
        say(outcome.message, where)
    say(f"signals: {', '.join(outcome.signals)}", where)
    told = outcome.metadata
    if "version" in told:
        origin = f" from {told['case']}" if "case" in told else ""
        say(f"made{origin} by Counterpoint {told['version']} on {told.get('platform', '')}, {told['created']}", where)
