"""Programs at the other end that die, stall, flood, lie or guess: the run ends with a message and keeps its results."""

import contextlib
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest

import counterpoint as cp

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")

HELLO, WELCOME, PORTS, START, STEP, REPLY, ERROR, ALIVE, LOG, BYE = 1, 2, 3, 4, 6, 9, 16, 17, 20, 23


class Peer:
    """A program that speaks the protocol by hand."""

    def __init__(self, place, token=None, greeting="counterpoint-link 1 {token}"):
        host, port = place.address.removeprefix("tcp://").split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.send(HELLO, greeting.format(token=place.token if token is None else token).encode())

    def send(self, kind, data=b"", announce=None):
        self.write(struct.pack("<II", len(data) if announce is None else announce, kind) + data)

    def write(self, data):
        self.socket.sendall(data)

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def receive(self):
        size, kind = struct.unpack("<II", self.read(8))
        return kind, self.read(size)

    def close(self):
        self.socket.close()


def serve_peer(place, behave):
    """Join as a subsystem; ``behave(peer, kind, numbers)`` answers each command, or returns False to be done."""
    peer = Peer(place)
    try:
        assert peer.receive()[0] == WELCOME
        peer.send(PORTS, b"name\tpeer\noutput\ty\n")
        while True:
            kind, data = peer.receive()
            if kind == BYE or behave(peer, kind, struct.unpack(f"<{len(data) // 8}d", data)) is False:
                break
    except (EOFError, OSError):
        pass
    finally:
        peer.close()


def run_with(behave, deadline=5.0, until=1.0):
    """Run a system with one peer."""
    with cp.listen() as place:
        thread = threading.Thread(target=serve_peer, args=(place, behave))
        thread.start()
        try:
            with place.remote(wait=20.0, deadline=deadline) as remote:
                system = cp.System()
                system.add("peer", remote, step=0.1)
                return system.run(until=until)
        finally:
            thread.join()


def answer(peer, kind, numbers):
    peer.send(REPLY, struct.pack("<4d", numbers[1], 0.0, 0.0, numbers[1]))


def test_a_small_program_can_take_part():
    result = run_with(answer)
    assert result["peer.y"].values[-1] == 1.0


def test_what_a_program_logs_is_kept():
    def chatty(peer, kind, numbers):
        if kind == STEP:
            peer.send(LOG, b"0.5\t1\tpump\tit \xff \x1b[31m leaks")
        answer(peer, kind, numbers)

    with cp.listen() as place:
        thread = threading.Thread(target=serve_peer, args=(place, chatty))
        thread.start()
        with place.remote(wait=20.0) as remote:
            system = cp.System()
            system.add("peer", remote, step=0.1)
            system.run(until=0.3)
            assert remote.messages == ["0.5 1 pump it \\xff  [31m leaks"] * 3
        thread.join()


def test_a_program_that_sends_byte_by_byte_is_slow_but_right():
    def trickle(peer, kind, numbers):
        data = struct.pack("<4d", numbers[1], 0.0, 0.0, numbers[1])
        peer.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in struct.pack("<II", len(data), REPLY) + data:
            peer.write(bytes([byte]))

    assert run_with(trickle)["peer.y"].values[-1] == 1.0


def at(time_of_fault, deed):
    def behave(peer, kind, numbers):
        if kind == STEP and numbers[0] > time_of_fault - 0.05:
            return deed(peer, numbers)
        return answer(peer, kind, numbers)

    return behave


def flood(peer, numbers, kind=ALIVE):
    end = time.monotonic() + 10.0
    while time.monotonic() < end:
        peer.send(kind, b"0\t1\tflood\tnoise")


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        (lambda peer, numbers: False, "the other end closed the connection"),
        (lambda peer, numbers: time.sleep(1.2), r"did not answer within 0\.6 s"),
        (flood, r"did not answer within 0\.6 s"),
        (lambda peer, numbers: flood(peer, numbers, LOG), r"did not answer within 0\.6 s"),
        (lambda peer, numbers: peer.send(REPLY, b"", announce=0xFFFFFFFF), "a frame of 4294967295 bytes is announced; at most 16777216"),
        (lambda peer, numbers: peer.write(b"\xff" * 64), "a frame of 4294967295 bytes is announced"),
        (lambda peer, numbers: peer.send(4711), "a frame of kind 4711 where 9 is expected"),
        (lambda peer, numbers: peer.send(REPLY, b"odd"), "at least 3 numbers of 8 bytes"),
        (lambda peer, numbers: peer.send(REPLY, struct.pack("<6d", 1, 0, 0, 1, 2, 3)), "replies with 3 outputs instead of 1"),
        (lambda peer, numbers: peer.send(10, struct.pack("<d", 0.5)), "asks for inputs, but it has none"),
    ],
)  # fmt: skip
def test_a_program_that_misbehaves_ends_the_run_and_the_results_are_kept(deed, words):
    with pytest.raises(cp.ComponentDied, match=words) as failed:
        run_with(at(0.5, deed), deadline=0.6)
    assert str(failed.value).startswith("peer: step from t = 0.5 s to 0.6 s failed: tcp://127.0.0.1:")
    assert failed.value.exit_code == 4
    assert failed.value.result["peer.y"].time[-1] == pytest.approx(0.5)


