"""A subsystem made from an FMU: its ports and values, its state, and what it offers during a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..approximations import hold
from ..errors import SetupError
from ..linear_model import LinearSubsystem
from ..subsystems import Subsystem
from .archive import Archive, Unpacked
from .core_setup import is_continuous, make_port, make_setup, offers_derivatives
from .description import FLOATS, GENERATOR, ModelDescription, Variable
from .given_values import read_values
from .isolation import ONCE_ONLY, Isolation, choose, to_core
from .linear_subsystem import linear_subsystem, present_model
from .messages import LogMessage
from .options import INPUT_ORDERS, MODEL_EXCHANGE, Options, choose_kind, option_problems
from .platforms import find_binary, library_suffix
from .port_choice import choose_ports, waits_for_connection
from .saved_state import SavedState
from .standstill import standstill_problems
from .steps import TYPICAL_STEP, step_problems, suggested_step
from .texts import SharedTexts, can_be_signal, is_text, share_texts, text_numbers
from .values import as_signal, as_whole
from .variable_units import unit_name, unit_of


def never_ticks(clock: Variable) -> str:
    """Return the remark on a triggered input clock."""
    return f'"{clock.name}" is a triggered input clock: a system does not trigger clocks, so it never ticks'


def _is_tunable(variable: Variable) -> bool:
    return variable.causality == "parameter" and variable.variability == "tunable" and variable.is_numeric


class Fmu(Subsystem):
    """An FMU as a subsystem; created by :func:`fmu`.

    Attributes
    ----------
    description : ModelDescription
        The model description.
    kind : str
        How it is run: ``"co-simulation"`` or ``"model-exchange"``.
    interface : Interface
        Its capabilities.
    unit_definitions : dict
        Units of the ports with their base units, where the FMU defines them.
    """

    units_expected = True
    copied_for_runs = True
    keeps_free_inputs = True
    runs_python = False
    step_to_try = TYPICAL_STEP

    def __init__(
        self,
        archive: Archive,
        description: ModelDescription,
        options: Options,
        parameters: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        *,
        kind: str | None = None,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        step: float | None = None,
        state: SavedState | None = None,
    ) -> None:
        self.path = archive.path
        self.description = description
        self.kind, self.interface = choose_kind(archive.path, description, kind)
        self.solves_inside = self.kind != MODEL_EXCHANGE
        self.inner_step = self.interface.fixed_internal_step if self.solves_inside else None
        self.options = options
        self.long_steps = self.own_pace
        self.state = state
        self._archive = archive
        self._folder, self._binary = find_binary(archive, description, self.interface.model_identifier)
        self._unpacked: Unpacked | None = None
        self._working: Path | None = None
        self._texts: SharedTexts | None = None
        self._library: _core.fmi.Library | None = None
        self._spare: _core.fmi.SpareInstance | None = None
        self._made: _core.fmi.FmuBase | _core.fmi.IsolatedFmu | None = None
        problems = list(option_problems(options, self.kind, self.interface, description))
        if state is not None:
            problems += state.problems(description, self.kind, self.interface, parameters)
        given = read_values(description, parameters or {}, start or {}, dict(state.structure) if state else {})
        problems += given.problems
        self._structure, self._assignments = given.structure, given.assignments
        self._inputs = choose_ports(description, inputs, "inputs", problems)
        self._outputs = choose_ports(description, outputs, "outputs", problems)
        if problems:
            raise SetupError([f"{archive.path}: {problem}" for problem in problems])
        self._given_inputs = given.inputs
        self._describe_ports()
        if self.interface.only_once_per_process:
            ONCE_ONLY.add(description.token, self)
        self._set_steps(step)

    def varied(self, parameters: Mapping[str, Any] | None = None, start: Mapping[str, Any] | None = None) -> Fmu:
        """Return the same FMU with other parameters and start values.

        It shares the unpacked files, the library and, between runs, the instance: see :meth:`keep_instance`.

        >>> wider = pump.varied({"diameter": 0.3})  # doctest: +SKIP
        """
        made = Fmu(
            self._archive, self.description, self.options, parameters, start, kind=self.kind,
            inputs=[v.name for v in self._inputs], outputs=[v.name for v in self._outputs], step=self.preferred_step,
            state=self.state,
        )  # fmt: skip
        made._unpacked, made._library, made._spare = self._unpacked, self._library, self._spare
        return made

    def keep_instance(self) -> None:
        """Keep the instance from run to run, set back with ``fmi2Reset`` or ``fmi3Reset``, instead of making it again.

        FMI 1, FMUs that cannot be set back and isolated FMUs are made again for each run as before.
        """
        if self._spare is None and self.isolation is None:
            self._spare = _core.fmi.SpareInstance()
            self._load()

    @property
    def instance_reuses(self) -> int:
        """Runs that used an instance again, since :meth:`keep_instance`."""
        return 0 if self._spare is None else self._spare.reuses

    @property
    def spare(self) -> _core.fmi.SpareInstance | None:
        """Where its instance is kept between runs."""
        return self._spare

    def _describe_ports(self) -> None:
        """Note what the system has to know about the ports."""
        description = self.description
        self.inputs = {v.name: self.width(v) for v in self._inputs}
        self.outputs = {v.name: self.width(v) for v in self._outputs}
        self.defaults = self._defaults(self._given_inputs)
        self.units = {v.name: unit for v in (*self._inputs, *self._outputs) if (unit := unit_name(description, v))}
        definitions = {v.name: unit_of(description, v) for v in (*self._inputs, *self._outputs)}
        self.unit_definitions = {port: unit for port, unit in definitions.items() if unit is not None}
        self.initial_feedthrough = [
            (y, u) for y, u in description.initial_feedthrough() if y in self.outputs and u in self.inputs and y != u
        ]
        if self.kind == MODEL_EXCHANGE:
            pairs = description.feedthrough(self._outputs)
            # An input that is recorded is its own output: one port, and no loop.
            self.feedthrough = [(y, u) for y, u in pairs if u in self.inputs and y != u]
        self.output_approximations = {v.name: hold("behind") for v in self._outputs if not is_continuous(v)}

    @property
    def tunable_parameters(self) -> list[str]:
        """Names of the parameters that may change during a run."""
        return [v.name for v in self.description.variables if _is_tunable(v)]

    def open_parameter(self, name: str) -> bool:
        """Make a tunable parameter an input, so that events can change it."""
        variable = self.description.by_name.get(name)
        if variable is None or not _is_tunable(variable):
            return False
        if variable not in self._inputs:
            self._inputs.append(variable)
            self._describe_ports()
        return True

    def open_port(self, name: str, kind: str) -> None:
        """Make a port of a variable that is one only where it is connected; other ports exist from the start."""
        ports = self._inputs if kind == "inputs" else self._outputs
        variable = self.description.by_name.get(name)
        if variable is None or variable in ports or variable.causality != kind[:-1] or not can_be_signal(variable):
            return
        if not waits_for_connection(variable):
            return
        ports.append(variable)
        self._describe_ports()

    @property
    def untouched_inputs(self) -> frozenset[str]:
        """Inputs that nothing connects or sets in the run under way: the FMU keeps the values that it gives them."""
        return self.free_inputs - self._given_inputs.keys()

    @property
    def isolation(self) -> Isolation | None:
        """How it is isolated in a separate process; None if it runs in this one."""
        if self.options.isolation is None and ONCE_ONLY.has_others(self.description.token):
            return choose(True, None)
        return self.options.isolation

    @property
    def remarks(self) -> list[str]:
        """What is unusual about it and does not prevent it from running."""
        found = [never_ticks(clock) for clock in self.description.triggered_clocks]
        expected = f"{self.interface.model_identifier}{library_suffix()}"
        if not self._binary.endswith(f"/{expected}"):
            found.append(f"its library is {self._binary}; expected the name {expected}")
        return found

    @property
    def is_foreign(self) -> bool:
        """Whether it runs in this process."""
        return self.isolation is None

    @property
    def printed(self) -> str:
        """The last output that an isolated FMU printed in its latest run, at most 64 KiB."""
        return self._made.printed().decode(errors="replace") if isinstance(self._made, _core.fmi.IsolatedFmu) else ""

    def _set_steps(self, step: float | None) -> None:
        """Return the step of an FMU that is added without one: given, suggested, or that of a variable-step solver."""
        suggested = suggested_step(self.description, self.interface)
        if self.own_pace:
            self.preferred_step = step
            self.typical_step = self.options.solver_options.get("first_step") or suggested or TYPICAL_STEP
        else:
            self.preferred_step = step if step is not None else suggested

    @property
    def own_pace(self) -> bool:
        """Whether it can choose its own steps: model exchange with a variable-step solver."""
        return self.kind == MODEL_EXCHANGE and self.options.own_pace

    @property
    def can_save(self) -> bool:
        """Whether its state can be saved and restored."""
        return self.interface.can_get_and_set_state

    @property
    def input_order(self) -> int | None:  # type: ignore[override]
        """What it makes of inputs within a step is as good as polynomials of this order; None: of any."""
        return None if self.kind == MODEL_EXCHANGE else INPUT_ORDERS[self.input_style]

    @property
    def repeats_unasked(self) -> bool:
        """Whether it was exported by Counterpoint.

        Others may promise what they do not keep: outputs that stand still while a saved state exists, states that are
        restored in part (``counterpoint doctor`` tells).
        """
        return self.can_save and self.description.tool.startswith(GENERATOR)

    @property
    def offers_derivatives(self) -> bool:
        """Whether derivatives of its outputs are known, which Taylor and Hermite approximations use."""
        return offers_derivatives(self)

    @property
    def messages(self) -> list[LogMessage]:
        """Log messages of the FMU in its latest run, at most a thousand."""
        if self._made is None:
            return []
        return list(map(LogMessage.of_core, self._made.messages()))

    def read(self, name: str) -> Any:
        """Return the present value of a variable of any type, during a run.

        >>> run = system.start()  # doctest: +SKIP
        >>> pump.read("status")  # doctest: +SKIP
        'running'
        """
        variable = self.description.find(name, str(self.path))
        if self._made is None:
            raise SetupError(f'{self.path}: "{name}" can be read only during a run; no run has started')
        try:
            return self._read(self._made, variable)
        except RuntimeError as error:
            raise SetupError(f'{self.path}: "{name}" cannot be read: {error}') from None

    def _read(self, running: _core.fmi.FmuBase | _core.fmi.IsolatedFmu, variable: Variable) -> Any:
        shape = self.description.shape(variable, self._structure)
        port = self.port(variable)
        if variable.type in ("String", "Binary"):
            texts: list[Any] = running.texts(port)
            texts = [text.decode(errors="replace") for text in texts] if variable.type == "String" else texts
            return texts if shape else texts[0]
        values = np.asarray(running.numbers(port))
        made = values if variable.type in FLOATS else as_whole(values, variable.type)
        return made.reshape(shape) if shape else made[0].item()

    def jacobian(self, unknowns: str | Iterable[str], knowns: str | Iterable[str]) -> NDArray[np.float64]:
        """Return partial derivatives of variables at the present state of a run, from the FMU.

        Parameters
        ----------
        unknowns : names
            Outputs or derivatives of states.
        knowns : names
            Inputs or states; in units of the FMU.

        Returns
        -------
        array of shape (scalars of unknowns, scalars of knowns)

        Examples
        --------
        >>> oscillator.jacobian("der(v)", ["x", "force"])  # doctest: +SKIP
        array([[-25. ,   0.5]])
        """
        if not self.interface.provides_directional_derivatives:
            raise SetupError(f"{self.path}: this FMU has no directional derivatives")
        if self._made is None:
            raise SetupError(f"{self.path}: derivatives are available only during a run; no run has started")
        rows, columns = self._variables(unknowns), self._variables(knowns)
        widths = [sum(self.width(v) for v in group) for group in (rows, columns)]
        made = np.empty((widths[0], widths[1]))
        try:
            for j, seed in enumerate(np.eye(widths[1])):
                made[:, j] = self._made.directional_derivative(
                    [v.reference for v in rows], [v.reference for v in columns], seed.tolist(), widths[0]
                )
        except RuntimeError as error:
            raise SetupError(f"{self.path}: cannot compute derivatives: {error}") from None
        return made

    def linear_model(
        self, t: float, u: NDArray[np.float64], at: Sequence[float] | None = None
    ) -> LinearSubsystem | None:
        """Return the model near its start, from time (s) and inputs there; None without directional derivatives.

        With anything as state (``at``), it is taken as it is now, in the run that is under way.
        """
        return linear_subsystem(self, t, u) if at is None else present_model(self)

    def _variables(self, names: str | Iterable[str]) -> list[Variable]:
        return [self.description.find(n, str(self.path)) for n in ([names] if isinstance(names, str) else names)]

    def save_state(self) -> bytes:
        """Return the present state of the FMU in a run, to resume another run from it: ``fmu(state=...)``.

        >>> run = system.start()  # doctest: +SKIP
        >>> run.step_to(10.0)  # doctest: +SKIP
        >>> warm = pump.save_state()  # doctest: +SKIP
        >>> later = fmu("pump.fmu", state=warm)  # a run with start=10.0  # doctest: +SKIP
        """
        if not self.interface.can_serialize_state:
            raise SetupError(f"{self.path}: this FMU cannot serialise its state (canSerializeFMUState)")
        if self._made is None:
            raise SetupError(f"{self.path}: the state is available only during a run; no run has started")
        try:
            state, memory = self._made.serialize(), self._made.memory()
        except RuntimeError as error:
            raise SetupError(f"{self.path}: cannot save the state: {error}") from None
        return SavedState(self.description.token, self.kind, self._structure, tuple(memory), state).to_bytes()

    @property
    def statistics(self) -> dict[str, int]:
        """Model exchange: steps, evaluations of derivatives and events of the latest run; otherwise empty."""
        return self._made.statistics() if self._made is not None else {}

    def step_problems(self, step: float, span: float) -> Iterator[str]:
        """Yield the reasons why the FMU cannot run with a step over a time span, both in s."""
        return iter(()) if self.kind == MODEL_EXCHANGE else step_problems(self.interface, step, span)

    may_be_undefined = True
    can_tell_standstill = True

    def standstill_problems(self, still: Sequence[str], t: float) -> dict[str, str]:
        """Return what the FMU says against continuous outputs that have not changed up to ``t`` (s): output -> reason.

        Co-simulation only: derivatives of these outputs, and the FMU's own time if none of its outputs has changed.
        """
        return standstill_problems(self, still, t)

    def _native(self) -> _core.Subsystem:
        root = self._unpack()
        setup = make_setup(self, root)
        if self.isolation is not None:
            apart = to_core(self.isolation, self._working_directory(root), self.interface.needs_execution_tool)
            if any(is_text(v) for v in (*self._inputs, *self._outputs)):
                self._texts = share_texts()
                apart.texts = self._texts.folder
            self._made = _core.fmi.IsolatedFmu(str(root / self._binary), setup, apart)
            return self._made
        self._made = _core.fmi.make_fmu(self._load(), setup)
        return self._made

    def _unpack(self) -> Path:
        if self._unpacked is None:
            self._unpacked = self._archive.unpack_shared(self._folder)
        return self._unpacked.root

    def _load(self) -> _core.fmi.Library:
        if self._library is None:
            path = self._unpack() / self._binary
            try:
                self._library = _core.fmi.Library(str(path))
            except RuntimeError as error:
                raise SetupError(f"{self.path}: {self._binary}: {error}") from None
        return self._library

    def _working_directory(self, root: Path) -> Path:
        """Return the directory of an isolated FMU, its own although ``root`` is shared."""
        if self._working is None:
            self._working = Path(tempfile.mkdtemp(prefix="working-", dir=root))
        return self._working

    @property
    def input_style(self) -> str:
        """How inputs reach it in co-simulation: as ``InputStyle`` of the core names it."""
        if self.options.inputs_at not in (None, "auto"):
            return str(self.options.inputs_at)
        continuous = [v for v in self._inputs if v.variability == "continuous"]
        if self.description.major < 3 and self.interface.can_interpolate_inputs and continuous:
            return "slope_to_end" if self._feeds_through else "slope"
        asked = [v for v in continuous if v.intermediate_update]
        if self.interface.provides_intermediate_update and asked and len(asked) == len(continuous):
            return "intermediate"
        return "middle"

    @property
    def _feeds_through(self) -> bool:
        """Whether an output that is connected depends on an input at the same instant, as far as is known."""
        connected = [v for v in self._outputs if v.name in (self.connected_outputs or ())]
        return any(u in self.inputs for _, u in self.description.feedthrough(connected))

    @property
    def ports(self) -> tuple[list[Variable], list[Variable]]:
        """The variables of its inputs and of its outputs."""
        return self._inputs, self._outputs

    @property
    def assignments(self) -> dict[str, _core.fmi.Assignment]:
        """Values that were given to variables, packed for the core."""
        return self._assignments

    def width(self, variable: Variable) -> int:
        """Return the number of scalars of a variable."""
        return self.description.width(variable, self._structure)

    def port(self, variable: Variable) -> _core.fmi.Port:
        """Return a variable as the core reads and writes it."""
        return make_port(self, variable)

    def _defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of unconnected inputs."""
        defaults = {}
        for v in self._inputs:
            values = given.get(v.name, v.start)
            values = text_numbers(values) if values is not None and is_text(v) else values
            signal = None if values is None else as_signal(values, self.width(v))
            if signal is not None:
                defaults[v.name] = signal
        return defaults

    def __repr__(self) -> str:
        ports = f"{', '.join(self.input_widths) or 'no inputs'} -> {', '.join(self.output_widths)}"
        return f"<FMU {self.description.name} (FMI {self.description.version}): {ports}>"
