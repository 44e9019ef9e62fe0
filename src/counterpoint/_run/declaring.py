"""Declarations of a system besides subsystems and connections: bonds, and events during a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import ArrayLike

from ..approximations import Approximation
from ..bonds import Bond, Law, Side
from ..events import Action, PlannedEvent, planned, to_condition

if TYPE_CHECKING:
    from ..system import System


class InterfacesAndEvents:
    """Part of a system: its bonds and planned events."""

    bonds: list[Bond]
    events: list[PlannedEvent]

    def bond(
        self,
        interface: str,
        left: str | Side,
        right: str | Side,
        *,
        causality: str = "potential-flow",
        law: Law | None = None,
        approximation: Approximation | Mapping[str, Approximation] | None = None,
        initial: float | None = None,
        name: str | None = None,
    ) -> Bond:
        """Join two subsystems at a physical interface; connections, units and signs follow (:mod:`counterpoint.bonds`).

        Parameters
        ----------
        interface : str
            ``"rotational"`` (angle, speed, torque), ``"translational"`` (position, speed, force), ``"electrical"``
            (voltage, current) or ``"thermal"`` (temperature, heat_flow).
        left, right : str or Side
            The subsystems, added before; :func:`counterpoint.bonds.side` names ports that are called otherwise.
        causality : str
            ``"potential-flow"``, ``"flow-flow"`` or ``"potential-potential"``; the last two need a law.
        law : optional
            From :mod:`counterpoint.bonds`: ``spring_damper``, ``conductance``, ``inertia``, ``capacity``; for flow-flow
            also a function of the potentials (and rates) of left and right in SI units that returns the flow on the
            left.
        approximation : Approximation, or mapping word -> Approximation, optional
            Of all its connections, or by signal: ``{"angle": cp.hermite(), "torque": cp.lagrange(2)}``.
        initial : float, optional
            Value of the flow while initial outputs are found: breaks a loop of direct feedthrough.
        name : str, optional
            Default: ``left-right``.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> for side in ("motor", "load"):
        ...     disk = cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[0, 1], inputs="torque", outputs=["angle", "speed"])
        ...     system.add(side, disk, step=0.01)
        >>> bond = system.bond("rotational", "motor", "load", causality="flow-flow", law=cp.bonds.spring_damper(2.0))
        >>> [connection.target for connection in system.connections]
        ['motor.torque', 'load.torque']
        """
        from .bond_building import make_bond

        return make_bond(
            cast("System", self), interface, left, right, causality=causality, law=law, approximation=approximation,
            initial=initial, name=name,
        )  # fmt: skip

    def at(
        self, time: float | str, target: str, action: Action | ArrayLike, *, until: float | str | None = None
    ) -> None:
        """Plan an event at a time: it changes an input, a connection or a parameter.

        A subsystem that chooses its own steps ends a step at that time. With fixed steps the change acts from the next
        communication point on. If outputs jump with the change, the result has both sides of the jump.

        Parameters
        ----------
        time : float or str
            In s, or with its unit, ``"2 min"``.
        target : str
            An input ``"chassis.brake"``, the value of one connection ``"engine.speed -> control.speed"``, or a
            parameter ``"tank.area"``: a tunable one of an FMU, or one that a model in Python declares.
        action : Action or number
            From :mod:`counterpoint.events`: ``override``, ``scale``, ``offset``, ``stuck``, ``noise``, ``release``; a
            number overrides.
        until : float or str, optional
            When it ends, in s; default: with the run, or by a release.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("tank", cp.ode(lambda t, x, u: u - x, [0.0], inputs="flow", outputs="level"), step=0.1)
        >>> system.set("tank.flow", 1.0)
        >>> system.at(0.5, "tank.flow", cp.events.scale(2.0), until=0.8)
        >>> result = system.run(until=1.0)
        >>> result.events["text"].tolist()[1:3]
        ['tank.flow: scale 2', 'tank.flow: scale 2 ends']
        """
        self.events.append(planned(target, action, at=time, until=until))

    def when(
        self,
        condition: str | Callable[..., Any],
        target: str,
        action: Action | ArrayLike,
        *,
        of: str | Sequence[str] = (),
        lasting: float | str | None = None,
        until: float | str | None = None,
    ) -> None:
        """Plan an event for each time that a condition becomes true; see :meth:`at`.

        The condition is checked for every published sample of its outputs. The change acts on steps of the target's
        subsystem that begin at that sample or later.

        Parameters
        ----------
        condition : str or function
            ``"engine.speed > 300"``, ``"a.y <= b.y"``, or a function of the outputs ``of`` that returns True or a
            number above 0.
        target, action
            As for :meth:`at`.
        of : str or sequence of str
            Outputs that a function takes.
        lasting : float or str, optional
            How long it lasts, in s.
        until : float or str, optional
            When it ends at the latest, in s.

        Examples
        --------
        >>> import counterpoint as cp
        >>> system = cp.System()
        >>> system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="flow", outputs="level"), step=0.1)
        >>> system.set("tank.flow", 1.0)
        >>> system.when("tank.level >= 0.45", "tank.flow", 0.0)
        >>> round(float(system.run(until=1.0)["tank.level"].values[-1]), 9)
        0.5
        """
        self.events.append(planned(target, action, condition=to_condition(condition, of), until=until, lasting=lasting))
