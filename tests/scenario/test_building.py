"""From tables to a system: names, shapes, models, approximations."""

import pytest

import counterpoint as cp


def test_a_good_scenario_is_built(write, good):
    scenario = cp.Scenario.read(write(good, "two mass.toml"))
    assert scenario.name == "two mass"
    assert (scenario.begin, scenario.until, scenario.threads) == (0.0, 2.0, 1)
    system = scenario.build()
    assert list(system.subsystems) == ["fast", "slow"]
    assert system.subsystems["slow"].step == 0.1
    assert len(system.connections) == 2


def test_a_good_scenario_runs(write, good):
    result = cp.Scenario.read(write(good)).run()
    assert result.status == "finished"
    assert result.end == pytest.approx(2.0)


def test_an_unknown_subsystem_in_a_connection_gets_a_suggestion(write, good, problems):
    found = problems(write(good.replace('from = "slow.x"', 'from = "slwo.x"')))
    assert any(p.startswith("connections[0].from: ") and 'did you mean "slow"?' in p for p in found), found


def test_an_unknown_port_is_named(write, good, problems):
    found = problems(write(good.replace('to = "slow.u"', 'to = "slow.v"')))
    assert any(p.startswith("connections[1].to: ") and "slow.v" in p and p.endswith("(line 31)") for p in found), found


def test_an_open_input_is_refused(write, good, problems):
    found = problems(write(good[: good.rindex("[[connections]]")]))
    assert len(found) == 1
    assert "slow" in found[0]
    assert "u" in found[0]


def test_a_constant_closes_an_input(write, good):
    text = good[: good.rindex("[[connections]]")] + '[set]\n"slow.u" = 0.5\n'
    cp.Scenario.read(write(text)).build()


def test_a_constant_for_an_unknown_input_is_refused(write, good, problems):
    found = problems(write(good + '[set]\n"slow.brake" = 0.5\n'))
    assert any(p.startswith('set."slow.brake"') for p in found), found


def test_an_input_driven_twice_is_refused(write, good, problems):
    found = problems(write(good + '[[connections]]\nfrom = "slow.x"\nto = "slow.u"\n'))
    assert any(p.startswith("connections[2].to: ") and "slow.u" in p for p in found), found


def test_units_that_do_not_agree_are_refused_with_the_line(write, good, problems):
    text = good.replace("x0 = [1.0, 0.0]", 'x0 = [1.0, 0.0]\nunits = { x = "mm", u = "m" }')
    found = problems(write(text))
    assert len(found) == 2
    assert all(p.startswith("connections[") and "convert = true converts by" in p and "(line " in p for p in found)


def test_units_are_converted_for_one_connection_or_for_all(write, good):
    text = good.replace("x0 = [1.0, 0.0]", 'x0 = [1.0, 0.0]\nunits = { x = "mm", u = "m" }')
    each = cp.Scenario.read(write(text.replace("[[connections]]", "[[connections]]\nconvert = true"))).run()
    once = cp.Scenario.read(write("convert = true\n" + text)).run()
    plain = cp.Scenario.read(write(text.replace("[[connections]]", "[[connections]]\ngain = 0.001\nconvert = false")))
    assert each["fast.x"].values[-1] == once["fast.x"].values[-1] == plain.run()["fast.x"].values[-1]


def test_matrices_that_do_not_fit_are_refused(write, good, problems):
    found = problems(write(good.replace("x0 = [1.0, 0.0]", "x0 = [1.0]", 1)))
    assert any(p.startswith("subsystems.fast.A: shape (2, 2)") for p in found), found


def test_a_vector_does_not_enter_a_scalar_input(write, good, problems):
    text = good.replace("C = [[1.0, 0.0]]\n", "C = [[1.0, 0.0], [0.0, 1.0]]\n", 1)
    found = problems(write(text.replace('outputs = ["x"]', "outputs = { x = 2 }", 1)))
    assert any(p.startswith("connections[1]") for p in found), found


