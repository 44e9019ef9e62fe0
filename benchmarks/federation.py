"""Benchmark `federation`: parts of a system as federates of HELICS, beside plain HELICS and our own links.

Two oscillators that pull at each other, one per federate. `helics` is a plain program for HELICS: it publishes doubles
and holds what it reads.
"""

import math
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

import counterpoint as cp
from benchmarks.harness import OURS, Bench, installed
from benchmarks.namespaces import Hosts, possible
from counterpoint._run.options import RunOptions
from counterpoint.federation.broker import free_port, make_broker
from counterpoint.federation.cost_model import Load, Network, predict
from counterpoint.federation.foreign import Foreign
from counterpoint.federation.partition import share_of
from counterpoint.federation.running import FederateRun, _run
from counterpoint.federation.session import INSIDE, Broker, Joining, Session

STIFFNESS, PULL = (39.0, 15.0), 5.0
HERE = Path(__file__).parent
YEAR = 365 * 86_400.0


def oscillator(k: int, work: float = 0.0) -> cp.Subsystem:
    """Return x'' = -stiffness x + pull u; with ``work`` each step takes so many seconds of wall time."""
    A, B = [[0.0, 1.0], [-STIFFNESS[k % 2], 0.0]], [[0.0], [PULL]]
    if work < 0.0:  # a room that takes weeks to warm up
        return cp.linear([[-1e-6]], [[0.5e-6]], [[1.0]], x0=[1.0 - k % 2], inputs="u", outputs="x", solver="ode4")
    if work:
        return Sleeping(np.array(A), np.array(B), 1.0 - k % 2, work)
    return cp.linear(A, B, [[1.0, 0.0]], x0=[1.0 - k % 2, 0.0], inputs="u", outputs="x", solver="ode4")


class Sleeping(cp.Subsystem):
    """An oscillator whose step takes a given wall time, as a large model would on a host of its own."""

    inputs = ("u",)
    outputs = ("x",)

    def __init__(self, A: np.ndarray, B: np.ndarray, x0: float, work: float) -> None:
        self.A, self.B, self.x0, self.work = A, B, x0, work

    def start(self, t: float) -> None:
        self.x = np.array([self.x0, 0.0])

    def step(self, t: float, t_end: float, u: Callable) -> None:
        end = time.perf_counter() + self.work
        self.x = self.x + (t_end - t) * (self.A @ self.x + self.B[:, 0] * u(t)[0])
        time.sleep(max(0.0, end - time.perf_counter() - 5e-5))
        while time.perf_counter() < end:
            pass

    def output(self, t: float, u: Callable) -> float:
        return float(self.x[0])


def ring(steps: list[float], work: float = 0.0, approximation: cp.Approximation | None = None) -> cp.System:
    """Return oscillators in a ring; two of them pull at each other."""
    system = cp.System("ring")
    for k, step in enumerate(steps):
        system.add(f"m{k}", oscillator(k, work), step=step)
    for k in range(len(steps)):
        system.connect(f"m{k - 1 if k else len(steps) - 1}.x", f"m{k}.u", approximation)
    return system


def run_in_threads(make: Callable[[], cp.System], until: float, **options: object) -> dict[str, FederateRun]:
    """Run each subsystem as a federate in a thread of this process (core inproc), created one after another."""
    chosen = RunOptions(until=until, scheme="parallel", **options)
    parts = {name: [name] for name in make().subsystems}
    address = Broker(INSIDE, f"inside-{time.monotonic_ns()}", 0)
    import helics

    broker = helics.helicsCreateBroker(INSIDE, address.host, f"-f {len(parts)} --tick=1s --loglevel=no_print")
    shares = {part: share_of(make(), chosen, parts, part) for part in parts}
    sessions = {part: Session(Joining(part, address, [], 120.0)) for part in parts}
    made: dict[str, FederateRun] = {}
    errors: list[BaseException] = []

    def work(part: str) -> None:
        try:
            made[part] = _run(shares[part], sessions[part], chosen, until, Foreign())
        except BaseException as error:
            errors.append(error)
            sessions[part].fail(str(error))

    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    helics.helicsBrokerWaitForDisconnect(broker, 5000)
    helics.helicsBrokerFree(broker)
    if errors:
        raise errors[0]
    return made


