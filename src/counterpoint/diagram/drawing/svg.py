"""A diagram as a picture: SVG, drawn by nothing but text."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from .layout import Edge, Layout, Node, Point, place

if TYPE_CHECKING:
    from ..block import Block
    from ..diagram import Diagram

_MARGIN = 14.0
_PORT_ROW = 18.0
_STYLE = """
.block { fill: #fffdf7; stroke: #33414d; stroke-width: 1.3 }
.super { fill: #eef4fa; stroke: #33414d; stroke-width: 1.8 }
.outer { fill: #e3efe3; stroke: #33414d; stroke-width: 1.3 }
.line { fill: none; stroke: #2f6690; stroke-width: 1.2 }
.dot { fill: #2f6690 }
.arrow { fill: #2f6690 }
text { font-family: "DejaVu Sans", Verdana, sans-serif; fill: #1c2731 }
.symbol { font-size: 11px; text-anchor: middle; dominant-baseline: central }
.name { font-size: 9px; text-anchor: middle; fill: #5b6770 }
.port { font-size: 9px; dominant-baseline: central }
""".strip()


def _number(value: float) -> str:
    return f"{value:.4g}"


def _values(block: Block, name: str) -> str:
    values = block.numbers.get(name)
    if values is None:
        return ""
    flat = values.ravel()
    return _number(flat[0]) if flat.size == 1 else f"[{flat.size}]"


def _polynomial(coefficients: list[float], variable: str) -> str:
    terms: list[str] = []
    for power, c in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        if c == 0.0:
            continue
        factor = {0: "", 1: variable}.get(power, f"{variable}{'⁰¹²³⁴⁵⁶⁷⁸⁹'[power] if power < 10 else '^' + str(power)}")
        size = "" if factor and abs(c) == 1.0 else _number(abs(c))
        terms.append(("-" if c < 0 else "+" if terms else "") + size + factor)
    return "".join(terms) or "0"


def _fraction(block: Block, variable: str) -> list[str]:
    above = _polynomial(block.numbers["numerator"].ravel().tolist(), variable)
    below = _polynomial(block.numbers["denominator"].ravel().tolist(), variable)
    return [above, "─" * max(len(above), len(below)), below]


#: Text in a block, line by line; kinds without an entry show their name.
_SYMBOLS: dict[str, Callable[[Block], list[str]]] = {
    "constant": lambda b: [_values(b, "value")],
    "gain": lambda b: [_values(b, "gain")],
    "integrator": lambda b: ["1", "──", "s"],
    "discrete_integrator": lambda b: ["T", "────", "z-1"],
    "unit_delay": lambda b: ["1/z"],
    "transfer_function": lambda b: _fraction(b, "s"),
    "discrete_transfer_function": lambda b: _fraction(b, "z"),
    "sum": lambda b: ["Σ"],
    "product": lambda b: ["×" if "/" not in b.texts.get("operations", "") else "×÷"],
    "expression": lambda b: [_shortened(b.texts.get("expression", "f"))],
    "sine": lambda b: ["sin"],
    "comparison": lambda b: [b.texts.get("operator", "compare")],
}


def _shortened(text: str, length: int = 26) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _symbol(block: Block) -> list[str]:
    if block.kind in _SYMBOLS:
        return _SYMBOLS[block.kind](block)
    return [block.kind.replace("_", " ")]


def _box(block: Block) -> Node:
    ports = max(len(block.inputs), len(block.outputs))
    if block.content is not None:
        label = 6.2 * (max(map(len, block.inputs), default=0) + max(map(len, block.outputs), default=0))
        return Node(
            block.name, max(90.0, label + 30.0), max(46.0, _PORT_ROW * ports), len(block.inputs), len(block.outputs)
        )
    symbol = [block.name] if block.kind == "inlet" else _symbol(block)
    # A gain's triangle has room for its number at the left only.
    width = max(34.0, (10.0 if block.kind == "gain" else 7.0) * max(map(len, symbol)) + 14.0)
    height = max(30.0, 13.0 * len(symbol) + 10.0, 14.0 * ports)
    return Node(block.name, width, height, len(block.inputs), len(block.outputs))


def lay_out(diagram: Diagram) -> tuple[list[Block | None], Layout]:
    """Place the blocks of one level; None is an output of the diagram."""
    blocks: list[Block | None] = [*diagram.blocks.values(), *([None] * len(diagram.outputs))]
    nodes = [_box(block) for block in diagram.blocks.values()]
    place_of = {name: k for k, name in enumerate(diagram.blocks)}
    nodes += [Node(name, max(46.0, 7.0 * len(name) + 18.0), 22.0, 1, 0) for name in diagram.outputs]
    edges = [
        Edge(
            place_of[source.block.name],
            source.block.outputs.index(source.port),
            place_of[name],
            block.inputs.index(port),
        )
        for name, block in diagram.blocks.items()
        for port, source in block.sources.items()
    ]
    edges += [
        Edge(place_of[signal.block.name], signal.block.outputs.index(signal.port), len(diagram.blocks) + k, 0)
        for k, signal in enumerate(diagram.outputs.values())
    ]
    return blocks, place(nodes, edges)


def svg(diagram: Diagram) -> str:
    """Return a picture of the diagram (its top level) as SVG text.

    >>> import counterpoint as cp
    >>> model = cp.Diagram("decay")
    >>> x = model.integrator(initial=1.0, name="x")
    >>> _ = -x >> x
    >>> model.output("x", x)
    >>> svg(model).startswith("<svg")
    True
    """
    blocks, layout = lay_out(diagram)
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN + 10.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}" role="img" '
        f'aria-label="block diagram {escape(diagram.name, quote=True)}">',
        f"<style>{_STYLE}</style>",
    ]
    parts += [_line(line) for line in layout.lines]
    parts += _branch_points(layout)
    for block, node in zip(blocks, layout.nodes, strict=True):
        parts += _outlet(node) if block is None else _drawn(block, node)
    return "\n".join([*parts, "</svg>"])


def save(diagram: Diagram, path: str | Path) -> Path:
    """Write the picture to an SVG file and return its path."""
    target = Path(path)
    target.write_text(svg(diagram), encoding="utf-8")
    return target


def _line(line: list[Point]) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
    x, y = line[-1]
    head = f'<path class="arrow" d="M{x:.1f},{y:.1f} l-7,-3.2 v6.4 z"/>'
    return f'<polyline class="line" points="{points}"/>{head}'


def _branch_points(layout: Layout) -> list[str]:
    """Put a dot wherever a line of the same output turns off."""
    by_start: dict[Point, list[list[Point]]] = {}
    for line in layout.lines:
        by_start.setdefault(line[0], []).append(line)
    dots = []
    for lines in by_start.values():
        for k, line in enumerate(lines[1:], 1):
            point = _leaves(line, lines[:k])
            if point is not None:
                dots.append(f'<circle class="dot" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.3"/>')
    return dots


def _leaves(line: list[Point], others: list[list[Point]]) -> Point | None:
    """Where a line is last on the way of one of the others."""
    best: tuple[int, float, Point] | None = None
    for other in others:
        for k in range(min(len(line), len(other)) - 1):
            if line[k] != other[k]:
                break
            a, b = line[k + 1], other[k + 1]
            if a == b:
                continue
            # Both go on in the same direction from here, one of them further than the other.
            together = min(a, b, key=lambda p: abs(p[0] - line[k][0]) + abs(p[1] - line[k][1]))
            same = (a[0] - line[k][0]) * (b[0] - line[k][0]) + (a[1] - line[k][1]) * (b[1] - line[k][1]) > 0
            point = together if same else line[k]
            length = abs(point[0] - line[k][0]) + abs(point[1] - line[k][1])
            if best is None or (k, length) > best[:2]:
                best = (k, length, point)
    return None if best is None else best[2]


def _drawn(block: Block, node: Node) -> list[str]:
    if block.kind == "inlet":
        return [_pill(node), _text("symbol", node.x + node.width / 2, node.y + node.height / 2, block.name)]
    parts = [_shape(block, node)]
    middle, centre = node.x + node.width / 2, node.y + node.height / 2
    if block.content is not None:
        parts += _port_names(block, node)
    elif block.kind == "sum":
        parts += _signs(block, node)
    if block.content is None:
        symbol = _symbol(block)
        shift = -0.13 * node.width if block.kind == "gain" else 0.0
        for k, text in enumerate(symbol):
            parts.append(_text("symbol", middle + shift, centre + 12.0 * (k - (len(symbol) - 1) / 2), text))
    if block.is_named or block.content is not None:
        parts.append(_text("name", middle, node.y + node.height + 10.0, block.name))
    return parts


def _shape(block: Block, node: Node) -> str:
    x, y, w, h = node.x, node.y, node.width, node.height
    if block.kind == "gain":
        return f'<path class="block" d="M{x:.1f},{y:.1f} v{h:.1f} L{x + w:.1f},{y + h / 2:.1f} z"/>'
    style = "super" if block.content is not None else "block"
    corner = h / 2 if block.kind == "sum" and h < 45.0 else 2.0
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{corner:.1f}"/>'


def _pill(node: Node) -> str:
    return (
        f'<rect class="outer" x="{node.x:.1f}" y="{node.y:.1f}" width="{node.width:.1f}" height="{node.height:.1f}" '
        f'rx="{node.height / 2:.1f}"/>'
    )


def _outlet(node: Node) -> list[str]:
    return [_pill(node), _text("symbol", node.x + node.width / 2, node.y + node.height / 2, node.name)]


def _signs(block: Block, node: Node) -> list[str]:
    signs = block.texts.get("signs", "")
    parts = []
    for k, sign in enumerate(signs):
        x, y = node.input_point(k)
        parts.append(_text("port", x + 4.0, y, "+" if sign == "+" else "−"))
    return parts


def _port_names(block: Block, node: Node) -> list[str]:
    parts = []
    for k, port in enumerate(block.inputs):
        x, y = node.input_point(k)
        parts.append(_text("port", x + 5.0, y, port if port != "control" or not block.gate else f"⎍ {block.gate}"))
    for k, port in enumerate(block.outputs):
        x, y = node.output_point(k)
        parts.append(f'<text class="port" text-anchor="end" x="{x - 5.0:.1f}" y="{y:.1f}">{escape(port)}</text>')
    return parts


def _text(style: str, x: float, y: float, text: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
