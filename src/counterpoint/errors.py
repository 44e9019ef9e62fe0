"""Errors and warnings of Counterpoint.

::

    CounterpointError
    ├── SetupError            the system or scenario is wrong; nothing ran            (exit code 2)
    │   ├── ScenarioError     ... and the mistakes are in a file
    │   └── AlgebraicLoopError ... outputs and inputs depend on each other at the same time
    ├── OutputError           a result file cannot be written or read                 (2 before, 5 during a run)
    ├── MissingExtraError     an optional package is not installed                    (exit code 2)
    ├── PeerLost              a program at the other end is missing, died or is silent    (exit code 4)
    ├── InternalError         a bug in Counterpoint: please report it                 (exit code 70)
    └── SimulationError       the run stopped; results up to that point are kept      (exit code 3)
        ├── NotFiniteError    a model published NaN or infinity
        ├── ModelError        a model raised an exception
        ├── SolverError       a solver did not converge or its step became too small
        └── ComponentError    an external component, such as an FMU, reported an error
            └── ComponentDied ... or could not be started, died or did not answer      (exit code 4)

    UnitWarning               a warning: units of connections could not be compared
    BondWarning               a warning: both sides of a bond integrate a speed while a step changes
    UndefinedWarning          a warning: an output that nothing reads is NaN or infinite
    StandstillWarning         a warning: an output did not change in a run although its derivative says so
    WindowWarning             a warning: windows of a run did not converge
    PaceWarning               a warning: a pace was stuck at its smallest step, or a run fell behind the wall clock
    DescriptionWarning        a warning: the description of an FMU violates the standard
    RunInterrupted            Ctrl-C during a run; a KeyboardInterrupt that carries the result (exit code 130)

All of them can be pickled and copied; message and attributes stay the same. Only ``result`` is None after pickling,
because it may be large and may use an open file: another process reads the run file instead. Copies share it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from .results import Result


_E = TypeVar("_E", bound=BaseException)


def _restored(kind: type[_E], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> _E:
    """Make an error again without its ``__init__``, whose arguments are not those that Python keeps."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class _Portable(BaseException):
    """An error that can be pickled and copied, whatever its ``__init__`` takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Tell pickle everything but the result, which stays in the process that has it."""
        told = {key: None if key == "result" else value for key, value in self.__dict__.items()}
        return _restored, (type(self), self.args, told)

    def __copy__(self) -> Self:
        """Return the same error once more, with the same result."""
        return _restored(type(self), self.args, self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return an error of its own that shares the result only."""
        own = {key: value if key == "result" else copy.deepcopy(value, memo) for key, value in self.__dict__.items()}
        return _restored(type(self), self.args, own)


class CounterpointError(_Portable, Exception):
    """Base class of all errors of Counterpoint."""

    exit_code = 2


class SetupError(CounterpointError):
    """The system cannot run as described; every problem found is listed.

    Attributes
    ----------
    problems : list of str
        One sentence per problem: where, what is wrong, with the value, and what is allowed.
    """

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class ScenarioError(SetupError):
    """A scenario file has mistakes; each line names file, key and remedy."""


class AlgebraicLoopError(SetupError):
    """Outputs and inputs of several subsystems depend on each other at the same time.

    Attributes
    ----------
    loop : list of str
        The ports around the loop, as ``subsystem.port``.
    """

    def __init__(self, problem: str, loop: Sequence[str]) -> None:
        super().__init__(problem)
        self.loop = list(loop)


class OutputError(CounterpointError):
    """A result file cannot be written or read.

    Attributes
    ----------
    path : str
        The file.
    result : Result or None
        The results before the file failed, if the run had begun.
    """

    def __init__(self, message: str, path: str = "", result: Result | None = None, *, during_run: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.result = result
        self.exit_code = 5 if during_run else 2


class MissingExtraError(CounterpointError):
    """An optional package is not installed; the message names the command that installs it."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional package; install it with: pip install 'counterpoint[{extra}]'")
        self.extra = extra


class PeerLost(CounterpointError):
    """A program at the other end cannot be reached, died or does not answer; within a run it becomes ComponentDied."""

    exit_code = 4
    component_died = True  #: read by the core when a model raises it


class InternalError(CounterpointError):
    """A bug in Counterpoint, not a mistake of the user. The message requests a report.

    Attributes
    ----------
    result : Result or None
        The results so far, if it happened during a run.
    """

    exit_code = 70  # EX_SOFTWARE of sysexits.h

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class SimulationError(CounterpointError):
    """A run stopped before its end.

    Attributes
    ----------
    subsystem : str
        Name of the subsystem that failed.
    time : float
        Start of the failed step in s.
    result : Result or None
        Everything published before the failure.
    """

    exit_code = 3

    def __init__(self, message: str, subsystem: str, time: float, result: Result | None = None) -> None:
        super().__init__(message)
        self.subsystem = subsystem
        self.time = time
        self.result = result


class NotFiniteError(SimulationError):
    """A model published NaN or infinity; the run stopped at that step."""


class ModelError(SimulationError):
    """A model raised an exception; it is the ``__cause__`` of this one."""


class SolverError(SimulationError):
    """A solver did not converge, or its step became too small."""


class ComponentError(SimulationError):
    """An external component, such as an FMU, reported an error; the message includes its text."""


class ComponentDied(ComponentError):
    """An external component could not be started, died or did not answer in time."""

    exit_code = 4


class UnitWarning(UserWarning):
    """Units of connections could not be compared: one is missing or unknown; the numbers are used unchanged."""


class BondWarning(UserWarning):
    """Both sides of a bond integrate the speed that they exchange while the step of one changes."""


class PaceWarning(UserWarning):
    """A pace was stuck at its smallest step, or steps ended later than their time on the wall clock."""


class WindowWarning(UserWarning):
    """Windows of a run did not converge, or have no effect; the message lists the changes of the repeats."""


class UndefinedWarning(UserWarning):
    """An output of an FMU is, or becomes, NaN or infinite; nothing reads it, and the run continues."""


class StandstillWarning(UserWarning):
    """An output did not change in a whole run, although it should by its derivative or the model's own time."""


class DescriptionWarning(UserWarning):
    """The description of an FMU violates rules of the standard that do not prevent it from running."""


class RunInterrupted(_Portable, KeyboardInterrupt):
    """Ctrl-C during a run; ``result`` has the results up to that point."""

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean "x"?`` for the closest known name, otherwise the list of known names.

    >>> did_you_mean("chasis", ["chassis", "engine"])
    '; did you mean "chassis"?'
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f'; did you mean "{close[0]}"?'
    if not names:
        return "; there are none"
    return "; known: " + ", ".join(f'"{n}"' for n in names[:12]) + (", ..." if len(names) > 12 else "")
