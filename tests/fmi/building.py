"""Build test FMUs: ``python tests/fmi/building.py oscillator --version 3 --out DIR``.

A model becomes an archive of FMI 1, 2 or 3 with the system's C compiler; nothing but the standard library is
used, so that benchmarks and the documentation can build them too.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

HERE = Path(__file__).resolve().parent
if __package__:
    from .models import FMI2_TYPES, MODELS, Model, Variable, model_of
else:  # run as a script, by a benchmark or a page of the documentation
    sys.path.insert(0, str(HERE))
    from models import FMI2_TYPES, MODELS, Model, Variable, model_of

CORE = HERE.parents[1] / "core"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
UNITS = {
    "kg": {"kg": 1}, "m": {"m": 1}, "s": {"s": 1}, "m/s": {"m": 1, "s": -1}, "m/s2": {"m": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2}, "N/m": {"kg": 1, "s": -2}, "N.s/m": {"kg": 1, "s": -1},
}  # fmt: skip
DISPLAY_UNITS = {"m": ("mm", 1000.0)}
MODES = ("off", "idle", "on")


def build(
    name: str | Model, version: int, folder: Path, *, kinds: tuple[str, ...] | None = None, file: str = ""
) -> Path:
    """Build an FMU and return its path.

    Parameters
    ----------
    name : str or Model
        One of ``models.MODELS``, or a variant of one.
    version : int
        1, 2 or 3.
    folder : Path
        Where it goes.
    kinds : tuple of str, optional
        ``"CoSimulation"``, ``"ModelExchange"``; default: those of the model.
    file : str, optional
        File name; default the model's name and the version.
    """
    model = model_of(name, version) if isinstance(name, str) else name
    path = Path(folder) / (file or f"{model.name}{version}.fmu")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description(model, version, kinds or model.kinds))
        archive.write(library(model.source, version), f"binaries/{platform_name(version)}/{model.source}{suffix()}")
        archive.writestr("resources/note.txt", "a file that the model might read\n")
    return path


def platform_name(version: int) -> str:
    """Return the folder of the binaries for this computer."""
    system = {"Linux": "linux", "Windows": "win", "Darwin": "darwin"}[platform.system()]
    if version < 3:
        return f"{system}64"
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{'windows' if system == 'win' else system}"


def suffix() -> str:
    """Return how shared libraries end."""
    return {"Linux": ".so", "Windows": ".dll", "Darwin": ".dylib"}[platform.system()]


def library(source: str, version: int) -> Path:
    """Compile a model with the shim of a version; once, as long as no source changes."""
    sources = [HERE / "models" / f"{part}.c" for part in (source, "model_access", f"fmi{version}_shim")]
    headers = [HERE / "models" / "model.h", CORE / "fmi" / f"fmi{version}.h"]
    newest = max(file.stat().st_mtime_ns for file in (*sources, *headers))
    cache = HERE / "_build"
    built = cache / f"{source}-{version}-{newest}{suffix()}"
    if not built.exists():
        cache.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            fresh = Path(folder) / built.name  # moved into place in one go: two builds may run at the same time
            command = [
                compiler(),
                *FLAGS,
                f"-I{HERE / 'models'}",
                f"-I{CORE}",
                f"-DMODEL={source}",
                *map(str, sources),
                "-lm",
                "-o",
                str(fresh),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{source}: {command[0]} failed:\n{done.stderr}")
            fresh.replace(built)
    return built


def compiler() -> str:
    """Return the C compiler: ``$CC``, else the first of cc, gcc, clang on the path."""
    for candidate in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if candidate and (found := shutil.which(candidate)):
            return found
    raise RuntimeError("no C compiler found: install one, or name it in the environment variable CC")


def _element(tag: str, attributes: dict[str, object], inside: str = "") -> str:
    text = " ".join(f"{key}={quoteattr(str(value))}" for key, value in attributes.items() if value not in (None, ""))
    return f"<{tag} {text}>\n{inside}</{tag}>\n" if inside else f"<{tag} {text}/>\n"


def _units(model: Model) -> str:
    used = sorted({v.unit for v in model.variables if v.unit})
    made = ""
    for unit in used:
        inside = _element("BaseUnit", dict(UNITS[unit]))
        if unit in DISPLAY_UNITS:
            name, factor = DISPLAY_UNITS[unit]
            inside += _element("DisplayUnit", {"name": name, "factor": factor})
        made += _element("Unit", {"name": unit}, inside)
    return f"<UnitDefinitions>\n{made}</UnitDefinitions>\n" if made else ""


def _experiment(model: Model) -> str:
    return _element("DefaultExperiment", {"startTime": 0, "stopTime": 1, "stepSize": model.step})


def _categories() -> str:
    names = ("logStatusError", "logStatusFatal", "logStatusDiscard", "logEvents")
    return "<LogCategories>\n" + "".join(_element("Category", {"name": name}) for name in names) + "</LogCategories>\n"


def description(model: Model, version: int, kinds: tuple[str, ...]) -> str:
    """Return modelDescription.xml."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _DESCRIPTIONS[version](model, kinds)


