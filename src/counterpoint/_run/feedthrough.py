"""Direct feedthrough between subsystems: loops are found before a run and named port by port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Port = str
Edges = Mapping[Port, list[Port]]
_INPUT = " (input)"


def as_input(port: Port) -> Port:
    """Return how an input is called among ports: an output of the same subsystem may have the same name.

    >>> as_input("oven.T"), as_port(as_input("oven.T"))
    ('oven.T (input)', 'oven.T')
    """
    return port + _INPUT


def as_port(name: Port) -> Port:
    """Return the port that is called so."""
    return name.removesuffix(_INPUT)


def dependency_edges(
    connections: Iterable[tuple[Port, Port]], feedthrough: Iterable[tuple[Port, Port]]
) -> dict[Port, list[Port]]:
    """Return port -> ports that depend on it at the same instant.

    Parameters
    ----------
    connections : pairs (output, input)
        Those without an ``initial`` value.
    feedthrough : pairs (input, output)
        Inside subsystems.
    """
    edges: dict[Port, list[Port]] = {}
    for before, after in [*connections, *feedthrough]:
        edges.setdefault(before, []).append(after)
    return edges


def find_loop(edges: Edges) -> list[Port]:
    """Return the ports around a loop, the first repeated at the end; empty when there is none.

    >>> find_loop({"a.y": ["b.u"], "b.u": ["b.y"], "b.y": ["a.u"], "a.u": ["a.y"]})
    ['a.y', 'b.u', 'b.y', 'a.u', 'a.y']
    """
    if not _has_chains(edges):
        return []
    state: dict[Port, int] = {}  # 1: on the path, 2: done
    for root in edges:
        path = [root]
        iterators = [iter(edges.get(root, []))]
        if state.get(root):
            continue
        state[root] = 1
        while path:
            following = next(iterators[-1], None)
            if following is None:
                state[path.pop()] = 2
                iterators.pop()
            elif state.get(following) == 1:
                return [*path[path.index(following) :], following]
            elif following not in state:
                state[following] = 1
                path.append(following)
                iterators.append(iter(edges.get(following, [])))
    return []


def _has_chains(edges: Edges) -> bool:
    """Whether an edge begins where another one ends; without direct feedthrough none does, and that is usual."""
    return any(port in edges for after in edges.values() for port in after)


def tear_loops(edges: Edges, inputs: Iterable[Port]) -> tuple[dict[Port, list[Port]], list[Port]]:
    """Return the edges without loops, and the inputs whose sources were cut off for that.

    >>> loop = {"a.y": ["b.u"], "b.u": ["b.y"], "b.y": ["a.u"], "a.u": ["a.y"]}
    >>> tear_loops(loop, ["a.u", "b.u"])[1]
    ['b.u']
    """
    known = set(inputs)
    left = {port: list(after) for port, after in edges.items()}
    torn: list[Port] = []
    while loop := find_loop(left):
        port = next(port for port in loop if port in known)
        torn.append(port)
        left = {before: [after for after in list_ if after != port] for before, list_ in left.items()}
    return left, torn


def longest_chain(edges: Edges) -> int:
    """Return the number of edges of the longest chain; there must be no loop.

    >>> longest_chain({"a.y": ["b.u"], "b.u": ["b.y"]})
    2
    """
    if not _has_chains(edges):
        return int(any(edges.values()))
    length: dict[Port, int] = {}
    order: list[Port] = []
    stack = [(port, False) for port in edges]
    seen: set[Port] = set()
    while stack:
        port, finished = stack.pop()
        if finished:
            order.append(port)
        elif port not in seen:
            seen.add(port)
            stack.append((port, True))
            stack.extend((after, False) for after in edges.get(port, []))
    for port in order:
        length[port] = max((1 + length[after] for after in edges.get(port, [])), default=0)
    return max(length.values(), default=0)
