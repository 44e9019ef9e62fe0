"""Pictures of diagrams: nothing overlaps, every line ends where it should."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import counterpoint as cp
from counterpoint.diagram.drawing.svg import lay_out, svg


def controlled_plant():
    plant = cp.Diagram("plant")
    force = plant.input("force")
    x = plant.integrator(name="x")
    v = plant.integrator(force - 2 * x, name="v")
    v >> x
    plant.output("x", x)
    plant.output("v", v)
    model = cp.Diagram("control <&>")
    set_point = model.input("set_point")
    block = model.superblock(plant, name="plant")
    error = set_point - block["x"]
    (4 * error + 2 * model.integrator(error, name="i") - 1.5 * block["v"]) >> block
    model.output("position", block["x"])
    model.output("error", error)
    return model, plant


def test_the_picture_is_well_formed_and_shows_every_named_block():
    model, _ = controlled_plant()
    root = ET.fromstring(svg(model))
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"plant", "set_point", "position", "error", "i", "Σ"} <= texts
    assert "gain1" not in texts  # default names are left out


def test_boxes_do_not_overlap():
    for model in controlled_plant():
        _, layout = lay_out(model)
        boxes = layout.nodes
        for k, a in enumerate(boxes):
            for b in boxes[k + 1 :]:
                apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
                assert apart, (a, b)


def test_lines_have_right_angles_and_end_at_ports():
    model, _ = controlled_plant()
    _, layout = lay_out(model)
    starts = {node.output_point(k) for node in layout.nodes for k in range(node.outputs)}
    ends = {node.input_point(k) for node in layout.nodes for k in range(node.inputs)}
    for line in layout.lines:
        assert line[0] in starts
        assert line[-1] in ends
        for (x1, y1), (x2, y2) in pairwise(line):
            assert x1 == x2 or y1 == y2


def test_lines_do_not_run_through_boxes():
    model, _ = controlled_plant()
    _, layout = lay_out(model)
    for line in layout.lines:
        for (x1, y1), (x2, y2) in pairwise(line):
            for node in layout.nodes:
                inside_x = max(x1, x2) > node.x + 0.1 and min(x1, x2) < node.x + node.width - 0.1
                inside_y = max(y1, y2) > node.y + 0.1 and min(y1, y2) < node.y + node.height - 0.1
                assert not (inside_x and inside_y), (line, node)


def test_a_diagram_shows_itself_in_a_notebook_and_saves_a_file(tmp_path):
    model, _ = controlled_plant()
    assert model._repr_svg_().startswith("<svg")
    assert model.draw(tmp_path / "model.svg").read_text(encoding="utf-8") == svg(model)


def test_an_empty_diagram_can_be_drawn():
    assert svg(cp.Diagram("empty")).endswith("</svg>")
