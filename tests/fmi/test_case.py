"""An FMU file is a case of its own on the command line."""

from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case


def test_an_fmu_runs_alone(built, version):
    case = read_case(built("oscillator", version), settings=CaseSettings(until=1.0, step=0.01))
    result = case.run()
    assert (case.is_coupled, result.status, result.end) == (False, "finished", 1.0)
    assert list(case.build().subsystems) == [case.name]
