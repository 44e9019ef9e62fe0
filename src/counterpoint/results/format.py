"""The layout of a run file.

::

    /                             attributes: format, format_version, created, and the run's metadata (meta.*)
    /subsystems/<name>            attributes: name, columns, units, position; held, minor: some of the columns
    /subsystems/<name>/time       (n,) float64, s
    /subsystems/<name>/values     (n, columns) float64; absent without columns
    /connections/<position>       attribute: label; comparison, deferred: how to find the rest of its defects
    /connections/<position>/defect  (n, 3) float64: time, assumed, arrived
    /steps/<position>             attributes: name, kind, signals; the group is absent without paces
    /steps/<position>/chosen      (n, 6) float64: start, length, rule, estimate, accepted, signal
    /rows                         (subsystems + connections + steps + 1,) int64: rows that are complete on disk, and
                                  the bytes of the file they need (0 when not known)
    /summary                      (bytes,) uint8: JSON of RunSummary, filled up with blanks; only blanks until the
                                  run has ended
    /check                        (bytes,) uint8: JSON of the error estimate, likewise; only blanks until it is made
    /deferred                     (n,) float64: since when defects are not written, for they follow from the rows (see
                                  ``deferred.py``); NaN until then; absent where that cannot be

All text has a fixed length: HDF5 keeps text of variable length in heaps without checksums, and does not come back
from some that are damaged. All links are hard, and no dataset is virtual or external. During the run nothing is
compressed; afterwards chunks may be (``compressing.py``: shuffle and deflate, ``format_version`` 2).
``/rows`` and ``/summary`` are contiguous and have their place from the beginning (see ``file.py``).

Group names are percent-encoded (``/``, ``%``, and names of dots only); the attribute has the true name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, replace
from datetime import UTC, datetime
from math import nan
from typing import Any, get_args

import h5py
import numpy as np

from .paces import STEP_COLUMNS, PaceSummary, WallClockSummary
from .store import LONGEST_REASON, DefectSummary, Event, FirstStepsSummary, RunLayout, RunSummary, Status, WindowSummary

FORMAT = "counterpoint-run"
FORMAT_VERSION = 1
COMPRESSED_VERSION = 2
"""Of a file that was compressed after its run; the layout is the same."""
FEWEST_COMPRESSED = 64
"""Values; smaller tables are kept as they are."""
MOST_COMPRESSED = 1100
"""No bytes become smaller by a larger factor when they are compressed (deflate)."""

CHUNK_COLUMNS = 8
CHUNK_VALUES = 4096
FEWEST_CHUNK_ROWS = 512
FEWEST_VALUES = 1 << 16
MOST_CHUNK_ROWS = 8192
FIRST_CHUNKS_BYTES = 1 << 21
MESSAGE_ROOM = 1 << 13
EVENTS_ROOM = 1 << 14
CHECK_ROOM = 1 << 15
CUT = " ..."


def group_name(name: str) -> str:
    """Return an HDF5 link name for any text.

    >>> group_name("a/b"), group_name("."), group_name("50 %")
    ('a%2Fb', '%2E', '50 %25')
    """
    if not name.strip("."):
        return name.replace(".", "%2E") or "%"
    return name.replace("%", "%25").replace("/", "%2F")


def chunk_shape(width: int, *columns: int) -> tuple[int, ...]:
    """Return the chunk of a table with these columns, in a file whose tables have `width` columns together.

    Long chunks are fast, but a single row already takes a whole chunk of each table. Many columns are split evenly, so
    that reading one does not read all and little room stays empty.

    >>> chunk_shape(10), chunk_shape(1000, 999), chunk_shape(100_000, 99_999)
    ((8192,), (262, 15), (16, 256))
    """
    fewest = np.clip(FEWEST_VALUES // max(columns, default=1), FEWEST_CHUNK_ROWS // 32, FEWEST_CHUNK_ROWS)
    rows = int(np.clip(FIRST_CHUNKS_BYTES // (8 * max(width, 1)), fewest, MOST_CHUNK_ROWS))
    most = max(CHUNK_COLUMNS, CHUNK_VALUES // rows)
    return (rows, *(-(-n // -(-n // most)) for n in columns))


def reason(error: BaseException) -> str:
    """Say in a few words what the operating system or HDF5 complained about."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error).split("\n", maxsplit=1)[0].strip() or type(error).__name__