def test_a_program_may_report_an_error_in_its_own_words():
    with pytest.raises(cp.ComponentError, match=r"peer: step from .* failed: the pump is dry") as failed:
        run_with(at(0.5, lambda peer, numbers: peer.send(ERROR, b"component\tthe pump is dry")))
    assert failed.value.exit_code == 3


def test_a_time_that_is_not_the_end_of_the_step_is_refused():
    with pytest.raises(cp.SimulationError, match=r"step returned time 0\.2 s; it must reach the end of the step"):
        run_with(at(0.5, lambda peer, numbers: peer.send(REPLY, struct.pack("<4d", 0.2, 0, 0, 1))))


def test_not_a_number_from_another_program_is_told():
    with pytest.raises(cp.NotFiniteError, match='output "y" is NaN'):
        run_with(at(0.5, lambda peer, numbers: peer.send(REPLY, struct.pack("<4d", numbers[1], 0, 0, float("nan")))))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"token": "guessed"}, "wrong token"),
        ({"token": ""}, "wrong token"),
        (
            {"greeting": "counterpoint-link 7 {token}"},
            "it speaks version 7 of the link protocol, this program version 1",
        ),
    ],
)
def test_who_shows_the_wrong_token_or_version_is_told_and_sent_away(options, words, wait_for):
    with cp.listen() as place:
        peer = Peer(place, **options)
        kind, text = peer.receive()
        assert (kind, text.decode()) == (ERROR, words)
        with pytest.raises(EOFError):
            peer.receive()
        peer.close()
        wait_for(lambda: place.refused)
        assert words in place.refused[0]
        with pytest.raises(cp.SetupError, match=f"no program connected within 0.1 s; rejected: .*{words}"):
            place.wait(0.1)


def test_a_token_that_was_overheard_is_of_no_use():
    with cp.listen() as place:
        first = Peer(place)
        assert first.receive()[0] == WELCOME
        second = Peer(place)
        kind, text = second.receive()
        assert kind == ERROR
        assert text == b"this token was used before; each connection needs a token of its own"
        for peer in (first, second):
            peer.close()


