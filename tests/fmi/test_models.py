"""The test FMUs themselves are what FMI says."""

import pytest

from .models import CLOCKED, MODELS, ROD


@pytest.mark.parametrize("name", MODELS)
def test_another_tool_finds_no_problem_in_a_test_fmu(built, version, name):
    validation = pytest.importorskip("fmpy.validation")
    assert validation.validate_fmu(str(built(name, version))) == []


@pytest.mark.parametrize("model", [CLOCKED, ROD], ids=lambda model: model.name)
def test_another_tool_finds_no_problem_in_what_only_fmi_3_has(built, model):
    validation = pytest.importorskip("fmpy.validation")
    assert validation.validate_fmu(str(built(model, 3))) == []


@pytest.mark.parametrize("name", MODELS)
def test_we_find_no_problem_in_a_test_fmu(built, version, name):
    from counterpoint.fmi import read_description

    assert read_description(built(name, version)).complaints == ()
