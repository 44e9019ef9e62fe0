"""Every error of ours can be pickled and copied, whatever its fields, so that pools and threads can hand it on."""

import contextlib
import copy
import importlib
import inspect
import multiprocessing
import pickle
import pkgutil

import pytest

import counterpoint as cp
from counterpoint import errors

RESULT = object()  # cannot be pickled by value: it has to be left out

SAMPLES = {
    "CounterpointError": ("plain",),
    "SetupError": (["one", "two"],),
    "ScenarioError": (["file.toml: one", "two"],),
    "AlgebraicLoopError": ("a loop", ["a.x", "b.u"]),
    "OutputError": ("no room", "run.h5", RESULT),
    "MissingExtraError": ("plotting", "plot"),
    "PeerLost": ("gone",),
    "InternalError": ("broken", RESULT),
    "RunInterrupted": ("interrupted at t = 1 s", RESULT),
    "StandstillWarning": ("y stayed at 0",),
    "UndefinedWarning": ("y is NaN at the start",),
    "BondWarning": ("a speed",),
    "PaceWarning": ("stuck at 1e-6 s",),
    "WindowWarning": ("3 of 10 windows did not converge",),
    "UnitWarning": ("no unit",),
    "DescriptionWarning": ("no unit",),
}
STOPPED = ("it failed", "tank", 1.25, RESULT)


def kinds():
    return [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


def public_errors():
    made = []
    for kind in kinds():
        if kind.__name__.startswith("_"):
            continue
        arguments = STOPPED if issubclass(kind, errors.SimulationError) else SAMPLES[kind.__name__]
        made.append(kind(*arguments))
    made.append(errors.OutputError("no room", "run.h5", RESULT, during_run=True))
    return made


def same(one, other, *, result=True):
    assert type(one) is type(other)
    assert str(one) == str(other)
    assert repr(one) == repr(other)
    assert one.args == other.args
    assert getattr(one, "exit_code", None) == getattr(other, "exit_code", None)
    expected = dict(one.__dict__)
    if not result and "result" in expected:
        expected["result"] = None
    assert other.__dict__ == expected


@pytest.mark.parametrize("error", public_errors(), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_unpickles_as_it_was_but_without_the_result(error, protocol):
    same(error, pickle.loads(pickle.dumps(error, protocol)), result=False)


@pytest.mark.parametrize("error", public_errors(), ids=lambda error: type(error).__name__)
def test_copies_of_an_error_are_equal_and_share_the_result(error):
    same(error, copy.copy(error))
    same(error, copy.deepcopy(error))


def test_a_deep_copy_has_lists_of_its_own():
    error = errors.SetupError(["one"])
    copy.deepcopy(error).problems.append("two")
    assert error.problems == ["one"]


def test_notes_are_kept():
    error = errors.ModelError(*STOPPED)
    error.add_note("in the third test")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["in the third test"]


def all_kinds():
    """Walk the package: every class of an error or warning that it defines, also in modules that nothing else imports."""
    for module in pkgutil.walk_packages(cp.__path__, "counterpoint."):
        if module.name.endswith("__main__"):
            continue
        with contextlib.suppress(ImportError):  # what an extra needs that is not installed
            importlib.import_module(module.name)
    found, waiting = set(), [BaseException]
    while waiting:
        kinds_below = waiting.pop().__subclasses__()
        waiting += kinds_below
        found.update(kind for kind in kinds_below if kind.__module__.split(".")[0] == "counterpoint")
    return sorted((kind for kind in found if not kind.__name__.startswith("_P")), key=lambda kind: kind.__qualname__)


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_every_error_in_the_package_is_handed_on_as_it_was(kind):
    """Made without its own arguments, whatever they are: what counts is that it comes back the same."""
    error = errors._restored(kind, ("a text",), {"problems": ["a text"], "place": ("file", 3)})
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        same(error, other)


class Failing(cp.Subsystem):
    """A model that raises in its third step."""

    outputs = ("y",)

    def step(self, t, t_end, u):
        if t > 0.15:
            raise RuntimeError("worn out")

    def output(self, t, u):
        return t


def run_failing(_):
    system = cp.System("tired")
    system.add("model", Failing(), step=0.1)
    system.run(until=1.0)


def test_a_pool_hands_on_the_error_of_a_run():
    with (
        multiprocessing.get_context("spawn").Pool(1) as pool,
        pytest.raises(errors.ModelError, match="worn out") as caught,
    ):
        pool.map_async(run_failing, [0]).get()
    assert caught.value.subsystem == "model"
    assert caught.value.time == pytest.approx(0.2)
    assert caught.value.result is None
