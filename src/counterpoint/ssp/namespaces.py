"""Read XML of system structures as it is found: other prefixes, older namespaces, prefixes that were never declared."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..fmi.attributes import Notes
from ..fmi.xml_reading import Element, parse
from .structure import PREFIXES

_SIMILAR = {
    "Description": "ssd", "Common": "ssc", "ParameterValues": "ssv", "ParameterMapping": "ssm",
    "SignalDictionary": "ssb",
}  # fmt: skip
_NAMESPACE = re.compile(
    rf"(?i)(?=.*(?:ssp-standard|systemstructure))(?!.*/SSP[02-9]).*({'|'.join(_SIMILAR)})(?:Draft)?/?$"
)
"""Namespaces of drafts, and misspelt ones: the last word says which is meant. Other major versions are not read."""


def read_xml(data: bytes, notes: Notes) -> Element:
    """Return the root with tags as we call them, ``"ssd:System"``; raise XmlError when it is not well formed."""
    root = parse(data)
    _Resolver(notes).resolve(root, {})
    return root


class _Resolver:
    """Replaces the prefixes that a document uses by ours; each complaint is made once."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.told: set[str] = set()

    def resolve(self, element: Element, outer: Mapping[str, str]) -> None:
        """Rename an element, its attributes and what is in it; namespaces declared further out hold inside."""
        declared = {key.partition(":")[2]: value for key, value in element.attributes.items() if _declares(key)}
        inner = {**outer, **declared} if declared else outer
        element.tag = self._name(element.tag, inner, element.line)
        element.attributes = {
            self._name(key, inner, element.line) if ":" in key else key: value
            for key, value in element.attributes.items()
            if not _declares(key)
        }
        for child in element.children:
            self.resolve(child, inner)

    def _name(self, name: str, known: Mapping[str, str], line: int) -> str:
        prefix, colon, local = name.rpartition(":")
        namespace = known.get(prefix)
        if namespace is None:
            if colon and prefix != "xml":
                self._complain(line, prefix, f'the prefix "{prefix}" is not declared; it is taken as it is written')
            return name
        ours = PREFIXES.get(namespace) or self._similar(namespace, line)
        return f"{ours}:{local}" if ours else f"{{{namespace}}}{local}"

    def _similar(self, namespace: str, line: int) -> str:
        found = _NAMESPACE.match(namespace)
        if found is None:
            return ""
        ours = next(prefix for word, prefix in _SIMILAR.items() if word.lower() == found[1].lower())
        self._complain(
            line, namespace, f'the namespace "{namespace[:120]}" is not that of the standard; read as {ours}'
        )
        return ours

    def _complain(self, line: int, what: str, text: str) -> None:
        if what not in self.told:
            self.told.add(what)
            self.notes.complain(line, text)


def _declares(key: str) -> bool:
    return key == "xmlns" or key.startswith("xmlns:")
