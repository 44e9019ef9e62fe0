"""Diagrams as a user builds them: names, ports, superblocks, and what is said when something is wrong."""

import numpy as np
import pytest

import counterpoint as cp


def oscillator(name="oscillator", **settings):
    model = cp.Diagram(name, **settings)
    x = model.integrator(initial=1.0, name="x")
    v = model.integrator(-4 * x, name="v")
    v >> x
    model.output("x", x, unit="m")
    return model


def test_a_diagram_runs_alone_with_the_accuracy_of_its_solver():
    # RK4 with h = 0.01 at 2 rad/s over 10 s: t w^5 h^4 / 120 = 2.7e-8 in phase.
    result = oscillator().run(until=10.0, step=0.01)
    assert result["oscillator.x"].values[-1] == pytest.approx(np.cos(20.0), abs=5e-8)


def test_a_preferred_step_is_used_when_no_other_is_given():
    result = oscillator(step=0.5).run(until=2.0)
    assert len(result["oscillator.x"].values) == 5


def test_superblocks_do_not_change_a_single_bit():
    plain = cp.Diagram("plain")
    u = plain.sine(3.0)
    a = plain.integrator(u, initial=0.5)
    plain.output("y", plain.integrator(2 * a - u))

    first, second = cp.Diagram("first"), cp.Diagram("second")
    u = first.input("u")
    first.output("y", first.integrator(u, initial=0.5))
    a, u = second.input("a"), second.input("u")
    second.output("y", second.integrator(2 * a - u))
    nested = cp.Diagram("nested")
    u = nested.sine(3.0)
    nested.output("y", nested.superblock(second, nested.superblock(first, u), u=u))

    flat = plain.run(until=2.0, step=0.01)["plain.y"].values
    assert np.array_equal(flat, nested.run(until=2.0, step=0.01)["nested.y"].values)


def test_a_superblock_with_two_paths_makes_no_loop_that_is_not_there():
    through = cp.Diagram("through")
    a, b = through.input("a"), through.input("b")
    through.output("a2", 2 * a)
    through.output("b2", 2 * b)
    model = cp.Diagram("model")
    block = model.superblock(through, 1.0)
    block["a2"] >> block  # the second input, fed by the first output
    model.output("y", block["b2"])
    assert model.run(until=0.1, step=0.1)["model.y"].values[-1] == 4.0


def test_one_diagram_can_be_used_several_times():
    lag = cp.Diagram("lag")
    u = lag.input("u")
    x = lag.integrator(name="x")
    (u - x) >> x
    lag.output("y", x)
    model = cp.Diagram("two")
    first = model.superblock(lag, 1.0, name="a")
    model.output("y", model.superblock(lag, first, name="b"))
    t = 2.0
    exact = 1.0 - np.exp(-t) * (1.0 + t)
    assert model.run(until=t, step=0.01)["two.y"].values[-1] == pytest.approx(exact, abs=1e-9)


def test_an_enabled_superblock_rests_while_it_is_not():
    counter = cp.Diagram("counter")
    counter.output("t", counter.integrator(1.0))
    model = cp.Diagram("model")
    gate = model.step(1.0) - 0.5
    model.output("t", model.superblock(counter, enable=gate))
    values = model.run(until=3.0, step=0.3)["model.t"].values
    assert values[3] == 0.0
    assert values[-1] == pytest.approx(2.0, abs=1e-12)  # the step ends at 1 s although 1 is no multiple of 0.3


def test_inputs_and_outputs_connect_to_other_subsystems():
    model = cp.Diagram("lag")
    x = model.integrator(name="x")
    (model.input("u", unit="V") - x) >> x
    model.output("y", x, unit="A")
    system = cp.System()
    system.add("source", cp.source(lambda t: 1.0, outputs="u"), step=0.01)
    system.add("lag", model, step=0.01)
    system.connect("source.u", "lag.u")
    result = system.run(until=1.0)
    assert result["lag.y"].values[-1] == pytest.approx(1.0 - np.exp(-1.0), abs=1e-9)
    assert result["lag.y"].unit == "A"


def test_an_input_of_a_superblock_that_nothing_enters_takes_its_default():
    inner = cp.Diagram("inner")
    inner.output("y", 2 * inner.input("u", 3.0))
    model = cp.Diagram("outer")
    model.output("a", model.superblock(inner))
    model.output("b", model.superblock(inner, 1.0))
    result = model.run(until=0.1, step=0.1)
    assert (result["outer.a"].values[-1], result["outer.b"].values[-1]) == (6.0, 2.0)


def test_an_input_without_a_default_must_be_connected():
    inner = cp.Diagram("inner")
    inner.output("y", 2 * inner.input("u"))
    model = cp.Diagram("outer")
    model.output("y", model.superblock(inner))
    with pytest.raises(cp.SetupError, match='inner1: nothing is connected to input "u"'):
        model.subsystem()
    with pytest.raises(cp.SetupError, match="u"):
        inner.run(until=1.0, step=0.1)


