"""Mistakes of Counterpoint itself: told apart from those of a user, with the wish for a report."""

import pytest

import counterpoint as cp
from counterpoint import _core
from counterpoint._cli.main import main


def broken_run():
    """A host steps by itself; the scheduler must never be given one."""
    spec = _core.RunSpec(start=0.0, until=1.0, tolerance=1e-9, initial_passes=1)
    spec.add_participant(_core.host_ports(0, 1), 0.1, [], [], True, False)
    scheduler = _core.Scheduler(spec, 1)
    scheduler.start()
    return scheduler


def test_a_broken_promise_of_the_core_is_an_internal_error_that_asks_for_a_report():
    scheduler = broken_run()
    with pytest.raises(cp.InternalError, match=r"internal error: .*\(core/coupling/.*\); please report"):
        scheduler.advance(1.0, 1.0)
    assert scheduler.failure.kind == _core.FailureKind.internal


def test_an_internal_error_is_neither_a_setup_error_nor_a_failure_of_a_model():
    assert issubclass(cp.InternalError, cp.CounterpointError)
    assert not issubclass(cp.InternalError, cp.SetupError | cp.SimulationError)


def test_an_internal_error_in_a_run_keeps_the_results(monkeypatch):
    system = cp.System()
    system.add("clock", cp.source(lambda t: t, outputs="y"), step=0.1)
    run = system.start(until=1.0)
    run.step_to(0.5)
    monkeypatch.setattr(run, "_driver", Breaking(run._driver))
    with pytest.raises(cp.InternalError) as caught:
        run.step_to(1.0)
    assert caught.value.result.summary.status == "failed"
    assert caught.value.result["clock.y"].time[-1] == pytest.approx(0.5)


class Breaking:
    """A driver that breaks at its next advance."""

    def __init__(self, driver):
        self._driver = driver

    def __getattr__(self, name):
        return getattr(self._driver, name)

    def advance(self, target, wall_seconds):
        broken_run().advance(target, wall_seconds)


def test_an_unexpected_exception_ends_the_command_line_with_70(monkeypatch, capsys):
    def broken(*arguments, **options):
        raise KeyError("index")

    monkeypatch.setattr("counterpoint._cases.registry.read_case", broken)
    with pytest.raises(SystemExit) as ended:
        main(["run", "any.toml"])
    assert ended.value.code == 70
    assert "internal error: KeyError: 'index'; please report" in capsys.readouterr().err
