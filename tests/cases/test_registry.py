"""Every kind of file is recognised by what it is, and handled by its own room."""

from pathlib import Path

import pytest

from counterpoint._cases.case import CaseFile, CaseSettings
from counterpoint._cases.registry import KINDS, SCENARIO, kind_of, read_case
from counterpoint.errors import OutputError, ScenarioError, SetupError

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {
    "counterpoint.multibody.files.case": "[mechanism]\n",
    "counterpoint.diagram.files.case": "[diagram]\n",
    "counterpoint.scenario.case": "until = 1.0\n",
}


@pytest.mark.parametrize("module", TEXTS)
def test_a_toml_file_is_recognised_by_its_tables(module, tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(TEXTS[module], encoding="utf-8")
    assert kind_of(CaseFile(path)).module == module


def test_a_diagram_without_its_first_table_is_one_that_lacks_it(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text('[blocks.g]\nkind = "gain"\n', encoding="utf-8")
    with pytest.raises(ScenarioError, match="diagram: missing"):
        read_case(path)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("a.fmu", "fmi.case"),
        ("A.FMU", "fmi.case"),
        ("b.ssp", "ssp.case"),
        ("b.ssd", "ssp.case"),
        ("OspSystemStructure.xml", "ssp.case"),
    ],
)
def test_other_files_are_recognised_by_their_ending(name, module):
    assert kind_of(CaseFile(Path(name))).module == f"counterpoint.{module}"


def test_every_kind_can_be_read_and_shown():
    for kind in (*KINDS, SCENARIO):
        module = kind.load()
        assert callable(module.read_case)
        assert callable(module.show_case)


def test_an_empty_file_says_how_files_begin(tmp_path):
    path = tmp_path / "empty.toml"
    path.write_text("# to be written\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"the file is empty; a mechanism begins with \[mechanism\]"):
        read_case(path)


def test_a_damaged_run_file_cannot_be_run_again(tmp_path):
    path = tmp_path / "run.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(OutputError, match=r"cannot be read|cut off|damaged"):
        read_case(path)


def test_a_scenario_has_no_step_of_its_own(tmp_path):
    with pytest.raises(SetupError, match="each subsystem has its own step; name the subsystem: --step engine=1e-4"):
        read_case(EXAMPLES / "two_mass.toml", settings=CaseSettings(step=0.1))


def test_only_a_mechanism_has_matrices(tmp_path):
    with pytest.raises(SetupError, match="--matrices is for mechanism files"):
        read_case(EXAMPLES / "two_mass.toml").write_matrices(tmp_path, overwrite=False)
