"""What cannot be exported is refused by name, and an exported FMU that is damaged or misused says what is wrong."""

import ctypes
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cli.main import main
from counterpoint.errors import OutputError, SetupError
from counterpoint.multibody import Mechanism

from . import exported


class Heater(cp.Subsystem):
    inputs = ("power",)
    outputs = ("temperature",)

    def step(self, t, t_end, u):
        pass

    def output(self, t, u):
        return 0.0


def refused(model, tmp_path, **options):
    with pytest.raises(SetupError) as caught:
        cp.export_fmu(model, tmp_path / "refused.fmu", **options)
    assert not (tmp_path / "refused.fmu").exists()
    return str(caught.value)


def test_a_subsystem_written_in_python_is_named(tmp_path):
    system = cp.System("house")
    system.add("heater", Heater(), step=1.0)
    text = refused(system, tmp_path)
    assert text.startswith("subsystems.heater: is written in Python")
    assert "describe it as a diagram" in text


def test_everything_that_needs_python_is_told_at_once(tmp_path):
    system = cp.System("many")
    system.add("heater", Heater(), step=1.0)
    system.add("decay", cp.ode(lambda t, x, u: -x, [1.0], outputs="x", solver="ode4"), step=0.1)
    diagram = cp.Diagram("plant")
    diagram.output("y", diagram.function(lambda t, u: u * u, diagram.sine(1.0), name="square"))
    system.add("plant", diagram, step=0.1)
    system.connect(["decay.x", "plant.y"], "heater.power", law=lambda a, b: a * b)
    text = refused(system, tmp_path)
    assert "subsystems.heater: is written in Python" in text
    assert "subsystems.decay: its right-hand side is a Python function" in text
    assert 'subsystems.plant: block "square": is a Python function' in text
    assert "a coupling law is a Python function" in text


def test_forces_and_guides_in_python_are_named(tmp_path):
    swing = Mechanism("swing", dimension=2)
    swing.point("A", (0, 0), fixed=True)
    swing.point("B", (1, 0))
    swing.body("rod", points=["A", "B"], mass=1.0)
    swing.angle("angle", "rod")
    swing.user_force("wind", lambda t, x, v, u: 0.0 * x, ["B"])
    swing.actuator("motor", "angle", force=lambda t: t)
    text = refused(swing, tmp_path, step=1e-3)
    assert 'subsystems.swing: force "wind": is a Python function' in text
    assert 'subsystems.swing: force "motor": a guide or actuator follows a Python function' in text


def test_an_approximation_in_python_is_named(tmp_path):
    class Average(cp.Approximation):
        points = 2

        def evaluate(self, times, values, t):
            return values.mean(axis=0)

    system = exported.two_mass()
    system.connections.clear()
    system.connect("slow.x", "fast.u", Average())
    system.connect("fast.x", "slow.u")
    assert 'connections: the approximation "Average" is written in Python' in refused(system, tmp_path)


def test_wrong_arguments_are_told(tmp_path):
    assert refused(exported.motor(), tmp_path, version=1) == "version: 1; expected 2 or 3"
    assert "set the steps of its subsystems in System.add" in refused(exported.two_mass(), tmp_path, step=0.1)
    assert 'outputs: "fast.y": no such output; did you mean "fast.x"?' in refused(
        exported.two_mass(), tmp_path, outputs=["fast.y"]
    )
    assert 'inputs: "fast.u": no such input that is unconnected' in refused(
        exported.two_mass(), tmp_path, inputs=["fast.u"]
    )
    assert "subsystems.linear.step: is missing" in refused(cp.linear([[0.0]], [[1.0]], x0=[0.0]), tmp_path)


def test_an_existing_file_is_left_alone(tmp_path):
    path = tmp_path / "motor.fmu"
    path.write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"motor\.fmu: already exists; use overwrite=True"):
        cp.export_fmu(exported.motor(), path)
    assert path.read_bytes() == b"mine"
    cp.export_fmu(exported.motor(), path, overwrite=True)
    assert zipfile.is_zipfile(path)


def test_a_place_that_cannot_be_written_to_is_told(tmp_path):
    with pytest.raises(OutputError, match="cannot be written: No such file or directory"):
        cp.export_fmu(exported.motor(), tmp_path / "nowhere" / "motor.fmu")


