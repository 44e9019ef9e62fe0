"""Subsystems and connections as a picture: boxes in a row or on a circle, arrows that name the ports beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, hypot, pi, sin

BOX_HEIGHT = 44
LETTER = 7.2
"""Width of a letter in dots, about."""
LABEL_LETTER = 6.1
LABEL_LINE = 13
MOST_LABELS = 3
"""Names of connections beside one arrow; of further ones the number is told."""
MOST_IN_A_ROW = 3
BEND = 20.0
"""How far the middle of an arrow lies beside the straight way, so that the arrow back lies on the other side."""

Point = tuple[float, float]
Pair = tuple[str, str]
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Part:
    """Some elements of the picture, and the room that they take: left, top, right, bottom."""

    text: str
    bounds: Bounds
    label: str = ""  #: elements that lie above all others


def graph_svg(boxes: Mapping[str, str], arrows: Sequence[tuple[str, str, str]], title: str = "") -> str:
    """Return an SVG picture.

    Parameters
    ----------
    boxes : mapping
        Name of each subsystem -> a line below it, such as its step.
    arrows : sequence of (source, target, label)
        Connections; those of the same pair are drawn once, with all labels.
    title : str
        Shown by the browser as a tooltip.
    """
    widths = {name: 24 + LETTER * max(len(name), 0.85 * len(note)) for name, note in boxes.items()}
    labels = _labels(arrows)
    longest = max((len(line) for lines in labels.values() for line in lines), default=0)
    places = _places(list(boxes), widths, 60 + LABEL_LETTER * longest)
    bends = _bends(list(boxes), labels)
    parts = [_arrow(places, widths, pair, lines, bends[pair]) for pair, lines in labels.items()]
    parts += [_box(name, note, places[name], widths[name]) for name, note in boxes.items()]
    return _page(parts, title)


def _labels(arrows: Iterable[tuple[str, str, str]]) -> dict[Pair, list[str]]:
    """Return the lines beside the arrow of each pair."""
    merged: dict[Pair, list[str]] = {}
    for source, target, label in arrows:
        merged.setdefault((source, target), []).append(label)
    return {
        pair: [*lines[:MOST_LABELS], *([f"and {len(lines) - MOST_LABELS} more"] if len(lines) > MOST_LABELS else [])]
        for pair, lines in merged.items()
    }


def _places(names: list[str], widths: Mapping[str, float], gap: float) -> dict[str, Point]:
    """Return the middle of each box, with room for labels between neighbours."""
    if len(names) <= MOST_IN_A_ROW:
        made, right = {}, 0.0
        for name in names:
            made[name] = (right + widths[name] / 2, 0.0)
            right += widths[name] + gap
        return made
    apart = max(widths.values()) + 0.8 * gap
    radius = apart / (2 * sin(pi / len(names)))
    angles = [2 * pi * k / len(names) - pi / 2 for k in range(len(names))]
    return {name: (radius * cos(a), 0.8 * radius * sin(a)) for name, a in zip(names, angles, strict=True)}


def _bends(names: list[str], labels: Mapping[Pair, list[str]]) -> dict[Pair, float]:
    """Return how far each arrow is bent: in a row, one that passes a box goes around it and around the labels there."""
    if len(names) > MOST_IN_A_ROW:
        return dict.fromkeys(labels, BEND)
    lines = max((len(text) for text in labels.values()), default=1)
    passed = {(a, b): max(abs(names.index(a) - names.index(b)) - 1, 0) for a, b in labels}
    return {pair: BEND + count * (1.5 * BEND + LABEL_LINE * (lines + 1)) for pair, count in passed.items()}


def _box(name: str, note: str, place: Point, width: float) -> _Part:
    x, y = place
    left, top = x - width / 2, y - BOX_HEIGHT / 2
    text = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="6" '
        'fill="#eaf1fb" stroke="#1f6feb"/>'
        f'<text x="{x:.1f}" y="{y - 3:.1f}" text-anchor="middle" font-weight="bold">{escape(name)}</text>'
        f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle" font-size="11" fill="#59636e">{escape(note)}</text>'
    )
    return _Part(text, (left, top, left + width, top + BOX_HEIGHT))


def _arrow(
    places: Mapping[str, Point], widths: Mapping[str, float], pair: Pair, lines: Sequence[str], bend: float
) -> _Part:
    if pair[0] == pair[1]:
        return _loop(places[pair[0]], lines)
    (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
    length = hypot(x2 - x1, y2 - y1) or 1.0
    normal = (y2 - y1) / length, -(x2 - x1) / length  # to the left of the way
    middle = (x1 + x2) / 2, (y1 + y2) / 2
    control = middle[0] + 2 * bend * normal[0], middle[1] + 2 * bend * normal[1]
    start, end = _edge((x1, y1), control, widths[pair[0]]), _edge((x2, y2), control, widths[pair[1]])
    path = f"M{start[0]:.1f},{start[1]:.1f} Q{control[0]:.1f},{control[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
    top = [(a + 2 * c + b) / 4 for a, c, b in zip(start, control, end, strict=True)]
    return _with_label(path, (top[0] + 5 * normal[0], top[1] + 5 * normal[1]), normal, lines)


def _loop(place: Point, lines: Sequence[str]) -> _Part:
    """Return the arrow of a subsystem that is connected to itself."""
    x, top = place[0], place[1] - BOX_HEIGHT / 2
    corners = (x - 14, top), (x - 30, top - 40), (x + 30, top - 40), (x + 14, top)
    first, *rest = (f"{a:.1f},{b:.1f}" for a, b in corners)
    return _with_label(f"M{first} C{' '.join(rest)}", (x, top - 34), (0.0, -1.0), lines)


def _edge(centre: Point, towards: Point, width: float) -> Point:
    """Return where the way from the middle of a box to a point leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    share = min(
        (width / 2 + 3) / abs(dx) if dx else float("inf"), (BOX_HEIGHT / 2 + 3) / abs(dy) if dy else float("inf")
    )
    return centre[0] + min(share, 1.0) * dx, centre[1] + min(share, 1.0) * dy


