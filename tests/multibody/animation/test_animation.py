import base64
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.errors import OutputError, SetupError
from counterpoint.multibody.animation import Animation, Shape
from counterpoint.multibody.animation.page import scene
from counterpoint.multibody.animation.rotations import between, to_matrices, to_quaternions
from counterpoint.multibody.animation.scene import PALETTE, camera, colours, measure
from counterpoint.multibody.animation.solids import unit_solid

HOSTILE = "</script><script>document.title='owned'</script><!-- \" & \ud800 @@drawing@@"


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.moveaxis(np.array([[c, -s, 0 * c], [s, c, 0 * c], [0 * c, 0 * c, 1 + 0 * c]]), -1, 0)


def track(*coordinates):
    return np.stack(np.broadcast_arrays(*coordinates), axis=-1)[:, None, :].astype(float)


def four_bars(loops, t):
    """A chain of parallelograms: rods on the ground, joined by bars."""
    angle = np.pi / 2 + np.sin(t)
    tips = [track(k + np.cos(angle), np.sin(angle), 0 * t) for k in range(loops + 1)]
    feet = [np.broadcast_to([[[k, 0.0, 0.0]]], (len(t), 1, 3)) for k in range(loops + 1)]
    rods = [Shape(f"rod {k}", "line", np.concatenate([feet[k], tips[k]], axis=1)) for k in range(loops + 1)]
    bars = [Shape(f"bar {k}", "line", np.concatenate([tips[k], tips[k + 1]], axis=1)) for k in range(loops)]
    return Animation(t, (*rods, *bars), title="loops", up=(0, 1, 0), planar=True, traces=("rod 0",))


def every_kind(frames=5):
    t = np.linspace(0.0, 1.0, frames)
    path = track(t, t**2, 0 * t)
    both = np.concatenate([path, path + np.array([0.0, 0.0, 1.0])], axis=1)
    turn = about_z(2 * t)
    corner = {"vertices": np.vstack([np.zeros(3), np.eye(3)]), "faces": np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]])}
    shapes = (
        Shape("bar", "line", both, group="a"),
        Shape("coil", "spring", both, size=(0.05,)),
        Shape("force", "arrow", both, colour="teal"),
        Shape("pin", "point", path, group="a"),
        Shape("block", "box", path, turn, size=(0.3, 0.2, 0.1)),
        Shape("wheel", "cylinder", path, turn, size=(0.3, 0.1)),
        Shape("ball", "sphere", np.zeros((1, 1, 3)), turn, size=(0.2,)),
        Shape("part", "mesh", path, turn[:1], **corner),
    )
    return Animation(t, shapes, title="every kind", traces=("pin", "bar"))


def embedded_scene(page):
    return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.S)[1])


