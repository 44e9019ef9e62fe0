"""Values inside of values: tables, lists, arrays and records, changed without touching the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..errors import SetupError, did_you_mean

Key = str | int


def changed(whole: Any, path: Sequence[Key], value: Any) -> Any:
    """Return a copy of a value in which the part at a path is another one; what is not on the path is shared.

    >>> changed({"A": [[0, 1], [2, 3]], "b": 5}, ("A", 1, 0), 7)
    {'A': [[0, 1], [7, 3]], 'b': 5}

    Raises
    ------
    SetupError
        There is no such part.
    """
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(whole, np.ndarray):
        return changed(whole.tolist(), path, value)
    if isinstance(whole, Mapping):
        return {**whole, key: changed(whole.get(str(key)), rest, value)}
    if whole is None and isinstance(key, str):
        return {key: changed(None, rest, value)}
    if isinstance(whole, list | tuple):
        return _changed_list(whole, key, rest, value)
    if is_dataclass(whole) and not isinstance(whole, type):
        names = [field.name for field in fields(whole)]
        if key not in names:
            raise SetupError(f'no such part "{key}"{did_you_mean(str(key), names)}')
        return replace(whole, **{str(key): changed(getattr(whole, str(key)), rest, value)})
    raise SetupError(f"{whole!r} has no part {key!r}")


def _changed_list(whole: list[Any] | tuple[Any, ...], key: Key, rest: Sequence[Key], value: Any) -> Any:
    if not isinstance(key, int):
        raise SetupError(f"{key!r}: expected an index such as [0]")
    if not 0 <= key < len(whole):
        raise SetupError(f"[{key}]: expected an index from 0 to {len(whole) - 1}")
    made = [*whole[:key], changed(whole[key], rest, value), *whole[key + 1 :]]
    return made if isinstance(whole, list) else tuple(made)
