"""A model whose dynamic terms another program evaluates, all of them in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import _core
from ...errors import SetupError
from ..analysis.problem import Problem
from ..assembly.affine import Vector
from ..assembly.elements import address_of
from ..modelling.hand_written import HandWritten, OutputChoice
from ..modelling.outputs import STANDARD
from .checking import check_rates
from .streams import Sizes, TermStream

Terms = Callable[[float, Vector, Vector, Vector], tuple[ArrayLike, ...]]


class Evaluated(HandWritten):
    """Formulate and integrate a model whose terms M, Phi, J, Q come from outside (González Varela (2010), section 5.3).

    Everything that :class:`HandWritten` does, it does too: ``run``, ``subsystem``, ``equilibrium``, ``modes``. The
    difference is that one call answers for all terms of an instant, since the one who answers may be far away.

    Parameters
    ----------
    terms : compiled function, Python function or TermStream
        Compiled (ctypes, numba's cfunc): ``void terms(double t, const double *q, const double *v, const double *u,
        double *M, double *Phi, double *J, double *Q)`` and one more ``double *`` for each further term; matrices row
        by row, all come as zeros. Python: ``terms(t, q, v, u)`` returns ``(M, Phi, J, Q)`` and the further ones.
        Another program: :func:`process`, :func:`connect`, :func:`octave`.
    coordinates, equations : int
        Numbers of coordinates and of constraint equations.
    position, velocity : array, optional
        Estimates of the start, m and m/s; default: zeros.
    inputs : mapping, optional
        Names and default values of what arrives as ``u``.
    constant_mass : bool
        M never changes; it is taken from one evaluation.
    rates : bool
        A fifth term comes, c of ``Phi'' = J a + c``, so c = J' v + Phi_t', shape (equations,). Then one iteration of
        index 3 costs one evaluation; without it c is found by differences, two evaluations more for each step.
        Compared with differences once, before a run.
    rheonomic : bool
        Phi depends on t: the last term is its derivative with t alone, Phi_t, shape (equations,).
    standard_outputs : tuple of str
        See :attr:`HandWritten.standard_outputs`: ``violation`` costs one more evaluation for each row of results,
        energies too unless M is constant.
    length : float
        Size of the model, m: what tolerances are relative to.
    name : str

    Examples
    --------
    >>> def falling(t, q, v, u):
    ...     return [[2.0]], [], [], [-2.0 * 9.81]
    >>> float(Evaluated(falling, coordinates=1).run(until=1.0, step=0.01)["model.q"].values[-1].round(3))
    -4.905
    """

    def __init__(
        self,
        terms: Terms | TermStream | Any,
        *,
        coordinates: int,
        equations: int = 0,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        inputs: Mapping[str, float] | None = None,
        constant_mass: bool = False,
        rates: bool = False,
        rheonomic: bool = False,
        standard_outputs: tuple[str, ...] = tuple(STANDARD),
        length: float = 1.0,
        name: str = "model",
    ) -> None:
        self.coordinates, self.equations = coordinates, equations
        self.position, self.velocity = position, velocity
        self.inputs = dict(inputs or {})
        self.constant_mass, self.length, self.name = constant_mass, length, name
        self.standard_outputs = standard_outputs
        self._sizes = Sizes(coordinates, equations, len(self.inputs), rates, rheonomic)
        self._terms = terms
        self._address = address_of(terms)
        if self._address is None and not isinstance(terms, TermStream) and not callable(terms):
            raise SetupError(
                f"{name}: terms: {terms!r}; expected a function, a pointer to a compiled one, or another program "
                "(process(...), connect(...), octave(...))"
            )

    @property
    def rheonomic(self) -> bool:
        """Whether constraints depend on time."""
        return self._sizes.rheonomic

    def problem(self, outputs: Mapping[str, OutputChoice] | None = None) -> Problem:
        """Return what the functions of :mod:`counterpoint.multibody.analysis` work on."""
        made = super().problem(outputs)
        if self.equations:
            check_rates(made, rates=self._sizes.rates, rheonomic=self.rheonomic)
        return made

    def native_model(self) -> _core.multibody.Model:
        """Return what the core's formulations work on."""
        sizes = _core.multibody.EvaluatedModelSizes(
            self.coordinates,
            self.equations,
            len(self.inputs),
            float(self.length),
            self.constant_mass,
            self._sizes.rates,
            self._sizes.rheonomic,
        )
        if self._address is not None:
            return _core.multibody.compiled_model(self._address, sizes)
        if isinstance(self._terms, TermStream):
            return _core.multibody.evaluated_model(self._terms.answers(self._sizes), sizes)
        return _core.multibody.evaluated_model(answers_of(self._terms, self._sizes), sizes)


def answers_of(terms: Terms, sizes: Sizes) -> Callable[[Vector], Vector]:
    """Return a function from a question (t, q, v, u) to an answer (M, Phi, J, Q, ...), both flat, of the user's."""
    n, shapes = sizes.coordinates, sizes.shapes

    def answer(question: Vector) -> Vector:
        made = terms(float(question[0]), question[1 : n + 1], question[n + 1 : 2 * n + 1], question[2 * n + 1 :])
        if len(made) != len(shapes):
            raise ValueError(f"terms returned {len(made)} values; expected {len(shapes)}: {', '.join(shapes)}")
        return np.concatenate([_flat(name, value, shapes[name]) for name, value in zip(shapes, made, strict=True)])

    return answer


def _flat(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Vector:
    array = np.asarray(value, dtype=float)
    if array.shape != shape and not (array.size == 0 and 0 in shape):
        raise ValueError(f"{name} has the shape {array.shape}; expected {shape}")
    return array.reshape(-1)