def test_feedthrough_is_known_per_pair_of_ports():
    model = cp.Diagram("model")
    u, w = model.input("u"), model.input("w")
    model.output("through", 3 * u)
    model.output("held", model.integrator(w))
    assert set(model.subsystem().feedthrough) == {("through", "u")}


def test_numbers_become_constants_and_operators_blocks():
    model = cp.Diagram("arithmetic")
    u = model.constant(6.0)
    for name, signal in {
        "a": u + 1, "b": 1 - u, "c": u * 2, "d": u / 4, "e": 3 / u, "f": -u, "g": u * u, "h": u / u + 2 * u,
    }.items():  # fmt: skip
        model.output(name, signal)
    result = model.run(until=0.1, step=0.1)
    values = {name: result[f"arithmetic.{name}"].values[-1] for name in "abcdefgh"}
    assert values == {"a": 7.0, "b": -5.0, "c": 12.0, "d": 1.5, "e": 0.5, "f": -6.0, "g": 36.0, "h": 13.0}


def test_every_unconnected_input_is_named():
    model = cp.Diagram("open")
    model.integrator(name="x")
    model.output("y", model.sum(signs="+-", name="difference"))
    with pytest.raises(cp.SetupError) as error:
        model.run(until=1.0, step=0.1)
    assert error.value.problems == [
        'x: nothing is connected to input "u"',
        'difference: nothing is connected to input "u1"',
        'difference: nothing is connected to input "u2"',
    ]


def test_an_input_that_is_driven_twice_names_both():
    model = cp.Diagram("twice")
    x = model.integrator(1.0, name="x")
    with pytest.raises(cp.SetupError, match=r'input "u" is driven twice, by constant1.y and by constant2.y'):
        x.connect(u=2.0)


def test_vectors_that_do_not_fit_name_both_ends():
    model = cp.Diagram("sizes")
    model.output("y", model.sum(model.constant([1, 2, 3], name="three"), model.constant([1, 2], name="two"), name="s"))
    with pytest.raises(cp.SetupError, match=r's: inputs of widths 3 and 2.*"u2" comes from two.y, which has width 2'):
        model.run(until=1.0, step=0.1)


def test_an_algebraic_loop_names_the_way_around_and_a_remedy():
    model = cp.Diagram("loop")
    a = model.gain(0.5, name="a")
    b = model.sum(a, 1.0, name="b")
    b >> a
    model.output("b", b)
    with pytest.raises(cp.SetupError, match=r"algebraic loop: (a -> b -> a|b -> a -> b).*memory block between"):
        model.run(until=1.0, step=0.1)


def test_an_algebraic_loop_is_solved_when_asked():
    model = cp.Diagram("loop", algebraic_loops="solve")
    a = model.gain(0.5, name="a")
    b = model.sum(a, model.sine(1.0), name="b")
    b >> a
    model.output("b", b)
    result = model.run(until=1.0, step=0.1)["loop.b"]
    assert result.values == pytest.approx(2.0 * np.sin(result.time), abs=1e-9)  # b = b/2 + sin t


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.gain(np.nan), '"gain": must be finite'),
        (lambda m: m.gain("3"), '"gain": expected a number, not text'),
        (lambda m: m.sum(1.0, signs="+*"), '"signs": only \\+ and - are allowed'),
        (lambda m: m.integrator(1.0, initial=[]), "initial"),
        (lambda m: m.constant(1.0, name="a.b"), '"a.b" is not a valid name'),
        (lambda m: m.add("gian", gain=1.0), 'no kind of block "gian"'),
        (lambda m: m.constant(1.0)["z"], 'no output "z"'),
        (lambda m: m.integrator(1.0).connect(v=2.0), 'no input "v"'),
        (lambda m: m.superblock(m), "cannot contain itself"),
        (lambda m: m.as_signal(object()), "is not a signal"),
        (lambda m: cp.Diagram("other").constant(1.0) >> m.gain(1.0), 'is in diagram "other"'),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram("m"))


def test_a_diagram_without_outputs_or_with_a_wrong_solver_is_refused():
    with pytest.raises(cp.SetupError, match="no outputs"):
        cp.Diagram("m").subsystem()
    with pytest.raises(cp.SetupError, match=r'no solver "ode46".*did you mean "ode4"'):
        oscillator(solver="ode46").subsystem()
    with pytest.raises(cp.SetupError, match=r'no option "rtoll"'):
        oscillator(rtoll=1e-3).subsystem()


def test_a_state_that_grows_without_bound_names_its_block_and_time():
    model = cp.Diagram("runaway")
    x = model.integrator(initial=1e300, name="x")
    (1e10 * x) >> x
    model.output("x", x)
    with pytest.raises(cp.SimulationError, match=r'block "(x|gain1)".* at t = '):
        model.run(until=10.0, step=0.1)


def test_ten_thousand_blocks_compile_and_run():
    model = cp.Diagram("chain")
    signal = model.sine(1.0)
    for _ in range(10_000):
        signal = model.gain(1.0, signal)
    model.output("y", signal)
    result = model.run(until=0.1, step=0.1)["chain.y"]
    assert result.values[-1] == np.sin(0.1)
