"""Test FMUs, built once a session, and archives that are not what they should be."""

import zipfile

import pytest

from .building import build, compiler
from .models import FAULTS

VERSIONS = (2, 3)


@pytest.fixture(scope="session", autouse=True)
def _needs_a_compiler():
    try:
        compiler()
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build a test FMU by name or from a changed model; the same one twice is built once."""
    made = {}

    def get(model, version, **options):
        key = (model if isinstance(model, str) else repr(model), version, repr(options))
        if key not in made:
            made[key] = build(model, version, tmp_path_factory.mktemp("fmu"), **options)
        return made[key]

    return get


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Export a model of `exported` by name; the same one twice is written once."""
    import counterpoint as cp

    from . import exported

    folder = tmp_path_factory.mktemp("exported")
    made = {}

    def get(name, version):
        if (name, version) not in made:
            model = exported.MODELS[name][0]() if name in exported.MODELS else getattr(exported, name)()
            step = exported.MODELS[name][2] if name in exported.MODELS else None
            made[name, version] = cp.export_fmu(model, folder / f"{name}-{version}.fmu", version=version, step=step)
        return made[name, version]

    return get


@pytest.fixture(params=VERSIONS, ids=["FMI 2", "FMI 3"])
def version(request):
    """Both versions of FMI."""
    return request.param


@pytest.fixture
def fault():
    """Return the number of a fault of the misbehaving FMU."""
    return FAULTS.index


@pytest.fixture
def changed(tmp_path):
    """Copy an FMU with other contents: name -> bytes, or None to leave a file out, or a function of its bytes."""

    def change(path, changes, name="changed.fmu"):
        made = tmp_path / name
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():
                data = old.read(info)
                change = changes.get(info.filename, data)
                data = change(data) if callable(change) else change
                if data is not None:
                    new.writestr(info, data)
            for extra in set(changes) - set(old.namelist()):
                new.writestr(extra, changes[extra])
        return made

    return change


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path_factory, monkeypatch):
    """Let temporary directories be made in a place of their own, and see that none is left at the end of a test."""
    import gc
    import tempfile

    place = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    if list(place.iterdir()):
        gc.collect()  # slow, and needed only where an FMU outlived its test in a cycle
    assert list(place.iterdir()) == []
