import numpy as np
import pandas as pd
import pytest

from counterpoint.errors import SetupError
from counterpoint.results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout, UnknownNameError

from .conftest import LAYOUT, fill, finished, memory_result


def result_of(*subsystems):
    layout = RunLayout(tuple(SubsystemLayout(name, columns) for name, columns in subsystems))
    store = MemoryStore(layout)
    for i, (_, columns) in enumerate(subsystems):
        store.append(i, np.arange(1.0 + len(columns))[None, :])
    return Result(store, layout, RunSummary("finished"))


def test_every_signal_keeps_its_own_time_axis(result):
    assert result.signals == ["fast.x", "fast.v", "slow.x", "slow.p[0]", "slow.p[1]", "idle.level"]
    assert [len(result[name]) for name in ("fast.x", "slow.x", "idle.level")] == [201, 21, 1]
    assert np.allclose(result["fast.v"].values, np.cos(result["fast.v"].time))
    assert (result["fast.x"].unit, result["idle.level"].unit) == ("m", "")
    assert "fast.x [m]: 201 samples, 0 s to 2 s" in repr(result["fast.x"])


def test_a_vector_is_read_whole_or_by_component(result):
    vector = result["slow.p"]
    assert vector.values.shape == (21, 2)
    assert np.array_equal(vector.values[:, 1], result["slow.p[1]"].values)
    assert (vector.unit, vector.components) == ("N", ["slow.p[0]", "slow.p[1]"])
    assert vector.at([0.5, 1.0, 1.5]).shape == (3, 2)
    assert vector.at(0.5).shape == (2,)
    assert list(vector.to_pandas().columns) == vector.components


def test_changing_what_was_read_does_not_change_the_result(result):
    result["fast.x"].values[:] = 0.0
    table = result["fast"]
    table.iloc[:, :] = 0.0
    assert result["fast.x"].values.any()


def test_a_subsystem_is_a_table_indexed_by_time(result):
    table = result["fast"]
    assert isinstance(table, pd.DataFrame)
    assert (table.index.name, list(table.columns), table.shape) == ("time", ["x", "v"], (201, 2))
    assert result.to_pandas("fast").equals(table)
    assert list(result.to_pandas()) == ["fast", "slow", "idle"]
    assert result["fast.x"].to_pandas().equals(table["x"].rename("fast.x"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fast.y", 'no such signal in the result; did you mean "fast.x"'),
        ("fsat.x", 'did you mean "fast.x"'),
        ("nothing", "known: "),
        (("fast", "w"), '"fast": publishes no signal "w"; known: "v", "x"'),
        (("fats", "x"), 'no such subsystem in the result; did you mean "fast"'),
    ],
)
def test_an_unknown_name_is_an_error_with_a_suggestion(result, name, hint):
    with pytest.raises(UnknownNameError) as caught:
        result[name]
    assert isinstance(caught.value, SetupError)
    assert isinstance(caught.value, KeyError)
    assert hint in str(caught.value)
    assert name not in result
    assert "fast.x" in result


def test_names_that_read_alike_are_told_apart_by_a_pair():
    result = result_of(("a", ("b.c", "b")), ("a.b", ("c",)))
    with pytest.raises(UnknownNameError, match=r"several signals have this name; use one of the pairs"):
        result["a.b.c"]
    with pytest.raises(UnknownNameError, match="a subsystem and a signal have this name"):
        result["a.b"]
    assert result["a", "b.c"].values.tolist() == [1.0]
    assert result["a.b", "c"].values.tolist() == [1.0]
    assert result["a", "b"].values.tolist() == [2.0]


@pytest.mark.parametrize(
    ("columns", "vectors"),
    [
        (("p[0]", "p[1]", "q[0]"), {"p": 2, "q": 1}),
        (("p[1]", "p[2]"), {}),
        (("p[0]", "p[2]"), {"p": 1}),
        (("p", "p[0]"), {}),
        (("m[0][0]", "m[0][1]"), {"m[0]": 2}),
    ],
)
def test_only_consecutive_components_from_zero_make_a_vector(columns, vectors):
    result = result_of(("a", columns))
    for name in ("p", "q", "m[0]"):
        known = f"a.{name}" in result and result[f"a.{name}"].values.ndim == 2
        assert known == (name in vectors)
        if known:
            assert result[f"a.{name}"].values.shape == (1, vectors[name])