RECIPE = "resources/counterpoint.recipe"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: data[:-1], "was cut off or added to; unpack the FMU again"),
        (lambda data: b"PK" + data, "is not a recipe of Counterpoint"),
        (lambda data: data[:16] + b"\x09" + data[17:], "has version 9, this library reads version 8"),
        (lambda data: data[:28] + b"\xff" * 4 + data[32:], "the recipe is damaged at byte"),
        (None, "cannot be opened; was the FMU unpacked with its resources?"),
    ],
    ids=["cut off", "foreign", "later version", "damaged", "missing"],
)
def test_a_damaged_recipe_is_told_when_the_fmu_is_started(change, text, version, changed, tmp_path):
    path = cp.export_fmu(exported.motor(), tmp_path / "motor.fmu", version=version)
    system = cp.System()
    system.add("motor", cp.fmu(changed(path, {RECIPE: change})), step=0.01)
    with pytest.raises(cp.ComponentError, match=text):
        system.run(until=0.1)


def test_a_description_of_another_fmu_is_told(changed, tmp_path):
    path = cp.export_fmu(exported.motor(), tmp_path / "motor.fmu", version=2)
    other = changed(path, {"modelDescription.xml": lambda data: data.replace(b'guid="{', b'guid="{0')})
    system = cp.System()
    system.add("motor", cp.fmu(other), step=0.01)
    with pytest.raises(cp.ComponentError, match="is not that of the model"):
        system.run(until=0.1)


def test_a_failing_step_says_which_subsystem_and_when(version, tmp_path):
    """dx/dt = x^2 from 1 reaches infinity at t = 1."""
    model = cp.Diagram("blow_up", step=0.01)
    x = model.integrator(initial=1.0, name="x")
    (x * x) >> x
    model.output("x", x)
    system = cp.System("outer")
    system.add("inner", model, step=0.01)
    path = cp.export_fmu(system, tmp_path / "blow-up.fmu", version=version)
    host = cp.System()
    host.add("fmu", cp.fmu(path), step=0.1)
    with pytest.raises(cp.ComponentError, match=r"inner: step from t = 1\.\d+ s to 1\.\d+ s failed"):
        host.run(until=2.0)


def test_a_model_that_ends_the_simulation_ends_it(version, tmp_path):
    model = cp.Diagram("fall", step=0.01)
    v = model.integrator(-9.81, name="v")
    h = model.integrator(v, initial=1.0, name="h")
    model.stop(h < 0.0)
    model.output("h", h)
    path = cp.export_fmu(model, tmp_path / "fall.fmu", version=version)
    host = cp.System()
    host.add("fmu", cp.fmu(path), step=0.1)
    try:
        result = host.run(until=2.0)
    except cp.ComponentError as error:
        result = error.result
    assert 0.4 <= result["fmu.h"].time[-1] <= 0.5


