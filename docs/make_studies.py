"""Make the page that shows what every study reproduces: run the studies, keep their claims, write the tables.

    python docs/make_studies.py [NAME ...]    # whole and quick form of these studies or of all, then the page
    python docs/make_studies.py --page        # the page alone, from the numbers that are committed
    python docs/make_studies.py --check       # quick forms against the committed numbers; exit code 1 if they changed

Committed are ``docs/studies/NAME.csv`` (the whole study, shown on the page) and ``docs/studies/NAME-quick.csv``, with
which the tests compare. A number may change by the `spread` of its claim; computing times are not compared.
"""

import csv
import math
import sys
import tempfile
from pathlib import Path

from counterpoint.studies import DESCRIPTIONS, STUDIES, run_study
from counterpoint.studies.claims import counted
from counterpoint.studies.report import ORIGINS

DOCS = Path(__file__).resolve().parent
NUMBERS = DOCS / "studies"
PAGE = DOCS / "explanation" / "studies.md"
COLUMNS = ("claim", "published", "ours", "unit", "tolerance", "remark")

INTRODUCTION = """# What the studies reproduce

`counterpoint study NAME` repeats a published experiment and compares every claim with what comes out. This page is made
by `python docs/make_studies.py` from whole studies; the tests run their quick forms and compare them with the committed
numbers.

A claim is *printed in the source*, *derived from it* (a closed form, an independent program for the same algorithm, a
bound of ours that decides a statement made in words) or *ours*. It holds, does not hold, was not measured, or cannot be
compared. Computing times are those of one machine; only their ratios count.
"""


def rows(name, form=""):
    """Return the committed rows of a study; none when there are none."""
    path = NUMBERS / f"{name}{form}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def changes(report, name):
    """Return in words how the quick form of a study differs from the committed numbers."""
    committed = {row["claim"]: row for row in rows(name, "-quick")}
    claims = {claim.claim: claim for claim in [*report.claims, *report.references]}
    found = [f"new: {text}" for text in claims.keys() - committed.keys()]
    found += [f"gone: {text}" for text in committed.keys() - claims.keys()]
    for text in committed.keys() & claims.keys():
        claim, row = claims[text], committed[text]
        if math.isfinite(claim.spread) and not _same(claim, row):
            found.append(f"{text}: {row['ours']} ({row['holds']}) has become {claim.row()[2]} ({claim.holds})")
    return sorted(found)


def _same(claim, row):
    ours = claim.row()[2]
    if claim.holds != row["holds"] or not (ours and row["ours"]):
        return claim.holds == row["holds"] and ours == row["ours"]
    # Numbers far below the bound are rounding, which is another one on another machine.
    return math.isclose(claim.ours, float(row["ours"]), rel_tol=claim.spread, abs_tol=1e-9) or (
        math.isinf(claim.ours) and ours == row["ours"]
    )


def make(name):
    """Run a study, whole and quick, and keep its claims."""
    NUMBERS.mkdir(exist_ok=True)
    for form, quick in (("", False), ("-quick", True)):
        with tempfile.TemporaryDirectory(prefix=f"{name}-") as folder:
            report = run_study(name, folder, quick=quick)
            (NUMBERS / f"{name}{form}.csv").write_bytes((Path(folder) / "claims.csv").read_bytes())
            print(f"{name}{form}: {report.summary()}", flush=True)


def page():
    """Return the text of the page."""
    known = {name: rows(name) for name in sorted(STUDIES)}
    parts = [INTRODUCTION, _overview({name: found for name, found in known.items() if found})]
    missing = [name for name, found in known.items() if not found]
    if missing:
        parts.append(f"Not computed for this page: {', '.join(missing)}.\n")
    parts += [_study(name, found) for name, found in known.items() if found]
    return "\n".join(parts)


def _overview(known):
    lines = ["| study | " + " | ".join(ORIGINS.values()) + " |", "|---|" + "---|" * len(ORIGINS)]
    for name, found in known.items():
        verdicts = [[row["holds"] for row in found if row["origin"] == origin] for origin in ORIGINS]
        cells = [counted(some) if some else "–" for some in verdicts]
        lines.append(f"| [{name}](#{name}) | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _study(name, found):
    parts = [f"## {name}\n", f"{DESCRIPTIONS[name][0].upper()}{DESCRIPTIONS[name][1:]}.\n"]
    for holds, heading in (
        ("no", "Does not hold"),
        ("not measured", "Not measured"),
        ("cannot be compared", "Cannot be compared"),
    ):
        chosen = [row for row in found if row["holds"] == holds]
        if chosen:
            parts += [f"**{heading}**\n", _table(chosen, ("origin", *COLUMNS))]
    for origin, words in ORIGINS.items():
        chosen = [row for row in found if row["holds"] == "yes" and row["origin"] == origin]
        if chosen:
            summary = f"<details><summary>{len(chosen)} that hold, {words}</summary>\n"
            parts += [summary, _table(chosen, COLUMNS), "</details>\n"]
    return "\n".join(parts)


def _table(chosen, columns):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row[column]) for column in columns) + " |" for row in chosen]
    return "\n".join(lines) + "\n"


def _cell(text):
    for special in "\\|*_<`$":
        text = text.replace(special, "\\" + special)
    return text


def main(arguments):
    """Do what the arguments ask."""
    unknown = [a for a in arguments if a not in (*STUDIES, "--page", "--check")]
    if unknown:
        print(__doc__, file=sys.stderr)
        return 2
    names = [argument for argument in arguments if not argument.startswith("-")] or sorted(STUDIES)
    if "--check" in arguments:
        with tempfile.TemporaryDirectory() as folder:
            found = {name: changes(run_study(name, Path(folder) / name, quick=True), name) for name in names}
        for name, lines in found.items():
            print(f"{name}: {len(lines)} changes", *lines, sep="\n  ")
        return int(any(found.values()))
    if "--page" not in arguments:
        for name in names:
            make(name)
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
