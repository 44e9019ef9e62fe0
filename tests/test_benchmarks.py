import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
CASES = [(ratio, order) for ratio in (5, 10, 40) for order in (0, 1, 3)]


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    # The benchmarks are not part of the installed package: they are found from the root of the repository.
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("loop", ["two_mass_loop", "two_mass_specialised"])
@pytest.mark.parametrize(("ratio", "order"), CASES)
def test_the_hand_written_loops_reproduce_the_published_position_error(ratio, order, loop):
    from benchmarks.two_mass import PRECEDENCE_DX, hand_written, position_error

    motion = hand_written(ratio, order, 10_000, loop)
    assert position_error(motion, ratio) == pytest.approx(PRECEDENCE_DX[ratio, order], rel=1e-3)


@pytest.mark.parametrize(("ratio", "order"), CASES)
def test_counterpoint_and_the_hand_written_loop_agree_to_rounding(ratio, order):
    from benchmarks.two_mass import coupled, hand_written

    ours, by_hand = coupled(ratio, order, 10_000), hand_written(ratio, order, 10_000)
    for name in ("t1", "x1", "v1", "t2", "x2", "v2"):
        expected = getattr(by_hand, name)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(getattr(ours, name), expected, rtol=0, atol=1e-9 * scale, err_msg=name)


def test_a_benchmark_beside_other_programs_says_so():
    from benchmarks.harness import load_note

    assert load_note(before=0.2, after=1.1) is None
    assert "a load of 3.0" in load_note(before=3.0, after=3.9)
    assert "a load of 2.5" in load_note(before=0.0, after=3.5)


@pytest.mark.parametrize("loops", [1, 2, 3, 10])
def test_the_hand_written_four_bar_follows_the_reference_through_the_singular_pose(loops):
    from benchmarks.four_bar import HandWritten, reference

    tips, exact = HandWritten(loops).each_second(20), reference(loops, 20)
    # Measured: at most 2e-5 m (L = 3). Without the jerk's correction it would be 1e-4 m and more.
    assert np.abs(np.subtract(tips, exact)).max() < 5e-5


def test_the_hand_written_four_bar_is_stable_for_a_long_chain():
    from benchmarks.four_bar import HandWritten, reference

    np.testing.assert_allclose(HandWritten(1000).each_second(3), reference(1000, 3), rtol=0, atol=1e-5)


def test_the_reference_of_the_four_bar_has_the_published_values():
    from benchmarks.four_bar import reference

    assert reference(2, 10)[-1] == pytest.approx((0.3284581115, 0.9445185382), abs=1e-9)
    assert reference(40, 20)[-1] == pytest.approx((0.4109011538, 0.9116799010), abs=1e-8)


def test_the_multibody_benchmark_names_its_missing_peers_and_runs_without_them(monkeypatch):
    from benchmarks import multibody
    from benchmarks.harness import Bench

    monkeypatch.setattr(multibody, "installed", lambda _: False)
    bench = Bench("multibody", quick=True)
    for work in multibody.WORKS.values():
        work(bench)
    assert {row.work for row in bench.rows} == {"four-bar", "growth", "threads", "accuracy", "assembly", "memory"}
    assert all(np.isfinite(row.value) and row.value >= 0 for row in bench.rows)
    for peer in ("mujoco", "exudyn"):
        assert any(peer in note and "not installed" in note for note in bench.notes)


@pytest.fixture(scope="module")
def quick_rows(tmp_path_factory):
    file = tmp_path_factory.mktemp("benchmarks") / "rows.json"
    command = [sys.executable, "-m", "benchmarks", "coupling", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())


def test_the_quick_form_writes_rows_of_the_agreed_shape(quick_rows):
    for row in quick_rows:
        assert list(row) == ["benchmark", "work", "size", "who", "value", "unit"]
        assert row["benchmark"] == "coupling"
        assert isinstance(row["value"], float) and np.isfinite(row["value"])


def test_every_work_has_a_row_of_ours(quick_rows):
    works = {row["work"] for row in quick_rows if row["who"] == "counterpoint"}
    assert works == {"two-mass", "uninvolved", "memory", "python-subsystem", "pace", "window", "indicators", "start-up"}


def test_every_case_is_measured_beside_its_limit(quick_rows):
    who = {(row["size"], row["who"]) for row in quick_rows if row["work"] == "two-mass"}
    for ratio, order in CASES:
        assert {(f"FR {ratio}, order {order}", "counterpoint"), (f"FR {ratio}, order {order}", "limit")} <= who


def test_memory_stays_flat_while_results_stream_to_disk(quick_rows):
    # Kept in memory, the results of the last seven tenths of the quick run would take more than 16 MB. On a busy machine
    # slices of the run are longer, and so are the blocks on their way to the disk.
    (growth,) = [row["value"] for row in quick_rows if row["work"] == "memory" and row["size"].endswith("growth")]
    assert growth < 8


def test_the_best_of_interleaved_repetitions_counts():
    from benchmarks.harness import best

    calls = []
    times = {"a": iter([3.0, 1.0]), "b": iter([2.0, 4.0])}

    def measure(name):
        calls.append(name)
        return next(times[name])

    assert best({name: lambda name=name: measure(name) for name in times}, 2) == {"a": 1.0, "b": 2.0}
    assert calls == ["a", "b", "a", "b"]


