"""Mechanisms written to TOML files and read again."""

import inspect

import numpy as np
import pytest

from counterpoint.errors import OutputError, SetupError
from counterpoint.multibody import Mechanism, load, save
from counterpoint.multibody.assembly.assembly import forces
from counterpoint.multibody.assembly.elements import CONTACT_KEYS, TYRE_KEYS
from counterpoint.multibody.files.forces import FORCES
from counterpoint.multibody.files.reading import ModelFile
from counterpoint.multibody.files.writing import dumps

from .model_files import EVERYTHING, PENDULUM, by_hand, positions


def same(first, second):
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        np.testing.assert_allclose(np.asarray(first, float), np.asarray(second, float), rtol=1e-15)
        return
    if isinstance(first, dict):
        assert list(first) == list(second)
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            same(a, b)
    elif hasattr(first, "__dataclass_fields__"):
        same(vars(first), vars(second))
    elif isinstance(first, float):
        assert first == pytest.approx(second, rel=1e-15)
    else:
        assert first == second


PARTS = (
    "name", "dimension", "gravity", "points", "vectors", "bodies", "point_masses", "joints", "links", "measures", "guides",
    "relations", "forces", "outputs", "initial_values", "start_position", "inputs", "formulation", "step", "notes", "standard_outputs",
)  # fmt: skip


def test_what_is_written_is_read_again(write, tmp_path):
    before = load(write(EVERYTHING, "every.toml"))
    after = load(save(before, tmp_path / "again.toml", until=3.0))
    for part in PARTS:
        same(getattr(before, part), getattr(after, part))
    assert ModelFile.read(tmp_path / "again.toml").run_settings.until == 3.0
    assert dumps(after) == dumps(before)


def test_a_written_mechanism_moves_the_same(tmp_path):
    m = by_hand()
    m.output("x y", "B", "velocity")
    m.guide("phi", {"sine": {"amplitude": 0.3, "frequency": 2.0}})
    again = load(save(m, tmp_path / "p.toml"))
    assert np.array_equal(positions(m), positions(again))


def test_a_python_function_of_a_file_is_written_by_its_name(write, tmp_path):
    write("def f(t):\n    return 0.1 * t\n", "motor.py")
    m = load(write(PENDULUM + '\n[guides]\nphi = { python = "motor.py:f" }\n'))
    assert 'phi = { python = "motor.py:f" }' in save(m, tmp_path / "again.toml").read_text()


def test_another_python_function_cannot_be_written(tmp_path):
    m = by_hand()
    m.guide("phi", lambda t: 0.1 * t)
    with pytest.raises(SetupError, match="cannot be written"):
        save(m, tmp_path / "p.toml")
    assert not (tmp_path / "p.toml").exists()


def test_a_file_that_is_there_is_kept(write):
    path = write("precious")
    with pytest.raises(OutputError, match="already exists"):
        save(by_hand(), path)
    assert path.read_text() == "precious"
    save(by_hand(), path, overwrite=True)
    assert load(path).name == "pendulum"


def test_any_name_can_be_written(tmp_path):
    names = ['left "wheel"', "Prüfstand", "back\\slash", "[x]", "a=b # c"]
    m = Mechanism("names", dimension=2)
    for k, name in enumerate(names):
        m.point(name, (k, 0))
    m.body("all", points=names, mass=1.0, inertia=1.0)
    assert list(load(save(m, tmp_path / "n.toml")).points) == names


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    m = Mechanism("names", dimension=2)
    m.point("a\nb", (0, 0))
    with pytest.raises(SetupError, match="cannot be written"):
        save(m, tmp_path / "n.toml")


def test_every_force_method_of_a_mechanism_has_a_table():
    methods = {table.method for table in FORCES.values()}
    # A rotor's aerodynamics take tables of blades and polars: they are made in Python, and `save` refuses them.
    assert methods == {kind.replace(" ", "_") for kind in forces._BUILDERS} - {"rotor_aerodynamics"}
    for section, table in FORCES.items():
        taken = inspect.signature(getattr(Mechanism, table.method)).parameters
        laws = {"contact": CONTACT_KEYS, "tyre": TYRE_KEYS}.get(table.method, ())
        keys = {*taken, *laws} - {"self", "name", "law"}
        keys = (keys - {"first", "second"}) | {"bodies"} if "first" in keys else keys
        assert set(table.model_fields) == keys, section
