"""What a study has written, as the tests read it."""

import csv


def read_claims(folder):
    """Return the rows of ``claims.csv``."""
    with (folder / "claims.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def claim(report, beginning):
    """Return the first claim of a report that begins so."""
    return next(c for c in report.claims if c.claim.startswith(beginning))
