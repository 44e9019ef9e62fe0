"""Messages of the core keep their numbers in a process that has loaded HELICS, whose libraries bring another libstdc++."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("provoking.py")


def messages(*first):
    """Return what the program prints that imports these modules first."""
    done = subprocess.run([sys.executable, PROGRAM, *first], check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def undisturbed():
    return messages()


def test_the_program_provokes_messages_with_numbers(undisturbed):
    assert len(undisturbed) >= 20
    for line in undisturbed:
        name, _, text = line.partition(": ")
        assert any(c.isdigit() for c in text), name
        assert "TypeError" not in text, "a mistake of the program"


@pytest.mark.parametrize("first", [("helics", "counterpoint._core"), ("counterpoint._core", "helics")])
def test_messages_are_the_same_in_a_process_with_helics(first, undisturbed):
    pytest.importorskip("helics", reason="the extra helics is not installed")
    assert messages(*first) == undisturbed
