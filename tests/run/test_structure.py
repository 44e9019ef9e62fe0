"""What follows from the structure of a system is found once; whatever changes it is noticed."""

import gc
import weakref

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run import plan as planning
from counterpoint._run import structure


def _tank(x0=1.0, **options):
    return cp.linear([[-1.0]], [[1.0]], x0=[x0], inputs="u", outputs="y", **options)


def _system(x0=1.0):
    system = cp.System("tanks")
    system.add("left", _tank(x0), step=0.1)
    system.add("right", _tank(2.0), step=0.2)
    system.connect("left.y", "right.u", cp.lagrange(1))
    system.connect("right.y", "left.u", cp.lagrange(1))
    return system


def _known_system():
    system = _system()
    system.run(until=2.0)
    return system


@pytest.fixture
def checks(monkeypatch):
    """Count how often systems are checked."""
    monkeypatch.setattr(structure.MEMORY, "kept", ())
    made = []
    check = planning.check_run

    def counted(*given):
        made.append(1)
        check(*given)

    monkeypatch.setattr(planning, "check_run", counted)
    return made


def test_a_second_run_of_the_same_system_is_not_checked_again(checks):
    system = _system()
    first, _, third = (system.run(until=2.0) for _ in range(3))
    assert len(checks) == 1
    assert third["right.y"].values.tolist() == first["right.y"].values.tolist()


def test_a_subsystem_that_differs_in_values_only_needs_no_new_check_and_gives_its_own_results(checks):
    system = _known_system()
    system.subsystems["left"] = cp.system.Participant(_tank(5.0), 0.1)
    varied = system.run(until=2.0)
    assert len(checks) == 1
    assert varied["left.y"].values.tolist() == _system(5.0).run(until=2.0)["left.y"].values.tolist()
    assert varied["left.y"].values[0] == 5.0


def _other_step(system):
    system.subsystems["left"] = cp.system.Participant(system.subsystems["left"].subsystem, 0.05)


def _other_gain(system):
    system.connections.pop()
    system.connect("right.y", "left.u", cp.lagrange(1), gain=0.5)


def _other_approximation(system):
    system.connections.pop()
    system.connect("right.y", "left.u", cp.hold())


def _third_subsystem(system):
    system.add("third", _tank(3.0), step=0.1)
    system.set("third.u", 1.0)


def _event(system):
    system.at(1.0, "left.u", cp.events.offset(1.0))


@pytest.mark.parametrize("change", [_other_step, _other_gain, _other_approximation, _third_subsystem, _event])
def test_a_changed_system_runs_as_if_it_had_never_run_before(change):
    known, fresh = _known_system(), _system()
    before = known.run(until=2.0)
    change(known)
    change(fresh)
    again, expected = known.run(until=2.0), fresh.run(until=2.0)
    assert again.signals == expected.signals
    for name in expected.signals:
        np.testing.assert_array_equal(again[name].values, expected[name].values)
    changed = set(again.signals) != set(before.signals)
    assert changed or any(again[n].values.tolist() != before[n].values.tolist() for n in before.signals)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda system: system.connect("right.y", "left.u"), "driven twice"),
        (lambda system: system.connections.pop(), "not connected"),
        (lambda system: system.set("left.v", 1.0), "no input"),
        (lambda system: system.subsystems["left"].subsystem.units.update(y="m") or
         system.subsystems["right"].subsystem.units.update(u="s"), "dimensions differ"),
        (lambda system: system.subsystems["left"].subsystem.defaults.update(w=1.0), 'no input "w"'),
        (lambda system: system.subsystems.pop("right"), 'no subsystem "right"'),
    ],
)  # fmt: skip
def test_a_mistake_made_after_a_run_is_found_by_the_next_one(change, message):
    system = _known_system()
    change(system)
    with pytest.raises(cp.SetupError, match=message):
        system.run(until=2.0)


@pytest.mark.parametrize("options", [{"until": -1.0}, {"threads": 0}, {"scheme": "slow"}, {"record": ["left.z"]}])
def test_wrong_options_are_refused_after_a_run_with_right_ones(options):
    system = _known_system()
    system.run(until=2.0, record=["left.y"])
    with pytest.raises(cp.SetupError):
        system.run(**{"until": 2.0, **options})


def test_what_is_recorded_follows_each_run():
    system = _known_system()
    for record in (["left.y"], ["right.y"], None, "left", ["left"]):
        expected = _system().run(until=2.0, record=record)
        assert system.run(until=2.0, record=record).signals == expected.signals


def test_a_constant_that_is_an_array_is_read_anew_for_each_run():
    system = cp.System()
    system.add("tank", cp.linear([[-1.0]], [[1.0, 1.0]], x0=[0.0], inputs={"u": 2}, outputs="y"), step=0.1)
    flow = np.array([1.0, 1.0])
    system.set("tank.u", flow)
    first = system.run(until=1.0)["tank.y"].values[-1]
    flow[:] = 2.0
    assert system.run(until=1.0)["tank.y"].values[-1] == pytest.approx(2.0 * first)  # linear, from rest


def test_a_model_in_python_is_checked_before_each_run(checks):
    class Count(cp.Subsystem):
        outputs = ("y",)

        def start(self, t):
            self.y = 0.0

        def step(self, t, t_end, u):
            self.y += 1.0

        def output(self, t, u):
            return self.y

    system = cp.System()
    system.add("count", Count(), step=0.1)
    system.run(until=1.0)
    system.run(until=1.0)
    assert len(checks) == 2


def test_a_system_of_the_same_structure_needs_no_check_of_its_own(checks):
    _system().run(until=2.0)
    _system(5.0).run(until=2.0)
    assert len(checks) == 1


def test_each_system_warns_of_its_units():
    for _ in range(3):
        system = _system()
        system.subsystems["left"].subsystem.units.update(y="m", u="m")
        system.subsystems["right"].subsystem.units.update(y="no unit at all")
        with pytest.warns(cp.UnitWarning, match="no unit at all"):
            system.run(until=2.0)


def test_structures_are_kept_without_models_and_not_without_end():
    models = []
    for k in range(structure.MOST_KEPT + 3):
        system = _system()
        system.run(until=2.0 + k)
        models.append(weakref.ref(system.subsystems["left"].subsystem))
    assert len(structure.MEMORY.kept) == structure.MOST_KEPT
    del system
    gc.collect()
    assert [model() for model in models] == [None] * len(models)
