"""Write XML: elements with attributes, indented, equal bytes for equal contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr


@dataclass
class Node:
    """An element; attributes that are None are left out.

    >>> print(Node("a", {"b": "1 < 2"}, [Node("c")]).document(), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <a b="1 &lt; 2">
      <c/>
    </a>
    """

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def document(self) -> str:
        """Return the text of a document with this root."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + "".join(f"{line}\n" for line in self._lines(""))

    def _lines(self, indent: str) -> Iterator[str]:
        given = ((name, value) for name, value in self.attributes.items() if value is not None)
        head = f"{indent}<{self.tag}" + "".join(f" {name}={quoteattr(value)}" for name, value in given)
        if not self.children:
            yield f"{head}/>"
            return
        yield f"{head}>"
        for child in self.children:
            yield from child._lines(f"{indent}  ")
        yield f"{indent}</{self.tag}>"


def holding(tag: str, children: Iterable[Node]) -> list[Node]:
    """Return an element with these children in a list; an empty list when there are none, as the schema asks for."""
    inside = list(children)
    return [Node(tag, {}, inside)] if inside else []


def is_writable(text: str) -> bool:
    """Whether XML can hold a text: control characters, lone surrogates and two others cannot be written."""
    return all(c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") for c in text)