class Elements(HTMLParser):
    """Counts the elements of a page as a browser would find them."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.addresses = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]


# ---- the page


def test_the_page_is_one_file_that_asks_for_nothing_else(tmp_path):
    file = every_kind().save(tmp_path / "all.html")
    page = file.read_text(encoding="utf-8")
    found = Elements(page)
    assert found.addresses == []
    assert found.tags.count("script") == 2
    assert "default-src 'none'" in page
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "@@" not in page


def test_columns_hold_the_motion_as_32_bit_numbers_around_the_middle():
    animation = every_kind()
    found = scene(animation)
    columns = np.frombuffer(base64.b64decode(found["columns"]), "<f4").reshape(-1, found["frames"])
    pin = next(shape for shape in found["shapes"] if shape["name"] == "pin")
    read = [columns[r] if isinstance(r, int) else np.full(5, r[0]) for r in pin["points"][0]]
    np.testing.assert_allclose(
        np.stack(read, axis=1) + found["centre"], animation.shapes[3].positions[:, 0], rtol=1e-6, atol=1e-7
    )
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(found["times"]), "<f8"), animation.times)


def test_far_from_zero_no_precision_is_lost():
    t = np.linspace(0.0, 1.0, 3)
    far = Animation(t, (Shape("car", "point", track(1e6 + 1e-3 * t, 0 * t, 0 * t)),))
    columns = np.frombuffer(base64.b64decode(scene(far)["columns"]), "<f4")
    np.testing.assert_allclose(np.diff(columns), 5e-4, rtol=1e-5)


def test_shared_points_are_stored_once_and_resting_coordinates_not_at_all():
    found = scene(four_bars(3, np.linspace(0.0, 1.0, 11)))
    references = {r for shape in found["shapes"] for p in shape["points"] for r in p if isinstance(r, int)}
    assert len(references) == 4 + 1  # x of four tips, and their one y
    assert len(base64.b64decode(found["columns"])) == 5 * 11 * 4


def test_twenty_seconds_of_forty_loops_stay_below_two_megabytes(tmp_path):
    file = four_bars(40, np.linspace(0.0, 20.0, 20_001)).save(tmp_path / "loops.html")
    found = embedded_scene(file.read_text(encoding="utf-8"))
    assert found["frames"] == 1201
    assert file.stat().st_size < 2_000_000


def test_equal_bodies_share_their_triangles():
    t = np.array([0.0, 1.0])
    balls = [Shape(f"ball {k}", "sphere", np.full((1, 1, 3), k), size=(0.1 + k,)) for k in range(5)]
    found = scene(Animation(t, tuple(balls)))
    assert len(found["solids"]) == 1
    assert [shape["solid"] for shape in found["shapes"]] == [0] * 5


def test_names_and_titles_are_never_markup(tmp_path):
    t = np.array([0.0, 1.0])
    shape = Shape(HOSTILE, "point", np.zeros((1, 1, 3)), group="<img src=x onerror=alert(1)>")
    animation = Animation(t, (shape,), title=HOSTILE)
    page = animation.save(tmp_path / "hostile.html").read_text(encoding="utf-8")
    found = Elements(page)
    assert found.tags.count("script") == 2
    assert "img" not in found.tags
    assert embedded_scene(page)["title"] == HOSTILE
    assert embedded_scene(page)["groups"] == ["<img src=x onerror=alert(1)>"]
    assert Elements(animation._repr_html_()).tags == ["iframe"]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    cell = four_bars(2, np.linspace(0.0, 20.0, 5001))._repr_html_()
    assert cell.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in cell
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', cell)[1])
    assert embedded_scene(page)["frames"] == 600


# ---- frames


def test_few_frames_are_kept_as_they_are(tmp_path):
    page = every_kind().save(tmp_path / "few.html").read_text(encoding="utf-8")
    assert embedded_scene(page)["frames"] == 5


def test_every_frame_is_kept_on_request(tmp_path):
    animation = four_bars(1, np.linspace(0.0, 1.0, 301))
    page = animation.save(tmp_path / "every.html", frames_per_second=None).read_text(encoding="utf-8")
    assert embedded_scene(page)["frames"] == 301


def test_slow_motion_has_more_frames_in_a_second_of_motion():
    animation = four_bars(1, np.linspace(0.0, 2.0, 20_001))
    slow = animation.resampled(30, speed=0.1)
    assert (len(animation.resampled(30).times), len(slow.times), slow.speed) == (61, 601, 0.1)
    assert (slow.times[0], slow.times[-1]) == (0.0, 2.0)


def test_the_last_frame_is_the_last_whatever_the_rate():
    animation = four_bars(1, np.linspace(0.0, 1.03, 500))
    again = animation.resampled(7)
    assert again.times[-1] == animation.times[-1]
    np.testing.assert_allclose(again.shapes[0].positions[-1], animation.shapes[0].positions[-1], atol=1e-12)


def test_positions_are_interpolated_on_straight_lines():
    shape = Shape("p", "point", track(np.array([0.0, 1.0, 5.0]), 0.0, 0.0))
    again = Animation(np.array([0.0, 1.0, 3.0]), (shape,)).resampled(2)
    np.testing.assert_allclose(again.shapes[0].positions[:, 0, 0], [0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0])


def test_rotations_turn_evenly_and_stay_rotations():
    t = np.linspace(0.0, 4.0, 5)
    shape = Shape("b", "box", np.zeros((1, 1, 3)), about_z(2.5 * t), size=(1.0, 1.0, 1.0))
    again = Animation(t, (shape,)).resampled(8)
    np.testing.assert_allclose(again.shapes[0].rotations, about_z(2.5 * again.times), atol=1e-12)


def test_a_crank_that_turns_48_times_a_second_keeps_its_length(tmp_path):
    """Half way between two frames a straight line between its ends would be half as long."""
    t = np.linspace(0.0, 1.0, 601)
    tip = 0.05 * np.stack([np.cos(96 * np.pi * t), np.sin(96 * np.pi * t), 0 * t], axis=1)
    crank = Shape("crank", "line", np.stack([0 * tip, tip], axis=1))
    animation = Animation(t, (crank,))
    shown = animation.resampled(61.7).shapes[0].positions
    np.testing.assert_allclose(np.linalg.norm(shown[:, 1], axis=1), 0.05, rtol=1e-9)
    page = animation.save(tmp_path / "crank.html").read_text(encoding="utf-8")
    seen = embedded_scene(page)
    assert seen["jumps"] == list(range(seen["frames"] - 1))


def test_slow_motion_between_close_frames_is_smooth():
    slow = four_bars(1, np.linspace(0.0, 1.0, 101))
    assert slow.is_smooth.all()
    assert scene(slow)["jumps"] == []
    middle = slow.shapes_at([0.005])[0].positions
    np.testing.assert_allclose(middle, (slow.shapes[0].positions[:1] + slow.shapes[0].positions[1:2]) / 2)


def test_a_line_that_changes_its_length_is_interpolated():
    stretched = np.zeros((2, 2, 3))
    stretched[:, 1, 0] = [1.0, 3.0]
    (line,) = Animation(np.array([0.0, 1.0]), (Shape("rope", "line", stretched),)).shapes_at([0.5])
    np.testing.assert_allclose(line.positions[0, 1], [2.0, 0.0, 0.0])


def test_of_two_frames_at_one_time_the_later_counts():
    shape = Shape("p", "point", track(np.array([0.0, 1.0, 7.0, 8.0]), 0.0, 0.0))
    jump = Animation(np.array([0.0, 1.0, 1.0, 2.0]), (shape,))
    (at,) = jump.shapes_at([0.0, 1.0, 2.0])
    np.testing.assert_allclose(at.positions[:, 0, 0], [0.0, 7.0, 8.0])


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8), st.floats(0, 1))
def test_between_two_rotations_is_a_rotation_as_far_from_both(numbers, weight):
    pair = np.array(numbers).reshape(2, 4)
    if np.linalg.norm(pair, axis=1).min() < 1e-2:
        return
    first, second = to_quaternions(to_matrices(pair / np.linalg.norm(pair, axis=1, keepdims=True)))[:, None, :]
    middle = between(first, second, np.array([weight]))

    def angle(a, b):
        return 2 * np.arccos(np.clip(np.abs((a * b).sum()), 0, 1))

    whole = angle(first, second)
    # Near a turn of zero the arc cosine has the accuracy of the root of a rounding error.
    assert angle(first, middle) == pytest.approx(weight * whole, abs=1e-7)
    assert angle(middle, second) == pytest.approx((1 - weight) * whole, abs=1e-7)


def test_quaternions_follow_many_turns_without_a_jump():
    angles = np.linspace(0.0, 40.0, 1000)
    q = to_quaternions(about_z(angles))
    np.testing.assert_allclose(np.abs(np.diff(q, axis=0)).max(), 0.0, atol=0.03)
    np.testing.assert_allclose(to_matrices(q), about_z(angles), atol=1e-12)


# ---- what page and strip agree on


def test_colours_are_those_of_the_group_and_the_same_every_time():
    from matplotlib.colors import to_hex

    animation = every_kind()
    found = [to_hex(colour) for colour in colours(animation.shapes)]
    assert found == [to_hex(colour) for colour in colours(every_kind().shapes)]
    assert found[0] == found[3] == PALETTE[0]  # group "a"
    assert found[1] == PALETTE[1] and found[2] == "#008080" and found[4] == PALETTE[2]


def test_the_room_holds_turned_bodies_and_the_ground_is_where_they_stand():
    t = np.linspace(0.0, 1.0, 3)
    wheel = Shape(
        "wheel", "cylinder", track(4 * t, 0 * t, 0.5), np.array([[[1, 0, 0], [0, 0, -1], [0, 1, 0]]]), size=(0.5, 0.2)
    )
    room = measure((wheel,), (0, 0, 1), planar=False)
    np.testing.assert_allclose(room.low, [-0.5, -0.1, 0.0], atol=1e-12)
    np.testing.assert_allclose(room.high, [4.5, 0.1, 1.0], atol=1e-12)
    assert room.level == 0.0


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0.3, -0.2, 2.0)])
@pytest.mark.parametrize("view", ["front", "side", "top", "iso"])
def test_every_view_is_a_right_handed_frame(up, view):
    rows = camera(measure((Shape("p", "point", np.zeros((1, 1, 3))),), up, planar=False).axes, view)
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rows) == pytest.approx(1)


def test_planar_motion_is_seen_along_minus_z():
    rows = camera(measure((Shape("p", "point", np.zeros((1, 1, 3))),), (0, 1, 0), planar=True).axes, "front")
    np.testing.assert_allclose(rows, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "volume", "tolerance"), [("box", 1.0, 1e-12), ("cylinder", np.pi, 0.01), ("sphere", 4 / 3 * np.pi, 0.02)]
)
def test_solids_are_closed_and_face_outwards(kind, volume, tolerance):
    """The divergence theorem gives the volume; the facets inscribed in a circle lose a little."""
    solid = unit_solid(kind)
    a, b, c = np.moveaxis(solid.vertices[solid.faces], 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=tolerance)
    edges = np.vstack([solid.faces[:, [0, 1]], solid.faces[:, [1, 2]], solid.faces[:, [2, 0]]])
    assert {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}


# ---- the strip


def test_a_strip_shows_frames_side_by_side(tmp_path):
    from matplotlib.image import imread

    one = imread(every_kind().strip(tmp_path / "one.png", times=[0.5], dpi=60))
    four = imread(every_kind().strip(tmp_path / "four.png", count=4, view="side", dpi=60))
    two_rows = imread(every_kind().strip(tmp_path / "rows.png", times=[1.0, 0.0, 0.3], columns=2, dpi=60))
    assert four.shape[1] / four.shape[0] > 2 * one.shape[1] / one.shape[0]
    assert two_rows.shape[0] > four.shape[0]
    assert len(np.unique(one.reshape(-1, one.shape[-1]), axis=0)) > 50


def test_a_strip_takes_any_title(tmp_path):
    t = np.array([0.0, 1.0])
    shape = Shape("p", "point", track(t, t, t))
    Animation(t, (shape,), title="$broken {math").strip(tmp_path / "title.png", count=2, dpi=40)


def test_the_faces_of_a_solid_leave_no_gaps_in_a_strip(tmp_path):
    from matplotlib.image import imread

    t = np.array([0.0, 1.0])
    box = Shape("bar", "box", track(0 * t, 0 * t, 0 * t), size=(2.0, 0.3, 0.3), colour="#ff0000")
    picture = imread(Animation(t, (box,)).strip(tmp_path / "box.png", times=[0.0], view="front", dpi=100))
    rows, columns = np.nonzero(picture[..., 0] - picture[..., 1] > 0.5)
    inside = picture[rows.min() + 3 : rows.max() - 2, columns.min() + 3 : columns.max() - 2, :3]
    assert np.ptp(inside, axis=(0, 1)).max() < 0.1  # one face of two triangles; a gap of their edges: 0.2


def test_a_strip_says_what_it_cannot_show(tmp_path):
    animation = every_kind()
    with pytest.raises(SetupError, match=r"t = 3 s is not shown; the frames range from 0 to 1 s"):
        animation.strip(tmp_path / "x.png", times=[0.0, 3.0])
    with pytest.raises(SetupError, match=r'no view "tip"; did you mean "top"'):
        animation.strip(tmp_path / "x.png", view="tip")
    with pytest.raises(SetupError, match="at least one frame"):
        animation.strip(tmp_path / "x.png", count=0)
    with pytest.raises(OutputError, match="the picture cannot be saved: No such file or directory"):
        animation.strip(tmp_path / "nowhere" / "x.png", count=1)


# ---- mistakes


def problems_of(**changes):
    given = {"name": "bar", "kind": "line", "positions": np.zeros((3, 2, 3))} | changes
    with pytest.raises(SetupError) as caught:
        Shape(**given)
    return "\n".join(caught.value.problems)


def test_a_shape_says_what_is_wrong_with_it():
    assert 'shapes."bar".kind: no kind "lime"; did you mean "line"?' in problems_of(kind="lime")
    assert "has 1 in a frame; a line needs 2 points or more" in problems_of(positions=np.zeros((3, 1, 3)))
    assert "has 3 in a frame; a spring needs 2 points" in problems_of(kind="spring", positions=np.zeros((3, 3, 3)))
    assert "has the shape (3, 2); expected (frames, points, 3)" in problems_of(positions=np.zeros((3, 2)))
    assert "is not an array of numbers" in problems_of(positions=[["a"]])
    assert "a line cannot be turned" in problems_of(rotations=np.eye(3)[None])
    assert "takes nothing" in problems_of(size=(1.0,))
    assert '"blurple" is not a colour' in problems_of(colour="blurple")
    assert "only opaque colours" in problems_of(colour="#11223344")
    assert "only a mesh has vertices" in problems_of(vertices=np.zeros((3, 3)))


def test_a_body_says_what_is_wrong_with_it():
    body = {"kind": "box", "positions": np.zeros((3, 1, 3)), "size": (1.0, 1.0, 1.0)}
    assert "size: is (1.0,); a box takes (x, y, z) edges" in problems_of(**body | {"size": (1.0,)})
    assert "must be greater than 0" in problems_of(**body | {"size": (1.0, 0.0, 1.0)})
    assert "expected (frames, 3, 3)" in problems_of(**body | {"rotations": np.eye(3)})
    mesh = {"kind": "mesh", "positions": np.zeros((3, 1, 3)), "vertices": np.eye(3), "faces": np.array([[0, 1, 2]])}
    assert "a mesh needs vertices" in problems_of(**mesh | {"vertices": None})
    assert "index 3 does not exist; there are 3 vertices" in problems_of(**mesh | {"faces": np.array([[0, 1, 3]])})
    assert "expected integers" in problems_of(**mesh | {"faces": np.array([[0.0, 1.0, 2.0]])})


def test_all_problems_of_an_animation_come_at_once_and_say_where():
    t = np.linspace(0.0, 1.0, 5)
    broken = track(t, t, t)
    broken[3, 0, 1] = np.nan
    short = Shape("short", "point", np.zeros((4, 1, 3)))
    with pytest.raises(SetupError) as caught:
        Animation(t, (short, Shape("lost", "point", broken)), title="crank")
    assert caught.value.problems == [
        'animation "crank": shapes."short".positions: has 4 frames; the animation has 5 (1 if it does not move)',
        'animation "crank": shapes."lost".positions: is nan at t = 0.75 s; it must be finite',
    ]


def test_what_is_not_a_rotation_is_named():
    t = np.array([0.0, 0.5, 1.0])
    turns = about_z(t)
    turns[1] *= 1.1
    with pytest.raises(SetupError, match=r'"b"\.rotations: not a rotation at t = 0\.5 s: RᵀR departs from 1 by 0\.21'):
        Animation(t, (Shape("b", "box", np.zeros((1, 1, 3)), turns, size=(1, 1, 1)),))
    with pytest.raises(SetupError, match="a mirror image"):
        Animation(t, (Shape("b", "box", np.zeros((1, 1, 3)), -np.eye(3)[None], size=(1, 1, 1)),))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"times": [0.0]}, "has 1 frames; motion needs 2 or more"),
        ({"times": [0.0, 2.0, 1.0]}, "frame 2 at t = 1 s is before frame 1 at t = 2 s"),
        ({"times": [1.0, 1.0]}, "all frames are at t = 1 s"),
        ({"times": [0.0, np.nan]}, "frame 1 is not a finite number"),
        ({"times": [[0.0, 1.0]]}, "expected (frames,)"),
        ({"shapes": ()}, "there is nothing to draw"),
        ({"up": (0, 0, 0)}, "expected a direction"),
        ({"speed": 0.0}, "must be greater than 0"),
        ({"traces": ("pim",)}, 'no point or line "pim"; did you mean "pin"?'),
    ],
)
def test_an_animation_says_what_is_wrong_with_it(changes, message):
    given = {"times": [0.0, 1.0], "shapes": (Shape("pin", "point", np.zeros((1, 1, 3))),)} | changes
    with pytest.raises(SetupError) as caught:
        Animation(**given)
    assert message in str(caught.value)


def test_a_page_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(OutputError, match=r"x\.png: the animation is a page; name it \.html"):
        every_kind().save(tmp_path / "x.png")
    with pytest.raises(OutputError, match="the animation cannot be saved: No such file or directory") as caught:
        every_kind().save(tmp_path / "nowhere" / "x.html")
    assert caught.value.path == str(tmp_path / "nowhere" / "x.html")


# ---- a real browser, where there is one


def test_a_browser_draws_every_kind_without_an_error(tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium or google-chrome on this machine: the page was not opened")
    from matplotlib.image import imread

    page, picture = every_kind().save(tmp_path / "all.html"), tmp_path / "all.png"
    flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=2000", "--enable-logging=stderr"]
    done = subprocess.run(
        [browser, *flags, "--window-size=800,600", f"--screenshot={picture}", f"{page.as_uri()}#t=0.5"],
        capture_output=True,
        text=True,
        check=False,
    )
    if not picture.exists():
        pytest.skip(f"{browser} made no picture: {done.stderr[-300:]}")
    assert "CONSOLE" not in done.stderr
    colours_seen = np.unique((imread(picture)[:500, :, :3] * 16).astype(int).reshape(-1, 3), axis=0)
    assert len(colours_seen) > 60  # an empty picture has the grid's greys only
