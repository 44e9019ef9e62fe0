"""Measure how accurate two coupled FMUs are and what that costs; write the table and the picture of the page about it.

    python docs/fmu_accuracy.py          # needs a C compiler: the FMUs are built from tests/fmi/models

The errors follow from the numbers alone and are checked by the tests; the costs are those of this machine and moment.
"""

import argparse
import os
import re
import runpy
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import expm

import counterpoint as cp

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "explanation" / "fmu-accuracy.md"
PICTURE = DOCS / "images" / "fmu-accuracy.png"
PARAMETERS = {"m": 1.0, "k": 10.0, "c": 0.1, "kc": 5.0, "dc": 0.2}
MATRIX = np.array([[0, 1, 0, 0], [-15, -0.3, 5, 0.2], [0, 0, 0, 1], [5, 0.2, -15, -0.3]])
"""The pair as one system of equations: x1, v1, x2, v2."""
START = np.array([1.0, 0.0, 0.0, 0.0])
UNTIL = 10.0
STEP = 0.01


@dataclass(frozen=True)
class Case:
    """One way to couple the pair; `steps` and `window` in units of the macro step."""

    group: str
    approximation: cp.Approximation
    scheme: str = "parallel"
    version: int = 2
    inputs_at: str = "auto"
    steps: tuple[float, float] = (1.0, 1.0)
    window: tuple[float, int, float | None] | None = None

    @property
    def title(self):
        """How a reader calls it."""
        words = [self.scheme, str(self.approximation).strip("<>")]
        if self.inputs_at == "start":
            words[1] = "held inputs" if self.approximation is HELD else "held inputs, new values"
        if self.window is not None:
            tolerance = self.window[2]
            words.append("one re-step" if tolerance is None else "converged")
        return ", ".join(words)


HELD = cp.hold()
NEW = cp.hold("ahead")  # the value at the end of the step, where it is known
CONVERGED = (1.0, 20, 1e-10)
ONCE = (1.0, 1, None)
MULTIRATE = (0.1, 0.73)

CASES = [
    Case("FMI 2", HELD, inputs_at="start"),
    Case("FMI 2", NEW, "sequential", inputs_at="start"),
    Case("FMI 2", NEW, inputs_at="start", window=CONVERGED),
    Case("FMI 2", cp.lagrange(1)),
    Case("FMI 2", cp.lagrange(2)),
    Case("FMI 2", cp.lagrange(3)),
    Case("FMI 2", cp.taylor(1)),
    Case("FMI 2", cp.hermite()),
    Case("FMI 2", cp.lagrange(2), "sequential"),
    Case("FMI 2", cp.hermite(), "sequential"),
    Case("FMI 2", cp.lagrange(1), window=ONCE),
    Case("FMI 2", cp.lagrange(2), window=ONCE),
    Case("FMI 2", cp.hermite(), window=ONCE),
    Case("FMI 2", cp.hermite(), "sequential", window=ONCE),
    Case("FMI 2", cp.hermite(), window=CONVERGED),
    Case("FMI 3", HELD, version=3, inputs_at="start"),
    Case("FMI 3", cp.lagrange(2), version=3),
    Case("FMI 3", cp.hermite(), version=3),
    Case("FMI 3", cp.hermite(), version=3, window=ONCE),
    Case("1 ms and 7.3 ms", HELD, inputs_at="start", steps=MULTIRATE),
    Case("1 ms and 7.3 ms", cp.lagrange(1), steps=MULTIRATE),
    Case("1 ms and 7.3 ms", cp.lagrange(2), steps=MULTIRATE),
    Case("1 ms and 7.3 ms", cp.hermite(), steps=MULTIRATE),
    Case("1 ms and 7.3 ms", cp.lagrange(2), "slowest-first", steps=MULTIRATE),
    Case("1 ms and 7.3 ms", cp.hermite(), steps=MULTIRATE, window=ONCE),
]


def pair(case, fmus, step=STEP):
    """Return the two oscillators, coupled as a case says; `step` is the macro step in s."""
    system = cp.System("pair")
    for name, x0, share in zip(("left", "right"), (1.0, 0.0), case.steps, strict=True):
        model = cp.fmu(fmus[case.version], parameters=PARAMETERS, start={"x": x0}, inputs_at=case.inputs_at)
        system.add(name, model, step=share * step)
    for source, target in (("left", "right"), ("right", "left")):
        for signal in ("x", "v"):
            system.connect(f"{source}.{signal}", f"{target}.{signal}_other", case.approximation)
    return system


