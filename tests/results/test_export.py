import sys

import numpy as np
import pandas as pd
import pytest

import counterpoint as cp
from counterpoint.errors import MissingExtraError, OutputError, SetupError
from counterpoint.results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout

from .conftest import memory_result

STRANGE = ("=cmd|' /C calc'!A0", "<script>", "a/b", 'x"y', "comma,name", "@sum", "µ", "time")


@pytest.fixture
def strange():
    """A run whose names are chosen by an attacker."""
    layout = RunLayout((SubsystemLayout("../a/b", STRANGE), SubsystemLayout("../A:b", ("x", "X"))))
    store = MemoryStore(layout, {"name": "../x"})
    store.append(0, np.column_stack([np.arange(3.0)] + [np.arange(3.0) + i for i in range(len(STRANGE))]))
    store.append(1, np.array([[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]]))
    return Result(store, layout, RunSummary("finished", end=2.0))


def test_csv_has_one_file_a_subsystem_with_every_digit(result, tmp_path):
    files = result.export(tmp_path / "out.csv")
    assert [f.name for f in files] == ["out.fast.csv", "out.slow.csv", "out.idle.csv"]
    for name, file in zip(result.subsystems, files, strict=True):
        table = pd.read_csv(file, dtype=str).astype(float).set_index("time")
        assert list(table.columns) == list(result[name].columns)
        assert np.array_equal(table.reset_index(), result[name].reset_index())


def test_parquet_has_one_file_a_subsystem_and_its_units(result, tmp_path):
    import pyarrow.parquet

    files = result.export(tmp_path / "out.parquet")
    table = pd.read_parquet(files[1]).set_index("time")
    assert np.array_equal(table.to_numpy(), result["slow"].to_numpy())
    assert pyarrow.parquet.read_schema(files[1]).field("p[1]").metadata == {b"unit": b"N"}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_given_times_make_one_table_of_all_signals(tmp_path, strange, ending):
    (file,) = strange.export(tmp_path / f"out{ending}", times=[0.0, 0.5, 2.0])
    table = pd.read_csv(file) if ending == ".csv" else pd.read_parquet(file)
    assert table.shape == (3, 1 + len(strange.signals))
    assert table["time"].tolist() == [0.0, 0.5, 2.0]
    assert table["../A:b.X"].tolist() == [2.0, 2.5, 4.0]


def test_long_tables_are_written_in_pieces(tmp_path, monkeypatch):
    result = memory_result()
    monkeypatch.setattr("counterpoint.results.export.BLOCK_ROWS", 64)
    for ending, read in ((".csv", pd.read_csv), (".parquet", pd.read_parquet)):
        table = read(result.export(tmp_path / f"out{ending}")[0])
        assert np.array_equal(table["x"], result["fast.x"].values)


def test_csv_names_are_no_formulas_and_files_stay_in_their_folder(tmp_path, strange):
    (tmp_path / "out").mkdir()
    files = strange.export(tmp_path / "out" / "run.csv")
    assert [f.name for f in files] == ["run..._a_b.csv", "run..._A_b_2.csv"]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "out"]
    table = pd.read_csv(files[0])
    expected = ["time", "'=cmd|' /C calc'!A0", "<script>", "a/b", 'x"y', "comma,name", "'@sum", "µ", "time_2"]
    assert list(table.columns) == expected


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t"])
def test_a_resampled_csv_quotes_every_sign_that_starts_a_formula(tmp_path, sign):
    layout = RunLayout((SubsystemLayout(f"{sign}a", ("y",)),))
    store = MemoryStore(layout)
    store.append(0, np.array([[0.0, -1.0]]))
    (file,) = Result(store, layout, RunSummary("finished")).export(tmp_path / "o.csv", times=[0.0])
    assert file.read_text() == f"time,'{sign}a.y\n0.0,-1.0\n"


def test_xarray_has_one_time_dimension_a_subsystem(result):
    dataset = result.to_xarray()
    assert dict(dataset.sizes) == {"fast_time": 201, "slow_time": 21, "idle_time": 1}
    assert dataset["fast.v"].dims == ("fast_time",)
    assert dataset["fast.v"].attrs["units"] == "m/s"
    assert np.array_equal(dataset["slow.p[1]"], result["slow.p[1]"].values)
    assert dataset["fast.x"].interp(fast_time=0.5).item() == pytest.approx(np.sin(0.5), abs=1e-5)


def test_xarray_keeps_names_apart_that_differ_in_case_only(strange):
    assert {"../A:b.x", "../A:b.X"} <= set(strange.to_xarray())


