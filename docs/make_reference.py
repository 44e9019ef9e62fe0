"""Write the pages of the Python reference from the docstrings: ``python docs/make_reference.py``.

The pages are plain Markdown and are kept in the repository, so that they can be read without building anything.
"""

import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import counterpoint as cp

FOLDER = Path(__file__).parent / "reference" / "python"
TITLES = {
    "system": "System and run",
    "subsystems": "Subsystems",
    "approximations": "Approximations",
    "pace": "Paces",
    "windows": "Windows",
    "bonds": "Bonds",
    "events": "Events",
    "federation": "Federations",
    "scenario": "Scenarios",
    "results": "Results",
    "quality": "Quality and verdict",
    "advise": "Advice",
    "sweeps": "Functions and sweeps",
    "multibody": "Mechanisms",
    "diagram": "Block diagrams",
    "linear_model": "Linear models",
    "linearisation": "Linearisation of systems",
    "stability_analysis": "Stability",
    "fmi": "FMUs",
    "ssp": "System structures",
    "link": "Links to other programs",
    "adapters": "Adapters",
    "studies": "Studies",
    "units": "Units",
    "errors": "Errors and warnings",
}
SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Notes", "See Also", "Examples")
ENTRIES = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")


@dataclass(frozen=True)
class Entry:
    """A public class or function and the name that a user writes."""

    name: str
    value: object


def public_modules(module: ModuleType = cp) -> list[ModuleType]:
    """Return a package and the public modules in it, at any depth; ``dir`` of our packages shows nothing else."""
    found = [module]
    if "__dir__" in vars(module):
        for name in dir(module):
            inner = getattr(module, name)
            if isinstance(inner, ModuleType) and inner.__name__ == f"{module.__name__}.{name}":
                found += public_modules(inner)
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the public classes and functions of a module."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__ and n[0] != "_"]
    return [name for name in listed if inspect.isroutine(value := getattr(module, name)) or inspect.isclass(value)]


def entries() -> dict[str, list[Entry]]:
    """Return what each page describes: every public class and function once, by its shortest name."""
    pages: dict[str, list[Entry]] = {page: [] for page in TITLES}
    seen: set[int] = set()
    for module in sorted(public_modules(), key=lambda module: module.__name__.count(".")):
        for name in public_names(module):
            value = getattr(module, name)
            if id(value) not in seen:
                seen.add(id(value))
                pages[page_of(module, value)].append(Entry(f"{module.__name__}.{name}", value))
    for found in pages.values():
        found.sort(key=lambda entry: (entry.name.count("."), not inspect.isclass(entry.value), entry.name))
    return pages


def page_of(module: ModuleType, value: object) -> str:
    """Return the page of a value: its public room; what comes from a private one belongs to systems and runs."""
    room = getattr(value, "__module__", "") if module is cp else module.__name__
    parts = room.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in TITLES else "system"


