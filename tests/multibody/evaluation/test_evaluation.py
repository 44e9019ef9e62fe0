"""Function evaluation: the same motion wherever the dynamic terms come from, and clear words when they do not come."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from counterpoint import ComponentDied, SetupError
from counterpoint.errors import PeerLost
from counterpoint.multibody import Evaluated, HandWritten
from counterpoint.multibody.evaluation import connect, octave, octave_folder, process, serve_terms

SIZES = {"coordinates": 4, "equations": 2}
START = {"position": (1.0, 0.0, 2.0, 0.0)}
G = 9.81


def terms(t, q, v, u):
    upper, lower = q[:2], q[2:] - q[:2]
    # Products one by one: a BLAS may fuse a product and a sum, and the last bit would depend on the processor.
    phi = [(part[0] * part[0] + part[1] * part[1] - 1.0) / 2.0 for part in (upper, lower)]
    return np.eye(4), phi, [[*upper, 0.0, 0.0], [*-lower, *lower]], [0.0, -G, 0.0, -G]


class Written(HandWritten):
    """The same double pendulum, method by method."""

    coordinates, equations, position = 4, 2, (1.0, 0.0, 2.0, 0.0)

    def mass(self, t, q):
        return terms(t, q, None, None)[0]

    def constraints(self, t, q):
        return terms(t, q, None, None)[1]

    def jacobian(self, t, q):
        return terms(t, q, None, None)[2]

    def forces(self, t, q, v, u):
        return terms(t, q, v, u)[3]


C_TERMS = """
void terms(double t, const double *q, const double *v, const double *u, double *M, double *Phi, double *J, double *Q) {
  const double a = q[0], b = q[1], c = q[2] - q[0], d = q[3] - q[1];
  for (int i = 0; i < 4; ++i) M[5 * i] = 1.0;
  Phi[0] = (a * a + b * b - 1.0) / 2.0;
  Phi[1] = (c * c + d * d - 1.0) / 2.0;
  J[0] = a; J[1] = b; J[4] = -c; J[5] = -d; J[6] = c; J[7] = d;
  Q[1] = Q[3] = -9.81;
}
"""

M_TERMS = """
function [M, Phi, J, Q] = double_pendulum(t, q, v, u)
  M = eye(4);
  upper = q(1:2);
  lower = q(3:4) - q(1:2);
  Phi = [(upper.' * upper - 1) / 2; (lower.' * lower - 1) / 2];
  J = [upper.', 0, 0; -lower.', lower.'];
  Q = [0; -9.81; 0; -9.81];
end
"""

# A peer that needs nothing but Python's standard library; {behaviour} is what it does instead of the 20th answer.
PEER = """
import struct, sys, time, os
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
write(read(32)); sys.stdout.buffer.flush()
for count in range(10**9):
    question = read(72)
    if len(question) < 72: break
    if count == 20:
        {behaviour}
    t, ax, ay, bx, by = struct.unpack("<9d", question)[:5]
    cx, cy = bx - ax, by - ay
    M = [float(i == j) for i in range(4) for j in range(4)]
    write(struct.pack("<30d", *M, (ax*ax + ay*ay - 1) / 2, (cx*cx + cy*cy - 1) / 2,
                      ax, ay, 0, 0, -cx, -cy, cx, cy, 0, -9.81, 0, -9.81))
    sys.stdout.buffer.flush()
"""


def motion(model, until=0.2):
    result = model.run(until=until, step=1e-3)
    return result[f"{model.name}.q"].values


@pytest.fixture(scope="module")
def expected():
    return motion(Evaluated(terms, **SIZES, **START))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terms")
    (folder / "terms.c").write_text(C_TERMS)
    compiler = shutil.which("cc") or shutil.which("gcc")
    subprocess.run(
        [compiler, "-O1", "-ffp-contract=off", "-shared", "-fPIC", "terms.c", "-o", "terms.so"], cwd=folder, check=True
    )
    return ctypes.CDLL(str(folder / "terms.so"))


@pytest.fixture
def m_file(tmp_path):
    path = tmp_path / "double_pendulum.m"
    path.write_text(M_TERMS)
    return path


needs_octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="GNU Octave is not installed")


def peer(tmp_path: Path, behaviour: str = "pass"):
    script = tmp_path / "peer.py"
    script.write_text(PEER.format(behaviour=behaviour))
    return [sys.executable, "-S", script]


def test_one_call_for_all_terms_moves_as_the_methods_one_by_one_do(expected):
    assert np.array_equal(motion(Written()), expected)


def test_a_double_pendulum_keeps_its_rods_and_its_energy(expected):
    velocity = np.gradient(expected, 1e-3, axis=0)[1:-1]
    energy = 0.5 * (velocity**2).sum(axis=1) + G * expected[1:-1, [1, 3]].sum(axis=1)
    assert np.abs(np.linalg.norm(expected[:, :2], axis=1) - 1.0).max() < 1e-9
    assert np.abs(energy).max() < 1e-4  # differences of second order over 1 ms


def test_a_compiled_function_gives_the_same_bits(expected, library):
    assert np.array_equal(motion(Evaluated(library.terms, **SIZES, **START)), expected)


def test_another_process_gives_the_same_bits(expected, tmp_path):
    with process(peer(tmp_path)) as stream:
        assert np.array_equal(motion(Evaluated(stream, **SIZES, **START)), expected)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:0", "unix://{folder}/terms"])
def test_a_socket_gives_the_same_bits(expected, tmp_path, address):
    listening, place = threading.Event(), []

    def ready(where):
        place.append(where)
        listening.set()

    server = threading.Thread(
        target=serve_terms, args=(terms, address.format(folder=tmp_path)), kwargs={**SIZES, "ready": ready}
    )
    server.start()
    listening.wait()
    with connect(place[0]) as stream:
        assert np.array_equal(motion(Evaluated(stream, **SIZES, **START)), expected)
    server.join()
    assert not server.is_alive()
    assert not (tmp_path / "terms").exists()


@needs_octave
def test_octave_files_give_the_same_motion(expected, m_file):
    with octave(m_file) as stream:
        ours = motion(Evaluated(stream, **SIZES, **START), until=0.05)
    assert np.abs(ours - expected[: len(ours)]).max() < 1e-13  # its products may be summed in another order


@needs_octave
def test_an_octave_script_integrates_its_model_with_our_formulations(expected, m_file):
    script = (
        f"addpath('{octave_folder()}'); addpath('{m_file.parent}');"
        "[t, q, v] = counterpoint_integrate(@double_pendulum, [1; 0; 2; 0], zeros(4, 1), 2, 1e-3, 0.05, "
        f"'index-3', '{sys.executable}'); printf('%d %.17g %.17g', rows(q), t(end), q(end, 4));"
    )
    done = subprocess.run(["octave-cli", "--quiet", "--eval", script], capture_output=True, text=True, check=True)
    count, last, height = done.stdout.split()
    assert (int(count), float(last)) == (51, 0.05)
    assert float(height) == pytest.approx(expected[50, 3], abs=1e-13)


@needs_octave
def test_an_octave_script_hears_what_is_wrong(m_file):
    script = (
        f"addpath('{octave_folder()}'); addpath('{m_file.parent}');"
        f"counterpoint_integrate(@double_pendulum, [1; 0; 2; 0], zeros(4, 1), 2, 1e-3, 0.05, 'indx-3', '{sys.executable}');"
    )
    done = subprocess.run(["octave-cli", "--quiet", "--eval", script], check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert 'did you mean "index-3"' in done.stderr


def test_inputs_arrive_as_u():
    def pushed(t, q, v, u):
        return [[2.0]], [], [], [u[0]]

    result = Evaluated(pushed, coordinates=1, inputs={"force": 3.0}).run(until=1.0, step=0.01)
    assert result["model.q"].values[-1] == pytest.approx(0.5 * 3.0 / 2.0, rel=1e-12)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("os.abort()", "SIGABRT"),
        (
            "sys.exit('cannot find the tyre data')",
            "exit code 1 instead of an answer; it said: cannot find the tyre data",
        ),
        ("write(b'123'); sys.stdout.buffer.flush(); sys.exit(0)", "ended with exit code 0"),
        ("time.sleep(60)", "no answer within 0.5 s; it was killed"),
    ],
)
def test_a_program_that_fails_ends_the_run_with_its_last_words_and_the_results(tmp_path, behaviour, words):
    with process(peer(tmp_path, behaviour), deadline=0.5) as stream, pytest.raises(ComponentDied) as caught:
        Evaluated(stream, **SIZES, **START, name="pendulum").run(until=1.0, step=1e-3)
    assert words in str(caught.value)
    assert str(caught.value).startswith("pendulum: step from t = ")
    assert caught.value.exit_code == 4
    assert len(caught.value.result["pendulum.q"].values) >= 1


def test_a_value_that_is_not_finite_is_named():
    def broken(t, q, v, u):
        M, phi, J, _ = terms(t, q, v, u)
        return M, phi, J, [0.0, -G, 0.0, -G if t < 0.01 else np.nan]

    with pytest.raises(Exception, match=r"step from t = 0\.009 s to 0\.01 s failed: NaN: Q gave it at"):
        Evaluated(broken, **SIZES, **START).run(until=1.0, step=1e-3)


def test_wrong_shapes_are_named():
    with pytest.raises(Exception, match=r"Q has the shape \(1,\); expected \(2,\)"):
        Evaluated(lambda t, q, v, u: (np.eye(2), [], [], [0.0]), coordinates=2).run(until=1.0, step=0.1)


def test_sizes_that_differ_are_told_at_the_start(tmp_path):
    listening = threading.Event()
    address = f"unix://{tmp_path}/terms"
    server = threading.Thread(
        target=serve_terms, args=(terms, address), kwargs={**SIZES, "ready": lambda _: listening.set()}
    )
    server.start()
    listening.wait()
    with pytest.raises(SetupError, match=r"coordinates, equations, inputs = \[1\.0, 4\.0, 2\.0, 0\.0\]"):
        Evaluated(connect(address), coordinates=3, equations=1).subsystem(step=1e-3)
    server.join()


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(PeerLost, match="cannot be reached"):
        Evaluated(connect(f"unix://{tmp_path}/nobody"), **SIZES).subsystem()
    with pytest.raises(PeerLost, match="cannot be started"):
        Evaluated(process([tmp_path / "nobody"]), **SIZES).subsystem()
    with pytest.raises(SetupError, match=r"nobody\.m: expected an existing file"):
        octave(tmp_path / "nobody.m")
    with pytest.raises(SetupError, match='expected "tcp://host:port"'):
        connect("http://somewhere")
    with pytest.raises(SetupError, match="expected a function, a pointer"):
        Evaluated(3.0, coordinates=1)


def test_no_child_is_left_after_closing(tmp_path):
    stream = process(peer(tmp_path))
    Evaluated(stream, **SIZES, **START).subsystem()
    child = stream._stream._child
    stream.close()
    assert child.returncode == 0
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
