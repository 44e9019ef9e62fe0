"""Inputs that nothing connects or sets: the FMU keeps the values that it gives them."""

import threading
from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case
from counterpoint.fmi import Fmu
from counterpoint.fmi.doctor import examine

from .models import OSCILLATOR, model_of
from .test_habits import ALL_VERSIONS, ISOLATED, alone


def with_wrong_start(built, version, kind):
    """Build an oscillator whose description says that the force is 20 N at the start; the FMU has 0."""
    variables = tuple(replace(v, start="20") if v.name == "force" else v for v in OSCILLATOR.variables)
    kinds = ("CoSimulation" if kind == "co-simulation" else "ModelExchange",)
    return built(OSCILLATOR.changed(variables=variables), version, kinds=kinds), built(
        "oscillator", version, kinds=kinds
    )


def settings(kind, isolate, inputs_at, **more):
    """Return how to load an FMU; when inputs are set is a choice in co-simulation only."""
    when = {"inputs_at": inputs_at} if kind == "co-simulation" else {}
    return {"kind": kind, "isolate": isolate, **when, **more}


KINDS = pytest.mark.parametrize("kind", ["co-simulation", "model-exchange"])


@ALL_VERSIONS
@ISOLATED
@KINDS
@pytest.mark.parametrize("inputs_at", ["auto", "start"])
def test_an_input_that_nothing_connects_or_sets_keeps_what_the_fmu_gives_it(built, version, isolate, kind, inputs_at):
    """Start values of inputs in the description are not always those in the FMU."""
    wrong, right = with_wrong_start(built, version, kind)
    how = settings(kind, isolate, inputs_at, outputs=["x", "force"])
    free = alone(cp.fmu(wrong, **how), step=0.1)
    assert np.array_equal(free["fmu.x"].values, alone(cp.fmu(right, **how), step=0.1)["fmu.x"].values)
    assert set(free["fmu.force"].values) == {0.0}
    pushed = alone(cp.fmu(right, start={"force": 20.0}, **how), step=0.1)
    assert np.array_equal(alone(cp.fmu(wrong, start={"force": 20.0}, **how), step=0.1)["fmu.x"].values,
                          pushed["fmu.x"].values)  # fmt: skip
    assert set(pushed["fmu.force"].values) == {20.0}
    for give in (lambda system: system.set("fmu.force", 20.0), connect_force):
        system = cp.System("set")
        system.add("fmu", cp.fmu(wrong, **how), step=0.1)
        give(system)
        assert system.run(until=1.0)["fmu.x"].values == pytest.approx(pushed["fmu.x"].values, rel=1e-12)


def connect_force(system):
    system.add("push", cp.source(lambda t: 20.0, outputs="force"), step=0.1)
    system.connect("push.force", "fmu.force", convert=False)


@ALL_VERSIONS
@ISOLATED
@KINDS
@pytest.mark.parametrize("inputs_at", ["auto", "start"])
def test_an_untouched_input_is_written_once_a_driven_run_sets_it(built, version, isolate, kind, inputs_at):
    """Even to the value that the description gives it."""
    wrong, right = with_wrong_start(built, version, kind)
    how = settings(kind, isolate, inputs_at)
    values = []
    for path in (wrong, right):
        system = cp.System("driven")
        system.add("fmu", cp.fmu(path, **how), step=0.1)
        system.add("other", cp.fmu(path, **how), step=0.1)  # two that step in one round
        with system.start() as run:
            run.step_to(0.5)
            run.set("fmu.force", 20.0)
            run.step_to(0.7)
            run.set("fmu.v_other", 1.0)
            run.step_to(1.0)
            values.append([run.value("fmu.x"), run.value("other.x")])
    assert values[0] == values[1]
    assert values[0][0] != values[0][1]


@KINDS
def test_an_event_gives_an_untouched_input_its_declared_value_from_the_start_on(built, kind):
    """The action may scale it or add to it: there has to be a value."""
    wrong, right = with_wrong_start(built, 2, kind)
    system = cp.System("event")
    system.add("fmu", cp.fmu(wrong, kind=kind), step=0.1)
    system.at(0.5, "fmu.force", cp.events.scale(2.0))
    expected = cp.System("expected")
    expected.add("fmu", cp.fmu(right, kind=kind, start={"force": 20.0}), step=0.1)
    expected.at(0.5, "fmu.force", cp.events.override(40.0))
    assert np.array_equal(system.run(until=1.0)["fmu.x"].values, expected.run(until=1.0)["fmu.x"].values)


@ALL_VERSIONS
def test_a_discrete_input_that_nothing_sets_keeps_what_the_fmu_gives_it(built, version):
    model = model_of("pass-through", version)
    variables = tuple(replace(v, start="7") if v.name == "int32_in" else v for v in model.variables)
    wrong = built(model.changed(variables=variables), version)
    assert alone(cp.fmu(wrong), step=0.1)["fmu.int32_out"].values[-1] == 0
    assert alone(cp.fmu(wrong, start={"int32_in": 7}), step=0.1)["fmu.int32_out"].values[-1] == 7
    system = cp.System("driven")
    system.add("fmu", cp.fmu(wrong), step=0.1)
    with system.start() as run:
        run.step_to(0.5)
        run.set("fmu.int32_in", 7)
        run.step_to(1.0)
        assert run.value("fmu.int32_out") == 7


def test_an_untouched_input_keeps_its_value_on_the_command_line(built):
    wrong, right = with_wrong_start(built, 2, "co-simulation")
    ends = {}
    for path in (wrong, right):
        for given in ({}, {"force": 20.0}):
            case = read_case(path, settings=CaseSettings(until=1.0, step=0.1, set=given))
            ends[path, bool(given)] = case.run()["Oscillator.x"].values[-1]
    assert ends[wrong, False] == ends[right, False]
    assert ends[wrong, True] == ends[right, True] != ends[right, False]


def test_a_master_elsewhere_writes_all_inputs_of_an_fmu_that_ran_here_before(built):
    model = cp.fmu(built("oscillator", 2))
    alone(model, step=0.1)
    with cp.serve(model, step=0.1) as serving:
        thread = threading.Thread(target=lambda: serving.session(wait=30.0))
        thread.start()
        remote = cp.remote(serving.address, token=serving.token)
        system = cp.System("master")
        system.add("fmu", remote, step=0.1)
        system.set("fmu.force", 20.0)
        there = system.run(until=1.0)["fmu.x"].values
        remote.close()
        thread.join()
    here = alone(cp.fmu(built("oscillator", 2), start={"force": 20.0}), step=0.1)["fmu.x"].values
    assert np.array_equal(there, here)


def test_a_model_is_linearised_with_the_values_of_untouched_inputs(built):
    wrong, _ = with_wrong_start(built, 2, "model-exchange")
    seen = []

    class Watched(Fmu):
        def jacobian(self, unknowns, knowns):
            seen.append(self.read("force"))
            return super().jacobian(unknowns, knowns)

    model = cp.fmu(wrong, kind="model-exchange", outputs=["x"])
    model.__class__ = Watched
    system = cp.System("linear")
    system.add("fmu", model, step=0.1)
    cp.stability(system)
    assert set(seen) == {0.0}


def test_the_doctor_names_inputs_whose_start_value_is_not_the_declared_one(built, version):
    wrong, right = with_wrong_start(built, version, "co-simulation")
    remarks = [finding.text for finding in examine(wrong, step=0.01).remarks]
    assert any('"force": the FMU has 0 where its description says 20' in text for text in remarks), remarks
    assert not any("description says" in finding.text for finding in examine(right, step=0.01).remarks)
