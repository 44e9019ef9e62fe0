"""Sources against their formulas; jumps and corners are met exactly."""

import numpy as np
import pytest

import counterpoint as cp


def test_a_ramp_waits_rises_and_stays(probe):
    t, y = probe(lambda m: m.ramp(2.0, 0.35, end=0.75, initial=-1.0))
    assert y == pytest.approx(-1.0 + 2.0 * (np.clip(t, 0.35, 0.75) - 0.35), abs=1e-15)


def test_the_corners_of_a_ramp_are_met_by_a_large_step(probe):
    # RK4 is exact for polynomials up to the third power; only a missed corner could spoil the integral.
    _, y = probe(lambda m: m.integrator(m.ramp(2.0, 0.35, end=0.75)), step=1.0)
    assert y[-1] == pytest.approx(0.4**2 + 0.8 * 0.25, abs=1e-15)


def test_the_jumps_of_a_vector_of_steps_are_met_one_by_one(probe):
    _, y = probe(lambda m: m.integrator(m.step([0.3, 0.61], 1.0, [2.0, 5.0]), initial=[0.0, 0.0]), step=1.0)
    assert y[-1] == pytest.approx([0.3 + 2 * 0.7, 0.61 + 5 * 0.39], abs=1e-14)


def test_sines_of_a_vector_differ(probe):
    t, y = probe(lambda m: m.sine([1.0, 2.0], amplitude=3.0, phase=0.1, bias=[0.0, 1.0]))
    assert y[:, 0] == pytest.approx(3 * np.sin(t + 0.1), abs=1e-15)
    assert y[:, 1] == pytest.approx(1 + 3 * np.sin(2 * t + 0.1), abs=1e-15)


def test_a_pulse_is_high_for_its_part_of_every_period(probe):
    t, y = probe(lambda m: m.pulse(0.4, width=0.25, start=0.05, low=-1.0, high=3.0), until=2.0, step=0.02)
    phase = np.mod(t - 0.05 + 1e-9, 0.4)  # 1e-9: grid points that are edges belong to what follows
    assert np.array_equal(y, np.where((t > 0.049) & (phase < 0.1), 3.0, -1.0))


@pytest.mark.parametrize("step", [0.01, 0.17, 1.0])
def test_the_integral_of_a_pulse_is_exact_with_every_step(probe, step):
    _, y = probe(lambda m: m.integrator(m.pulse(0.1, width=0.3)), until=20.0, step=step)
    assert y[-1] == pytest.approx(6.0, abs=1e-12)  # 200 periods of 0.03, 400 jumps of rounding 4e-15


def test_without_location_a_pulse_changes_at_accepted_times_only(probe):
    # With h = 1 it is looked at where it begins to be high, at 0 and at 1, whatever it does in between.
    for width in (0.4, 0.6):
        _, y = probe(lambda m, width=width: m.integrator(m.pulse(1.0, width=width)), step=1.0, locate_events=False)
        assert y[-1] == pytest.approx(1.0, abs=1e-15)


def test_a_clock_gives_the_time(probe):
    t, y = probe(lambda m: m.clock())
    assert np.array_equal(t, y)


def test_a_linear_chirp_is_that_of_scipy(probe):
    signal = pytest.importorskip("scipy.signal")
    t, y = probe(lambda m: m.chirp(1.0, 9.0, 2.0, amplitude=2.0, phase=np.pi / 2), until=2.0)
    reference = signal.chirp(t, 1 / (2 * np.pi), 2.0, 9 / (2 * np.pi))
    assert y == pytest.approx(2 * reference, abs=1e-13)


def test_an_exponential_chirp_is_that_of_scipy(probe):
    signal = pytest.importorskip("scipy.signal")
    t, y = probe(lambda m: m.chirp(1.0, 9.0, 2.0, phase=np.pi / 2, sweep="exponential"), until=2.0)
    assert y == pytest.approx(signal.chirp(t, 1 / (2 * np.pi), 2.0, 9 / (2 * np.pi), "logarithmic"), abs=1e-13)


def test_a_chirp_keeps_its_last_frequency(probe):
    t, y = probe(lambda m: m.chirp(1.0, 3.0, 2.0), until=5.0)
    late = t > 2.0
    assert y[late] == pytest.approx(np.sin(4.0 + 3.0 * (t[late] - 2.0)), abs=1e-14)


TIMES, VALUES = [0.0, 1.0, 1.0, 3.0], [0.0, 2.0, 5.0, 1.0]


def test_a_linear_table_jumps_where_a_time_is_there_twice(probe):
    t, y = probe(lambda m: m.table(TIMES, VALUES), until=4.0, step=0.25)
    expected = np.where(t < 1, 2 * t, np.where(t < 3, 5 - 2 * (t - 1), 1.0))
    assert y == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("step", [0.7, 4.0])
def test_jumps_and_corners_of_a_table_are_met_exactly(probe, step):
    _, y = probe(lambda m: m.integrator(m.table(TIMES, VALUES)), until=4.0, step=step)
    assert y[-1] == pytest.approx(1.0 + 6.0 + 1.0, abs=1e-14)


