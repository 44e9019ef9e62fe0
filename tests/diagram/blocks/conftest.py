"""What tests of blocks share."""

import numpy as np
import pytest

import counterpoint as cp


@pytest.fixture
def probe():
    """Run a diagram made by a function of it and return times and values of the signal that it returns."""

    def run(build, until=1.0, step=0.1, **settings):
        model = cp.Diagram("model", **settings)
        model.output("y", build(model))
        signal = model.run(until=until, step=step)["model.y"]
        return signal.time, np.asarray(signal.values)

    return run
