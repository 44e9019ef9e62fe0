"""Blocks written in Python: what they may define and how the core calls them."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import SetupError

Ports = Sequence[str] | Mapping[str, int]


class PythonBlock:
    """A block with a memory of its own, written in Python; added by :meth:`Diagram.python_block`.

    A subclass says what it has in class attributes (or sets them in ``__init__``) and defines the methods it needs:

    1. ``inputs``, ``outputs``: names of ports; a mapping of outputs gives their widths. ``states``: continuous states,
       ``crossings``: crossing functions. ``sample_time``: period in s, or (period, offset); None: continuously.
       ``feedthrough``: whether outputs depend on the inputs of the same instant. ``needs_major``: whether
       an evaluation with ``context.is_major`` is wanted at every accepted time, not only at events.
    2. Every method gets a context (``time``, ``step``, ``stage``, ``attempt``, ``is_major``) that is good during the
       call, and then (not ``start``) the inputs: numbers, or arrays that are written again at every call. The states
       are in the array ``self.x``.
    3. ``start(context)`` writes initial states to ``self.x`` and resets everything else. It begins a run, and may be
       called again before the first step.
    4. ``output(context, *u)`` returns the outputs (a number or an array; a sequence of them for several outputs). It
       runs several times per step, at times that may be given up later: only at ``context.is_major`` does it count.
    5. ``derivative(context, *u)`` returns dx/dt.
    6. ``update(context, *u)`` runs at accepted times: at the samples of a sampled block, otherwise at the instants that
       are looked at (events, samples, every step with ``needs_major``). It may write ``self.x``, which then takes place
       after all blocks have read. It returns True when outputs must be computed again at this very instant.
    7. ``accepted(context, *u)`` runs at the end of every accepted step, ``rejected(context, *u)`` when an attempt is
       given up.
    8. ``crossing(context, *u)`` returns numbers that change their sign at events; these times are located.
    9. ``save()`` and ``restore(state)`` carry what lasts besides ``self.x``; the defaults copy all attributes deeply.

    Examples
    --------
    >>> import counterpoint as cp
    >>> class Counter(cp.diagram.PythonBlock):
    ...     inputs = ()
    ...     sample_time = 0.1
    ...     def start(self, context):
    ...         self.count = 0
    ...     def output(self, context):
    ...         return self.count
    ...     def update(self, context):
    ...         self.count += 1
    >>> model = cp.Diagram("model")
    >>> model.output("count", model.python_block(Counter()))
    >>> float(model.run(until=1.0, step=0.05)["model.count"].values[-1])
    10.0
    """

    inputs: Ports = ("u",)
    outputs: Ports = ("y",)
    states: int = 0
    crossings: int = 0
    sample_time: float | tuple[float, float] | None = None
    feedthrough: bool = True
    needs_major: bool = False
    x: NDArray[np.float64]

    def start(self, context: _core.diagram.Context) -> None:
        """Write initial states and reset the rest."""

    def output(self, context: _core.diagram.Context, *u: Any) -> Any:
        """Return the outputs."""
        raise NotImplementedError(f"{type(self).__name__} has no method output")

    def save(self) -> Any:
        """Return a copy of all that lasts from one step to the next."""
        return copy.deepcopy({name: value for name, value in vars(self).items() if name != "x"})

    def restore(self, state: Any) -> None:
        """Return to what :meth:`save` gave."""
        vars(self).update(copy.deepcopy(state))


def make_object(block: PythonBlock) -> _core.diagram.Block:
    """Make the core's block around an object."""
    if not isinstance(block, PythonBlock):
        raise SetupError(f"{block!r} is not a PythonBlock; derive its class from counterpoint.diagram.PythonBlock")
    made = description(list(block.inputs), block.outputs)
    made.states, made.crossings = block.states, block.crossings
    made.feedthrough, made.needs_major = block.feedthrough, block.needs_major
    made.period, made.offset = _sample_time(block.sample_time)
    for needed, method in ((block.states, "derivative"), (block.crossings, "crossing")):
        if needed and not hasattr(block, method):
            raise SetupError(f"{type(block).__name__} needs a method {method}")
    return _core.diagram.python_block(block, made)


def description(inputs: Sequence[str], outputs: Ports) -> _core.diagram.Description:
    """Describe ports; outputs without width are scalars."""
    made = _core.diagram.Description()
    made.inputs, made.outputs = list(inputs), list(outputs)
    made.widths = [int(outputs[name]) for name in outputs] if isinstance(outputs, Mapping) else [1] * len(outputs)
    if any(width < 1 for width in made.widths):
        raise SetupError(f'"outputs": widths {made.widths}; each must be at least 1')
    for kind, names in (("inputs", made.inputs), ("outputs", made.outputs)):
        if len(set(names)) != len(names):
            raise SetupError(f'"{kind}": {", ".join(names)}; each name may be used once')
    return made


def argument_names(function: Callable[..., Any], signals: int) -> tuple[list[str], bool]:
    """Return names for the inputs of a function, and whether its first argument is the context instead of the time."""
    try:
        given = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C
        return [f"u{i + 1}" for i in range(signals)], False
    positional = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional and not any(p.kind == p.VAR_POSITIONAL for p in given):
        raise SetupError(f"{function!r} takes no arguments; it is called with the time, then the inputs")
    names = [p.name for p in positional[1:] if p.default is p.empty]
    if any(p.kind == p.VAR_POSITIONAL for p in given):
        names += [f"u{i + 1}" for i in range(len(names), signals)]
    return names, bool(positional) and positional[0].name == "context"


def _sample_time(given: float | tuple[float, float] | None) -> tuple[float, float]:
    if given is None:
        return 0.0, 0.0
    period, offset = given if isinstance(given, tuple) else (given, 0.0)
    if not (period > 0 and offset >= 0 and np.isfinite(period) and np.isfinite(offset)):
        raise SetupError(f'"sample_time": {given!r}; expected a period above 0 s, and an offset not below 0 s')
    return float(period), float(offset)
