"""A small XML reader: elements with their lines, no DOCTYPE, bounded size and depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import SetupError

DEEPEST = 64
LONGEST_TEXT = 4096


class XmlError(SetupError):
    """A document is not well formed, or contains something that is not allowed."""


@dataclass(slots=True)
class Element:
    """An element, its attributes, where it begins, and its text."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def child(self, tag: str) -> Element | None:
        """Return the first child with a tag."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the children with a tag."""
        return (child for child in self.children if child.tag == tag)


_BETWEEN = " "
"""Stands between a namespace and a name; it can be in neither."""


class _Builder:
    def __init__(self, prefixes: Mapping[str, str] | None) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []
        self._prefixes = prefixes or {}
        self.parser = expat.ParserCreate(namespace_separator=None if prefixes is None else _BETWEEN)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self._open) >= DEEPEST:
            raise XmlError(f"line {line}: elements are nested deeper than {DEEPEST} levels")
        element = Element(self._name(tag), {self._name(name): value for name, value in attributes.items()}, line)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        """Keep short texts: those of annotations are not used, and may be long."""
        if self._open and len(self._open[-1].text) < LONGEST_TEXT:
            self._open[-1].text += text

    def _name(self, name: str) -> str:
        """Write a name with the prefix that we call its namespace by, whatever the document calls it."""
        namespace, between, local = name.rpartition(_BETWEEN)
        if not between:
            return name
        prefix = self._prefixes.get(namespace)
        return f"{prefix}:{local}" if prefix else f"{{{namespace}}}{local}"

    def _doctype(self, *declaration: object) -> None:
        raise XmlError(f"line {self.parser.CurrentLineNumber}: a DOCTYPE is not allowed")


def parse(data: bytes, prefixes: Mapping[str, str] | None = None) -> Element:
    r"""Return the root element of a document.

    Parameters
    ----------
    data : bytes
        The document.
    prefixes : mapping, optional
        Namespace -> the prefix that tags get, ``"ssd:System"``; without it tags stay as they are written.

    >>> parse(b"<a>\n<b c='1'/></a>").child("b")
    Element(tag='b', attributes={'c': '1'}, line=2, children=[], text='')

    Raises
    ------
    XmlError
        With line and column; or that a DOCTYPE is not allowed.
    """
    builder = _Builder(prefixes)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        text = expat.ErrorString(error.code)
        raise XmlError(f"line {error.lineno} column {error.offset + 1}: not well-formed XML: {text}") from None
    except (UnicodeError, LookupError, ValueError) as error:
        raise XmlError(f"line {builder.parser.CurrentLineNumber}: not readable: {error}") from None
    assert builder.root is not None
    return builder.root