def test_an_unknown_signal_to_plot_gets_a_suggestion(write, good, problems):
    found = problems(write('plot = ["fast.x", "fast.xx"]\n' + good))
    assert found == ['plot[1]: "fast.xx": no such output; did you mean "fast.x"? (line 1)']


def test_unknown_subsystems_in_a_custom_scheme_are_refused(write, good, problems):
    text = good.replace('"slowest-first"', '{ waits_for = { fast = ["slwo"] } }')
    assert any(p.startswith("scheme") for p in problems(write(text)))


@pytest.mark.parametrize("scheme", ['{ waits_for = { fast = ["slow"] } }', '{ sequential = ["slow", "fast"] }'])
def test_an_order_of_ones_own_runs(write, good, scheme):
    scenario = cp.Scenario.read(write(good.replace('"slowest-first"', scheme)))
    assert scenario.run().status == "finished"


@pytest.mark.parametrize(
    "approximation",
    [
        '{ kind = "hold", side = "ahead" }',
        '{ kind = "lagrange", order = 4 }',
        '{ kind = "hermite" }',
        '{ kind = "taylor", order = 1 }',
        '{ kind = "least-squares", order = 1, points = 4 }',
        '{ kind = "mean", weighting = "time-weighted" }',
        '{ kind = "transition", order = 1 }',
        '{ kind = "python", object = "mine.py:Last" }',
    ],
)
def test_every_kind_of_approximation_runs(write, good, approximation):
    write(
        "import counterpoint as cp\nclass Last(cp.Approximation):\n    def evaluate(self, times, values, t):\n        return values[-1]\n",
        "mine.py",
    )
    result = cp.Scenario.read(write(f"approximation = {approximation}\n" + good)).run()
    assert result.status == "finished"


@pytest.mark.parametrize(
    "subsystem",
    [
        'type = "second-order"\nM = [[1.0]]\nK = [[4.0]]\nB = [[1.0]]\nq0 = [1.0]\noutputs = ["x", "v"]',
        'type = "ode"\nrhs = "mine.py:rhs"\nx0 = [1.0]\ninputs = ["u"]\nsolver = "ode4"',
        'type = "ode"\nrhs = "mine.py:rhs"\noutput = "mine.py:rhs"\noutputs = ["x"]\nfeedthrough = true\nx0 = [1.0]\ninputs = ["u"]\nsolver = "ode4"',
        'type = "linear"\nA = [[-1.0]]\nB = [[1.0]]\nx0 = [1.0]\ninputs = "u"\noutputs = "x"\ndefaults = { u = 1.0 }',
    ],
)
def test_every_type_of_model_runs(write, subsystem):
    write("def rhs(t, x, u):\n    return [u[0] - x[0]]\n", "mine.py")
    text = f'until = 1.0\nplot = ["model.x"]\n[subsystems.model]\nstep = 0.1\n{subsystem}\n[set]\n"model.u" = 2.0\n'
    assert cp.Scenario.read(write(text)).run().status == "finished"


def test_a_law_makes_an_input_from_several_outputs(write, good):
    write("def larger(a, b):\n    return max(a, b)\n", "laws.py")
    text = (
        good + '[subsystems.third]\ntype = "linear"\nstep = 0.1\nA = [[-1.0]]\nB = [[1.0]]\nx0 = [0.0]\ninputs = "u"\n'
    )
    text += '[[connections]]\nfrom = ["fast.x", "slow.x"]\nto = "third.u"\nlaw = "laws.py:larger"\ngain = [1.0, 0.5]\n'
    assert cp.Scenario.read(write(text)).run().status == "finished"


def test_gains_that_do_not_match_the_outputs_are_named(write, good, problems):
    (found,) = problems(write(good.replace('to = "slow.u"', 'to = "slow.u"\ngain = [1.0, 2.0]')))
    assert found.startswith("connections[1].gain: 2 values for 1 sources")


