"""FMUs in separate processes: when one crashes, hangs or uses all memory, the run reports it and keeps its results."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from .. import _core
from ..errors import SetupError

_PASSED_ON = re.compile(
    r"^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH"
    r"|TEMP|TMP|USERNAME|USERPROFILE)$|LICEN[CS]E|^LM_"
)
"""Environment variables passed to an isolated FMU: those that programs need to run, and those of licences."""


@dataclass(frozen=True)
class Isolation:
    """How an FMU is isolated in a separate process.

    Parameters
    ----------
    deadline : float
        Wall time in s within which every call (a step, the start) must be answered; after that the
        process is killed.
    memory : float, optional
        Memory limit in bytes; default: no limit.
    processor_time : float, optional
        Processor time limit per run in s; default: no limit.
    processes : bool, optional
        Whether it may start processes; default: only an FMU that needs an execution tool may.
    environment : names
        Environment variables to pass on, in addition to the usual ones and those of licences.

    Examples
    --------
    >>> Isolation(deadline=10.0, memory=2e9)
    Isolation(deadline=10.0, memory=2000000000.0, processor_time=None, processes=None, environment=())
    """

    deadline: float = 60.0
    memory: float | None = None
    processor_time: float | None = None
    processes: bool | None = None
    environment: tuple[str, ...] = ()

    def problems(self) -> Iterator[str]:
        """Yield the problems of the values."""
        for key in ("deadline", "memory", "processor_time"):
            value = getattr(self, key)
            if value is not None and not (isinstance(value, (int, float)) and value > 0.0):
                yield f"{key}: {value!r}; expected a positive number"


def choose(isolate: bool | Isolation, deadline: float | None) -> Isolation | None:
    """Return the requested isolation; None: not isolated."""
    if isinstance(isolate, Isolation):
        made: Isolation | None = isolate
    else:
        made = Isolation() if isolate else None
    if deadline is not None:
        if made is None:
            raise SetupError("deadline: a call inside this process cannot be stopped; add isolate=True")
        made = replace(made, deadline=deadline)
    problems = [] if made is None else list(made.problems())
    if problems:
        raise SetupError(problems)
    return made


def to_core(isolation: Isolation, folder: Path, needs_tool: bool) -> _core.fmi.Isolation:
    """Return what the core needs to start the process; ``folder`` becomes its working directory."""
    made = _core.fmi.Isolation()
    made.program = str(host_program())
    made.folder = str(folder)
    made.environment = [f"{name}={value}" for name, value in _environment(isolation.environment)]
    made.deadline = isolation.deadline
    made.memory = isolation.memory or 0.0
    made.processor_time = isolation.processor_time or 0.0
    made.processes = needs_tool if isolation.processes is None else isolation.processes
    made.python = shared_python()
    return made


def shared_python() -> tuple[str, str, str]:
    """Return this Python as a shared library, its home and its search path; ``("", "", "")`` if it has none.

    An FMU made with PythonFMU expects Python in the process that loads it, with the packages of this environment.
    """
    library = _python_library()
    return (library, sys.base_prefix, os.pathsep.join(filter(None, sys.path))) if library else ("", "", "")


@cache
def _python_library() -> str:
    folders = [sysconfig.get_config_var("LIBDIR"), Path(sys.base_prefix) / "lib"]
    names = [sysconfig.get_config_var(key) for key in ("INSTSONAME", "LDLIBRARY")]
    files = (Path(folder) / name for folder in folders for name in names if folder and name)
    return next((str(file) for file in files if file.suffix != ".a" and file.is_file()), "")


def host_program() -> Path:
    """Return the program that runs isolated FMUs; it is next to the core."""
    return Path(_core.__file__).with_name("counterpoint-host.exe" if os.name == "nt" else "counterpoint-host")


def _environment(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    wanted = set(names)
    return ((name, value) for name, value in os.environ.items() if name in wanted or _PASSED_ON.search(name))


class OnceOnly:
    """FMUs of this process that allow one instance per process, by their token."""

    def __init__(self) -> None:
        self._known: dict[str, weakref.WeakSet[object]] = {}

    def add(self, token: str, model: object) -> None:
        """Note an FMU."""
        self._known.setdefault(token, weakref.WeakSet()).add(model)

    def has_others(self, token: str) -> bool:
        """Return whether there is more than one, so that each needs a separate process."""
        return len(self._known.get(token, ())) > 1


ONCE_ONLY = OnceOnly()
