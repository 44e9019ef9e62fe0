"""Derivatives that exported FMUs offer, against closed forms; and looks into a step."""

import math

import numpy as np
import pytest

import counterpoint as cp

from . import exported

pytest.importorskip("fmpy")
from .leading import Led


def spring(feedthrough=False):
    """x'' = force - 9 x from x = 1; its acceleration is an output that follows the force at once."""
    c = [[1.0, 0.0], [0.0, 1.0]] + ([[-9.0, 0.0]] if feedthrough else [])
    d = [[0.0], [0.0]] + ([[1.0]] if feedthrough else [])
    outputs = ["x", "v", *(["a"] if feedthrough else [])]
    return cp.linear([[0.0, 1.0], [-9.0, 0.0]], [[0.0], [1.0]], c, d, x0=[1.0, 0.0], inputs="force", outputs=outputs)


def wave():
    """A diagram whose outputs have a closed form: sin 3t, its square, and its integral."""
    model = cp.Diagram("wave", step=1e-3)
    sine = model.sine(3.0, name="sine")
    model.output("sine", sine)
    model.output("square", sine * sine)
    model.output("sum", model.integrator(sine, initial=-1.0 / 3.0, name="sum"))
    return model


def pendulum():
    made = cp.multibody.Mechanism("pendulum", dimension=2)
    made.point("O", (0, 0), fixed=True)
    made.point("A", (0.5, 0))
    made.body("rod", points=["O", "A"], mass=1.0)
    made.angle("angle", "rod")
    made.output("angle", "angle")
    made.output("rate", "angle", motion="velocity")
    made.step = 1e-3
    return made


class TestOutputDerivatives:
    def test_a_linear_model_says_its_own(self, version, tmp_path):
        path = cp.export_fmu(spring(), tmp_path / "spring.fmu", version=version, step=1e-3)
        with Led(path, start={"force": 2.0}) as fmu:
            fmu.step(0.0, 0.1)
            assert fmu.slope("x") == pytest.approx(fmu.get("v"), rel=1e-14)
            assert fmu.slope("v") == pytest.approx(2.0 - 9.0 * fmu.get("x"), rel=1e-14)

    def test_an_output_that_follows_an_input_is_tried_out(self, version, tmp_path):
        path = cp.export_fmu(spring(feedthrough=True), tmp_path / "spring.fmu", version=version, step=1e-3)
        assert cp.fmu(path).interface.max_output_derivative_order == 1
        with Led(path, start={"force": 2.0}) as fmu:
            fmu.step(0.0, 0.1)
            # Steps of h/64 = 1.6e-5 s: the formula of three points errs by h^2 a'''/3 = 1e-9, rounding is 1e-16/h = 1e-11.
            assert fmu.slope("a") == pytest.approx(-9.0 * fmu.get("v"), abs=1e-8)
            before = fmu.outputs()
            fmu.slope("a")
            assert fmu.outputs() == before

    def test_slopes_are_part_of_what_an_input_does(self, tmp_path):
        """With the slope of an input given (FMI 2) the output that follows it has that slope."""
        gain = cp.Diagram("gain", step=0.01)
        gain.output("y", 3.0 * gain.input("u", 0.0))
        with Led(cp.export_fmu(gain, tmp_path / "gain.fmu", version=2)) as fmu:
            fmu.set("u", 1.0)
            fmu.fmu.setRealInputDerivatives([fmu.references["u"]], [1], [5.0])
            fmu.step(0.0, 0.1)
            assert fmu.get("y") == pytest.approx(3.0 * 1.5, rel=1e-12)
            assert fmu.slope("y") == pytest.approx(15.0, rel=1e-9)

    def test_those_of_a_diagram_are_tried_out(self, version, tmp_path):
        with Led(cp.export_fmu(wave(), tmp_path / "wave.fmu", version=version)) as fmu:
            for k in range(7):
                fmu.step(0.1 * k, 0.1)
            t = 0.7
            assert fmu.slope("sine") == pytest.approx(3.0 * math.cos(3.0 * t), abs=1e-8)
            assert fmu.slope("square") == pytest.approx(3.0 * math.sin(6.0 * t), abs=1e-7)
            assert fmu.slope("sum") == pytest.approx(math.sin(3.0 * t), abs=1e-8)

    def test_those_of_a_mechanism(self, version, tmp_path):
        with Led(cp.export_fmu(pendulum(), tmp_path / "pendulum.fmu", version=version)) as fmu:
            fmu.step(0.0, 0.3)
            assert fmu.slope("angle") == pytest.approx(fmu.get("rate"), rel=1e-9)
            # A uniform rod: angle'' = -3 g cos(angle) / (2 l).
            expected = -3.0 * 9.81 * math.cos(fmu.get("angle")) / (2.0 * 0.5)
            assert fmu.slope("rate") == pytest.approx(expected, rel=1e-6)

    def test_forces_and_supports_of_a_mechanism_are_tried_out(self, written):
        names = ["bearing[0]", "bearing[1]", "brace_force[1]", "kinetic_energy"]
        with Led(written("four-bar", 2)) as fmu:
            seen = []
            for k in range(42):
                fmu.step(1e-3 * k, 1e-3)
                seen.append([fmu.get(name) for name in names])
                if k == 40:
                    slopes = [fmu.slope(name) for name in names]
        # Central differences over 2 ms of a motion that takes 0.1 s: (h / 0.1 s)^2 = 1e-4, and some more for the supports.
        assert slopes == pytest.approx((np.array(seen[41]) - seen[39]) / 2e-3, rel=2e-3)

    def test_asking_changes_no_bit_of_what_follows(self, written, version):
        for name in ("two_mass", "motor", "delays", "many_together"):
            seen = []
            for asks in (False, True):
                with Led(written(name, version)) as fmu:
                    for k in range(8):
                        fmu.step(0.05 * k, 0.05)
                        for output in fmu.outputs() if asks else ():
                            assert np.all(np.isfinite(fmu.slope(output)))
                    seen.append(fmu.outputs())
            assert seen[0] == seen[1], name

    def test_between_samples_it_is_the_slope_of_what_lies_there(self, version, tmp_path):
        path = cp.export_fmu(spring(), tmp_path / "spring.fmu", version=version, step=1e-3)
        with Led(path) as fmu:
            fmu.step(0.0, 0.0505)
            assert fmu.slope("x") == pytest.approx(fmu.get("v"), rel=1e-3)


