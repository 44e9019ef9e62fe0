"""The doctor tries FMUs in a child process, lists every error and remark and survives all of them."""

import sys

import pytest

from counterpoint._cli.main import main
from counterpoint.fmi.doctor import examine

from .test_isolation import no_process_left  # noqa: F401 - used by its name

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="tests of isolation use what Linux has"),
    pytest.mark.usefixtures("no_process_left"),
]


def texts(found, level="error"):
    return [f"{finding.examined}: {finding.text}" for finding in found.findings if finding.level == level]


@pytest.mark.parametrize("model", ["oscillator", "bouncing-ball", "pass-through", "relay", "sampler", "van-der-pol"])
def test_a_good_fmu_has_no_problem(built, version, model):
    found = examine(built(model, version))
    assert texts(found) == []
    assert found.exit_code == 0
    examined = {finding.examined for finding in found.findings}
    assert {"archive", "description", "trial", "repeatable", "save and restore", "FMPy"} <= examined


def test_an_fmu_of_both_kinds_is_tried_as_both(built, version):
    good = texts(examine(built("bouncing-ball", version)), "ok")
    assert "trial: 100 steps of 0.01 s" in good
    # 1 s of fall and flight with one impact, and a short step after it
    assert [text for text in good if text.startswith("model exchange: ") and text.endswith("of auto, 1 events")]
    alone = texts(examine(built("van-der-pol", version)), "ok")
    assert "other steps: accepts other step sizes" in alone


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("segfaults", "SIGSEGV", 4),
        ("aborts", "SIGABRT", 4),
        ("exits", "exit", 4),
        ("hangs", "did not answer within 0.5 s", 4),
        ("errs", "error", 3),
        ("gives-nan", "NaN", 3),
        ("discards", "discard", 3),
    ],
)
def test_a_fault_is_named_and_the_rest_is_examined(built, version, fault, name, words, code):
    parameters = {"fault": fault(name), "fault_time": 0.45}
    found = examine(built("misbehaving", version), deadline=0.5, step=0.1, parameters=parameters)
    (problem,) = [text for text in texts(found) if text.startswith("trial: ")]
    assert words.lower() in problem.lower()
    assert found.exit_code == code
    assert "FMPy" in {finding.examined for finding in found.findings}


def test_printing_is_a_remark(built, version, fault):
    found = examine(built("misbehaving", version), step=0.1, parameters={"fault": fault("prints"), "fault_time": 0.45})
    assert texts(found) == []
    assert any("prints to the terminal" in text for text in texts(found, "remark"))


def test_an_fmu_that_lies_about_its_state_is_found(built, version, fault):
    found = examine(built("misbehaving", version), step=0.1, parameters={"fault": fault("forgets")})
    (problem,) = texts(found)
    assert problem.startswith("save and restore: steps from a restored state give different values: fmu.y")
    assert found.exit_code == 3


def test_an_fmu_that_stays_while_a_saved_state_exists_is_found(built, version, fault):
    parameters = {"fault": fault("stays-while-states-may-come-back")}
    found = examine(built("misbehaving", version), step=0.1, parameters=parameters)
    (problem,) = texts(found)
    assert problem.startswith("save and restore: outputs stand still while a saved state exists: fmu.y")


def test_an_output_that_stands_still_is_a_problem(built, version, fault):
    found = examine(built("misbehaving", version), step=0.1, parameters={"fault": fault("stands-still")})
    problems = [text for text in texts(found) if text.startswith("trial: ")]
    assert problems
    assert 'output "y" stayed at 0 in all 101 rows, but its derivative "der(y)" is 1' in problems[0]


def test_all_problems_of_a_description_are_listed(built, changed):
    broken = changed(
        built("oscillator", 2),
        {"modelDescription.xml": lambda data: data.replace(b'causality="output"', b'causality="outputs"')},
    )
    found = examine(broken)
    assert found.exit_code == 2
    assert len(texts(found)) >= 2


def test_what_is_no_archive_is_one_problem(tmp_path):
    path = tmp_path / "x.fmu"
    path.write_bytes(b"hello")
    found = examine(path)
    assert found.exit_code == 2
    assert len(texts(found)) == 1
    assert "not a valid ZIP archive" in texts(found)[0]


def test_truth_values_are_set_on_the_command_line(built, version, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", str(built("bouncing-ball", version)), "--set", "careless=true"])
    assert ended.value.code == 0, capsys.readouterr().out


def test_on_the_command_line(built, fault, capsys):
    path = built("misbehaving", 3)
    for arguments, code, words in (
        (["--step", "0.1"], 0, "no errors"),
        (["--step", "0.1", "--set", f"fault={fault('segfaults')}", "--set", "fault_time=0.45"], 4, "1 error"),
        (["--set", "fault"], 2, "expected NAME=VALUE"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["doctor", str(path), *arguments])
        assert ended.value.code == code
        printed = capsys.readouterr()
        assert words in printed.out + printed.err
