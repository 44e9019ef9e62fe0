"""Typed access to XML attributes that collects mistakes, so that all are reported at once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..errors import did_you_mean
from .xml_reading import Element

_INTEGER = re.compile(r"[+-]?\d+")


@dataclass
class Notes:
    """Mistakes found while reading.

    Attributes
    ----------
    serious : list of (line, str)
        The FMU cannot be used.
    complaints : list of (line, str)
        The FMU violates rules of the standard, but can run.
    """

    serious: list[tuple[int, str]] = field(default_factory=list)
    complaints: list[tuple[int, str]] = field(default_factory=list)

    def wrong(self, element: Element | int, text: str) -> None:
        """Note that something makes the FMU unusable."""
        self.serious.append((element if isinstance(element, int) else element.line, text))

    def complain(self, element: Element | int, text: str) -> None:
        """Note that a rule is broken."""
        self.complaints.append((element if isinstance(element, int) else element.line, text))

    def text(self, element: Element, name: str) -> str:
        """Return a required attribute."""
        if name not in element.attributes:
            self.wrong(element, f"{element.tag}: the attribute {name} is missing")
        return element.attributes.get(name, "")

    def number(self, element: Element, name: str) -> float | None:
        """Return a number, or None when the attribute is missing or wrong."""
        given = element.attributes.get(name)
        if given is None:
            return None
        made = to_number(given)
        if made is None:
            self.wrong(element, f'{element.tag}: {name} = "{given[:40]}"; expected a number')
        return made

    def hint(self, element: Element, name: str) -> float | None:
        """Return a number that a run can do without; report and ignore a wrong one."""
        given = element.attributes.get(name)
        made = None if given is None else to_number(given)
        if given is not None and made is None:
            self.complain(element, f'{element.tag}: {name} = "{given[:40]}"; expected a number')
        return made

    def positive(self, element: Element, name: str) -> float | None:
        """Return a positive finite number; report and ignore a wrong one."""
        made = self.number(element, name)
        if made is None or (math.isfinite(made) and made > 0.0):
            return made
        self.complain(element, f"{element.tag}: {name} = {made:g}; expected a positive number")
        return None

    def integer(self, element: Element, name: str, default: int = 0) -> int:
        """Return an integer."""
        given = element.attributes.get(name)
        if given is None:
            return default
        if _INTEGER.fullmatch(given.strip()) is None:
            self.wrong(element, f'{element.tag}: {name} = "{given[:40]}"; expected an integer')
            return default
        return int(given)

    def reference(self, element: Element, name: str) -> int:
        """Return a required value reference or index."""
        self.text(element, name)
        made = self.integer(element, name)
        if not 0 <= made < 1 << 32:
            self.wrong(element, f"{element.tag}: {name} = {made}; expected a number from 0 to 4294967295")
        return made

    def flag(self, element: Element, name: str, default: bool = False) -> bool:
        """Return a boolean."""
        given = element.attributes.get(name)
        if given is None:
            return default
        made = to_flag(given)
        if made is None:
            self.wrong(element, f'{element.tag}: {name} = "{given[:40]}"; expected true or false')
        return default if made is None else made

    def choice(self, element: Element, name: str, allowed: Iterable[str], default: str) -> str:
        """Return one of several words."""
        given = element.attributes.get(name, default)
        if given != default and given not in allowed:
            self.wrong(element, f'{element.tag}: {name} = "{given[:40]}"{did_you_mean(given, allowed)}')
            return default
        return given


def to_number(text: str) -> float | None:
    """Return a number in XML notation, also INF and NaN.

    >>> to_number("1e-3"), to_number("-INF"), to_number("1_0")
    (0.001, -inf, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def to_flag(text: str) -> bool | None:
    """Return a boolean in XML notation, in capital letters as well."""
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())


def to_integer(text: str) -> int | None:
    """Return an integer."""
    return int(text) if _INTEGER.fullmatch(text.strip()) else None


def to_whole(text: str) -> int | None:
    """Return an integer that may be written as a decimal number.

    >>> to_whole("3"), to_whole("3.0"), to_whole("3.5")
    (3, 3, None)
    """
    number = to_number(text)
    exact = to_integer(text)
    return exact if exact is not None or number is None or not number.is_integer() else int(number)
