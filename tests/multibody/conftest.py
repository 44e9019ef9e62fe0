"""Model files with mistakes."""

import pytest

from counterpoint.errors import ScenarioError
from counterpoint.multibody import load


@pytest.fixture
def problems(write):
    """Load a text with mistakes; return them without the name of the file."""

    def problems(text):
        path = write(text)
        with pytest.raises(ScenarioError) as caught:
            load(path)
        assert all(problem.startswith(f"{path}: ") for problem in caught.value.problems), caught.value.problems
        return [problem.removeprefix(f"{path}: ") for problem in caught.value.problems]

    return problems
