"""Views in notebooks."""

from xml.etree import ElementTree

import numpy as np

import counterpoint as cp
from counterpoint.results import Samples


def ring(count, name="part"):
    system = cp.System("ring <&>")
    for k in range(count):
        model = cp.ode(lambda t, x, u: u - x, [1.0], inputs="u", outputs="y")
        system.add(f"{name}{k}", model, step=None if k == 0 else 0.1)
    for k in range(count):
        system.connect(f"{name}{k}.y", f"{name}{(k + 1) % count}.u")
    return system


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


def test_a_system_is_shown_as_the_graph_of_its_coupling():
    for count in (1, 2, 3, 7):
        shown = texts(ring(count)._repr_svg_())
        assert shown.count("y → u") == count
        assert f"part{count - 1}" in shown
        assert "own pace" in shown


def boxes_and_labels(svg):
    """Rectangles of subsystems, and places of labels with their anchors."""
    elements = list(ElementTree.fromstring(svg).iter())
    rects = [[float(e.get(key)) for key in ("x", "y", "width", "height")] for e in elements if e.tag.endswith("rect")]
    labels = [e for e in elements if e.tag.endswith("text") and e.get("paint-order")]
    return rects, labels


def test_labels_lie_beside_the_boxes_and_inside_the_picture():
    for count in (2, 3, 5, 9):
        system = ring(count, "quite_a_long_name_")
        svg = system._repr_svg_()
        left, top, width, height = map(float, ElementTree.fromstring(svg).get("viewBox").split())
        rects, labels = boxes_and_labels(svg)
        for label in labels:
            x, y = float(label.get("x")), float(label.get("y"))
            size = 6.1 * len(label.text)
            first = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[label.get("text-anchor")] * size
            assert left <= first
            assert first + size <= left + width
            assert top <= y - 10
            assert y <= top + height
            for bx, by, bw, bh in rects:
                assert not (first < bx + bw and bx < first + size and y - 9 < by + bh and by < y)


def test_labels_of_one_pair_are_lines_and_many_are_counted():
    system = cp.System("pair")
    names = [f"y{k}" for k in range(6)]
    system.add("a", cp.source(lambda t: [0.0] * 6, outputs=names), step=0.1)
    system.add("b", cp.ode(lambda t, x, *u: -x, [1.0], inputs=names, outputs="x"), step=0.1)
    for name in names:
        system.connect(f"a.{name}", f"b.{name}")
    _, labels = boxes_and_labels(system._repr_svg_())
    assert [label.text for label in labels] == ["y0 → y0", "y1 → y1", "y2 → y2", "and 3 more"]
    heights = [float(label.get("y")) for label in labels]
    assert heights == sorted(heights)


def test_names_are_text_and_never_markup():
    svg = ring(2, "<script>")._repr_svg_()
    assert "<script>" not in svg
    assert "<script>0" in texts(svg)


def test_an_empty_system_has_a_picture():
    ElementTree.fromstring(cp.System("empty")._repr_svg_())


def test_a_scenario_is_shown_without_building_it(tmp_path):
    text = 'until = 1.0\n[subsystems.model]\ntype = "python"\nobject = "model.py:Model"\nstep = 0.1\n'
    (tmp_path / "case.toml").write_text(text, encoding="utf-8")
    (tmp_path / "model.py").write_text("raise SystemExit('must not run')\n", encoding="utf-8")
    shown = cp.Scenario.read(tmp_path / "case.toml")._repr_html_()
    assert "case: t = 0 to 1 s, slowest-first" in shown
    assert "python, step 0.1 s" in shown


def test_a_signal_is_shown_with_its_range():
    shown = Samples("speed", np.arange(5.0), np.arange(5.0) ** 2, "m/s")._repr_html_()
    assert "speed [m/s]" in shown
    assert "0 to 16" in shown
    assert "<polyline" in shown
    assert "<polyline" not in Samples("nothing", np.empty(0), np.empty(0))._repr_html_()
