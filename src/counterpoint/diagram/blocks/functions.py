"""Blocks that a user writes: expressions in text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import SetupError
from ..signal import SignalOperators
from .family import Family

if TYPE_CHECKING:
    from ..block import Block


def listed(names: Sequence[str] | str | None) -> str | None:
    """Names as the core takes them: separated by commas."""
    return names if names is None or isinstance(names, str) else ", ".join(names)


#: Names that :meth:`Diagram.add` and the core have taken.
RESERVED = frozenset({"kind", "named_inputs", "make", "expression", "input_names", "output_names"})


class FunctionBlocks(Family):
    """Blocks that a user writes."""

    def expression(
        self,
        text: str,
        *signals: Any,
        inputs: Sequence[str] | str | None = None,
        outputs: Sequence[str] | str | None = None,
        name: str | None = None,
        **values: Any,
    ) -> Block:
        """Compute outputs from an expression in text.

        Parameters
        ----------
        text : str
            A value, ``"k * (p_a - p)**2"``, or several with names, ``"r = min(a / b, b / a); y = sqrt(r)"``; later ones may
            use earlier ones. Operators ``+ - * / % **``, comparisons, ``and or not``, ``a if c else b``; functions sin,
            cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, log10, sqrt, hypot, pow, abs, sign, min, max, floor,
            ceil, mod, if(condition, a, b); constants pi, e, true, false; ``t`` is the time in s. Elements of vectors are
            ``u[0]``, ``u[1]``; an input used without index may be a vector, then the expression holds for each component.
        *signals : signals
            Entering the inputs in their order.
        inputs : sequence of str, optional
            Names of the inputs in their order. Otherwise every name that is given no value becomes an
            input, in order of appearance.
        outputs : sequence of str, optional
            Which of several values are outputs; otherwise all are. A value without name is ``y``.
        **values : signals or numbers
            By name: a signal enters that input, a number (or a vector, used by index) is a parameter.

        Notes
        -----
        Comparisons, sign, floor, ceil and mod jump and are held while a step is tried; these places and
        the kinks of abs, min and max are located as events. While a step is tried the root of a negative
        number is 0: a stage may look a little past the event that ends a branch; at accepted times it is NaN and stops the run.

        Constants are folded, whole powers are multiplications, common factors of sums are put outside (polynomials
        become Horner's scheme), which changes results by rounding only.

        Examples
        --------
        >>> import counterpoint as cp
        >>> model = cp.Diagram("tank")
        >>> level = model.integrator(initial=1.0, name="level")
        >>> model.expression("-a * sqrt(2 * g * h)", h=level, a=0.05, g=9.81) >> level
        <integrator level>
        >>> model.output("level", level)
        >>> round(float(model.run(until=2.0, step=0.01)["tank.level"].values[-1]), 6)
        0.606105
        """
        if reserved := RESERVED.intersection(values):
            raise SetupError(f'expression: "{min(reserved)}" cannot be the name of a parameter; take another')
        numbers, entering = {}, {}
        for key, value in values.items():
            is_signal = isinstance(value, SignalOperators | str)
            (entering if is_signal else numbers)[key] = value
        return self.add(
            "expression",
            signals,
            name=name,
            named_inputs=entering,
            expression=text,
            input_names=listed(inputs),
            output_names=listed(outputs),
            **numbers,
        )
