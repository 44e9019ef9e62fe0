"""Subsystems and connections as a picture: boxes on a circle, arrows that name the ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import cos, hypot, pi, sin

BOX_HEIGHT = 44
LETTER = 7.2
"""Width of a letter in dots, about."""

Point = tuple[float, float]


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
    places = _places(list(boxes), max(widths.values(), default=80))
    merged: dict[tuple[str, str], list[str]] = {}
    for source, target, label in arrows:
        merged.setdefault((source, target), []).append(label)
    parts = [_arrow(places, widths, pair, labels) for pair, labels in merged.items()]
    parts += [_box(name, note, places[name], widths[name]) for name, note in boxes.items()]
    return _page(parts, places.values(), widths, title)


def _places(names: list[str], widest: float) -> dict[str, Point]:
    if len(names) <= 3:
        return {name: (k * (widest + 190), 0.0) for k, name in enumerate(names)}
    radius = max(1.3 * widest, len(names) * (widest + 40) / (2 * pi))
    angles = [2 * pi * k / len(names) - pi / 2 for k in range(len(names))]
    return {name: (1.35 * radius * cos(a), radius * sin(a)) for name, a in zip(names, angles, strict=True)}


def _box(name: str, note: str, place: Point, width: float) -> str:
    x, y = place
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="6" '
        'fill="#eaf1fb" stroke="#1f6feb"/>'
        f'<text x="{x:.1f}" y="{y - 3:.1f}" text-anchor="middle" font-weight="bold">{escape(name)}</text>'
        f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle" font-size="11" fill="#59636e">{escape(note)}</text>'
    )


def _arrow(
    places: Mapping[str, Point], widths: Mapping[str, float], pair: tuple[str, str], labels: Iterable[str]
) -> str:
    (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
    shown = list(labels)
    text = ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
    if pair[0] == pair[1]:
        top = y1 - BOX_HEIGHT / 2
        corners = (x1 - 14, top), (x1 - 30, top - 40), (x1 + 30, top - 40), (x1 + 14, top)
        first, *rest = (f"{x:.1f},{y:.1f}" for x, y in corners)
        path = f"M{first} C{' '.join(rest)}"
        return _line(path, (x1, top - 34), text)
    length = hypot(x2 - x1, y2 - y1) or 1.0
    nx, ny = -(y2 - y1) / length, (x2 - x1) / length
    bend = -0.16 * length  # to the left of the way: the arrow back lies on the other side
    middle = ((x1 + x2) / 2 + bend * nx, (y1 + y2) / 2 + bend * ny)
    start, end = _edge((x1, y1), middle, widths[pair[0]]), _edge((x2, y2), middle, widths[pair[1]])
    path = f"M{start[0]:.1f},{start[1]:.1f} Q{middle[0]:.1f},{middle[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
    label = ((x1 + x2) / 2 + 0.62 * bend * nx, (y1 + y2) / 2 + 0.62 * bend * ny)
    return _line(path, label, text)


def _edge(centre: Point, towards: Point, width: float) -> Point:
    """Return where the way from the middle of a box to a point leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    share = min(
        (width / 2 + 3) / abs(dx) if dx else float("inf"), (BOX_HEIGHT / 2 + 3) / abs(dy) if dy else float("inf")
    )
    return centre[0] + min(share, 1.0) * dx, centre[1] + min(share, 1.0) * dy


def _line(path: str, place: Point, text: str) -> str:
    label = f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="middle" font-size="11"'
    halo = f'{label} stroke="white" stroke-width="4" aria-hidden="true">{escape(text)}</text>'
    arrow = f'<path d="{path}" fill="none" stroke="#59636e" stroke-width="1.3" marker-end="url(#tip)"/>'
    return f'{arrow}{halo}{label} fill="#24292f">{escape(text)}</text>'


def _page(parts: Iterable[str], places: Iterable[Point], widths: Mapping[str, float], title: str) -> str:
    points = list(places) or [(0.0, 0.0)]
    side = max(widths.values(), default=80) / 2 + 60
    left, right = min(x for x, _ in points) - side, max(x for x, _ in points) + side
    low, high = min(y for _, y in points), max(y for _, y in points)
    spread = max(60.0, 0.1 * (right - left))
    top, bottom = low - BOX_HEIGHT / 2 - spread, high + BOX_HEIGHT / 2 + spread
    width, height = right - left, bottom - top
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0L8,4L0,8z" fill="#59636e"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{min(width, 1000):.0f}" font-family="sans-serif" font-size="13">'
        f"<title>{escape(title)}</title>{tip}{''.join(parts)}</svg>"
    )
