"""A block diagram as a user builds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import SetupError, did_you_mean
from .block import Block, Maker, parameters
from .block_output import BlockOutput, OutputOperators
from .blocks import BlockLibrary

if TYPE_CHECKING:
    from ..results import Result
    from ..subsystems import NativeSubsystem
    from .analysis import LinearDiagram, Trim


class Diagram(BlockLibrary):
    """A block diagram: blocks, the signals between them, inputs and outputs.

    Parameters
    ----------
    name : str
    solver : str
        ``ode1`` to ``ode5``, ``trapezoidal`` (fixed step), ``ode23``, ``ode45``, ``ode23s`` (variable step);
        ``trapezoidal`` and ``ode23s`` are for stiff diagrams.
    locate_events : bool
        Find the time of every event and split the step there. False: events take place at the end of the step in which
        they fall, as fixed-step solvers of Simulink do.
    publish_events : bool
        End a step at every located event, so that results contain it and others see it when it happens.
    algebraic_loops : {"error", "solve"}
    step : float, optional
        Preferred step, s.
    inner_step : float, optional
        Fixed-step solvers: largest step inside a longer communication step, s.
    **options : float
        ``rtol``, ``atol``, ``first_step``, ``max_step`` (s) of variable-step solvers.

    Examples
    --------
    >>> import counterpoint as cp
    >>> model = cp.Diagram("oscillator")
    >>> x = model.integrator(initial=1.0, name="x")
    >>> v = model.integrator(-4 * x, name="v")
    >>> v >> x
    <integrator x>
    >>> model.output("x", x)
    >>> result = model.run(until=1.0, step=0.01)
    >>> round(float(result["oscillator.x"].values[-1]), 6)
    -0.416147
    """

    def __init__(
        self,
        name: str = "diagram",
        *,
        solver: str = "ode4",
        locate_events: bool = True,
        publish_events: bool = False,
        algebraic_loops: str = "error",
        step: float | None = None,
        inner_step: float | None = None,
        **options: float,
    ) -> None:
        self.name = name
        self.solver = solver
        self.locate_events = locate_events
        self.publish_events = publish_events
        self.algebraic_loops = algebraic_loops
        self.preferred_step = step
        self.inner_step = inner_step
        self.options = options
        self.blocks: dict[str, Block] = {}
        self.inputs: dict[str, Block] = {}
        self.outputs: dict[str, BlockOutput] = {}
        self.defaults: dict[str, NDArray[np.float64]] = {}
        self.units: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()

    def add(
        self,
        kind: str,
        inputs: Iterable[Any] = (),
        /,
        *,
        name: str | None = None,
        named_inputs: dict[str, Any] | None = None,
        make: Maker | None = None,
        block_type: type[Block] = Block,
        **values: Any,
    ) -> Block:
        """Add a block of a kind of the core; the methods named after the kinds call this.

        ``make`` gives a block that is not made from parameters alone (it holds a function, say), ``block_type`` what
        the user holds.
        """
        block = block_type(self, self._free_name(name, kind), kind)
        block.is_named = name is not None
        try:
            block.numbers, block.texts = parameters(values)
            block.make = make or (lambda: _core.diagram.make_block(kind, block.numbers, block.texts))
            made = block.make()
        except (SetupError, ValueError) as error:
            texts = error.problems if isinstance(error, SetupError) else [str(error)]
            if isinstance(error, ValueError) and make is None and kind in _core.diagram.kinds():
                texts = [text for _, text, _ in _core.diagram.mistakes(kind, block.numbers, block.texts)[0]]
            raise SetupError(f'diagram "{self.name}": {kind} "{block.name}": {text}' for text in texts) from None
        block.inputs, block.outputs = list(made.input_names), list(made.output_names)
        self.blocks[block.name] = block
        block.connect(*inputs, **{port: s for port, s in (named_inputs or {}).items() if s is not None})
        return block

    def superblock(
        self,
        content: Diagram,
        *inputs: Any,
        name: str | None = None,
        enable: Any = None,
        trigger: Any = None,
        edge: str = "rising",
        restarts: bool = False,
        **named: Any,
    ) -> Block:
        """Add another diagram as one block; it may be added several times.

        Parameters
        ----------
        content : Diagram
            Its inputs and outputs become ports.
        *inputs, **named : signals
            Entering its inputs, in their order or by name.
        enable : signal, optional
            The content runs while this is positive; otherwise its states rest and its outputs keep their value.
        trigger : signal, optional
            The content runs only at the instants in which this passes zero (``edge``: rising, falling, either).
        restarts : bool
            Enabled superblocks: states begin anew each time it is enabled.
        """
        if content is self or self in content._inside():
            raise SetupError(f'diagram "{self.name}": a diagram cannot contain itself')
        block = Block(self, self._free_name(name, content.name), "superblock")
        block.content = content
        block.inputs, block.outputs = list(content.inputs), list(content.outputs)
        self.blocks[block.name] = block
        block.connect(*inputs, **named)
        if enable is not None or trigger is not None:
            self.set_gate(block, enable=enable, trigger=trigger, edge=edge, restarts=restarts)
        return block

    def set_gate(
        self, block: Block, *, enable: Any = None, trigger: Any = None, edge: str = "rising", restarts: bool = False
    ) -> None:
        """Let a superblock run only while ``enable`` is positive, or when ``trigger`` passes zero."""
        if (enable is None) == (trigger is None):
            raise SetupError(f'superblock "{block.name}": expected either enable or trigger')
        block.gate = "enable" if enable is not None else "trigger"
        block.texts = {"edge": edge} if trigger is not None else {}
        block.numbers = parameters({"restarts": float(restarts)})[0] if enable is not None else {}
        block.inputs.append("control")
        block.connect_port("control", enable if enable is not None else trigger)

    def input(self, name: str, default: ArrayLike | None = None, *, width: int = 1, unit: str = "") -> Block:
        """Add an input of the diagram.

        Parameters
        ----------
        name : str
        default : number or vector, optional
            Value when nothing is connected; without it, something has to be.
        width : int
            Number of scalars; that of the default when there is one.
        unit : str
        """
        if name in self.inputs:
            raise SetupError(f'diagram "{self.name}": input "{name}" already exists')
        block = self.add("inlet", name=name, value=np.zeros(width) if default is None else default)
        self.inputs[name] = block
        if default is not None:
            self.defaults[name] = block.numbers["value"]
        if unit:
            self.units[name] = unit
        return block

    def output(self, name: str, signal: Any, *, unit: str = "") -> None:
        """Make a signal an output of the diagram: results keep it, others can be connected to it."""
        if name in self.outputs:
            raise SetupError(f'diagram "{self.name}": output "{name}" already exists')
        self.outputs[name] = self.as_signal(signal)
        if unit:
            self.units[name] = unit

    def connect(self, source: str | OutputOperators, target: str) -> None:
        """Connect by names: ``connect("plant.y", "controller.u")``; the port may be left out when there is only one."""
        block, port = self._target(target)
        block.connect_port(port, self._named_signal(source) if isinstance(source, str) else source)

    def as_signal(self, value: Any) -> BlockOutput:
        """Return the signal meant: a signal, a block with one output, the name of one, or a number (a constant)."""
        if isinstance(value, OutputOperators):
            return value.signal
        if isinstance(value, str):
            return self._named_signal(value)
        if isinstance(value, Real | list | tuple | np.ndarray):
            return self.add("constant", value=value).signal
        raise SetupError(
            f'diagram "{self.name}": {value!r} is not a signal; give a signal, a block with one output or a number'
        )

    def subsystem(self) -> NativeSubsystem:
        """Return the diagram as a subsystem for :meth:`counterpoint.System.add`."""
        from .analysis import linear_subsystem
        from .compiling import subsystem

        made, is_sampled = subsystem(self)
        if not is_sampled:
            made.linear_model = lambda t, u, at: linear_subsystem(self, t, u, at)
        return made

    def run(self, until: float, step: float | None = None, **options: Any) -> Result:
        """Run the diagram alone; ``options`` as for :meth:`counterpoint.System.run`. Inputs keep their defaults."""
        from ..system import System

        system = System(self.name)
        system.add(self.name, self.subsystem(), step=step if step is not None else self.preferred_step)
        return system.run(until=until, **options)

    def linearise(self, **options: Any) -> LinearDiagram:
        """Return the linear model near a state; see :func:`counterpoint.diagram.analysis.linearise`."""
        from .analysis import linearise

        return linearise(self, **options)

    def trim(self, **options: Any) -> Trim:
        """Find a state of rest; see :func:`counterpoint.diagram.analysis.trim`."""
        from .analysis import trim

        return trim(self, **options)

    def save(self, path: str | Path, *, until: float | None = None, overwrite: bool = False) -> Path:
        """Write the diagram as a TOML file that :func:`counterpoint.diagram.load` and ``counterpoint run`` read."""
        from .files.writing import save

        return save(self, path, until=until, overwrite=overwrite)

    def draw(self, path: str | Path) -> Path:
        """Write a picture of the diagram as an SVG file; in a notebook the diagram shows itself."""
        from .drawing.svg import save

        return save(self, path)

    def _repr_svg_(self) -> str:
        from .drawing.svg import svg

        return svg(self)

    def _free_name(self, name: str | None, kind: str) -> str:
        if name is None:
            number = self._numbers[kind] + 1
            while f"{kind}{number}" in self.blocks:
                number += 1
            self._numbers[kind] = number
            return f"{kind}{number}"
        if name in self.blocks:
            raise SetupError(f'diagram "{self.name}": block "{name}" already exists')
        if not name or any(c in name for c in "./ "):
            raise SetupError(
                f'diagram "{self.name}": "{name}" is not a valid name; use a word without dots, slashes and blanks'
            )
        return name

    def _find(self, name: str) -> Block:
        if name not in self.blocks:
            raise SetupError(f'diagram "{self.name}": no block "{name}"{did_you_mean(name, self.blocks)}')
        return self.blocks[name]

    def _named_signal(self, name: str) -> BlockOutput:
        block, _, port = name.partition(".")
        found = self._find(block)
        return found[port] if port else found.signal

    def _target(self, name: str) -> tuple[Block, str]:
        block, _, port = name.partition(".")
        found = self._find(block)
        if not port and len(found.inputs) != 1:
            raise SetupError(
                f'diagram "{self.name}": "{name}" has inputs {", ".join(found.inputs)}; specify one: "{name}.port"'
            )
        return found, port or found.inputs[0]

    def _inside(self) -> set[Diagram]:
        inner = {block.content for block in self.blocks.values() if block.content is not None}
        return inner.union(*(content._inside() for content in inner)) if inner else inner
