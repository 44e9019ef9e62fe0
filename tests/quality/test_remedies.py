"""The change that a verdict names helps."""

import re
from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run import second_run

from .test_verdict import Controller, controlled


@pytest.fixture
def patient(monkeypatch):
    """Changes are tried although the machine is busy."""
    monkeypatch.setattr(second_run, "BUDGET_SECONDS", 60.0)


@pytest.mark.usefixtures("patient")
def test_the_remedy_does_not_name_a_subsystem_that_only_listens():
    """The source is sampled too coarsely; the filter at the end only shows what the plant makes of it."""
    system = cp.System("sampled road")
    system.add("road", cp.source(lambda t: np.sin(2 * np.pi * 0.9 * t), outputs="y"), step=0.3)
    plant = cp.linear([[0, 1], [-40, -1]], [[0], [40]], [[1, 0]], x0=[0, 0], inputs="u", outputs="x")
    system.add("plant", plant, step=0.01)
    system.add("filter", cp.linear([[-5.0]], [[5.0]], x0=[0], inputs="u", outputs="y"), step=0.2)
    system.connect("road.y", "plant.u", cp.lagrange(2))
    system.connect("plant.x", "filter.u", cp.lagrange(2))
    quality = system.run(until=10.0).quality
    assert quality.verdict in ("look here", "do not use")
    assert '"filter"' not in quality.remedy
    assert re.search(r'"road"|all steps', quality.remedy)


def test_the_remedy_leaves_the_step_of_a_sampled_controller_alone():
    system = controlled(Controller())
    system.subsystems["cart"] = replace(system.subsystems["cart"], step=0.1)
    quality = system.run(until=10.0, scheme="parallel").assess(1e-6)
    assert quality.verdict != "trustworthy"
    assert '"controller"' not in quality.remedy


@pytest.mark.usefixtures("patient")
def test_the_remedy_is_one_that_was_tried():
    def row(order, factor=1.0):
        system = cp.System("three masses")
        for k in range(3):
            others = [f"from{j}" for j in (k - 1, k + 1) if 0 <= j < 3]
            mass = cp.linear(
                [[0, 1], [-8, -0.1]], [[0] * len(others), [4] * len(others)], [[1, 0]], x0=[float(k == 0), 0],
                inputs=others, outputs="x",
            )  # fmt: skip
            system.add(f"m{k}", mass, step=factor * 0.03)
        for k in range(3):
            for j in (k - 1, k + 1):
                if 0 <= j < 3:
                    system.connect(f"m{j}.x", f"m{k}.from{j}", cp.lagrange(order))
        return system.run(until=20.0, scheme="parallel")

    tight = row(3, 1 / 8)

    def error(result):
        return max(
            np.std(result[n].values - tight[n].at(result[n].time)) / np.std(tight[n].values)
            for n in ("m0.x", "m1.x", "m2.x")
        )

    quality = row(0).quality
    promised = re.search(
        r"use lagrange\(1\) for all connections; the error then becomes (.*) times smaller", quality.remedy
    )
    assert promised
    assert error(row(1)) < 0.3 * error(row(0))