def test_a_port_scan_does_not_disturb_a_client(wait_for):
    reported = []
    with cp.listen(report=reported.append) as place:
        host, port = place.address.removeprefix("tcp://").split(":")
        silent = [socket.create_connection((host, int(port))) for _ in range(63)]  # say nothing
        for data in (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", bytes(range(256)) * 40, b"\x16\x03\x01"):
            knock = socket.create_connection((host, int(port)))
            if data:
                knock.sendall(data)
            knock.close()
        good = Peer(place)  # the silent ones have 5 s each, one after the other more than the test
        assert good.receive()[0] == WELCOME
        wait_for(lambda: len(reported) >= 4)
        assert all(line.startswith("tcp://127.0.0.1:") for line in reported)
        for end in (*silent, good.socket):
            end.close()


def test_an_address_in_use_is_told(tmp_path):
    with (
        cp.listen() as place,
        pytest.raises(cp.SetupError, match=r"cannot listen there \(port 0 takes any free one\): Address already"),
    ):
        cp.listen(place.address)
    path = f"unix://{tmp_path}/socket"
    with cp.listen(path), pytest.raises(cp.SetupError, match="Address already in use"):
        cp.listen(path)


SERVER = """\
import counterpoint as cp, sys, time
class Slow(cp.Subsystem):
    outputs = ("y",)
    def step(self, t, t_end, u):
        if t > 0.45:
            print("waiting", flush=True)
            time.sleep(60.0)
    def output(self, t, u): return t
with cp.serve(Slow(), sys.argv[1], token="known") as serving:
    print("ready", flush=True)
    print(serving.session(), flush=True)
"""


@pytest.mark.parametrize("kind", ["tcp", "unix", "shm"])
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGKILL, "gone|closed|broken"), (signal.SIGSTOP, "sent no heartbeat for 5 s")],
)
def test_a_process_that_dies_or_freezes_is_noticed(kind, number, words, tmp_path):
    address = {"tcp": "tcp://127.0.0.1:0", "unix": f"unix://{tmp_path}/s", "shm": f"shm://{tmp_path}/m"}[kind]
    if kind == "tcp":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen([sys.executable, "-c", SERVER, address], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        remote = cp.remote(address, token="known")
        system = cp.System()
        system.add("slow", remote, step=0.1)
        threading.Thread(target=lambda: process.stdout.readline() and process.send_signal(number)).start()
        with pytest.raises(cp.ComponentDied, match=words) as failed:
            system.run(until=1.0)
        assert str(failed.value).startswith(f"slow: step from t = 0.5 s to 0.6 s failed: {address}: ")
        assert failed.value.result["slow.y"].time[-1] == pytest.approx(0.5)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_server_outlives_a_master_that_vanishes():
    class Clock(cp.Subsystem):
        outputs = ("y",)

        def step(self, t, t_end, u):
            pass

        def output(self, t, u):
            return t

    with cp.serve(Clock()) as serving:
        endings = []
        thread = threading.Thread(target=lambda: endings.append(serving.session()))
        thread.start()
        peer = Peer(serving)
        assert peer.receive()[0] == WELCOME
        assert peer.receive()[0] == PORTS
        token = serving.token
        peer.close()
        thread.join()
        assert "the other end closed the connection" in endings[0]
        assert serving.token != token  # the next master needs a new one
        thread = threading.Thread(target=lambda: endings.append(serving.session()))
        thread.start()
        cp.remote(serving.address, token=serving.token).close()
        thread.join()
        assert "closed the connection" in endings[1]


@pytest.mark.parametrize("data", [b"", b"\x10"])
def test_strangers_do_not_keep_a_master_waiting(data):
    with cp.listen() as place, contextlib.ExitStack() as stack:
        host, port = place.address.removeprefix("tcp://").split(":")
        for _ in range(150):
            stranger = stack.enter_context(socket.create_connection((host, int(port))))
            stranger.sendall(data)
        good = Peer(place)  # the strangers have 5 s each, one after the other more than the test
        stack.callback(good.close)
        assert good.receive()[0] == WELCOME
        assert threading.active_count() < 100


class Still(cp.Subsystem):
    """A constant."""

    outputs = ("y",)

    def step(self, t, t_end, u):
        pass

    def output(self, t, u):
        return t


def test_a_master_that_is_silent_is_given_up(monkeypatch):
    monkeypatch.setattr("counterpoint.link.serving.SILENCE", 0.5)
    with cp.serve(Still()) as serving:
        endings = []
        thread = threading.Thread(target=lambda: endings.append(serving.session()), daemon=True)
        thread.start()
        silent = Peer(serving)
        assert silent.receive()[0] == WELCOME
        assert b"silence\t0.5\n" in silent.receive()[1]
        thread.join()
        assert len(endings) == 1
        assert endings[0].endswith("sent no command and no sign of life for 0.5 s")
        silent.close()


def test_a_master_that_does_not_answer_a_request_is_given_up(monkeypatch):
    class Asking(Still):
        inputs = ("u",)

        def step(self, t, t_end, u):
            u(t + 0.123 * (t_end - t))

    monkeypatch.setattr("counterpoint.link.serving.SILENCE", 0.5)
    with cp.serve(Asking()) as serving:
        endings = []
        thread = threading.Thread(target=lambda: endings.append(serving.session()), daemon=True)
        thread.start()
        silent = Peer(serving)
        assert [silent.receive()[0] for _ in range(2)] == [WELCOME, PORTS]
        silent.send(START, struct.pack("<4d", 0, 0, 0, 0))
        silent.send(STEP, struct.pack("<4d", 0, 1, 0, 0))
        thread.join()
        assert len(endings) == 1
        assert endings[0].endswith("sent no command and no sign of life for 0.5 s")
        silent.close()


def test_a_master_that_is_idle_or_busy_elsewhere_shows_that_it_lives(monkeypatch):
    monkeypatch.setattr("counterpoint.link.serving.SILENCE", 0.4)

    class Busy(Still):
        def step(self, t, t_end, u):
            time.sleep(0.7)

    with cp.serve(Still()) as serving:
        endings = []
        thread = threading.Thread(target=lambda: endings.append(serving.session()), daemon=True)
        thread.start()
        with cp.remote(serving.address, token=serving.token) as remote:
            for _ in range(2):
                time.sleep(1.5)
                system = cp.System()
                system.add("still", remote, step=0.5)
                system.add("busy", Busy(), step=0.5)
                assert system.run(until=1.0)["still.y"].values[-1] == 1.0
            assert endings == []
        thread.join()
        assert endings[0].endswith("closed the connection")
