"""Draw the picture of the page about federations from measured rows.

python -m benchmarks federation --json docs/federation_measured.json
python docs/federation_picture.py
"""

import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).resolve().parent
ROWS = json.loads((DOCS / "federation_measured.json").read_text(encoding="utf-8"))
COLOURS = ("#0b6e99", "#c8553d", "#4a7c59", "#8e6c8a")


def wall_times(axes):
    """Wall time over latency: measured as points, predicted as lines."""
    found = {}
    for row in ROWS:
        if row["work"] != "wall time":
            continue
        case, delay = re.fullmatch(r"(.*), latency (\S+) ms", row["size"]).groups()
        found.setdefault(case, {}).setdefault(row["who"], []).append((float(delay), row["value"]))
    for colour, (case, series) in zip(COLOURS, found.items(), strict=False):
        axes.plot(*zip(*sorted(series["predicted"]), strict=True), color=colour, label=f"{case}: predicted")
        axes.plot(*zip(*sorted(series["counterpoint"]), strict=True), "o", color=colour, label="measured")
    axes.set_xlabel("latency, one way (ms)")
    axes.set_ylabel("wall time (s)")
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=7)


def errors(axes):
    """Error over step: held values and histories."""
    for who, label, colour in (
        ("helics", "plain HELICS: values are held", COLOURS[1]),
        ("counterpoint", "Counterpoint: samples in histories", COLOURS[0]),
    ):
        points = sorted(
            (float(row["size"].split()[1]), row["value"])
            for row in ROWS
            if row["work"] == "accuracy" and row["who"] == who
        )
        axes.loglog(*zip(*points, strict=True), "o-", color=colour, label=label)
    axes.set_xlabel("step of both federates (s)")
    axes.set_ylabel("relative error")
    axes.legend(fontsize=8)
    axes.grid(True, which="both", alpha=0.25)


figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
wall_times(left)
errors(right)
figure.savefig(DOCS / "images" / "federation.png", dpi=120)
