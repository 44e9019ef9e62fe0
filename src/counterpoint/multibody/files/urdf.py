"""Robots from URDF files: trees of links and joints become mechanisms.

Links that are welded together become one body; a revolute joint is a point and an axis that two bodies share, and needs
no equation; sliding joints are constraints. The drawing is the robot with all joint coordinates at zero.
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from ...errors import MissingExtraError, SetupError, did_you_mean
from ..assembly.affine import Vector
from ..modelling.mechanism import Mechanism
from ..modelling.parts import GROUND

_MOST_BYTES = 20_000_000
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_TURNING = ("revolute", "continuous")
_TYPES = (*_TURNING, "prismatic", "planar", "floating", "fixed")


def load_urdf(
    path: str | os.PathLike[str],
    *,
    base: Literal["fixed", "floating"] = "fixed",
    gravity: ArrayLike | None = None,
) -> Mechanism:
    """Read an open chain from a URDF file.

    Every revolute, continuous or prismatic joint becomes a measure of its name with an input ``NAME_torque`` (N m) or
    ``NAME_force`` (N), and outputs ``NAME`` and ``NAME_velocity``. Damping and friction are taken over, mimic joints
    become relations; limits are noted in ``mechanism.notes`` and not enforced. Boxes, cylinders and spheres are drawn,
    the first of each body; meshes are not read.

    Parameters
    ----------
    path : path
        URDF file.
    base : {"fixed", "floating"}
        Whether the root link belongs to the ground.
    gravity : array of shape (3,), optional
        m/s²; default -9.81 along z.

    Returns
    -------
    Mechanism

    Raises
    ------
    SetupError
        With all problems of the file.
    MissingExtraError
        The extra ``urdf`` is not installed.
    """
    if base not in ("fixed", "floating"):
        raise SetupError(f'base: "{base}"{did_you_mean(str(base), ("fixed", "floating"))}')
    file = Path(path)
    robot = _parse(file)
    tree = _Tree.of(robot, str(file))
    name = _usable(robot.name or file.stem)
    mechanism = Mechanism(name, dimension=3, gravity=gravity)
    _Builder(mechanism, tree, str(file), floating=base == "floating").build()
    return mechanism


def _text(path: Path) -> str:
    """Return the XML of a file without its declaration; refuse what makes parsers read or expand other things."""
    try:
        if not path.is_file():
            raise SetupError(f"{path}: no such file")
        if path.stat().st_size > _MOST_BYTES:
            raise SetupError(f"{path}: has more than {_MOST_BYTES // 1_000_000} MB")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SetupError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise SetupError(f"{path}: cannot be read: {error.strerror}") from error
    upper = text.upper()
    if "<!DOCTYPE" in upper or "<!ENTITY" in upper:
        raise SetupError(f"{path}: has a DOCTYPE or entities, which are not read; remove them")
    # Without the declaration no other encoding can be claimed that would hide such a thing.
    return _DECLARATION.sub("", text, count=1)


def _parse(path: Path) -> Any:
    text = _text(path)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise SetupError(f"{path}: is not well-formed XML: {error}") from None
    if root.tag != "robot":
        raise SetupError(f"{path}: begins with <{root.tag}>; a URDF file begins with <robot>")
    try:
        from yourdfpy import URDF
    except ImportError as error:
        raise MissingExtraError("reading URDF files", "urdf") from error
    try:
        made = URDF.load(
            io.BytesIO(text.strip().encode()), load_meshes=False, build_scene_graph=False, load_collision_meshes=False,
            build_collision_scene_graph=False,
        )  # fmt: skip
    except Exception as error:
        raise SetupError(f"{path}: cannot be read as URDF: {type(error).__name__}: {error}") from error
    return made.robot


@dataclass
class _Tree:
    """Links and joints by name, the root, and where every link is with all joints at zero."""

    links: dict[str, Any]
    joints: dict[str, Any]
    root: str
    frames: dict[str, Vector] = field(default_factory=dict)  #: 4 x 4 each

    @staticmethod
    def of(robot: Any, label: str) -> _Tree:
        """Check that the joints make a tree, and return it."""
        problems = list(_wrong_names(robot))
        if problems:
            raise SetupError([f"{label}: {problem}" for problem in problems])
        links = {link.name: link for link in robot.links}
        joints = {joint.name: joint for joint in robot.joints}
        roots = set(links) - {joint.child for joint in robot.joints}
        if len(roots) != 1:
            found = ", ".join(f'"{name}"' for name in sorted(roots)) or "none"
            raise SetupError(f"{label}: expected one link that is not a child, the root of the tree; found: {found}")
        tree = _Tree(links, joints, roots.pop())
        tree._place()
        lost = sorted(set(links) - set(tree.frames))
        if lost:
            raise SetupError(
                f'{label}: link "{lost[0]}" is not connected to the root "{tree.root}": joints make a loop'
            )
        return tree

    def _place(self) -> None:
        children: dict[str, list[Any]] = {}
        for joint in self.joints.values():
            children.setdefault(joint.parent, []).append(joint)
        self.frames[self.root] = np.eye(4)
        waiting = [self.root]
        while waiting:
            parent = waiting.pop(0)
            for joint in children.get(parent, ()):
                origin = np.eye(4) if joint.origin is None else joint.origin
                self.frames[joint.child] = self.frames[parent] @ origin
                waiting.append(joint.child)

    def in_order(self) -> Iterator[Any]:
        """Yield the joints from the root outwards."""
        by_child = {joint.child: joint for joint in self.joints.values()}
        for link in self.frames:
            if link in by_child:
                yield by_child[link]


def _wrong_names(robot: Any) -> Iterator[str]:
    links = [link.name for link in robot.links]
    if not links:
        yield "has no links"
    for kind, names in (("link", links), ("joint", [joint.name for joint in robot.joints])):
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f'{kind} "{name}": named twice'
    parents: dict[str, str] = {}
    for joint in robot.joints:
        where = f'joint "{joint.name}"'
        if joint.type not in _TYPES:
            yield f'{where}: type "{joint.type}"{did_you_mean(str(joint.type), _TYPES)}'
        for link in (joint.parent, joint.child):
            if link not in links:
                yield f'{where}: no link "{link}"{did_you_mean(str(link), links)}'
        if joint.child in parents:
            other = parents[joint.child]
            yield f'{where}: link "{joint.child}" is already the child of joint "{other}"; URDF has no closed loops'
        parents.setdefault(joint.child, joint.name)
        if joint.type not in ("fixed", "floating") and not _fine_axis(joint.axis):
            axis = np.asarray(joint.axis).tolist()
            yield f"{where}: axis {axis}; expected three finite numbers that are not all zero"
        if joint.origin is not None and not np.all(np.isfinite(joint.origin)):
            yield f"{where}: origin: expected finite numbers"


def _fine_axis(axis: Any) -> bool:
    values = np.asarray(axis, dtype=float)
    return bool(values.shape == (3,) and np.all(np.isfinite(values)) and values.any())


@dataclass
class _Lump:
    """Links welded together: what a body is made of, in the frame of the drawing."""

    name: str
    points: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    parts: list[tuple[float, Vector, Vector]] = field(default_factory=list)  #: mass, centre, inertia about it
    shape: dict[str, Any] = field(default_factory=dict)

    def inertia(self) -> tuple[float, Vector, Vector]:
        """Return mass (kg), centre (m) and inertia about it (kg m²) of all parts together."""
        mass = sum(part[0] for part in self.parts)
        if mass == 0.0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        centre = sum((m * c for m, c, _ in self.parts), np.zeros(3)) / mass
        total = np.zeros((3, 3))
        for m, c, tensor in self.parts:
            arm = c - centre
            total += tensor + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return mass, centre, total


class _Builder:
    """Make points, vectors, bodies, joints, measures and forces of a tree."""

    def __init__(self, mechanism: Mechanism, tree: _Tree, label: str, *, floating: bool) -> None:
        self.mechanism = mechanism
        self.tree = tree
        self.label = label
        self.used: set[str] = {GROUND}
        self.lumps: dict[str, _Lump | None] = {}  # by link; None is the ground
        self.bodies: list[_Lump] = []
        self.names: dict[str, str] = {}  # of the measures, by joint
        self.problems: list[str] = []
        self.lumps[tree.root] = self._new_lump(tree.root) if floating else None
        if floating:
            self._point(self._name(f"{tree.root} origin"), np.zeros(3), self.lumps[tree.root])

    def build(self) -> None:
        """Fill the mechanism, or raise SetupError with all problems."""
        joints = list(self.tree.in_order())
        for joint in joints:
            if joint.type == "fixed":
                self.lumps[joint.child] = self.lumps[joint.parent]
            else:
                self.lumps[joint.child] = self._new_lump(joint.child)
        for link in self.tree.links.values():
            self._collect(link)
        moving = [joint for joint in joints if joint.type != "fixed"]
        ends = {joint.name: self._ends(joint) for joint in moving}
        for body in self.bodies:
            self._add_body(body)
        self._raise()
        for joint in moving:
            self._connect(joint, *ends[joint.name])
        for joint in moving:
            self._mimic(joint)

    def _new_lump(self, link: str) -> _Lump:
        lump = _Lump(self._name(link))
        self.bodies.append(lump)
        return lump

    def _name(self, wanted: str) -> str:
        """Return a name that a mechanism can take and that is not taken."""
        base = name = _usable(wanted)
        count = 1
        while name in self.used:
            count += 1
            name = f"{base} {count}"
        self.used.add(name)
        return name

    def _collect(self, link: Any) -> None:
        """Add the inertia and the first simple shape of a link to its body."""
        lump = self.lumps[link.name]
        if lump is None:
            return
        frame = self.tree.frames[link.name]
        inertial = link.inertial
        if inertial is not None and inertial.mass:
            there = frame @ (np.eye(4) if inertial.origin is None else inertial.origin)
            turn = there[:3, :3]
            tensor = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia
            if not (inertial.mass > 0 and math.isfinite(inertial.mass) and np.all(np.isfinite(tensor))):
                self.problems.append(f'link "{link.name}": mass or inertia is negative or not finite')
                return
            lump.parts.append((float(inertial.mass), there[:3, 3], turn @ tensor @ turn.T))
        if not lump.shape:
            lump.shape = next((s for v in link.visuals if (s := _shape(v, frame))), {})

    def _point(self, name: str, place: Vector, *lumps: _Lump | None) -> str:
        self.mechanism.point(name, place, fixed=None in lumps)
        for lump in lumps:
            if lump is not None:
                lump.points.append(name)
        return name

    def _ends(self, joint: Any) -> tuple[str, str]:
        """Make the points and the axis of a joint; return those of parent and child, the same if they share it."""
        parent, child = self.lumps[joint.parent], self.lumps[joint.child]
        place = self.tree.frames[joint.child][:3, 3]
        if joint.type in _TURNING:
            shared = self._point(self._name(f"{joint.name} origin"), place, parent, child)
            axis = self._name(f"{joint.name} axis")
            self.mechanism.vector(axis, self._axis(joint), fixed=parent is None)
            for lump in (parent, child):
                if lump is not None:
                    lump.vectors.append(axis)
            return shared, shared
        end = self._point(self._name(f"{joint.name} end"), place, child)
        if joint.type == "floating":
            return end, end
        return self._point(self._name(f"{joint.name} origin"), place, parent), end

    def _axis(self, joint: Any) -> Vector:
        direction = self.tree.frames[joint.child][:3, :3] @ np.asarray(joint.axis, dtype=float)
        return np.asarray(direction / np.linalg.norm(direction))

    def _add_body(self, lump: _Lump) -> None:
        mass, centre, tensor = lump.inertia()
        if mass == 0.0:
            self.problems.append(f'link "{lump.name}": moves but has no mass; it needs an <inertial>')
            return
        self.mechanism.body(
            lump.name, points=lump.points, vectors=lump.vectors, mass=mass, centre=centre, inertia=tensor,
            shape=lump.shape,
        )  # fmt: skip

    def _connect(self, joint: Any, at_parent: str, at_child: str) -> None:
        """Add the constraints, measures and forces of a joint."""
        lumps = (self.lumps[joint.parent], self.lumps[joint.child])
        parent, child = (GROUND if lump is None else lump.name for lump in lumps)
        if joint.type == "floating":
            return
        axis = self._axis(joint)
        mechanism = self.mechanism
        name = self.names[joint.name] = self._name(joint.name)
        if joint.type in _TURNING:
            mechanism.angle(name, parent, child, axis=axis)
        else:
            place = self.tree.frames[joint.child][:3, 3]
            mechanism.joint(self._name(f"{joint.name} guide"), joint.type, parent, child, at=place, axis=axis)
        if joint.type == "prismatic":
            mechanism.displacement(name, at_child, along=axis, origin=at_parent, body=parent)
        if joint.type == "planar":
            mechanism.angle(name, parent, child, axis=axis)
            return
        self._drive(joint, name)

    def _drive(self, joint: Any, name: str) -> None:
        """Add the actuator, damping and friction of a joint, and note its limits."""
        mechanism, turning = self.mechanism, joint.type in _TURNING
        mechanism.output(name, name)
        mechanism.output(f"{name}_velocity", name, "velocity")
        if joint.mimic is None:
            drive = f"{name}_{'torque' if turning else 'force'}"
            mechanism.actuator(self._name(f"{joint.name} drive"), name, force=f"input:{drive}")
        damping, friction = (self._number(joint, key) for key in ("damping", "friction"))
        if damping > 0.0:
            mechanism.spring(self._name(f"{joint.name} damping"), name, damping=damping)
        if friction > 0.0:
            mechanism.friction(self._name(f"{joint.name} friction"), name, sliding=friction)
        note = _limits(joint, turning)
        if note:
            mechanism.notes.append(f"{name}: {note}; not enforced")

    def _number(self, joint: Any, key: str) -> float:
        text = getattr(joint.dynamics, key, None)
        try:
            value = 0.0 if text is None else float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0.0):
            raise SetupError(f'{self.label}: joint "{joint.name}": {key} {text!r}; expected a number of at least 0')
        return value

    def _mimic(self, joint: Any) -> None:
        if joint.mimic is None or joint.name not in self.names:
            return
        other = joint.mimic.joint
        if other not in self.names:
            known = did_you_mean(str(other), self.names)
            raise SetupError(f'{self.label}: joint "{joint.name}": mimic: no moving joint "{other}"{known}')
        factor = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
        self.mechanism.relation(
            self._name(f"{joint.name} mimic"), {self.names[joint.name]: 1.0, self.names[other]: -factor},
            float(joint.mimic.offset or 0.0),
        )  # fmt: skip

    def _raise(self) -> None:
        if self.problems:
            raise SetupError([f"{self.label}: {problem}" for problem in self.problems])


def _usable(name: str) -> str:
    return re.sub(r"[.:]", "_", str(name)).strip() or "robot"


def _shape(visual: Any, frame: Vector) -> dict[str, Any]:
    """Return how to draw a visual, if it is a box, cylinder or sphere of positive size."""
    geometry = visual.geometry
    there = frame @ (np.eye(4) if visual.origin is None else visual.origin)
    size: Sequence[float]
    if geometry is None:
        return {}
    if geometry.box is not None:
        kind, size = "box", [float(x) for x in np.asarray(geometry.box.size).reshape(-1)]
    elif geometry.cylinder is not None:
        kind, size = "cylinder", [float(geometry.cylinder.radius), float(geometry.cylinder.length)]
    elif geometry.sphere is not None:
        kind, size = "sphere", [float(geometry.sphere.radius)]
    else:
        return {}
    if not all(math.isfinite(x) and x > 0 for x in size) or not np.all(np.isfinite(there)):
        return {}
    made: dict[str, Any] = {"kind": kind, "size": size, "centre": there[:3, 3].tolist()}
    if kind == "box":
        made["turn"] = there[:3, :3].tolist()
    if kind == "cylinder":
        made["axis"] = there[:3, 2].tolist()
    colour = getattr(getattr(visual.material, "color", None), "rgba", None)
    if colour is not None and np.all(np.isfinite(colour)):
        made["colour"] = "#" + "".join(f"{round(255 * min(max(float(c), 0.0), 1.0)):02x}" for c in list(colour)[:3])
    return made


def _limits(joint: Any, turning: bool) -> str:
    limit = joint.limit
    if limit is None:
        return ""
    unit, load = ("rad", "N m") if turning else ("m", "N")
    texts = []
    if joint.type != "continuous" and limit.lower is not None and limit.upper is not None:
        texts.append(f"from {limit.lower:g} to {limit.upper:g} {unit}")
    if limit.velocity is not None:
        texts.append(f"at most {limit.velocity:g} {unit}/s")
    if limit.effort is not None:
        texts.append(f"at most {limit.effort:g} {load}")
    return ", ".join(texts)
