"""System structures made of test FMUs."""

import zipfile

import pytest

from ..fmi.building import build, compiler
from ..fmi.models import PASS_THROUGH_2

NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"'
    for prefix, name in {
        "ssd": "Description", "ssc": "Common", "ssv": "ParameterValues", "ssm": "ParameterMapping",
        "ssb": "SignalDictionary",
    }.items()
)  # fmt: skip


def ssd(system, *, after="", experiment='<ssd:DefaultExperiment startTime="0" stopTime="1"/>'):
    """Return an SSD whose system has this content; ``after`` stands behind the system."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ssd:SystemStructureDescription {NAMESPACES} version="1.0" '
        f'name="test">\n<ssd:System name="root">\n{system}\n</ssd:System>\n{after}\n{experiment}\n'
        "</ssd:SystemStructureDescription>\n"
    )


def connector(name, kind, inside="<ssc:Real/>"):
    """Return a connector."""
    return f'<ssd:Connector name="{name}" kind="{kind}">{inside}</ssd:Connector>'


def component(name, source, connectors="", bindings="", more=""):
    """Return a component."""
    bindings = f"<ssd:ParameterBindings>{bindings}</ssd:ParameterBindings>" if bindings else ""
    return (
        f'<ssd:Component name="{name}" type="application/x-fmu-sharedlibrary" source="{source}">\n'
        f"<ssd:Connectors>{connectors}</ssd:Connectors>{bindings}{more}</ssd:Component>\n"
    )


def parameters(**values):
    """Return an inline parameter binding with Real values."""
    return f"<ssd:ParameterBinding><ssd:ParameterValues>{parameter_set(**values)}</ssd:ParameterValues></ssd:ParameterBinding>"


def parameter_set(**values):
    """Return a parameter set; a value may be a tuple of type and attributes."""
    lines = ""
    for name, value in values.items():
        kind, attributes = value if isinstance(value, tuple) else ("Real", f'value="{value}"')
        lines += f'<ssv:Parameter name="{name}"><ssv:{kind} {attributes}/></ssv:Parameter>\n'
    return f'<ssv:ParameterSet version="1.0" name="p" {NAMESPACES}><ssv:Parameters>{lines}</ssv:Parameters></ssv:ParameterSet>'


def connection(start, end, inside="", attributes=""):
    """Return a connection between ``element.connector`` or connectors of the system."""
    ends = []
    for kind, text in (("start", start), ("end", end)):
        element, dot, name = text.rpartition(".")
        ends.append((f'{kind}Element="{element}" ' if dot else "") + f'{kind}Connector="{name}"')
    return f"<ssd:Connection {' '.join(ends)} {attributes}>{inside}</ssd:Connection>\n"


OSCILLATOR = "".join(
    connector(name, kind)
    for name, kind in {"x": "output", "v": "output", "x_other": "input", "v_other": "input"}.items()
)

PAIR = (
    "<ssd:Elements>"
    + component("a", "resources/oscillator.fmu", OSCILLATOR, parameters(kc=40, dc=0.5))
    + component("b", "resources/oscillator.fmu", OSCILLATOR, parameters(kc=40, dc=0.5, x=0.5, m=2))
    + "</ssd:Elements><ssd:Connections>"
    + connection("a.x", "b.x_other")
    + connection("a.v", "b.v_other")
    + connection("a.x_other", "b.x")  # connections have no direction
    + connection("b.v", "a.v_other")
    + "</ssd:Connections>"
)


@pytest.fixture(scope="session", autouse=True)
def _needs_a_compiler():
    try:
        compiler()
    except RuntimeError as error:
        pytest.skip(str(error))


def changed(path, folder, change):
    """Copy an FMU with another description."""
    made = folder / f"changed-{path.name}"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info, change(data) if info.filename == "modelDescription.xml" else data)
    return made


@pytest.fixture(scope="session")
def fmus(tmp_path_factory):
    """Test FMUs of FMI 2 by name."""
    folder = tmp_path_factory.mktemp("fmus")

    def in_millimetres(data):
        data = data.replace(b'<Unit name="m">\n<BaseUnit m="1"', b'<Unit name="mm">\n<BaseUnit m="1" factor="0.001"')
        return data.replace(b'unit="m"', b'unit="mm"')

    def with_another_start(data):
        before, name, after = data.partition(b'name="force"')
        return before + name + after.replace(b'start="0"', b'start="20"', 1)

    folder_of_another = tmp_path_factory.mktemp("another")
    oscillator = build("oscillator", 2, folder_of_another, kinds=("CoSimulation",))
    return {
        "pushed": changed(oscillator, folder_of_another, with_another_start),  # it has 0 where it declares 20
        "millimetres": changed(build("oscillator", 2, folder, kinds=("CoSimulation",)), folder, in_millimetres),
        "oscillator": build("oscillator", 2, folder, kinds=("CoSimulation",)),
        "both": build("oscillator", 2, folder, file="both.fmu"),
        "oscillator3": build("oscillator", 3, folder, kinds=("CoSimulation",)),
        "ball": build("bouncing-ball", 2, folder, kinds=("CoSimulation",)),
        "pass": build(PASS_THROUGH_2, 2, folder, file="pass.fmu"),
    }


@pytest.fixture
def pack(tmp_path, fmus):
    """Make an SSP of an SSD and other files; FMUs that the files name are put into resources."""

    def make(text, files=None, name="plant.ssp"):
        path = tmp_path / name
        contents = {"SystemStructure.ssd": text} | (files or {})
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, content in contents.items():
                archive.writestr(file, content)
            for fmu, source in fmus.items():
                if f"resources/{fmu}.fmu" in "".join(str(content) for content in contents.values()):
                    archive.write(source, f"resources/{fmu}.fmu")
        return path

    return make


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path_factory, monkeypatch):
    """Let temporary directories be made in a place of their own, and see that none is left at the end of a test."""
    import gc
    import tempfile

    place = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    gc.collect()
    assert list(place.iterdir()) == []