def _description1(model: Model, kinds: tuple[str, ...]) -> str:
    """FMI 1 has one kind per archive: co-simulation unless only model exchange is asked for."""
    inside = _element("DefaultExperiment", {"startTime": 0, "stopTime": 1})
    variables = "".join(_variable1(v) for v in model.variables if v.causality != "independent" and not v.derivative)
    inside += f"<ModelVariables>\n{variables}</ModelVariables>\n"
    if "CoSimulation" in kinds:
        known = ("canHandleVariableCommunicationStepSize", "canInterpolateInputs", "maxOutputDerivativeOrder")
        able = {key: value for key, value in (model.co_simulation | model.fmi2).items() if key in known}
        inside += _element(
            "Implementation", {}, _element("CoSimulation_StandAlone", {}, _element("Capabilities", able))
        )
    attributes = {
        "fmiVersion": "1.0",
        "modelName": model.name,
        "modelIdentifier": model.source,
        "guid": model.token,
        "generationTool": "test",
        "numberOfContinuousStates": str(model.states),
        "numberOfEventIndicators": str(model.event_indicators),
    }
    return _element("fmiModelDescription", attributes, inside)


def _variable1(v: Variable) -> str:
    causality = {"input": "input", "output": "output"}.get(v.causality)
    variability = "parameter" if v.causality == "parameter" else v.variability or None
    fixed = "true" if v.start is not None and v.causality == "output" else None
    inside = _element(FMI2_TYPES[v.type], {"start": v.start, "unit": v.unit, "fixed": fixed})
    if v.causality == "output" and not v.depends:
        inside += "<DirectDependency/>\n"
    attributes = {"name": v.name, "valueReference": v.reference, "causality": causality, "variability": variability}
    return _element("ScalarVariable", attributes, inside)


def _description2(model: Model, kinds: tuple[str, ...]) -> str:
    index = {v.reference: k for k, v in enumerate(model.variables, start=1)}
    capabilities = model.co_simulation | model.fmi2
    inside = ""
    if "ModelExchange" in kinds:
        wanted = ("canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivative")
        inside += _element(
            "ModelExchange",
            _fmi2_case({"modelIdentifier": model.source} | {k: capabilities[k] for k in wanted if k in capabilities}),
        )
    if "CoSimulation" in kinds:
        inside += _element("CoSimulation", _fmi2_case({"modelIdentifier": model.source} | capabilities))
    inside += _units(model)
    if any(v.type == "Enumeration" for v in model.variables):
        items = "".join(_element("Item", {"name": mode, "value": k}) for k, mode in enumerate(MODES, start=1))
        inside += f'<TypeDefinitions>\n<SimpleType name="Mode">\n<Enumeration>\n{items}</Enumeration>\n</SimpleType>\n</TypeDefinitions>\n'
    inside += _categories() + _experiment(model)
    inside += f"<ModelVariables>\n{''.join(_variable2(v, index) for v in model.variables)}</ModelVariables>\n"
    groups = {
        "Outputs": [v for v in model.variables if v.causality == "output"],
        "Derivatives": [v for v in model.variables if v.derivative],
        "InitialUnknowns": [v for v in model.variables if v.is_unknown],
    }
    structure = ""
    for group, members in groups.items():
        unknowns = "".join(
            _element("Unknown", {"index": index[v.reference], "dependencies": _dependencies(v, index)}).replace(
                "/>", ' dependencies=""/>' if not v.depends else "/>"
            )
            for v in members
        )
        structure += f"<{group}>\n{unknowns}</{group}>\n" if unknowns else ""
    inside += f"<ModelStructure>\n{structure}</ModelStructure>\n" if structure else "<ModelStructure/>\n"
    attributes = {
        "fmiVersion": "2.0",
        "modelName": model.name,
        "guid": model.token,
        "generationTool": "test",
        "variableNamingConvention": "structured",
        "numberOfEventIndicators": model.event_indicators,
    }
    return _element("fmiModelDescription", attributes, inside)


