"""What the verdict says is true of the run, and plain."""

import re

import counterpoint as cp
from counterpoint.quality import SecondRun
from counterpoint.quality.modes import CoupledMode, CoupledModes


def thermal(check):
    """A chip that follows within a tenth of a second on a wall of ten: of its own motion nothing is left at the end."""
    system = cp.System("chip on a wall")
    system.add("chip", cp.linear([[-10.0]], [[9.0]], x0=[1.0]), step=0.02)
    system.add("wall", cp.linear([[-0.1]], [[0.05]], x0=[0.0]), step=0.1)
    system.connect("chip.y", "wall.u", cp.lagrange(1))
    system.connect("wall.y", "chip.u", cp.lagrange(1))
    return system.run(until=100.0, check=check)


def test_a_motion_that_has_died_away_with_coupling_and_without_is_not_called_amplified():
    quality = thermal("auto").quality
    assert quality.modes["amplitude"].max() > 2.0  # of a decay by e^-1000
    assert quality.verdict == "look here"
    assert "in the system linearised" not in str(quality)
    gone, there = (CoupledMode(0.0, 2.9, 0.0, -10.0, left) for left in (1e-9, 0.5))
    assert CoupledModes(0.1, 0.0, (gone,)).worst is None
    assert CoupledModes(0.1, 0.0, (gone, there)).worst is there


def test_a_mode_that_does_not_oscillate_has_no_frequency_but_a_time_constant():
    mode = CoupledMode(0.0, 3e7, 0.0, rate=-400.0, left=1e7)
    assert mode.text() == "the mode that decays with the time constant 0.0025 s is amplified more than a million times"
    assert CoupledMode(2.0, 0.0, 0.0).text() == "the mode at 2 Hz is attenuated to less than 0.0001 of its amplitude"


def masses(**options):
    system = cp.System("two masses")
    for name, a, b, x0, step in (("fast", -40, 20, 1, 0.02), ("slow", -4, 1, 0, 0.1)):
        system.add(name, cp.linear([[0, 1], [a, -0.2]], [[0], [b]], [[1, 0]], x0=[x0, 0]), step=step)
    system.connect("fast.y", "slow.u", cp.lagrange(1))
    system.connect("slow.y", "fast.u", cp.lagrange(1))
    return system.run(until=20.0, **options)


def test_windows_that_belong_to_a_scheme_are_checked_with_this_scheme():
    compound = masses(window=cp.compound_fast())
    estimated = masses(window=cp.estimated_response(0.1), scheme="parallel")
    assert compound.quality.verdict != "cannot tell"
    assert estimated.quality.verdict != "cannot tell"
    assert 0.0 < compound.quality.error < 0.05


def test_large_errors_and_long_times_are_written_without_exponents():
    system = cp.System("two masses, coarse")
    for name, a, b, x0 in (("fast", -40, 20, 1), ("slow", -4, 1, 0)):
        system.add(name, cp.linear([[0, 1], [a, 0]], [[0], [b]], [[1, 0]], x0=[x0, 0]), step=0.1)
    system.connect("fast.y", "slow.u", cp.lagrange(1))
    system.connect("slow.y", "fast.u", cp.lagrange(1))
    text = str(system.run(until=1200.0).quality)
    assert re.search(r"t = \d+ to 1[12]\d\d s", text)
    assert not re.search(r"\de[+]", text)


class Fragile(cp.Subsystem):
    """It cannot make steps below 0.05 s."""

    inputs = ("u",)
    outputs = ("y",)

    def start(self, t):
        self.y = 1.0

    def step(self, t, t_end, u):
        if t_end - t < 0.05:
            raise RuntimeError("too short")
        self.y += (t_end - t) * (u(t)[0] - self.y)

    def output(self, t, u):
        return self.y


def test_where_the_second_run_has_failed_reading_the_verdict_once_more_is_no_remedy():
    system = cp.System("fragile")
    system.add("a", Fragile(), step=0.1)
    system.add("b", cp.linear([[-1.0]], [[1.0]], x0=[1.0]), step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    result = system.run(until=1.0)
    quality = cp.quality.assess(result, SecondRun(reason="the second run failed: too short", failed=True))
    assert (quality.verdict, quality.remedy) == ("cannot tell", "compare with a run with half the steps")
    assert "read result.quality" not in result.quality.remedy


def test_smaller_communication_steps_into_which_steps_inside_fmus_do_not_fit_tell_no_error(tmp_path):
    """Communication steps of 0.1 s are ten steps inside; 0.025 s are two and a half, and err more than 0.05 s do."""
    system = cp.System("ring")
    for k, w in enumerate((6.0, 3.0, 1.5)):
        part = cp.linear([[0, 1], [-w * w, -0.3]], [[0], [0.4 * w * w]], [[1, 0]], x0=[float(k == 0), 0])
        cp.export_fmu(part, tmp_path / f"p{k}.fmu", version=3, step=0.01)
        system.add(f"p{k}", cp.fmu(tmp_path / f"p{k}.fmu"), step=0.1)
    for k in range(3):
        system.connect(f"p{k}.y", f"p{(k + 1) % 3}.u", cp.lagrange(1))
    quality = system.run(until=10.0, first_steps="once").quality
    assert quality.verdict == "cannot tell"  # the error is 3.6 %; 7.7 % were estimated
    assert "do not fit into smaller communication steps" in quality.reason


def test_axes_of_the_pictures_have_plain_numbers_and_are_not_stretched_by_values_near_zero():
    axes = masses(first_steps="once").plot_quality()
    axes[0].figure.canvas.draw()
    defect = next(ax for ax in axes if ax.get_title(loc="left").startswith("interface defect"))
    assert defect.get_ylim()[0] > 1e-6  # one of them is 0 in the first step
    labels = [text.get_text() for ax in axes for text in ax.get_yticklabels(which="both")]
    assert {"1"} < set(labels)
    assert not any("times" in label or "e" in label for label in labels)
