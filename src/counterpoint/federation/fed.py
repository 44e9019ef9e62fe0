"""A subsystem that another federate steps: its samples come as messages and enter its history as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import _core
from ..approximations import Approximation
from ..subsystems import Subsystem


class Fed(Subsystem):
    """Stands for a subsystem of another federate, with the outputs that are used here.

    Parameters
    ----------
    model : Subsystem
        The subsystem itself, of which only the ports are looked at.
    ports : sequence of str
        Outputs that come from the other federate.
    slopes : bool
        Whether derivatives of the outputs come as well.
    stops_early : bool
        Whether samples may come before their proposed time.
    own_pace : bool
        Whether the subsystem chooses its own steps.

    Examples
    --------
    >>> import counterpoint as cp
    >>> tank = cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="level", units={"level": "m"})
    >>> fed = Fed(tank, ["level"])
    >>> fed.outputs, fed.units
    ({'level': 1}, {'level': 'm'})
    """

    repeatable = False

    def __init__(
        self,
        model: Subsystem,
        ports: Sequence[str],
        *,
        slopes: bool = False,
        stops_early: bool = False,
        own_pace: bool = False,
    ) -> None:
        widths = model.output_widths
        self.outputs = {port: widths[port] for port in ports}
        self.units = {port: unit for port, unit in model.units.items() if port in self.outputs}
        self.unit_definitions = dict(model.unit_definitions)
        self.units_expected = model.units_expected
        self.sampled = model.sampled
        self._model_approximation = model.approximation_of
        self._slopes, self._stops, self._own_pace = slopes, stops_early, own_pace
        self._asked: Callable[[], None] = _no_sender
        self._asked_initially: Callable[[], None] = _no_sender
        self.samples: _core.FedSubsystem | None = None  #: of the run under way

    def ask(self, more: Callable[[], None], initial: Callable[[], None]) -> None:
        """Say what is called when a sample is missing, and each time the initial outputs are read."""
        self._asked, self._asked_initially = more, initial

    def approximation_of(self, output: str) -> Approximation | None:
        """Return the preferred approximation of an output, as the model says."""
        return self._model_approximation(output)

    @property
    def own_pace(self) -> bool:
        """Whether the subsystem chooses its own steps."""
        return self._own_pace

    def _native(self) -> _core.Subsystem:
        self.samples = _core.FedSubsystem(
            sum(self.output_widths.values()), self._slopes, self._stops, self._asked, self._asked_initially
        )
        return self.samples

    def __repr__(self) -> str:
        return f"<of another federate: {', '.join(self.output_widths)}>"


def _no_sender() -> None:
    raise RuntimeError("no federate sends these samples")
