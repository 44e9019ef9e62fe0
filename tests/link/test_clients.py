"""The clients in examples/link: programs without Counterpoint that join as subsystems."""

import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")
CLIENTS = Path(__file__).resolve().parents[2] / "examples" / "link"


class Heater(cp.Subsystem):
    """The model of the clients."""

    inputs = ("power",)
    outputs = ("temperature",)

    def start(self, t):
        self.temperature = 293.0

    def step(self, t, t_end, u):
        self.temperature += (t_end - t) * (u(t)[0] - 2.0 * (self.temperature - 293.0)) / 500.0

    def output(self, t, u):
        return self.temperature


def run(heater):
    system = cp.System()
    system.add("heater", heater, step=1.0)
    system.add("supply", cp.linear([[-0.01]], [[-1.0]], x0=[900.0], inputs="temperature", outputs="power"), step=0.7)
    system.connect("heater.temperature", "supply.temperature", gain=0.01)
    system.connect("supply.power", "heater.power")
    return system.run(until=100.0)["heater.temperature"].values


@pytest.fixture(params=["Python", "C"])
def client(request, tmp_path):
    if request.param == "Python":
        return [sys.executable, str(CLIENTS / "heater_client.py")]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path / "heater_client"
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", program, CLIENTS / "heater_client.c"], check=True)
    return [str(program)]


def test_a_client_without_counterpoint_gives_the_same_bits(client, spawn):
    with cp.listen() as place:
        host, port = place.address.removeprefix("tcp://").split(":")
        process = spawn([*client, host, port, place.token])
        with place.remote(wait=60.0) as heater:
            assert (heater.name, heater.units) == ("heater", {"power": "W", "temperature": "K"})
            expected = run(Heater())
            assert np.array_equal(run(heater), expected)
            assert np.array_equal(run(heater), expected)
            assert expected[-1] > 350.0
        assert process.wait() == 0


def test_a_client_sends_each_frame_in_one_piece(client, spawn):
    """TCP would delay a second piece until the first is acknowledged, 40 ms later."""
    welcome, start, step, bye = 2, 4, 6, 23
    commands = [(welcome, b"")] + 20 * [(start, bytes(48)), (step, bytes(48))]
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = spawn([*client, "127.0.0.1", str(server.getsockname()[1]), "token"])
        master, _ = server.accept()
        with master:
            for kind, data in commands:
                piece = master.recv(4096)
                assert len(piece) == 8 + struct.unpack("<I", piece[:4])[0]
                master.sendall(struct.pack("<II", len(data), kind) + data)
            master.recv(4096)
            master.sendall(struct.pack("<II", 0, bye))
            assert process.wait() == 0


def test_a_client_is_short():
    lines = (CLIENTS / "heater_client.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) < 30
