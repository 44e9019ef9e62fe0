"""FMUs of FMI 1.0: the same subsystem, isolation and doctor as for later versions."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.fmi import read_description
from counterpoint.fmi.doctor import examine

from .exchanging import impacts
from .models import BOUNCING_BALL, OSCILLATOR

ISOLATED = pytest.mark.parametrize("isolate", [False, True], ids=["in process", "isolated"])


def alone(model, until=1.0, **options):
    system = cp.System("trial")
    system.add("fmu", model, **options)
    return system.run(until=until)


@ISOLATED
def test_co_simulation_is_the_same_bit_for_bit_as_in_fmi_2(built, isolate):
    old, new = (
        alone(cp.fmu(built("oscillator", version), parameters={"k": 50.0}, isolate=isolate), step=0.01)
        for version in (1, 2)
    )
    np.testing.assert_array_equal(old["fmu.x"].values, new["fmu.x"].values)
    assert old["fmu.x"].unit == "m"


@ISOLATED
def test_inputs_are_linear_where_the_fmu_interpolates(built, isolate):
    runs = []
    for version in (1, 2):
    