"""Terms that come with the rates of the constraints: one evaluation per iteration, and nothing lost by it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import ComponentDied, SetupError
from counterpoint.multibody import Evaluated, Formulation, Mechanism
from counterpoint.multibody.evaluation import connect, octave, octave_folder, process, serve_terms

G = 9.81
START = (1.0, 0.0, 2.0, 0.0)
SIZES = {"coordinates": 4, "equations": 2}
MODEL = {**SIZES, "position": START, "constant_mass": True, "standard_outputs": ("q",)}


def four(t, q, v, u):
    upper, lower = q[:2], q[2:] - q[:2]
    # Products one by one: a BLAS may fuse a product and a sum, and the last bit would depend on the processor.
    phi = [(part[0] * part[0] + part[1] * part[1] - 1.0) / 2.0 for part in (upper, lower)]
    return np.eye(4), phi, [[*upper, 0.0, 0.0], [*-lower, *lower]], [0.0, -G, 0.0, -G]


def five(t, q, v, u):
    upper, lower = v[:2], v[2:] - v[:2]
    return *four(t, q, v, u), [part[0] * part[0] + part[1] * part[1] for part in (upper, lower)]


C_TERMS = """
void terms(double t, const double *q, const double *v, const double *u, double *M, double *Phi, double *J, double *Q,
           double *rest) {
  const double a = q[0], b = q[1], c = q[2] - q[0], d = q[3] - q[1], e = v[2] - v[0], f = v[3] - v[1];
  for (int i = 0; i < 4; ++i) M[5 * i] = 1.0;
  Phi[0] = (a * a + b * b - 1.0) / 2.0;
  Phi[1] = (c * c + d * d - 1.0) / 2.0;
  J[0] = a; J[1] = b; J[4] = -c; J[5] = -d; J[6] = c; J[7] = d;
  Q[1] = Q[3] = -9.81;
  rest[0] = v[0] * v[0] + v[1] * v[1];
  rest[1] = e * e + f * f;
}
"""

GUIDED_C = """
#include <math.h>
void terms(double t, const double *q, const double *v, const double *u, double *M, double *Phi, double *J, double *Q,
           double *c, double *Phi_t) {
  M[0] = M[3] = 2.0; Phi[0] = q[0] - sin(t); J[0] = 1.0; Q[1] = -3.0; c[0] = sin(t); Phi_t[0] = -cos(t);
}
"""

M_TERMS = """
function [M, Phi, J, Q, c] = double_pendulum(t, q, v, u)
  M = eye(4);
  upper = q(1:2); lower = q(3:4) - q(1:2);
  Phi = [(upper.' * upper - 1) / 2; (lower.' * lower - 1) / 2];
  J = [upper.', 0, 0; -lower.', lower.'];
  Q = [0; -9.81; 0; -9.81];
  c = [v(1:2).' * v(1:2), (v(3:4) - v(1:2)).' * (v(3:4) - v(1:2))];
end
"""

# A peer that agrees to every version and sends {sent} numbers, with c of the double pendulum as the last two.
PEER = """
import struct, sys
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
write(read(32)); sys.stdout.buffer.flush()
while len(question := read(72)) == 72:
    t, ax, ay, bx, by, *v = struct.unpack("<9d", question)
    cx, cy, ex, ey = bx - ax, by - ay, v[2] - v[0], v[3] - v[1]
    M = [float(i == j) for i in range(4) for j in range(4)]
    made = [*M, (ax*ax + ay*ay - 1) / 2, (cx*cx + cy*cy - 1) / 2, ax, ay, 0, 0, -cx, -cy, cx, cy, 0, -9.81, 0, -9.81,
            v[0]*v[0] + v[1]*v[1], ex*ex + ey*ey]
    write(struct.pack("<{sent}d", *made[:{sent}])); sys.stdout.buffer.flush()
"""

needs_octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="GNU Octave is not installed")


class Counted:
    """Terms that know how often they were asked, and when."""

    def __init__(self, terms):
        self.terms, self.times = terms, []

    def __call__(self, t, q, v, u):
        self.times.append(t)
        return self.terms(t, q, v, u)


def run(model, until=0.2, step=1e-3, iterations=1, **options):
    everything = {"v": ("velocity", (0, 1, 2, 3))}
    formulation = Formulation(fixed_iterations=iterations)
    return model.run(until=until, step=step, formulation=formulation, outputs=everything, progress=False, **options)


def motion(model, **options):
    return run(model, **options)[f"{model.name}.q"].values


def native(until, step, iterations):
    model = Mechanism("pendulum", dimension=2, gravity=(0.0, -G))
    model.point("O", (0.0, 0.0), fixed=True)
    for name, pivot, place in (("A", "O", START[:2]), ("B", "A", START[2:])):
        model.point(name, place)
        model.point_mass(name, 1.0)
        model.distance_constraint(f"rod {name}", pivot, name, 1.0)
    model.formulation = Formulation(fixed_iterations=iterations)
    return model.run(until=until, step=step, progress=False)["pendulum.q"].values


def compiled(source, folder):
    (folder / "terms.c").write_text(source)
    compiler = shutil.which("cc") or shutil.which("gcc")
    flags = ["-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "terms.c", "-o", "terms.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "terms.so")).terms


def peer(folder, sent):
    script = folder / "peer.py"
    script.write_text(PEER.format(sent=sent))
    return [sys.executable, "-S", script]


@pytest.fixture(scope="module")
def expected():
    return motion(Evaluated(five, rates=True, **MODEL))


@pytest.mark.parametrize("iterations", [1, 2])
@pytest.mark.parametrize("system", ["condensed", "kkt"])
def test_one_iteration_costs_one_evaluation(iterations, system):
    terms = Counted(five)
    formulation = Formulation(fixed_iterations=iterations, system=system)
    Evaluated(terms, rates=True, **MODEL).run(until=0.05, step=1e-3, formulation=formulation, progress=False)
    times = [t for t in terms.times if t > 0.0015]  # beyond what the start looks at
    assert len(times) == 49 * iterations
    assert set(np.unique(times, return_counts=True)[1]) == {iterations}


def test_iterations_that_are_not_counted_cost_one_evaluation_more_for_the_check():
    terms = Counted(five)
    Evaluated(terms, rates=True, **MODEL).run(until=0.05, step=1e-2, progress=False)
    assert set(np.unique(np.round(terms.times, 9)[-8:], return_counts=True)[1]) <= {2, 3, 4}


@pytest.mark.parametrize(("iterations", "tolerance"), [(1, 1e-7), (2, 1e-10)])
@pytest.mark.parametrize("system", ["condensed", "kkt"])
def test_the_evaluation_that_is_left_out_after_the_last_iteration_changed_no_bit(system, iterations, tolerance):
    """A run that stops by itself also looks where its last iteration leads; the tolerance makes it take as many."""
    terms = Counted(four)
    model = Evaluated(terms, **MODEL, velocity=(0.0, -1.0, 0.0, -4.0))
    options = {"until": 0.2, "step": 1e-2, "progress": False}
    stopped = model.run(formulation=Formulation(system=system, tolerance=tolerance), **options)
    on_grid = [round(100 * t) for t in terms.times if t > 0.005 and abs(100 * t - round(100 * t)) < 1e-6]
    assert set(np.unique(on_grid, return_counts=True)[1]) == {iterations + 1}
    counted = model.run(formulation=Formulation(system=system, fixed_iterations=iterations), **options)
    assert np.array_equal(counted["model.q"].values, stopped["model.q"].values)


@pytest.mark.parametrize(("step", "iterations", "enough", "drift"), [(1e-3, 1, 2e-5, 3e-3), (1e-2, 2, 3e-4, 0.3)])
def test_one_evaluation_per_iteration_loses_neither_energy_nor_accuracy(step, iterations, enough, drift):
    """10 s of a motion that is chaotic; `drift` is what the native trapezoidal rule loses, J."""
    result = run(Evaluated(five, rates=True, **MODEL), until=10.0, step=step, iterations=iterations)
    q, v = (result[f"model.{name}"].values for name in ("q", "v"))
    energy = 0.5 * (v**2).sum(axis=1) + G * q[:, [1, 3]].sum(axis=1)
    own_error = np.abs(native(10.0, step, iterations) - native(10.0, step / 10, 3)[::10]).max()
    distance = np.abs(q - native(10.0, step, iterations)).max()
    assert np.abs(energy).max() < drift
    assert distance < enough
    assert distance < 0.01 * own_error
    assert np.abs(np.hypot(q[:, 0], q[:, 1]) - 1.0).max() < 1e-10


@pytest.mark.parametrize("iterations", [1, 2])
def test_the_order_stays_two(iterations):
    exact = native(1.0, 1e-5, 3)[-1]
    steps = (8e-3, 4e-3, 2e-3)
    errors = [
        np.abs(motion(Evaluated(five, rates=True, **MODEL), until=1.0, step=h, iterations=iterations)[-1] - exact).max()
        for h in steps
    ]
    assert np.log2(errors[:-1]) - np.log2(errors[1:]) == pytest.approx(2.0, abs=0.02)


def test_steps_that_are_taken_back_and_repeated_change_no_bit(expected):
    system = cp.System("repeated")
    model = Evaluated(five, rates=True, **MODEL)
    system.add("model", model.subsystem(formulation=Formulation(fixed_iterations=1)), step=1e-3)
    result = system.run(until=0.2, window=cp.window(0.02, repeats=2), progress=False)
    assert np.array_equal(result["model.q"].values, expected)


def test_rates_given_are_those_found_by_differences(expected):
    assert np.abs(motion(Evaluated(four, **MODEL)) - expected).max() < 1e-8


def test_a_compiled_function_gives_the_same_bits(expected, tmp_path):
    assert np.array_equal(motion(Evaluated(compiled(C_TERMS, tmp_path), rates=True, **MODEL)), expected)


def test_another_process_gives_the_same_bits(expected, tmp_path):
    with process(peer(tmp_path, 32)) as stream:
        assert np.array_equal(motion(Evaluated(stream, rates=True, **MODEL)), expected)


def served(terms, folder, **promised):
    listening = threading.Event()
    address = f"unix://{folder}/terms"
    options = {**SIZES, **promised, "ready": lambda _: listening.set()}
    server = threading.Thread(target=serve_terms, args=(terms, address), kwargs=options)
    server.start()
    listening.wait()
    return server, address


def test_a_socket_gives_the_same_bits(expected, tmp_path):
    server, address = served(five, tmp_path, rates=True)
    with connect(address) as stream:
        assert np.array_equal(motion(Evaluated(stream, rates=True, **MODEL)), expected)
    server.join()
    assert not server.is_alive()


@needs_octave
def test_octave_gives_the_same_motion(expected, tmp_path):
    (tmp_path / "double_pendulum.m").write_text(M_TERMS)
    with octave(tmp_path / "double_pendulum.m") as stream:
        ours = motion(Evaluated(stream, rates=True, **MODEL), until=0.05)
    assert np.abs(ours - expected[: len(ours)]).max() < 1e-13


@needs_octave
def test_an_octave_script_whose_function_returns_c_is_asked_less_often(tmp_path):
    counted = M_TERMS.replace("  M = eye(4);", "  global calls; calls = calls + 1;\n  M = eye(4);")
    (tmp_path / "double_pendulum.m").write_text(counted)
    (tmp_path / "plain.m").write_text(
        "function [M, Phi, J, Q] = plain(t, q, v, u)\n  [M, Phi, J, Q] = double_pendulum(t, q, v, u);\nend\n"
    )
    integrate = "counterpoint_integrate({}, [1; 0; 2; 0], zeros(4, 1), 2, 1e-3, 0.02, 'index-3', '{}')"
    script = (
        f"addpath('{octave_folder()}'); addpath('{tmp_path}'); global calls; calls = 0; [t, q] = "
        + integrate.format("@plain", sys.executable)
        + "; a = calls; calls = 0; [t, r] = "
        + integrate.format("@double_pendulum", sys.executable)
        + "; printf('%d %d %.17g', a, calls, max(max(abs(q - r))));"
    )
    done = subprocess.run(["octave-cli", "--quiet", "--eval", script], capture_output=True, text=True, check=True)
    plain, with_c, distance = map(float, done.stdout.split())
    assert with_c < plain - 20  # two fewer in each of 20 steps, some more in the check of c
    assert distance < 1e-9


def test_four_values_where_five_were_promised_are_named():
    with pytest.raises(Exception, match="terms returned 4 values; expected 5: M, Phi, J, Q, c"):
        Evaluated(four, rates=True, **MODEL).subsystem()
    with pytest.raises(Exception, match="terms returned 5 values; expected 4: M, Phi, J, Q"):
        Evaluated(five, **MODEL).subsystem()


def test_a_program_that_sends_four_terms_where_five_were_promised_is_told(tmp_path):
    with process(peer(tmp_path, 30), deadline=0.5) as stream, pytest.raises(cp.CounterpointError) as caught:
        Evaluated(stream, rates=True, **MODEL).subsystem()
    assert "no answer within 0.5 s" in str(caught.value)
    assert "expected 32 numbers: M, Phi, J, Q, c" in str(caught.value)


def test_a_server_that_promises_other_terms_is_told_at_the_start(tmp_path):
    server, address = served(four, tmp_path)
    with pytest.raises(SetupError, match=r"= \[1\.0, 4\.0, 2\.0, 0\.0\].*\(version 2: M, Phi, J, Q, c\)"):
        Evaluated(connect(address), rates=True, **MODEL).subsystem()
    server.join()


@needs_octave
def test_an_octave_function_of_four_values_where_five_were_promised_is_told(tmp_path):
    (tmp_path / "double_pendulum.m").write_text(M_TERMS.replace("Q, c]", "Q]"))
    with octave(tmp_path / "double_pendulum.m") as stream, pytest.raises(cp.CounterpointError) as caught:
        Evaluated(stream, rates=True, **MODEL).subsystem()
    assert "terms returned 4 values; expected 5: M, Phi, J, Q, c" in str(caught.value)


def test_rates_that_are_not_finite_are_named():
    def broken(t, q, v, u):
        *right, c = five(t, q, v, u)
        return *right, c if t < 0.01 else [0.0, np.nan]

    with pytest.raises(Exception, match=r"step from t = 0\.009 s to 0\.01 s failed: NaN: c gave it at"):
        motion(Evaluated(broken, rates=True, **MODEL))


def test_a_compiled_function_that_leaves_the_fifth_term_as_it_is_is_told(tmp_path):
    unwritten = "\n".join(line for line in C_TERMS.splitlines() if "rest[" not in line)
    with pytest.raises(SetupError, match=r"model: terms: c\[0\] is 0 at the start.*; expected J' v"):
        Evaluated(compiled(unwritten, tmp_path), rates=True, **MODEL).subsystem()


def test_rates_of_the_wrong_sign_are_told():
    def wrong(t, q, v, u):
        *right, c = five(t, q, v, u)
        return *right, [c[0], -c[1]]

    with pytest.raises(SetupError, match=r"model: terms: c\[1\] is -.* differences give [0-9]"):
        Evaluated(wrong, rates=True, **MODEL).subsystem()


def test_a_wrong_derivative_with_time_is_told():
    def wrong(t, q, v, u):
        return *guided("c")(t, q, v, u), [np.cos(t)]

    with pytest.raises(SetupError, match=r"Phi_t\[0\] is 1 at the start.* differences give -1; expected dPhi/dt"):
        check_guided(wrong, rates=True, rheonomic=True)


def test_rates_of_constraints_that_are_no_polynomials_are_accepted():
    def at_an_angle(t, q, v, u):
        x, y, angle = q
        phi = [x - np.sin(3.0 * angle), y + np.cos(3.0 * angle)]
        jacobian = [[1.0, 0.0, -3.0 * np.cos(3.0 * angle)], [0.0, 1.0, -3.0 * np.sin(3.0 * angle)]]
        c = [9.0 * np.sin(3.0 * angle) * v[2] ** 2, -9.0 * np.cos(3.0 * angle) * v[2] ** 2]
        return np.eye(3), phi, jacobian, [0.0, -G, 0.0], c

    model = Evaluated(at_an_angle, coordinates=3, equations=2, position=(0.0, -1.0, 0.0), rates=True)
    assert np.isfinite(model.run(until=0.1, step=1e-3, progress=False)["model.q"].values).all()


# Constraints that depend on time: x = sin t is prescribed, y falls


def guided(*further):
    """Return terms with those of c and Phi_t that are named."""
    known = {"c": np.sin, "Phi_t": lambda t: -np.cos(t)}

    def terms(t, q, v, u):
        return (
            [[2.0, 0.0], [0.0, 2.0]],
            [q[0] - np.sin(t)],
            [[1.0, 0.0]],
            [0.0, -3.0],
            *([known[f](t)] for f in further),
        )

    return terms


def check_guided(terms, formulation=None, **promised):
    model = Evaluated(terms, coordinates=2, equations=1, velocity=(1.0, 0.0), **promised)
    shown = {"v": ("velocity", 0), "a": ("acceleration", 0), "force": ("reaction", 0)}
    result = model.run(until=1.0, step=1e-2, formulation=formulation, outputs=shown, progress=False)
    made = [*result["model.q"].values[-1], *(result[f"model.{name}"].values[-1] for name in shown)]
    assert made == pytest.approx([np.sin(1.0), -0.75, np.cos(1.0), -np.sin(1.0), -2.0 * np.sin(1.0)], abs=5e-5)


@pytest.mark.parametrize("name", ["index-3", "augmented-lagrangian"])
def test_constraints_may_depend_on_time(name):
    check_guided(guided("Phi_t"), Formulation(name), rheonomic=True)
    check_guided(guided("c", "Phi_t"), Formulation(name), rheonomic=True, rates=True)


def test_compiled_constraints_may_depend_on_time(tmp_path):
    formulation = Formulation(fixed_iterations=1)
    check_guided(compiled(GUIDED_C, tmp_path), formulation, rheonomic=True, rates=True)


def test_constraints_that_depend_on_time_without_saying_so_are_refused():
    with pytest.raises(SetupError, match=r"Phi depends on t: .*give rheonomic=True"):
        check_guided(guided())


# What is shown


def test_standard_outputs_may_be_left_out():
    result = run(Evaluated(five, rates=True, **MODEL), until=0.01)
    assert {name.split("[")[0] for name in result.signals} == {"model.q", "model.v"}
    with pytest.raises(SetupError, match=r'standard_outputs: there is no "violations"; did you mean "violation"'):
        Evaluated(four, **{**MODEL, "standard_outputs": ("violations",)}).subsystem()


def test_the_energy_of_a_constant_mass_costs_no_evaluation():
    counts = []
    for shown in (("q",), ("q", "kinetic_energy")):
        terms = Counted(five)
        run(Evaluated(terms, rates=True, **{**MODEL, "standard_outputs": shown}), until=0.02)
        counts.append(len(terms.times))
    assert counts[0] == counts[1]


def test_a_program_that_dies_is_still_told_with_the_results_so_far(tmp_path):
    script = tmp_path / "peer.py"
    script.write_text(PEER.format(sent=32).replace("    t, ax", "    if question[:8] > struct.pack('<d', 0.0) and "
                      "struct.unpack('<d', question[:8])[0] > 0.005: sys.exit('no tyre data')\n    t, ax"))  # fmt: skip
    with (
        process([sys.executable, "-S", script]) as stream,
        pytest.raises(ComponentDied, match="no tyre data") as caught,
    ):
        run(Evaluated(stream, rates=True, **MODEL))
    assert len(caught.value.result["model.q"].values) >= 4