CHILD = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from benchmarks.federation import run_part
run_part(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), sys.argv[5])
"""


def run_part(part: str, address: str, settings: dict, file: str) -> None:
    """Run one part in this process, and write times and values of its signal."""
    from counterpoint.federation.running import federate

    system = ring(settings["steps"], settings.get("work", 0.0), cp.lagrange(settings.get("order", 1)))
    options = RunOptions(until=settings["until"], scheme=settings.get("scheme", "parallel"))
    made = federate(system, part, address, options, grant_timeout=120.0)
    signal = made.result[f"{part}.x"]
    np.savez(
        file, time=signal.time, values=signal.values, seconds=made.result.summary.wall_seconds, requests=made.requests
    )


def run_in_processes(
    settings: dict,
    core: str = "tcp",
    through: Callable[[str], str] = lambda address: address,
    hosts: Hosts | None = None,
    broker_on: int = 0,
) -> dict[str, dict]:
    """Run each subsystem as a federate in a process of its own; all but the first meet ``through`` a relay.

    With ``hosts``, each is on a host of its own, and the broker on that of the given number.
    """
    import json

    parts = [f"m{k}" for k in range(len(settings["steps"]))]
    on = (lambda host, command: command) if hosts is None else hosts.on
    address = f"{core}://{'127.0.0.1' if hosts is None else hosts.address(broker_on)}:{free_port()}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = [sys.executable, "-m", "counterpoint.federation.broker", address, str(len(parts))]
        stack.enter_context(started(on(broker_on, broker))).stdout.readline()
        children = []
        for k, part in enumerate(parts):
            meets = address if k == 0 else through(address)
            command = [sys.executable, "-c", CHILD, str(HERE.parent), part, meets, json.dumps(settings)]
            children.append(stack.enter_context(started(on(k, [*command, str(folder / f"{part}.npz")]))))
        for child in children:
            if child.wait():
                raise RuntimeError("a federate failed")
        return {part: dict(np.load(folder / f"{part}.npz")) for part in parts}


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen]:
    """Start a process that does not outlive the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def plain(core: str, step: float, count: int) -> list[dict]:
    """Run the plain programs for HELICS, two processes; return seconds per step, times and values of each."""
    address = Broker(core, "127.0.0.1", free_port())
    broker = make_broker(address, 2)
    command = [sys.executable, str(HERE / "plain_helics.py"), core, str(address.port), repr(step), str(count)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        files = [f"{folder}/{k}.npz" for k in range(2)]
        children = [stack.enter_context(started([*command, str(k), files[k]])) for k in range(2)]
        for child in children:
            if child.wait():
                raise RuntimeError("a plain federate failed")
        found = [dict(np.load(file)) for file in files]
    import helics

    helics.helicsBrokerFree(broker)
    return found


def step(bench: Bench) -> None:
    """Measure the wall time of one step of both federates, equal steps, neither waits: two messages and two grants."""
    count, repeats = (200, 1) if bench.quick else (500, 2)
    bench.add("step", "our link over TCP", {OURS: 1e6 * _link_seconds(count)}, "µs")
    for core in ("tcp",) if bench.quick else ("tcp", "tcpss", "zmq"):
        ours, theirs = math.inf, math.inf
        for _ in range(repeats):
            run = run_in_processes({"steps": [0.01, 0.01], "until": 0.01 * count}, core)
            ours = min(ours, float(run["m0"]["seconds"]) / count)
            theirs = min(theirs, float(plain(core, 0.01, count)[0]["seconds"]) / count)
        bench.add("step", core, {OURS: 1e6 * ours, "helics": 1e6 * theirs}, "µs")
    inside = min(
        run_in_threads(lambda: ring([0.01, 0.01]), 0.01 * count)["m0"].result.summary.wall_seconds / count
        for _ in range(repeats)
    )
    bench.add("step", "inproc, threads", {OURS: 1e6 * inside}, "µs")


def _link_seconds(count: int) -> float:
    from benchmarks.link import served

    with served("tcp") as remote:
        system = cp.System()
        system.add("near", oscillator(0), step=0.01)
        system.add("far", remote, step=0.01)
        system.connect("far.x", "near.u")
        system.connect("near.x", "far.u")
        result = system.run(until=0.01 * count, scheme="parallel", first_steps="once", check="off")
        return result.summary.wall_seconds / count


def exact(times: np.ndarray, k: int) -> np.ndarray:
    """Return the solution of both oscillators together, of number k."""
    matrix = np.array([[STIFFNESS[0], -PULL], [-PULL, STIFFNESS[1]]])
    squares, modes = np.linalg.eigh(matrix)
    weights = modes.T @ [1.0, 0.0]
    return (modes[k] * weights) @ np.cos(np.sqrt(squares)[:, None] * times)


def accuracy(bench: Bench) -> None:
    """Measure the error (rms over that of the signal) at equal steps: histories against held values."""
    count = 200 if bench.quick else 400
    for h in (0.01,) if bench.quick else (0.02, 0.01, 0.005):
        run = run_in_processes({"steps": [h, h], "until": h * count, "order": 2})
        ours = max(_error(run[f"m{k}"]["time"], run[f"m{k}"]["values"], k) for k in range(2))
        held = max(_error(one["time"], one["values"], k) for k, one in enumerate(plain("tcp", h, count)))
        bench.add("accuracy", f"step {h:g} s", {OURS: ours, "helics": held}, "relative", "≤ 0.1 of helics")


def _error(times: np.ndarray, values: np.ndarray, k: int) -> float:
    right = exact(times, k)
    return float(np.sqrt(np.mean((values - right) ** 2) / np.mean(right**2)))


def long_run(bench: Bench) -> None:
    """Run federates with steps of 900 s and 43 200 s: it ends, and each keeps all its steps."""
    days = 10 if bench.quick else 365
    until = days * 86_400.0
    run = run_in_processes({"steps": [900.0, 43_200.0], "until": until, "work": -1.0})
    if len(run["m0"]["time"]) != int(until / 900) + 1:
        raise RuntimeError("steps are missing")
    bench.add("900 s and 43 200 s", f"{days} days", {OURS: float(run["m0"]["seconds"])}, "s")


def many(bench: Bench) -> None:
    """Run federates in a ring, each with those beside it."""
    for count in (10,) if bench.quick else (10, 30, 100):
        made = run_in_threads(lambda count=count: ring([0.01] * count), 0.2)
        seconds = max(run.result.summary.wall_seconds for run in made.values())
        bench.add("ring", f"{count} federates in threads", {OURS: 1e3 * seconds / 20}, "ms per step of all")


class Relay:
    """Passes bytes between federates and a broker on, each a set time later: a slow network."""

    def __init__(self, latency: float) -> None:
        import socket

        self._latency = latency
        self._server = socket.create_server(("127.0.0.1", 0))
        self._sockets = [self._server]

    def __call__(self, address: str) -> str:
        """Return the address of the relay in front of a broker."""
        broker = Broker.read(address)
        threading.Thread(target=self._serve, args=(broker,), daemon=True).start()
        return f"{broker.core}://127.0.0.1:{self._server.getsockname()[1]}"

    def _serve(self, broker: Broker) -> None:
        import socket

        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection((broker.host, broker.port))
            self._sockets += [near, far]
            for one in (near, far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, target in ((near, far), (far, near)):
                self._pass_on(source, target)

    def _pass_on(self, source: object, target: object) -> None:
        import queue

        pending: queue.SimpleQueue = queue.SimpleQueue()

        def read() -> None:
            while True:
                try:
                    data = source.recv(65536)
                except OSError:
                    data = b""
                pending.put((time.perf_counter() + self._latency, data))
                if not data:
                    return

        def write() -> None:
            while True:
                when, data = pending.get()
                time.sleep(max(0.0, when - time.perf_counter()))
                try:
                    if not data:
                        target.shutdown(2)
                        return
                    target.sendall(data)
                except OSError:
                    return

        for work in (read, write):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        for one in self._sockets:
            one.close()


def latency(bench: Bench) -> None:
    """Compare predicted and measured wall time, with latency injected by a relay before the second federate."""
    count = 100
    h = 0.01
    fitted = Network(request_cost=_request_cost(count))
    for work in (2e-3,) if bench.quick else (5e-3,):
        for delay in (0.0, 2e-3) if bench.quick else (0.0, 1e-3, 2e-3, 5e-3):
            for name, ratio in (("equal steps", 1), ("steps 1 : 10", 10)):
                steps = [h, h * ratio]
                relay = Relay(delay)
                try:
                    run = run_in_processes({"steps": steps, "until": h * count, "work": work}, "tcpss", relay)
                finally:
                    relay.close()
                measured = max(float(one["seconds"]) for one in run.values())
                network = Network(latency=delay, request_cost=fitted.request_cost)
                predicted = _predicted(steps, "parallel", work, network, h * count)
                size = f"{name}, work {1e3 * work:g} ms, latency {1e3 * delay:g} ms"
                bench.add("wall time", size, {OURS: measured, "predicted": predicted}, "s")


def _predicted(steps: list[float], scheme: str, work: float, network: Network, span: float) -> float:
    """Return the wall time of a ring, one subsystem per host, as the cost model sees it, s."""
    names = [f"m{k}" for k in range(len(steps))]
    sources = {name: [names[k - 1]] for k, name in enumerate(names)}
    waits = ring(steps).waits_for(scheme)
    costs, sizes = dict.fromkeys(names, work), dict.fromkeys(names, 64.0)
    load = Load(dict(zip(names, steps, strict=True)), costs, waits, sources, sizes, span)
    return predict(load, [[name] for name in names], network).seconds


def namespaces(bench: Bench) -> None:
    """Compare predicted and measured wall time on hosts that are network namespaces, with a latency between them."""
    if not possible():
        bench.notes.append("namespaces: needs Linux, root and /dev/net/tun; left out")
        return
    h, count, work = 0.01, 100, 5e-3
    cases = [([h, h], "parallel"), ([h, h], "sequential"), ([h, 10 * h], "slowest-first"), ([h] * 4, "parallel")]
    with Hosts(2, 0.0) as hosts:
        run = run_in_processes({"steps": [h, h], "until": h * count}, "tcpss", hosts=hosts)
        request_cost = float(run["m0"]["seconds"]) / count
    for delay in (5e-3,) if bench.quick else (0.0, 1e-3, 5e-3):
        with Hosts(5, delay) as hosts:
            for steps, scheme in cases[:1] if bench.quick else cases:
                network = Network(latency=delay, request_cost=request_cost)
                predicted = _predicted(steps, scheme, work, network, h * count)
                settings = {"steps": steps, "until": h * count, "work": work, "scheme": scheme}
                for broker_on, where in ((0, "beside m0"), (4, "apart")):
                    made = run_in_processes(settings, "tcpss", hosts=hosts, broker_on=broker_on)
                    measured = max(float(one["seconds"]) for one in made.values())
                    ratio = f"1 : {steps[-1] / h:g}"
                    size = f"{len(steps)} hosts, {ratio}, {scheme}, {1e3 * delay:g} ms, broker {where}"
                    bench.add("namespaces", size, {OURS: measured, "predicted": predicted}, "s")


def _request_cost(count: int) -> float:
    run = run_in_processes({"steps": [0.01, 0.01], "until": 0.01 * count}, "tcpss")
    return float(run["m0"]["seconds"]) / count


WORKS = {
    "step": step,
    "accuracy": accuracy,
    "long-run": long_run,
    "many": many,
    "latency": latency,
    "namespaces": namespaces,
}

if not installed("helics"):
    raise SystemExit("the benchmark federation needs HELICS: pip install 'counterpoint[helics]'")