def test_all_signals_are_resampled_to_common_times():
    store = MemoryStore(LAYOUT)
    fill(store)
    store.append(2, np.array([[2.0, 9.0]]))
    result = Result(store, LAYOUT, finished())
    table = result.at([0.0, 0.5, 2.0])
    assert list(table.columns) == result.signals
    assert table.loc[0.5].tolist() == pytest.approx([np.sin(0.5), np.cos(0.5), 0.25, 0.125, -0.5, 7.5], abs=1e-12)
    assert result.at(0.5, kind="hold").shape == (1, 6)


def test_a_subsystem_that_ends_early_is_named_when_all_are_asked_beyond(result):
    with pytest.raises(SetupError, match=r"idle: t = 1 s is outside its samples; they range from 0 s to 0 s"):
        result.at([0.0, 1.0])
    assert result.at(0.0).shape == (1, 6)


def test_the_facts_of_a_run_are_attributes(result):
    assert (result.name, result.status, result.message) == ("two-mass", "finished", "")
    assert (result.start, result.end, result.until, result.scheme) == (0.0, 2.0, 2.0, "slowest-first")
    assert (result.wall_seconds, result.real_time_factor) == (0.5, 4.0)


def test_defects_are_a_table_and_time_series(result):
    table = result.defects
    expected = ["connection", "kind", "maximum", "time_of_maximum", "rms", "relative", "count"]
    assert list(table.columns) == expected
    assert table["relative"].tolist() == [0.0, 0.5]
    series = result.defect("slow.x -> fast.u")
    assert np.allclose(series.values, 0.25)
    assert np.allclose(series.assumed - series.arrived, 0.25)
    assert list(series.to_pandas().columns) == ["assumed", "arrived", "defect"]
    with pytest.raises(UnknownNameError, match=r'did you mean "slow\.x -> fast\.u"'):
        result.defect("slow.x -> fast.v")


def test_quality_names_the_worst_connection_and_its_limits(result):
    quality = result.quality
    assert (quality.verdict, quality.worst, quality.confidence) == ("look here", "slow.x -> fast.u", "low")
    assert "the error was not estimated" in str(quality)
    assert "the largest interface defect is 50 % of its signal, of slow.x -> fast.u" in str(quality)


def test_defects_of_a_run_without_summary_are_measured_from_its_rows():
    defects = memory_result(finished(defects=[])).defects
    assert defects["count"].tolist() == [21, 21]
    assert defects.loc[1, "rms"] == pytest.approx(0.25)
    arrived = np.sin(np.linspace(0.0, 2.0, 21))
    assert defects.loc[1, "relative"] == pytest.approx(0.25 / arrived.std())


def test_rounding_on_a_constant_signal_is_no_defect():
    layout = RunLayout((SubsystemLayout("a", ("y",)),), ("a.y -> a.u",))
    store = MemoryStore(layout)
    store.append_defects(0, np.array([[0.0, 5.0, 5.0], [1.0, 5.000000000000001, 5.0], [2.0, 5.0, 5.0]]))
    from counterpoint.results import DefectSummary

    said = DefectSummary("a.y -> a.u", "extrapolates", 3, 9e-16, 1.0, 6e-16, 0.0)
    assert Result(store, layout, RunSummary("finished", defects=[said])).quality.verdict == "cannot tell"
    assert Result(store, layout, RunSummary("finished")).quality.verdict == "cannot tell"


def test_timing_gives_shares_and_cost_of_a_step(result):
    timing = result.timing
    assert timing["share"].tolist() == pytest.approx([0.75, 0.25, 0.0])
    assert timing["microseconds_per_step"].tolist() == pytest.approx([1500.0, 5000.0, np.nan], nan_ok=True)
    assert timing["steps"].tolist() == [200, 20, 0]


def test_a_result_tells_about_itself_in_words(result):
    assert repr(result) == "<Result two-mass: finished at 2 s, 6 signals of 3 subsystems>"
    text = str(result)
    for part in ("scheme slowest-first", "4 times real time", "75 %", "extrapolates", "Quality: look here"):
        assert part in text
    assert "<table" in result._repr_html_()


def test_names_cannot_smuggle_html_into_a_notebook():
    evil = "<script>alert(1)</script>"
    layout = RunLayout((SubsystemLayout(evil, (evil,)),), (evil,))
    store = MemoryStore(layout, {"name": evil})
    store.append_defects(0, np.array([[0.0, 1.0, 2.0]]))
    html = Result(store, layout, RunSummary("failed", evil, scheme=evil))._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_long_tables_are_cut_and_say_so():
    columns = [(f"s{i}", ("y",)) for i in range(40)]
    result = result_of(*columns)
    assert "... and 28 more" in str(result)
    assert "... and 28 more" in result._repr_html_()
