"""What the tests of all studies share: the numbers that are committed with the documentation."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="session")
def committed():
    """Return the functions of the command that makes the page of all studies."""
    return runpy.run_path(str(DOCS / "make_studies.py"))
