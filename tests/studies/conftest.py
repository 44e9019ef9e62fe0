"""What the tests of all studies share: the numbers that are committed with the documentation."""

import runpy
from pathlib import Path

import pytest

from counterpoint.studies import run_study

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="session")
def committed():
    """Return the functions of the command that makes the page of all studies."""
    return runpy.run_path(str(DOCS / "make_studies.py"))


@pytest.fixture(scope="module")
def quick(request, tmp_path_factory):
    """Run the quick form of the study that the module names: its folder, its report and the calls of its progress."""
    folder, calls = tmp_path_factory.mktemp("study"), []
    report = run_study(request.module.STUDY, folder, quick=True, progress=lambda *call: calls.append(call))
    return folder, report, calls