Comparisons = Mapping[int, tuple[bytes, int]]
"""By the position of a connection: how its defects follow from rows, and how many numbers that needs."""


def structure(layout: RunLayout, metadata: dict[str, str | float], comparisons: Comparisons | None = None) -> bytes:
    """Return the file of a run without rows; made in memory, where no disk can be full."""
    with h5py.File("structure", "w", libver="latest", driver="core", backing_store=False) as file:
        write_structure(file, layout, metadata, comparisons or {})
        file.flush()
        return bytes(file.id.get_file_image())


def write_structure(file: Any, layout: RunLayout, metadata: dict[str, str | float], comparisons: Comparisons) -> None:
    """Write everything whose size is known before the run: SWMR allows no new objects later."""
    _write_text(file, "format", FORMAT)
    file.attrs["format_version"] = FORMAT_VERSION
    _write_text(file, "created", datetime.now(UTC).isoformat(timespec="seconds"))
    for key, value in metadata.items():
        if isinstance(value, str):
            _write_text(file, f"meta.{key}", value)
        else:
            file.attrs[f"meta.{key}"] = value
    width = sum(1 + len(entry.columns) for entry in layout.subsystems) + 3 * len(layout.connections)
    width += STEP_COLUMNS * len(layout.steps)
    subsystems = file.create_group("subsystems")
    for position, entry in enumerate(layout.subsystems):
        group = subsystems.create_group(group_name(entry.name))
        _write_text(group, "name", entry.name)
        group.attrs["position"] = position
        _write_text(group, "columns", entry.columns)
        _write_text(group, "units", entry.units)
        for key, names in (("held", entry.held), ("minor", entry.minor)):
            if names:
                _write_text(group, key, names)
        _growing(group, "time", width)
        if entry.columns:
            _growing(group, "values", width, len(entry.columns))
    connections = file.create_group("connections")
    for position, label in enumerate(layout.connections):
        group = connections.create_group(str(position))
        _write_text(group, "label", label)
        _growing(group, "defect", width, 3)
    _write_comparisons(file, comparisons)
    for position, steps in enumerate(layout.steps):
        group = file.require_group("steps").create_group(str(position))
        _write_text(group, "name", steps.name)
        _write_text(group, "kind", steps.kind)
        _write_text(group, "signals", steps.signals)
        _growing(group, "chosen", width, STEP_COLUMNS)
    # Written at once, because a reader of a killed run does not accept data allocated after the set-up here.
    tables = len(layout.subsystems) + len(layout.connections) + len(layout.steps)
    file.create_dataset("rows", data=np.zeros(tables + 1, np.int64))
    for name, room in (("summary", summary_room(layout)), ("check", CHECK_ROOM)):
        file.create_dataset(name, data=np.full(room, ord(" "), np.uint8))


def _write_comparisons(file: Any, comparisons: Comparisons) -> None:
    first = 0
    for position, (settings, count) in comparisons.items():
        group = file["connections"][str(position)]
        group.attrs["comparison"] = np.frombuffer(settings, np.uint8)
        group.attrs["deferred"] = [first, count]
        first += count
    if comparisons:
        file.create_dataset("deferred", data=np.full(first, nan))


def _write_text(item: Any, name: str, text: str | Sequence[str]) -> None:
    """Write one text or several as an attribute, in UTF-8 of a fixed length."""
    texts = [text] if isinstance(text, str) else text
    content = [part.encode() for part in texts]
    if any(b"\0" in part for part in content):
        raise ValueError(f"{name}: {text!r} holds a NUL")
    length = max((len(part) for part in content), default=0) or 1
    data = np.array(content, f"S{length}").reshape(() if isinstance(text, str) else (len(content),))
    item.attrs.create(name, data, data.shape, h5py.string_dtype("utf-8", length))


