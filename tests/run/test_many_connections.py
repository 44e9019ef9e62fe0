"""Very many connections: what is done per connection is counted, not timed."""

import pytest

import counterpoint as cp
from counterpoint._common import ports
from counterpoint._run.options import RunOptions
from counterpoint._run.plan import make_plan


class Name(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def ring(count):
    """As many subsystems as connections."""
    system = cp.System("ring")
    for k in range(count):
        model = cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x")
        system.add(Name(f"s{k}"), model, step=0.1)
    for k in range(count):
        system.connect(f"s{k}.x", f"s{(k + 1) % count}.u")
    return system


def wide(count):
    """Two subsystems with very many ports."""
    system = cp.System("wide")
    system.add("a", cp.source(lambda t: count * [t], outputs=[f"y{k}" for k in range(count)]), step=0.1)
    model = cp.ode(lambda t, x, u: -x, [0.0], inputs=[f"u{k}" for k in range(count)], outputs="z")
    system.add("b", model, step=0.1)
    for k in range(count):
        system.connect(f"a.y{k}", f"b.u{k}")
    return system


@pytest.mark.parametrize("scheme", ["slowest-first", "sequential"])
def test_names_of_subsystems_are_compared_a_few_times_per_connection(scheme):
    def comparisons(count):
        system = ring(count)
        Name.compared = 0
        make_plan(system, RunOptions(until=1.0, scheme=scheme))
        return Name.compared

    assert comparisons(800) <= 5 * comparisons(200)


def test_ports_are_looked_at_as_often_for_many_connections_as_for_few(monkeypatch):
    def looks(count):
        system = wide(count)
        seen = []
        real = ports.port_widths
        monkeypatch.setattr("counterpoint.subsystems.base.port_widths", lambda *a: seen.append(1) or real(*a))
        make_plan(system, RunOptions(until=1.0))
        monkeypatch.undo()
        return len(seen)

    assert looks(400) == looks(100)


def test_a_run_with_very_many_connections_gives_what_each_says():
    count = 5000
    result = wide(count).run(until=0.2)
    assert result.status == "finished"
    assert len(result["a.y4999"].time) == 3