def test_windows_of_a_scenario_are_repeated(write, good):
    text = good.replace('scheme = "slowest-first"', 'scheme = "parallel"\nwindow = { length = 0.1, repeats = 2 }')
    scenario = cp.Scenario.read(write(text))
    assert scenario.window == cp.window(0.1, 2)
    result = scenario.run()
    assert (result.summary.windows.count, result.summary.windows.passes) == (20, 60)
    assert scenario.run(window=None).summary.windows is None


def test_the_first_steps_of_a_scenario_are_repeated(write, good):
    text = good.replace('scheme = "slowest-first"', 'scheme = "parallel"\n{}')
    written = {
        line: cp.Scenario.read(write(text.replace("{}", line))).run()
        for line in ('first_steps = "repeat"', 'start = "repeat"', "", 'first_steps = "once"')
    }
    repeated = [result.summary.first_steps.repeated for result in written.values()]
    assert repeated == [True, True, True, False]
    ends = [result["slow.x"].values[-1] for result in written.values()]
    assert ends[0] == ends[1] == ends[2] != ends[3]


def test_first_steps_that_cannot_be_are_told_with_key_and_line(write, good, problems):
    found = problems(write(f'first_steps = "often"\n{good}'))
    assert len(found) == 1
    assert found[0].startswith("first_steps: ")
    assert found[0].endswith("(line 1)")
    assert problems(write(f'first_steps = "repeat"\nwindow = {{ length = 0.1 }}\n{good}')) == [
        "first_steps: a window repeats all steps; use one of the two (line 1)"
    ]


@pytest.mark.parametrize("written", ['{ kind = "variable-order" }', '{ kind = "transition" }'])
def test_approximations_whose_orders_may_be_left_out(write, good, written):
    name = "variable order 0 to 3" if "variable" in written else "transition 2"
    system = cp.Scenario.read(write(f"approximation = {written}\n{good}")).build()
    assert name in {str(a).strip("<>") for connection in system.connections for a in connection.approximations}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('"repeat-once"', cp.Window(stencil="centred")),
        ("{ tolerance = 1e-6 }", cp.window(tolerance=1e-6)),
        (
            '{ length = 0.1, acceleration = "iqn-ils", reuse = 3, when_not_converged = "cut" }',
            cp.window(0.1, acceleration="iqn-ils", reuse=3, when_not_converged="cut"),
        ),
        ('{ compound = "mixed", acceleration = "aitken" }', cp.compound_fast(share="mixed", acceleration="aitken")),
        ('{ compound = 0.5, fast = ["fast"] }', cp.compound_fast(share=0.5, fast=["fast"])),
        ("{ length = 0.2, estimate = 3 }", cp.estimated_response(0.2, order=3)),
    ],
    ids=str,
)
def test_windows_have_the_options_of_python(write, good, given, expected):
    assert cp.Scenario.read(write(f"window = {given}\n{good}")).window == expected


def test_a_window_takes_derivatives_of_the_models_when_it_is_run(write, good):
    window = '{ length = 0.1, acceleration = "newton", derivatives = "models" }'
    scenario = cp.Scenario.read(write(f"window = {window}\n{good}"))
    assert scenario.window == cp.window(0.1, acceleration="newton")
    made = scenario.options().window
    assert made is not None and made.derivatives is not None
    assert set(made.derivatives.models) == {"fast", "slow"}
    assert scenario.run().summary.windows.not_converged == 0


def test_windows_that_cannot_be_are_told_with_key_and_line(write, good, problems):
    def told(window):
        return problems(write(f"window = {window}\n{good}"))

    assert told("{ length = 0.0 }") == ["window.length: 0.0: must be greater than 0 (line 1)"]
    assert told("{ repeats = 0 }") == ["window.repeats: 0: must be greater than or equal to 1 (line 1)"]
    assert 'window.repeat: unknown key; did you mean "repeats"?' in told("{ length = 0.1, repeat = 1 }")[0]
    assert told("{ length = 0.05 }") == [
        'window.length: 0.05 s is shorter than the step of "slow", 0.1 s; use at least that (line 1)'
    ]
