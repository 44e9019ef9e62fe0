"""Names and widths of inputs and outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..errors import SetupError

PortSpec = str | Iterable[str] | Mapping[str, int]


class _Checked(dict[str, int]):
    """Widths that have been checked; planning a run reads them dozens of times."""


def port_widths(spec: PortSpec, where: str = "ports") -> dict[str, int]:
    """Return name -> number of scalars for a name, a list of names, or a mapping.

    >>> port_widths(["force", "torque"])
    {'force': 1, 'torque': 1}
    >>> port_widths({"position": 3})
    {'position': 3}
    """
    if type(spec) is _Checked:
        return spec
    if isinstance(spec, str):
        spec = [spec]
    names = list(spec)
    widths = _Checked(spec if isinstance(spec, Mapping) else dict.fromkeys(names, 1))
    problems = []
    for name in names:
        if not isinstance(name, str) or not name or name.startswith(".") or name != name.strip():
            problems.append(f"{where}: {name!r} is not a port name; use a word, without blanks or a dot in front")
        elif not isinstance(widths[name], int) or widths[name] < 1:
            problems.append(f"{where}: width {widths[name]!r} of {name!r}; expected an integer of at least 1")
    if len(widths) < len(names):
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        problems += [f"{where}: {name!r} is named twice" for name in repeated]
    if problems:
        raise SetupError(problems)
    return widths


def offsets(widths: Mapping[str, int]) -> dict[str, int]:
    """Return where each port begins among the scalars.

    >>> offsets({"a": 2, "b": 1})
    {'a': 0, 'b': 2}
    """
    result, position = {}, 0
    for name, width in widths.items():
        result[name] = position
        position += width
    return result


def columns(widths: Mapping[str, int]) -> list[str]:
    """Return one name per scalar.

    >>> columns({"p": 2, "v": 1})
    ['p[0]', 'p[1]', 'v']
    """
    names = []
    for name, width in widths.items():
        names += [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]
    return names
