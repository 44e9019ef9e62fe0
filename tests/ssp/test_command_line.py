"""System structures on the command line."""

from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint import ssp
from counterpoint._cli.main import main

from .conftest import PAIR, ssd

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Run a command in a directory of its own; return the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return ended.value.code, *capsys.readouterr()

    return run


def test_a_structure_is_run(command, pack, tmp_path):
    code, out, _ = command("run", pack(ssd(PAIR)), "--no-plot")
    assert code == 0
    assert "plant, slowest-first: finished at t = 1 s" in out
    assert cp.load(tmp_path / "plant-run" / "plant.h5")["b.x"].time[-1] == 1.0


def test_a_structure_that_does_not_say_its_end_is_run_until_then(command, pack):
    path = pack(ssd(PAIR, experiment=""))
    code, out, _ = command("run", path, "--no-plot", "--until", "0.5")
    assert code == 0
    assert "at t = 0.5 s of 0.5 s" in out


def test_an_fmu_that_suggests_no_step_gets_one(command, pack, fmus, tmp_path):
    from .conftest import changed

    bare = changed(fmus["oscillator"], tmp_path, lambda data: data.replace(b' stopTime="1" stepSize="0.01"', b""))
    path = pack(ssd(PAIR).replace("resources/oscillator.fmu", "bare.fmu"), {"bare.fmu": bare.read_bytes()})
    with pytest.warns(ssp.StructureWarning, match=r'Component "[ab]": no step is given; 0.001 s is used, a thousandth'):
        assert ssp.read(path).build().subsystems["a"].step == 0.001
    assert command("run", path, "--no-plot", "--step", "0.005", "--step", "b=0.01")[0] == 0
    result = cp.load(tmp_path / "plant-run" / "plant.h5")
    assert [result[name].time[1] for name in ("a.x", "b.x")] == [0.005, 0.01]


def test_a_structure_is_shown(command, pack):
    code, out, _ = command("info", pack(ssd(PAIR)))
    assert code == 0
    assert "plant: t = 0 to 1 s" in out
    assert "a.x   b.x_other  default        m" in out
    code, out, _ = command("info", pack(ssd(PAIR, experiment="")))
    assert code == 0
    assert "the file has no end time" in out


def test_a_variant_of_a_structure_is_run(command, pack, tmp_path):
    path = pack(ssd(PAIR), {"Stiff.ssd": ssd(PAIR.replace('<ssv:Real value="40"', '<ssv:Real value="80"'))})
    assert f"variant: {path}#Stiff.ssd" in command("info", path)[1].replace("\n", "")
    assert command("run", path, "--no-plot")[0] == 0
    assert command("run", f"{path}#Stiff.ssd", "--no-plot")[0] == 0
    ends = [cp.load(tmp_path / f"{n}-run" / f"{n}.h5")["a.x"].values[-1] for n in ("plant", "plant-Stiff")]
    assert ends[0] != ends[1]


def test_conversion_there_and_back(command, pack, tmp_path):
    path = pack(ssd(PAIR))
    code, out, _ = command("convert", path, "plant.toml")
    assert code == 0
    assert "wrote plant.toml" in out
    assert (tmp_path / "oscillator.fmu").exists()
    code, _, errors = command("convert", path, "plant.toml")
    assert code == 2
    assert "plant.toml: already exists" in errors
    assert command("convert", "plant.toml", "again.ssp")[0] == 0
    assert cp.Scenario.read("again.ssp").tables()["connections"] == cp.Scenario.read(path).tables()["connections"]
    assert command("convert", "plant.toml", "plain.ssd")[0] == 0
    assert command("run", "plain.ssd", "--no-plot", "--quiet")[0] == 0


def test_a_mechanism_is_no_system_of_fmus(command, tmp_path):
    (tmp_path / "m.toml").write_text((EXAMPLES / "four-bar.toml").read_text())
    code, _, errors = command("convert", "m.toml", "m.ssp")
    assert code == 2
    assert "is not a scenario" in errors


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line(command, pack):
    text = ssd(PAIR).replace('name="kc"', 'name="kk"', 1)
    code, _, errors = command("info", pack(text))
    assert code == 0
    assert errors.count("\n") == 1
    assert errors.startswith("warning: ")
    assert 'Parameter "kk": no variable or connector has this name; the value is ignored' in errors


@pytest.mark.filterwarnings("default")
def test_a_structure_without_an_end_is_exported(command, pack, tmp_path, fmus):
    from .conftest import changed

    def endless(data):
        return data.replace(b' stopTime="1"', b"")

    bare = changed(fmus["oscillator"], tmp_path, endless)
    text = ssd(PAIR, experiment="").replace("resources/oscillator.fmu", "bare.fmu")
    path = pack(text, {"bare.fmu": bare.read_bytes()})
    code, _, errors = command("export", path)
    assert (code, "stopTime is missing, and no FMU suggests one; the run ends at 1 s; --until 10 sets" in errors) == (
        0,
        True,
    )
    (tmp_path / "plant.fmu").unlink()
    code, out, _ = command("export", path, "--until", "2", "--set", "a.k=90")
    assert (code, "wrote plant.fmu" in out) == (0, True)
    assert cp.fmu(tmp_path / "plant.fmu").outputs
