"""The embedded interface: a host program is the master and requests its inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import _core
from ..errors import SetupError, did_you_mean
from .claims import Claim
from .failures import explain
from .options import RunOptions
from .plan import make_plan

if TYPE_CHECKING:
    from ..system import System


@dataclass(frozen=True, repr=False)
class SavedInterface:
    """A state of one interface, to go back to; made by :meth:`CosimulationInterface.save`."""

    owner: CosimulationInterface
    state: _core.SavedState


class CosimulationInterface:
    """What a host calls: ``evaluate(t, y, is_major) -> u``; made by :meth:`System.embed`.

    At a major step the host's outputs are stored; then the other subsystems are advanced as far as the
    scheme asks, with inputs from what is stored, and the host's inputs at ``t`` are interpolated (slowest-first)
    or extrapolated (fastest-first). Reference: González et al. (2010), Table 1.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add_host("diagram", inputs=["x2"], outputs=["x1"])
    >>> system.add("slow", cp.linear([[0, 1], [-2, 0]], [[0], [1]], [[1, 0]], x0=[1, 0], outputs="x"), step=0.1)
    >>> system.connect("diagram.x1", "slow.u")
    >>> system.connect("slow.x", "diagram.x2")
    >>> interface = system.embed("diagram")
    >>> interface.evaluate(0.0, [0.0], is_major=True)
    [1.0]
    >>> round(interface.evaluate(0.05, [0.0], is_major=False)[0], 3)
    0.995
    """

    def __init__(self, system: System, host: str, options: RunOptions) -> None:
        self._claim = Claim(system, "interface")
        self._plan = make_plan(system, replace(options, host=host))
        self._claim.take()
        self._core = _core.EmbeddedInterface(self._plan.spec, self._plan.names.index(host))
        self._system = system
        self._host = host
        with self._claim.in_use():
            self._core.start()

    def evaluate(self, t: float, y: Sequence[float], is_major: bool, *, accepted_only: bool = False) -> list[float]:
        """Return the host's inputs at ``t`` (s).

        Parameters
        ----------
        t : float
            Requested time, s.
        y : sequence of float
            The host's outputs; looked at only at a major step.
        is_major : bool
            Whether t and y are an accepted step of the host.
        accepted_only : bool
            At minor calls: advance the others only with what the host has accepted, for a host that may give up this
            attempt and cannot call :meth:`restore` then. Where the others have not come far enough the
            answer is extrapolated.
        """
        if not math.isfinite(t):
            raise SetupError(f"evaluate: {t}; expected a finite time in s")
        with self._claim.in_use():
            self._claim.check()
            try:
                return self._core.evaluate(t, list(y), is_major, accepted_only)
            except Exception as error:
                explained = explain(self._system, self._plan, self._core.failure)
                if explained is None:
                    raise
                raise explained from error

    def save(self) -> SavedInterface:
        """Return everything as it is now, for :meth:`restore`: before an attempt that the host may give up.

        Raises
        ------
        SetupError
            A subsystem cannot save; it is named. Use ``accepted_only=True`` then.
        """
        with self._claim.in_use():
            saved = self._core.save()
        if saved is None:
            names = [
                name for name, participant in self._system.subsystems.items() if not participant.subsystem.can_save
            ]
            others = ", ".join(f'"{name}"' for name in names if name != self._host)
            raise SetupError(
                f"save: {others} cannot save their states; give them save and restore, or call with accepted_only=True"
            )
        return SavedInterface(self, saved)

    def restore(self, state: SavedInterface) -> None:
        """Go back to a state that :meth:`save` of this interface returned.

        Raises
        ------
        SetupError
            The state is another interface's, which is named.
        """
        if not isinstance(state, SavedInterface):
            raise SetupError(f"restore: {type(state).__name__}; expected a state that save() returned")
        if state.owner is not self:
            theirs, mine = state.owner._system.name, self._system.name
            raise SetupError(
                f'restore: the state was saved by another interface, of the system "{theirs}"; this one, of the system '
                f'"{mine}", takes only its own'
            )
        with self._claim.in_use():
            self._core.restore(state.state)

    def values(self, name: str) -> list[float]:
        """Return the latest published outputs of a subsystem, scalar by scalar."""
        with self._claim.in_use():
            return self._core.values(self._index(name))

    def time(self, name: str) -> float:
        """Return the time a subsystem has reached, s."""
        with self._claim.in_use():
            return self._core.time_of(self._index(name))

    def _index(self, name: str) -> int:
        if name not in self._plan.names:
            raise SetupError(f'no subsystem "{name}"' + did_you_mean(name, self._plan.names))
        return self._plan.names.index(name)