def window_of(case, step):
    """Return the windows of a case for a macro step in s."""
    return None if case.window is None else cp.window(case.window[0] * step, *case.window[1:])


def errors(case, fmus, step=STEP):
    """Return the errors of x1 and v2 at the end against the exact solution."""
    result = pair(case, fmus, step).run(UNTIL, case.scheme, window=window_of(case, step))
    exact = expm(UNTIL * MATRIX) @ START
    ends = (result["left.x"].values[-1], result["right.v"].values[-1])
    return abs(ends[0] - exact[0]), abs(ends[1] - exact[3])


def costs(cases, fmus, until, rounds):
    """Return for each case the least processor time of several rounds, in µs for a macro step of simulated time."""
    least = [float("inf")] * len(cases)
    for _ in range(rounds):
        for k, case in enumerate(cases):
            with pair(case, fmus).start(until, case.scheme, window=window_of(case, STEP)) as under_way:
                begin = time.process_time()
                under_way.step_to(until)
                least[k] = min(least[k], time.process_time() - begin)
    return [1e6 * seconds * STEP / until for seconds in least]


def build(folder):
    """Build the FMUs: version -> path."""
    tools = runpy.run_path(str(DOCS.parent / "tests" / "fmi" / "building.py"))
    return {version: tools["build"]("oscillator", version, folder) for version in (2, 3)}


def number(value):
    """Write an error as the table has it."""
    return f"{value:.1e}".replace("e-0", "e-")


def rows(found, spent):
    """Return the lines of the table, group by group; costs are relative to the first case."""
    lines = ["| coupling | error of x1 | error of v2 | µs | relative |", "|---|---|---|---|---|"]
    for group in dict.fromkeys(case.group for case in CASES):
        lines.append(f"| **{group}** | | | | |")
        for case, (x1, v2), cost in zip(CASES, found, spent, strict=True):
            if case.group == group:
                cells = [case.title, number(x1), number(v2), f"{cost:.2g}", f"{cost / spent[0]:.1f}"]
                lines.append(f"| {' | '.join(cells)} |")
    return lines


def draw(found, spent):
    """Draw error over cost."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(8.0, 5.0))
    cost = [each / spent[0] for each in spent]
    marks = {"FMI 2": "o", "FMI 3": "s", "1 ms and 7.3 ms": "^"}
    for group, mark in marks.items():
        for again in (False, True):
            chosen = [k for k, case in enumerate(CASES) if case.group == group and (case.window is not None) is again]
            points = [(cost[k], max(found[k])) for k in chosen]
            label = group + (", re-stepped" if again else "")
            ax.loglog(*zip(*points, strict=True), mark, fillstyle="full" if again else "none", ms=8, label=label)
    for k, case in enumerate(CASES):
        words = "held" if case.approximation is HELD else str(case.approximation).strip("<>")
        close = case.scheme != "parallel" or case.approximation is NEW or case.window == CONVERGED
        if close or (case.group, words) in (("FMI 3", "held"), ("FMI 2", "lagrange 3")):
            continue  # close to others that have a label
        offset, side = {"FMI 2": ((8, -3), "left"), "FMI 3": ((6, -12), "left")}.get(case.group, ((-8, -3), "right"))
        if (case.group, words) in (("FMI 3", "lagrange 2"), ("FMI 2", "hermite")):
            offset = (-4, 8)
        ax.annotate(words, (cost[k], max(found[k])), offset, textcoords="offset points", ha=side, fontsize=8)
    ax.set(xlabel="cost relative to held inputs", ylabel="larger of the errors of x1 and v2 after 10 s")
    ax.set(xlim=(0.8, 1.5 * max(cost)), xticks=[1, 2, 3, 4, 6, 8], xticklabels=["1", "2", "3", "4", "6", "8"])
    ax.minorticks_off()
    ax.grid(True, alpha=0.3)
    ax.legend(bbox_to_anchor=(1.02, 1.0), loc="upper left")
    plt.savefig(PICTURE, dpi=100, bbox_inches="tight")


def main():
    """Measure, and write the page's table and picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each cost is measured; the least counts")
    rounds = parser.parse_args().rounds
    os.environ["MPLBACKEND"] = "agg"
    with tempfile.TemporaryDirectory() as folder:
        fmus = build(Path(folder))
        found = [errors(case, fmus) for case in CASES]
        spent = costs(CASES, fmus, until=100.0, rounds=rounds)
    lines = rows(found, spent)
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"\| coupling \|.*?(?=\n\n)", lambda _: "\n".join(lines), text, flags=re.S)
    PAGE.write_text(text, encoding="utf-8")
    draw(found, spent)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