def signature(name: str, value: object) -> str:
    """Return how something is called; the types are in its description."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    kept = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    text = str(found.replace(parameters=kept, return_annotation=found.empty))
    return name + re.sub(r"<(?:class|function|enum)? ?'?([\w.]+)[^>]*>", r"\1", text)


def members(cls: type) -> list[tuple[str, object]]:
    """Return the public methods and properties of a class and of its private bases, in the order of the code."""
    own = {entry.value for found in PAGES.values() for entry in found if isinstance(entry.value, type)} - {cls}
    described = {id(base) for other in own & set(cls.__mro__) for base in other.__mro__}
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("counterpoint") and id(base) not in described:
            found |= {n: v for n, v in vars(base).items() if n[0] != "_" and inspect.getdoc(getattr(base, n, None))}
    wanted = (staticmethod, classmethod, property)
    return [(n, v) for n, v in found.items() if isinstance(v, wanted) or inspect.isroutine(v)]


def described_bases(cls: type) -> list[str]:
    """Return the names of the bases that have an entry of their own."""
    names = {id(entry.value): entry.name for found in PAGES.values() for entry in found}
    return [names[id(base)] for base in cls.__mro__[1:] if id(base) in names]


def short(name: str) -> str:
    """Return a name as it is written after ``import counterpoint as cp``."""
    return name.replace("counterpoint", "cp", 1)


def plain(text: str) -> str:
    """Return reStructuredText of a docstring as Markdown."""
    text = re.sub(r":[a-z:]+:`~?\.?([^`<]+?)(?: <[^>]*>)?`", r"`\1`", text)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    text = re.sub(r"::\n\n((?: {4}.*\n?|\n)+)", lambda m: f":\n\n```text\n{inspect.cleandoc(m[1])}\n```\n\n", text)
    return re.sub(r"^:\n\n", "", text, flags=re.M)


def sections(text: str) -> list[tuple[str, str]]:
    """Return the parts of a docstring: heading and text; the first has no heading."""
    parts = re.split(rf"^({'|'.join(SECTIONS)})\n-+\n", text, flags=re.M)
    return list(zip(["", *parts[1::2]], parts[0::2], strict=True))


def listed(text: str) -> str:
    """Return entries of a section, ``name : type`` and an indented text, as a list."""
    lines = []
    for entry in re.split(r"\n(?=\S)", text.strip("\n")):
        head, _, rest = entry.partition("\n")
        name, colon, kind = head.partition(" : ")
        body = " ".join(inspect.cleandoc(rest).split()) if "\n\n" not in rest else inspect.cleandoc(rest)
        body = body.replace("\n", "\n  ")
        lines.append(f"- `{name}`" + (f" ({kind})" if colon else "") + (f": {body}" if body else ""))
    return "\n".join(lines)


def markdown(text: str) -> str:
    """Return a docstring as Markdown."""
    written = []
    for heading, body in sections(text):
        if heading == "Examples":
            written.append("```pycon\n" + body.strip() + "\n```" if body.lstrip().startswith(">>>") else plain(body))
        elif heading in ENTRIES:
            written.append(f"*{heading}*\n\n{plain(listed(body))}")
        else:
            written.append((f"*{heading}*\n\n" if heading else "") + plain(body).strip())
    return "\n\n".join(part.strip() for part in written if part.strip())


def described(entry: Entry) -> str:
    """Return the section of a class or function."""
    name = short(entry.name)
    called = f"```py\n{signature(name, entry.value)}\n```"
    parts = [f"## {name}", called, markdown(inspect.getdoc(entry.value) or "")]
    if isinstance(entry.value, type):
        if bases := described_bases(entry.value):
            parts.append("Has what these have: " + ", ".join(f"`{short(base)}`" for base in bases) + ".")
        parts += [member(entry.value, *found) for found in members(entry.value)]
    return "\n\n".join(part for part in parts if part)


def member(cls: type, name: str, value: object) -> str:
    """Return the part of a method or a property."""
    shown = f".{name}" if isinstance(value, property) else signature(f".{name}", getattr(cls, name))
    return f"### `{shown}`\n\n{markdown(inspect.getdoc(getattr(cls, name)) or '')}"


def page(name: str, found: list[Entry]) -> str:
    """Return the text of a page."""
    top = f"# {TITLES[name]}\n\n`import counterpoint as cp`. Times are in s; units are SI unless stated otherwise."
    module = inspect.getdoc(import_module(f"counterpoint.{name}")) or ""
    about = plain(re.sub(r"\n\nNames are loaded[^\n]*(\n|$)", "\n", module)).strip()
    return "\n\n".join([top, about, *map(described, found)]).strip() + "\n"


def index() -> str:
    """Return the table of all names."""
    lines = ["# Python", "", "After `import counterpoint as cp` all names below are there."]
    lines += ["The pages are made from the docstrings by `python docs/make_reference.py`.", ""]
    for name, found in PAGES.items():
        lines += [f"## {TITLES[name]}", "", f"[{TITLES[name]}](python/{name}.md)", ""]
        for entry in found:
            first = plain((inspect.getdoc(entry.value) or "").partition("\n\n")[0]).replace("\n", " ")
            lines.append(f"- `{short(entry.name)}`: {first}")
        lines.append("")
    hidden = "\n".join(f"python/{name}" for name in PAGES)
    return "\n".join(lines) + f"\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n"


PAGES = entries()
BLOCKS = re.compile(r"<!-- blocks: (\S+)\.(\w+) -->\n.*?<!-- end -->", re.S)


def blocks() -> str:
    """Return the page of the blocks, each list made from the methods of its class."""

    def written(match: re.Match[str]) -> str:
        cls = getattr(import_module(match[1]), match[2])
        parts = "\n\n".join(member(cls, *found) for found in members(cls))
        return f"<!-- blocks: {match[1]}.{match[2]} -->\n\n{parts}\n\n<!-- end -->"

    return BLOCKS.sub(written, (FOLDER.parent / "blocks.md").read_text(encoding="utf-8"))


def pages() -> dict[Path, str]:
    """Return the files and their texts."""
    written = {FOLDER / f"{name}.md": page(name, found) for name, found in PAGES.items()}
    return {FOLDER.parent / "python.md": index(), FOLDER.parent / "blocks.md": blocks(), **written}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
