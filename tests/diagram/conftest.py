"""What the tests of diagrams share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterpoint import _core
from counterpoint.diagram import Diagram
from counterpoint.diagram.compiling import flatten, make_core


class Run:
    """Times and outputs of a run of one diagram."""

    def __init__(self, model: Diagram, until: float, step: float | None, **options: Any) -> None:
        self.result = model.run(until=until, step=step, **options)
        self.name = model.name
        self.time = np.asarray(self.result[f"{model.name}.{next(iter(model.outputs))}"].time)

    def __getitem__(self, output: str) -> np.ndarray:
        values = np.asarray(self.result[f"{self.name}.{output}"].values)
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


@pytest.fixture
def run():
    return Run


@pytest.fixture
def stepper():
    """A diagram led by hand: start, step, outputs, save, restore."""

    def make(model: Diagram, inputs: list[float] | None = None) -> Any:
        return _core.diagram.Stepper(make_core(model, flatten(model)), inputs or [])

    return make
