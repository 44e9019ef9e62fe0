"""Start a federation on this computer: a broker and one process per part; or write a file for HELICS' own runner.

No process is left behind: those that do not end by themselves after another one failed are ended.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ..errors import OutputError, PeerLost
from .broker import free_port
from .plan_file import LaunchPlan
from .session import Broker, load_helics

PATIENCE = 20.0
"""s; how long parts may take to end by themselves after one of them has failed: HELICS needs 5 s to notice."""


@dataclass(frozen=True)
class PartOutcome:
    """How a part ended.

    Attributes
    ----------
    part : str
        Its name.
    exit_code : int
        As of ``counterpoint federate``; negative: the signal that ended it.
    seconds : float
        Wall time, s.
    file : Path
        Its run file.
    last_line : str
        The last line that it wrote on standard error.
    has_results : bool
        Whether it has written its run file; one that was there before may be left where nothing ran.
    """

    part: str
    exit_code: int
    seconds: float
    file: Path
    last_line: str = ""
    has_results: bool = True


@dataclass(frozen=True)
class LaunchOutcome:
    """How a federation ended."""

    parts: tuple[PartOutcome, ...]
    seconds: float
    broker_died: bool = False
    signal: int = 0  #: that was passed on to the parts

    @property
    def exit_code(self) -> int:
        """0 when all parts ended well; the code of the part that failed first hand; 4 when one died or was lost.

        After a signal 128 and its number, if a part was stopped by it.
        """
        codes = [part.exit_code for part in self.parts if part.exit_code]
        first_hand = [code for code in codes if 0 < code < 128 and code != PeerLost.exit_code]
        if not codes:
            return 0
        if self.signal and 128 + self.signal in codes:
            return 128 + self.signal
        if self.broker_died or any(code < 0 for code in codes) or not first_hand:
            return PeerLost.exit_code
        return first_hand[0]


@dataclass
class _Child:
    name: str
    process: subprocess.Popen[str]
    file: Path
    file_before: tuple[int, int] | None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    last_line: str = ""
    listeners: list[threading.Thread] = field(default_factory=list)

    def is_over(self) -> bool:
        if self.process.poll() is None:
            return False
        if self.ended is None:
            self.ended = time.monotonic()
        return True


def command_of(plan: LaunchPlan, part: str, broker: str, out: Path, more: Sequence[str] = ()) -> list[str]:
    """Return the command that runs one part."""
    return [
        sys.executable, "-m", "counterpoint", "federate", str(plan.scenario), "--plan", str(plan.path), "--part", part,
        "--broker", broker, "--out", str(out), *more,
    ]  # fmt: skip


def launch(
    plan: LaunchPlan,
    out: Path,
    *,
    say: Callable[[str], None] = print,
    more: Sequence[str] = (),
    overwrite: bool = False,
) -> LaunchOutcome:
    """Run all parts of a plan on this computer and wait for them.

    Parameters
    ----------
    plan : LaunchPlan
        What runs.
    out : Path
        Folder for the run files, one per part.
    say : function
        Told each line that a part writes, with its name in front.
    more : sequence of str
        Further options for ``counterpoint federate``.
    overwrite : bool
        Replace run files that are there.

    Raises
    ------
    OutputError
        Before anything ran: a run file is there already.
    """
    load_helics()
    files = {part: out / f"{_stem(plan)}-{part}.h5" for part in plan.parts}
    if taken := [str(file) for file in files.values() if file.exists() and not overwrite]:
        raise OutputError(f"{' and '.join(taken)}: already exists; add --overwrite or choose another --out", taken[0])
    more = [*more, "--overwrite"] if overwrite else more
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    broker = plan.broker or f"{plan.core}://127.0.0.1:{free_port()}"
    children: list[_Child] = []
    with _passing_signals(children) as passed_on:
        running = None if plan.broker else _start_broker(broker, len(plan.parts) + plan.federates_beside)
        try:
            children += [
                _start(part, command_of(plan, part, broker, out, more), files[part], say) for part in plan.parts
            ]
            broker_died = _wait(children, running, say)
        finally:
            _end([child.process for child in children])
            if running is not None:
                _end([running])
                assert running.stdout is not None
                running.stdout.close()
    for child in children:
        for listener in child.listeners:
            listener.join(2.0)
    outcomes = tuple(_outcome(child) for child in children)
    return LaunchOutcome(outcomes, time.monotonic() - began, broker_died, passed_on[0] if passed_on else 0)


def _stem(plan: LaunchPlan) -> str:
    return plan.scenario.stem


def _outcome(child: _Child) -> PartOutcome:
    seconds = (child.ended or time.monotonic()) - child.began
    written = identity_of(child.file) not in (None, child.file_before)
    return PartOutcome(child.name, child.process.returncode, seconds, child.file, child.last_line, written)


def identity_of(file: Path) -> tuple[int, int] | None:
    """Return what is another after a file was written; None: there is none."""
    if not file.exists():
        return None
    state = file.stat()
    return state.st_ino, state.st_mtime_ns


def _start_broker(broker: str, federates: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "counterpoint.federation.broker", broker, str(federates)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    if process.stdout.readline().strip() != "ready":
        process.kill()
        process.wait()
        raise PeerLost(f"the broker {broker} could not be started; is the port taken?")
    return process


def _start(name: str, command: Sequence[str], file: Path, say: Callable[[str], None]) -> _Child:
    before = identity_of(file)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    child = _Child(name, process, file, before)

    def listen(stream: IO[str], keep: bool) -> None:
        with stream:
            for line in stream:
                text = line.rstrip()
                if text and keep:
                    child.last_line = text
                if text:
                    say(f"{name}: {text}")

    for stream, keep in ((process.stdout, False), (process.stderr, True)):
        assert stream is not None
        thread = threading.Thread(target=listen, args=(stream, keep), daemon=True)
        thread.start()
        child.listeners.append(thread)
    return child


def _wait(children: Sequence[_Child], broker: subprocess.Popen[str] | None, say: Callable[[str], None]) -> bool:
    """Wait until all have ended, after the first failure only some seconds; return whether the broker died."""
    deadline: float | None = None
    broker_died = False
    while not all([child.is_over() for child in children]):
        failed = [child for child in children if child.is_over() and child.process.returncode]
        if broker is not None and broker.poll() not in (None, 0) and not broker_died:
            broker_died = True
            say(f"the broker died (exit code {broker.returncode}); the parts stop and keep their results")
        if (failed or broker_died) and deadline is None:
            deadline = time.monotonic() + PATIENCE
            for child in failed:
                say(f'"{child.name}" ended with {_code_text(child.process.returncode)}; the other parts stop')
        if deadline is not None and time.monotonic() > deadline:
            say("stopping the parts that have not ended: " + ", ".join(c.name for c in children if not c.is_over()))
            break
        time.sleep(0.02)
    return broker_died


def _code_text(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"


def _end(processes: Sequence[subprocess.Popen[str]]) -> None:
    """End what still runs."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + 3.0
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _passing_signals(children: Sequence[_Child]) -> Iterator[list[int]]:
    """Pass SIGINT and SIGTERM on to the parts, which keep their results and end; yield those that have come."""
    passed_on: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield passed_on
        return

    def pass_on(number: int, frame: object) -> None:
        passed_on.append(number)
        for child in children:
            if child.process.poll() is None:
                os.kill(child.process.pid, number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield passed_on
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def runner_file(plan: LaunchPlan, out: Path, broker: str, more: Sequence[str] = ()) -> str:
    """Return a file for ``helics run --path=...``, which starts the same processes with further options ``more``."""
    address = Broker.read(broker)
    federates = [
        {
            "name": part,
            "host": plan.hosts[part] or "localhost",
            "directory": ".",
            "exec": shlex.join(command_of(plan, part, broker, out, more)),
        }
        for part in plan.parts
    ]
    count = len(plan.parts) + plan.federates_beside
    federates.append(
        {
            "name": "broker",
            "host": address.host,
            "directory": ".",
            "exec": f"helics_broker -t {address.core} -f {count} --port={address.port} --tick=1s --loglevel=warning",
        }
    )
    return json.dumps({"name": plan.path.stem, "federates": federates}, indent=2) + "\n"