@pytest.mark.parametrize(("locate", "least", "most"), [(True, 0.0, 1e-14), (False, 1e-7, 1e-3)])
def test_a_table_can_meet_its_jumps_only(probe, locate, least, most):
    # Chords of t^2 lie h^2 / 6 above it; steps across corners add to that, but stay with the jump at t = 1/2.
    times = np.linspace(0.0, 1.0, 101)
    times, values = np.insert(times, 50, 0.5), np.insert(times**2, 50, 0.25) + (np.arange(102) > 50)
    _, y = probe(lambda m: m.integrator(m.table(times, values, locate_corners=locate)), step=0.35)
    assert least <= abs(y[-1] - (1 / 3 + 1e-4 / 6 + 0.5)) < most


def test_a_held_table_keeps_each_value_until_the_next_time(probe):
    t, y = probe(lambda m: m.table([0.5, 1.0, 2.0], [1.0, 4.0, 9.0], interpolation="hold", before="zero"), 3.0, 0.25)
    assert np.array_equal(y, np.select([t < 0.5, t < 1, t < 2], [0.0, 1.0, 4.0], 9.0))


def test_a_cubic_table_is_the_pchip_of_scipy_between_jumps(probe):
    interpolate = pytest.importorskip("scipy.interpolate")
    rng = np.random.default_rng(1)
    left, right = np.sort(rng.uniform(0, 2, 6)), np.sort(rng.uniform(2, 4, 5))
    left[0], left[-1], right[0], right[-1] = 0.0, 2.0, 2.0, 4.0
    values = rng.normal(size=11)
    t, y = probe(lambda m: m.table(np.r_[left, right], values, interpolation="cubic"), until=4.0, step=0.05)
    expected = np.where(
        t < 2.0,
        interpolate.PchipInterpolator(left, values[:6])(t),
        interpolate.PchipInterpolator(right, values[6:])(t),
    )
    assert y[:-1] == pytest.approx(expected[:-1], abs=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_a_table_goes_on_in_a_straight_line_when_asked(probe, interpolation):
    t, y = probe(
        lambda m: m.table(
            [1.0, 2.0], [1.0, 3.0], interpolation=interpolation, before="extrapolate", after="extrapolate"
        ),
        until=4.0,
        step=0.5,
    )
    assert y == pytest.approx(1 + 2 * (t - 1), abs=1e-14)


def test_a_table_repeats_for_many_turns_without_drift(probe):
    _, y = probe(
        lambda m: m.integrator(m.table([0.0, 0.03, 0.1], [0.0, 3.0, 0.0], after="repeat")), until=30.0, step=0.25
    )
    assert y[-1] == pytest.approx(300 * 0.15, abs=1e-11)
    t, y = probe(lambda m: m.table([1.0, 2.0, 4.0], [1.0, 4.0, 7.0], interpolation="hold", after="repeat"), 12.0, 0.5)
    assert np.array_equal(y, np.where((t - 1.0) % 3.0 < 1.0, 1.0, 4.0))


def test_columns_of_a_table_may_have_names(probe):
    def build(model):
        table = model.table([0.0, 1.0], [[0.0, 5.0], [1.0, 4.0]], names=["up", "down"])
        return model.mux(table["down"], table["up"])

    t, y = probe(build)
    assert y == pytest.approx(np.c_[5 - t, t], abs=1e-15)


def test_a_csv_file_becomes_a_source_with_the_names_of_its_columns(tmp_path, probe):
    file = tmp_path / "cycle.csv"
    file.write_text("\ufefftime, speed,torque,gear\n0,1,10,1\n\n0.5,2,20,2\n1,4,10,2\n", encoding="utf-8")

    def build(model):
        cycle = model.from_csv(file, columns=["torque", "speed"])
        assert cycle.outputs == ["torque", "speed"]
        return model.mux(cycle["speed"], cycle["torque"])

    t, y = probe(build)
    assert y[:, 0] == pytest.approx(np.interp(t, [0, 0.5, 1], [1, 2, 4]), abs=1e-15)
    assert y[:, 1] == pytest.approx(np.interp(t, [0, 0.5, 1], [10, 20, 10]), abs=1e-14)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("t,a\n0,1\n1,x\n", {}, "cycle.csv: row 3: .*x.*: not a number"),
        ("t,a\n0,1\n1,nan\n", {}, "cycle.csv: row 3: .*nan.*: must be finite"),
        ("t,a\n0,1\n1\n", {}, "cycle.csv: row 3: .*1 cells where row 1 names 2 columns"),
        ("t,a\n1,1\n\n0,1\n", {}, r"cycle.csv: row 4: time 0\.0 s is before 1\.0 s of row 2"),
        ("t,a\n0,1\n", {"columns": ["b"]}, 'no column "b"'),
        ("t,a\n0,1\n", {"time": "s"}, 'no column "s"'),
        ("t,a,a\n0,1,1\n", {}, 'cycle.csv: row 1: two columns are called "a"'),
        ("t,,a\n0,1,1\n", {}, "cycle.csv: row 1: column 2 has no name"),
        ("t\n0\n", {}, "one column only"),
        ("t,a\n", {}, "has no rows below the names"),
        ("", {}, "is empty; expected column names in the first row"),
        ("t,a\n0,1\n", {"delimiter": ""}, "expected one character"),
    ],
)
def test_a_wrong_csv_file_is_refused_with_its_line(tmp_path, text, options, message):
    file = tmp_path / "cycle.csv"
    file.write_text(text)
    with pytest.raises(cp.SetupError, match=message):
        cp.Diagram().from_csv(file, **options)