class TestDirectionalDerivatives:
    def test_outputs_follow_inputs_at_the_communication_point(self, version, tmp_path):
        """d(x, v, a)/d(force) = (0, 0, 1)."""
        path = cp.export_fmu(spring(feedthrough=True), tmp_path / "spring.fmu", version=version, step=1e-3)
        assert cp.fmu(path).interface.provides_directional_derivatives
        with Led(path, start={"force": 2.0}) as fmu:
            fmu.step(0.0, 0.1)
            before = fmu.outputs()
            found = fmu.directional(["x", "v", "a"], ["force"], [4.0])
            assert found == pytest.approx([0.0, 0.0, 4.0], abs=1e-9)
            assert fmu.outputs() == before

    def test_a_chain_of_subsystems_is_followed_to_its_end(self, version, tmp_path):
        """y = 2 (u1 u2 + z) through two diagrams: nonlinear, against the product rule."""
        first, second = cp.Diagram("first"), cp.Diagram("second")
        first.output("y", first.input("u1", 3.0) * first.input("u2", 5.0))
        second.output("y", 2.0 * (second.input("u", 0.0) + second.input("z", 1.0)))
        system = cp.System("chain")
        system.add("first", first, step=0.01)
        system.add("second", second, step=0.01)
        system.connect("first.y", "second.u")
        with Led(cp.export_fmu(system, tmp_path / "chain.fmu", version=version)) as fmu:
            fmu.step(0.0, 0.1)
            fmu.set("first.u1", 7.0)
            knowns = ["first.u1", "first.u2", "second.z"]
            rows = [fmu.directional(["second.y"], knowns, seed)[0] for seed in np.eye(3).tolist()]
            assert rows == pytest.approx([10.0, 14.0, 2.0], rel=1e-9)

    def test_a_mode_stays_as_it_is_while_it_is_tried(self, tmp_path):
        """At the border of a limit the slope is that of the side the diagram is on, not the mean of both."""
        model = cp.Diagram("limit", step=0.01)
        model.output("y", model.saturation(model.input("u", 0.0), lower=-1.0, upper=1.0, name="limit"))
        with Led(cp.export_fmu(model, tmp_path / "limit.fmu", version=2)) as fmu:
            for k, (value, slope) in enumerate([(0.5, 1.0), (1.0, 1.0), (2.0, 0.0)]):
                fmu.set("u", value)
                fmu.step(0.1 * k, 0.1)
                assert fmu.directional(["y"], ["u"], [1.0]) == pytest.approx([slope], abs=1e-9)

    def test_in_initialization_mode_parameters_are_known_as_well(self, version, tmp_path):
        model = cp.Diagram("start", step=0.01)
        u = model.input("u", 2.0)
        x = model.integrator(u, initial=3.0, name="x")
        model.output("y", x * x + 4.0 * u)
        with Led(cp.export_fmu(model, tmp_path / "start.fmu", version=version), is_begun=False) as fmu:
            fmu.initialize()
            assert fmu.directional(["y"], ["u", "x.initial"], [1.0, 0.0]) == pytest.approx([4.0], rel=1e-9)
            assert fmu.directional(["y"], ["u", "x.initial"], [0.0, 1.0]) == pytest.approx([6.0], rel=1e-9)
            assert fmu.get("y") == 9.0 + 8.0
            fmu.fmu.exitInitializationMode()
            with pytest.raises(Exception, match="DirectionalDerivative"):
                fmu.directional(["y"], ["x.initial"], [1.0])

    def test_they_are_not_declared_with_an_fmu_inside(self, built, version, tmp_path):
        path = cp.export_fmu(cp.fmu(built("oscillator", version)), tmp_path / "outer.fmu", version=version, step=0.01)
        assert not cp.fmu(path).interface.provides_directional_derivatives

    def test_our_importer_reads_them(self, version, tmp_path):
        model = cp.fmu(cp.export_fmu(spring(feedthrough=True), tmp_path / "spring.fmu", version=version, step=1e-3))
        system = cp.System()
        system.add("fmu", model, step=0.01)
        with system.start(until=1.0) as run:
            run.step_to(0.5)
            assert model.jacobian(["a", "x"], ["force"]).ravel() == pytest.approx([1.0, 0.0], abs=1e-9)


