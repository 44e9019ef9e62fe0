"""Outputs of FMUs that jump at events: both sides are published, and others see no line through them."""

import sys

import numpy as np
import pytest

import counterpoint as cp

G, E = 9.81, 0.7


class Integral(cp.Subsystem):
    """Integrates its input with two hundred midpoints a step: what it loses at a jump is a two hundredth of a step."""

    inputs = ("u",)
    outputs = ("x",)

    def start(self, t):
        self.x = 0.0

    def step(self, t, t_end, u):
        h = (t_end - t) / 200
        self.x += h * sum(float(u(t + (k + 0.5) * h)[0]) for k in range(200))

    def output(self, t, u):
        return self.x


def height(t):
    """Height of a ball that was dropped from 1 m, in closed form (three bounces)."""
    fall = np.sqrt(2.0 / G)
    starts = fall + np.concatenate([[0.0], np.cumsum(2.0 * fall * E ** np.arange(1, 4))])
    for k in range(3, 0, -1):
        if t >= starts[k - 1]:
            since = t - starts[k - 1]
            return G * fall * E**k * since - G / 2 * since**2
    return 1.0 - G / 2 * t**2


def watched(path, step=0.05, until=1.7, **options):
    system = cp.System("ball")
    system.add("ball", cp.fmu(path, **options))
    system.add("way", Integral(), step=step)
    system.connect("ball.v", "way.u", cp.lagrange(1), convert=False)
    return system.run(until=until)


@pytest.mark.parametrize("kind", ["model-exchange", "co-simulation"])
def test_the_way_of_a_ball_follows_from_its_speed(built, version, kind):
    """Speed and height are linear and parabolic between bounces: a line through a jump would cost 0.1 m and more."""
    if kind == "co-simulation" and version == 2:
        pytest.skip("FMUs of FMI 2 for co-simulation have no events that a master could see")
    way = watched(built("bouncing-ball", version), kind=kind)["way.x"]
    exact = np.array([height(t) - 1.0 for t in way.time])
    jumps = 3
    assert np.abs(way.values - exact).max() < jumps * 7.6 * 0.05 / 200  # largest jump: 4.43 (1 + 0.7) m/s


def test_who_does_not_publish_events_is_seen_as_lines(built, version):
    way = watched(built("bouncing-ball", version), kind="model-exchange", events=False)["way.x"]
    exact = np.array([height(t) - 1.0 for t in way.time])
    assert np.abs(way.values - exact).max() > 0.01


@pytest.mark.skipif(sys.platform != "linux", reason="tests of isolation use what Linux has")
@pytest.mark.parametrize("kind", ["model-exchange", "co-simulation"])
def test_isolated_jumps_are_the_same_bits(built, kind):
    path = built("bouncing-ball", 3)
    here, far = (watched(path, kind=kind, isolate=isolate) for isolate in (False, True))
    for name in ("ball", "way"):
        assert np.array_equal(here[name].reset_index(), far[name].reset_index())


def test_smooth_outputs_keep_their_order_at_events(built, version):
    """The height has a kink but no jump: its line is drawn through the impact, which is one of its samples."""
    system = cp.System("ball")
    system.add("ball", cp.fmu(built("bouncing-ball", version), kind="model-exchange"))
    system.add("seen", cp.linear([[0.0]], [[1.0]], x0=[0.0], outputs="integral", solver="ode4"), step=0.01)
    system.connect("ball.h", "seen.u", cp.hermite(), convert=False)
    result = system.run(until=1.0)
    times = np.linspace(0.0, 1.0, 100_001)
    heights = np.array([height(t) for t in times])
    assert result["seen.integral"].values[-1] == pytest.approx(np.trapezoid(heights, times), abs=2e-4)
