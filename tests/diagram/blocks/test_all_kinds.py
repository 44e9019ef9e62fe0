"""One diagram with every block of these families: saved and read again, in a superblock, with every solver."""

import numpy as np
import pytest

import counterpoint as cp


def everything(name="all"):
    model = cp.Diagram(name, step=0.05)
    t, u = model.clock(), model.sine(5.0, 2.0)
    v = model.mux(u, model.ramp(0.7, 0.1, end=0.9), model.pulse(0.3), model.chirp(1.0, 9.0, 1.0))
    table = model.table([0.0, 0.4, 0.4, 0.8], [[0, 1], [1, 2], [3, 2], [0, 0]], after="repeat", names=["a", "b"])
    signals = {
        "smooth": model.mux(np.sin(v) + np.exp(-v) * np.cosh(u), model.polynomial([1.0, 2.0], u), v**2, 2.0**v),
        "matrix": np.ones((2, 4)) @ v + [1.0, 2.0] + model.dot(v, v) - model.norm(v),
        "corners": model.mux(abs(u), model.sign(u), model.min(v, 0.3), model.max(v), np.floor(3 * u), u % 0.4),
        "limits": model.mux(
            model.saturation(v, lower=-1, upper=1), model.dead_zone(u), model.quantizer(u, interval=0.3)
        ),
        "moving": model.mux(model.saturation(u, lower=-t, upper=t), model.friction(u, offset=1.0, gain=0.2)),
        "paths": model.mux(
            model.relay(u, switch_on=1.0, switch_off=-1.0),
            model.backlash(u, width=0.5),
            model.rate_limiter(u, rising=4.0),
            model.switch(u, v, -1.0, criterion=">"),
            model.multiport_switch(t, 1.0, u),
        ),
        "logic": model.mux((u > 0.5) & ~(t >= 0.5) | u.equal_to(t, 0.1), model.latch(u > 1, u < -1)["not_q"]),
        "edges": model.mux(model.detect_fall(u > 0), model.hit_crossing(u, offset=0.4)),
        "lookup": model.mux(
            model.lookup_1d(v, x=[-2, 0, 1], y=[0, 3, 1], interpolation="cubic"),
            model.lookup_2d(u, t, x=[-2, 2], y=[0, 0.5, 1], table=[[1, 2, 3], [3, 1, 0]], interpolation="nearest"),
        ),
        "routing": model.mux(model.demux(v, outputs=2)["y2"], v[::-1], table["b"], table["a"]),
        "noise": model.noise(0.1, 0.13, seed=4, width=2),
    }
    model.assertion(t < 10.0)
    model.terminator(u)
    for key, signal in signals.items():
        model.output(key, signal)
    return model


def values(model, **options):
    result = model.run(until=1.0, **options)
    return {port: result[f"{model.name}.{port}"].values for port in model.outputs}


def test_every_block_survives_saving(tmp_path):
    model = everything()
    again = values(cp.diagram.load(model.save(tmp_path / "all.toml")))
    for port, value in values(model).items():
        assert np.array_equal(value, again[port]), port


def test_a_superblock_changes_no_bit_of_any_block():
    inner = everything("inner")
    outer = cp.Diagram("outer", step=0.05)
    block = outer.superblock(inner)
    for port in inner.outputs:
        outer.output(port, block[port])
    flat = values(inner)
    for port, value in values(outer).items():
        assert np.array_equal(value, flat[port]), port


@pytest.mark.parametrize("solver", ["ode1", "ode3", "ode45"])
def test_blocks_without_states_do_not_depend_on_the_solver(solver):
    model = everything()
    reference = values(model)
    model.solver = solver
    if solver == "ode45":
        model.options = {"max_step": 0.05}
        result = model.run(until=1.0)
        for port in ("smooth", "matrix", "corners", "limits"):
            signal = result[f"all.{port}"]
            assert np.array_equal(signal.values[[0, -1]], reference[port][[0, -1]]), port
        return
    for port, value in values(model).items():
        assert value == pytest.approx(reference[port], abs=1e-9), port


def test_every_block_can_be_drawn():
    picture = everything()._repr_svg_()
    for kind in ("switch", "latch", "table", "assertion", "rate limiter", "multiport switch"):
        assert f">{kind}<" in picture