class TestIntermediateUpdate:
    """FMI 3: a master that looks at every inner step and may set inputs there, or end the step."""

    def led(self, path, look, **options):
        def update(_, t, wants_inputs, has_outputs, is_step, may_return, asks, time):
            end = look(led, t)
            if end is not None:
                asks[0], time[0] = True, end

        led = Led(path, intermediateUpdate=update, **options)
        return led

    def test_it_is_called_at_the_ends_of_inner_steps(self, written):
        times = []
        with self.led(written("two_mass", 3), lambda fmu, t: times.append((t, fmu.get("fast.x")))) as fmu:
            for k in range(2):
                fmu.step(0.25 * k, 0.25)
            last = fmu.outputs()
        grid = [0.01 * k for k in range(1, 50) if k != 25]
        assert [t for t, _ in times] == pytest.approx(grid, abs=1e-12)
        own = exported.two_mass().run(until=0.5)["fast.x"]
        assert [x for _, x in times] == pytest.approx([own.values[k] for k in range(1, 50) if k != 25], rel=1e-12)
        with Led(written("two_mass", 3)) as fmu:  # looking changes no bit
            for k in range(2):
                fmu.step(0.25 * k, 0.25)
            assert fmu.outputs() == last

    def test_inputs_set_there_count_from_there(self, tmp_path):
        """dx/dt = u with u = t set at every inner step: held over 0.01 s instead of 0.1 s."""
        tracker = cp.linear([[0.0]], [[1.0]], x0=[0.0], inputs="u", outputs="x")
        path = cp.export_fmu(tracker, tmp_path / "tracker.fmu", step=0.01)
        with self.led(path, lambda fmu, t: fmu.set("u", t)) as fmu:
            for k in range(10):
                fmu.set("u", 0.1 * k)
                fmu.step(0.1 * k, 0.1)
            assert fmu.get("x") == pytest.approx(0.5 - 0.005, abs=1e-12)

    def test_a_master_may_end_the_step_there_or_later(self, tmp_path):
        path = cp.export_fmu(spring(), tmp_path / "spring.fmu", step=0.01)
        with self.led(path, lambda fmu, t: 0.035 if t > 0.025 else None, earlyReturnAllowed=True) as fmu:
            assert fmu.step(0.0, 0.1) == (False, False, True, 0.035)
            assert fmu.get("x") == pytest.approx(math.cos(3 * 0.035), abs=2e-4)  # a line between 0.03 and 0.04
        with self.led(path, lambda fmu, t: t, earlyReturnAllowed=False) as fmu:
            assert fmu.step(0.0, 0.1) == (False, False, False, 0.1)

    def test_nothing_else_may_be_called_there(self, tmp_path):
        failures = []

        def look(fmu, t):
            try:
                fmu.step(t, 0.1)
            except Exception as error:
                failures.append(str(error))

        with self.led(cp.export_fmu(spring(), tmp_path / "spring.fmu", step=0.05), look) as fmu:
            fmu.step(0.0, 0.1)
        assert len(failures) == 1
        assert "cannot be called while the instance is in intermediate update mode" in fmu.messages[0]

    def test_our_importer_uses_it_for_its_inputs(self, tmp_path):
        """A sine integrated by the FMU at 1 ms, coupled every 100 ms: the middle of inner steps is of second order."""
        tracker = cp.linear([[0.0]], [[1.0]], x0=[0.0], inputs="u", outputs="x")
        path = cp.export_fmu(tracker, tmp_path / "tracker.fmu", step=1e-3)
        model = cp.fmu(path)
        assert model.input_style == "intermediate"
        system = cp.System()
        system.add("wave", cp.source(math.cos, outputs="y"), step=0.01)
        system.add("fmu", model, step=0.1)
        system.connect("wave.y", "fmu.u", cp.lagrange(3))
        x = system.run(until=2.0, scheme="fastest-first")["fmu.x"].values
        assert x[-1] == pytest.approx(math.sin(2.0), abs=1e-6)
