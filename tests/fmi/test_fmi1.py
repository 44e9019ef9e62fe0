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
        system = cp.System("driven")
        system.add("fmu", cp.fmu(built("oscillator", version), isolate=isolate), step=0.05)
        system.add("force", cp.table([0.0, 1.0], [[0.0], [10.0]], outputs="f"))
        system.connect("force.f", "fmu.force", convert=False)
        runs.append(system.run(until=1.0)["fmu.x"].values)
    assert cp.fmu(built("oscillator", 1)).input_style == "slope"
    np.testing.assert_array_equal(*runs)


def test_initial_inputs_are_set_before_the_initialisation(built):
    system = cp.System("initial")
    system.add("fmu", cp.fmu(built("pass-through", 1), inputs=["float64_in"], outputs=["float64_out"]), step=0.1)
    system.add("table", cp.table([0.0, 1.0], [[3.0], [3.0]], outputs="y"))
    system.connect("table.y", "fmu.float64_in", convert=False)
    assert system.run(until=0.5)["fmu.float64_out"].values[0] == 3.0


def test_values_of_every_type_pass_through(built):
    given = {"float64_in": 1.5, "int32_in": -7, "boolean_in": True, "string_in": "née", "mode_in": 2}
    model = cp.fmu(built("pass-through", 1), start=given)
    system = cp.System("types")
    system.add("fmu", model, step=0.1)
    with system.start(until=1.0) as run:
        run.step_to(0.3)
        found = {name: model.read(name.replace("_in", "_out")) for name in given}
    assert found == given


@pytest.mark.parametrize("solver", ["ode45", "ode23s"])
@ISOLATED
def test_model_exchange_finds_the_impacts_of_a_ball(built, solver, isolate):
    path = built(BOUNCING_BALL, 1, kinds=("ModelExchange",))
    model = cp.fmu(path, solver=solver, rtol=1e-9, isolate=isolate)
    assert model.kind == "model-exchange"
    result = alone(model, until=1.6)
    bounces = result["fmu.bounces"]
    found = bounces.time[1:][np.diff(bounces.values) != 0.0]
    np.testing.assert_allclose(found, impacts(len(found)), atol=1e-6)
    assert len(found) == 3
    assert model.statistics["state events"] == 3


def test_time_events_of_model_exchange_happen_on_time(built):
    path = built("sampler", 1, kinds=("ModelExchange",))
    model = cp.fmu(path, start={"u": 2.0})
    result = alone(model, until=0.95, step=0.05)
    assert model.statistics["time events"] == 9
    assert (
        result["fmu.samples"].values[-1]
        == alone(cp.fmu(built("sampler", 2), kind="model-exchange", start={"u": 2.0}), until=0.95, step=0.05)[
            "fmu.samples"
        ].values[-1]
    )


def test_step_events_and_discarded_evaluations_are_as_in_fmi_2(built):
    def run(version):
        path = built("van-der-pol", version, kinds=("ModelExchange",))
        return alone(cp.fmu(path, kind="model-exchange", solver="ode4", parameters={"every": 4}), step=0.01)

    for name in ("fmu.x", "fmu.completed", "fmu.events"):
        np.testing.assert_array_equal(run(1)[name].values, run(2)[name].values)


def test_a_negated_alias_has_the_other_sign(built, changed):
    path = changed(
        built("oscillator", 1),
        {
            "modelDescription.xml": lambda data: data.replace(
                b'name="v" valueReference="11"', b'name="v" valueReference="11" alias="negatedAlias"'
            ).replace(b'name="force" valueReference="7"', b'name="force" valueReference="7" alias="negatedAlias"')
        },
    )
    given = {"inputs_at": "start"}
    plain = alone(cp.fmu(built("oscillator", 1), start={"force": 5.0}, **given), step=0.01)
    negated = alone(cp.fmu(path, start={"force": -5.0}, **given), step=0.01)
    np.testing.assert_array_equal(negated["fmu.v"].values, -plain["fmu.v"].values)
    np.testing.assert_array_equal(negated["fmu.x"].values, plain["fmu.x"].values)


def test_the_doctor_finds_no_error(built):
    found = examine(built("oscillator", 1))
    assert found.errors == []
    assert any("cannot save and restore" in finding.text for finding in found.remarks)


def test_an_fmu_that_refuses_its_guid_says_so(built, changed):
    path = changed(
        built("oscillator", 1), {"modelDescription.xml": lambda data: data.replace(OSCILLATOR.token.encode(), b"{x}")}
    )
    with pytest.raises(cp.ComponentDied, match=r'fmiInstantiateSlave failed; the FMU said "wrong GUID {x}"'):
        alone(cp.fmu(path), step=0.1)


def test_a_failing_step_says_what_the_fmu_said(built, fault):
    model = cp.fmu(built("misbehaving", 1), parameters={"fault": fault("errs"), "fault_time": 0.45})
    with pytest.raises(cp.ComponentError, match=r"fmiDoStep returned the status error; the FMU said: the valve is st"):
        alone(model, step=0.1)


def test_the_description_has_the_form_of_later_versions(built):
    description = read_description(built("bouncing-ball", 1, kinds=("ModelExchange",)))
    by_name = description.by_name
    assert (description.major, description.state_count, description.event_indicators) == (1, 2, 1)
    assert description.co_simulation is None
    assert by_name["g"].causality == "parameter"
    assert by_name["bounces"].variability == "discrete"
    assert by_name["h"].initial == "exact"


def test_old_and_new_versions_are_coupled(built):
    system = cp.System("pair")
    for name, version in (("old", 1), ("new", 3)):
        system.add(name, cp.fmu(built("oscillator", version), parameters={"kc": 5.0}), step=0.01)
    system.connect("old.x", "new.x_other")
    system.connect("new.x", "old.x_other")
    assert np.isfinite(system.run(until=1.0)["new.x"].values).all()


def test_nothing_is_updated_after_the_initialisation_when_no_input_has_changed(built):
    """FMI 1 counts its initialisation as the first event update: some FMUs count every further one as an event."""
    system = cp.System("alone")
    system.add("fmu", cp.fmu(built("van-der-pol", 1), kind="model-exchange"), step=0.1)
    assert system.run(until=1.0)["fmu.events"].values.tolist() == [1.0] * 11
