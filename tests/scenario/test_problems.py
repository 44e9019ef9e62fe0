"""How mistakes are told: all at once, in order, with their lines."""

import copy
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint._files.folder import Folder
from counterpoint._files.problems import Document, Mistakes, line_of, path_of
from counterpoint.errors import ScenarioError
from counterpoint.scenario.building import Builder
from counterpoint.scenario.checking import check

SOURCE = """\
until = 2.0
[subsystems.road]
type = "table"
file = "road.csv"
step = 0.1
"""


VALUES = st.recursive(
    st.one_of(
        st.integers(),
        st.floats(),
        st.booleans(),
        st.text(max_size=5),
        st.dates(),
        st.sampled_from(["linear", "table", "python", "ode", "lagrange", "fast.x", "slow.u", "slow", "x.csv"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["type", "kind", "object", "file", "step", "waits_for", "a"]), inner),
    ),
    max_leaves=5,
)


def places(values, path=()):
    yield path
    inside = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


def test_mistakes_of_all_kinds_are_reported_in_one_go(write, good, problems):
    text = (
        good.replace("until", "unitl")
        .replace("step = 0.1", "step = -0.1")
        .replace("order = 3", "order = 9")
        .replace("[subsystems.fast]", SOURCE.partition("\n")[2] + "[subsystems.fast]")
    )
    found = "\n".join(problems(write(text)))
    for expected in (
        "unitl: unknown key",
        "until: missing",
        "slow.step: -0.1",
        "order: 9",
        'file: "road.csv": no such file',
    ):
        assert expected in found
    assert "not connected" not in found


def test_mistakes_come_in_the_order_of_the_file(write, good, problems):
    text = good.replace("step = 0.1", "step = -0.1").replace("step = 0.01", "step = nan")
    lines = [int(problem.rpartition("(line ")[2].rstrip(")")) for problem in problems(write(text))]
    assert lines == sorted(lines)


def test_a_value_that_is_wrong_is_quoted_once(write, good, problems):
    found = problems(write(good.replace("step = 0.01", 'step = "fast"')))
    assert len(found) == 1
    assert 'step: "fast": is not a time; write it as "0.1 ms"' in found[0]


def test_a_wrong_part_does_not_bring_up_mistakes_that_follow_from_it(write, good, problems):
    (found,) = problems(write(good.replace("step = 0.1", "step = -0.1")))
    assert found.startswith("subsystems.slow.step: -0.1")


def test_a_connection_keeps_its_number_when_another_is_wrong(write, good, problems):
    text = good.replace("order = 3", "order = 9").replace('to = "slow.u"', 'to = "slow.v"')
    found = problems(write(text))
    assert [p.partition(":")[0] for p in found] == ["connections[0].approximation.order", "connections[1].to"]


def test_lines_are_found_through_multi_line_values_and_comments():
    text = 'a = 1\n# b = 2\nm = [\n  1,\n  2,\n]\n\n[t]\nx = """\nb = 7\n"""\nb = 3\n[[c]]\nd = 1\n[[c]]\nd = 2\n'
    assert line_of(text, ("a",)) == 1
    assert line_of(text, ("m",)) == 3
    assert line_of(text, ("m", 1)) == 3
    assert line_of(text, ("t",)) == 8
    assert line_of(text, ("t", "x")) == 9
    assert line_of(text, ("t", "b")) == 12
    assert line_of(text, ("c", 1, "d")) == 16
    assert line_of(text, ("c", 1, "missing")) == 15
    assert line_of(text, ("nowhere",)) is None


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("connections[0].to", ("connections", 0, "to")),
        ("subsystems.my car.step", ("subsystems", "my car", "step")),
        ('subsystems."my car".step', ("subsystems", "my car", "step")),
        ("set.my car.u", ("set", "my car.u")),
        ("subsystems.my car.inputs.u", ("subsystems", "my car", "inputs", "u")),
        ("scheme", ("scheme",)),
    ],
)
def test_a_place_is_found_however_its_names_are_written(where, path):
    values = {
        "connections": [{"to": "my car.u"}],
        "subsystems": {"my": {}, "my car": {"step": 1, "inputs": ["u"]}},
        "set": {"my car.u": 3},
    }
    assert path_of(where, values) == path


def test_more_mistakes_than_one_reads_are_counted(write, good, problems):
    extra = '[[connections]]\nfrom = "slow.x"\n' * 200
    found = problems(write(good + extra))
    assert len(found) == 41
    assert found[-1] == "... and 160 more"


@given(st.data())
def test_whatever_stands_in_a_scenario_it_is_right_or_explained(good, data):
    values = tomllib.loads(good)
    for _ in range(data.draw(st.integers(1, 3))):
        *parents, key = data.draw(st.sampled_from([path for path in places(values) if path]))
        table = values
        for parent in parents:
            table = table[parent]
        table[key] = copy.deepcopy(data.draw(VALUES))
    mistakes = Mistakes(Document("case.toml", "", values))
    table, indices = check(mistakes.document, mistakes)
    if table is not None:
        Builder(table, indices, Folder(Path(__file__).parent), mistakes, run_code=False).system("case")
    assert table is not None or mistakes
    if mistakes:
        with pytest.raises(ScenarioError, match=r"^case\.toml: "):
            mistakes.raise_if_any()


@given(st.binary(max_size=200))
def test_whatever_bytes_a_file_holds_the_error_is_ours(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.toml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError):
        cp.Scenario.read(path)


def test_problems_of_a_huge_file_are_told_without_their_lines(tmp_path):
    points = "".join(f"P{k} = {{ at = {k} }}\n" for k in range(20_000))
    text = "until = 1\n[subsystems]\n" + points
    mistakes = Mistakes(Document("huge.toml", text, {}))
    mistakes.add(("subsystems", "P7"), "wrong")
    with pytest.raises(ScenarioError, match=r"^huge.toml: subsystems.P7: wrong$"):
        mistakes.raise_if_any()
