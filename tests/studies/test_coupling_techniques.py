"""The study of coupling techniques: every technique gives the same motion, and every claim is decided."""

import numpy as np
import pytest

from counterpoint.studies import run_study
from counterpoint.studies.coupling_techniques import cosimulation, function_evaluation, monolithic
from counterpoint.studies.coupling_techniques.claims import evaluation_claims
from counterpoint.studies.coupling_techniques.cosimulation import REFERENCE, TECHNIQUES
from counterpoint.studies.coupling_techniques.linkage import START_SPEED, linkage

from .reading import read_claims


def test_the_linkage_has_one_degree_of_freedom_and_the_printed_start():
    assembly = linkage(5).assembled()
    assert assembly.degrees_of_freedom == 1
    result = linkage(1).run(until=0.01, step=1e-3)
    assert -result["four-bar.speed"].values[0] == pytest.approx(START_SPEED, rel=1e-12)


def test_mechanism_and_one_degree_of_freedom_turn_alike_without_engine():
    """No torque: J θ'' = -c θ' + g m r sin θ; the mechanism's trapezoidal rule is of second order."""
    result = linkage(5).run(until=1.0, step=1e-3)
    cranks, couplers = 6.0, 5.0
    inertia, weight = cranks / 3.0 + couplers, 9.81 * (cranks / 2.0 + couplers)
    angle, speed, h = 0.0, START_SPEED, 1e-4
    exact = [speed]
    for step in range(10000):
        for share in (0.5, 1.0):  # explicit midpoint, ten times finer
            at_angle, at_speed = (angle, speed) if share == 0.5 else (middle_angle, middle_speed)  # noqa: F821
            rate = (weight * np.sin(at_angle) - 3.18 * at_speed) / inertia
            middle_angle, middle_speed = angle + share * h * at_speed, speed + share * h * rate
        angle, speed = middle_angle, middle_speed
        if step % 10 == 9:
            exact.append(speed)
    # Of 30 rad/s; steps of 1 ms next to the singular position, where the cranks lie flat, make the largest part.
    assert np.abs(-result["four-bar.speed"].values - exact).max() < 0.1


@pytest.mark.parametrize("technique", [name for name in TECHNIQUES if name not in ("FMUs in FMPy",)])
def test_every_technique_moves_as_the_exact_model(technique):
    span = 0.2
    _, exact = cosimulation._RUNNERS[REFERENCE](5, span)
    _, ours = cosimulation._RUNNERS[technique](5, span)
    assert len(ours) == len(exact)
    assert np.abs(ours - exact).max() < 0.1  # held values, 1 ms, 30 rad/s


def test_processes_change_no_bit():
    (_, here), (_, memory), (_, socket) = (
        cosimulation._RUNNERS[name](5, 0.1)
        for name in (cosimulation.SCHEDULER, cosimulation.MEMORY, cosimulation.SOCKET)
    )
    assert np.array_equal(here, memory)
    assert np.array_equal(here, socket)


def test_fmus_in_fmpy_move_as_ours():
    pytest.importorskip("fmpy", reason="FMPy is not installed: pip install 'counterpoint[fmi]'")
    (_, here), (_, there) = (
        cosimulation._RUNNERS[name](5, 0.2) for name in (cosimulation.SCHEDULER, cosimulation.FMPY)
    )
    assert np.abs(here - there).max() < 0.05  # FMPy's loop gives the throttle of the beginning of a step


def test_a_technique_that_is_not_there_is_said_and_left_out(monkeypatch):
    monkeypatch.setattr(function_evaluation.shutil, "which", lambda _: None)
    made = function_evaluation.measure(quick=True)
    assert set(made.missing) == {function_evaluation.POINTER, function_evaluation.OCTAVE}
    assert np.isnan(made.ratio(function_evaluation.OCTAVE, 1e-3))


def test_accelerations_of_one_diagram_keep_the_rods():
    result = monolithic.by_blocks(1).run(until=0.05)
    assert np.isfinite(result["whole.speed"].values).all()


@pytest.mark.parametrize(("step", "iterations"), function_evaluation.ITERATIONS.items())
def test_an_iteration_evaluates_the_terms_once(step, iterations):
    assert function_evaluation.calls_in_a_step(step, quick=False) == iterations


def test_an_evaluation_more_than_the_iterations_is_a_claim_that_does_not_hold():
    made = measured()
    made.calls[1e-2] = 2.5
    claim = next(claim for claim in evaluation_claims(made) if "evaluations over iterations" in claim.claim)
    assert (claim.ours, claim.holds) == (1.25, "no")


def test_distances_are_taken_as_far_as_both_runs_go():
    made = measured()
    made.places["socket", 1e-3] = np.array([[0.0], [3e-3]])
    assert made.distance("socket", "Python function", 1e-3) == 3e-3


def measured():
    """Return what a machine without Octave measures."""
    names = [(name, step) for name in function_evaluation.TECHNIQUES[:4] for step in function_evaluation.STEPS]
    return function_evaluation.Evaluations(
        seconds=dict.fromkeys(names, 1.0), places=dict.fromkeys(names, np.zeros((3, 1))),
        missing={function_evaluation.OCTAVE: "octave is not installed"},
        calls={1e-3: 1.0, 1e-2: 2.0}, own_error={1e-3: 1.0, 1e-2: 1.0},
    )  # fmt: skip


def test_what_is_missing_was_not_measured_and_other_techniques_cannot_be_compared():
    rows = {claim.claim: claim for claim in evaluation_claims(measured())}
    octave = next(claim for text, claim in rows.items() if "ours Octave" in text)
    assert (octave.holds, octave.remark) == ("not measured", "octave is not installed")
    assert next(claim for text, claim in rows.items() if "ours Python" in text).holds == "cannot be compared"
    assert [c.claim for c in rows.values() if c.holds == "not measured" and not c.remark] == []


def test_the_study_writes_its_claims_figures_and_page(tmp_path, committed):
    report = run_study("coupling-techniques", tmp_path, quick=True)
    assert committed["changes"](report, "coupling-techniques") == []
    rows = read_claims(tmp_path)
    assert len(rows) == len(report.claims) == 30
    assert all(path.stat().st_size > 1000 for path in report.written)
    same = [row for row in rows if "results" in row["claim"]]
    assert [row["holds"] for row in same] == ["yes"] * 4
    native, python, pointer = (
        dict(zip(report.tables[0].columns, row, strict=True)) for row in report.tables[0].rows[:3]
    )
    assert (native["1 ms, ours"], native["1 ms, source"]) == (1.0, "")
    assert (python["in the source"], python["1 ms, source"]) == ("MEX functions", 12.7)
    assert (
        pointer["1 ms, ours"] < python["1 ms, ours"]
    )  # and the study says why it is the other way round in the source
