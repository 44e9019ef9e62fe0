"""Where the blocks of a drawing go: layers from left to right, lines in channels between them.

The method is the layered one of Sugiyama, Tagawa and Toda (1981): feedback edges are set aside, blocks get the
layer after their sources, long edges pass through intermediate layers, neighbours are ordered by their mean position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

#: Distances in pixels.
ROW_GAP = 26.0
TRACK_GAP = 10.0
CHANNEL_MARGIN = 16.0
LANE_GAP = 11.0
NAME_ROOM = 20.0
"""Space for names below the boxes."""

Point = tuple[float, float]


@dataclass
class Node:
    """A box to be placed: size in pixels, numbers of ports; ``x``, ``y`` is its upper left corner."""

    name: str
    width: float
    height: float
    inputs: int
    outputs: int
    x: float = 0.0
    y: float = 0.0
    layer: int = 0

    def input_point(self, k: int) -> Point:
        """Where input ``k`` is, on the left side."""
        return self.x, self.y + self.height * (k + 0.5) / max(self.inputs, 1)

    def output_point(self, k: int) -> Point:
        """Where output ``k`` is, on the right side."""
        return self.x + self.width, self.y + self.height * (k + 0.5) / max(self.outputs, 1)


@dataclass(frozen=True)
class Edge:
    """A line from an output to an input, by places in the list of nodes."""

    source: int
    port: int
    target: int
    input: int


@dataclass
class Layout:
    """Placed nodes, one polyline an edge, and the size of it all."""

    nodes: list[Node]
    lines: list[list[Point]]
    width: float = 0.0
    height: float = 0.0


@dataclass
class _Plan:
    """Nodes with the dummies of long edges, and the chain of places that each forward edge goes through."""

    nodes: list[Node]
    chains: dict[Edge, list[int]] = field(default_factory=dict)
    layers: list[list[int]] = field(default_factory=list)


def place(nodes: Sequence[Node], edges: Sequence[Edge]) -> Layout:
    """Place nodes and lead lines.

    >>> a, b = Node("a", 40, 30, 0, 1), Node("b", 40, 30, 1, 0)
    >>> layout = place([a, b], [Edge(0, 0, 1, 0)])
    >>> a.x < b.x, layout.lines[0][0] == a.output_point(0)
    (True, True)
    """
    feedback = _feedback(len(nodes), edges)
    _assign_layers(nodes, [e for e in edges if e not in feedback])
    plan = _plan(nodes, [e for e in edges if e not in feedback])
    _order(plan)
    _set_rows(plan)
    tracks = _set_columns(plan, edges, feedback)
    lines = _lead(plan, edges, feedback, tracks)
    layout = Layout(list(nodes), lines)
    points = [point for line in lines for point in line]
    layout.width = max([n.x + n.width for n in nodes] + [x for x, _ in points], default=0.0)
    layout.height = max([n.y + n.height for n in nodes] + [y for _, y in points], default=0.0)
    return layout


def _feedback(count: int, edges: Sequence[Edge]) -> set[Edge]:
    """Edges that close a cycle in a depth-first walk that begins at blocks without inputs."""
    outgoing: list[list[Edge]] = [[] for _ in range(count)]
    has_input = [False] * count
    for given in edges:
        outgoing[given.source].append(given)
        has_input[given.target] = True
    state = [0] * count
    closing: set[Edge] = set()
    for root in sorted(range(count), key=lambda n: has_input[n]):
        stack = [(root, iter(outgoing[root]))] if state[root] == 0 else []
        if stack:
            state[root] = 1
        while stack:
            node, rest = stack[-1]
            edge = next(rest, None)
            if edge is None:
                state[node] = 2
                stack.pop()
            elif state[edge.target] == 1:
                closing.add(edge)
            elif state[edge.target] == 0:
                state[edge.target] = 1
                stack.append((edge.target, iter(outgoing[edge.target])))
    return closing


def _assign_layers(nodes: Sequence[Node], edges: Iterable[Edge]) -> None:
    """Put blocks in the layer after their last source; those without inputs move up to their first consumer."""
    outgoing: list[list[int]] = [[] for _ in nodes]
    waiting = [0] * len(nodes)
    for edge in edges:
        outgoing[edge.source].append(edge.target)
        waiting[edge.target] += 1
    sources = [n for n, count in enumerate(waiting) if count == 0]
    ready = list(sources)
    while ready:
        node = ready.pop()
        for target in outgoing[node]:
            nodes[target].layer = max(nodes[target].layer, nodes[node].layer + 1)
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    for node in sources:
        if outgoing[node]:
            nodes[node].layer = min(nodes[target].layer for target in outgoing[node]) - 1


def _plan(nodes: Sequence[Node], edges: Iterable[Edge]) -> _Plan:
    """Long edges get a dummy in every layer they pass; edges of one output share them."""
    plan = _Plan(list(nodes))
    dummies: dict[tuple[int, int, int], int] = {}
    for edge in edges:
        chain = [edge.source]
        for layer in range(nodes[edge.source].layer + 1, nodes[edge.target].layer):
            key = (edge.source, edge.port, layer)
            if key not in dummies:
                dummies[key] = len(plan.nodes)
                plan.nodes.append(Node("", 0.0, 0.0, 1, 1, layer=layer))
            chain.append(dummies[key])
        plan.chains[edge] = [*chain, edge.target]
    count = max((node.layer for node in plan.nodes), default=0) + 1
    plan.layers = [[] for _ in range(count)]
    for number, node in enumerate(plan.nodes):
        plan.layers[node.layer].append(number)
    return plan


def _neighbours(plan: _Plan) -> tuple[list[list[int]], list[list[int]]]:
    left: list[list[int]] = [[] for _ in plan.nodes]
    right: list[list[int]] = [[] for _ in plan.nodes]
    for chain in plan.chains.values():
        for a, b in pairwise(chain):
            right[a].append(b)
            left[b].append(a)
    return left, right


def _order(plan: _Plan) -> None:
    """Sort each layer by the mean place of its neighbours, from left to right and back, a few times."""
    left, right = _neighbours(plan)
    place = [0.0] * len(plan.nodes)

    def number(layer: list[int]) -> None:
        for k, node in enumerate(layer):
            place[node] = (k + 0.5) / len(layer)

    for layer in plan.layers:
        number(layer)
    for sweep in range(8):
        forward = sweep % 2 == 0
        for layer in plan.layers if forward else reversed(plan.layers):
            others = left if forward else right
            means = {n: sum(place[o] for o in others[n]) / len(others[n]) if others[n] else place[n] for n in layer}
            layer.sort(key=means.__getitem__)
            number(layer)


def _set_rows(plan: _Plan) -> None:
    """Stack the layers, then let every box drift to the middle of its neighbours as far as there is room."""
    for layer in plan.layers:
        y = 0.0
        for number in layer:
            plan.nodes[number].y = y
            y += plan.nodes[number].height + ROW_GAP
    shifts = _shifts(plan)
    for sweep in range(13):
        for layer in plan.layers:
            heights = []
            for number in layer:
                # The last sweep looks back only: what has one source lies straight behind it.
                others = [s for s in shifts[number] if sweep < 12 or plan.nodes[s[0]].layer < plan.nodes[number].layer]
                near = [plan.nodes[other].y + shift for other, shift in others]
                heights.append(sum(near) / len(near) if near else plan.nodes[number].y)
            _settle([plan.nodes[number] for number in layer], heights)
    top = min((node.y for node in plan.nodes), default=0.0)
    for node in plan.nodes:
        node.y -= top


def _shifts(plan: _Plan) -> list[list[tuple[int, float]]]:
    """For each box its neighbours, and how far below the top of each its own top makes the line straight."""
    shifts: list[list[tuple[int, float]]] = [[] for _ in plan.nodes]
    for edge, chain in plan.chains.items():
        for a, b in pairwise(chain):
            start = plan.nodes[a].output_point(edge.port if a == edge.source else 0)[1] - plan.nodes[a].y
            end = plan.nodes[b].input_point(edge.input if b == edge.target else 0)[1] - plan.nodes[b].y
            shifts[b].append((a, start - end))
            shifts[a].append((b, end - start))
    return shifts


def _settle(column: list[Node], heights: list[float]) -> None:
    """Place each where it is wanted but keep order and gaps: the mean of pushing down from above and up from below."""
    down, y = [], float("-inf")
    for node, wanted in zip(column, heights, strict=True):
        y = max(y, wanted)
        down.append(y)
        y += node.height + ROW_GAP
    up: list[float] = []
    y = float("inf")
    for node, wanted in zip(reversed(column), reversed(heights), strict=True):
        y = min(y - node.height - ROW_GAP if up else wanted, wanted)
        up.append(y)
    up.reverse()
    for node, a, b in zip(column, down, up, strict=True):
        node.y = (a + b) / 2


#: Vertical track of a net in the channel after a layer: (layer, source, port) -> x.
Tracks = dict[tuple[int, int, int], float]


def _channels(plan: _Plan, edges: Sequence[Edge], feedback: set[Edge]) -> list[list[tuple[int, int]]]:
    """Nets that need a vertical track in each channel; channel 0 is left of everything."""
    channels: list[list[tuple[int, int]]] = [[] for _ in range(len(plan.layers) + 1)]

    def use(channel: int, net: tuple[int, int]) -> None:
        if net not in channels[channel]:
            channels[channel].append(net)

    for edge in edges:
        net = (edge.source, edge.port)
        if edge in feedback:
            use(plan.nodes[edge.source].layer + 1, net)
            use(plan.nodes[edge.target].layer, net)
        else:
            for number in plan.chains[edge][:-1]:
                use(plan.nodes[number].layer + 1, net)
    return channels


def _set_columns(plan: _Plan, edges: Sequence[Edge], feedback: set[Edge]) -> Tracks:
    """Columns as wide as their widest box, channels as wide as their tracks need."""
    channels = _channels(plan, edges, feedback)
    tracks: Tracks = {}
    x = 0.0
    for channel, nets in enumerate(channels):
        # The lower a net starts, the further left its track: fewer lines cross.
        nets.sort(key=lambda net: -plan.nodes[net[0]].output_point(net[1])[1])
        for k, net in enumerate(nets):
            tracks[(channel, *net)] = x + CHANNEL_MARGIN + k * TRACK_GAP
        if channel > 0 or nets:
            x += 2 * CHANNEL_MARGIN + TRACK_GAP * max(len(nets) - 1, 0)
        if channel < len(plan.layers):
            column = [plan.nodes[number] for number in plan.layers[channel]]
            widest = max((node.width for node in column), default=0.0)
            for node in column:
                node.x = x + (widest - node.width) / 2
            x += widest
    return tracks


def _lead(plan: _Plan, edges: Sequence[Edge], feedback: set[Edge], tracks: Tracks) -> list[list[Point]]:
    """Lines of right angles: out, along the track of the net, in. Feedback runs below everything, a lane a net."""
    bottom = max((node.y + node.height for node in plan.nodes), default=0.0) + NAME_ROOM
    lanes: dict[tuple[int, int], float] = {}
    lines = []
    for edge in edges:
        net = (edge.source, edge.port)
        start = plan.nodes[edge.source].output_point(edge.port)
        end = plan.nodes[edge.target].input_point(edge.input)
        if edge in feedback:
            lane = lanes.setdefault(net, bottom + LANE_GAP * len(lanes))
            right = tracks[(plan.nodes[edge.source].layer + 1, *net)]
            left = tracks[(plan.nodes[edge.target].layer, *net)]
            lines.append([start, (right, start[1]), (right, lane), (left, lane), (left, end[1]), end])
            continue
        points, y = [start], start[1]
        for number in plan.chains[edge][1:]:
            x = tracks[(plan.nodes[number].layer, *net)]
            target = end[1] if number == edge.target else plan.nodes[number].y
            points += [(x, y), (x, target)]
            y = target
        lines.append([*points, end])
    return [_without_bends(line) for line in lines]


def _without_bends(line: list[Point]) -> list[Point]:
    """Leave out points in the middle of a straight piece."""
    kept = [line[0]]
    for k in range(1, len(line) - 1):
        a, b, c = kept[-1], line[k], line[k + 1]
        if b != a and not (a[0] == b[0] == c[0] or a[1] == b[1] == c[1]):
            kept.append(b)
    return [*kept, line[-1]]
