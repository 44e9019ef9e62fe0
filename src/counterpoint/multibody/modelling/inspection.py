"""Analyses of a mechanism besides a run; each method calls a function elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results import Result
    from ..analysis import Equilibrium, Kinematics, LinearModel, Modes, Problem, State
    from ..animation import Animation
    from .mechanism import Mechanism


class Inspectable:
    """Analyses and pictures of a mechanism; :class:`Mechanism` has these methods."""

    @property
    def _itself(self) -> Mechanism:
        return cast("Mechanism", self)

    def problem(self) -> Problem:
        """Return what the functions of :mod:`counterpoint.multibody.analysis` work on."""
        from ..analysis.of_mechanism import problem_of

        return problem_of(self._itself)

    def kinematics(self, times: ArrayLike) -> Kinematics:
        """Return the motion of a mechanism whose every degree of freedom is guided, and the forces that this takes.

        Parameters
        ----------
        times : array
            Growing, s.

        Returns
        -------
        Kinematics
            A result: positions, velocities and accelerations of points and measures (``"B"``, ``"B_velocity"``,
            ``"B_acceleration"``; only the outputs of the mechanism if it has some), and ``"guide:MEASURE"``, the
            force (N) or torque (N m) of each guide.

        Examples
        --------
        >>> from counterpoint.multibody import Mechanism
        >>> crane = Mechanism("crane", dimension=2)
        >>> crane.point("A", (0, 0), fixed=True)
        >>> crane.point("B", (2, 0))
        >>> crane.body("arm", points=["A", "B"], mass=3.0)
        >>> crane.angle("lift", "arm")
        >>> crane.guide("lift", [0.0, 0.5])
        >>> motion = crane.kinematics([0.0, 1.0])
        >>> motion["crane.guide:lift"].values.round(3)
        array([29.43 , 25.827])
        """
        from ..analysis.kinematics import kinematics
        from ..analysis.of_mechanism import motions, standard

        problem = self.problem()
        assert problem.assembly is not None
        chosen = problem.outputs if self._itself.outputs else motions(problem.assembly)
        return kinematics(problem, times, {**standard(problem.assembly), **chosen})

    def equilibrium(self, *, at: float = 0.0) -> Equilibrium:
        """Return the static equilibrium that is nearest downhill from the assembled position.

        Parameters
        ----------
        at : float
            Time at which forces and guided values are taken, s.

        Raises
        ------
        SolverError
            When there is none to be found.
        """
        from ..analysis.equilibrium import equilibrium

        return equilibrium(self.problem(), at=at)

    def settled(self) -> Mechanism:
        """Return the same mechanism, starting at rest in its static equilibrium."""
        from ..analysis.settle import settled

        return settled(self._itself)

    def state(self, result: Result, t: float, subsystem: str | None = None) -> State:
        """Return the state in which a run was at a time (s), to linearise there.

        Positions are those of the result, velocities their slope; both are then made to fit the constraints.
        """
        from ..analysis.from_result import state_of

        return state_of(self.problem(), result, t, subsystem or self._itself.name)

    def linearise(
        self,
        at: State | Equilibrium | None = None,
        *,
        coordinates: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> LinearModel:
        """Return the state space model of small deviations.

        Parameters
        ----------
        at : State or Equilibrium, optional
            From where; default: the start.
        coordinates : names of measures, optional
            As many as there are degrees of freedom: these and their rates become the states.
        outputs : names, optional
            Outputs to keep; default: those of the mechanism, or all points and measures.

        Examples
        --------
        >>> from counterpoint.multibody import Mechanism
        >>> pendulum = Mechanism("pendulum", dimension=2)
        >>> pendulum.point("A", (0, 0), fixed=True)
        >>> pendulum.point("B", (0, -1))
        >>> pendulum.body("rod", points=["A", "B"], mass=1.0)
        >>> pendulum.angle("swing", "rod")
        >>> pendulum.linearise(coordinates=["swing"]).A.round(6)
        array([[  0.   ,   1.   ],
               [-14.715,   0.   ]])
        """
        from ..analysis import Equilibrium, linearise

        state = at.state if isinstance(at, Equilibrium) else at
        return linearise(self.problem(), state, coordinates=coordinates, outputs=outputs)

    def modes(self, about: State | Equilibrium | None = None) -> Modes:
        """Return natural frequencies, damping ratios and shapes of small vibrations about an equilibrium.

        Parameters
        ----------
        about : State or Equilibrium, optional
            Default: :meth:`equilibrium`.
        """
        from ..analysis import modes

        if about is None:
            about = self.equilibrium()
        return modes(self.problem(), about)

    def describe(self) -> str:
        """Return a summary: bodies, equations, degrees of freedom, and what to do about redundant equations."""
        from ..analysis.description import describe

        return describe(self._itself)

    def animation(
        self, result: Result, subsystem: str | None = None, *, traces: Sequence[str] = (), speed: float = 1.0
    ) -> Animation:
        """Return the motion in a result as an animation.

        Parameters
        ----------
        result : Result
            Of a run, or of :meth:`kinematics`.
        subsystem : str, optional
            Name that the mechanism had in the run; default: its own.
        traces : names of points
            Points that leave a trace.
        speed : float
            Seconds of motion in a second of watching, at first.
        """
        from ..drawing.mechanisms import animate

        return animate(self._itself, result, subsystem, traces=traces, speed=speed)

    def draw(
        self, path: str | os.PathLike[str] | None = None, *, view: str | None = None, labels: bool = True
    ) -> Figure:
        """Draw the assembled position; ``path`` saves it (``.png``, ``.svg``).

        Parameters
        ----------
        path : path, optional
            Where to save the picture.
        view : {"front", "side", "top", "iso"}, optional
            Where from.
        labels : bool
            Whether points are named.
        """
        from ..drawing.mechanisms import draw

        return draw(self._itself, path, view=view, labels=labels)

    def _repr_html_(self) -> str:
        from ..analysis.description import as_html

        return as_html(self._itself)
