import math
import pickle

import numpy as np
import pytest

import counterpoint as cp


def test_a_function_takes_points_as_optimisers_and_as_arrays_give_them(tank):
    level = cp.function(tank, ["tank.x0[0]", "until"], "last(tank.level)")
    assert level(2.0, 1.0) == pytest.approx(2 * math.exp(-1), rel=1e-5)
    assert isinstance(level(2.0, 1.0), float)
    assert level(np.array([2.0, 1.0])) == level(2.0, 1.0)
    x0, until = np.array([1.0, 2.0, 3.0]), np.array([[0.5], [1.0]])
    np.testing.assert_allclose(level(x0, until), x0 * np.exp(-until), rtol=1e-5)
    np.testing.assert_allclose(level(np.ones((4, 5, 2))), np.full((4, 5), math.exp(-1)), rtol=1e-5)


def test_several_outputs_are_the_last_axis_and_inputs_have_names(tank):
    f = cp.function(tank, {"x0": "tank.x0[0]"}, ["first(tank.level)", "last(tank.level)"], until=1.0)
    assert f([1.0, 2.0, 3.0]).shape == (3, 2)
    np.testing.assert_allclose(f(x0=2.0), [2.0, 2 * math.exp(-1)], rtol=1e-5)
    with pytest.raises(cp.SetupError, match="takes 1 inputs, x0"):
        f(1.0, 2.0)


def test_a_function_is_pickled_as_a_recipe_and_gives_the_same_bits(tank, two_mass):
    for f, x in (
        (cp.function(tank, "tank.x0[0]", "last(tank.level)", until=1.0), 2.0),
        (cp.function(two_mass, "fast.x0[0]", "last(fast.x)", until=3.0), 10.5),
    ):
        before = f(x)
        other = pickle.loads(pickle.dumps(f))
        assert other(x) == before


def test_a_system_of_many_kinds_is_made_again_elsewhere():
    system = cp.System("many")
    system.add("table", cp.table([0.0, 1.0], [1.0, 2.0], outputs="y"))
    system.add("mass", cp.second_order(1.0, None, 4.0, 1.0, q0=1.0, inputs="f", outputs=["x", "v"]), step=0.01)
    system.add("wave", cp.source(np.sin, outputs="y"), step=0.1)
    system.add("sum", cp.linear([[0.0]], [[1.0]], x0=[0.0], inputs="u", outputs="z"), step=0.02)
    system.connect("table.y", "mass.f", cp.hold())
    system.connect(["mass.x", "wave.y"], "sum.u", [cp.least_squares(1, 3), cp.transition()])
    f = cp.function(system, "mass.q0", "last(sum.z)", until=1.0)
    assert pickle.loads(pickle.dumps(f))(0.5) == f(0.5)


def test_what_cannot_be_made_again_elsewhere_says_so(tank):
    import threading

    class Model(cp.Subsystem):
        outputs = ("y",)

        def __init__(self):
            self.lock = threading.Lock()

    tank.add("model", Model(), step=0.1)
    with pytest.raises(cp.SetupError, match="cannot be sent to another process"):
        pickle.dumps(cp.function(tank, "tank.x0[0]", "last(tank.level)", until=1.0))


def test_many_points_are_run_by_several_workers(tank):
    one, two = (cp.function(tank, "tank.x0[0]", "last(tank.level)", until=1.0, workers=n) for n in (1, 2))
    x = np.linspace(0.0, 1.0, 20)
    np.testing.assert_array_equal(one(x), two(x))


def test_a_run_that_fails_raises_or_is_nan(fragile):
    f = cp.function(fragile, {"level": "model.level"}, "last(model.y)", set={"model.act": "raise"})
    with pytest.raises(cp.ModelError, match="too much"):
        f(1.0)
    quiet = cp.function(fragile, "model.level", "last(model.y)", set={"model.act": "raise"}, failed="nan")
    assert np.isnan(quiet([1.0, 2.0])).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_values_that_make_no_system_are_nan_among_others_and_names_are_not(tank, workers):
    quiet = cp.function(tank, "tank.step", "last(tank.level)", until=1.0, failed="nan", workers=workers)
    assert np.isnan(quiet([0.1, -1.0])).tolist() == [False, True]
    assert np.isnan(quiet([-1.0, -2.0])).all()
    with pytest.raises(cp.SetupError, match=r'no such output; did you mean "tank\.level"'):
        cp.function(tank, "tank.step", "last(tank.lvel)", until=1.0, failed="nan", workers=workers)([0.1, 0.2])


def test_inputs_are_numbers(tank):
    with pytest.raises(cp.SetupError, match=r"scheme: 'parallel'; inputs are numbers; vary words and tables"):
        cp.function(tank, "scheme", "last(tank.level)", until=1.0)("parallel")


def test_the_result_of_a_point_has_all_signals(two_mass):
    f = cp.function(two_mass, "fast.x0[0]", "last(fast.x)", until=1.0)
    assert f.result(11.0).signals == ["fast.x", "slow.x"]


def test_episodes_are_reset_and_stepped(tank):
    f = cp.function(tank, "tank.x0[0]", "last(tank.level)", until=1.0)
    with f.environment("tank.level", "tank.flow", interval=0.2) as tanks:
        for flow in (0.0, 2.0):
            seen = [tanks.reset(1.0)[0]]
            ended = False
            while not ended:
                level, ended = tanks.step(flow)
                seen.append(level[0])
            # dx/dt = flow - x from 1
            t = np.linspace(0.0, 1.0, 6)
            np.testing.assert_allclose(seen, flow + (1.0 - flow) * np.exp(-t), rtol=1e-5)
        with pytest.raises(cp.SetupError, match="expected one number for each of"):
            tanks.step([1.0, 2.0])


def test_the_interval_of_an_episode_takes_a_unit(tank):
    f = cp.function(tank, "tank.x0[0]", "last(tank.level)", until="1 s")
    with f.environment("tank.level", "tank.flow", interval="500 ms") as tanks:
        tanks.reset(1.0)
        assert [tanks.step(0.0)[1] for _ in range(2)] == [False, True]


def test_scipy_calibrates_a_parameter(tank):
    optimize = pytest.importorskip("scipy.optimize", reason="needs SciPy")
    f = cp.function(
        tank, {"x0": "tank.x0[0]", "flow": "tank.flow"}, ["mean(tank.level)", "last(tank.level)"], until=1.0
    )
    measured = f(1.7, 0.3)
    found = optimize.least_squares(lambda x: f(x) - measured, [1.0, 0.0])
    np.testing.assert_allclose(found.x, [1.7, 0.3], rtol=1e-6)
