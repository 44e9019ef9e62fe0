"""What a run or an interface allows, and to whom: other threads, models inside it, states of others."""

import threading

import pytest

import counterpoint as cp
from counterpoint.errors import SetupError


class Slow(cp.Subsystem):
    """A model that waits in its first step until it may go on."""

    outputs = ("y",)

    def __init__(self):
        self.inside = threading.Event()
        self.go_on = threading.Event()

    def step(self, t, t_end, u):
        self.inside.set()
        self.go_on.wait()

    def output(self, t, u):
        return t


@pytest.fixture
def stepping():
    """A run that another thread is advancing; the model waits inside its first step."""
    model = Slow()
    system = cp.System("slow")
    system.add("model", model, step=0.1)
    run = system.start(until=1.0)
    errors = []

    def advance():
        try:
            run.step_to(1.0)
        except SetupError as error:
            errors.append(error)

    thread = threading.Thread(target=advance)
    thread.start()
    model.inside.wait()
    yield run, model, thread, errors
    model.go_on.set()
    thread.join()


def test_finish_is_refused_while_another_thread_steps(stepping):
    run, model, thread, errors = stepping
    with pytest.raises(SetupError, match="the run is advancing"):
        run.finish()
    model.go_on.set()
    thread.join()
    result = run.finish()
    assert (result.status, len(result["model.y"].time), errors) == ("finished", 11, [])


def test_a_with_block_that_fails_waits_for_the_thread_that_steps(stepping):
    run, model, thread, errors = stepping
    threading.Timer(0.1, model.go_on.set).start()
    with pytest.raises(RuntimeError, match="given up"), run:
        raise RuntimeError("given up")
    thread.join()
    assert run.finish().status != "running"
    assert [str(error) for error in errors] in (
        [],
        ["the program that drove the run raised an exception; the run has ended"],
    )


def test_a_model_cannot_finish_the_run_that_steps_it():
    class Impatient(cp.Subsystem):
        outputs = ("y",)
        run = None

        def step(self, t, t_end, u):
            with pytest.raises(SetupError, match="the run is advancing"):
                self.run.finish()

        def output(self, t, u):
            return t

    model = Impatient()
    system = cp.System()
    system.add("model", model, step=0.1)
    model.run = system.start(until=1.0)
    model.run.step_to(1.0)
    assert model.run.finish().status == "finished"


def interface(name, others):
    system = cp.System(name)
    system.add_host("host", inputs=[f"x{k}" for k in range(others)], outputs=["y"])
    for k in range(others):
        model = cp.linear([[0, 1], [-2, 0]], [[0], [1]], [[1, 0]], x0=[1, 0], outputs="x")
        system.add(f"other{k}", model, step=0.1)
        system.connect("host.y", f"other{k}.u")
        system.connect(f"other{k}.x", f"host.x{k}")
    made = system.embed("host")
    made.evaluate(0.0, [0.0], is_major=True)
    return made


def test_a_state_of_another_system_is_refused_by_name():
    small, large = interface("small", 1), interface("large", 5)
    for mine, theirs in ((small, large), (large, small)):
        with pytest.raises(SetupError, match=r'another interface, of the system "\w+"; this one, of the system "\w+"'):
            mine.restore(theirs.save())
    with pytest.raises(SetupError, match="expected a state that save"):
        small.restore(None)


def test_the_core_refuses_a_state_of_another_size_too():
    small, large = interface("small", 1), interface("large", 5)
    with pytest.raises(ValueError, match="saved by another system"):
        large._core.restore(small._core.save())


def test_a_state_of_its_own_is_taken():
    mine = interface("mine", 2)
    state = mine.save()
    before = mine.evaluate(0.35, [0.5], is_major=False)
    mine.restore(state)
    assert mine.evaluate(0.35, [0.5], is_major=False) == before


@pytest.mark.parametrize("feedthrough", [(), (("y", "u"),), [("y", "u")]])
def test_feedthrough_may_be_a_tuple_or_a_list(feedthrough):
    class Model(cp.Subsystem):
        inputs = ("u",)
        outputs = ("y",)

        def step(self, t, t_end, u):
            pass

        def output(self, t, u):
            return 1.0

    Model.feedthrough = feedthrough
    system = cp.System()
    system.add("model", Model(), step=0.1)
    system.set("model.u", 1.0)
    assert system.run(until=1.0).status == "finished"