def _with_label(path: str, place: Point, away: Point, lines: Sequence[str]) -> _Part:
    """Return an arrow with its lines of text on that side of it which looks away from the straight way."""
    width, height = LABEL_LETTER * max(map(len, lines)), LABEL_LINE * len(lines)
    outside = away[0] * place[0] + away[1] * place[1] > 0.0  # of the circle: there is room
    side = 0 if abs(away[0]) < (0.25 if outside else 0.5) else (1 if away[0] > 0 else -1)
    anchor = {-1: "end", 0: "middle", 1: "start"}[side]
    left, top = place[0] + (side - 1) * width / 2, place[1] + (away[1] - 1) * height / 2
    arrow = f'<path d="{path}" fill="none" stroke="#59636e" stroke-width="1.3" marker-end="url(#tip)"/>'
    style = f'text-anchor="{anchor}" font-size="11" fill="#24292f" stroke="white" stroke-width="3" paint-order="stroke"'
    texts = (
        f'<text x="{place[0]:.1f}" y="{top + LABEL_LINE * (k + 0.8):.1f}" {style}>{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return _Part(arrow, (left, top, left + width, top + height), "".join(texts))


def _page(parts: Sequence[_Part], title: str) -> str:
    sides = list(zip(*(part.bounds for part in parts), strict=True)) or [(0.0,), (0.0,), (80.0,), (44.0,)]
    left, top, right, bottom = min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3])
    left, top, width, height = left - 16, top - 16, right - left + 32, bottom - top + 32
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0L8,4L0,8z" fill="#59636e"/></marker></defs>'
    )
    drawn = "".join([*(part.text for part in parts), *(part.label for part in parts)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{min(width, 1000):.0f}" font-family="sans-serif" font-size="13">'
        f"<title>{escape(title)}</title>{tip}{drawn}</svg>"
    )
