"""Benchmark `fmi`: what a coupled run of FMUs costs beside the calls of FMI themselves."""

import importlib
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.fmu_ring import HandWritten, Ours, Ring
from benchmarks.harness import LIMIT, OURS, Bench, best, installed

STEPS = 100_000
PEERS = {"fmpy": (2, 3), "libcosimpy": (2,)}
"""Versions of FMI that the peers run."""
PEER_SHARE = 20
"""Peers make so many times fewer steps: their cost of a step does not depend on the number."""
RING_SIZES = (2, 5, 10, 20, 50, 100)

Maker = Callable[..., Ring]


def two_fmus(bench: Bench) -> None:
    """Two FMUs that exchange two values each way in every step; limit: the same calls in a loop by hand."""
    steps, repeats = (20_000, 3) if bench.quick else (STEPS, 15)
    for size, version, lines in (
        ("FMI 2, held", 2, False),
        ("FMI 3, held", 3, False),
        ("FMI 2, lines", 2, True),
    ):
        makers: dict[str, Callable[[], Ring]] = {
            LIMIT: partial(HandWritten, 2, steps, version, lines),
            OURS: partial(Ours, 2, steps, version, lines),
        }
        _check_agreement(size, makers)
        peer_steps = steps // PEER_SHARE
        peers = {peer: partial(make, 2, peer_steps, version) for peer, make in _peers(bench, version) if not lines}
        _check_agreement(size, {LIMIT: partial(HandWritten, 2, peer_steps, version, lines), **peers})
        seconds = best({who: partial(_stepping_seconds, make) for who, make in (makers | peers).items()}, repeats)
        microseconds = {who: 1e6 * value / (peer_steps if who in peers else steps) for who, value in seconds.items()}
        bench.add("two-fmus", size, microseconds, "µs/step", "" if lines else "≤ 1.5, ≤ 0.02")


def ring(bench: Bench) -> None:
    """Rings of 2 to 100 FMUs: the cost of a step of one FMU should not depend on how many there are."""
    sizes = (2, 10, 100) if bench.quick else RING_SIZES
    cost = {}
    for count in sizes:
        steps = (20_000 if bench.quick else 2 * STEPS) // count
        peer_steps = max(steps // PEER_SHARE, 20)
        makers: dict[str, Callable[[], Ring]] = {
            LIMIT: partial(HandWritten, count, steps, 2),
            OURS: partial(Ours, count, steps, 2),
        }
        _check_agreement(f"ring of {count}", makers)
        peers = {peer: partial(make, count, peer_steps, 2) for peer, make in _peers(bench, 2)}
        seconds = best(
            {who: partial(_stepping_seconds, make) for who, make in (makers | peers).items()}, 3 if bench.quick else 7
        )
        values = {who: 1e9 * value / count / (peer_steps if who in peers else steps) for who, value in seconds.items()}
        cost[count] = values[OURS]
        bench.add("ring", f"{count} FMUs", values, "ns/step/FMU")
    bench.add("ring", f"{sizes[-1]} over {sizes[0]} FMUs", {OURS: cost[sizes[-1]] / cost[sizes[0]]}, "", "≈ 1")


def start_up(bench: Bench) -> None:
    """Read, unpack, load, instantiate and initialise two FMUs, until the first step can be made."""
    for version in (2, 3):
        makers: dict[str, Callable[[], Ring]] = {OURS: partial(Ours, 2, 1, version)}
        makers |= {peer: partial(make, 2, 1, version) for peer, make in _peers(bench, version)}
        seconds = best({who: partial(_making_seconds, make) for who, make in makers.items()}, 5 if bench.quick else 20)
        milliseconds = {who: 1e3 * value for who, value in seconds.items()}
        bench.add("start-up", f"two FMUs, FMI {version}", milliseconds, "ms", "< 60")


def isolated(bench: Bench) -> None:
    """Two FMUs, each in a process of its own, a step of one; wall-clock time: most of it is waiting for each other."""
    steps, repeats = (1_000, 3) if bench.quick else (10_000, 7)
    for version in (2, 3):
        make = partial(Ours, 2, steps, version, isolate=True)
        seconds = best({OURS: partial(_stepping_seconds, make, time.perf_counter)}, repeats)
        microseconds = 1e6 * seconds[OURS] / steps / 2
        bench.add("isolated", f"two FMUs, FMI {version}", {OURS: microseconds}, "µs/step/FMU", "< 15")


def _peers(bench: Bench, version: int) -> list[tuple[str, Maker]]:
    """Return the peers that run this version and are installed; those that are not are named once."""
    found: list[tuple[str, Maker]] = []
    for peer, versions in PEERS.items():
        if version not in versions:
            continue
        if installed(peer):
            found.append((peer, importlib.import_module(f"benchmarks.peer_{peer}").Ring))
        elif not any(peer in note for note in bench.notes):
            bench.skip(peer, "fmi")
    return found


def _stepping_seconds(make: Callable[[], Ring], clock: Callable[[], float] = time.process_time) -> float:
    """Time the steps and the keeping of their results; getting ready is the work `start-up`."""
    made = make()
    start = clock()
    made.run()
    seconds = clock() - start
    made.close()
    return seconds


def _making_seconds(make: Callable[[], Ring]) -> float:
    start = time.perf_counter()
    made = make()
    seconds = time.perf_counter() - start
    made.run()  # some cannot be closed before they have run
    made.close()
    return seconds


def _check_agreement(size: str, makers: dict[str, Callable[[], Ring]]) -> None:
    """All do the same work: they get the same numbers, to rounding, which 100 000 steps add up to 1e-9."""
    ends = {}
    for who, make in makers.items():
        made = make()
        made.run()
        ends[who] = made.ends()
        made.close()
    for who, values in ends.items():
        first, expected = next(iter(ends.items()))
        if not np.allclose(values, expected, rtol=1e-8, atol=1e-12):
            raise RuntimeError(f"{size}: {who} ends at {values}, {first} at {expected}")


WORKS: dict[str, Callable[[Bench], None]] = {
    "two-fmus": two_fmus,
    "ring": ring,
    "start-up": start_up,
    "isolated": isolated,
}
