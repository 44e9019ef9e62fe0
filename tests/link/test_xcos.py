"""The blocks in examples/xcos, with Scilab where it is installed."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "xcos"
HEADER = Path("/usr/include/scilab/scicos_block4.h")
MISSING = [program for program in ("scilab-cli", "cc") if shutil.which(program) is None]
MISSING += [] if HEADER.exists() else [str(HEADER)]
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has"),
    pytest.mark.skipif(
        bool(MISSING), reason=f"Xcos cannot be tried without {', '.join(MISSING)}: install scilab, scilab-include, gcc"
    ),
]
_spec = importlib.util.spec_from_file_location("couple", FOLDER / "couple.py")
couple = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(couple)

DIAGRAM = """
exec("{folder}/counterpoint.sci", -1);
d = diagram();
d.props.tol(1:2) = [1e-10 1e-10];
[d, coupling] = add(d, counterpoint_subsystem("model", ["u" "m"], ["y" "m"]{feedthrough}));
[d, block] = add(d, parametrised({block}));
d = connect(d, coupling, block);
d = connect(d, block, coupling);
counterpoint_run(d);
exit
"""
INVERSE = 'INVBLK("define"), []'
GAIN, LAG = 'GAINBLK("define"), ["2"; "0"]', 'CLR("define"), ["1"; "1+0.5*s"]'


@pytest.fixture
def script(tmp_path):
    """Return a function that writes the script of a diagram with one block."""

    def write(block, feedthrough=""):
        file = tmp_path / "diagram.sce"
        file.write_text(DIAGRAM.format(folder=FOLDER, block=block, feedthrough=feedthrough))
        return str(file)

    return write


def driven(xcos, signal_of_time, approximation, step=0.1, until=1.0):
    system = cp.System("driven")
    system.add("source", cp.source(signal_of_time, outputs="u"), step=step)
    system.add("xcos", xcos, step=step)
    system.connect("source.u", "xcos.u", approximation)
    return system.run(until=until, scheme="sequential")


def of_stairs(t, step=0.1):
    y = 0.0
    for k in range(round(t / step)):
        y = k * step + (y - k * step) * np.exp(-2.0 * step)
    return y


def test_a_controller_in_xcos_gives_the_same_bits_as_one_in_process():
    assert couple.controller() == 0.0


def test_an_engine_in_xcos_approaches_the_closed_form_with_the_order_of_its_connections():
    coarse, fine = couple.engine(0.02), couple.engine(0.01)
    assert fine < 2e-3  # of a speed of 67 rad/s
    assert 7.0 < coarse / fine < 9.0  # quadratic extrapolation: third order


def test_xcos_as_master_gives_the_same_bits_as_a_run_in_one_process():
    assert couple.master() == 0.0


def test_a_diagram_with_feedthrough_starts_with_the_input_of_the_start_and_runs_again(script, tmp_path):
    with couple.diagram(script(GAIN), f"unix://{tmp_path}/here") as xcos:
        assert (xcos.name, xcos.units, list(xcos.feedthrough)) == ("model", {"u": "m", "y": "m"}, [("y", "u")])
        for steps in (10, 20):
            result = driven(xcos, lambda t: 3.0 + t, cp.hold(), step=1.0 / steps)
            assert np.array_equal(result["xcos.y"].values, 2.0 * result["source.u"].values)


@pytest.mark.parametrize(
    ("approximation", "exact"),
    [
        (cp.lagrange(1), lambda t: t - 0.5 + 0.5 * np.exp(-2.0 * t)),  # the ramp itself
        (cp.hold(), of_stairs),
    ],
    ids=["line", "hold"],
)
def test_the_input_within_a_step_is_what_the_connection_says(script, approximation, exact):
    with couple.diagram(script(LAG, ", []")) as xcos:
        y = driven(xcos, lambda t: t, approximation)["xcos.y"]
    # The solver of Xcos runs with tolerances of 1e-10 and is started anew each step.
    assert y.values == pytest.approx([exact(t) for t in y.time], abs=1e-8)


def test_a_diagram_takes_the_steps_of_the_master_from_its_start_to_its_end(script):
    with couple.diagram(script(LAG, ", []")) as xcos:
        system = cp.System("ramp")
        system.add("xcos", xcos, step=0.3)
        system.add("source", cp.source(lambda t: t - 5.0, outputs="u"), step=0.07)
        system.connect("source.u", "xcos.u", cp.lagrange(1))
        y = system.run(start=5.0, until=6.0)["xcos.y"]
    assert y.time == pytest.approx([5.0, 5.3, 5.6, 5.9, 6.0])
    since = y.time - 5.0
    assert y.values == pytest.approx(since - 0.5 + 0.5 * np.exp(-2.0 * since), abs=1e-8)


def test_a_diagram_that_fails_is_an_error_of_its_step_and_the_next_run_works(script):
    with couple.diagram(script(INVERSE)) as xcos:
        with pytest.raises(
            cp.SimulationError, match=r"xcos: step from t = 0\.4 s to 0\.5 s failed: Xcos stopped"
        ) as caught:
            driven(xcos, lambda t: 1.0 if t < 0.45 else 0.0, cp.hold())
        assert caught.value.result["xcos.y"].time[-1] == pytest.approx(0.4)
        y = driven(xcos, lambda t: 4.0, cp.hold())["xcos.y"]
    assert np.array_equal(y.values, np.full(11, 0.25))


def test_a_dead_xcos_ends_the_run_and_keeps_its_results(script):
    programs = []

    def kill_at_half(t):
        if t > 0.5:
            os.killpg(programs[0].pid, signal.SIGKILL)
        return t

    with cp.listen() as place, couple.scilab(script(GAIN), place.address, place.token) as program:
        programs.append(program)
        xcos = place.remote(wait=60.0, deadline=20.0)
        with pytest.raises(cp.ComponentDied, match=r"xcos: .*tcp://127\.0\.0\.1") as caught:
            driven(xcos, kill_at_half, cp.hold())
    assert caught.value.result["xcos.y"].time[-1] == pytest.approx(0.5)


def test_xcos_ends_when_the_master_dies(script):
    code = "import counterpoint as cp, os, sys\nplace = cp.listen()\nprint(place.address, place.token, flush=True)\n"
    code += "xcos = place.remote(wait=60.0)\nprint('joined', flush=True)\nsys.stdin.read()\n"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as master:
        address, token = master.stdout.readline().split()
        with couple.scilab(script(GAIN), address, token) as program:
            assert master.stdout.readline() == "joined\n"
            master.kill()
            assert program.wait() == 0


def test_a_wrong_token_is_told_on_the_terminal_of_xcos(script, capfd):
    with cp.listen() as place, couple.scilab(script(GAIN), place.address, "wrong"):
        pass
    assert "token" in capfd.readouterr().out
    assert "token" in place.refused[0]


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="files of diagrams need a display: install xvfb")
def test_a_diagram_from_a_file_of_the_window_gives_the_same_bits(tmp_path, monkeypatch):
    controller = (FOLDER / "controller.sce").read_text()
    build = controller[controller.index("d = diagram") : controller.index("counterpoint_run")]
    file = tmp_path / "controller.zcos"
    (tmp_path / "controller.sce").write_text(
        f'exec("{FOLDER}/counterpoint.sci", -1);\n{build}write_diagram(d, "{file}");\n'
        f'importXcosDiagram("{file}");\ncounterpoint_run(scs_m);\nexit\n'
    )
    monkeypatch.setattr(couple, "HERE", tmp_path)
    monkeypatch.setattr(couple, "SCILAB", ["xvfb-run", "-a", "scilab-adv-cli", "-nb", "-quit", "-f"])
    assert couple.controller(until=0.5) == 0.0


def test_a_signal_that_the_served_model_does_not_have_is_named(tmp_path, capfd):
    script = tmp_path / "master.sce"
    text = (FOLDER / "master.sce").read_text().replace('"angle" "rate"', '"angel" "rate"')
    script.write_text(text.replace('get_absolute_file_path("master.sce")', f'"{FOLDER}/"'))
    with cp.serve(couple.plant(couple.Inverted())) as serving, couple.scilab(script, serving.address, serving.token):
        serving.session(wait=60.0)
    assert 'the served model has no scalar output "angel"' in capfd.readouterr().err


def test_a_served_model_that_fails_stops_xcos_with_its_words(tmp_path, capfd):
    class Weak(cp.Subsystem):
        inputs, outputs = ("force",), ("angle", "rate")

        def step(self, t, t_end, u):
            if t > 0.1:
                raise ValueError("the rod is broken")

        def output(self, t, u):
            return (1.5, 0.0)

    file = str(tmp_path / "no.csv")
    with cp.serve(Weak()) as serving, couple.scilab("master.sce", serving.address, serving.token, XCOS_RESULT=file):
        serving.session(wait=60.0)
    assert "the rod is broken" in capfd.readouterr().err
    assert not Path(file).exists()
