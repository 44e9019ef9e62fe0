"""The search for cyclic garbage while a run is set up."""

import gc
import threading

import pytest

import counterpoint as cp
from counterpoint._common.collection import collection_paused


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
