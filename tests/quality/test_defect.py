import math

import pytest

from counterpoint.quality import assess_defects
from counterpoint.results import DefectSummary


def defect(relative, name="a.y -> b.u", count=10):
    return DefectSummary(name, "extrapolates", count, relative, 1.0, relative, 1.0, 1.0)


@pytest.mark.parametrize(
    ("relative", "verdict"),
    [
        (0.0, "good"),
        (9.9e-4, "good"),
        (1e-3, "fair"),
        (2.9e-2, "fair"),
        (3e-2, "poor"),
        (math.inf, "poor"),
        (math.nan, "unknown"),
    ],
)
def test_the_verdict_follows_the_relative_defect(relative, verdict):
    assert assess_defects([defect(relative)]).verdict == verdict


def test_the_worst_connection_decides_and_is_named():
    quality = assess_defects([defect(1e-6, "a"), defect(0.5, "b"), defect(1e-2, "c")])
    assert (quality.worst, quality.relative) == ("b", 0.5)
    assert str(quality) == (
        "poor: the worst connection, b, has an rms defect of 0.5 of its signal's variation; "
        "this is the interface defect only, not the error of the solution."
    )


def test_a_defect_on_a_constant_signal_is_told_in_its_own_unit():
    constant = DefectSummary("a", "extrapolates", 3, 0.25, 0.0, 0.1, 0.0)
    assert "a defect of 0.25 on a constant signal" in str(assess_defects([constant]))


def test_nothing_compared_is_unknown_and_not_good():
    assert assess_defects([]).verdict == "unknown"
    assert "nothing is connected" in str(assess_defects([]))
    assert "too few values were compared" in str(assess_defects([defect(0.0, count=0)]))
    assert "too few values were compared" in str(assess_defects([defect(0.5, count=2)]))
    interpolated = DefectSummary("a", "interpolates", 0, 0.0, 0.0, 0.0, 0.0)
    assert "every connection interpolates" in str(assess_defects([interpolated]))
