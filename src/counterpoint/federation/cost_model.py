"""Predict the wall time of a federation, to tell whether it would be faster on several hosts.

The model. Part p runs on a host of its own, one step after the other. A step of subsystem i that begins at t can be
computed when the part is free and what the precedence rule asks for is there:

    finished(i, k) = max(free(p), arrived(every sample that the rule asks for)) + cost_i

A sample of the same part is there when it is finished. One of another part arrives

    arrived = finished + hops x latency + size / bandwidth

later, and each time a part has to wait for such a sample it asks HELICS for a time, which costs it ``request_cost`` of
processor time and the way of the request. Samples that are there when a part asks come along without further cost. The
wall time is that of the last step. In one process there are no messages: the sum of all costs.

What is not in it: start of the processes, writing of results, other load on the hosts, steps that change their length.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_STEPS = 40_000
"""Steps that are evaluated; the rest of the run is assumed to be alike."""


@dataclass(frozen=True)
class Network:
    """What a message costs.

    Attributes
    ----------
    latency : float
        From host to host, one way, s.
    bandwidth : float
        Bytes per s.
    request_cost : float
        Processor time of a part per time request to HELICS, s.
    hops : float
        How many times the latency passes from the end of a step to the grant that depends on it: samples and times
        that are asked for go to the broker and on to the other part. 1 for two parts of which one runs beside the
        broker.

    Examples
    --------
    >>> round(Network(latency=0.2e-3).delay(1000), 6)
    0.000408
    """

    latency: float = 0.0
    bandwidth: float = 1e9 / 8
    request_cost: float = 0.25e-3
    hops: float = 2.0

    def delay(self, size: float) -> float:
        """Return the time from the end of a step to the grant at the receiver, s, for a message of ``size`` bytes."""
        return self.hops * self.latency + size / self.bandwidth


@dataclass(frozen=True)
class Load:
    """A system as the model sees it.

    Attributes
    ----------
    steps : dict
        Subsystem -> step in s.
    costs : dict
        Subsystem -> wall time of one step in s.
    waits : dict
        Subsystem -> those that it waits for.
    sources : dict
        Subsystem -> those that it reads.
    sizes : dict
        Subsystem -> bytes of a sample.
    span : float
        Length of the run, s.
    """

    steps: Mapping[str, float]
    costs: Mapping[str, float]
    waits: Mapping[str, Sequence[str]]
    sources: Mapping[str, Sequence[str]]
    sizes: Mapping[str, float]
    span: float

    @property
    def serial_seconds(self) -> float:
        """Wall time in one process, s: the sum of all steps."""
        return sum(cost * math.ceil(self.span / self.steps[name]) for name, cost in self.costs.items())


@dataclass(frozen=True)
class Prediction:
    """What the model says of one way to cut a system.

    Attributes
    ----------
    parts : tuple of tuples of str
        Subsystems of each host.
    seconds : float
        Wall time, s.
    speed_up : float
        Of the wall time in one process.
    requests : float
        Time requests of all parts to HELICS.
    busy : tuple of float
        Share of the wall time that each part computes.
    """

    parts: tuple[tuple[str, ...], ...]
    seconds: float
    speed_up: float
    requests: float
    busy: tuple[float, ...]


@dataclass
class _Part:
    names: tuple[str, ...]
    free: float = 0.0
    computing: float = 0.0
    requests: int = 0
    known: float = 0.0  #: what had arrived at this wall time is known without asking


@dataclass
class _State:
    part: _Part
    ends: list[float] = field(default_factory=lambda: [0.0])  #: simulated times of its samples
    finished: list[float] = field(default_factory=lambda: [0.0])  #: wall times at which they were there
    steps: int = 0


def predict(load: Load, parts: Sequence[Sequence[str]], network: Network) -> Prediction:
    """Predict the wall time of a system that is cut into parts, one per host.

    Examples
    --------
    >>> load = Load({"a": 0.1, "b": 0.1}, {"a": 1e-2, "b": 1e-2}, {"a": [], "b": []},
    ...             {"a": ["b"], "b": ["a"]}, {"a": 24, "b": 24}, span=10.0)
    >>> round(predict(load, [["a"], ["b"]], Network(request_cost=0.0)).speed_up, 2)
    2.0
    >>> predict(load, [["a"], ["b"]], Network(latency=10e-3)).speed_up < 0.7
    True
    """
    if len(parts) == 1:
        return Prediction((tuple(parts[0]),), load.serial_seconds, 1.0, 0.0, (1.0,))
    machines = [_Part(tuple(names)) for names in parts]
    states = {name: _State(machine) for machine in machines for name in machine.names}
    total = sum(math.ceil(load.span / step) for step in load.steps.values())
    span = load.span * min(1.0, MOST_STEPS / total)
    _play(load, states, network, span)
    wall = max(machine.free for machine in machines)
    scale = load.span / span
    busy = tuple(machine.computing / wall for machine in machines)
    requests = scale * sum(machine.requests for machine in machines)
    return Prediction(
        tuple(m.names for m in machines), wall * scale, load.serial_seconds / (wall * scale), requests, busy
    )


def _play(load: Load, states: Mapping[str, _State], network: Network, span: float) -> None:
    """Make all steps up to ``span`` (s), the earliest first."""
    queue = [(0.0, place, name) for place, name in enumerate(states)]
    heapq.heapify(queue)
    blocked: list[tuple[float, int, str]] = []
    tolerance = 1e-9 * span
    while queue:
        t, place, name = heapq.heappop(queue)
        ready = _ready(load, states, network, name, tolerance)
        if ready is None:
            blocked.append((t, place, name))
            if queue:
                continue
            ready = 0.0, 0.0  # a chain that the second rule breaks: with what is there
            blocked.pop()
        _step(load, states[name], network, name, ready)
        for entry in blocked:
            heapq.heappush(queue, entry)
        blocked.clear()
        if states[name].ends[-1] < span - tolerance:
            heapq.heappush(queue, (states[name].ends[-1], place, name))


def _ready(
    load: Load, states: Mapping[str, _State], network: Network, name: str, tolerance: float
) -> tuple[float, float] | None:
    """Return when what a step needs is there: of the same part, and of others (s); None: it was not computed yet."""
    state = states[name]
    t = state.ends[-1]
    inside = outside = 0.0
    for source in load.sources[name]:
        other = states[source]
        waits = source in load.waits[name]
        needed = t + load.steps[name] if waits else t
        sample = _sample_for(other, needed, load.steps[source], waits, tolerance)
        if sample is None:
            return None
        if other.part is state.part:
            inside = max(inside, other.finished[sample])
        elif sample > 0:
            outside = max(outside, other.finished[sample] + network.delay(load.sizes[source]))
    return inside, outside


def _sample_for(other: _State, needed: float, step: float, waits: bool, tolerance: float) -> int | None:
    """Return the number of the last sample needed; None: it does not exist yet."""
    place = math.ceil((needed - tolerance) / step) if waits else math.floor((needed + tolerance) / step)
    return place if place < len(other.ends) else None


def _step(load: Load, state: _State, network: Network, name: str, ready: tuple[float, float]) -> None:
    part = state.part
    inside, outside = ready
    begin = max(part.free, inside)
    if outside > part.known:
        part.requests += 1
        begin = max(begin, outside) + network.request_cost
        part.known = begin
    part.free = begin + load.costs[name]
    part.computing += load.costs[name]
    state.steps += 1
    state.ends.append(state.steps * load.steps[name])
    state.finished.append(part.free)
