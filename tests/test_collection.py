"""The search for cyclic garbage while a run is set up."""

import gc
import threading
import weakref

import pytest

import counterpoint as cp
from counterpoint._common.collection import LARGE_SYSTEM, MOST_UNSEARCHED, WORTH_MOVING, collection_paused


@pytest.fixture(autouse=True)
def collecting():
    yield
    gc.enable()


def test_the_search_is_on_again_after_the_last_of_two_threads_has_left():
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with collection_paused:
            entered.set()
            leave.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    entered.wait(10)
    with collection_paused:
        pass
    still_off = not gc.isenabled()
    leave.set()
    other.join()
    assert still_off
    assert gc.isenabled()


def test_the_search_stays_off_where_the_user_has_turned_it_off():
    gc.disable()
    with collection_paused:
        pass
    assert not gc.isenabled()


def test_the_search_is_on_again_after_a_run_that_could_not_start():
    system = cp.System()
    system.add("model", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="y"), step=0.1)
    with pytest.raises(cp.CounterpointError):
        system.run(until=1.0)  # the input is not connected
    assert gc.isenabled()


class _Node:
    """One object that the search for garbage looks at."""


def made(count):
    return [_Node() for _ in range(count)]


def cycles(count):
    nodes = made(count)
    for node in nodes:
        node.itself = node
    return weakref.ref(nodes[0])


def test_objects_made_in_a_large_pause_are_not_searched_by_the_code_after_it():
    gc.collect()
    with collection_paused:
        kept = made(2 * WORTH_MOVING)
    assert gc.get_count()[0] < 1000
    assert len(kept) == 2 * WORTH_MOVING


def test_a_small_pause_moves_no_objects():
    gc.collect()
    with collection_paused:
        kept = made(WORTH_MOVING // 2)
    assert gc.get_count()[0] >= len(kept)


def test_garbage_of_many_large_pauses_is_found_without_being_asked_for():
    first = None
    for _ in range(MOST_UNSEARCHED // WORTH_MOVING):
        with collection_paused:
            first = first or cycles(2 * WORTH_MOVING)
            cycles(2 * WORTH_MOVING)
    assert first() is None


def test_objects_that_the_program_has_frozen_stay_frozen():
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collection_paused:
            kept = made(2 * WORTH_MOVING)
        assert frozen == gc.get_freeze_count() > 0
        assert kept
    finally:
        gc.unfreeze()


def large_system(kept=None):
    """Build a system of many more objects than Python leaves without a complete search; count these searches."""
    searches = gc.get_stats()[-1]["collections"]
    system = cp.System()
    for k in range(4 * LARGE_SYSTEM):
        system.add(f"m{k}", cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="x", solver="ode4"), step=0.1)
        system.set(f"m{k}.u", 0.0)
        kept is None or kept.append(made(200))
    return gc.get_stats()[-1]["collections"] - searches


def test_a_large_system_is_built_without_a_complete_search():
    gc.collect()
    assert large_system(kept=[]) == 0


def test_the_start_of_a_large_system_makes_no_complete_search_of_its_own_objects():
    gc.collect()
    searches = gc.get_stats()[-1]["collections"]
    with collection_paused:
        kept = made(2 * MOST_UNSEARCHED)
    assert gc.get_stats()[-1]["collections"] == searches
    assert kept


def test_garbage_of_many_large_systems_is_found_without_being_asked_for():
    gc.collect()
    kept: list[list[_Node]] = []
    assert sum(large_system(kept) for _ in range(3)) > 0


def test_a_large_system_leaves_objects_frozen_that_the_program_has_frozen():
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        large_system(kept=[])
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()


def test_a_large_scenario_is_read_built_and_started_without_a_complete_search(tmp_path):
    part = '[subsystems.m{}]\ntype="linear"\nsolver="ode4"\nstep=0.1\nA=[[-1.0]]\nB=[[1.0]]\nx0=[1.0]\n'
    count = 2 * LARGE_SYSTEM
    parts = "".join(part.format(k) for k in range(count))
    file = tmp_path / "large.toml"
    file.write_text(f"until=1.0\n{parts}[set]\n" + "".join(f'"m{k}.u" = 0.0\n' for k in range(count)))
    gc.collect()
    threshold = gc.get_threshold()
    gc.set_threshold(100, 5, 5)  # of 500 subsystems as many searches as of 10 000
    try:
        searches = gc.get_stats()[-1]["collections"]
        scenario = cp.Scenario.read(file)
        run = scenario.build().start(until=1.0)
        assert gc.get_stats()[-1]["collections"] == searches
        run.finish()
    finally:
        gc.set_threshold(*threshold)
