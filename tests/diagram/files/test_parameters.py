"""Parameters of blocks in files have the names that Python documents."""

import pytest

import counterpoint as cp

HEAD = '[diagram]\nname = "d"\nstep = 0.1\n\n[blocks]\none = { kind = "constant", value = 1.0 }\n'


def load(tmp_path, block):
    path = tmp_path / "d.toml"
    path.write_text(f'{HEAD}b = {{ {block} }}\n\n[outputs]\ny = "b"\n', encoding="utf-8")
    return cp.diagram.load(path)


def last(model):
    return model.run(until=1.0)["d.y"].values[-1]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('kind = "pid", inputs = ["one"], proportional = 2.0, limits = [-1.0, 1.0]', 1.0),
        ('kind = "pid", inputs = ["one"], proportional = 2.0, limits = [-inf, 1.5]', 1.5),
        ('kind = "pid", inputs = ["one"], proportional = 2.0, lower = -1.0, upper = 1.0', 1.0),
        ('kind = "pid", inputs = { setpoint = "one", measurement = 0.25 }, proportional = 2.0', 1.5),
        ('kind = "pid", inputs = { error = "one", tracking = 0.0 }, integral = 0.0, initial = 3.0', 3.0),
        ('kind = "discrete_pid", inputs = ["one"], proportional = 2.0, limits = [0, 1], sample_time = 0.1', 1.0),
        ('kind = "integrator", inputs = ["one"], limits = [0.0, 0.5]', 0.5),
        ('kind = "integrator", inputs = { u = 0.0, external_initial = "one" }', 1.0),
        ('kind = "integrator", inputs = { u = 0.0, initial = "one" }', 1.0),
        ('kind = "integrator", inputs = { u = "one", reset = "one" }, edge = "level"', 0.0),
        ('kind = "saturation", inputs = { u = "one", lower = 0.0, upper = 0.25 }', 0.25),
    ],
)
def test_a_file_takes_the_parameters_that_python_documents(tmp_path, block, expected):
    model = load(tmp_path, block)
    value = last(model)
    model.save(tmp_path / "again.toml")
    again = cp.diagram.load(tmp_path / "again.toml")
    if "tracking" not in block:
        assert value == pytest.approx(expected, abs=1e-12)
    assert last(again) == value


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ('kind = "pid", inputs = ["one"], prportional = 2.0', 'of pid; did you mean "proportional"?'),
        ('kind = "saturation", inputs = ["one"], limits = [0.0, 0.5]', "it has: lower, upper (line"),
        (
            'kind = "integrator", inputs = ["one"], xyz = 2.0',
            '"xyz": no such parameter of integrator; it has: edge, initial, limits, show_saturation (line',
        ),
        (
            'kind = "integrator", inputs = ["one"], edge = "falling"',
            'blocks.b: "edge": there is no reset signal; name it: inputs = { reset = "signal", ... } (line',
        ),
        (
            'kind = "integrator", inputs = { u = "one", reset = "one" }, edge = "up"',
            '"edge": "up" is not one of rising, falling, either, level (line',
        ),
        ('kind = "integrator", inputs = ["one"], limits = 3.0', '"limits": 3.0; expected a pair (lower, upper)'),
    ],
)
def test_messages_name_what_a_file_may_contain(tmp_path, block, message):
    with pytest.raises(cp.ScenarioError) as caught:
        load(tmp_path, block)
    assert message in str(caught.value)


def test_all_mistakes_of_a_block_are_told_at_once(tmp_path):
    with pytest.raises(cp.ScenarioError) as caught:
        load(tmp_path, 'kind = "transfer_function", inputs = ["one"], numeratr = [1.0], gian = 3.0, initial = "x"')
    said = str(caught.value)
    for words in (
        '"numerator": is missing',
        '"denominator": is missing',
        '"initial": expected a number, not text',
        '"numeratr": no such parameter of transfer_function; did you mean "numerator"?',
        '"gian": no such parameter of transfer_function; it has: denominator, initial, numerator',
    ):
        assert words in said
    assert len(said.splitlines()) == 5


def test_a_wrong_value_hides_no_unknown_name(tmp_path):
    with pytest.raises(cp.ScenarioError) as caught:
        load(tmp_path, 'kind = "integrator", inputs = ["one"], initial = "x", limts = [0, 1]')
    assert '"initial": expected a number, not text' in str(caught.value)
    assert '"limts": no such parameter of integrator; did you mean "limits"?' in str(caught.value)


def test_a_block_in_python_lists_its_mistakes_as_well():
    with pytest.raises(cp.SetupError) as caught:
        cp.Diagram("d").add("transfer_function", name="g", denominator="x", gian=3.0)
    assert [problem.partition('transfer_function "g": ')[2] for problem in caught.value.problems] == [
        '"denominator": expected a number, not text',
        '"numerator": is missing',
        '"gian": no such parameter of transfer_function; it has: denominator, initial, numerator',
    ]


def test_a_block_that_lacks_a_parameter_hides_no_mistake_elsewhere(tmp_path):
    path = tmp_path / "d.toml"
    path.write_text(
        f"""{HEAD}
lag = {{ kind = "transfer_function", inputs = ["one"], numerator = [1.0] }}
reader = {{ kind = "gain", gain = 2.0, inputs = ["lag"] }}
typo = {{ kind = "gain", gain = 2.0, inputs = ["oen"] }}
inner = {{ superblock = "s", inputs = {{ u = "one" }} }}
other = {{ kind = "gain", gian = 2.0, inputs = ["inner.y"] }}

[superblocks.s.inputs]
u = {{}}

[superblocks.s.blocks]
half = {{ kind = "gain", inputs = ["u"] , gain = "much" }}

[superblocks.s.outputs]
y = "half"

[outputs]
y = "lag"
z = "nothing"
""",
        encoding="utf-8",
    )
    with pytest.raises(cp.ScenarioError) as caught:
        cp.diagram.load(path)
    said = str(caught.value)
    for words in ('"denominator": is missing', '"oen"', '"gain": expected a number', '"gian": no such', '"nothing"'):
        assert words in said
    assert len(said.splitlines()) == 6, said  # a gain without its gain has two: one unknown, one missing
