"""The search for cyclic garbage while a run is set up."""

import gc
import threading
import weakref

import pytest

import counterpoint as cp
from counterpoint._common.collection import MOST_UNSEARCHED, WORTH_MOVING, collection_paused


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
