import pytest

import counterpoint as cp
from counterpoint._run.options import RunOptions
from counterpoint.federation.partition import one_each, owners, share_of, waits_across


def two():
    system = cp.System("two")
    for name, other in (("a", "b"), ("b", "a")):
        system.add(name, cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=0.1)
        system.connect(f"{other}.x", f"{name}.u")
    return system


def test_a_part_has_its_own_subsystems_and_those_it_reads():
    share = share_of(two(), RunOptions(until=1.0), one_each(two()), "a")
    assert list(share.local.subsystems) == ["a", "b"]
    assert [c.target for c in share.local.connections] == ["a.u"]
    assert share.sources == ("b",)
    assert [(e.name, e.ports, e.receivers) for e in share.exports] == [("a", ("x",), ("b",))]


def test_all_parts_have_the_same_digest_and_other_scenarios_another():
    options = RunOptions(until=1.0)
    digests = {share_of(two(), options, one_each(two()), part).digest for part in "ab"}
    assert len(digests) == 1
    assert share_of(two(), RunOptions(until=2.0), one_each(two()), "a").digest not in digests


def test_every_subsystem_is_in_one_part():
    with pytest.raises(cp.SetupError) as caught:
        owners(two(), {"p": ["a", "c"], "q": ["a"], "r": []})
    assert caught.value.problems == [
        'parts.p: no subsystem "c"; known: "a", "b"',
        'parts.q: "a" is in the part "p" already',
        "parts.r: has no subsystems",
        'parts: "b" is in no part',
    ]


def test_an_unknown_part_is_named():
    with pytest.raises(cp.SetupError, match='part: "aa": no such part; did you mean "a"'):
        share_of(two(), RunOptions(until=1.0), one_each(two()), "aa")


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"window": cp.window(0.1)}, "window"),
        ({"real_time": 1.0}, "real_time"),
        ({"first_steps": "repeat"}, "first_steps"),
    ],
)
def test_what_needs_one_process_is_refused(options, key):
    with pytest.raises(cp.SetupError, match=f"^{key}: .* needs all subsystems in one process"):
        share_of(two(), RunOptions(until=1.0, **options), one_each(two()), "a")


def test_nobody_waits_for_a_part_that_waits_itself():
    scheme = {"a": [], "b": ["a"], "c": ["b"], "d": ["c", "a"]}
    assert waits_across(scheme, {"a": "p", "b": "q", "c": "q", "d": "r"}) == {
        "a": [],
        "b": ["a"],
        "c": ["b"],
        "d": ["a"],
    }
