"""States of exported FMUs: kept in memory, as bytes, and in another process."""

import pytest

import counterpoint as cp

from .models import OSCILLATOR

pytest.importorskip("fmpy")
from .leading import Led

LENGTHS = {"thermostat": 600.0}  # of a communication step, s; else
LENGTH = 0.07
NAMES = [
    "motor",
    "thermostat",
    "engine",
    "four-bar",
    "every element",
    "guided",
    "flyball",
    "two_mass",
    "delays",
    "many_together",
]


def steps(fmu, first, last, length):
    """Step and return all outputs after each step."""
    seen = []
    for k in range(first, last):
        fmu.step(k * length, length)
        seen.append(fmu.outputs())
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_a_state_as_bytes_goes_on_in_another_instance_with_the_same_bits(written, name, version):
    length = LENGTHS.get(name, LENGTH)
    path = written(name, version)
    with Led(path) as fmu:
        before = steps(fmu, 0, 5, length)
        data = fmu.state_bytes()
        unbroken = steps(fmu, 5, 12, length)
    with Led(path, is_begun=False) as fmu:
        fmu.take_over(data)
        assert fmu.outputs() == before[-1]
        assert steps(fmu, 5, 12, length) == unbroken
        # The same instance can be set back by the same bytes, and by those of another time.
        fmu.take_over(data)
        assert fmu.state_bytes() == data
        assert steps(fmu, 5, 12, length) == unbroken


@pytest.mark.parametrize("kind", ["co-simulation", "model-exchange"])
def test_fmus_inside_hand_out_their_bytes_as_well(built, version, kind, tmp_path):
    system = cp.System("pair", convert=False)
    system.add("oscillator", cp.fmu(built("oscillator", version), kind=kind), step=0.01)
    system.add("filter", cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="u", outputs="y"), step=0.03)
    system.connect("oscillator.x", "filter.u", cp.lagrange(1))
    system.connect("filter.y", "oscillator.force")
    path = cp.export_fmu(system, tmp_path / "pair.fmu", version=version)
    with Led(path) as fmu:
        steps(fmu, 0, 5, 0.05)
        data = fmu.state_bytes()
        unbroken = steps(fmu, 5, 12, 0.05)
    with Led(path, is_begun=False) as fmu:
        fmu.take_over(data)
        assert steps(fmu, 5, 12, 0.05) == unbroken


def test_what_an_fmu_inside_cannot_is_not_declared(built, version, tmp_path):
    model = OSCILLATOR.changed(
        co_simulation={"canHandleVariableCommunicationStepSize": "true", "canGetAndSetFMUState": "true"}
    )
    path = cp.export_fmu(cp.fmu(built(model, version)), tmp_path / "outer.fmu", version=version, step=0.01)
    able = cp.fmi.read_description(path).co_simulation
    assert able.can_get_and_set_state
    assert not able.can_serialize_state


def test_a_state_keeps_the_phase_and_the_time_of_the_start(written, version):
    """Saved in initialization mode at t = 2 s and taken over by an instance that knows nothing of that."""
    with Led(written("motor", version), begin=2.0, is_begun=False) as fmu:
        fmu.initialize()
        fmu.set("load", 0.01)
        data = fmu.state_bytes()
        fmu.fmu.exitInitializationMode()
        fmu.step(2.0, 0.1)
        unbroken = fmu.outputs()
    with Led(written("motor", version), is_begun=False) as fmu:
        fmu.take_over(data)
        assert fmu.get("load") == 0.01
        fmu.fmu.exitInitializationMode()
        fmu.step(2.0, 0.1)
        assert fmu.outputs() == unbroken


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: b"x" + data, "are not the state of an FMU that Counterpoint exported"),
        (lambda data: data[:-8], "its bytes are not those that were written"),
        (lambda data: data[:200] + b"\x01" + data[201:], "its bytes are not those that were written"),
    ],
    ids=["foreign", "cut off", "changed"],
)
def test_a_damaged_state_is_told_and_does_no_harm(written, change, text):
    with Led(written("motor", 3)) as fmu:
        before = steps(fmu, 0, 2, 0.1)
        with pytest.raises(Exception, match="fmi3DeserializeFMUState"):
            fmu.take_over(change(fmu.state_bytes()))
        assert text in fmu.messages[-1]
        assert fmu.outputs() == before[-1]
        steps(fmu, 2, 4, 0.1)


def test_a_state_of_another_fmu_is_told(written):
    with Led(written("motor", 3)) as fmu:
        data = fmu.state_bytes()
    with Led(written("four-bar", 3)) as fmu:
        with pytest.raises(Exception, match="fmi3DeserializeFMUState"):
            fmu.take_over(data)
        assert "the state belongs to another FMU" in fmu.messages[-1]


def test_our_importer_goes_on_from_a_state(written, version):
    def system(**options):
        made = cp.System()
        made.add("fmu", cp.fmu(written("two_mass", version), **options), step=0.1)
        return made

    unbroken = system().run(until=2.0)["fmu.fast.x"].values
    first = system()
    with first.start(until=2.0) as run:
        run.step_to(0.7)
        state = first.subsystems["fmu"].subsystem.save_state()
    later = system(state=state).run(start=0.7, until=2.0)["fmu.fast.x"].values
    assert later[0] == unbroken[7]
    # The grids of communication points begin at 0 and at 0.7: their points differ by rounding.
    assert later[-1] == pytest.approx(unbroken[-1], rel=1e-11)