def test_a_peer_that_is_not_installed_is_named_in_the_output(capsys):
    from benchmarks.harness import Bench, installed, show

    bench = Bench("coupling")
    assert not installed("a_peer_that_is_not_there")
    bench.skip("a_peer_that_is_not_there", "two-mass")
    show(bench)
    assert "a_peer_that_is_not_there is not installed" in " ".join(capsys.readouterr().out.split())


def test_the_table_shows_the_ratio_to_the_limit(capsys):
    from benchmarks.harness import Bench, show

    bench = Bench("coupling")
    bench.add("two-mass", "FR 5", {"limit": 10.0, "counterpoint": 14.0}, "ns", "÷ limit ≤ 1.5")
    assert bench.ratio("two-mass", "FR 5") == pytest.approx(1.4)
    show(bench)
    assert "1.40" in capsys.readouterr().out


@pytest.mark.parametrize("with_expressions", [False, True])
def test_the_engine_as_a_diagram_has_36_blocks_and_the_known_speed(with_expressions):
    from benchmarks.engine import SPEED_AFTER_10_S, STEP, diagram

    model = diagram(with_expressions)
    assert len(model.blocks) == 36
    speed = model.run(until=10.0, step=STEP)["engine.speed"].values[-1]
    assert SPEED_AFTER_10_S[0] <= speed <= SPEED_AFTER_10_S[1]


def test_the_engine_by_hand_has_the_known_speed():
    from benchmarks.engine import SPEED_AFTER_10_S, by_hand

    assert SPEED_AFTER_10_S[0] <= by_hand(100_000)[-1] <= SPEED_AFTER_10_S[1]


@pytest.mark.parametrize(("version", "lines"), [(2, False), (3, False), (2, True)])
@pytest.mark.parametrize("count", [2, 5])
def test_a_ring_of_fmus_by_hand_and_in_counterpoint_keep_the_same_rows(count, version, lines):
    from benchmarks.fmu_ring import HandWritten, Ours

    by_hand, ours = HandWritten(count, 1000, version, lines), Ours(count, 1000, version, lines)
    by_hand.run()
    ours.run()
    for i, rows in enumerate(by_hand.rows):
        x, v = ours.result[f"mass{i}.x"], ours.result[f"mass{i}.v"]
        # The loop adds the step to the time and divides by the step; ours works with differences of times.
        np.testing.assert_allclose(np.stack([x.time, x.values, v.values], axis=1), rows, rtol=1e-10, atol=1e-12)
    by_hand.close()


def test_the_fmi_benchmark_names_its_missing_peers_and_runs_without_them(monkeypatch):
    from benchmarks import fmi
    from benchmarks.harness import Bench

    monkeypatch.setattr(fmi, "installed", lambda _: False)
    bench = Bench("fmi", quick=True)
    for work in fmi.WORKS.values():
        work(bench)
    assert {row.work for row in bench.rows} == {"two-fmus", "ring", "start-up", "isolated"}
    assert all(np.isfinite(row.value) and row.value > 0 for row in bench.rows)
    for peer in fmi.PEERS:
        assert any(peer in note and "not installed" in note for note in bench.notes)


def test_fmpy_gets_the_same_numbers_in_the_ring():
    pytest.importorskip("fmpy")
    from benchmarks.fmu_ring import HandWritten
    from benchmarks.peer_fmpy import Ring

    for version in (2, 3):
        rings = [HandWritten(3, 100, version), Ring(3, 100, version)]
        for made in rings:
            made.run()
        np.testing.assert_allclose(rings[1].ends(), rings[0].ends(), rtol=1e-12)
        for made in rings:
            made.close()


def test_the_link_benchmark_measures_all_transports():
    from benchmarks import link
    from benchmarks.harness import Bench

    bench = Bench("link", quick=True)
    for work in link.WORKS.values():
        work(bench)
    assert {row.work for row in bench.rows} == {"round-trip", "step", "isolated-fmu", "start"}
    assert {row.size for row in bench.rows if row.work == "step"} == {"shared memory", "Unix socket", "TCP"}
    assert all(np.isfinite(row.value) and row.value > 0 for row in bench.rows)


def test_the_scale_benchmark_measures_sweeps_and_many_subsystems():
    # Without the works that start a cluster or many processes, whose ways tests/sweeps has.
    from benchmarks import scale
    from benchmarks.harness import Bench

    bench = Bench("scale", quick=True)
    for work in ("overhead", "episodes", "subsystems"):
        scale.WORKS[work](bench)
    assert {row.work for row in bench.rows} == {"overhead", "episodes", "subsystems", "step beside a plain loop"}
    assert all(np.isfinite(row.value) for row in bench.rows)


@pytest.mark.parametrize("shape", ["ring", "star", "grid"])
def test_systems_of_many_subsystems_run(shape):
    from benchmarks.many_subsystems import SHAPES

    system = SHAPES[shape](35)
    result = system.run(until=0.1, scheme="parallel")
    assert len(result.subsystems) == 35 and result.status == "finished"
