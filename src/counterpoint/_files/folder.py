"""Files that a scenario names: where they may lie, and Python objects inside them."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from .._common.plugins import MODELS, offered
from ..errors import SetupError, did_you_mean
from .problems import quoted

PLUGIN = "plugin:"
"""How a reference to an object of an installed package begins."""


class FileProblem(SetupError):
    """A file that a scenario names cannot be used; the message starts with the name as written."""


@dataclass
class Folder:
    """The directory of a scenario; hands out the files in it and loads Python modules once each.

    Parameters
    ----------
    root : Path
        Directory of the scenario file.
    allow_outside : bool
        Whether files may lie outside of it.
    """

    root: Path
    allow_outside: bool = False
    _modules: dict[Path, ModuleType] = field(default_factory=dict, repr=False)

    def find(self, name: str) -> Path:
        """Return the path of a file that the scenario names, or raise FileProblem."""
        if not name.strip() or "\0" in name:
            raise FileProblem(f"{quoted(name)}: not a file name")
        root = self.root.resolve()
        path = (root / name).resolve()
        if not self.allow_outside and not path.is_relative_to(root):
            raise FileProblem(
                f"{quoted(name)}: lies outside of the scenario's directory; move it there, "
                "or allow it with --allow-outside (allow_outside=True)"
            )
        if path.is_dir():
            raise FileProblem(f"{quoted(name)}: is a directory; name a file")
        if not path.is_file():
            raise FileProblem(f"{quoted(name)}: no such file{similar_files(path)}")
        return path

    def find_secret(self, name: str) -> Path:
        """Return the path of a file whose content is sent to others: never outside of the directory, also by a link."""
        path = Folder(self.root, allow_outside=True).find(name)
        if not path.is_relative_to(self.root.resolve()):
            raise FileProblem(
                f"{quoted(name)}: {path} lies outside of the scenario's directory, from where no token is read, "
                "not even with --allow-outside; copy it there, or remove token_file and set COUNTERPOINT_TOKEN"
            )
        return path

    def name_inside(self, name: str) -> str:
        """Return a file's path relative to the directory, with slashes; its bare name if it lies elsewhere."""
        path, root = self.find(name), self.root.resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name

    def load(self, reference: str) -> Callable[..., Any]:
        """Return the object that ``file.py:name`` means; this runs the file."""
        path, attribute = self.find_object(reference)
        if reference.startswith(PLUGIN):
            return _plugin(reference, attribute)
        module = self._module(path, reference)
        try:
            found: Any = module
            for part in attribute.split("."):
                found = getattr(found, part)
        except AttributeError:
            names = [name for name in vars(module) if not name.startswith("_")]
            raise FileProblem(
                f"{quoted(reference)}: {path.name} has no {quoted(attribute)}{did_you_mean(attribute, names)}"
            ) from None
        if not callable(found):
            raise FileProblem(f"{quoted(reference)}: is {type(found).__name__}, not a class or function")
        return found  # type: ignore[no-any-return]

    def find_object(self, reference: str) -> tuple[Path, str]:
        """Split ``file.py:name`` into an existing file and a name, without running anything."""
        if reference.startswith(PLUGIN):
            return _find_plugin(reference)
        name, colon, attribute = reference.rpartition(":")
        if not colon or not name or not attribute:
            raise FileProblem(f'{quoted(reference)}: must name a file and an object, as in "models.py:Heater"')
        return self.find(name), attribute

    def _module(self, path: Path, reference: str) -> ModuleType:
        if path not in self._modules:
            try:
                self._modules[path] = _run_module(path)
            except (Exception, SystemExit) as error:
                raise FileProblem(f"{quoted(reference)}: {_raised(error, path)}") from error
        return self._modules[path]


def _find_plugin(reference: str) -> tuple[Path, str]:
    """Return the package that offers an object, as a path for messages, and its name."""
    name, known = reference.removeprefix(PLUGIN), offered(*MODELS)
    if name not in known:
        raise FileProblem(f"{quoted(reference)}: no installed package offers it{did_you_mean(name, known)}")
    return Path(known[name].module), name


def _plugin(reference: str, name: str) -> Callable[..., Any]:
    try:
        found: Any = offered(*MODELS)[name].load()
    except Exception as error:
        raise FileProblem(f"{quoted(reference)}: cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise FileProblem(f"{quoted(reference)}: is {type(found).__name__}, not a class or function")
    return found  # type: ignore[no-any-return]


def similar_files(path: Path) -> str:
    """Return a hint at files of the same kind in the same directory, nearest name first."""
    try:
        names = {entry.stem: entry.name for entry in path.parent.iterdir() if entry.suffix == path.suffix}
    except OSError:
        return f"; {path.parent} is not a directory"
    if not names:
        return f"; no *{path.suffix} in {path.parent}"
    close = get_close_matches(path.stem, names, n=1)
    return f"; did you mean {quoted(names[close[0]])}?" if close else did_you_mean("", names.values())


_OF_FILE = "counterpoint_scenario_"


def file_of_module(name: str) -> str | None:
    """Return the file of a module that a scenario or plan has loaded by its path; None for all other modules."""
    return str(sys.modules[name].__file__) if name.startswith(_OF_FILE) and name in sys.modules else None


def object_of_file(path: str, name: str) -> Any:
    """Return an object of a Python file, which is loaded unless it was: what another process makes of a reference."""
    module = sys.modules.get(_module_name(Path(path))) or _run_module(Path(path))
    return attrgetter(name)(module)


def _module_name(path: Path) -> str:
    return _OF_FILE + sha256(str(path).encode()).hexdigest()[:12]


def _run_module(path: Path) -> ModuleType:
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file; its name has to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickle look their module up here
    with _importable(path.parent):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let a model file import its neighbours, as a script can."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))


def _raised(error: BaseException, path: Path) -> str:
    """Say what a model file raised, and on which of its lines."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else None
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    place = f"{path.name} line {line}" if line else path.name
    return f"{place} raised {type(error).__name__}" + (f": {text}" if text else "")


def call(function: Callable[..., Any], arguments: dict[str, Any], reference: str, path: Path) -> Any:
    """Call a constructor of the user; whatever it raises becomes a FileProblem."""
    try:
        return function(**arguments)
    except SetupError:
        raise
    except (Exception, SystemExit) as error:
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        name = reference.rpartition(":")[2]
        raise FileProblem(f"{quoted(reference)}: {name}({given}): {_raised(error, path)}") from error
