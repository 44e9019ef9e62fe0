"""What the test FMUs say about themselves; the sources are in ``models/``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

FMI2_TYPES = {
    "Float64": "Real",
    "Int32": "Integer",
    "Boolean": "Boolean",
    "String": "String",
    "Enumeration": "Enumeration",
}


@dataclass(frozen=True)
class Variable:
    """A variable; its value reference is its place in the table of the source."""

    name: str
    reference: int
    type: str = "Float64"
    causality: str = "local"
    variability: str = ""
    start: str | None = None
    unit: str = ""
    derivative: int | None = None
    dimensions: tuple[tuple[str, int], ...] = ()  #: ("start", 2) or ("valueReference", 1)
    depends: tuple[int, ...] | None = ()  #: value references that an output or derivative depends on
    clocks: tuple[int, ...] = ()  #: value references of clocks
    interval: tuple[tuple[str, str], ...] = ()  #: attributes of a clock

    @property
    def is_unknown(self):
        """Whether its initial value is calculated."""
        return (
            self.causality in ("output", "local", "calculatedParameter")
            and self.start is None
            and self.reference > 0
            and not self.clocks
        )


def parameter(name, reference, start, **more):
    return Variable(
        name, reference, causality="parameter", variability=more.pop("variability", "fixed"), start=start, **more
    )


def received(name, reference, start="0", **more):
    return Variable(name, reference, causality="input", start=start, **more)


def output(name, reference, **more):
    return Variable(name, reference, causality="output", **more)


TIME = Variable("time", 0, causality="independent", variability="continuous", unit="s")


@dataclass(frozen=True)
class Model:
    """A test FMU: variables and capabilities, for both versions and kinds."""

    name: str
    source: str
    token: str
    variables: tuple[Variable, ...]
    states: int = 0
    event_indicators: int = 0
    co_simulation: dict[str, str] = field(default_factory=dict)
    fmi2: dict[str, str] = field(default_factory=dict)
    fmi3: dict[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("CoSimulation",)
    step: float = 0.01

    def changed(self, **more):
        """Return a variant, e.g. with other capabilities."""
        return replace(self, **more)


STATE = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
_dim = {"unit": "m"}

OSCILLATOR = Model(
    "Oscillator",
    "oscillator",
    "{counterpoint-test-oscillator}",
    (
        TIME,
        parameter("m", 1, "1", unit="kg"),
        parameter("k", 2, "100", unit="N/m"),
        parameter("c", 3, "0", unit="N.s/m"),
        parameter("kc", 4, "0", unit="N/m"),
        parameter("dc", 5, "0", unit="N.s/m"),
        parameter("internal_step", 6, "0.001", unit="s"),
        received("force", 7, unit="N", variability="continuous"),
        received("x_other", 8, unit="m", variability="continuous"),
        received("v_other", 9, unit="m/s", variability="continuous"),
        output("x", 10, start="1", unit="m"),
        output("v", 11, start="0", unit="m/s"),
        output("a", 12, unit="m/s2", depends=(7, 8, 9, 10, 11)),
        output("f", 13, unit="N", depends=(8, 9, 10, 11)),
        Variable("der(x)", 14, unit="m/s", derivative=10, depends=(11,)),
        Variable("der(v)", 15, unit="m/s2", derivative=11, depends=(7, 8, 9, 10, 11)),
    ),
    states=2,
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
    fmi2={"canInterpolateInputs": "true", "maxOutputDerivativeOrder": "1", "providesDirectionalDerivative": "true"},
    fmi3={
        "providesIntermediateUpdate": "true",
        "maxOutputDerivativeOrder": "1",
        "providesDirectionalDerivatives": "true",
    },
    kinds=("CoSimulation", "ModelExchange"),
)

BOUNCING_BALL = Model(
    "BouncingBall",
    "bouncing_ball",
    "{counterpoint-test-bouncing-ball}",
    (
        TIME,
        parameter("g", 1, "-9.81", unit="m/s2"),
        parameter("e", 2, "0.7"),
        parameter("v_min", 3, "0.1", unit="m/s"),
        output("h", 4, start="1", unit="m"),
        output("v", 5, start="0", unit="m/s"),
        Variable("der(h)", 6, unit="m/s", derivative=4, depends=(5,)),
        Variable("der(v)", 7, unit="m/s2", derivative=5),
        output("bounces", 8, type="Int32", variability="discrete", start="0"),
        output("at_rest", 9, type="Boolean", variability="discrete", start="false"),
        parameter("careless", 10, "false", type="Boolean"),
    ),
    states=2,
    event_indicators=1,
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
    fmi2={"maxOutputDerivativeOrder": "1"},
    fmi3={"maxOutputDerivativeOrder": "1", "hasEventMode": "true", "mightReturnEarlyFromDoStep": "true"},
    kinds=("CoSimulation", "ModelExchange"),
)


def _pairs():
    """Return the inputs and outputs of every type of the pass-through."""
    first = 3
    made = []
    starts = {"Boolean": "false", "String": "set me", "Binary": "cafe"}
    for place, kind in enumerate(
        ("Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean",
         "String", "Binary")
    ):  # fmt: skip
        reference = first + 2 * place
        variability = "continuous" if kind.startswith("Float") else "discrete"
        name = kind.lower()
        made.append(received(f"{name}_in", reference, starts.get(kind, "0"), type=kind, variability=variability))
        made.append(output(f"{name}_out", reference + 1, type=kind, variability=variability, depends=(reference,)))
    return tuple(made)


def _mode(reference):
    return (
        received("mode_in", reference, "1", type="Enumeration", variability="discrete"),
        output("mode_out", reference + 1, type="Enumeration", variability="discrete", depends=(reference,)),
    )


_GAIN = parameter("gain", 2, "1", variability="tunable")
_BIAS = Variable("bias", 37, causality="calculatedParameter", variability="tunable", depends=(2,))
_NOTE = Variable("note", 38, type="String", variability="discrete", start="none")

PASS_THROUGH = Model(
    "PassThrough",
    "pass_through",
    "{counterpoint-test-pass-through}",
    (
        TIME,
        Variable("n", 1, type="UInt64", causality="structuralParameter", variability="fixed", start="3"),
        _GAIN,
        *_pairs(),
        *_mode(31),
        received("vector_in", 33, "1 2 3", dimensions=(("valueReference", 1),), variability="continuous"),
        output("vector_out", 34, dimensions=(("valueReference", 1),), depends=(33,)),
        received("matrix_in", 35, "1 2 3 4", dimensions=(("start", 2), ("start", 2)), variability="continuous"),
        output("matrix_out", 36, dimensions=(("start", 2), ("start", 2)), depends=(35,)),
        _BIAS,
        _NOTE,
    ),
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
)
"""For FMI 3."""

PASS_THROUGH_2 = PASS_THROUGH.changed(
    variables=(TIME, _GAIN, *(v for v in _pairs() if v.type in FMI2_TYPES), *_mode(29), _BIAS, _NOTE)
)
"""The same source for FMI 2, which has fewer types."""

PASS_THROUGH_1 = PASS_THROUGH_2.changed(variables=tuple(v for v in PASS_THROUGH_2.variables if v is not _BIAS))

MISBEHAVING = Model(
    "Misbehaving",
    "misbehaving",
    "{counterpoint-test-misbehaving}",
    (
        TIME,
        parameter("fault", 1, "0", type="Int32"),
        parameter("fault_time", 2, "0.5", unit="s"),
        received("u", 3, variability="continuous"),
        output("y", 4, start="0"),
        Variable("der(y)", 5, variability="continuous", derivative=4),
    ),
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
)

SAMPLER = Model(
    "Sampler",
    "sampler",
    "{counterpoint-test-sampler}",
    (
        TIME,
        parameter("period", 1, "0.1", unit="s"),
        parameter("shrink", 2, "1"),
        parameter("stop_after", 3, "0", type="Int32"),
        parameter("late", 4, "false", type="Boolean"),
        received("u", 5, variability="continuous"),
        received("enable", 6, "true", type="Boolean", variability="discrete"),
        received("bias", 7, variability="discrete"),
        output("x", 8, start="0"),
        output("held", 9, variability="discrete", start="0"),
        Variable("der(x)", 10, derivative=8),
        output("samples", 11, type="Int32", variability="discrete", start="0"),
        parameter("exact", 12, "false", type="Boolean"),
    ),
    states=1,
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
    fmi3={"hasEventMode": "true", "mightReturnEarlyFromDoStep": "true"},
    kinds=("CoSimulation", "ModelExchange"),
)

RELAY = Model(
    "Relay",
    "relay",
    "{counterpoint-test-relay}",
    (
        TIME,
        parameter("rate", 1, "1"),
        parameter("band", 2, "0.1"),
        received("u", 3, variability="continuous"),
        output("x", 4, start="0"),
        Variable("der(x)", 5, derivative=4),
        output("falls", 6, type="Boolean", variability="discrete", start="false"),
        output("switches", 7, type="Int32", variability="discrete", start="0"),
    ),
    states=1,
    event_indicators=1,
    co_simulation=STATE,
    kinds=("ModelExchange",),
)

VAN_DER_POL = Model(
    "VanDerPol",
    "van_der_pol",
    "{counterpoint-test-van-der-pol}",
    (
        TIME,
        parameter("mu", 1, "1"),
        parameter("limit", 2, "0"),
        parameter("unit", 3, "1"),
        parameter("every", 4, "0", type="Int32"),
        received("u", 5, variability="continuous"),
        output("x", 6, start="2"),
        output("v", 7, start="0"),
        Variable("der(x)", 8, derivative=6, depends=(7,)),
        Variable("der(v)", 9, derivative=7, depends=(5, 6, 7)),
        output("completed", 10, type="Int32", variability="discrete", start="0"),
        output("events", 11, type="Int32", variability="discrete", start="0"),
        parameter("status", 12, "2", type="Int32"),
    ),
    states=2,
    co_simulation=STATE,
    kinds=("ModelExchange",),
)

WAVE = Model(
    "Wave",
    "wave",
    "{counterpoint-test-wave}",
    (TIME, parameter("frequency", 1, "1"), output("y", 2)),
    kinds=("ModelExchange",),
)

ROD = Model(
    "Rod",
    "rod",
    "{counterpoint-test-rod}",
    (
        TIME,
        Variable("n", 1, type="UInt64", causality="structuralParameter", variability="fixed", start="4"),
        parameter("k", 2, "1"),
        received("q", 3, variability="continuous"),
        output("T", 4, start="1 1 1 1", dimensions=(("valueReference", 1),)),
        Variable("der(T)", 5, derivative=4, depends=(3, 4), dimensions=(("valueReference", 1),)),
        output("mean", 6, depends=(4,)),
    ),
    fmi3={"providesDirectionalDerivatives": "true", **STATE},
    kinds=("ModelExchange",),
)
"""FMI 3 only."""


def _clock(name, reference, causality, variability, **attributes):
    given = (("intervalVariability", variability), *attributes.items())
    return Variable(name, reference, type="Clock", causality=causality, variability="discrete", interval=given)


def _ticks(name, reference, clock):
    return output(name, reference, type="Int32", variability="discrete", clocks=(clock,))


CLOCKED = Model(
    "Clocked",
    "clocked",
    "{counterpoint-test-clocked}",
    (
        TIME,
        parameter("interval_b", 1, "0.25", unit="s"),
        received("u", 2, variability="discrete", clocks=(9,)),
        output("held", 3, variability="discrete", clocks=(9,), depends=(2,)),
        *(_ticks(f"ticks_{k}", 4 + place, 9 + place) for place, k in enumerate("abcde")),
        _clock("a", 9, "input", "constant", intervalDecimal="0.1", shiftDecimal="0.05"),
        _clock("b", 10, "input", "fixed"),
        _clock("c", 11, "input", "changing"),
        _clock("d", 12, "input", "countdown"),
        _clock("e", 13, "output", "triggered"),
        *(output(f"last_{k}", 14 + place, variability="discrete", unit="s") for place, k in enumerate("abcd")),
    ),
    co_simulation={"canHandleVariableCommunicationStepSize": "true", **STATE},
    fmi3={"hasEventMode": "true"},
    kinds=("CoSimulation", "ModelExchange"),
)
"""FMI 3 only."""

FAULTS = (
    "none", "discards", "errs", "dies-fatally", "gives-nan", "segfaults", "hangs", "aborts", "prints", "exits",
    "gives-infinity", "returns-42", "closes-stdout", "rounds-up", "changes-directory", "overflows-stack", "logs-formats",
    "refuses-state", "leaks", "floods-log", "terminates", "logs-bad-utf8", "takes-signals", "discards-long-steps",
    "forks-forever", "starts-a-process", "prints-and-segfaults", "sleeps", "forgets",
    "enables-traps", "divides-by-zero", "reads-beyond-a-file", "traps", "exits-with-0", "exits-at-once",
    "exits-quickly", "returns-minus-1", "crashes-when-freed", "crashes-in-a-thread", "frees-twice",
    "logs-with-bad-pointers", "logs-after-it-was-freed", "stays-while-states-may-come-back", "stands-still",
    "tells-outputs-late", "counts-nanoseconds",
    "leaves-its-output-undefined", "goes-on-before-the-end",
    "forbids-all-after-early-reading", "stops-on-its-own-grid", "refuses-ends-off-its-grid",
)  # fmt: skip
"""What the parameter ``fault`` of the misbehaving model means, from 0."""

MODELS = {
    "oscillator": OSCILLATOR,
    "bouncing-ball": BOUNCING_BALL,
    "pass-through": PASS_THROUGH,
    "misbehaving": MISBEHAVING,
    "sampler": SAMPLER,
    "relay": RELAY,
    "van-der-pol": VAN_DER_POL,
    "wave": WAVE,
}


def model_of(name: str, version: int) -> Model:
    """Return a model by name as it is in a version of FMI."""
    if name != "pass-through":
        return MODELS[name]
    return {1: PASS_THROUGH_1, 2: PASS_THROUGH_2}.get(version, PASS_THROUGH)
