"""Files of a system structure: of an unpacked archive, or beside an SSD; with the mistakes found in each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from .._files.folder import FileProblem, Folder
from .._files.problems import quoted
from ..errors import SetupError
from ..fmi.archive import Archive, ArchiveError, Unpacked
from ..fmi.attributes import Notes
from ..fmi.xml_reading import Element, XmlError
from .namespaces import read_xml
from .structure import MAIN, Location

_LARGEST = 64 << 20
"""Bytes of an XML file that is read."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
"""A path of Windows, which is no URI."""


_NAMED = re.compile(r'(Connector|Parameter|MappingEntry|Component) ("[^"]*"(?: to "[^"]*")?): (.*)', re.DOTALL)
_HINT = re.compile(r"; did you mean [^;]*\?|; known: [^;]*")
_MOST_ALIKE = 3
"""Warnings with the same words that are given one by one."""
_MOST_NAMES = 5


def _each(label: str, notes: list[tuple[int, str, str]]) -> list[str]:
    return [f"{label} line {line}: {text}" for line, _, text in notes]


def _together(label: str, kind: str, rest: str, notes: list[tuple[int, str, str]]) -> list[str]:
    """Say once what is the same for many elements of a file, with some of their names."""
    names = list(dict.fromkeys(name for _, name, _ in notes))
    some = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return [f"{label} line {notes[0][0]} and {len(notes) - 1} other lines: {kind} {some}: {rest}"]


@dataclass
class Log:
    """Mistakes of all files of a system structure, by the name of the file."""

    notes: dict[str, Notes] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)  #: where archives were unpacked -> how they are called

    def of(self, label: str) -> Notes:
        """Return where mistakes of a file are noted."""
        return self.notes.setdefault(label, Notes())

    def serious(self) -> list[str]:
        """Return the mistakes, file by file in the order of lines."""
        return [self.plain(f"{label} line {line}: {text}") for label, line, text in self._all("serious")]

    def complaints(self) -> list[str]:
        """Return what is worth a warning; the same about many connectors or values of a file is said once."""
        alike: dict[tuple[str, str, str], list[tuple[int, str, str]]] = {}
        for label, line, text in self._all("complaints"):
            found = _NAMED.fullmatch(text)
            kind, name, rest = found.groups() if found else ("", "", text)
            key = (label, kind, _HINT.sub("", rest)) if found else (label, f"{line}", text)
            alike.setdefault(key, []).append((line, name, text))
        return [
            self.plain(text)
            for (label, kind, rest), notes in alike.items()
            for text in (_together(label, kind, rest, notes) if len(notes) > _MOST_ALIKE else _each(label, notes))
        ]

    def plain(self, text: str) -> str:
        """Call files of archives by the name of the archive, not by where they were unpacked."""
        for folder, label in self.folders.items():
            text = text.replace(folder, label)
        return text

    def _all(self, kind: str) -> list[tuple[str, int, str]]:
        return [
            (label, *note)
            for label, notes in self.notes.items()
            for note in dict.fromkeys(sorted(getattr(notes, kind)))
        ]


