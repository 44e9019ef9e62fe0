"""Which run has a model: an object that is itself stepped (and not a copy of it) serves one run at a time."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Self

from ..errors import SetupError

if TYPE_CHECKING:
    from ..subsystems import Subsystem
    from ..system import System


class _Process:
    """The process that runs this: its number, and a lock for the table of claims."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin anew after a fork, when a thread that is not there may have the lock."""
        self.number = os.getpid()
        self.lock = threading.Lock()


_here = _Process()
os.register_at_fork(after_in_child=_here.begin)
_claims: weakref.WeakValueDictionary[int, Claim] = weakref.WeakValueDictionary()  # by identity of the model


class Claim:
    """What a run or an interface claims: its models, the process, and that one caller at a time uses it.

    A newer run takes idle models over, and the older one is refused from then on: people begin anew without ending what
    they have tried. Models that are being stepped cannot be taken.

    Parameters
    ----------
    system : System
    what : str
        What messages call the claimant: ``"run"`` or ``"interface"``.
    """

    def __init__(self, system: System, what: str) -> None:
        self._what = what
        self._name = system.name
        self._process = _here.number
        self._in_use = threading.RLock()
        self._busy = False
        self._models: dict[str, Subsystem] = {
            name: participant.subsystem
            for name, participant in system.subsystems.items()
            if not participant.subsystem.copied_for_runs
        }
        for name, model in self._models.items():
            owner = _claims.get(id(model))
            if owner is not None and owner._busy and owner._process == _here.number:
                raise SetupError(
                    f"subsystems.{name}: {type(model).__name__} is being stepped by a {owner._what} of the system "
                    f'"{owner._name}"; wait until that returns, or make a second object'
                )

    def take(self) -> None:
        """Take the models, also from another run."""
        with _here.lock:
            _claims.update((id(model), self) for model in self._models.values())

    def release(self) -> None:
        """Give the models back."""
        with _here.lock:
            for model in self._models.values():
                if _claims.get(id(model)) is self:
                    del _claims[id(model)]
        self._models = {}

    def in_use(self) -> Self:
        """Use the run in a ``with`` block; refuse it to a model, other threads, and after a fork.

        Raises
        ------
        SetupError
            Who has it.
        """
        self._check_process()
        return self

    def __enter__(self) -> Self:
        mine = self._in_use.acquire(blocking=False)
        if not mine or self._busy:
            if mine:
                self._in_use.release()
            raise SetupError(f"the {self._what} is advancing; a model or another thread cannot use it now")
        self._busy = True
        return self

    def __exit__(self, *error: object) -> None:
        self._busy = False
        self._in_use.release()

    def check(self) -> None:
        """Raise SetupError when the models are no longer those of this claim."""
        self._check_process()
        for name, model in self._models.items():
            owner = _claims.get(id(model))
            if owner is not self:
                newer = "" if owner is None else f', a {owner._what} of the system "{owner._name}"'
                raise SetupError(
                    f"the {self._what} cannot continue: its subsystem {name!r} is now used by a newer one{newer}; "
                    "make a second object to use both"
                )

    def wait(self, seconds: float) -> bool:
        """Wait until no other thread uses it, at most so long (s); return whether it is free."""
        if not self._in_use.acquire(timeout=max(seconds, 0.0)):
            return False
        self._in_use.release()
        return True

    @property
    def is_busy(self) -> bool:
        """Whether someone in this process uses it now."""
        return self._busy and self._process == _here.number

    def _check_process(self) -> None:
        if self._process != _here.number:
            raise SetupError(
                f"the {self._what} belongs to the process {self._process}, from which this one was forked; "
                f"start another {self._what} here"
            )

    @property
    def lock(self) -> threading.RLock:
        """Let a thread wait until it is free, whichever run or thread has it."""
        return self._in_use
