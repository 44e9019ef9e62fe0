"""``counterpoint plan``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, with_traceback


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--hosts", type=click.IntRange(2, 64), default=2, metavar="N", help="Largest number of hosts [2].")
@click.option("--latency", type=SECONDS, default=0.2e-3, metavar="S", help="One-way latency between hosts [0.2ms].")
@click.option("--bandwidth", type=float, default=1e9, metavar="BIT/S", help="Bandwidth in bit/s [1e9].")
@click.option("--request-cost", type=SECONDS, metavar="S", help="CPU time per time request [0.25ms].")
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the scenario.")
@click.option("--scheme", metavar="NAME", help="slowest-first, fastest-first, parallel or sequential.")
@click.option(
    "--write", type=click.Path(path_type=Path), metavar="TOML", help="Write the best partition as a launch plan."
)
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_traceback
def plan(
    *,
    scenario: Path,
    hosts: int,
    latency: float,
    bandwidth: float,
    request_cost: float | None,
    until: float | None,
    scheme: str | None,
    write: Path | None,
    allow_outside: bool,
) -> None:
    """Predict the wall time of a scenario on several hosts.

    Example: counterpoint plan plant.toml --hosts 4 --latency 0.2ms
    """
    import os
    from dataclasses import replace

    from .._cases.case import CaseSettings
    from .._cases.registry import read_case
    from .._display.console import console, new_table
    from ..federation.cost_model import Network
    from ..federation.planning import best_cuts, measure, plan_text

    case = read_case(scenario, allow_outside=allow_outside, settings=CaseSettings(until=until, scheme=scheme))
    load = measure(case.build(), case.options())
    network = Network(latency=latency, bandwidth=bandwidth / 8.0)
    if request_cost is not None:
        network = replace(network, request_cost=request_cost)
    table = new_table("Cost of a step, measured here", "subsystem", ">step in s", ">cost in s", ">steps")
    for name, step in load.steps.items():
        table.add_row(name, f"{step:g}", f"{load.costs[name]:.3g}", f"{load.span / step:.0f}")
    cuts = best_cuts(load, hosts, network)
    title = f"Predicted for a latency of {latency * 1e3:g} ms"
    predicted = new_table(title, ">hosts", "subsystems", ">wall time in s", ">speed-up", ">requests", ">busy")
    for cut in cuts:
        names = "; ".join(", ".join(part) for part in cut.parts)
        busy = f"{100.0 * min(cut.busy):.0f} to {100.0 * max(cut.busy):.0f} %"
        predicted.add_row(
            str(len(cut.parts)), names, f"{cut.seconds:.3g}", f"{cut.speed_up:.2f}", f"{cut.requests:.0f}", busy
        )
    screen = console()
    screen.print(table)
    screen.print(predicted)
    best = min(cuts, key=lambda cut: cut.seconds)
    if len(best.parts) == 1:
        click.echo(
            f"No: one process is the fastest, {best.seconds:.3g} s; waiting for messages costs more than it saves."
        )
    else:
        click.echo(f"Yes: {len(best.parts)} hosts, {best.speed_up:.2f} times as fast as one process.")
    if write is not None:
        chosen = best if len(best.parts) > 1 else min(cuts[1:], key=lambda cut: cut.seconds)
        write.write_text(plan_text(os.path.relpath(scenario, write.parent), chosen))
        click.echo(f"wrote {write}")
