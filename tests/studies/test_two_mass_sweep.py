"""Cases on all cores: results, failures, and Ctrl-C at any moment."""

import signal
import threading

import numpy as np
import pytest

from counterpoint.studies.two_mass import sweep
from counterpoint.studies.two_mass.experiment import Case

CASES = [Case(float(ratio), "slowest-first", 0) for ratio in range(2, 2002)]


@pytest.fixture
def cheap(monkeypatch):
    monkeypatch.setattr(sweep, "run_case", lambda case: case.frequency_ratio)


def test_every_case_has_its_own_result_and_progress_counts_them(cheap):
    told = []
    results = sweep.run_cases([*CASES, *CASES], lambda what, done, total: told.append((what, done, total)), "x")
    assert results == {case: case.frequency_ratio for case in CASES}
    assert told == [("x", done, len(CASES)) for done in range(1, len(CASES) + 1)]


def test_the_first_failure_ends_the_others(monkeypatch):
    begun = []

    def run_case(case):
        begun.append(case)
        raise ValueError("this one fails")

    monkeypatch.setattr(sweep, "run_case", run_case)
    with pytest.raises(ValueError, match="this one fails"):
        sweep.run_cases(CASES)
    assert len(begun) < len(CASES)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs signals of Unix")
def test_an_interrupt_at_any_moment_ends_the_threads(cheap):
    """It once hung: the exception came while locks of futures were being taken."""
    is_armed = False

    def handle(number, frame):
        if is_armed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGHUP, handle)
    main = threading.get_ident()
    interrupted = 0
    try:
        for delay in np.linspace(0.0, 0.02, 150):
            timer = threading.Timer(delay, lambda: signal.pthread_kill(main, signal.SIGHUP))
            timer.start()
            try:
                is_armed = True
                sweep.run_cases(CASES)
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                is_armed = False
                timer.join()
            assert threading.active_count() < 10
    finally:
        signal.signal(signal.SIGHUP, before)
    assert interrupted > 0
