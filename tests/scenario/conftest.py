"""A scenario that works, and how to write one and read its complaints."""

import pytest

import counterpoint as cp
from counterpoint.errors import ScenarioError

GOOD = """\
until = 2.0
scheme = "slowest-first"

[subsystems.fast]
type = "linear"
step = 0.01
A = [[0.0, 1.0], [-40.0, 0.0]]
B = [[0.0], [40.0]]
C = [[1.0, 0.0]]
x0 = [1.0, 0.0]
inputs = ["u"]
outputs = ["x"]

[subsystems.slow]
type = "linear"
step = 0.1
A = [[0.0, 1.0], [-0.8, 0.0]]
B = [[0.0], [0.4]]
C = [[1.0, 0.0]]
x0 = [1.0, 0.0]
inputs = ["u"]
outputs = ["x"]

[[connections]]
from = "slow.x"
to = "fast.u"
approximation = { kind = "lagrange", order = 3 }

[[connections]]
from = "fast.x"
to = "slow.u"
"""


@pytest.fixture(scope="session")
def good():
    """The text of a scenario without mistakes."""
    return GOOD


@pytest.fixture(scope="session")
def problems():
    """Read and build a scenario with mistakes; return them without the name of the file."""

    def problems(path, **options):
        with pytest.raises(ScenarioError) as caught:
            cp.Scenario.read(path, **options).build()
        for problem in caught.value.problems:
            assert problem.startswith(f"{path}: ")
        return [problem.removeprefix(f"{path}: ") for problem in caught.value.problems]

    return problems