@dataclass
class Store:
    """The files around one SSD.

    Attributes
    ----------
    root : Path
        The directory that sources of the SSD are relative to.
    label : str
        What messages call it: ``"plant.ssp: "``, or the directory of an SSD.
    log : Log
        Where mistakes go.
    unpacked : list of Unpacked
        Directories that must live as long as the system.
    prefix : str
        Folder that FMUs of a nested structure get when they are written elsewhere.
    packed : bool
        Whether the files are those of an archive.
    top : Path, optional
        Where the archive was unpacked, if the SSD lies in a folder of it.
    main : str
        The SSD of an archive that is read if no other is asked for.
    """

    root: Path
    label: str
    log: Log
    allow_outside: bool = False
    unpacked: list[Unpacked] = field(default_factory=list)
    prefix: str = ""
    packed: bool = False
    top: Path | None = None
    main: str = MAIN

    @classmethod
    def of_archive(cls, path: Path, log: Log, unpacked: list[Unpacked], prefix: str = "") -> Store:
        """Check and unpack an SSP."""
        archive = Archive(path, main="")
        found = _main_of(archive.files) or MAIN
        unpacked.append((archive if found in archive.files else Archive(path, main=MAIN)).unpack())
        top = unpacked[-1].root
        label = f"{log.plain(str(path))}: "
        log.folders[f"{top}{os.sep}"] = label
        folder, slash, main = found.rpartition("/")
        if found != MAIN:
            log.of(f"{label}{found}").complain(1, f"{MAIN} is not at the top level of the archive; this file is used")
        root = top / folder
        return cls(root, f"{label}{folder}{slash}", log, False, unpacked, prefix, True, top if folder else None, main)

    def notes_of(self, name: str) -> Notes:
        """Return where mistakes of a file are noted."""
        return self.log.of(name if Path(name).is_absolute() else f"{self.label}{name}")

    def parse(self, name: str, notes: Notes) -> Element | None:
        """Return the root of an XML file; None, and a note, when it cannot be read."""
        try:
            return self._read(self._locate(name), notes)
        except SetupError as error:
            notes.wrong(1, str(error))
        return None

    def _read(self, path: Path, notes: Notes) -> Element | None:
        try:
            if path.stat().st_size > _LARGEST:
                raise SetupError(f"is larger than {_LARGEST} bytes")
            return read_xml(path.read_bytes(), notes)
        except XmlError as error:
            line = re.match(r"line (\d+) ?", str(error))
            text = str(error)[line.end() :] if line else str(error)
            notes.wrong(int(line[1]) if line else 1, text.removeprefix(": "))
        except (SetupError, OSError) as error:
            notes.wrong(1, str(error))
        return None

    def find(self, uri: str, place: Location) -> tuple[Path, str] | None:
        """Return the file that a source means and its fragment; None, and a note, when there is none."""
        name, _, fragment = uri.partition("#")
        if (_SCHEME.match(name) and not _DRIVE.match(name)) or name.startswith("//"):
            place.wrong(f'source = "{uri[:80]}": expected a file next to the SSD, such as "resources/pump.fmu"')
            return None
        try:
            return self._locate(unquote(name)), unquote(fragment)
        except SetupError as error:
            for other in self._other_names(name):
                with suppress(SetupError):
                    found = self._locate(other)
                    place.complain(f'source = "{uri[:80]}": no such file; "{other}" is used')
                    return found, unquote(fragment)
            place.wrong(f"source: {error}")
            return None

    def _locate(self, name: str) -> Path:
        """Return a file, or raise FileProblem; names are relative to the SSD.

        An archive holds all of its files. A structure on disk leads to its own, such as ``../fmus/pump.fmu`` in those
        of OSP; a path from the top of the file system is that of another computer unless the caller allows it.
        """
        if self.packed:
            top = (self.top or self.root).resolve()
            inside = os.path.relpath(self.root.resolve(), top)
            inner = name if inside == "." else f"{inside}/{name}"
            if not (top / inner).resolve().is_relative_to(top):
                raise FileProblem(f"{quoted(name)}: is not in the archive, which has to hold all files that it uses")
            return Folder(top).find(inner)
        plain = name.replace("\\", "/")
        relative = not plain.startswith("/") and not _DRIVE.match(plain)
        return Folder(self.root, self.allow_outside or relative).find(name)

    def _other_names(self, name: str) -> list[str]:
        """Return what a source may mean that names no file: not encoded, with backslashes, other capitals, elsewhere.

        Some tools write the sources of an SSD in a folder of an archive as seen from the top of the archive.
        """
        plain = unquote(name).replace("\\", "/")
        if _DRIVE.match(plain) or plain.startswith("/"):
            last = plain.rpartition("/")[2]
            return [last, f"resources/{last}"]
        from_top = [] if self.top is None else [f"{os.path.relpath(self.top, self.root)}/{plain}"]
        return [name, plain, *_with_other_capitals(self.root, plain), *from_top, f"resources/{plain}"]

    def read_source(self, uri: str, tag: str, place: Location, component: str) -> tuple[Element, Notes] | None:
        """Return the root of a file that an SSD refers to, relative to itself or inside an FMU, and its notes."""
        if component:
            return self._read_inside(component, unquote(uri), tag, place)
        found = self.find(uri, place)
        if found is None:
            return None
        root = self.root.resolve()
        name = found[0].relative_to(root).as_posix() if found[0].is_relative_to(root) else str(found[0])
        notes = self.notes_of(name)
        return _expected(self._read(found[0], notes), tag, notes)

    def _read_inside(self, component: str, name: str, tag: str, place: Location) -> tuple[Element, Notes] | None:
        found = self.find(component, place)
        if found is None:
            return None
        notes = self.notes_of(f"{component}: {name}")
        try:
            archive = Archive(found[0])
            if name not in archive.files:
                place.wrong(f'source = "{name[:80]}": no such file in {component}')
                return None
            return _expected(read_xml(archive.read(name, _LARGEST), notes), tag, notes)
        except (ArchiveError, XmlError) as error:
            notes.wrong(1, str(error))
            return None


def _main_of(names: Iterable[str]) -> str:
    """Return the SSD of an archive: at the top, else in the only folder there, else the only one; "" if not clear.

    Archives made by hand often hold the folder instead of its content.
    """
    ours = [name for name in names if not name.startswith("__MACOSX/")]
    tops = {name.partition("/")[0] for name in ours}
    found = [name for name in ours if name.lower().endswith(".ssd")]
    for folder in ("", *(f"{top}/" for top in tops if len(tops) == 1)):
        here = [name for name in found if name.startswith(folder) and "/" not in name.removeprefix(folder)]
        named = [name for name in here if name.removeprefix(folder).lower() == MAIN.lower()]
        if len(named) == 1 or len(here) == 1:
            return (named or here)[0]
    return ""


def _with_other_capitals(root: Path, name: str) -> list[str]:
    """Return the names of files in the same folder that differ in capitals only, if there is just one."""
    folder, _, last = name.rpartition("/")
    try:
        found = [file.name for file in (root / folder).iterdir() if file.name.lower() == last.lower()]
    except OSError:
        return []
    return [f"{folder}/{found[0]}" if folder else found[0]] if len(found) == 1 else []


def _expected(root: Element | None, tag: str, notes: Notes) -> tuple[Element, Notes] | None:
    if root is None:
        return None
    if root.tag != tag:
        notes.wrong(root, f"<{root.tag}>: expected <{tag}>")
        return None
    return root, notes
