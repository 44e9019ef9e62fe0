"""Recipes of objects as bytes: what another process needs to make them again."""

from __future__ import annotations

import io
import pickle
from types import FunctionType
from typing import Any

from .._common.recorded import MadeBy
from .._files.folder import file_of_module, object_of_file
from ..errors import SetupError

try:  # functions of a notebook or script are then sent as they are, not by name
    import cloudpickle

    _Pickler: Any = cloudpickle.Pickler
except ImportError:
    _Pickler = pickle.Pickler


def _again(made_by: MadeBy) -> Any:
    return made_by.again()


class _RecipePickler(_Pickler):  # type: ignore[misc]
    """Writes the call that made an object of the core instead of the object, and the file of a user's function."""

    def reducer_override(self, obj: Any) -> Any:
        made_by = getattr(obj, "made_by", None)
        if isinstance(made_by, MadeBy) and not isinstance(obj, type):
            return _again, (made_by,)
        if isinstance(obj, type | FunctionType) and "<" not in obj.__qualname__:
            file = file_of_module(str(obj.__module__))
            if file is not None:
                return object_of_file, (file, obj.__qualname__)
        if _Pickler is pickle.Pickler:
            return NotImplemented
        return super().reducer_override(obj)


def pack(what: Any) -> bytes:
    """Return an object as bytes; raise SetupError when it cannot be made again elsewhere."""
    buffer = io.BytesIO()
    try:
        _RecipePickler(buffer, protocol=5).dump(what)
    except Exception as error:  # pickle raises what it likes
        raise SetupError(
            f"cannot be sent to another process: {error}; use a scenario file, a function of a module that makes the "
            "system, or workers=1"
        ) from error
    return buffer.getvalue()


def unpack(data: bytes) -> Any:
    """Make the object again."""
    return pickle.loads(data)
