"""Strings and binary variables of FMUs as signals: each text is a number, which is held."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable
from typing import Any

from .. import _core
from .description import Variable


def is_text(variable: Variable) -> bool:
    """Return whether a variable is a string or a binary value."""
    return variable.type in ("String", "Binary")


def can_be_signal(variable: Variable) -> bool:
    """Return whether a variable can be a port: a number, or a text that is passed on as it is."""
    return variable.is_numeric or is_text(variable)


def text_numbers(values: Iterable[Any]) -> tuple[float, ...]:
    """Return the numbers by which texts are signals.

    >>> text_numbers(["", b""])
    (0.0, 0.0)
    """
    texts = (value if isinstance(value, bytes) else str(value).encode() for value in values)
    return tuple(_core.fmi.number_of_text(text) for text in texts)


def text_of(number: float) -> bytes:
    """Return the text that a sample of a string or binary signal denotes, in this process.

    >>> text_of(text_numbers(["on"])[0])
    b'on'
    """
    return bytes(_core.fmi.text_of_number(number))


class SharedTexts:
    """A folder in which the processes of isolated FMUs find texts; removed with its last user."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="counterpoint-texts-")
        weakref.finalize(self, _stop_sharing, self.folder)
        _core.fmi.share_texts(self.folder)


def _stop_sharing(folder: str) -> None:
    _core.fmi.share_texts("")
    shutil.rmtree(folder, ignore_errors=True)


_SHARED: weakref.WeakValueDictionary[str, SharedTexts] = weakref.WeakValueDictionary()


def share_texts() -> SharedTexts:
    """Return the shared texts of this process; keep them as long as an isolated FMU needs them."""
    made = _SHARED.get("texts")
    if made is None:
        made = _SHARED["texts"] = SharedTexts()
    return made
