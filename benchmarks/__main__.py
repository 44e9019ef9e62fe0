"""The command ``python -m benchmarks``."""

import importlib
from pathlib import Path

import click

from benchmarks.harness import Bench, load, load_note, show, write_json

BENCHMARKS = {
    "coupling": "benchmarks.coupling",
    "diagram": "benchmarks.diagram",
    "fast-paths": "benchmarks.fast_paths",
    "federation": "benchmarks.federation",
    "fmi": "benchmarks.fmi",
    "linear": "benchmarks.linear",
    "link": "benchmarks.link",
    "multibody": "benchmarks.multibody",
    "scale": "benchmarks.scale",
}


@click.command()
@click.argument("name", type=click.Choice(sorted(BENCHMARKS)))
@click.option("--work", "chosen", multiple=True, help="Only this work of the benchmark (may be repeated).")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the rows here.")
@click.option("--quick", is_flag=True, help="Below 30 s: to see that it runs, not to quote.")
def main(name: str, chosen: tuple[str, ...], json_file: Path | None, quick: bool) -> None:
    """Measure Counterpoint against limits and peers, interleaved in one run, and print the ratios."""
    works = importlib.import_module(BENCHMARKS[name]).WORKS
    if unknown := [work for work in chosen if work not in works]:
        raise click.BadParameter(f"no work {unknown[0]!r} in {name}; there are {', '.join(works)}")
    bench = Bench(name, quick)
    before = load()
    for work in chosen or works:
        click.echo(f"{name}: {work} ...", err=True)
        works[work](bench)
    if note := load_note(before, load()):
        bench.notes.append(note)
    show(bench)
    if json_file is not None:
        write_json(bench.rows, json_file)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