class TestCommandLine:
    def run(self, *arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return ended.value.code

    @pytest.mark.parametrize("file", ["two_mass.toml", "four-bar.toml"])
    @pytest.mark.parametrize("fmi", ["2", "3"])
    def test_a_file_becomes_an_fmu(self, file, fmi, examples, tmp_path, capsys):
        out = tmp_path / "made.fmu"
        assert self.run("export", examples / file, "--out", out, "--fmi", fmi) == 0
        assert f"wrote {out}" in capsys.readouterr().out.replace("\n", "")
        assert cp.fmi.read_description(out).version == f"{fmi}.0"

    def test_a_diagram_file_becomes_an_fmu(self, tmp_path):
        exported.thermostat().save(tmp_path / "house.toml", until=3600.0)
        assert self.run("export", tmp_path / "house.toml", "--out", tmp_path / "house.fmu") == 0
        assert set(cp.fmu(tmp_path / "house.fmu").outputs) == {"temperature", "heater"}

    def test_an_existing_file_needs_overwrite(self, examples, tmp_path, capsys):
        out = tmp_path / "made.fmu"
        out.write_bytes(b"mine")
        assert self.run("export", examples / "two_mass.toml", "--out", out) == 2
        assert "already exists; add --overwrite or choose another --out" in capsys.readouterr().err
        assert self.run("export", examples / "two_mass.toml", "--out", out, "--overwrite") == 0

    def test_python_in_a_scenario_is_refused(self, examples, tmp_path, capsys):
        assert self.run("export", examples / "heater.toml", "--out", tmp_path / "heater.fmu") == 2
        assert "which an FMU cannot contain" in capsys.readouterr().err


@pytest.fixture
def examples():
    from pathlib import Path

    return Path(__file__).resolve().parents[2] / "examples"


LOADER = """
import ctypes, sys
library, resources, token = sys.argv[1:]
fmu = ctypes.CDLL(library)
fmu.fmi2Instantiate.restype = ctypes.c_void_p
messages = []
Logger = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
class Callbacks(ctypes.Structure):
    _fields_ = [("logger", Logger), ("a", ctypes.c_void_p), ("b", ctypes.c_void_p), ("c", ctypes.c_void_p), ("d", ctypes.c_void_p)]
callbacks = Callbacks(Logger(lambda *given: messages.append(given)), None, None, None, None)
made = fmu.fmi2Instantiate(b"alone", 1, token.encode(), resources.encode(), ctypes.byref(callbacks), 0, 0)
assert made, messages
instance = ctypes.c_void_p(made)
double = ctypes.c_double
assert fmu.fmi2SetupExperiment(instance, 0, double(0), double(0), 0, double(0)) == 0
assert fmu.fmi2EnterInitializationMode(instance) == 0
assert fmu.fmi2ExitInitializationMode(instance) == 0
for k in range(100):
    assert fmu.fmi2DoStep(instance, double(0.1 * k), double(0.1), 1) == 0
value = double()
assert fmu.fmi2GetReal(instance, ctypes.byref(ctypes.c_uint(2)), ctypes.c_size_t(1), ctypes.byref(value)) == 0
fmu.fmi2Terminate(instance)
fmu.fmi2FreeInstance(instance)
assert not any("numpy" in name or "counterpoint" in name for name in sys.modules)
print(repr(value.value))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ldd")
def test_an_fmu_needs_nothing_but_the_c_library(tmp_path):
    """A process without any Python package calls the functions; the loader finds no library but those of C."""
    path = cp.export_fmu(exported.two_mass(), tmp_path / "pair.fmu", version=2)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "un packed")
    library = tmp_path / "un packed/binaries/linux64/pair.so"
    listed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].rpartition("/")[2].partition(".")[0] for line in listed.splitlines()}
    assert names <= {"linux-vdso", "libm", "libc", "libpthread", "libdl", "ld-linux-x86-64", "ld-linux-aarch64"}
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert all(line.split()[-1].startswith(("fmi2", "fmi3")) for line in symbols.splitlines())
    token = cp.fmi.read_description(path).token
    resources = (tmp_path / "un packed/resources").as_uri()
    ended = subprocess.run(
        [sys.executable, "-S", "-E", "-c", LOADER, library, resources, token],
        capture_output=True, text=True, check=False, env={},
    )  # fmt: skip
    assert ended.stderr == ""
    own = exported.two_mass().run(until=10.0, first_steps="once")["fast.x"].values[-1]
    assert float(ended.stdout) == pytest.approx(own, rel=1e-11)


def test_calls_in_the_wrong_order_are_errors_and_not_crashes(tmp_path):
    fmpy = pytest.importorskip("fmpy")
    path = cp.export_fmu(exported.motor(), tmp_path / "motor.fmu", version=2)
    description = fmpy.read_model_description(str(path))
    folder = tmp_path / "unpacked"
    fmpy.extract(str(path), unzipdir=str(folder))
    fmu = fmpy.fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=str(folder), modelIdentifier="motor", instanceName="wrong"
    )
    fmu.instantiate()
    reference = {v.name: v.valueReference for v in description.modelVariables}
    with pytest.raises(Exception, match="fmi2DoStep"):
        fmu.doStep(0.0, 0.1)
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    for call in (
        lambda: fmu.doStep(5.0, 0.1),
        lambda: fmu.doStep(0.1, -0.1),
        lambda: fmu.doStep(0.1, np.nan),
        lambda: fmu.getReal([12345]),
        lambda: fmu.setReal([reference["speed"]], [1.0]),
        lambda: fmu.setReal([reference["load"]], [np.nan]),
        lambda: fmu.setReal([reference["controller.proportional"]], [1.0]),
        lambda: fmu.getInteger([1]),
        lambda: fmu.setFMUState(ctypes.c_void_p(8)),
        fmu.enterInitializationMode,
    ):
        with pytest.raises(Exception, match="fmi2"):
            call()
    fmu.doStep(0.1, 0.1)  # none of them did harm
    assert np.isfinite(fmu.getReal([reference["speed"]])[0])
    fmu.reset()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    assert fmu.getReal([reference["speed"]]) == [0.0]
    fmu.terminate()
    fmu.freeInstance()
