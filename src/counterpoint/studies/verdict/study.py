"""The study of the verdict: run everything, count what was said and what was true, draw, write the page."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from ..report import Progress, StudyReport, Table
from .claims import verdict_claims
from .figures import TRUTHS, draw_all
from .linear_trials import chain_ends, chains, chosen_steps, fmus, random_networks, starts, two_masses
from .other_trials import contacts, cubic_springs, mechanisms, sampled_controllers
from .trial import VERDICTS, Outcome, Trial, try_out

TITLE = "How often the verdict is right"

INTRODUCTION = (
    "Each run has a solution that is known: a closed form, or a reference that is tight enough to count as one. The "
    "verdict is read as a user reads it, result.quality, without knowledge of the solution. The true error is measured "
    "as the estimated one: rms of the worst signal over the run, exchanged or of a subsystem that sends nothing, "
    "relative to the rms of the signal about its mean.",
    "A run is trustworthy when its true error is below 5 %, not to be used above 20 % or when a motion that carries at "
    "least 5 % of a signal is amplified or attenuated twice or more, and worth a look in between.",
    "The rules of the verdict were chosen with the first four families in view: two masses, chains of masses, three "
    "parts, steps chosen by a solver. The other seven were run when the rules stood; they are counted apart, as are "
    "two random halves of all runs. That the ends of chains are judged at all is due to hidden runs like them.",
)
IN_VIEW = ("two masses", "chains of masses", "three parts, start", "steps chosen by a solver")
"""Families with which the rules of the verdict were chosen."""
EVERY = 9
"""The quick form makes one of so many runs."""


def trials(folder: Path) -> list[Trial]:
    """Return all runs; FMUs and mechanisms are written to `folder`."""
    return [
        *two_masses(), *chains(), *starts(), *chosen_steps(), *fmus(folder), *sampled_controllers(), *contacts(),
        *cubic_springs(), *mechanisms(folder), *random_networks(), *chain_ends(),
    ]  # fmt: skip


def subsets(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return all runs, those of families in view and held out, and two random halves, always the same."""
    mixed = list(outcomes)
    Random(2020).shuffle(mixed)
    middle = (len(mixed) + 1) // 2
    return {
        "all runs": list(outcomes),
        "families in view": [o for o in outcomes if o.trial.family in IN_VIEW],
        "families held out": [o for o in outcomes if o.trial.family not in IN_VIEW],
        "a random half": mixed[:middle],
        "the other half": mixed[middle:],
    }


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = trials(Path(folder))[:: EVERY if quick else 1]
        outcomes = []
        for k, trial in enumerate(chosen):
            outcomes.append(try_out(trial))
            if progress is not None:
                progress("runs with known solutions", k + 1, len(chosen))
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *(["This is the quick form: one run of nine."] if quick else [])],
        claims=verdict_claims(outcomes, subsets(outcomes), quick),
        figures=draw_all(outcomes, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=[*_confusion_tables(outcomes), _runs(outcomes)],
    )
    report.write()
    return report


def _confusion_tables(outcomes: Sequence[Outcome]) -> list[Table]:
    return [_confusion(title.capitalize(), some) for title, some in subsets(outcomes).items()]


def _confusion(title: str, outcomes: Sequence[Outcome]) -> Table:
    found = Counter((o.verdict, o.truth) for o in outcomes)
    rows = [[f"said: {said}", *(str(found[said, true]) for true in TRUTHS)] for said in VERDICTS]
    return Table(f"{title}: {len(outcomes)}", ["", *(f"true: {true}" for true in TRUTHS)], rows)


def _runs(outcomes: Sequence[Outcome]) -> Table:
    columns = [
        "family",
        "run",
        "verdict",
        "confidence",
        "true",
        "estimated error",
        "true error",
        "motion",
        "s",
        "check s",
    ]
    rows: list[list[str | float]] = [
        [
            o.trial.family, o.trial.name, o.verdict, o.confidence, o.truth, o.estimated, o.error, o.wrong_motion,
            o.seconds, o.check_seconds,
        ]
        for o in outcomes
    ]  # fmt: skip
    return Table("Runs", columns, rows)