def test_a_missing_csv_file_is_named(tmp_path):
    with pytest.raises(cp.SetupError, match=r"nowhere.csv: cannot be read"):
        cp.Diagram().from_csv(tmp_path / "nowhere.csv")


def noise(count=20000, **options):
    model = cp.Diagram("model")
    model.output("y", model.noise(0.2, 0.1, **options))
    return model.run(until=0.1 * count, step=0.1)["model.y"].values


def test_noise_has_the_moments_of_a_normal_distribution():
    # Standard errors with n = 20000 and sigma^2 = 2: mean 0.01, variance 0.02, kurtosis 0.035, correlation 0.007; 4 of each.
    y = noise(seed=3, mean=1.0)[:-1]
    assert np.mean(y) == pytest.approx(1.0, abs=0.04)
    assert np.var(y) == pytest.approx(2.0, abs=0.08)
    centred = (y - y.mean()) / y.std()
    assert np.mean(centred**4) == pytest.approx(3.0, abs=0.14)
    assert np.mean(centred[1:] * centred[:-1]) == pytest.approx(0.0, abs=0.028)


def test_noise_has_the_distribution_function_of_a_normal_distribution():
    stats = pytest.importorskip("scipy.stats")
    assert stats.kstest(noise(seed=5) / np.sqrt(2.0), "norm").pvalue > 1e-3


def test_noise_is_the_same_again_and_differs_by_seed_and_component():
    assert np.array_equal(noise(100, seed=7), noise(100, seed=7))
    assert not np.any(noise(100, seed=7)[:-1] == noise(100, seed=8)[:-1])
    y = noise(5000, seed=7, width=2)[:-1]
    assert abs(np.corrcoef(y.T)[0, 1]) < 4 / np.sqrt(5000)


def test_noise_has_these_very_bits_on_every_machine():
    bits = ["0x1.350a2f4d3d34ap+0", "-0x1.87fc3a1f6768ap+0", "0x1.56053743a3d35p+2"]
    assert [float(v).hex() for v in noise(3, seed=42)[:3]] == bits


def test_noise_is_held_between_its_samples(probe):
    _, y = probe(lambda m: m.noise(1.0, 0.5, seed=1), until=2.0, step=0.125)
    for k in range(4):
        assert len(set(y[4 * k : 4 * k + 4])) == 1
    assert len(set(y)) == 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.constant([]), '"value": expected at least one'),
        (lambda m: m.constant(np.nan), '"value": must be finite'),
        (lambda m: m.ramp(1.0, 2.0, end=1.0), '"end": 1 s; expected a time after "start", 2 s'),
        (lambda m: m.sine([1.0, 2.0], [1.0, 2.0, 3.0]), '"frequency": 2 numbers, others have 3'),
        (lambda m: m.pulse(0.0), '"period": 0 s; expected a positive'),
        (lambda m: m.pulse(1.0, width=1.0), '"width": 1; expected a part'),
        (lambda m: m.chirp(1.0, 2.0, 0.0), '"duration": 0 s'),
        (lambda m: m.chirp(-1.0, 2.0, 1.0, sweep="exponential"), "an exponential sweep needs both positive"),
        (lambda m: m.table([0.0, 2.0, 1.0], [1, 2, 3]), r'"times": 1 s \(row 2\) follows 2 s'),
        (lambda m: m.table([0.0, 1.0], [1, 2, 3]), '"values": 3 rows, but "times" has 2'),
        (lambda m: m.table([0.0, 0.0], [1, 2], after="repeat"), "longer than 0 s"),
        (lambda m: m.table([0.0, 1.0], [1, 2], interpolation="spline"), "not one of linear, hold, cubic"),
        (lambda m: m.table([0.0, 1.0], [1, 2], names=["a", "b"]), "2 names for 1 columns"),
        (lambda m: m.noise(1.0, 0.0), '"sample_time": 0 s; expected a positive'),
        (lambda m: m.noise(-1.0, 1.0), '"power": -1'),
        (lambda m: m.noise(1.0, 1.0, seed=0.5), '"seed": 0.5; expected an integer'),
        (lambda m: m.noise(1.0, 1.0, width=0), '"width": 0'),
    ],
)
def test_wrong_parameters_are_refused_with_their_name_and_value(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram())
