"""What ``counterpoint run`` and ``counterpoint info run.h5`` print about a result."""

from __future__ import annotations

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
    for pace in outcome.summary.paces:
        say(pace.text(), where)
    say(_speed(outcome), where)
    say(str(outcome.quality), where)


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
    if outcome.message:
        say(outcome.message, where)
    say(f"signals: {', '.join(outcome.signals)}", where)
    told = outcome.metadata
    if "version" in told:
        origin = f" from {told['case']}" if "case" in told else ""
        say(f"made{origin} by Counterpoint {told['version']} on {told.get('platform', '')}, {told['created']}", where)
