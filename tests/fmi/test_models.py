"""The test FMUs themselves are what FMI says."""

import pytest

from .models import MODELS


@pytest.mark.parametrize("name", MODELS)
def test_another_tool_finds_no_problem_in_a_test_fmu(built, version, name):
    validation = pytest.importorskip("fmpy.validation")
    assert validation.validate_fmu(str(built(name, version))) == []


@pytest.mark.parametrize("name", MODELS)
def test_we_find_no_problem_in_a_test_fmu(built, version, name):
    from counterpoint.fmi import read_description

    assert read_description(built(name, version)).complaints == ()