def test_netcdf_comes_back_with_units_and_true_names(result, strange, tmp_path):
    import xarray as xr

    (file,) = result.export(tmp_path / "out.nc")
    with xr.open_dataset(file) as dataset:
        assert np.array_equal(dataset["fast.x"], result["fast.x"].values)
        assert dataset["slow.p[0]"].attrs["units"] == "N"
        assert dataset.attrs["status"] == "finished"
    (file,) = strange.export(tmp_path / "strange.nc")
    with xr.open_dataset(file) as dataset:
        names = {variable.attrs["long_name"] for variable in dataset.data_vars.values()}
        assert names == set(strange.signals)
    (file,) = result.export(tmp_path / "at.nc", times=[0.0])
    with xr.open_dataset(file) as dataset:
        assert dict(dataset.sizes) == {"time": 1}
        assert dataset["idle.level"].item() == 7.0


def test_matlab_gets_one_struct_a_subsystem(result, strange, tmp_path):
    from scipy.io import loadmat

    (file,) = result.export(tmp_path / "out.mat")
    content = loadmat(file, simplify_cells=True)
    assert np.array_equal(content["fast"]["x"], result["fast.x"].values)
    assert np.array_equal(content["slow"]["p_1_"], result["slow.p[1]"].values)
    assert content["slow"]["names"].tolist() == ["x", "p[0]", "p[1]"]
    assert content["slow"]["units"].tolist() == ["m", "N", "N"]
    assert content["counterpoint_run"]["status"] == "finished"
    (file,) = strange.export(tmp_path / "strange.mat", times=[0.0, 1.0])
    content = loadmat(file, simplify_cells=True)
    assert content["x___a_b"]["names"].tolist() == list(STRANGE)
    assert content["x___A_b"]["X"].tolist() == [2.0, 3.0]


def test_an_export_replaces_the_old_one_only_when_complete(tmp_path, monkeypatch):
    result = memory_result()
    (tmp_path / "out.csv").write_text("old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(OutputError, match=r"out\.csv: cannot be written: No space left on device"):
        result.export(tmp_path / "out.csv", times=[0.0])
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out.csv", "old")]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".nc", ".mat"])
def test_a_missing_folder_is_an_error_that_names_the_file(result, tmp_path, ending):
    with pytest.raises(OutputError, match="cannot be written"):
        result.export(tmp_path / "missing" / f"out{ending}")


@pytest.mark.parametrize("name", ["out.xlsx", "out"])
def test_an_unknown_format_lists_the_known_ones(result, tmp_path, name):
    with pytest.raises(SetupError, match=r"one of \.csv, \.parquet, \.nc, \.mat"):
        result.export(tmp_path / name)


@pytest.mark.parametrize(
    ("ending", "module"),
    [(".parquet", "pyarrow"), (".nc", "netCDF4"), (".nc", "xarray"), (".mat", "scipy.io")],
)
def test_a_missing_package_names_the_command_that_installs_it(tmp_path, monkeypatch, ending, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'counterpoint\[export\]'"):
        memory_result().export(tmp_path / f"out{ending}")
    assert list(tmp_path.iterdir()) == []


def test_netcdf_files_are_compressed(tmp_path):
    netcdf = pytest.importorskip("netCDF4")
    system = cp.System("clock")
    system.add("clock", cp.source(lambda t: 2.0, outputs="y"), step=1e-3)
    (path,) = system.run(until=10.0).export(tmp_path / "clock.nc")
    with netcdf.Dataset(path) as file:
        assert file.variables["clock.y"].filters()["zlib"]
    assert path.stat().st_size < 8 * 10_000 * 1.5


def test_a_datatree_has_a_time_for_each_subsystem():
    xarray = pytest.importorskip("xarray", minversion="2024.10")
    system = cp.System("pair")
    system.add("fast/1", cp.source(lambda t: t, outputs="y", units={"y": "m"}), step=0.1)
    system.add("slow", cp.source(lambda t: [t, t], outputs={"time": 1, "z": 1}), step=0.5)
    tree = system.run(until=1.0).to_datatree()
    assert isinstance(tree, xarray.DataTree)
    assert (tree["fast_1"].sizes["time"], tree["slow"].sizes["time"]) == (11, 3)
    assert tree["fast_1/y"].attrs == {"long_name": "fast/1.y", "units": "m"}
    assert tree["fast_1/time"].attrs["units"] == "s"
    assert set(tree["slow"].data_vars) == {"time_2", "z"}
