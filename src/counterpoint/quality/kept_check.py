"""The error estimate that a run file keeps, so that it gives the same verdict when the models are no longer there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from .difference import Difference, Motion
from .indicators import ConnectionIndicator
from .modes import CoupledMode, CoupledModes
from .oscillation import Oscillation
from .second_run import SecondRun
from .verdict import Quality

_T = TypeVar("_T")

NO_ESTIMATE = "the run file has no error estimate"
MOST_UNREAD = 20
"""Outputs that nothing reads of which the error is kept, largest first."""
DIGITS = 7
"""Significant digits of what is drawn; what the verdict is made from is kept to the last bit."""


def check_text(quality: Quality, room: int) -> bytes:
    """Return what a verdict was made from, as JSON of at most `room` bytes.

    The largest errors come first; when there is no room for all signals and connections, the others are left out. Of
    the connections all are kept or none: without them the verdict takes them from the summary of the run.
    """
    second = quality.second
    told: dict[str, Any] = {
        "parts": second.parts,
        "covered": second.covered,
        "sampled": second.sampled,
        "reason": second.reason,
        "remedy": second.remedy,
        "seconds": second.seconds,
        "unchecked": second.unchecked,
        "boxes": second.boxes,
        "unstable_inside": second.unstable_inside,
        "inside": second.inside,
        "unresolved": second.unresolved,
        "helps": second.helps,
        "failed": second.failed,
        "unread": dict(list(quality.unread.items())[:MOST_UNREAD]),
        "modes": None if second.modes is None else asdict(second.modes),
    }
    left = room - len(_json(told)) - 100
    connections = [asdict(one) for one in quality.connections]
    for one in connections:
        one["oscillation"] = _rounded(one["oscillation"])
    size = len(_json(connections))
    told["connections"] = connections if size < left / 2 else []
    left -= size if told["connections"] else 0
    told["differences"] = _that_fit([_rounded(asdict(one)) for one in quality.differences], left)
    text = _json(told)
    return text if len(text) <= room else b""


def _that_fit(entries: Sequence[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    kept = []
    for entry in entries:
        room -= len(_json(entry)) + 2
        if room < 0:
            break
        kept.append(entry)
    return kept


def _rounded(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry whose curve over time is short enough to be kept."""
    curves = {key: [float(f"{x:.{DIGITS}g}") for x in entry[key]] for key in ("time", "values")}
    return entry | curves


def _json(entry: object) -> bytes:
    return json.dumps(entry, separators=(",", ":"), default=lambda number: number.item()).encode()


def second_run_from(content: bytes) -> SecondRun:
    """Return what a run file has kept; where it is nothing, or damaged, the reason says so.

    >>> second_run_from(b"").reason
    'the run file has no error estimate'
    """
    try:
        return _read(json.loads(content))
    except (ValueError, KeyError, TypeError):
        return SecondRun(reason=NO_ESTIMATE)


def _read(told: dict[str, Any]) -> SecondRun:
    parts, covered, seconds = int(told["parts"]), float(told["covered"]), float(told["seconds"])
    if parts not in (2, 4) or not 0 <= covered <= 1:
        raise ValueError("not an error estimate")
    modes = told["modes"]
    return SecondRun(
        parts=parts,
        covered=covered,
        sampled=tuple(map(str, told["sampled"])),
        reason=str(told["reason"]),
        remedy=str(told["remedy"]),
        seconds=seconds,
        unchecked=tuple(map(str, told.get("unchecked", ()))),
        modes=None if modes is None else _modes(modes),
        boxes=tuple(map(str, told.get("boxes", ()))),
        unstable_inside=tuple(map(str, told.get("unstable_inside", ()))),
        inside=str(told.get("inside", "")),
        unresolved=tuple(map(str, told.get("unresolved", ()))),
        helps=str(told.get("helps", "")),
        failed=bool(told.get("failed", False)),
        unread={str(name): float(error) for name, error in told.get("unread", {}).items()},
        known=tuple(_difference(entry) for entry in told["differences"]),
        connections=tuple(_connection(entry) for entry in told["connections"]),
    )


def _modes(entry: dict[str, Any]) -> CoupledModes:
    modes = tuple(_numbers(CoupledMode, one) for one in entry["modes"])
    return CoupledModes(float(entry["margin"]), float(entry["growth"]), modes)


def _difference(entry: dict[str, Any]) -> Difference:
    begin, end = map(float, entry["span"])
    return Difference(
        str(entry["signal"]), float(entry["error"]), *_curve(entry), (begin, end), bool(entry["from_start"]),
        tuple(_numbers(Motion, one) for one in entry["motions"]), float(entry["order"]),
        bool(entry.get("converges", True)),
    )  # fmt: skip


def _connection(entry: dict[str, Any]) -> ConnectionIndicator:
    band = entry["oscillation"]
    time, values = _curve(band)
    return ConnectionIndicator(
        connection=str(entry["connection"]),
        source=str(entry["source"]),
        target=str(entry["target"]),
        kind=str(entry["kind"]),
        approximation=str(entry["approximation"]),
        order=int(entry["order"]),
        sampled=bool(entry["sampled"]),
        defect=float(entry["defect"]),
        starts_wrong=bool(entry["starts_wrong"]),
        step=float(entry["step"]),
        slower=str(entry["slower"]),
        oscillation=Oscillation(float(band["share"]), float(band["growth"]), float(band["frequency"]), time, values),
    )


def _curve(entry: dict[str, Any]) -> tuple[Any, Any]:
    time, values = (np.array(entry[key], dtype=np.float64).reshape(-1) for key in ("time", "values"))
    if len(time) != len(values):
        raise ValueError("a curve with times and values of different number")
    return time, values


def _numbers(kind: Callable[..., _T], entry: dict[str, Any]) -> _T:
    return kind(**{key: float(value) for key, value in entry.items()})
