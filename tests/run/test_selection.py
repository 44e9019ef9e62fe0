"""Recording of some signals and some rows."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run.selection import Thinning


def system():
    made = cp.System("pair")
    pair = cp.linear([[0, 1], [-4, 0]], [[0], [0]], x0=[1, 0], inputs="u", outputs={"x": 1, "v": 1})
    made.add("spring", pair, step=0.01)
    made.add("clock", cp.source(lambda t: [t, 2 * t], outputs={"p": 2}), step=0.05)
    made.set("spring.u", 0.0)
    return made


def test_chosen_signals_are_kept_and_nothing_else():
    everything = system().run(until=1.0)
    some = system().run(until=1.0, record=["spring.v", "clock.p[1]"])
    assert some.signals == ["spring.v", "clock.p[1]"]
    np.testing.assert_array_equal(some["spring.v"].values, everything["spring.v"].values)
    np.testing.assert_array_equal(some["clock.p[1]"].values, everything["clock.p[1]"].values)
    assert system().run(until=1.0, record=["clock"]).signals == ["clock.p[0]", "clock.p[1]"]


@pytest.mark.parametrize("kept", ["memory", "file"])
def test_every_tenth_step_and_the_last_are_kept(tmp_path, kept):
    file = None if kept == "memory" else tmp_path / "pair.h5"
    result = system().run(until=1.04, record_every=10, file=file)
    np.testing.assert_allclose(result["spring.x"].time, [*np.arange(11) / 10, 1.04], atol=1e-12)
    whole = system().run(until=1.04)
    np.testing.assert_array_equal(result["spring.x"].values[:-1], whole["spring.x"].values[:101:10])
    assert result.timing["steps"].tolist()[0] == 104


@pytest.mark.parametrize("interval", [0.1, "100 ms"])
def test_one_row_per_interval_is_kept(interval):
    times = system().run(until=1.0, record_every=interval)
    np.testing.assert_allclose(times["spring.x"].time, np.arange(11) / 10, atol=1e-12)
    np.testing.assert_allclose(times["clock.p"].time, np.arange(11) / 10, atol=1e-12)


def coupled(**options):
    made = cp.System("coupled")
    for k in range(2):
        spring = cp.linear([[0, 1], [-9, -0.1]], [[0], [2]], [[1, 0]], x0=[1.0 - k, 0], inputs="u", outputs="x")
        made.add(f"m{k}", spring, step=0.01)
    made.connect("m0.x", "m1.u", cp.hold())
    made.connect("m1.x", "m0.u", cp.hold())
    return made.run(until=40.0, scheme="parallel", check="off", **options)


@pytest.mark.parametrize("every", [20, "200 ms"])
@pytest.mark.parametrize("kept", ["memory", "file"])
def test_what_connections_assumed_is_kept_as_seldom_as_the_rows(tmp_path, kept, every):
    """Their figures are those of all steps; the first comparisons stay, for an error made at the start."""
    file = None if kept == "memory" else tmp_path / "coupled.h5"
    whole, result = coupled(), coupled(record_every=every, file=file)
    assert len(whole.defect_rows(0)) == 4000
    rows = result.defect_rows(0)
    assert 200 <= len(rows) <= 200 + 16
    np.testing.assert_array_equal(rows[:16], whole.defect_rows(0)[:16])
    assert np.isin(rows[:, 0], whole.defect_rows(0)[:, 0]).all()
    for column in ("maximum", "rms"):
        assert result.defects[column].tolist() == pytest.approx(whole.defects[column].tolist(), rel=1e-12)
    # A mean over 200 of 4000 steps of a beat: within some per cent.
    tau, found = (r.measures().connections["tau"].to_numpy() for r in (whole, result))
    np.testing.assert_allclose(found, tau, rtol=0.1)


def test_an_interval_below_the_step_keeps_everything():
    assert len(system().run(until=1.0, record_every=1e-3)["spring.x"]) == 101


def test_intervals_stay_on_their_grid_when_steps_do_not_fit():
    thinning = Thinning(interval=1.0)
    kept = thinning.keep(np.arange(0.0, 5.0, 0.7)[:, None]).ravel()
    np.testing.assert_allclose(kept, [0.0, 1.4, 2.1, 3.5, 4.2])


@pytest.mark.parametrize("every", [0, -1, True, 0.0, float("nan"), "10", "10 kg", "often"])
def test_wrong_cadences_are_refused(every):
    with pytest.raises(cp.SetupError, match="record_every"):
        system().run(until=1.0, record_every=every)


def test_unknown_signals_are_refused_by_name():
    with pytest.raises(cp.SetupError, match=r'record: "spring.w": no such output; did you mean'):
        system().run(until=1.0, record=["spring.w"])


def test_a_scenario_says_what_it_records(tmp_path):
    text = """
    until = 1.0
    record = "a.x"
    record_every = "200 ms"
    [subsystems.a]
    type = "linear"
    A = [[0, 1], [-1, 0]]
    B = [[0], [0]]
    x0 = [1, 0]
    inputs = "u"
    outputs = ["x", "v"]
    step = 0.1
    [set]
    "a.u" = 0
    """
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    result = cp.Scenario.read(tmp_path / "a.toml").run()
    assert result.signals == ["a.x"]
    assert len(result["a.x"]) == 6