def summary_room(layout: RunLayout) -> int:
    """Return the bytes that the summary of a run takes at most, but for the length of its message."""
    number, count = -2.2250738585072014e-308, 1 << 62
    parts = len(layout.subsystems)
    longest = RunSummary(
        "interrupted",
        *("", number, number, number, number, ""),
        steps=[count] * parts,
        seconds=[number] * parts,
        evaluations=[count] * parts,
        defects=[DefectSummary(label, "interpolates", count, *[number] * 6) for label in layout.connections],
        windows=WindowSummary(number, count, number, count, count, count, number, number, count, count, [number] * 8),
        first_steps=FirstStepsSummary(False, "x" * LONGEST_REASON, number, count, count, number),
        paces=[
            PaceSummary(
                s.name, "x" * 400, count, count, number, number, count, max(s.signals, key=len, default=""), count
            )
            for s in layout.steps
        ],
        overruns=[WallClockSummary(count, count, number, number)] * parts,
    )
    return len(_as_json(longest)) + MESSAGE_ROOM + EVENTS_ROOM


def summary_text(summary: RunSummary, room: int) -> bytes:
    """Return the JSON of a summary with blanks up to `room` bytes; a message that does not fit is cut.

    >>> summary_text(RunSummary("finished", "a" * 1000), 400)[:40]
    b'{"status": "finished", "message": "aaaaa'
    """
    summary = _with_fewer_events(summary, room)
    text = _as_json(summary)
    if len(text) > room:
        excess = len(text) - room + len(CUT)
        kept = summary.message.encode("ascii", "backslashreplace").decode()[:-excess]
        text = _as_json(replace(summary, message=kept + CUT))
    if len(text) > room:  # more than the layout told of; a reader measures the defects anew
        text = _as_json(replace(summary, message=summary.message[:100], defects=[]))
    if len(text) > room:
        raise ValueError(f"the summary takes {len(text)} bytes, but there is room for {room}")
    return text.ljust(room)


def _with_fewer_events(summary: RunSummary, room: int) -> RunSummary:
    """Return a summary that fits, with the first events and how many are missing."""
    kept, count = summary.events, len(summary.events)
    while kept and len(_as_json(replace(summary, events=kept))) > room - MESSAGE_ROOM // 8:
        kept = kept[: len(kept) // 2]
    if len(kept) < count:
        kept = [*kept, Event(nan, "", "info", f"{count - len(kept)} more events are not kept")]
    return replace(summary, events=kept)


def summary_from(content: bytes) -> RunSummary:
    """Return the summary that a run has written.

    Raises
    ------
    ValueError, TypeError, KeyError
        When it is not one.
    """
    fields, _ = json.JSONDecoder().raw_decode(content.decode())  # what follows does not matter
    fields["defects"] = [DefectSummary(**defect) for defect in fields["defects"]]
    fields["events"] = [Event(**event) for event in fields.get("events", [])]
    if fields.get("windows") is not None:
        fields["windows"] = WindowSummary(**fields["windows"])
    if fields.get("first_steps") is not None:
        fields["first_steps"] = FirstStepsSummary(**fields["first_steps"])
    fields["paces"] = [PaceSummary(**pace) for pace in fields.get("paces", [])]
    fields["overruns"] = [WallClockSummary(**one) for one in fields.get("overruns", [])]
    summary = RunSummary(**fields)
    wrong = [name for name in ("start", "end", "until", "wall_seconds") if not _is_number(fields.get(name, 0.0))]
    wrong += [name for name in ("steps", "seconds", "evaluations") if not all(map(_is_number, fields.get(name, [])))]
    wrong += [name for name in ("message", "scheme") if not isinstance(fields.get(name, ""), str)]
    wrong += [d.connection for d in summary.defects if not all(map(_is_number, astuple(d)[2:]))]
    if wrong or summary.status not in get_args(Status):
        raise ValueError(f"the summary has a wrong {', '.join(wrong[:3]) or 'status'}")
    return summary


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_json(summary: RunSummary) -> bytes:
    summary = replace(summary, defects=list(summary.defects))
    text = json.dumps(asdict(summary), default=lambda number: number.item(), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _growing(group: Any, name: str, width: int, *columns: int) -> None:
    group.create_dataset(
        name,
        (0, *columns),
        np.float64,
        maxshape=(None, *columns),
        chunks=chunk_shape(width, *columns),
        fillvalue=np.nan,
    )