def _fmi2_case(attributes: dict[str, str]) -> dict[str, object]:
    return {key.replace("FMUState", "FMUstate"): value for key, value in attributes.items()}


def _dependencies(v: Variable, index: dict[int, int]) -> str:
    return " ".join(str(index[reference]) for reference in v.depends or ())


def _variable2(v: Variable, index: dict[int, int]) -> str:
    declared = {"declaredType": "Mode"} if v.type == "Enumeration" else {}
    derivative = index[v.derivative] if v.derivative else None
    initial = "exact" if v.start is not None and v.causality in ("output", "local") else None
    kind = _element(FMI2_TYPES[v.type], {**declared, "start": v.start, "unit": v.unit, "derivative": derivative})
    attributes = {
        "name": v.name,
        "valueReference": v.reference,
        "causality": v.causality,
        "variability": v.variability or "continuous",
        "initial": initial,
    }
    return _element("ScalarVariable", attributes, kind)


def _description3(model: Model, kinds: tuple[str, ...]) -> str:
    capabilities = model.co_simulation | model.fmi3
    inside = ""
    if "ModelExchange" in kinds:
        wanted = ("canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives")
        inside += _element(
            "ModelExchange",
            {"modelIdentifier": model.source} | {k: capabilities[k] for k in wanted if k in capabilities},
        )
    if "CoSimulation" in kinds:
        inside += _element("CoSimulation", {"modelIdentifier": model.source} | capabilities)
    inside += _units(model)
    if any(v.type == "Enumeration" for v in model.variables):
        items = "".join(_element("Item", {"name": mode, "value": k}) for k, mode in enumerate(MODES, start=1))
        inside += f'<TypeDefinitions>\n<EnumerationType name="Mode">\n{items}</EnumerationType>\n</TypeDefinitions>\n'
    inside += _categories() + _experiment(model)
    intermediate = "providesIntermediateUpdate" in capabilities
    variables = "".join(_variable3(v, intermediate) for v in model.variables)
    inside += f"<ModelVariables>\n{variables}</ModelVariables>\n"
    outputs = [v for v in model.variables if v.causality == "output"]
    derivatives = [v for v in model.variables if v.derivative]
    unknowns = [v for v in model.variables if v.is_unknown]
    structure = "".join(_unknown3("Output", v) for v in outputs)
    structure += "".join(_unknown3("ContinuousStateDerivative", v) for v in derivatives)
    structure += "".join(_unknown3("InitialUnknown", v) for v in unknowns)
    structure += '<EventIndicator valueReference="4"/>\n' * model.event_indicators
    inside += f"<ModelStructure>\n{structure}</ModelStructure>\n"
    attributes = {
        "fmiVersion": "3.0",
        "modelName": model.name,
        "instantiationToken": model.token,
        "generationTool": "test",
        "variableNamingConvention": "structured",
    }
    return _element("fmiModelDescription", attributes, inside)


def _unknown3(tag: str, v: Variable) -> str:
    listed = " ".join(map(str, v.depends or ()))
    return f'<{tag} valueReference="{v.reference}" dependencies="{listed}"/>\n'


def _variable3(v: Variable, intermediate: bool) -> str:
    inside = "".join(_element("Dimension", {kind: value}) for kind, value in v.dimensions)
    start: str | None = v.start
    if v.type in ("String", "Binary") and v.start is not None:
        inside += _element("Start", {"value": v.start})
        start = None
    continuous = (
        v.type.startswith("Float") and v.causality in ("input", "output") and v.variability in ("", "continuous")
    )
    attributes = {
        "name": v.name,
        "valueReference": v.reference,
        "causality": v.causality,
        "variability": v.variability or "continuous",
        "initial": "exact" if v.start is not None and v.causality in ("output", "local") else None,
        "intermediateUpdate": "true" if intermediate and continuous else None,
        "declaredType": "Mode" if v.type == "Enumeration" else None,
        "start": start,
        "unit": v.unit,
        "derivative": v.derivative,
        "clocks": " ".join(map(str, v.clocks)),
        **dict(v.interval),
    }
    return _element(v.type, attributes, inside)


_DESCRIPTIONS = {1: _description1, 2: _description2, 3: _description3}


def main() -> None:
    """Build FMUs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)}; default: all")
    parser.add_argument("--version", type=int, choices=(1, 2, 3), default=3)
    parser.add_argument("--out", type=Path, default=Path())
    arguments = parser.parse_args()
    for name in arguments.models or MODELS:
        print(build(name, arguments.version, arguments.out))


if __name__ == "__main__":
    main()
