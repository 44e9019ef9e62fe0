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
        assert shown.count("y → u") == 2 * count  # each with a halo
        assert f"part{count - 1}" in shown
        assert "own pace" in shown


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
